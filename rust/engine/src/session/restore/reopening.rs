//! What an earlier conversation needs of its file and of the agent: it is read, the agent's session is opened again, and
//! what the agent tells of it is taken.

use std::io;
use std::time::{Duration, Instant};

use serde_json::value::RawValue;
use siderail_acp::initialize::NewSessionResult;
use siderail_acp::requests;
use siderail_acp::update::SessionUpdate;
use siderail_acp::wire::{RpcError, codes};

use crate::event::{ErrorKind, EventBody};
use crate::history::{Archive, Conversation};
use crate::session::restore::Reopening;
use crate::session::{Input, STARTUP, Session, Tag};
use crate::shared::Shared;
use crate::views::{plan_entries, shown};

/// An agent that tells a long conversation may take as long as it goes on telling.
const TELLING: Duration = Duration::from_secs(30);

impl Session {
    /// Opens the conversation that is to be gone on with. False: there is none, and a new session is to be opened.
    pub(in crate::session) fn restore(&mut self, shared: &mut Shared) -> bool {
        if self.restore.is_under_way() {
            return false;
        }
        if let Some(id) = &self.carried.earlier {
            let kept = Conversation::of_agent(&self.facts.profile.name, id);
            self.reopen(kept, shared);
            return true;
        }
        let Some(which) = self.carried.options.resume.clone() else {
            return false;
        };
        let archive = Archive::of_project(&shared.config.state_dir, self.root());
        let (session, inputs) = (self.number, shared.inputs.clone());
        // Conversations may be large, and the engine waits for no file.
        tokio::task::spawn_blocking(move || {
            let kept = Box::new(archive.read(&which));
            // Without an engine nobody goes on any more.
            let _ = inputs.blocking_send(Input::Kept { session, kept });
        });
        true
    }

    /// The conversation has been read, or could not be.
    pub(in crate::session) fn kept_read(
        &mut self,
        kept: io::Result<Conversation>,
        shared: &mut Shared,
    ) {
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
        let initialized = self.handshake.initialized.as_ref();
        let can = initialized.map(|i| i.capabilities.clone());
        let can = can.unwrap_or_default();
        let (agent, is_seen) = (&self.facts.profile.name, self.carried.seen);
        let (reopening, effects) = self.restore.begin(kept, agent, &can, is_seen);
        self.apply(effects, shared);
        let (method, params) = match reopening {
            Reopening::Anew => return self.open_session(shared),
            Reopening::Resume(id) => {
                let params = self.setup(&can, shared).resume_session(&id, &can);
                (requests::RESUME_SESSION, params)
            }
            Reopening::Load(id) => {
                let params = self.setup(&can, shared).load_session(&id, &can);
                (requests::LOAD_SESSION, params)
            }
        };
        self.request(method, &params, Tag::Restore, shared);
    }

    /// The agent has opened it, or could not.
    pub(in crate::session) fn restored(
        &mut self,
        outcome: Result<Box<RawValue>, RpcError>,
        shared: &mut Shared,
    ) {
        let Some(id) = self.restore.agent_session() else {
            return;
        };
        match outcome {
            Ok(result) => {
                let opened = NewSessionResult::read_with_id(id, &result);
                self.opened(&opened, shared);
            }
            Err(error) if error.code == codes::AUTH_REQUIRED => {
                // It is opened anew after the login.
                self.restore = Default::default();
                self.login_needed(&error, shared);
            }
            Err(error) => {
                let why = format!("the agent could not resume its session: {error}");
                let told = self.restore.unknown(&why);
                self.apply([told], shared);
                self.handshake.early.clear();
                self.open_session(shared);
            }
        }
    }

    /// Shows the conversation, now that the session is ready.
    pub(in crate::session) fn show_restored(&mut self, shared: &mut Shared) {
        let Some(id) = self.restore.agent_session() else {
            return;
        };
        for early in self.handshake.early.take(id) {
            self.told_again(early.update, shared);
        }
        let effects = self.restore.ready();
        self.apply(effects, shared);
    }

    /// Applies an update that tells what has happened long ago.
    pub(in crate::session) fn told_again(&mut self, update: SessionUpdate, shared: &mut Shared) {
        let Some(acp) = &mut self.handshake.acp else {
            return;
        };
        let applied = acp.apply(update);
        let begins = applied.starts_message;
        match applied.update {
            SessionUpdate::UserMessageChunk(chunk) => {
                let text = shown(&chunk.content);
                let told = self.restore.message_told(true, begins, &text);
                self.apply(told, shared);
            }
            SessionUpdate::AgentMessageChunk(chunk) => {
                let text = shown(&chunk.content);
                let told = self.restore.message_told(false, begins, &text);
                self.apply(told, shared);
            }
            SessionUpdate::ToolCall(fields) | SessionUpdate::ToolCallUpdate(fields) => {
                let Some((view, ..)) = self.call_view(&fields.id, shared) else {
                    return;
                };
                if view.status.is_final() && self.guidance.ended.insert(fields.id) {
                    let told = self.restore.told(EventBody::ToolCall(view));
                    self.apply(told, shared);
                }
            }
            SessionUpdate::Plan(entries) => {
                let entries = plan_entries(entries);
                let told = self.restore.told(EventBody::Plan { entries });
                self.apply(told, shared);
            }
            SessionUpdate::CurrentMode { .. } | SessionUpdate::ConfigOptions(_) => {
                self.tell_options(shared);
            }
            SessionUpdate::AvailableCommands(_) => self.tell_commands(shared),
            // What was noted then is no news; how things stand is.
            SessionUpdate::Notice(_) | SessionUpdate::Compaction(_) => {}
            other => self.aside(&other, shared),
        }
    }

    /// The first new prompt.
    pub(in crate::session) fn goes_on_anew(&mut self, shared: &mut Shared) {
        let last = self.restore.end();
        self.apply(last, shared);
    }

    /// True while an agent is still telling a conversation, so that its start may take longer.
    pub(in crate::session) fn is_telling(&mut self) -> bool {
        let tells = self.restore.is_under_way() && self.wire.heard.elapsed() < TELLING;
        if tells {
            self.lifecycle.await_handshake(Instant::now() + STARTUP / 4);
        }
        tells
    }
}
