//! One session of one agent: its state, and what each input does to it.
//!
//! Each field is a part, which knows no session, in the file or folder of its name; that of `turn` is [`prompt_turn`]. Two
//! are something else: [`carried`] is the set of those parts that outlive the agent's process, and [`agent_facts`] are a
//! constant, which anybody may hold. A part decides: it takes an input and returns [`effect`]s or a plain answer; what it
//! needs from the disk, the [`worker`] looks up. [`dispatch`] knows all of them: it takes what other tasks report and the
//! agent sends, asks the part whose business that is, and takes the steps that follow, in their order. So read there what
//! happens, and in the parts why: [`lifecycle`] from the opening to the summary, [`restore`] an earlier conversation that is
//! resumed, [`prompt_turn`] prompts and cancel, [`permissions`] what the agent asks permission for, [`guidance`] what its
//! model reads of a denial, [`planning`] plans, [`own_calls`] calls at our server, [`client_files`], [`terminals`] and
//! [`elicitation`] what the agent does and asks through us. [`host_calls`] says whose call the host has answered.

mod agent_facts;
mod agent_sessions;
mod agent_settings;
mod carried;
mod changes;
mod client_files;
mod content_roots;
mod dispatch;
mod duration_texts;
mod effect;
mod elicitation;
mod folders;
mod guidance;
mod host_calls;
mod input;
mod lifecycle;
mod modes;
mod outer_client;
mod own_calls;
mod permissions;
mod planning;
mod prompt_turn;
mod question;
mod record;
mod restore;
pub(crate) mod shared;
mod terminal_command;
mod terminals;
mod wire;
mod worker;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::command::PermissionAnswer;
use crate::event::{ErrorKind, EventBody};
use crate::shared::Shared;

use agent_facts::AgentFacts;
pub(crate) use agent_sessions::SessionsReply;
pub use agent_sessions::{AgentSession, AgentSessions, SessionsRefused, SessionsWish};
use agent_settings::AgentSettings;
use carried::Carried;
use client_files::table::FileRequests;
pub(crate) use dispatch::lookups::Then;
pub(crate) use dispatch::preparing::Preparing;
use elicitation::table::Elicitations;
use folders::Folders;
use guidance::Guidance;
pub(crate) use input::Input;
use lifecycle::{Lifecycle, Limit};
use own_calls::OwnCalls;
use permissions::Questions;
use prompt_turn::PromptTurn;
pub(crate) use prompt_turn::prompt::Sent;
pub(crate) use question::Ask;
use question::Settled;
use restore::Restore;
pub(crate) use terminal_command::CommandIn;
use terminals::table::Terminals;
use wire::Wire;
pub(crate) use wire::{Agent, Tag};
pub(crate) use worker::Worked;
use worker::Worker;

/// One session: its parts, and what they share.
pub(crate) struct Session {
    /// The parts that outlive the agent's process, and the host's number of the session.
    carried: Carried,
    /// What is known of the agent, and the policy for it: no part, but a constant.
    agent_facts: Arc<AgentFacts>,
    /// Where it works, and what it leaves there until its end.
    folders: Folders,
    /// Where it is in its life, and whom it speaks with.
    lifecycle: Lifecycle,
    /// The agent's process and the messages between it and us.
    wire: Wire,
    /// The prompt turn that runs, or ran last.
    turn: PromptTurn,
    /// An earlier conversation that is resumed.
    restore: Restore,
    /// What can be set at the agent.
    agent_settings: AgentSettings,
    /// What a person is asked.
    permissions: Questions,
    /// Calls at our server.
    own_calls: OwnCalls,
    /// The agent's requests for files.
    client_files: FileRequests,
    /// The agent's terminals.
    terminals: Terminals,
    /// The agent's questions to the person.
    elicitation: Elicitations,
    /// The ways by which the model hears of a denial.
    guidance: Guidance,
    /// What looks at the disk for it.
    worker: Worker<Then>,
}

/// A cancelled turn should end at once; some agents never end it.
const CANCEL: Duration = Duration::from_secs(2);

impl Session {
    /// The next moment at which [`Self::deadline_passed`] wants to be called.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        if self.lifecycle.is_over() {
            return None;
        }
        if self.worker.is_busy() {
            return self.worker.deadline();
        }
        let limit = self.lifecycle.deadline();
        let all = [
            self.own_calls.table.deadline(),
            limit,
            self.inactivity_deadline(),
        ];
        all.into_iter().flatten().min()
    }

    pub(crate) fn is_over(&self) -> bool {
        self.lifecycle.is_over()
    }

    /// Something was due by now.
    pub(crate) fn deadline_passed(&mut self, now: Instant, shared: &mut Shared) {
        if self.worker.is_busy() {
            return self.worker_overdue(now, shared);
        }
        self.own_deadlines(now, shared);
        if self.inactivity_deadline().is_some_and(|at| at <= now) {
            self.inactive(now, shared);
        }
        if let Some(limit) = self.lifecycle.overdue(now) {
            match limit {
                Limit::Startup => self.startup_overdue(now, shared),
                Limit::Login => {
                    self.login_overdue(shared);
                }
                Limit::HookListing => self.hook_listing_overdue(shared),
                Limit::Cancel => self.after_a_look(shared, move |session, shared| {
                    session.cancel_overdue(now, shared);
                }),
                Limit::Exit => self.after_a_look(shared, Self::gone),
                Limit::GivenUp => self.finish_now(shared),
            }
        }
    }

    /// A person answered.
    pub(crate) fn answered(
        &mut self,
        request_id: u64,
        answer: PermissionAnswer,
        shared: &mut Shared,
    ) {
        if let Some(ask) = self.permissions.asks.remove(&request_id) {
            self.resolve(ask, Settled::ByPerson(answer), shared);
        }
    }

    pub(crate) fn emit(&self, body: EventBody, shared: &mut Shared) {
        let body = self.wire.record.told(self.carried.n_turns, body);
        shared.emit(self.carried.number, self.carried.n_turns, body);
    }

    /// Sends a line to the agent. A full queue or a closed input ends the session with a clear error.
    fn send(&mut self, line: Vec<u8>, shared: &mut Shared) {
        let Some(agent) = &self.wire.agent else {
            return;
        };
        self.wire.heard = Instant::now();
        if let Err(error) = agent.outbound.send(line) {
            self.fail(
                ErrorKind::Closed,
                format!("the agent accepts no more input ({error})"),
                None,
                shared,
            );
        }
    }

    fn root(&self) -> &Path {
        self.folders.root()
    }

    /// The project's folder.
    pub(crate) fn project(&self) -> PathBuf {
        self.root().to_owned()
    }

    /// The project's folder as agents and the guard write it.
    fn root_text(&self) -> String {
        self.root().display().to_string()
    }

    fn send_some(&mut self, line: Option<Vec<u8>>, shared: &mut Shared) {
        if let Some(line) = line {
            self.send(line, shared);
        }
    }
}

#[cfg(test)]
mod tests;
