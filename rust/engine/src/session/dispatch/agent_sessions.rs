//! Passes requests for the agent's own sessions, and the agent's answers, to [`crate::session::agent_sessions`].

use serde_json::value::RawValue;
use siderail_acp::wire::RpcError;

use crate::session::{Session, SessionsReply, SessionsWish};
use crate::shared::Shared;

impl Session {
    /// Somebody asks for the agent's own sessions.
    pub(crate) fn agent_sessions(
        &mut self,
        wish: SessionsWish,
        reply: SessionsReply,
        shared: &mut Shared,
    ) {
        let (is_ready, cwd) = (self.lifecycle.is_ready(), self.root_text());
        let peers = &mut self.lifecycle.peers;
        let initialized = peers.initialized.as_ref().filter(|_| is_ready);
        let can = initialized.map(|initialized| &initialized.capabilities);
        let asks = peers.sessions_question.ask(wish, reply, can, &cwd);
        self.apply(asks, shared);
    }

    /// A page, or an error.
    pub(super) fn sessions_listed(
        &mut self,
        outcome: &Result<Box<RawValue>, RpcError>,
        shared: &mut Shared,
    ) {
        let cwd = self.root_text();
        let peers = &mut self.lifecycle.peers;
        let open_here = peers.acp.as_ref().map(|acp| acp.id());
        let asks = peers.sessions_question.listed(outcome, open_here, &cwd);
        self.apply(asks, shared);
    }
}
