//! What a run does next, as plain data: a state that takes what happens and answers what to do.
//!
//! It knows no clock, no terminal and no engine, only the commands that go to one. The one-shot run
//! is: start, prompt, see the prompt and its continuations through, end; everything else here is
//! about ending early and still properly.

use std::time::Duration;

use siderail_engine::command::Command;
use siderail_engine::event::{EventBody, PromptOrigin, Summary};

use super::settable;
use super::talk::{Line, Talk};
use crate::exit::Exit;

/// The one session of a run.
pub(crate) const SESSION: u64 = 1;
/// A cancelled turn that has not ended by then is ended with the session.
const CANCEL_LIMIT: Duration = Duration::from_secs(6);
/// An engine that has not ended a session by then is left behind.
const END_LIMIT: Duration = Duration::from_secs(10);
/// The same for a user who has asked twice.
const HURRY_LIMIT: Duration = Duration::from_secs(4);

/// What can happen to a run, beside the engine's events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Happening {
    /// Ctrl-C.
    Interrupt,
    /// The system or the closed terminal wants the process gone.
    Terminate,
    /// The time limit of the run has passed.
    Timeout,
    /// Nothing more will be typed.
    InputEnded,
    /// Nobody reads the output any more.
    OutputClosed,
    /// The output cannot be written.
    OutputBroken,
    /// The limit that the course has set itself has passed.
    Overdue,
    /// The engine has ended without a summary.
    EngineGone,
}

/// What to do.
#[derive(Debug)]
pub(crate) enum Step {
    /// Hand a command to the engine.
    Send(Command),
    /// Report [`Happening::Overdue`] after this time; replaces an earlier limit.
    Limit(Duration),
    /// There is nothing to wait for any more.
    NoLimit,
    /// Tell the person.
    Say(String),
    /// Stop: the session is over or given up.
    Quit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Starting,
    /// The session is there; `turn`: one is running.
    Running {
        turn: bool,
    },
    Cancelling,
    Ending,
    Over,
}

/// The state of a run.
pub(crate) struct Course {
    prompt: String,
    /// A plan is wanted first.
    plan: bool,
    /// A conversation of many prompts instead of a single one.
    talk: Option<Talk>,
    /// A plan that ended its turn waits for an answer.
    awaits_answer: bool,
    phase: Phase,
    /// Why the run ends early, if it does: this decides the exit code.
    cut: Option<Exit>,
    /// What the engine's first error means for the exit code, if it was the end.
    failed: Option<Exit>,
}

impl Course {
    /// A run that is about to send `prompt` as soon as its session is there.
    pub(crate) fn new(prompt: String, plan: bool) -> Self {
        Self {
            prompt,
            plan,
            talk: None,
            awaits_answer: false,
            phase: Phase::Starting,
            cut: None,
            failed: None,
        }
    }

    /// A conversation: it goes on until it is ended.
    pub(crate) fn talking(mut self, talk: Talk) -> Self {
        self.talk = Some(talk);
        self
    }

    /// Keeps what a person may ask for later.
    pub(crate) fn remember(&mut self, body: &EventBody) {
        let Some(talk) = &mut self.talk else { return };
        match body {
            EventBody::SessionOptions {
                mode,
                modes,
                options,
            } => talk.options(settable::text(mode.as_deref(), modes, options)),
            EventBody::TurnStarted {
                origin: PromptOrigin::User,
                ..
            } => talk.changes(String::new()),
            EventBody::Changes { files } => talk.changes(settable::changes(files)),
            EventBody::AgentCommands { commands } => talk.commands(settable::commands(commands)),
            _ => {}
        }
    }

    /// The word that a summary needs when the engine gives none.
    pub(crate) fn stop_reason(&self) -> &'static str {
        match (self.cut, self.phase) {
            (Some(Exit::TimedOut), _) => "timeout",
            (Some(Exit::Cancelled), _) => "cancelled",
            (_, Phase::Starting) => "not_started",
            _ => "error",
        }
    }

    /// The exit code that goes with the last event.
    pub(crate) fn exit(&self, summary: &Summary) -> Exit {
        let failed = match summary.stop_reason.as_str() {
            "not_started" => Exit::NotStarted,
            "error" => Exit::Failed,
            "timeout" | "inactivity" => Exit::TimedOut,
            _ => return self.cut.unwrap_or(Exit::Ended),
        };
        self.cut.or(self.failed).unwrap_or(failed)
    }

    /// Takes an event of the engine.
    pub(crate) fn event(&mut self, body: &EventBody) -> Vec<Step> {
        match body {
            EventBody::SessionStarted { .. } if self.phase == Phase::Starting => {
                if self.talk.is_some() {
                    return self.next_line();
                }
                self.phase = Phase::Running { turn: true };
                let text = self.prompt.clone();
                vec![Step::Send(Command::Prompt {
                    session: SESSION,
                    text,
                    plan: self.plan,
                })]
            }
            EventBody::TurnEnded { continues, .. } => self.turn_ended(*continues),
            EventBody::PlanProposed { channel, .. } => {
                self.awaits_answer = channel == "turn";
                Vec::new()
            }
            EventBody::PlanApproved { .. } => {
                self.awaits_answer = false;
                Vec::new()
            }
            EventBody::PlanRejected { continues, .. } => {
                // Inside of a turn its end is still to come.
                match std::mem::take(&mut self.awaits_answer) {
                    true => self.turn_ended(*continues),
                    false => Vec::new(),
                }
            }
            EventBody::Steered { text, taken } => {
                if let Some(talk) = &mut self.talk {
                    talk.steered(text, *taken);
                }
                match self.phase {
                    Phase::Running { turn: false } => self.next_line(),
                    _ => Vec::new(),
                }
            }
            EventBody::Error { kind, .. } => {
                let failed = match kind.as_str() {
                    "login" => Exit::LoginNeeded,
                    "spawn" => Exit::NotStarted,
                    "protocol" => Exit::Failed,
                    _ if self.phase == Phase::Starting => Exit::NotStarted,
                    _ => Exit::Failed,
                };
                self.failed.get_or_insert(failed);
                Vec::new()
            }
            EventBody::LoginNeeded { .. } => self.end(Some("error"), END_LIMIT),
            EventBody::Summary(_) => {
                self.phase = Phase::Over;
                let unsent = self.talk.as_mut().and_then(Talk::unsent);
                unsent
                    .map(Step::Say)
                    .into_iter()
                    .chain([Step::Quit])
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    fn turn_ended(&mut self, continues: bool) -> Vec<Step> {
        match self.phase {
            Phase::Running { .. } if continues => Vec::new(),
            Phase::Running { .. } if self.talk.is_some() => self.next_line(),
            Phase::Cancelling if self.talk.is_some() => {
                let mut steps = vec![Step::NoLimit];
                steps.extend(self.talk.as_mut().and_then(Talk::hold).map(Step::Say));
                steps.extend(self.next_line());
                steps
            }
            Phase::Running { .. } => self.end(None, END_LIMIT),
            Phase::Cancelling => self.end(Some("cancelled"), END_LIMIT),
            _ => Vec::new(),
        }
    }

    /// Takes a line that was typed.
    pub(crate) fn line(&mut self, line: Line) -> Vec<Step> {
        let Some(talk) = &mut self.talk else {
            return Vec::new();
        };
        let idle = self.phase == (Phase::Running { turn: false });
        let mut steps = Vec::new();
        match (line, self.phase) {
            (_, Phase::Ending | Phase::Over) => {}
            (line, _) if !talk.steers => talk.wait(line),
            (Line::Quit, _) => return self.end(None, END_LIMIT),
            (Line::Prompt { text, plan: false }, Phase::Running { turn: true }) => {
                talk.steer(text.clone());
                let session = SESSION;
                steps.push(Step::Send(Command::Steer { session, text }));
            }
            (line, _) => steps = talk.perform(line),
        }
        if idle {
            steps.extend(self.next_line());
        }
        steps
    }

    /// Sends the next line that waits, or ends where none will come.
    fn next_line(&mut self) -> Vec<Step> {
        self.phase = Phase::Running { turn: false };
        let Some(talk) = &mut self.talk else {
            return Vec::new();
        };
        let mut steps = Vec::new();
        while let Some(line) = talk.next() {
            let Line::Prompt { text, plan } = line else {
                steps.extend(talk.perform(line));
                continue;
            };
            self.phase = Phase::Running { turn: true };
            let session = SESSION;
            steps.push(Step::Send(Command::Prompt {
                session,
                text,
                plan,
            }));
            return steps;
        }
        if talk.is_done() {
            steps.extend(self.end(None, END_LIMIT));
        }
        steps
    }

    /// True while a conversation waits for its person.
    pub(crate) fn waits_for_line(&self) -> bool {
        self.talk.is_some() && self.phase == (Phase::Running { turn: false })
    }

    /// Takes what else happens.
    pub(crate) fn happens(&mut self, happening: Happening) -> Vec<Step> {
        match (happening, self.phase) {
            (_, Phase::Over) => Vec::new(),
            (Happening::EngineGone, _) | (Happening::Overdue, Phase::Ending) => {
                vec![Step::Quit]
            }
            (Happening::InputEnded, phase) => {
                if let Some(talk) = &mut self.talk {
                    talk.input_ended();
                }
                match phase {
                    Phase::Running { turn: false } => self.next_line(),
                    _ => Vec::new(),
                }
            }
            (Happening::Interrupt, Phase::Running { turn: false }) if self.talk.is_some() => {
                self.end(None, END_LIMIT)
            }
            (Happening::Interrupt, Phase::Running { turn: true }) if self.talk.is_some() => {
                self.phase = Phase::Cancelling;
                let cancel = Command::Cancel { session: SESSION };
                vec![Step::Send(cancel), Step::Limit(CANCEL_LIMIT)]
            }
            (Happening::Interrupt, Phase::Running { turn: true }) => {
                self.cut.get_or_insert(Exit::Cancelled);
                self.phase = Phase::Cancelling;
                let cancel = Command::Cancel { session: SESSION };
                vec![Step::Send(cancel), Step::Limit(CANCEL_LIMIT)]
            }
            (Happening::Interrupt, Phase::Ending) => {
                self.cut.get_or_insert(Exit::Cancelled);
                vec![Step::Limit(HURRY_LIMIT)]
            }
            (Happening::Interrupt | Happening::Terminate | Happening::OutputClosed, _) => {
                self.cut.get_or_insert(Exit::Cancelled);
                let again = self.phase == Phase::Cancelling;
                self.end(
                    Some("cancelled"),
                    if again { HURRY_LIMIT } else { END_LIMIT },
                )
            }
            (Happening::OutputBroken, _) => {
                self.cut.get_or_insert(Exit::Failed);
                self.end(Some("error"), END_LIMIT)
            }
            (Happening::Timeout, Phase::Cancelling | Phase::Ending) => Vec::new(),
            (Happening::Timeout, _) => {
                self.cut.get_or_insert(Exit::TimedOut);
                self.end(Some("timeout"), END_LIMIT)
            }
            (Happening::Overdue, _) => self.end(Some("cancelled"), END_LIMIT),
        }
    }

    fn end(&mut self, why: Option<&str>, limit: Duration) -> Vec<Step> {
        if self.phase == Phase::Ending {
            return vec![Step::Limit(limit)];
        }
        self.phase = Phase::Ending;
        let why = why.map(str::to_owned);
        let end = Command::EndSession {
            session: SESSION,
            why,
        };
        vec![Step::Send(end), Step::Limit(limit)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(steps: &[Step]) -> Vec<String> {
        let word = |step: &Step| match step {
            Step::Send(Command::Prompt { text, .. }) => format!("prompt {text}"),
            Step::Send(Command::Cancel { .. }) => "cancel".to_owned(),
            Step::Send(Command::EndSession { why, .. }) => {
                format!("end {}", why.as_deref().unwrap_or("-"))
            }
            Step::Send(other) => format!("{other:?}"),
            Step::Limit(_) => "limit".to_owned(),
            Step::NoLimit => "no limit".to_owned(),
            Step::Say(text) => format!("say {text}"),
            Step::Quit => "quit".to_owned(),
        };
        steps.iter().map(word).collect()
    }

    fn started() -> EventBody {
        EventBody::SessionStarted {
            agent: "x".to_owned(),
            version: None,
            agent_session: "s".to_owned(),
            policy: "redirect".to_owned(),
            mode: None,
        }
    }

    fn turn_ended(stop_reason: &str, continues: bool) -> EventBody {
        let stop_reason = stop_reason.to_owned();
        EventBody::TurnEnded {
            stop_reason,
            continues,
            text: None,
        }
    }

    fn summary(stop_reason: &str) -> Summary {
        Summary {
            stop_reason: stop_reason.to_owned(),
            ..Summary::default()
        }
    }

    fn running() -> Course {
        let mut course = Course::new("hi".to_owned(), false);
        assert_eq!(words(&course.event(&started())), ["prompt hi"]);
        course
    }

    #[test]
    fn a_continuation_is_seen_through_before_the_session_ends() {
        let mut course = running();
        assert_eq!(words(&course.event(&turn_ended("end_turn", true))), [""; 0]);
        let origin = PromptOrigin::Continuation;
        course.event(&EventBody::TurnStarted {
            origin,
            text: String::new(),
        });
        let ended = course.event(&turn_ended("end_turn", false));
        assert_eq!(words(&ended), ["end -", "limit"]);
        assert_eq!(
            words(&course.event(&EventBody::Summary(summary("end_turn")))),
            ["quit"]
        );
        assert_eq!(course.exit(&summary("end_turn")), Exit::Ended);
    }

    fn proposed(channel: &str) -> EventBody {
        EventBody::PlanProposed {
            request_id: 1,
            text: "1. x".to_owned(),
            entries: Vec::new(),
            channel: channel.to_owned(),
            asks: true,
        }
    }

    fn rejected(continues: bool) -> EventBody {
        EventBody::PlanRejected {
            request_id: 1,
            by: "user".to_owned(),
            text: String::new(),
            continues,
        }
    }

    #[test]
    fn a_plan_that_is_turned_down_for_good_ends_the_run_once_its_turn_is_over() {
        let mut course = running();
        course.event(&turn_ended("end_turn", true));
        course.event(&proposed("turn"));
        assert_eq!(words(&course.event(&rejected(true))), [""; 0]);
        course.event(&proposed("turn"));
        assert_eq!(words(&course.event(&rejected(false))), ["end -", "limit"]);

        let mut course = running();
        course.event(&proposed("acp"));
        assert_eq!(
            words(&course.event(&rejected(false))),
            [""; 0],
            "its turn runs"
        );
        let ended = course.event(&turn_ended("end_turn", false));
        assert_eq!(words(&ended), ["end -", "limit"]);
    }

    #[test]
    fn an_interrupt_while_a_plan_waits_for_its_answer_ends_the_run() {
        let mut course = running();
        course.event(&turn_ended("end_turn", true));
        course.event(&proposed("turn"));
        course.happens(Happening::Interrupt);
        let ended = course.event(&rejected(false));
        assert_eq!(words(&ended), ["end cancelled", "limit"]);
        assert_eq!(course.exit(&summary("end_turn")), Exit::Cancelled);
    }

    #[test]
    fn the_first_interrupt_cancels_the_turn_and_the_second_ends_the_run() {
        let mut course = running();
        assert_eq!(
            words(&course.happens(Happening::Interrupt)),
            ["cancel", "limit"]
        );
        assert_eq!(
            words(&course.happens(Happening::Interrupt)),
            ["end cancelled", "limit"]
        );
        assert_eq!(words(&course.happens(Happening::Overdue)), ["quit"]);
        assert_eq!(course.exit(&summary("end_turn")), Exit::Cancelled);
        assert_eq!(course.stop_reason(), "cancelled");
    }

    #[test]
    fn a_cancelled_turn_ends_the_run_with_the_users_exit_code() {
        let mut course = running();
        course.happens(Happening::Interrupt);
        let ended = course.event(&turn_ended("cancelled", false));
        assert_eq!(words(&ended), ["end cancelled", "limit"]);
        assert_eq!(course.exit(&summary("cancelled")), Exit::Cancelled);
    }

    #[test]
    fn an_agent_that_ignores_the_cancel_is_ended_anyway() {
        let mut course = running();
        course.happens(Happening::Interrupt);
        assert_eq!(
            words(&course.happens(Happening::Overdue)),
            ["end cancelled", "limit"]
        );
        assert_eq!(words(&course.happens(Happening::Overdue)), ["quit"]);
    }

    #[test]
    fn an_interrupt_before_the_session_is_there_ends_it() {
        let mut course = Course::new("hi".to_owned(), false);
        assert_eq!(
            words(&course.happens(Happening::Interrupt)),
            ["end cancelled", "limit"]
        );
        assert_eq!(
            words(&course.event(&started())),
            [""; 0],
            "no prompt after the interrupt"
        );
        assert_eq!(course.exit(&summary("not_started")), Exit::Cancelled);
    }

    #[test]
    fn the_time_limit_ends_the_session_and_the_engine_that_does_not_answer_is_left() {
        let mut course = running();
        assert_eq!(
            words(&course.happens(Happening::Timeout)),
            ["end timeout", "limit"]
        );
        assert_eq!(words(&course.happens(Happening::Overdue)), ["quit"]);
        assert_eq!(course.exit(&summary("timeout")), Exit::TimedOut);
        assert_eq!(course.stop_reason(), "timeout");
    }

    #[test]
    fn an_output_that_cannot_be_written_is_a_failure_and_no_cancel() {
        let mut course = running();
        assert_eq!(
            words(&course.happens(Happening::OutputBroken)),
            ["end error", "limit"]
        );
        assert_eq!(course.exit(&summary("end_turn")), Exit::Failed);
    }

    #[test]
    fn a_run_that_is_ending_does_not_time_out_any_more() {
        let mut course = running();
        course.event(&turn_ended("end_turn", false));
        assert_eq!(words(&course.happens(Happening::Timeout)), [""; 0]);
        assert_eq!(course.exit(&summary("end_turn")), Exit::Ended);
    }

    #[test]
    fn a_terminal_or_reader_that_goes_away_ends_the_session_once() {
        for happening in [Happening::Terminate, Happening::OutputClosed] {
            let mut course = running();
            assert_eq!(
                words(&course.happens(happening)),
                ["end cancelled", "limit"]
            );
            assert_eq!(words(&course.happens(happening)), ["limit"]);
            assert_eq!(course.exit(&summary("cancelled")), Exit::Cancelled);
        }
    }

    fn failed(mut course: Course, kind: &str) -> Exit {
        let kind = kind.to_owned();
        course.event(&EventBody::Error {
            kind,
            text: String::new(),
            hint: None,
        });
        course.exit(&summary("error"))
    }

    #[test]
    fn failures_of_the_agent_have_their_own_exit_codes() {
        let starting = || Course::new("hi".to_owned(), false);
        assert_eq!(failed(starting(), "spawn"), Exit::NotStarted);
        assert_eq!(failed(starting(), "closed"), Exit::NotStarted);
        assert_eq!(failed(starting(), "handshake"), Exit::NotStarted);
        assert_eq!(failed(starting(), "protocol"), Exit::Failed);
        assert_eq!(failed(starting(), "login"), Exit::LoginNeeded);
        assert_eq!(failed(running(), "login"), Exit::LoginNeeded);
        assert_eq!(failed(running(), "closed"), Exit::Failed);
        assert_eq!(starting().exit(&summary("not_started")), Exit::NotStarted);
        assert_eq!(running().exit(&summary("error")), Exit::Failed);
        assert_eq!(running().exit(&summary("refusal")), Exit::Ended);
    }

    #[test]
    fn an_engine_that_is_gone_ends_the_run() {
        assert_eq!(words(&running().happens(Happening::EngineGone)), ["quit"]);
        assert_eq!(running().stop_reason(), "error");
    }
}
