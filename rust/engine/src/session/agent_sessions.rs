//! Sessions that the agent itself remembers (`session/list`, `session/delete`): plain data, told to whoever asked.
//! [`requests`] asks for them. Knows nothing of our own history.

mod requests;

use siderail_acp::wire::{RpcError, codes};
use tokio::sync::oneshot;

/// A session that the agent remembers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentSession {
    /// The agent's id of it.
    pub id: String,
    /// The folder that it was about.
    pub cwd: String,
    /// The agent's title.
    pub title: Option<String>,
    /// When it last changed, as the agent writes it.
    pub updated_at: Option<String>,
}

/// What is wanted of the agent's own sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionsWish {
    /// Those about the project.
    List,
    /// One of them is to be forgotten, by its id.
    Delete(String),
}

/// The sessions that an agent has named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentSessions {
    /// In the agent's order.
    pub found: Vec<AgentSession>,
    /// The agent has more of them than it was asked for.
    pub has_more: bool,
}

/// Why an agent names or forgets no session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionsRefused {
    /// For people.
    pub text: String,
    /// The agent wants a login first.
    pub wants_login: bool,
}

impl From<&str> for SessionsRefused {
    fn from(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            wants_login: false,
        }
    }
}

impl From<&RpcError> for SessionsRefused {
    fn from(error: &RpcError) -> Self {
        Self {
            text: error.to_string(),
            wants_login: error.code == codes::AUTH_REQUIRED,
        }
    }
}

/// What came of it.
pub(crate) type SessionsReply = oneshot::Sender<Result<AgentSessions, SessionsRefused>>;

/// A question on its way.
pub(crate) struct Asking {
    pub(in crate::session) told: AgentSessions,
    pub(in crate::session) pages: usize,
    pub(in crate::session) reply: SessionsReply,
}
