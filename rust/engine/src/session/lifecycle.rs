//! A session from its opening to its summary: the handshake, logging in, going on with an earlier conversation or in a new
//! process, and the end.
//!
//! [`Lifecycle`] is where a session is in all that, and what its start has brought: plain data, which knows no process and no
//! events.

pub(in crate::session) mod closing;
pub(in crate::session) mod handshake;
pub(in crate::session) mod login;
pub(in crate::session) mod opening;
pub(in crate::session) mod put_back;
pub(in crate::session) mod recipes;
pub(in crate::session) mod restart;
pub(in crate::session) mod startup;
pub(in crate::session) mod summary;
pub(in crate::session) mod waiting;

use std::time::{Duration, Instant};

use siderail_acp::process::Exit;

use crate::event::StopReason;
use crate::session::lifecycle::handshake::Handshake;
use crate::session::prompt_turn::prompt::Prompt;

/// Agents need up to 20 s on a slow machine before their first answer.
pub(in crate::session) const STARTUP: Duration = Duration::from_secs(120);
/// From the end of its input to the end of an agent that has to be killed.
pub(in crate::session) const STOP: Duration = Duration::from_secs(6);
/// A host that was told to give a write up answers at once, or has hung.
const GIVEN_UP: Duration = Duration::from_secs(2);
/// From the end of the process to the end of its output, and the other way round.
const DRAIN: Duration = Duration::from_secs(1);

/// What is overdue when a session's limit passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::session) enum Limit {
    /// The agent has not finished the handshake.
    Startup,
    /// The agent has not listed its hooks.
    HookListing,
    /// The agent has not finished a login that a prompt needs.
    Login,
    /// The agent has not ended a cancelled turn.
    Cancel,
    /// The agent's process has not ended, or its output stays open after it did.
    Exit,
    /// The host has not said what became of writes that it was told to give up.
    GivenUp,
}

/// What a session that ends ends for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::session) enum Ending {
    /// For good. The stop reason of the summary, where it is not the last turn's.
    ForGood(Option<StopReason>),
    /// It goes on in a new process of its agent.
    Restart,
}

/// Where a session is, how far its agent's process is, and what the handshake with the agent has brought.
pub(in crate::session) struct Lifecycle {
    pub(in crate::session) handshake: Handshake,
    stage: Stage,
    process: Process,
    login_missing: Option<Missing>,
}

/// What a login is missing for.
#[derive(Debug)]
enum Missing {
    Opening,
    /// It has failed, and is sent again.
    Prompt(Prompt),
}

/// Where a session is, and what it waits for there, and until when.
#[derive(Debug)]
enum Stage {
    /// The process is being started and has not answered all of the handshake.
    Starting(Option<(Instant, Handshaking)>),
    /// Prompts may be sent.
    Ready(Option<(Instant, Working)>),
    /// The agent was told to go.
    Closing {
        ending: Ending,
        exit_by: Option<Instant>,
    },
    /// The agent is gone; the host has yet to say what became of its writes.
    Finishing { ending: Ending, answers_by: Instant },
    /// The summary is out, unless the session goes on in a new process.
    Over(Ending),
}

/// What a session waits for that is being started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Handshaking {
    Answer,
    HookListing,
    Gone,
}

/// What a session waits for whose agent takes prompts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Working {
    Login,
    EndOfTurn,
    Gone,
}

/// How much of the agent's process is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Process {
    /// Nothing, or it has not been started.
    Runs,
    /// Its output is at its end.
    OutputClosed,
    /// It has ended, and may have said more than has been read.
    Exited(Exit),
    /// Both.
    Gone(Exit),
}

impl Lifecycle {
    /// A session whose agent is being started, and has until then for the handshake.
    pub(in crate::session) fn starting(until: Instant, handshake: Handshake) -> Self {
        Self {
            handshake,
            stage: Stage::Starting(Some((until, Handshaking::Answer))),
            process: Process::Runs,
            login_missing: None,
        }
    }

    /// There is no agent, and so no handshake to wait for.
    pub(in crate::session) fn needs_no_agent(&mut self) {
        self.stage = Stage::Ready(None);
    }

    pub(in crate::session) fn is_starting(&self) -> bool {
        matches!(self.stage, Stage::Starting(_))
    }

    /// Whether prompts may be sent.
    pub(in crate::session) fn is_ready(&self) -> bool {
        matches!(self.stage, Stage::Ready(_))
    }

    /// Whether the agent was told to go, or is gone.
    pub(in crate::session) fn is_closing(&self) -> bool {
        !self.is_starting() && !self.is_ready()
    }

    /// Whether only the host is waited for.
    pub(in crate::session) fn is_finishing(&self) -> bool {
        matches!(self.stage, Stage::Finishing { .. })
    }

    pub(in crate::session) fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Over(_))
    }

    /// The handshake is done; false when the session has ended over it.
    pub(in crate::session) fn ready(&mut self) -> bool {
        if self.is_starting() {
            self.stage = Stage::Ready(None);
        }
        self.is_ready()
    }

    /// Whether there is nothing to be cancelled but the start itself. `sends_again`: a prompt waits for that, whose turn is
    /// not over.
    pub(in crate::session) fn ends_by_cancel(&self, sends_again: bool) -> bool {
        self.is_starting() && (self.lacks_login() || !sends_again)
    }

    /// The agent has until then for the rest of the handshake.
    pub(in crate::session) fn await_handshake(&mut self, until: Instant) {
        if let Stage::Starting(limit) = &mut self.stage {
            *limit = Some((until, Handshaking::Answer));
        }
    }

    /// Somebody else is waited for during the handshake, who may take as long as it takes.
    pub(in crate::session) fn suspend_handshake(&mut self) {
        if let Stage::Starting(limit) = &mut self.stage {
            *limit = None;
        }
    }

    /// The agent has until then to list its hooks.
    pub(in crate::session) fn await_hook_listing(&mut self, until: Instant) {
        if let Stage::Starting(limit) = &mut self.stage {
            *limit = Some((until, Handshaking::HookListing));
        }
    }

    /// The agent has until then for a login, be it that of the handshake or one that a prompt needs.
    pub(in crate::session) fn await_login(&mut self, until: Instant) {
        match &mut self.stage {
            Stage::Starting(limit) => *limit = Some((until, Handshaking::Answer)),
            Stage::Ready(limit) => *limit = Some((until, Working::Login)),
            Stage::Closing { .. } | Stage::Finishing { .. } | Stage::Over(_) => {}
        }
    }

    /// Whether nothing goes on before somebody has logged in.
    pub(in crate::session) fn lacks_login(&self) -> bool {
        self.login_missing.is_some()
    }

    /// This prompt has failed because a login is missing.
    pub(in crate::session) fn prompt_lacks_login(&mut self, prompt: Prompt) {
        self.login_missing = Some(Missing::Prompt(prompt));
    }

    /// A login is missing, or has failed: somebody may take their time for the next.
    pub(in crate::session) fn login_failed(&mut self) {
        self.no_login_limit();
        if self.is_starting() {
            self.login_missing.get_or_insert(Missing::Opening);
        }
    }

    /// No login is missing any more, or nobody wants what it was for. The prompt that failed without it.
    pub(in crate::session) fn login_ended(&mut self) -> Option<Prompt> {
        self.no_login_limit();
        match self.login_missing.take()? {
            Missing::Prompt(prompt) => Some(prompt),
            Missing::Opening => None,
        }
    }

    fn no_login_limit(&mut self) {
        match &mut self.stage {
            Stage::Starting(limit) => *limit = None,
            Stage::Ready(limit) => *limit = limit.filter(|(_, what)| *what != Working::Login),
            Stage::Closing { .. } | Stage::Finishing { .. } | Stage::Over(_) => {}
        }
    }

    /// The agent has until then to end its cancelled turn.
    pub(in crate::session) fn await_end_of_turn(&mut self, until: Instant) {
        if let Stage::Ready(limit) = &mut self.stage {
            *limit = Some((until, Working::EndOfTurn));
        }
    }

    /// The turn has ended.
    pub(in crate::session) fn turn_ended(&mut self) {
        if let Stage::Ready(limit) = &mut self.stage {
            *limit = limit.filter(|(_, what)| *what != Working::EndOfTurn);
        }
    }

    /// The agent is to go, and has until then; false when it was told so before.
    pub(in crate::session) fn close(&mut self, ending: Ending, exit_by: Instant) -> bool {
        if self.is_closing() {
            return false;
        }
        self.stage = Stage::Closing {
            ending,
            exit_by: Some(exit_by),
        };
        true
    }

    /// The session ends for good, for this reason, and its agent is to go. `has_had_turn`: a turn of it has ended.
    pub(in crate::session) fn end(
        &mut self,
        why: Option<StopReason>,
        has_had_turn: bool,
        now: Instant,
    ) {
        let not_started = self.is_starting() && !has_had_turn;
        let no_turn = not_started.then_some(StopReason::NotStarted);
        self.close(Ending::ForGood(why.or(no_turn)), now + STOP);
    }

    /// A session that was to go on in a new process ends for good instead; false when it was not to go on.
    pub(in crate::session) fn give_up_restart(&mut self, stop_reason: Option<&StopReason>) -> bool {
        let (Stage::Closing { ending, .. } | Stage::Finishing { ending, .. } | Stage::Over(ending)) =
            &mut self.stage
        else {
            return false;
        };
        let restarts = *ending == Ending::Restart;
        if restarts {
            *ending = Ending::ForGood(stop_reason.cloned());
        }
        restarts
    }

    /// The agent closed its output.
    pub(in crate::session) fn output_closed(&mut self) {
        self.process = match self.process {
            Process::Runs | Process::OutputClosed => Process::OutputClosed,
            Process::Exited(exit) | Process::Gone(exit) => Process::Gone(exit),
        };
    }

    /// The agent's process ended.
    pub(in crate::session) fn exited(&mut self, exit: Exit) {
        self.process = match self.process {
            Process::Runs | Process::Exited(_) => Process::Exited(exit),
            Process::OutputClosed | Process::Gone(_) => Process::Gone(exit),
        };
    }

    /// True when all of the process is gone. Else gives what is left of it a moment.
    pub(in crate::session) fn drain(&mut self, now: Instant) -> bool {
        let has_exited = matches!(self.process, Process::Exited(_));
        match (&self.process, &mut self.stage) {
            (Process::Runs, _) => false,
            (Process::Gone(_), _) => true,
            (_, Stage::Starting(limit)) => {
                *limit = Some((now + DRAIN, Handshaking::Gone));
                false
            }
            (_, Stage::Ready(limit)) => {
                *limit = Some((now + DRAIN, Working::Gone));
                false
            }
            // An agent that was told to go closes its output first, and has the time that it was given.
            (_, Stage::Closing { exit_by, .. }) => {
                if has_exited {
                    *exit_by = Some(now + DRAIN);
                }
                false
            }
            (_, Stage::Finishing { .. } | Stage::Over(_)) => false,
        }
    }

    /// How the agent's process ended, if it did.
    pub(in crate::session) fn exit(&self) -> Option<Exit> {
        match self.process {
            Process::Runs | Process::OutputClosed => None,
            Process::Exited(exit) | Process::Gone(exit) => Some(exit),
        }
    }

    /// The agent is gone. True when the last word is due; false when that waits for what the host says of its writes, for
    /// a moment, or when the end is under way.
    pub(in crate::session) fn agent_gone(&mut self, has_open_writes: bool, now: Instant) -> bool {
        if self.is_finishing() || self.is_over() {
            return false;
        }
        if has_open_writes {
            self.finishing(now);
        }
        !has_open_writes
    }

    /// Only the last word is left, which the host may hold up for a moment.
    pub(in crate::session) fn finishing(&mut self, now: Instant) {
        if let Stage::Closing { ending, .. } = &self.stage {
            let (ending, answers_by) = (ending.clone(), now + GIVEN_UP);
            self.stage = Stage::Finishing { ending, answers_by };
        }
    }

    /// What the session has ended for, where it has ended for good and for a reason of its own.
    pub(in crate::session) fn ended_for(&self) -> Option<&StopReason> {
        match self.ending()? {
            Ending::ForGood(why) => why.as_ref(),
            Ending::Restart => None,
        }
    }

    /// What the session ends for, once it does.
    pub(in crate::session) fn ending(&self) -> Option<&Ending> {
        match &self.stage {
            Stage::Starting(_) | Stage::Ready(_) => None,
            Stage::Closing { ending, .. }
            | Stage::Finishing { ending, .. }
            | Stage::Over(ending) => Some(ending),
        }
    }

    /// Nothing is left to be done.
    pub(in crate::session) fn over(&mut self) {
        let ending = self.ending().cloned().unwrap_or(Ending::ForGood(None));
        self.stage = Stage::Over(ending);
    }

    /// Whether the session, which is over, goes on in a new process.
    pub(in crate::session) fn goes_on(&self) -> bool {
        matches!(self.stage, Stage::Over(Ending::Restart))
    }

    /// When something is overdue.
    pub(in crate::session) fn deadline(&self) -> Option<Instant> {
        Some(self.limit()?.0)
    }

    /// What is overdue by now; it is so once.
    pub(in crate::session) fn overdue(&mut self, now: Instant) -> Option<Limit> {
        let (_, overdue) = self.limit().filter(|(at, _)| *at <= now)?;
        match &mut self.stage {
            Stage::Starting(limit) => *limit = None,
            Stage::Ready(limit) => *limit = None,
            Stage::Closing { exit_by, .. } => *exit_by = None,
            // What is overdue here ends the session.
            Stage::Finishing { .. } | Stage::Over(_) => {}
        }
        Some(overdue)
    }

    fn limit(&self) -> Option<(Instant, Limit)> {
        match self.stage {
            Stage::Starting(limit) => limit.map(|(at, what)| (at, what.into())),
            Stage::Ready(limit) => limit.map(|(at, what)| (at, what.into())),
            Stage::Closing { exit_by, .. } => exit_by.map(|at| (at, Limit::Exit)),
            Stage::Finishing { answers_by, .. } => Some((answers_by, Limit::GivenUp)),
            Stage::Over(_) => None,
        }
    }
}

impl From<Handshaking> for Limit {
    fn from(what: Handshaking) -> Self {
        match what {
            Handshaking::Answer => Self::Startup,
            Handshaking::HookListing => Self::HookListing,
            Handshaking::Gone => Self::Exit,
        }
    }
}

impl From<Working> for Limit {
    fn from(what: Working) -> Self {
        match what {
            Working::Login => Self::Login,
            Working::EndOfTurn => Self::Cancel,
            Working::Gone => Self::Exit,
        }
    }
}

#[cfg(test)]
pub(in crate::session) mod tests;
