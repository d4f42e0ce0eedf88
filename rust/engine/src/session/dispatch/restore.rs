//! Resumes an earlier conversation, step by step: it is read, the agent's session is opened again, and what the agent
//! replays of it is taken. [`restore`](crate::session::restore) decides in which way, and what of it is shown.

use std::io;
use std::time::Instant;

use serde_json::value::RawValue;
use siderail_acp::session::EarlyUpdates;
use siderail_acp::update::SessionUpdate;
use siderail_acp::wire::RpcError;

use crate::event::{ErrorKind, EventBody};
use crate::history::{Archive, Conversation};
use crate::session::lifecycle::STARTUP;
use crate::session::restore::reopening::{Earlier, Reopened, Retold};
use crate::session::{Input, Session, Tag};
use crate::shared::Shared;

impl Session {
    /// Opens the conversation that is to be resumed. False: there is none, and a new session is to be opened.
    pub(super) fn restore(&mut self, shared: &mut Shared) -> bool {
        match self.restore.wanted(&self.carried) {
            None => return false,
            Some(Earlier::OfAgent(id)) => {
                let kept = Conversation::of_agent(&self.agent_facts.profile.name, &id);
                self.reopen(kept, shared);
            }
            Some(Earlier::Kept(which)) => {
                let archive = Archive::of_project(&shared.config.state_dir, self.root());
                let (session, inputs) = (self.carried.number, shared.inputs.clone());
                // Conversations may be large, and the engine waits for no file.
                tokio::task::spawn_blocking(move || {
                    let kept = Box::new(archive.read(&which));
                    // Without an engine nobody continues.
                    let _ = inputs.blocking_send(Input::Kept { session, kept });
                });
            }
        }
        true
    }

    /// The conversation has been read, or could not be.
    pub(super) fn kept_read(&mut self, kept: io::Result<Conversation>, shared: &mut Shared) {
        if !self.lifecycle.is_starting() || self.restore.is_under_way() {
            return;
        }
        match kept {
            Ok(kept) => {
                // Whatever a person called it by, it is written on by its id.
                self.carried.options.resume = Some(kept.listed.head.id.clone());
                self.reopen(kept, shared);
            }
            Err(error) => {
                let hint = "`siderail history list` lists the saved conversations".to_owned();
                self.fail(ErrorKind::Handshake, error.to_string(), Some(hint), shared);
            }
        }
    }

    fn reopen(&mut self, kept: Conversation, shared: &mut Shared) {
        let initialized = self.lifecycle.peers.initialized.as_ref();
        let can = initialized.map(|i| i.capabilities.clone());
        let can = can.unwrap_or_default();
        let (agent, is_seen) = (&self.agent_facts.profile.name, self.carried.seen);
        let (reopening, effects) = self.restore.begin(kept, agent, &can, is_seen);
        self.apply(effects, shared);
        match reopening.request(|| self.setup(&can, shared), &can) {
            Some((method, params)) => self.request(method, &params, Tag::Restore, shared),
            None => self.open_session(shared),
        }
    }

    /// The agent has opened it, or could not.
    pub(super) fn restored(
        &mut self,
        outcome: Result<Box<RawValue>, RpcError>,
        shared: &mut Shared,
    ) {
        match self.restore.answered(outcome) {
            None => {}
            Some(Reopened::Session(opened)) => self.opened(&opened, shared),
            Some(Reopened::LoginNeeded(error)) => self.login_needed(&error, shared),
            Some(Reopened::Anew(told)) => {
                self.apply([told], shared);
                if let Some(starting) = self.lifecycle.starting() {
                    starting.early.clear();
                }
                self.open_session(shared);
            }
        }
    }

    /// Shows the conversation, now that the session is ready. `early`: what the agent has replayed of it.
    pub(super) fn show_restored(&mut self, mut early: EarlyUpdates, shared: &mut Shared) {
        let Some(id) = self.restore.agent_session() else {
            return;
        };
        for early in early.take(id) {
            self.told_again(early.update, shared);
        }
        let effects = self.restore.ready();
        self.apply(effects, shared);
    }

    /// Applies an update about what happened long ago.
    pub(super) fn told_again(&mut self, update: SessionUpdate, shared: &mut Shared) {
        let Some(acp) = &mut self.lifecycle.peers.acp else {
            return;
        };
        let applied = acp.apply(update);
        match Retold::of(applied.update) {
            Retold::Message { is_prompt, text } => {
                let begins = applied.starts_message;
                let told = self.restore.message_told(is_prompt, begins, &text);
                self.apply(told, shared);
            }
            Retold::Call(id) => {
                let Some((view, ..)) = self.call_view(&id, shared) else {
                    return;
                };
                if self.call_ends(&id) {
                    let told = self.restore.told(EventBody::ToolCall(view));
                    self.apply(told, shared);
                }
            }
            Retold::Plan(plan) => {
                let told = self.restore.told(plan);
                self.apply(told, shared);
            }
            Retold::Options => self.tell_options(shared),
            Retold::Commands => self.tell_commands(shared),
            Retold::Nothing => {}
            Retold::Aside(update) => self.aside(&update, shared),
        }
    }

    /// The first new prompt.
    pub(in crate::session) fn goes_on_anew(&mut self, shared: &mut Shared) {
        let last = self.restore.end();
        self.apply(last, shared);
    }

    /// True while an agent is still replaying a conversation: its start may take longer, and does.
    pub(super) fn is_telling(&mut self) -> bool {
        let tells = self.restore.is_telling(self.wire.heard.elapsed());
        if tells {
            self.lifecycle.await_handshake(Instant::now() + STARTUP / 4);
        }
        tells
    }
}
