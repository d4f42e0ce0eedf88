//! What the handshake with an agent brings, and what is still to be done before prompts. Plain data.

use serde_json::Value;
use siderail_acp::requests::McpServer;
use siderail_acp::session::EarlyUpdates;
use siderail_acp::wire::RequestId;

use crate::launch::Launch;
use crate::profile::Profile;
use crate::servers::UserServers;
use crate::session::agent_sessions::SessionsQuestion;
use crate::session::outer_client::Client;

/// What the handshake has brought, and what is still to be done before prompts.
pub(in crate::session) struct Handshake {
    /// The ACP session's state, once it exists.
    pub(in crate::session) acp: Option<siderail_acp::session::Session>,
    /// Updates that came before the answer to `session/new`.
    pub(in crate::session) early: EarlyUpdates,
    /// The ACP client behind the host, where there is one.
    pub(in crate::session) client: Option<Client>,
    /// What `initialize` said.
    pub(in crate::session) initialized: Option<siderail_acp::initialize::InitializeResult>,
    /// What the handshake says beside the project's folder.
    pub(in crate::session) opening: Opening,
    /// The question for the agent's own sessions.
    pub(in crate::session) sessions_question: SessionsQuestion,
}

impl Handshake {
    /// Nothing has been said yet.
    pub(in crate::session) fn new(opening: Opening, client: Option<Client>) -> Self {
        Self {
            acp: None,
            early: EarlyUpdates::default(),
            client,
            initialized: None,
            opening,
            sessions_question: SessionsQuestion::default(),
        }
    }

    /// Name and version that the agent gave of itself.
    pub(in crate::session) fn agent_version(&self) -> Option<String> {
        let agent = self.initialized.as_ref()?.agent.as_ref()?;
        let name = agent.title.as_deref().unwrap_or(&agent.name);
        Some(format!("{name} {}", agent.version))
    }

    /// The agent's session, where it can be told that it is closed.
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

/// What the handshake says beside the project's folder.
pub(crate) struct Opening {
    pub(in crate::session) mcp_servers: Vec<McpServer>,
    pub(in crate::session) meta: Value,
    /// Servers of the user's own.
    pub(in crate::session) servers: UserServers,
    /// The login method to use by itself, where what it needs is there.
    pub(in crate::session) auth_method: Option<String>,
}

impl Opening {
    pub(in crate::session) fn new(profile: &Profile, launch: &Launch) -> Self {
        let needed = profile.auth_env.as_ref();
        let can_log_in = needed.is_none_or(|name| launch.env.contains_key(name));
        Self {
            mcp_servers: launch.mcp_servers.clone(),
            meta: launch.session_meta.clone(),
            servers: UserServers::default(),
            auth_method: profile.auth_method.clone().filter(|_| can_log_in),
        }
    }
}
