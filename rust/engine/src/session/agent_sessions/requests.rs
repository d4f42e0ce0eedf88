//! Asking an agent for its own sessions, page by page.

use serde_json::{Value, json, value::RawValue};
use siderail_acp::requests;
use siderail_acp::wire::RpcError;

use super::{Asking, SessionsRefused, SessionsReply, SessionsWish, refusal};
use crate::session::{Session, Tag};
use crate::shared::Shared;

impl Session {
    /// Somebody asks for the agent's own sessions.
    pub(crate) fn agent_sessions(
        &mut self,
        wish: SessionsWish,
        reply: SessionsReply,
        shared: &mut Shared,
    ) {
        let is_ready = self.lifecycle.is_ready();
        let initialized = self.handshake.initialized.as_ref().filter(|_| is_ready);
        let can = initialized.map(|initialized| &initialized.capabilities);
        if let Some(why) = refusal(&wish, can, self.handshake.asking.is_some()) {
            return Asking::new(reply).end(Err(why.into()));
        }
        self.handshake.asking = Some(Asking::new(reply));
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
        let page: Value = match outcome {
            Ok(page) => serde_json::from_str(page.get()).unwrap_or_default(),
            Err(error) => return self.sessions_told(Err(error.into())),
        };
        let open_here = self.handshake.acp.as_ref().map(|acp| acp.id());
        let asking = self.handshake.asking.as_mut();
        match asking.and_then(|asking| asking.page(&page, open_here)) {
            Some(cursor) => self.next_page(Some(&cursor), shared),
            None => self.sessions_told(Ok(())),
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
            asking.end(outcome);
        }
    }
}
