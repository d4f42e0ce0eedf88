//! A session from its opening to its summary: the handshake, logging in, resuming an earlier conversation, new_process
//! in a new process, and the end.
//!
//! [`Lifecycle`] is where a session is in all that: plain data, which knows no process and no events. What counts in
//! one stage alone is held by that [`Stage`]. Two things are valid across stages, and so kept beside: what the agent
//! and a client have said of themselves ([`Peers`]), and the running process in [`Wire`](crate::session::wire::Wire),
//! which may start in a session that is already ending, and still gets its last lines then.

pub(in crate::session) mod login;
pub(in crate::session) mod new_process;
pub(in crate::session) mod opening;
pub(in crate::session) mod peers;
pub(in crate::session) mod put_back;
pub(in crate::session) mod recipes;
pub(in crate::session) mod session_end;
mod stage;
pub(in crate::session) mod startup;
pub(in crate::session) mod summary;
pub(in crate::session) mod waiting;

use std::time::{Duration, Instant};

use siderail_acp::process::{CommandLine, Exit};
use siderail_acp::session::EarlyUpdates;

use crate::event::StopReason;
use crate::session::lifecycle::opening::Opening;
use crate::session::lifecycle::peers::Peers;
use crate::session::lifecycle::stage::{Awaited, Gone, Process, Stage, Starting};
pub(in crate::session) use crate::session::lifecycle::stage::{Ending, Limit};
use crate::session::outer_client::Client;
use crate::session::prompt_turn::prompt::Prompt;

/// Agents need up to 20 s on a slow machine before their first answer.
pub(in crate::session) const STARTUP: Duration = Duration::from_secs(120);
/// From the end of its input to the end of an agent that has to be killed.
pub(in crate::session) const STOP: Duration = Duration::from_secs(6);
/// A host that was asked to give a write up answers at once, or has hung.
const GIVEN_UP: Duration = Duration::from_secs(2);
/// From the end of the process to the end of its output, and the other way round.
const DRAIN: Duration = Duration::from_secs(1);

/// Where a session is, and whom it speaks with.
pub(in crate::session) struct Lifecycle {
    pub(in crate::session) peers: Peers,
    stage: Stage,
}

impl Lifecycle {
    /// A session that needs no agent, and so waits for no handshake.
    pub(in crate::session) fn new(client: Option<Client>) -> Self {
        let peers = Peers {
            client,
            ..Peers::default()
        };
        let (failed, process) = (None, Process::default());
        let stage = Stage::Ready { failed, process };
        Self { peers, stage }
    }

    /// It needs one, which is started by this command, and has until then for the handshake.
    pub(in crate::session) fn start(
        &mut self,
        command: CommandLine,
        opening: Opening,
        until: Instant,
    ) {
        self.stage = Stage::Starting(Box::new(Starting {
            opening,
            early: EarlyUpdates::default(),
            awaited: Awaited::ToStart(command),
            process: Process::default(),
        }));
        self.limit(Some(until));
    }

    /// What is to be started, now that the session is prepared.
    pub(in crate::session) fn take_command(&mut self) -> Option<CommandLine> {
        match std::mem::replace(&mut self.starting()?.awaited, Awaited::Answer) {
            Awaited::ToStart(command) => Some(command),
            Awaited::Answer | Awaited::HookListing | Awaited::Login => None,
        }
    }

    /// What counts during the handshake alone.
    pub(in crate::session) fn starting(&mut self) -> Option<&mut Starting> {
        match &mut self.stage {
            Stage::Starting(starting) => Some(starting),
            _ => None,
        }
    }

    pub(in crate::session) fn is_starting(&self) -> bool {
        matches!(self.stage, Stage::Starting(_))
    }

    /// Whether prompts may be sent.
    pub(in crate::session) fn is_ready(&self) -> bool {
        matches!(self.stage, Stage::Ready { .. })
    }

    /// Whether the agent was asked to exit, or is gone.
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

    /// The handshake is done. The updates that came early and are not applied yet; none when the session has ended over it.
    pub(in crate::session) fn ready(&mut self) -> Option<EarlyUpdates> {
        let early = std::mem::take(&mut self.starting()?.early);
        self.limit(None);
        let (failed, process) = (None, *self.stage.process()?);
        self.stage = Stage::Ready { failed, process };
        Some(early)
    }

    /// Whether there is nothing to be cancelled but the start itself. `sends_again`: a prompt waits for that, whose turn is
    /// not over.
    pub(in crate::session) fn ends_by_cancel(&self, sends_again: bool) -> bool {
        self.is_starting() && (self.lacks_login() || !sends_again)
    }

    /// The agent has until then for the rest of the handshake.
    pub(in crate::session) fn await_handshake(&mut self, until: Instant) {
        if let Some(starting) = self.starting() {
            if matches!(starting.awaited, Awaited::HookListing) {
                starting.awaited = Awaited::Answer;
            }
            self.limit(Some(until));
        }
    }

    /// Somebody else is waited for during the handshake, who may take as long as it takes.
    pub(in crate::session) fn suspend_handshake(&mut self) {
        if self.is_starting() {
            self.limit(None);
        }
    }

    /// The agent has until then to list its hooks.
    pub(in crate::session) fn await_hook_listing(&mut self, until: Instant) {
        if let Some(starting) = self.starting() {
            starting.awaited = Awaited::HookListing;
            self.limit(Some(until));
        }
    }

    /// The agent has until then for a login, be it that of the handshake or one that a prompt needs.
    pub(in crate::session) fn await_login(&mut self, until: Instant) {
        if self.is_starting() || self.lacks_login() {
            self.limit(Some(until));
        }
    }

    /// Whether nothing continues before somebody has logged in.
    pub(in crate::session) fn lacks_login(&self) -> bool {
        match &self.stage {
            Stage::Starting(starting) => matches!(starting.awaited, Awaited::Login),
            Stage::Ready { failed, .. } => failed.is_some(),
            Stage::Closing { .. } | Stage::Finishing { .. } | Stage::Over(_) => false,
        }
    }

    /// This prompt has failed because a login is missing.
    pub(in crate::session) fn prompt_lacks_login(&mut self, prompt: Prompt) {
        if let Stage::Ready { failed, .. } = &mut self.stage {
            *failed = Some(prompt);
            self.limit(None);
        }
    }

    /// A login is missing, or has failed: somebody may take their time for the next.
    pub(in crate::session) fn login_failed(&mut self) {
        if let Some(starting) = self.starting() {
            starting.awaited = Awaited::Login;
        }
        if self.lacks_login() {
            self.limit(None);
        }
    }

    /// No login is missing any more, or nobody wants what it was for. The prompt that failed without it.
    pub(in crate::session) fn login_ended(&mut self) -> Option<Prompt> {
        if self.is_starting() || self.lacks_login() {
            self.limit(None);
        }
        match &mut self.stage {
            Stage::Starting(starting) => {
                starting.awaited = Awaited::Answer;
                None
            }
            Stage::Ready { failed, .. } => failed.take(),
            Stage::Closing { .. } | Stage::Finishing { .. } | Stage::Over(_) => None,
        }
    }

    /// The agent has until then to end its cancelled turn.
    pub(in crate::session) fn await_end_of_turn(&mut self, until: Instant) {
        if self.is_ready() && !self.lacks_login() {
            self.limit(Some(until));
        }
    }

    /// The turn has ended.
    pub(in crate::session) fn turn_ended(&mut self) {
        if self.is_ready() && !self.lacks_login() {
            self.limit(None);
        }
    }

    /// Sets until when is waited. Once a part of the agent's process is gone, only the rest of that is waited for.
    fn limit(&mut self, until: Option<Instant>) {
        if let Some(process) = self.stage.process()
            && matches!(process.gone, Gone::Nothing)
        {
            process.until = until;
        }
    }

    /// The agent is to exit, and has until then; false if it was asked before.
    pub(in crate::session) fn close(&mut self, ending: Ending, exit_by: Instant) -> bool {
        let is_closing = self.is_closing();
        let Some(process) = self.stage.process().filter(|_| !is_closing) else {
            return false;
        };
        process.until = Some(exit_by);
        let process = *process;
        self.stage = Stage::Closing { ending, process };
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

    /// A session that was to continue in a new process ends for good instead; false when it was not to continue.
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
        if let Some(process) = self.stage.process() {
            process.gone = match process.gone {
                Gone::Nothing | Gone::Output => Gone::Output,
                Gone::Program(exit) | Gone::All(exit) => Gone::All(exit),
            };
        }
    }

    /// The agent's process ended.
    pub(in crate::session) fn exited(&mut self, exit: Exit) {
        if let Some(process) = self.stage.process() {
            process.gone = match process.gone {
                Gone::Nothing | Gone::Program(_) => Gone::Program(exit),
                Gone::Output | Gone::All(_) => Gone::All(exit),
            };
        }
    }

    /// True when all of the process is gone, which is to be dealt with. Else gives what is left of it a moment.
    pub(in crate::session) fn drain(&mut self, now: Instant) -> bool {
        let is_closing = self.is_closing();
        let Some(process) = self.stage.process() else {
            return false;
        };
        match process.gone {
            Gone::All(_) => return true,
            // An agent that was asked to exit closes its output first, and has the time that it was given.
            Gone::Output if is_closing => {}
            Gone::Output | Gone::Program(_) => process.until = Some(now + DRAIN),
            Gone::Nothing => {}
        }
        false
    }

    /// How the agent's process ended, if it did, until the session's end is under way.
    pub(in crate::session) fn exit(&mut self) -> Option<Exit> {
        match self.stage.process()?.gone {
            Gone::Program(exit) | Gone::All(exit) => Some(exit),
            Gone::Nothing | Gone::Output => None,
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
            Stage::Starting(_) | Stage::Ready { .. } => None,
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

    /// Whether the session, which is over, continues in a new process.
    pub(in crate::session) fn goes_on(&self) -> bool {
        matches!(self.stage, Stage::Over(Ending::Restart))
    }

    /// When something is overdue.
    pub(in crate::session) fn deadline(&self) -> Option<Instant> {
        Some(self.stage.limit()?.0)
    }

    /// What is overdue by now; it is so once.
    pub(in crate::session) fn overdue(&mut self, now: Instant) -> Option<Limit> {
        let (_, overdue) = self.stage.limit().filter(|(at, _)| *at <= now)?;
        if let Some(process) = self.stage.process() {
            process.until = None;
        }
        Some(overdue)
    }
}

#[cfg(test)]
pub(in crate::session) mod tests;
