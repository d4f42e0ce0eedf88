//! The part of the event loop for the end of a run: where the agent's answer goes, and the exit code, also for an
//! output that accepts nothing more.

use siderail_engine::ErrorMessage;
use siderail_engine::event::Summary;

use super::super::unanswered::Unanswered;
use super::EventLoop;
use crate::exit::{Exit, Failure};
use crate::output::Closed;
use crate::terminal::{print_error, print_failure};

impl EventLoop {
    /// Prints the answer if nothing else is wanted. An error does not count as one.
    pub(super) fn print_answer(&mut self) {
        let Some(answer) = self.quiet.take() else {
            return;
        };
        match self.error_answer.error() {
            Some(_) => print_error(&answer.text()),
            None => self.output.write(answer.text()),
        }
    }

    /// With what a run ends. One whose output was not read to its end has failed.
    pub(super) fn exit(&mut self, summary: &Summary) -> Exit {
        let is_broken = self.report_broken_output();
        match self.state.exit(summary) {
            Exit::Ended if is_broken || self.output.why_closed().is_some() => Exit::Failed,
            Exit::Ended => self.answered(),
            exit => exit,
        }
    }

    /// Says once that standard output cannot be written; true when that is so.
    pub(super) fn report_broken_output(&mut self) -> bool {
        let Some(Closed::Broken(failure)) = self.output.why_closed() else {
            return false;
        };
        if !std::mem::replace(&mut self.told_broken, true) {
            self.clear();
            print_failure(&failure);
        }
        true
    }

    /// With what a run ends that went well by itself.
    fn answered(&mut self) -> Exit {
        let (failure, hint) = match self.error_answer.error() {
            Some(ErrorMessage::Login) => {
                let hint = format!("check its key; {} logs in", self.login_command);
                let what = "the agent's login or key was rejected";
                (Failure::new(Exit::LoginNeeded, what), hint)
            }
            Some(ErrorMessage::Failed) => {
                let hint = "see the agent's message above".to_owned();
                let what = "the agent answered with an error";
                (Failure::new(Exit::Failed, what), hint)
            }
            None => {
                let unanswered = self.state.unanswered().filter(|_| !self.json);
                let (what, hint) = match unanswered {
                    Some(Unanswered::Nobody) => (
                        "something was denied, or a plan not approved, because nobody could be asked",
                        "run it at a terminal, or decide beforehand with `--answer allow` or `--answer deny`",
                    ),
                    Some(Unanswered::Beforehand) => (
                        "the plan was not approved, because `--answer deny` rejects every plan",
                        "approve it at a terminal without `--answer`, or beforehand with `--answer allow`",
                    ),
                    None => return Exit::Ended,
                };
                (Failure::new(Exit::Unanswered, what), hint.to_owned())
            }
        };
        self.report(&failure.clone().hint(hint));
        failure.exit
    }
}
