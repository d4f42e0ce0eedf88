//! The part of the event loop that looks at the agent's answer when the run has ended: where it goes, and with what the
//! run ends for it.

use siderail_engine::ErrorMessage;

use super::EventLoop;
use crate::exit::{Exit, Failure};
use crate::terminal::print_error;

impl EventLoop {
    /// Prints the answer where it alone is wanted. An error is none.
    pub(super) fn print_answer(&mut self) {
        let Some(answer) = self.quiet.take() else {
            return;
        };
        match self.error_answer.error() {
            Some(_) => print_error(&answer.text()),
            None => self.output.write(answer.text()),
        }
    }

    /// With what a run ends that went well by itself.
    pub(super) fn answered(&mut self) -> Exit {
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
            None if self.state.is_unanswered() && !self.json => {
                let hint = "run it at a terminal, or decide beforehand with `--answer allow` or `--answer deny`";
                let hint = hint.to_owned();
                let what =
                    "something was denied, or a plan not approved, because nobody could be asked";
                (Failure::new(Exit::Unanswered, what), hint)
            }
            None => return Exit::Ended,
        };
        self.report(&failure.clone().hint(hint));
        failure.exit
    }
}
