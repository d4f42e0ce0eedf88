//! Decides what a run does next, as plain data: a state that takes what happens and returns what to do.
//!
//! It knows no clock, no terminal and no engine, only the commands that go to one. The one-shot run
//! is: start, prompt, see the prompt and its continuations through, end; everything else here is
//! about ending early and still properly.

use std::time::Duration;

use siderail_engine::command::Command;
use siderail_engine::event::{
    self, AgentCommands, AgentLog, Changes, ErrorKind, EventBody, LogKind, PlanChannel,
    PlanProposed, PlanRejected, PromptOrigin, Reverted, SessionOptions, Steered, StopReason,
    Summary, TurnEnded, TurnStarted,
};

use super::agent_settings::Settable;
use super::chat_input::{ChatInput, Line};
use super::chat_texts;
use super::step::{SESSION, Step};
use super::unanswered::{self, Unanswered};
use crate::exit::Exit;
use crate::signals::Signal;

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
    /// What is reported right after the session has opened is complete.
    Settled,
    /// Nobody reads the output any more.
    OutputClosed,
    /// The output cannot be written.
    OutputBroken,
    /// The limit that the run has set itself has passed.
    Overdue,
    /// The engine has ended without a summary.
    EngineGone,
}

impl From<Signal> for Happening {
    fn from(signal: Signal) -> Self {
        match signal {
            Signal::Interrupt => Self::Interrupt,
            Signal::Terminate => Self::Terminate,
        }
    }
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
pub(crate) struct RunState {
    prompt: String,
    /// A plan is wanted first.
    plan: bool,
    /// A conversation of many prompts instead of a single one.
    chat_input: Option<ChatInput>,
    /// A plan that ended its turn waits for an answer.
    awaits_answer: bool,
    phase: Phase,
    /// Why the run ends early, if it does: this decides the exit code.
    cut: Option<Exit>,
    /// What the engine's first error means for the exit code, if it was the end.
    failed: Option<Exit>,
    /// What was wanted last was not done because a login is missing.
    lacks_login: bool,
    /// What was left undone without a person's no, if anything was.
    unanswered: Option<Unanswered>,
    /// The session is open, and its settings are about to be reported.
    settles: bool,
}

impl RunState {
    /// A run that is about to send `prompt` as soon as its session is there.
    pub(crate) fn new(prompt: String, plan: bool) -> Self {
        Self {
            prompt,
            plan,
            chat_input: None,
            awaits_answer: false,
            phase: Phase::Starting,
            cut: None,
            failed: None,
            lacks_login: false,
            settles: false,
            unanswered: None,
        }
    }

    /// Why a run ended with something left undone without a person's no, where it did.
    pub(crate) fn unanswered(&self) -> Option<Unanswered> {
        self.unanswered.filter(|_| self.chat_input.is_none())
    }

    /// True for a moment after the session has opened, if the next line needs what is reported then.
    pub(crate) fn settles(&self) -> bool {
        self.settles
    }

    /// A conversation: it continues until it is ended.
    pub(crate) fn with_chat_input(mut self, chat_input: ChatInput) -> Self {
        self.chat_input = Some(chat_input);
        self
    }

    /// A person logs in: what failed without it is tried again, and has not failed.
    pub(crate) fn logs_in(&mut self) {
        self.failed = None;
    }

    /// Keeps what a person may ask for later.
    pub(crate) fn remember(&mut self, body: &EventBody) {
        let Some(chat_input) = &mut self.chat_input else {
            return;
        };
        match body {
            EventBody::SessionOptions(SessionOptions {
                mode,
                modes,
                options,
            }) => chat_input.options(Settable::new(mode.as_deref(), modes, options)),
            EventBody::AgentLog(AgentLog {
                kind: LogKind::Notice,
                ..
            }) => chat_input.not_set(),
            EventBody::TurnStarted(TurnStarted {
                origin: PromptOrigin::User,
                ..
            }) => chat_input.changes(Vec::new()),
            EventBody::Changes(Changes { files }) => chat_input.changes(chat_texts::changes(files)),
            EventBody::Reverted(Reverted {
                path, done: true, ..
            }) => chat_input.reverted(path),
            EventBody::OwnTool(call) if call.exit_code.is_some() => {
                chat_input.output(chat_texts::output(&call.text));
            }
            EventBody::ToolCall(call) if call.command.is_some() && !call.text.is_empty() => {
                chat_input.output(chat_texts::output(&call.text));
            }
            EventBody::AgentCommands(AgentCommands { commands }) => {
                let names = commands.iter().map(|command| command.name.clone());
                chat_input.commands(names.collect(), chat_texts::commands(commands));
            }
            _ => {}
        }
    }

    /// The stop reason for a summary when the engine gives none.
    pub(crate) fn stop_reason(&self) -> StopReason {
        match (self.cut, self.phase) {
            (Some(Exit::TimedOut), _) => StopReason::Timeout,
            (Some(Exit::Cancelled), _) => StopReason::Cancelled,
            (_, Phase::Starting) => StopReason::NotStarted,
            _ => StopReason::Error,
        }
    }

    /// The exit code that goes with the last event.
    pub(crate) fn exit(&self, summary: &Summary) -> Exit {
        let failed = match summary.stop_reason {
            StopReason::NotStarted => Exit::NotStarted,
            StopReason::Error => Exit::Failed,
            StopReason::Timeout | StopReason::Inactivity => Exit::TimedOut,
            _ => Exit::Ended,
        };
        let failed = match failed {
            _ if self.lacks_login => Exit::LoginNeeded,
            Exit::Ended => Exit::Ended,
            failed => self.failed.unwrap_or(failed),
        };
        self.cut.unwrap_or(failed)
    }

    /// Takes an event of the engine.
    pub(crate) fn event(&mut self, body: &EventBody) -> Vec<Step> {
        self.follows_login(body);
        self.unanswered = unanswered::after(self.unanswered, body);
        match body {
            EventBody::SessionStarted(_) if self.phase == Phase::Starting => {
                if let Some(chat_input) = &self.chat_input {
                    if chat_input.asks_for_options() {
                        self.phase = Phase::Running { turn: false };
                        self.settles = true;
                        return Vec::new();
                    }
                    return self.next_line();
                }
                self.phase = Phase::Running { turn: true };
                let text = self.prompt.clone();
                vec![Step::Send(Command::Prompt {
                    session: SESSION,
                    text,
                    plan: self.plan,
                    blocks: Vec::new(),
                    attachments: Vec::new(),
                    meta: serde_json::Value::Null,
                })]
            }
            EventBody::SessionOptions(_) => {
                let set = self.chat_input.as_mut().and_then(ChatInput::now_set);
                set.map(Step::Say).into_iter().collect()
            }
            EventBody::TurnEnded(TurnEnded { continues, .. }) => self.turn_ended(*continues),
            EventBody::PlanProposed(PlanProposed { channel, .. }) => {
                self.awaits_answer = *channel == PlanChannel::Turn;
                Vec::new()
            }
            EventBody::PlanApproved(_) => {
                self.awaits_answer = false;
                Vec::new()
            }
            EventBody::PlanRejected(PlanRejected { continues, .. }) => {
                // Inside of a turn its end is still to come.
                match std::mem::take(&mut self.awaits_answer) {
                    true => self.turn_ended(*continues),
                    false => Vec::new(),
                }
            }
            EventBody::Steered(Steered { text, taken }) => {
                if let Some(chat_input) = &mut self.chat_input {
                    chat_input.steered(text, *taken);
                }
                match self.phase {
                    Phase::Running { turn: false } => self.next_line(),
                    _ => Vec::new(),
                }
            }
            EventBody::Error(event::Error { kind, .. }) => {
                let failed = match kind {
                    ErrorKind::Login => Exit::LoginNeeded,
                    ErrorKind::Setting => Exit::Usage,
                    ErrorKind::Spawn => Exit::NotStarted,
                    ErrorKind::Protocol => Exit::Failed,
                    _ if self.phase == Phase::Starting => Exit::NotStarted,
                    _ => Exit::Failed,
                };
                self.failed.get_or_insert(failed);
                Vec::new()
            }
            EventBody::LoginNeeded(_) => self.end(Some(StopReason::Error), END_LIMIT),
            EventBody::Summary(_) => {
                self.phase = Phase::Over;
                let unsent = self.chat_input.as_mut().and_then(ChatInput::unsent);
                unsent
                    .map(Step::Say)
                    .into_iter()
                    .chain([Step::Quit])
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether what was wanted last lacks a login.
    fn follows_login(&mut self, body: &EventBody) {
        match body {
            EventBody::SessionStarted(_) | EventBody::TurnStarted(_) => {
                self.lacks_login = false;
            }
            EventBody::Error(event::Error { kind, .. }) => {
                self.lacks_login |= *kind == ErrorKind::Login
            }
            _ => {}
        }
    }

    fn turn_ended(&mut self, continues: bool) -> Vec<Step> {
        match self.phase {
            Phase::Running { .. } if continues => Vec::new(),
            Phase::Running { .. } if self.chat_input.is_some() => self.next_line(),
            Phase::Cancelling if self.chat_input.is_some() => {
                let mut steps = vec![Step::NoLimit];
                steps.extend(
                    self.chat_input
                        .as_mut()
                        .and_then(ChatInput::hold)
                        .map(Step::Say),
                );
                steps.extend(self.next_line());
                steps
            }
            Phase::Running { .. } => self.end(None, END_LIMIT),
            Phase::Cancelling => self.end(Some(StopReason::Cancelled), END_LIMIT),
            _ => Vec::new(),
        }
    }

    /// What a line is, as far as that is known now: the agent's own commands are, once its session is open.
    pub(crate) fn resolve(&self, line: Line) -> Line {
        match (&self.chat_input, self.phase) {
            (Some(chat_input), Phase::Running { .. } | Phase::Cancelling) if chat_input.steers => {
                chat_input.resolve(line)
            }
            _ => line,
        }
    }

    fn cancel_turn(&mut self) -> Vec<Step> {
        self.phase = Phase::Cancelling;
        let cancel = Command::Cancel { session: SESSION };
        vec![Step::Send(cancel), Step::Limit(CANCEL_LIMIT)]
    }

    /// The person who was asked does not log in: the turn that needs it is cancelled, and a conversation continues as
    /// long as its agent runs. Otherwise, and if the session has not begun, it is the end.
    pub(crate) fn no_login(&mut self) -> Vec<Step> {
        match self.phase {
            Phase::Running { turn: true } if self.chat_input.is_some() => {
                self.failed = None;
                self.cancel_turn()
            }
            _ => self.end(Some(StopReason::Error), END_LIMIT),
        }
    }

    /// Takes a line that was typed.
    pub(crate) fn line(&mut self, line: Line) -> Vec<Step> {
        let Some(chat_input) = &mut self.chat_input else {
            return Vec::new();
        };
        let idle = self.phase == (Phase::Running { turn: false }) && !self.settles;
        let mut steps = Vec::new();
        match (line, self.phase) {
            (_, Phase::Ending | Phase::Over) => {}
            (line @ (Line::Drop | Line::Waiting), _) if chat_input.is_held() => {
                steps = chat_input.perform(line);
            }
            (line, _) if !chat_input.steers => chat_input.wait(line),
            (
                line @ (Line::Mode(_)
                | Line::Model(_)
                | Line::Set(_)
                | Line::Values(_)
                | Line::Slash(_)
                | Line::Revert(_)
                | Line::RevertAll),
                Phase::Starting,
            ) => {
                chat_input.wait(line);
            }
            (Line::Quit, _) => return self.end(None, END_LIMIT),
            (Line::Prompt { text, plan: false }, Phase::Running { turn: true }) => {
                chat_input.steer(text.clone());
                let session = SESSION;
                steps.push(Step::Send(Command::Steer { session, text }));
            }
            (line, _) => steps = chat_input.perform(line),
        }
        if idle {
            steps.extend(self.next_line());
        }
        steps
    }

    /// Sends the next line that waits, or ends where none will come.
    fn next_line(&mut self) -> Vec<Step> {
        self.phase = Phase::Running { turn: false };
        let Some(chat_input) = &mut self.chat_input else {
            return Vec::new();
        };
        let mut steps = Vec::new();
        while let Some(line) = chat_input.next() {
            let Line::Prompt { text, plan } = line else {
                steps.extend(chat_input.perform(line));
                continue;
            };
            self.phase = Phase::Running { turn: true };
            let session = SESSION;
            steps.push(Step::Send(Command::Prompt {
                session,
                text,
                plan,
                blocks: Vec::new(),
                attachments: Vec::new(),
                meta: serde_json::Value::Null,
            }));
            return steps;
        }
        if chat_input.is_done() {
            steps.extend(self.end(None, END_LIMIT));
        }
        steps
    }

    /// True once the session is being ended.
    pub(crate) fn is_ending(&self) -> bool {
        matches!(self.phase, Phase::Ending | Phase::Over)
    }

    /// True while a conversation waits for its person.
    pub(crate) fn waits_for_line(&self) -> bool {
        self.chat_input.is_some() && self.phase == (Phase::Running { turn: false })
    }

    /// Takes what else happens.
    pub(crate) fn happens(&mut self, happening: Happening) -> Vec<Step> {
        match (happening, self.phase) {
            (_, Phase::Over) => Vec::new(),
            (Happening::EngineGone, _) | (Happening::Overdue, Phase::Ending) => {
                vec![Step::Quit]
            }
            (Happening::Settled, _) => match std::mem::take(&mut self.settles) {
                true => self.next_line(),
                false => Vec::new(),
            },
            (Happening::InputEnded, phase) => {
                if let Some(chat_input) = &mut self.chat_input {
                    chat_input.input_ended();
                }
                match phase {
                    Phase::Running { turn: false } if !self.settles => self.next_line(),
                    _ => Vec::new(),
                }
            }
            (Happening::Interrupt, Phase::Running { turn: false }) if self.chat_input.is_some() => {
                self.end(None, END_LIMIT)
            }
            (Happening::Interrupt, Phase::Running { turn: true }) => {
                if self.chat_input.is_none() {
                    self.cut.get_or_insert(Exit::Cancelled);
                }
                self.cancel_turn()
            }
            (Happening::Interrupt, Phase::Ending) => {
                self.cut.get_or_insert(Exit::Cancelled);
                vec![Step::Limit(HURRY_LIMIT)]
            }
            (Happening::OutputClosed, _) => {
                self.cut.get_or_insert(Exit::Failed);
                self.end(Some(StopReason::Cancelled), END_LIMIT)
            }
            (Happening::Interrupt | Happening::Terminate, _) => {
                self.cut.get_or_insert(Exit::Cancelled);
                let again = self.phase == Phase::Cancelling;
                self.end(
                    Some(StopReason::Cancelled),
                    if again { HURRY_LIMIT } else { END_LIMIT },
                )
            }
            (Happening::OutputBroken, _) => {
                self.cut.get_or_insert(Exit::Failed);
                self.end(Some(StopReason::Error), END_LIMIT)
            }
            (Happening::Timeout, Phase::Cancelling | Phase::Ending) => Vec::new(),
            (Happening::Timeout, _) => {
                self.cut.get_or_insert(Exit::TimedOut);
                self.end(Some(StopReason::Timeout), END_LIMIT)
            }
            (Happening::Overdue, _) => self.end(Some(StopReason::Cancelled), END_LIMIT),
        }
    }

    fn end(&mut self, why: Option<StopReason>, limit: Duration) -> Vec<Step> {
        if self.phase == Phase::Ending {
            return vec![Step::Limit(limit)];
        }
        self.phase = Phase::Ending;
        let end = Command::EndSession {
            session: SESSION,
            why,
        };
        vec![Step::Send(end), Step::Limit(limit)]
    }
}

#[cfg(test)]
mod tests;
