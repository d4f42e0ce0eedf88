//! Sessions that the agent itself remembers (`session/list`, `session/delete`): asked for page by page, and told to
//! whoever asked. Knows nothing of our own history.

use serde_json::{Value, json, value::RawValue};
use siderail_acp::requests;
use siderail_acp::wire::{RpcError, codes};
use tokio::sync::oneshot;

use crate::session::{Phase, Session, Tag};
use crate::shared::Shared;

/// Pages that are asked for; an agent whose pages never end is not believed for ever.
const MOST_PAGES: usize = 100;

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
    told: AgentSessions,
    pages: usize,
    reply: SessionsReply,
}

impl Session {
    /// Somebody asks for the agent's own sessions.
    pub(crate) fn agent_sessions(
        &mut self,
        wish: SessionsWish,
        reply: SessionsReply,
        shared: &mut Shared,
    ) {
        let can = self.initialized.as_ref().map(|i| i.capabilities.clone());
        let can = can.unwrap_or_default();
        let refused = match (&wish, self.phase, &self.asking) {
            (_, Phase::Ready, None) => match &wish {
                SessionsWish::List if !can.list => Some("the agent lists no sessions"),
                SessionsWish::Delete(_) if !can.delete => Some("the agent deletes no sessions"),
                _ => None,
            },
            (_, Phase::Ready, Some(_)) => Some("another such question is open"),
            _ => Some("the agent is not ready"),
        };
        if let Some(why) = refused {
            // Whoever asked may have given up.
            let _ = reply.send(Err(why.into()));
            return;
        }
        self.asking = Some(Asking {
            told: AgentSessions::default(),
            pages: 0,
            reply,
        });
        match wish {
            SessionsWish::List => self.next_page(None, shared),
            SessionsWish::Delete(id) => {
                let params = requests::session(&id);
                self.request(requests::DELETE_SESSION, &params, Tag::Delete, shared);
            }
        }
    }

    fn next_page(&mut self, cursor: Option<&str>, shared: &mut Shared) {
        let mut params = json!({"cwd": self.root_text()});
        if let Some(cursor) = cursor {
            params["cursor"] = cursor.into();
        }
        self.request(requests::LIST_SESSIONS, &params, Tag::List, shared);
    }

    /// A page, or an error.
    pub(in crate::session) fn sessions_listed(
        &mut self,
        outcome: &Result<Box<RawValue>, RpcError>,
        shared: &mut Shared,
    ) {
        let own = self.acp.as_ref().map(|acp| acp.id().to_owned());
        let Some(asking) = &mut self.asking else {
            return;
        };
        let page: Value = match outcome {
            Ok(page) => serde_json::from_str(page.get()).unwrap_or_default(),
            Err(error) => return self.sessions_told(Err(error.into())),
        };
        let text = |of: &Value, name: &str| of[name].as_str().map(str::to_owned);
        let session = |of: &Value| {
            Some(AgentSession {
                id: text(of, "sessionId")?,
                cwd: text(of, "cwd").unwrap_or_default(),
                title: text(of, "title"),
                updated_at: text(of, "updatedAt"),
            })
        };
        let listed = page["sessions"].as_array().into_iter().flatten();
        let others = listed
            .filter_map(session)
            .filter(|one| Some(&one.id) != own.as_ref());
        asking.told.found.extend(others);
        asking.pages += 1;
        match page["nextCursor"].as_str() {
            Some(cursor) if asking.pages < MOST_PAGES => self.next_page(Some(cursor), shared),
            cursor => {
                asking.told.has_more = cursor.is_some();
                self.sessions_told(Ok(()));
            }
        }
    }

    /// The agent has forgotten a session, or not.
    pub(in crate::session) fn session_deleted(
        &mut self,
        outcome: &Result<Box<RawValue>, RpcError>,
    ) {
        self.sessions_told(outcome.as_ref().map(drop).map_err(Into::into));
    }

    fn sessions_told(&mut self, outcome: Result<(), SessionsRefused>) {
        if let Some(asking) = self.asking.take() {
            // Whoever asked may have given up.
            let _ = asking.reply.send(outcome.map(|()| asking.told));
        }
    }
}
