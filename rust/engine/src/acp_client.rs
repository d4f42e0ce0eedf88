//! The ACP client behind a host that is itself an agent (`siderail acp`): what it said about itself, and which messages
//! pass between it and the agent.
//!
//! The engine stays the client of the agent: permissions, files and terminals are its own. Messages that are none of
//! its business pass unchanged. This module holds data only; [`crate::session`] carries it out.

use std::fmt;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use siderail_acp::client_request::methods;
use siderail_acp::connection::is_core_request;
use siderail_acp::wire::{RequestId, RpcError, codes};

/// A client, by what it said when it connected.
#[derive(Clone, Debug)]
pub struct AcpClient {
    initialize: Value,
}

impl AcpClient {
    /// A client by the params of its `initialize`.
    pub fn new(initialize: Value) -> Self {
        Self { initialize }
    }

    /// The client's capabilities.
    pub fn capabilities(&self) -> &Value {
        &self.initialize["clientCapabilities"]
    }

    /// Whether it can show the agent's questions.
    pub fn shows_questions(&self) -> bool {
        self.capabilities()["elicitation"].is_object()
    }

    /// Whether commands can run in terminals of the client's.
    pub fn has_terminals(&self) -> bool {
        self.capabilities()["terminal"] == true
    }

    /// Whether the client answers this request of the agent, and not the engine.
    pub fn answers(&self, method: &str) -> bool {
        match method {
            methods::CREATE_ELICITATION => self.shows_questions(),
            method => !is_core_request(method),
        }
    }

    /// The params of our own `initialize`, with all that the client said and the engine has no part in.
    pub(crate) fn hello(&self, ours: &Value) -> Value {
        let mut params = self.initialize.clone();
        if !params.is_object() {
            return ours.clone();
        }
        params["protocolVersion"] = ours["protocolVersion"].clone();
        if !params["clientInfo"].is_object() {
            params["clientInfo"] = ours["clientInfo"].clone();
        }
        let ours = &ours["clientCapabilities"];
        if !params["clientCapabilities"].is_object() {
            params["clientCapabilities"] = json!({});
        }
        let capabilities = &mut params["clientCapabilities"];
        capabilities["fs"] = merged(&capabilities["fs"], &ours["fs"]);
        capabilities["terminal"] = ours["terminal"].clone();
        if !self.shows_questions()
            && let Some(capabilities) = capabilities.as_object_mut()
        {
            match ours.get("elicitation") {
                Some(questions) => {
                    capabilities.insert("elicitation".to_owned(), questions.clone());
                }
                None => {
                    capabilities.remove("elicitation");
                }
            }
        }
        params
    }
}

/// Two objects as one; where both say something, what `over` says counts. What is not an object gives way.
pub(crate) fn merged(under: &Value, over: &Value) -> Value {
    let (Value::Object(under), Value::Object(over)) = (under, over) else {
        return match over {
            Value::Null => under.clone(),
            over => over.clone(),
        };
    };
    let mut all: Map<String, Value> = under.clone();
    for (name, value) in over {
        let both = match all.get(name) {
            Some(there) => merged(there, value),
            None => value.clone(),
        };
        all.insert(name.clone(), both);
    }
    Value::Object(all)
}

/// A message of the client to the agent.
#[derive(Debug)]
pub enum Passed {
    /// A request. Those that open a session are completed with what the engine adds.
    Request(PassedRequest),
    /// A notification.
    Notification {
        /// The method.
        method: String,
        /// Its params.
        params: Value,
    },
    /// The answer to a request of the agent's.
    Answer {
        /// The request, as the agent named it.
        id: RequestId,
        /// Result or error.
        outcome: Result<Box<RawValue>, RpcError>,
    },
}

/// A client's request.
#[derive(Debug)]
pub struct PassedRequest {
    /// The method.
    pub method: String,
    /// Its params; the session's id is the agent's.
    pub params: Value,
    /// Takes the answer.
    pub reply: PassedReply,
}

/// Result or error of a request.
pub type Outcome = Result<Box<RawValue>, RpcError>;

/// Takes the answer to a client's request, on the engine's own task: in order with what the agent says. It is called
/// once, with an error where the session ends first.
pub struct PassedReply(Option<Box<dyn FnOnce(Outcome) + Send>>);

impl PassedReply {
    /// Answers go to `reply`, which must not wait.
    pub fn new(reply: impl FnOnce(Outcome) + Send + 'static) -> Self {
        Self(Some(Box::new(reply)))
    }

    /// Gives the answer.
    pub(crate) fn answer(mut self, outcome: Outcome) {
        if let Some(reply) = self.0.take() {
            reply(outcome);
        }
    }
}

impl Drop for PassedReply {
    fn drop(&mut self) {
        if let Some(reply) = self.0.take() {
            let text = "the agent's session ended before the answer";
            reply(Err(RpcError::new(codes::INTERNAL_ERROR, text)));
        }
    }
}

impl fmt::Debug for PassedReply {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("PassedReply")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_engine_has_no_part_in_reaches_the_agent_as_the_client_said_it() {
        let client = AcpClient::new(json!({
            "protocolVersion": 1,
            "clientInfo": {"name": "zed", "version": "1"},
            "clientCapabilities": {
                "fs": {"readTextFile": false, "_meta": {"a": 1}},
                "terminal": true,
                "_meta": {"terminal_output": true},
                "unheard": {"of": []}
            },
            "_meta": {"trace": "x"}
        }));
        let ours = json!({
            "protocolVersion": 1,
            "clientInfo": {"name": "siderail"},
            "clientCapabilities": {
                "fs": {"readTextFile": true, "writeTextFile": true},
                "terminal": false,
                "elicitation": {"form": {}}
            }
        });
        let expected = json!({
            "protocolVersion": 1,
            "clientInfo": {"name": "zed", "version": "1"},
            "clientCapabilities": {
                "fs": {"readTextFile": true, "_meta": {"a": 1}, "writeTextFile": true},
                "terminal": false,
                "_meta": {"terminal_output": true},
                "unheard": {"of": []},
                "elicitation": {"form": {}}
            },
            "_meta": {"trace": "x"}
        });
        assert_eq!(client.hello(&ours), expected);
        assert!(!client.answers("elicitation/create") && client.answers("_x/y"));
        assert!(!client.answers("session/request_permission") && !client.answers("terminal/kill"));
    }
}
