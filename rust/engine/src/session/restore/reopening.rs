//! What resuming asks of the agent: its session is opened again, and what the agent replays of it is taken. Plain data,
//! as its parent.

use std::time::Duration;

use serde_json::{Value, value::RawValue};
use siderail_acp::initialize::{AgentCapabilities, NewSessionResult};
use siderail_acp::requests::{self, SessionSetup};
use siderail_acp::update::SessionUpdate;
use siderail_acp::wire::{RpcError, codes};

use super::{Reopening, Restore};
use crate::event::{self, EventBody};
use crate::session::carried::Carried;
use crate::session::effect::Effect;
use crate::views::{plan_entries, shown};

/// An agent that replays a long conversation may take as long as it keeps sending.
const TELLING: Duration = Duration::from_secs(30);

/// Which conversation is to be resumed.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::session) enum Earlier {
    /// The agent's own, by its id: nothing else keeps it.
    OfAgent(String),
    /// A kept one, by whatever a person calls it.
    Kept(String),
}

/// What an agent's answer to a wish to open its session again leads to.
pub(in crate::session) enum Reopened {
    Session(NewSessionResult),
    /// It is opened anew after the login.
    LoginNeeded(RpcError),
    /// A new session follows, and this is reported.
    Anew(Effect),
}

/// An update about what happened long ago.
#[derive(Debug)]
pub(in crate::session) enum Retold {
    /// A piece of a message: of a prompt, or of an answer.
    Message {
        is_prompt: bool,
        text: String,
    },
    /// A call, by its id.
    Call(String),
    Plan(EventBody),
    Options,
    Commands,
    /// What was noted then is not news.
    Nothing,
    /// The present state is news.
    Aside(SessionUpdate),
}

impl Reopening {
    /// The request that opens the session; none if a new one is opened.
    pub(in crate::session) fn request(
        &self,
        setup: impl FnOnce() -> Option<SessionSetup>,
        can: &AgentCapabilities,
    ) -> Option<(&'static str, Value)> {
        match self {
            Self::Anew => None,
            Self::Resume(id) => Some((requests::RESUME_SESSION, setup()?.resume_session(id, can))),
            Self::Load(id) => Some((requests::LOAD_SESSION, setup()?.load_session(id, can))),
        }
    }
}

impl Retold {
    pub(in crate::session) fn of(update: SessionUpdate) -> Self {
        match update {
            SessionUpdate::UserMessageChunk(chunk) => Self::Message {
                is_prompt: true,
                text: shown(&chunk.content),
            },
            SessionUpdate::AgentMessageChunk(chunk) => Self::Message {
                is_prompt: false,
                text: shown(&chunk.content),
            },
            SessionUpdate::ToolCall(fields) | SessionUpdate::ToolCallUpdate(fields) => {
                Self::Call(fields.id)
            }
            SessionUpdate::Plan(entries) => {
                let entries = plan_entries(entries);
                Self::Plan(EventBody::Plan(event::Plan { entries }))
            }
            SessionUpdate::CurrentMode { .. } | SessionUpdate::ConfigOptions(_) => Self::Options,
            SessionUpdate::AvailableCommands(_) => Self::Commands,
            SessionUpdate::Notice(_) | SessionUpdate::Compaction(_) => Self::Nothing,
            other => Self::Aside(other),
        }
    }
}

impl Restore {
    /// What a session that is being opened resumes; nothing if it does so already.
    pub(in crate::session) fn wanted(&self, carried: &Carried) -> Option<Earlier> {
        if self.is_under_way() {
            return None;
        }
        let of_agent = carried.earlier.clone().map(Earlier::OfAgent);
        of_agent.or_else(|| carried.options.resume.clone().map(Earlier::Kept))
    }

    /// The agent's answer to the wish to open its session again; none if nobody wants that any more.
    pub(in crate::session) fn answered(
        &mut self,
        outcome: Result<Box<RawValue>, RpcError>,
    ) -> Option<Reopened> {
        let id = self.agent_session()?;
        Some(match outcome {
            Ok(result) => Reopened::Session(NewSessionResult::read_with_id(id, &result)),
            Err(error) if error.code == codes::AUTH_REQUIRED => {
                *self = Self::default();
                Reopened::LoginNeeded(error)
            }
            Err(error) => {
                let why = format!("the agent could not resume its session: {error}");
                Reopened::Anew(self.unknown(&why))
            }
        })
    }

    /// Whether the agent is still replaying a conversation, so that its start may take longer. `silent_for`: since it
    /// last said anything.
    pub(in crate::session) fn is_telling(&self, silent_for: Duration) -> bool {
        self.is_under_way() && silent_for < TELLING
    }
}
