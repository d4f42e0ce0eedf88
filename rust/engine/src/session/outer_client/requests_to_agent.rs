//! Rewrites the client's requests on their way to the agent: what is added to the one that opens the session, and what
//! others set. Plain data; it knows no session.

use serde_json::Value;
use siderail_acp::initialize::AgentCapabilities;
use siderail_acp::requests::{self, SessionSetup};

use crate::acp_client::{PassedRequest, merged};
use crate::profile::McpDelivery;
use crate::servers;
use crate::session::modes::{OptionValue, Setting};

/// `session/fork`: in no stable schema.
const FORK_SESSION: &str = "session/fork";

/// The request that opens the session, as the agent gets it.
pub(in crate::session) struct OpeningRequest {
    pub(in crate::session) params: Value,
    /// The session that is opened again; none for a new one.
    pub(in crate::session) named: Option<String>,
    /// What is reported of servers that the agent does not get.
    pub(in crate::session) told: Vec<String>,
}

impl OpeningRequest {
    /// What the client wants, with what the engine wants for its session.
    pub(in crate::session) fn new(
        request: &PassedRequest,
        setup: &SessionSetup,
        capabilities: &AgentCapabilities,
        mcp: &McpDelivery,
    ) -> Self {
        let named = request.params["sessionId"].as_str();
        let ours = match (request.method.as_str(), named) {
            (requests::NEW_SESSION, _) | (_, None) => setup.new_session(capabilities),
            (requests::RESUME_SESSION, Some(id)) => setup.resume_session(id, capabilities),
            (_, Some(id)) => setup.load_session(id, capabilities),
        };
        let (params, told) = usable(request.params.clone(), &ours, capabilities, mcp);
        let named = named.filter(|_| request.method != FORK_SESSION);
        Self {
            params: opening_params(&params, &ours),
            named: named.map(str::to_owned),
            told,
        }
    }
}

/// Whether a request of this method opens a session.
pub(in crate::session) fn opens(method: &str) -> bool {
    matches!(
        method,
        requests::NEW_SESSION | requests::LOAD_SESSION | requests::RESUME_SESSION | FORK_SESSION
    )
}

/// What a client's request sets, so that the engine knows it once the agent has taken it.
pub(in crate::session) fn setting(method: &str, params: &Value) -> Option<Setting> {
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

/// What the client wants, without the servers that this agent cannot be given, and what is reported of them.
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
    use crate::acp_client::PassedReply;
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

    #[test]
    fn a_session_that_is_opened_again_keeps_its_name_and_a_fork_gets_another() {
        let setup = SessionSetup {
            cwd: "/project".to_owned(),
            ..SessionSetup::default()
        };
        let opening = |method: &str, params: Value| {
            assert!(opens(method), "{method}");
            let request = PassedRequest {
                method: method.to_owned(),
                params,
                reply: PassedReply::new(|_| {}),
            };
            let (capabilities, mcp) = (AgentCapabilities::default(), McpDelivery::default());
            let opening = OpeningRequest::new(&request, &setup, &capabilities, &mcp);
            assert_eq!(opening.params["cwd"], "/project");
            assert!(opening.told.is_empty());
            opening.named
        };
        let old = || json!({"cwd": "/link", "sessionId": "old"});
        for method in [requests::LOAD_SESSION, requests::RESUME_SESSION] {
            assert_eq!(opening(method, old()).as_deref(), Some("old"), "{method}");
        }
        assert_eq!(opening(FORK_SESSION, old()), None);
        assert_eq!(
            opening(requests::NEW_SESSION, json!({"cwd": "/link"})),
            None
        );
        assert!(!opens(requests::PROMPT));
    }

    #[test]
    fn what_a_request_of_the_client_sets_is_read_from_it() {
        let mode = setting(requests::SET_MODE, &json!({"modeId": "plan"}));
        assert_eq!(mode, Some(Setting::Mode("plan".to_owned())));
        let option = |value| {
            let params = json!({"configId": "c", "value": value});
            setting(requests::SET_CONFIG_OPTION, &params)
        };
        let sets = |value| Some(Setting::Option("c".to_owned(), value));
        assert_eq!(option(json!(true)), sets(OptionValue::Switch(true)));
        assert_eq!(
            option(json!("a")),
            sets(OptionValue::Choice("a".to_owned()))
        );
        assert_eq!(option(json!(1)), None);
        assert_eq!(setting(requests::PROMPT, &json!({"modeId": "plan"})), None);
    }
}
