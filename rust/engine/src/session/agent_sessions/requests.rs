//! Asking an agent for its own sessions, page by page.

use serde_json::{Value, json, value::RawValue};
use siderail_acp::requests;
use siderail_acp::wire::RpcError;

use crate::session::agent_sessions::{
    AgentSession, AgentSessions, Asking, SessionsRefused, SessionsReply, SessionsWish,
};
use crate::session::{Session, Tag};
use crate::shared::Shared;

/// Pages that are asked for; an agent whose pages never end is not believed for ever.
const MOST_PAGES: usize = 100;

impl Session {
    /// Somebody asks for the agent's own sessions.
    pub(crate) fn agent_sessions(
        &mut self,
        wish: SessionsWish,
        reply: SessionsReply,
        shared: &mut Shared,
    ) {
        let can = self
            .handshake
            .initialized
            .as_ref()
            .map(|i| i.capabilities.clone());
        let can = can.unwrap_or_default();
        let refused = match (&wish, self.lifecycle.is_ready(), &self.handshake.asking) {
            (_, true, None) => match &wish {
                SessionsWish::List if !can.list => Some("the agent cannot list sessions"),
                SessionsWish::Delete(_) if !can.delete => Some("the agent cannot delete sessions"),
                _ => None,
            },
            (_, true, Some(_)) => Some("another such request is still open"),
            (_, false, _) => Some("the agent is not ready"),
        };
        if let Some(why) = refused {
            // Whoever asked may have given up.
            let _ = reply.send(Err(why.into()));
            return;
        }
        self.handshake.asking = Some(Asking {
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
        let own = self.handshake.acp.as_ref().map(|acp| acp.id().to_owned());
        let Some(asking) = &mut self.handshake.asking else {
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
        if let Some(asking) = self.handshake.asking.take() {
            // Whoever asked may have given up.
            let _ = asking.reply.send(outcome.map(|()| asking.told));
        }
    }
}
