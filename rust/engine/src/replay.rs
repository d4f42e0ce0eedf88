//! A recorded traffic as the events that a person saw of it: the client's reading of every message, with no agent, no
//! host and nothing that is carried out.
//!
//! What the recording does not hold is not told: hooks, calls at our server, who decided on a permission.

use std::collections::HashMap;

use serde_json::Value;
use serde_json::value::RawValue;
use siderail_acp::Session;
use siderail_acp::prompt::PromptResult;
use siderail_acp::update::{SessionUpdate, SessionUpdateMessage};
use siderail_guard::normalize::{self, AgentNames};

use crate::event::{EVENT_VERSION, Event, EventBody, PromptOrigin};
use crate::session::{Asides, plan_entries, shown, view_of};
use crate::tools::{SERVER, definitions};

/// Reads a recording, message by message.
pub struct Replay {
    agent: String,
    cwd: String,
    own_tools: Vec<String>,
    session: Option<Session>,
    asides: Asides,
    /// Requests without an answer so far, by who sent them and their id: method and params.
    open: HashMap<(bool, String), (String, Value)>,
    requests: u64,
    seq: u64,
    turn: u32,
}

impl Replay {
    /// Nothing has been read. `agent`: the profile's name, where known.
    pub fn new(agent: &str) -> Self {
        Self {
            agent: agent.to_owned(),
            cwd: String::new(),
            own_tools: definitions::all()
                .into_iter()
                .map(|tool| tool.name)
                .collect(),
            session: None,
            asides: Asides::default(),
            open: HashMap::new(),
            requests: 0,
            seq: 0,
            turn: 0,
        }
    }

    /// Takes a message and gives what a person was told of it. `t`: seconds since the start.
    pub fn message(&mut self, to_agent: bool, t: f64, message: &Value) -> Vec<Event> {
        let bodies = match (message["method"].as_str(), message.get("id")) {
            (Some(method), Some(id)) => {
                let params = message["params"].clone();
                let told = self.asked(to_agent, method, &params);
                let key = (to_agent, id.to_string());
                self.open.insert(key, (method.to_owned(), params));
                told
            }
            (Some("session/update"), None) if !to_agent => self.update(&message["params"]),
            (None, Some(id)) => match self.open.remove(&(!to_agent, id.to_string())) {
                Some((method, params)) => self.answered(&method, &params, message),
                None => Vec::new(),
            },
            _ => Vec::new(),
        };
        let event = |body| {
            self.seq += 1;
            Event {
                v: EVENT_VERSION,
                seq: self.seq,
                t,
                session: 1,
                turn: self.turn,
                body,
            }
        };
        bodies.into_iter().map(event).collect()
    }

    fn asked(&mut self, to_agent: bool, method: &str, params: &Value) -> Vec<EventBody> {
        match (to_agent, method) {
            (true, "session/prompt") => {
                self.turn += 1;
                let blocks = params["prompt"].as_array().into_iter().flatten();
                let texts: Vec<&str> = blocks.filter_map(|block| block["text"].as_str()).collect();
                vec![EventBody::TurnStarted {
                    origin: PromptOrigin::User,
                    text: texts.join("\n"),
                }]
            }
            (true, "session/new" | "session/load" | "session/resume") => {
                self.cwd = params["cwd"].as_str().unwrap_or_default().to_owned();
                if let Some(id) = params["sessionId"].as_str() {
                    self.session = Some(Session::new(id));
                }
                Vec::new()
            }
            (false, "session/request_permission") => {
                self.requests += 1;
                let call = &params["toolCall"];
                if let Some(session) = &mut self.session {
                    let fields = siderail_acp::tool_call::ToolCallFields::read(call);
                    let update = fields.map(SessionUpdate::ToolCallUpdate);
                    update.map(|update| session.apply(update));
                }
                let view = call["toolCallId"].as_str().and_then(|id| self.view(id));
                let view = view.unwrap_or_default();
                vec![EventBody::PermissionRequest {
                    request_id: self.requests,
                    tool_call_id: Some(view.tool_call_id),
                    tool: view.tool,
                    kind: view.kind,
                    text: view.command.unwrap_or(view.title),
                    paths: view.paths,
                    channel: "acp".to_owned(),
                    options: Vec::new(),
                    may_be_remembered: false,
                    diffs: view.diffs,
                    outside: Vec::new(),
                    destroys: None,
                    asks: false,
                }]
            }
            _ => Vec::new(),
        }
    }

    fn answered(&mut self, method: &str, params: &Value, answer: &Value) -> Vec<EventBody> {
        let result = &answer["result"];
        let error = answer["error"]["message"].as_str().map(str::to_owned);
        match method {
            "session/new" | "session/load" | "session/resume" if error.is_none() => {
                let id = result["sessionId"]
                    .as_str()
                    .or(params["sessionId"].as_str());
                let id = id.unwrap_or_default().to_owned();
                if self
                    .session
                    .as_ref()
                    .is_none_or(|session| session.id() != id)
                {
                    self.session = Some(Session::new(&id));
                }
                vec![EventBody::SessionStarted {
                    agent: self.agent.clone(),
                    version: None,
                    agent_session: id,
                    policy: "recorded".to_owned(),
                    mode: result["modes"]["currentModeId"].as_str().map(str::to_owned),
                }]
            }
            "session/prompt" => {
                let raw = serde_json::value::to_raw_value(result).ok();
                let usage = raw.and_then(|raw| PromptResult::read(&raw).usage);
                let usage = usage.map(|usage| self.asides.turn(&usage));
                let ended = EventBody::TurnEnded {
                    stop_reason: result["stopReason"].as_str().unwrap_or("error").to_owned(),
                    continues: false,
                    text: error,
                };
                usage.into_iter().chain([ended]).collect()
            }
            "session/request_permission" => {
                let chosen = result["outcome"]["optionId"].as_str();
                let options = params["options"].as_array().into_iter().flatten();
                let kind = options
                    .filter(|option| option["optionId"].as_str() == chosen)
                    .find_map(|option| option["kind"].as_str());
                let call = params["toolCall"]["toolCallId"]
                    .as_str()
                    .unwrap_or_default();
                let view = self.view(call).unwrap_or_default();
                let tool_call_id = Some(call.to_owned());
                let request_id = self.requests;
                let by = |word: &str| word.to_owned();
                vec![match kind {
                    Some(kind) if kind.starts_with("allow") => EventBody::PermissionApproved {
                        request_id,
                        tool_call_id,
                        tool: view.tool,
                        kind: view.kind,
                        by: by("policy"),
                    },
                    rejected => EventBody::PermissionDenied {
                        request_id,
                        tool_call_id,
                        tool: view.tool,
                        kind: view.kind,
                        by: by(if rejected.is_some() {
                            "policy"
                        } else {
                            "cancel"
                        }),
                        text: String::new(),
                        paths: view.paths,
                    },
                }]
            }
            _ => error
                .filter(|_| method == "initialize")
                .map_or_else(Vec::new, |text| {
                    vec![EventBody::Error {
                        kind: "handshake".to_owned(),
                        text,
                        hint: None,
                    }]
                }),
        }
    }

    fn update(&mut self, params: &Value) -> Vec<EventBody> {
        let raw: Option<Box<RawValue>> = serde_json::value::to_raw_value(params).ok();
        let read = raw.and_then(|raw| SessionUpdateMessage::read(&raw).ok());
        let Some(message) = read else {
            return Vec::new();
        };
        let session = self
            .session
            .get_or_insert_with(|| Session::new(&message.session_id));
        match session.apply(message.update).update {
            SessionUpdate::AgentMessageChunk(chunk) => vec![EventBody::AgentMessage {
                text: shown(&chunk.content),
                message_id: chunk.message_id,
            }],
            SessionUpdate::AgentThoughtChunk(chunk) => vec![EventBody::AgentThought {
                text: shown(&chunk.content),
                message_id: chunk.message_id,
            }],
            SessionUpdate::ToolCall(fields) | SessionUpdate::ToolCallUpdate(fields) => {
                let view = self.view(&fields.id);
                view.map(EventBody::ToolCall).into_iter().collect()
            }
            SessionUpdate::Plan(entries) => vec![EventBody::Plan {
                entries: plan_entries(entries),
            }],
            other => self.asides.update(&other).into_iter().collect(),
        }
    }

    fn view(&self, id: &str) -> Option<crate::event::ToolCallView> {
        let call = self.session.as_ref()?.tool_call(id)?;
        let own_tools: Vec<&str> = self.own_tools.iter().map(String::as_str).collect();
        let names = AgentNames {
            agent: &self.agent,
            server: SERVER,
            own_tools: &own_tools,
            title_is_command: self.agent != "copilot",
        };
        let action = normalize::update(&call.to_value(), &self.cwd, &names);
        Some(view_of(call, &action))
    }
}
