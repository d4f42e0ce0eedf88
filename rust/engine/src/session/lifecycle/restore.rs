//! Going on with an earlier conversation: how it is opened again, and what of it is shown.
//!
//! Three ways, the best first: `session/resume`, where the agent knows the conversation and says nothing of it;
//! `session/load`, where it tells it again; a new session, where it knows neither. What is told again has happened
//! long ago: it is shown as such, and neither judged nor counted.

use std::io;
use std::time::{Duration, Instant};

use serde_json::value::RawValue;
use siderail_acp::initialize::NewSessionResult;
use siderail_acp::requests;
use siderail_acp::update::{Chunk, SessionUpdate};
use siderail_acp::wire::{RpcError, codes};

use crate::event::{ErrorKind, EventBody, LogKind, PlanEntry, PromptOrigin, ResumedBy};
use crate::history::{Archive, Conversation, Entry};
use crate::session::lifecycle::handshake::Restoring;
use crate::session::views::shown;
use crate::session::{Input, STARTUP, Session, Tag};
use crate::shared::Shared;

/// Entries that are shown of a kept conversation, the last ones.
const SHOWN: usize = 2_000;
/// An agent that tells a long conversation may take as long as it goes on telling.
const TELLING: Duration = Duration::from_secs(30);

impl Session {
    /// Opens the conversation that is to be gone on with. False: there is none, and a new session is to be opened.
    pub(in crate::session) fn restore(&mut self, shared: &mut Shared) -> bool {
        if self.handshake.restoring.is_some() {
            return false;
        }
        if let Some(id) = &self.carried.earlier {
            let kept = Conversation::of_agent(&self.facts.profile.name, id);
            self.reopen(kept, shared);
            return true;
        }
        let Some(which) = self.options.resume.clone() else {
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
        if !self.lifecycle.is_starting() || self.handshake.restoring.is_some() {
            return;
        }
        match kept {
            Ok(kept) => {
                // Whatever a person called it by, it is written on by its id.
                self.options.resume = Some(kept.listed.head.id.clone());
                self.tell_damage(kept.damaged, shared);
                self.reopen(kept, shared);
            }
            Err(error) => {
                let hint = "`siderail history list` lists the saved conversations".to_owned();
                self.fail(ErrorKind::Handshake, error.to_string(), Some(hint), shared);
            }
        }
    }

    /// Goes on with a conversation in the best way that the agent has.
    fn reopen(&mut self, kept: Conversation, shared: &mut Shared) {
        let capabilities = self
            .handshake
            .initialized
            .as_ref()
            .map(|i| i.capabilities.clone());
        let capabilities = capabilities.unwrap_or_default();
        let head = kept.listed.head.clone();
        let way = match (head.agent == self.facts.profile.name, &capabilities) {
            (true, can) if can.resume => ResumedBy::Resume,
            (true, can) if can.load_session => ResumedBy::Load,
            _ => ResumedBy::History,
        };
        self.handshake.restoring = Some(Restoring {
            kept,
            way,
            telling: None,
            n_shown: 0,
        });
        let id = &head.agent_session;
        let (method, params) = match way {
            ResumedBy::Resume => {
                let setup = self.setup(&capabilities, shared);
                let params = setup.resume_session(id, &capabilities);
                (requests::RESUME_SESSION, params)
            }
            ResumedBy::Load => {
                let setup = self.setup(&capabilities, shared);
                let params = setup.load_session(id, &capabilities);
                (requests::LOAD_SESSION, params)
            }
            ResumedBy::History => {
                let why = match head.agent == self.facts.profile.name {
                    true => "this agent cannot resume earlier sessions".to_owned(),
                    false => format!("the conversation was with {}", head.agent),
                };
                self.knows_nothing(&why, shared);
                return self.open_session(shared);
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
        let Some(restoring) = &self.handshake.restoring else {
            return;
        };
        match outcome {
            Ok(result) => {
                let id = restoring.kept.listed.head.agent_session.clone();
                self.opened(&NewSessionResult::read_with_id(&id, &result), shared);
            }
            Err(error) if error.code == codes::AUTH_REQUIRED => {
                // It is opened anew after the login.
                self.handshake.restoring = None;
                self.login_needed(&error, shared);
            }
            Err(error) => {
                let why = format!("the agent could not resume its session: {error}");
                self.knows_nothing(&why, shared);
                self.handshake.early.clear();
                self.open_session(shared);
            }
        }
    }

    fn tell_damage(&self, n_lines: usize, shared: &mut Shared) {
        let lines = match n_lines {
            0 => return,
            1 => "a line of this conversation's history is damaged and cannot be read".to_owned(),
            n => format!("{n} lines of this conversation's history are damaged and cannot be read"),
        };
        let text = format!("{lines}; a crash may have cut it off, and everything else is there");
        let kind = LogKind::Notice;
        self.emit(EventBody::AgentLog { kind, text }, shared);
    }

    fn knows_nothing(&mut self, why: &str, shared: &mut Shared) {
        if let Some(restoring) = &mut self.handshake.restoring {
            restoring.way = ResumedBy::History;
        }
        let text = format!(
            "{why}; a new session was started, and the model does not know the earlier conversation"
        );
        let kind = LogKind::Notice;
        self.emit(EventBody::AgentLog { kind, text }, shared);
    }

    /// Shows the conversation, now that the session is ready.
    pub(in crate::session) fn show_restored(&mut self, shared: &mut Shared) {
        let Some(restoring) = &self.handshake.restoring else {
            return;
        };
        let way = restoring.way;
        let id = restoring.kept.listed.head.agent_session.clone();
        let early = self.handshake.early.take(&id);
        for early in early {
            self.told_again(early.update, shared);
        }
        self.tell_again(shared);
        let Some(restoring) = &mut self.handshake.restoring else {
            return;
        };
        let mut omitted = 0;
        if restoring.n_shown == 0 {
            let entries = std::mem::take(&mut restoring.kept.entries);
            let entries: Vec<Entry> = entries.into_iter().filter(|e| is_shown(&e.body)).collect();
            omitted = entries.len().saturating_sub(SHOWN);
            for entry in entries.into_iter().skip(omitted) {
                self.show_again(Some(entry.at), entry.body, shared);
            }
        }
        let Some(restoring) = &self.handshake.restoring else {
            return;
        };
        let id = &restoring.kept.listed.head.id;
        if id.is_empty() {
            // What nobody keeps has no name to go on by.
            return;
        }
        let resumed = EventBody::Resumed {
            id: id.clone(),
            by: way,
            entries: restoring.n_shown,
            omitted: omitted as u64,
        };
        self.emit(resumed, shared);
    }

    /// Applies an update that tells what has happened long ago.
    pub(in crate::session) fn told_again(&mut self, update: SessionUpdate, shared: &mut Shared) {
        let Some(acp) = &mut self.handshake.acp else {
            return;
        };
        let applied = acp.apply(update);
        let starts = applied.starts_message;
        match applied.update {
            SessionUpdate::UserMessageChunk(chunk) => self.piece(true, starts, &chunk, shared),
            SessionUpdate::AgentMessageChunk(chunk) => self.piece(false, starts, &chunk, shared),
            SessionUpdate::ToolCall(fields) | SessionUpdate::ToolCallUpdate(fields) => {
                let Some((view, ..)) = self.call_view(&fields.id, shared) else {
                    return;
                };
                let is_over = matches!(view.status.as_str(), "completed" | "failed" | "cancelled");
                if is_over && self.guidance.ended.insert(fields.id) {
                    self.tell_again(shared);
                    self.show_again(None, EventBody::ToolCall(view), shared);
                }
            }
            SessionUpdate::Plan(entries) => {
                self.tell_again(shared);
                let entries: Vec<PlanEntry> = crate::session::views::plan_entries(entries);
                self.show_again(None, EventBody::Plan { entries }, shared);
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

    /// A piece of a message that is told again.
    fn piece(&mut self, is_user: bool, starts: bool, chunk: &Chunk, shared: &mut Shared) {
        if starts {
            self.tell_again(shared);
        }
        let Some(restoring) = &mut self.handshake.restoring else {
            return;
        };
        let (_, text) = restoring
            .telling
            .get_or_insert_with(|| (is_user, String::new()));
        text.push_str(&shown(&chunk.content));
    }

    /// Shows the message that was told so far.
    fn tell_again(&mut self, shared: &mut Shared) {
        let telling = self
            .handshake
            .restoring
            .as_mut()
            .and_then(|r| r.telling.take());
        let Some((is_user, text)) = telling else {
            return;
        };
        let origin = PromptOrigin::User;
        let body = match is_user {
            true => EventBody::TurnStarted { origin, text },
            false => EventBody::AgentMessage {
                text,
                message_id: None,
            },
        };
        self.show_again(None, body, shared);
    }

    fn show_again(&mut self, at: Option<u64>, body: EventBody, shared: &mut Shared) {
        if let Some(restoring) = &mut self.handshake.restoring {
            restoring.n_shown += 1;
        }
        if self.carried.seen {
            return;
        }
        let entry = Box::new(body);
        self.emit(EventBody::Restored { at, entry }, shared);
    }

    /// The first new prompt: from now on everything happens anew.
    pub(in crate::session) fn goes_on_anew(&mut self, shared: &mut Shared) {
        self.tell_again(shared);
        self.handshake.restoring = None;
    }

    /// True while an agent is still telling a conversation, so that its start may take longer.
    pub(in crate::session) fn is_telling(&mut self) -> bool {
        let tells = self.handshake.restoring.is_some() && self.wire.heard.elapsed() < TELLING;
        if tells {
            self.lifecycle.await_handshake(Instant::now() + STARTUP / 4);
        }
        tells
    }
}

/// What of a kept conversation belongs to what a person sees again.
fn is_shown(body: &EventBody) -> bool {
    matches!(
        body,
        EventBody::TurnStarted { .. }
            | EventBody::AgentMessage { .. }
            | EventBody::Steered { .. }
            | EventBody::ToolCall(_)
            | EventBody::OwnTool(_)
            | EventBody::Plan { .. }
            | EventBody::TurnEnded { .. }
    )
}
