//! The ACP client behind a host that is an agent itself: when its session is opened, and what passes between the two.
//!
//! It is told the agent's own answers. Nothing here judges an action: permissions, files and terminals are the engine's,
//! as with any other host.

use crate::event::ErrorKind;
use std::time::Instant;

use serde_json::Value;
use siderail_acp::initialize::AgentCapabilities;
use siderail_acp::requests;
use siderail_acp::session::EarlyUpdates;
use siderail_acp::wire::{RequestId, message};

use crate::acp_client::{Outcome, Passed, PassedRequest, merged};
use crate::profile::McpDelivery;
use crate::servers;
use crate::session::modes::{OptionValue, Setting, note_setting};
use crate::session::outer_client::Opened;
use crate::session::{STARTUP, Session, Tag};
use crate::shared::Shared;

/// `session/fork`: in no stable schema.
const FORK_SESSION: &str = "session/fork";

impl Session {
    /// What the client says to the agent.
    pub(crate) fn passed(&mut self, passed: Passed, shared: &mut Shared) {
        if self.is_closing() {
            return;
        }
        match passed {
            Passed::Request(request) if opens(&request.method) => self.open_passed(request, shared),
            Passed::Request(request) => self.pass_request(request, shared),
            Passed::Notification { method, params } => {
                self.send(message::notification(&method, &params), shared);
            }
            Passed::Answer { id, outcome } => {
                self.forget_client_wait(&id);
                let connection = &mut self.wire.connection;
                let line = match outcome {
                    Ok(result) => connection.answer(&id, &result),
                    Err(error) => connection.answer_error(&id, &error),
                };
                self.send_some(line, shared);
            }
        }
    }

    fn open_passed(&mut self, request: PassedRequest, shared: &mut Shared) {
        let is_open = self.lifecycle.handshake.acp.is_some();
        let client = self.lifecycle.handshake.client.as_mut();
        if client.is_some_and(|client| client.wants_session(request, is_open)) {
            self.open_session(shared);
        }
    }

    fn pass_request(&mut self, request: PassedRequest, shared: &mut Shared) {
        let PassedRequest {
            method,
            params,
            reply,
        } = request;
        let is_there = self.wire.agent.is_some();
        if let Some(client) = self
            .lifecycle
            .handshake
            .client
            .as_mut()
            .filter(|_| is_there)
        {
            let number = client.pass(reply, setting(&method, &params));
            self.request(&method, &params, Tag::Passed(number), shared);
        }
    }

    pub(in crate::session) fn passed_answered(
        &mut self,
        number: u64,
        outcome: Outcome,
        shared: &mut Shared,
    ) {
        let client = self.lifecycle.handshake.client.as_mut();
        if let Some((setting, result)) = client.and_then(|c| c.answered(number, outcome)) {
            if let Some(acp) = &mut self.lifecycle.handshake.acp {
                note_setting(acp, &setting, &result);
            }
            self.tell_options(shared);
        }
    }

    /// The agent is ready to open a session; without a wish of the client's for one it waits, as long as it takes.
    pub(in crate::session) fn open_for_client(
        &mut self,
        capabilities: &AgentCapabilities,
        shared: &mut Shared,
    ) {
        let Some(client) = &mut self.lifecycle.handshake.client else {
            return;
        };
        let Some(request) = client.wish_to_open() else {
            return self.lifecycle.suspend_handshake();
        };
        let named = request.params["sessionId"].as_str().map(str::to_owned);
        let setup = self.setup(capabilities, shared);
        let ours = match (request.method.as_str(), &named) {
            (requests::NEW_SESSION, _) | (_, None) => setup.new_session(capabilities),
            (requests::RESUME_SESSION, Some(id)) => setup.resume_session(id, capabilities),
            (_, Some(id)) => setup.load_session(id, capabilities),
        };
        let mcp = &self.facts.profile.mcp;
        let (params, told) = usable(request.params, &ours, capabilities, mcp);
        let params = opening_params(&params, &ours);
        for text in told {
            self.notice(&text, shared);
        }
        if let Some(client) = &mut self.lifecycle.handshake.client {
            let named = named.filter(|_| request.method != FORK_SESSION);
            client.opening = Some((named, request.reply));
        }
        self.lifecycle.await_handshake(Instant::now() + STARTUP);
        self.request(&request.method, &params, Tag::OpenPassed, shared);
    }

    /// The agent has opened the client's session, or has not: then the client may ask again.
    pub(in crate::session) fn opened_for_client(&mut self, outcome: Outcome, shared: &mut Shared) {
        let client = self.lifecycle.handshake.client.as_mut();
        match client.and_then(|client| client.opened(outcome)) {
            Some(Opened::Session(opened)) => self.opened(&opened, shared),
            Some(Opened::Unclear(error)) => self.fail(ErrorKind::Protocol, error, None, shared),
            Some(Opened::Refused) => {
                self.lifecycle.suspend_handshake();
                self.lifecycle.handshake.early = EarlyUpdates::default();
            }
            None => {}
        }
    }

    /// A request of the agent, which was judged where that is needed, is for the client.
    pub(in crate::session) fn ask_client(
        &mut self,
        id: RequestId,
        method: &str,
        params: &Value,
        shared: &mut Shared,
    ) {
        shared
            .host
            .ask_client(self.carried.number, &id, method, params);
        self.lifecycle.handshake.wait_for_client(id);
    }

    pub(in crate::session) fn forget_client_wait(&mut self, id: &RequestId) {
        if let Some(client) = &mut self.lifecycle.handshake.client {
            client.asked.remove(id);
            // The agent was not silent: it waited.
            self.wire.heard = Instant::now();
        }
    }

    /// The agent waits no more for what the client was asked, and what it runs there is to end.
    pub(in crate::session) fn close_client_requests(&mut self, shared: &Shared) {
        if let Some(client) = &mut self.lifecycle.handshake.client {
            client.asked.clear();
            shared.host.close_client_requests(self.carried.number);
        }
    }

    pub(in crate::session) fn tell_client_initialized(&self, shared: &Shared) {
        if let (Some(_), Some(result)) = (
            &self.lifecycle.handshake.client,
            &self.lifecycle.handshake.initialized,
        ) {
            let outcome = Ok(result.raw.clone());
            let host = &shared.host;
            host.agent_answered(self.carried.number, requests::INITIALIZE, &outcome);
        }
    }

    pub(in crate::session) fn tell_client_prompt_answered(
        &self,
        outcome: &Outcome,
        shared: &Shared,
    ) {
        if self.lifecycle.handshake.client.is_some() && self.lifecycle.is_ready() {
            let host = &shared.host;
            host.agent_answered(self.carried.number, requests::PROMPT, outcome);
        }
    }
}

fn opens(method: &str) -> bool {
    matches!(
        method,
        requests::NEW_SESSION | requests::LOAD_SESSION | requests::RESUME_SESSION | FORK_SESSION
    )
}

/// What a client's request sets, so that the engine knows it once the agent has taken it.
fn setting(method: &str, params: &Value) -> Option<Setting> {
    let text = |name: &str| params[name].as_str().map(str::to_owned);
    match method {
        requests::SET_MODE => text("modeId").map(Setting::Mode),
        requests::SET_MODEL => text("modelId").map(Setting::Model),
        requests::SET_CONFIG_OPTION => {
            let value = match &params["value"] {
                Value::Bool(on) => OptionValue::Switch(*on),
                value => OptionValue::Choice(value.as_str()?.to_owned()),
            };
            Some(Setting::Option(text("configId")?, value))
        }
        _ => None,
    }
}

/// What the client wants, without the servers that this agent cannot be given, and what is told of them.
fn usable(
    mut params: Value,
    ours: &Value,
    capabilities: &AgentCapabilities,
    mcp: &McpDelivery,
) -> (Value, Vec<String>) {
    let Some(servers) = params["mcpServers"].as_array() else {
        return (params, Vec::new());
    };
    let taken = ours["mcpServers"].as_array().into_iter().flatten();
    let taken: Vec<&str> = taken.filter_map(|server| server["name"].as_str()).collect();
    let (kept, told) = servers::of_client(servers, &taken, capabilities, mcp);
    params["mcpServers"] = Value::Array(kept);
    (params, told)
}

/// The client's request with what the engine adds: its servers beside the client's, its instructions behind the client's,
/// and its own folder.
fn opening_params(client: &Value, ours: &Value) -> Value {
    let mut params = merged(client, ours);
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut servers = list(&ours["mcpServers"]);
    servers.extend(list(&client["mcpServers"]));
    params["mcpServers"] = Value::Array(servers);
    if client["additionalDirectories"].is_array() {
        params["additionalDirectories"] = client["additionalDirectories"].clone();
    }
    if client["systemPrompt"]["content"].is_array() {
        let mut prompt = client["systemPrompt"].clone();
        let mut content = list(&client["systemPrompt"]["content"]);
        content.extend(list(&ours["systemPrompt"]["content"]));
        prompt["content"] = Value::Array(content);
        params["systemPrompt"] = prompt;
    }
    params
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::SERVER;
    use serde_json::json;

    #[test]
    fn the_clients_servers_and_members_go_to_the_agent_beside_ours() {
        let client = json!({
            "cwd": "/link",
            "mcpServers": [{"name": "theirs", "command": "/t"}],
            "systemPrompt": {"mode": "append", "content": [{"type": "text", "text": "be kind"}]},
            "_meta": {"theirs": 1},
            "unheard": ["of"]
        });
        let ours = json!({
            "cwd": "/project",
            "mcpServers": [{"name": SERVER, "command": "/ours"}],
            "systemPrompt": {"mode": "append", "content": [{"type": "text", "text": "use our tools"}]},
            "_meta": {"ours": 2}
        });
        let expected = json!({
            "cwd": "/project",
            "mcpServers": [{"name": SERVER, "command": "/ours"}, {"name": "theirs", "command": "/t"}],
            "systemPrompt": {"mode": "append", "content": [
                {"type": "text", "text": "be kind"},
                {"type": "text", "text": "use our tools"}
            ]},
            "_meta": {"theirs": 1, "ours": 2},
            "unheard": ["of"]
        });
        assert_eq!(opening_params(&client, &ours), expected);
    }
}
