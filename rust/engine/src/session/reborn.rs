//! A session that goes on in a new process of its agent, because a person has logged in where only a new process sees
//! it. For whoever looks on it is the same session: its number, its turns and its counts go on, and nothing is told
//! twice.

use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

use siderail_guard::canary::Canary;
use siderail_guard::denial::DenialTracker;
use siderail_mcp::Listener;

use super::asides::Asides;
use super::changes::Changes;
use super::modes::Due;
use super::turn::Prompt;
use super::{Limit, Phase, STOP, Session};
use crate::command::SessionOptions;
use crate::delivery::Delivery;
use crate::planning::Planning;
use crate::shelf::Shelf;

/// What of a session outlives its agent's process.
pub(crate) struct Again {
    options: SessionOptions,
    queue: VecDeque<Prompt>,
    sends_again: bool,
    turn: u32,
    started: Instant,
    asides: Asides,
    delivery: Delivery,
    tracker: DenialTracker,
    changes: Changes,
    n_denials: BTreeMap<String, u32>,
    files_written: Vec<String>,
    planning: Planning,
    due: Due,
    canary: Canary,
    refusal_failed: bool,
    earlier: Option<String>,
}

impl Session {
    /// Ends the agent's process; the session goes on in another one, with this prompt first.
    pub(super) fn start_anew(&mut self, prompt: Option<Prompt>, shelf: &mut Shelf) {
        if let Some(prompt) = prompt {
            self.queue.push_front(prompt);
            self.sends_again = true;
        }
        if let Some(kept) = shelf.history.conversation(self.number) {
            self.options.resume = Some(kept);
        } else if let Some(acp) = &self.acp {
            // Only the agent knows this conversation.
            self.earlier = Some(acp.id().to_owned());
        }
        self.reborn = true;
        self.phase = Phase::Closing;
        self.drop_waiting(shelf);
        self.stop_own_calls(shelf);
        self.close_agent_requests(shelf);
        self.limit = Some((Instant::now() + STOP, Limit::Exit));
        match self.agent.is_some() {
            true => self.stop_agent(),
            false => self.finish(shelf),
        }
    }

    /// What a session that is over goes on by; none when it has ended for good.
    pub(crate) fn goes_on_by(self) -> Option<Again> {
        self.reborn.then_some(Again {
            options: self.options,
            queue: self.queue,
            sends_again: self.sends_again,
            turn: self.turn,
            started: self.started,
            asides: self.asides,
            delivery: self.delivery,
            tracker: self.tracker,
            changes: self.changes,
            n_denials: self.n_denials,
            files_written: self.files_written,
            planning: self.planning,
            due: self.due.anew(),
            canary: self.canary,
            refusal_failed: self.refusal_failed,
            earlier: self.earlier,
        })
    }
}

impl Again {
    /// Starts the agent again; none when that failed at once, with `ERROR` and `SUMMARY` already out.
    pub(crate) fn start(
        self,
        number: u64,
        shelf: &mut Shelf,
        listener: &Listener,
    ) -> Option<Session> {
        let mut session = Session::start_process(number, self.options, true, shelf, listener)?;
        session.seen = self.turn > 0;
        session.queue = self.queue;
        session.sends_again = self.sends_again;
        session.turn = self.turn;
        session.started = self.started;
        session.asides = self.asides;
        session.delivery = self.delivery;
        session.tracker = self.tracker;
        session.changes = self.changes;
        session.n_denials = self.n_denials;
        session.files_written = self.files_written;
        session.planning = self.planning;
        session.due = self.due;
        session.canary = self.canary.goes_on(session.canary);
        session.refusal_failed = self.refusal_failed;
        session.earlier = self.earlier;
        Some(session)
    }
}
