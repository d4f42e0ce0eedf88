//! The agent's own sessions: who asks for them, and the agent's answers, are brought to [`crate::session::agent_sessions`].

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
        let handshake = &mut self.lifecycle.handshake;
        let initialized = handshake.initialized.as_ref().filter(|_| is_ready);
        let can = initialized.map(|initialized| &initialized.capabilities);
        let asks = handshake.sessions_question.ask(wish, reply, can, &cwd);
        self.apply(asks, shared);
    }

    /// A page, or an error.
    pub(super) fn sessions_listed(
        &mut self,
        outcome: &Result<Box<RawValue>, RpcError>,
        shared: &mut Shared,
    ) {
        let cwd = self.root_text();
        let handshake = &mut self.lifecycle.handshake;
        let open_here = handshake.acp.as_ref().map(|acp| acp.id());
        let asks = handshake.sessions_question.listed(outcome, open_here, &cwd);
        self.apply(asks, shared);
    }
}
