//! The two sides that a session speaks with, the agent and in some hosts a client, as they have introduced themselves. Plain
//! data.

use siderail_acp::wire::RequestId;

use crate::session::agent_sessions::SessionsQuestion;
use crate::session::outer_client::Client;

/// What is known of both sides. It belongs to no stage of the session: it comes in during the handshake, and counts
/// until the summary, since an agent that was asked to exit may still report on its calls.
#[derive(Default)]
pub(in crate::session) struct Peers {
    /// What `initialize` said.
    pub(in crate::session) initialized: Option<siderail_acp::initialize::InitializeResult>,
    /// The ACP session's state, once it exists.
    pub(in crate::session) acp: Option<siderail_acp::session::Session>,
    /// The question for the agent's own sessions.
    pub(in crate::session) sessions_question: SessionsQuestion,
    /// The ACP client behind the host, where there is one.
    pub(in crate::session) client: Option<Client>,
}

impl Peers {
    /// Name and version that the agent gave of itself.
    pub(in crate::session) fn agent_version(&self) -> Option<String> {
        let agent = self.initialized.as_ref()?.agent.as_ref()?;
        let name = agent.title.as_deref().unwrap_or(&agent.name);
        Some(format!("{name} {}", agent.version))
    }

    /// The agent's session, if the agent accepts that it is closed.
    pub(in crate::session) fn session_to_close(&self) -> Option<&str> {
        let can = self.initialized.as_ref()?.capabilities.close;
        self.acp.as_ref().filter(|_| can).map(|acp| acp.id())
    }

    /// Whether the client takes requests of this method.
    pub(in crate::session) fn client_answers(&self, method: &str) -> bool {
        let client = self.client.as_ref();
        client.is_some_and(|client| client.said.answers(method))
    }

    pub(in crate::session) fn client_has_terminals(&self) -> bool {
        let client = self.client.as_ref();
        client.is_some_and(|client| client.said.has_terminals())
    }

    /// The client has the agent's request, and is to answer it.
    pub(in crate::session) fn wait_for_client(&mut self, id: RequestId) {
        if let Some(client) = &mut self.client {
            client.asked.insert(id);
        }
    }

    /// Whether the agent waits for an answer of the client.
    pub(in crate::session) fn waits_for_client(&self) -> bool {
        let client = self.client.as_ref();
        client.is_some_and(|client| !client.asked.is_empty())
    }
}
