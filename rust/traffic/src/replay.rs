//! Replays recorded traffic as the events that a person saw of it: the client's reading of every message, with no agent
//! and no host, and nothing is carried out.
//!
//! Events that a run of ours reported beside the traffic are noted in its recording (`told`) and reported again; for a
//! recording without such notes they are missing: hooks, calls at our server, who decided on a permission.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde_json::Value;
use serde_json::value::RawValue;
use siderail_acp::Session;
use siderail_acp::process::Exit;
use siderail_acp::prompt::PromptResult;
use siderail_acp::tool_call::{ToolCall, ToolCallFields};
use siderail_acp::update::{SessionUpdate, SessionUpdateMessage};
use siderail_guard::Tool;
use siderail_guard::normalize::{self, AgentNames};
use siderail_guard::policy::Policy;

use crate::acp_words::stop_reason;
use crate::agent_end;
use crate::agent_notices::AgentNotices;
use crate::notes;
use crate::views::{plan_entries, shown, view_of};
use siderail_agents::profile::{GuardFacts, Profiles};
use siderail_event as event;
use siderail_event::{
    ActionWord, AgentMessage, AgentThought, ApprovedBy, DeniedBy, EVENT_VERSION, ErrorKind, Event,
    EventBody, GuidanceChannel, GuidanceFollowed, GuidanceIgnored, PermissionApproved,
    PermissionDenied, PermissionOptionKind, PermissionRequest, Plan, PreRejectionGuidance,
    PromptOrigin, RequestChannel, SessionStarted, StopReason, ToolCallView, TurnEnded, TurnStarted,
};
use siderail_tools::SERVER;

/// JSON-RPC code of an agent that wants a login.
const LOGIN_WANTED: i64 = -32000;

/// Reads a recording, message by message.
pub struct Replay {
    agent: String,
    /// What the guard knows of it.
    facts: GuardFacts,
    cwd: String,
    session: Option<Session>,
    agent_notices: AgentNotices,
    /// Requests without an answer so far, by who sent them and their id: method and params.
    open: HashMap<(bool, String), (String, Value)>,
    requests: u64,
    /// The events that no message says are noted, and not guessed.
    is_told: bool,
    /// Guidance that was neither followed nor ignored so far, by its request: tool, kind, channel.
    guided: BTreeMap<u64, (String, ActionWord, GuidanceChannel)>,
    /// The session was opened, or it was reported why not.
    is_up: bool,
    in_turn: bool,
    seq: u64,
    t: f64,
    turn: u32,
}

impl Replay {
    /// Nothing has been read. `agent`: the profile's name, where known.
    pub fn new(agent: &str) -> Self {
        Self {
            agent: agent.to_owned(),
            facts: facts_of(agent),
            cwd: String::new(),
            session: None,
            agent_notices: AgentNotices::default(),
            open: HashMap::new(),
            requests: 0,
            is_told: false,
            guided: BTreeMap::new(),
            is_up: false,
            in_turn: false,
            seq: 0,
            t: 0.0,
            turn: 0,
        }
    }

    /// The agent, as far as the recording says.
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// Takes a note and returns what a person read beside the traffic. `t`: as for [`Self::message`].
    pub fn note(&mut self, t: f64, note: &Value) -> Vec<Event> {
        if let Some(agent) = note["agent"].as_str().filter(|_| note["event"].is_null()) {
            agent.clone_into(&mut self.agent);
            self.facts = facts_of(agent);
            self.is_told |= note[notes::TOLD] == true;
        }
        let bodies = match serde_json::from_value::<EventBody>(note.clone()) {
            Ok(body) if notes::is_noted(&body) => {
                let turn = note["turn"]
                    .as_u64()
                    .and_then(|turn| u32::try_from(turn).ok());
                self.turn = turn.unwrap_or(self.turn);
                vec![body]
            }
            _ if note.get("exit").is_some() => self.agent_ended(note),
            _ => Vec::new(),
        };
        self.events(t, bodies)
    }

    /// What the end of the recording says: guidance that waited for the model until then was not followed.
    pub fn end(&mut self) -> Vec<Event> {
        let ignored = std::mem::take(&mut self.guided).into_iter();
        let ignored = ignored.map(|(request_id, (tool, kind, channel))| {
            EventBody::GuidanceIgnored(GuidanceIgnored {
                request_id,
                tool,
                kind,
                channel,
            })
        });
        let t = self.t;
        self.events(t, ignored.collect())
    }

    fn keeps(&mut self, body: &EventBody) {
        match body {
            EventBody::PreRejectionGuidance(PreRejectionGuidance {
                request_id,
                tool,
                kind,
                channel,
                instead: Some(_),
                ..
            }) => {
                let guidance = (tool.clone(), kind.clone(), *channel);
                self.guided.insert(*request_id, guidance);
            }
            EventBody::GuidanceFollowed(GuidanceFollowed { request_id, .. })
            | EventBody::GuidanceIgnored(GuidanceIgnored { request_id, .. }) => {
                self.guided.remove(request_id);
            }
            EventBody::SessionStarted(_) | EventBody::Error(_) => self.is_up = true,
            EventBody::TurnStarted(_) => self.in_turn = true,
            EventBody::TurnEnded(_) => self.in_turn = false,
            _ => {}
        }
    }

    /// The agent's process has ended, and the recording with it: what was reported of an end that nobody had asked for.
    fn agent_ended(&mut self, note: &Value) -> Vec<EventBody> {
        self.open.clear();
        if self.is_up && !self.in_turn {
            return Vec::new();
        }
        let number = |name: &str| note[name].as_i64().and_then(|n| i32::try_from(n).ok());
        let exit = Exit {
            code: number("exit"),
            signal: number("signal"),
        };
        let failed = EventBody::Error(event::Error {
            kind: ErrorKind::Closed,
            text: agent_end::left(Some(exit)),
            hint: None,
        });
        let ended = EventBody::TurnEnded(TurnEnded {
            stop_reason: StopReason::Error,
            continues: false,
            text: None,
        });
        let ended = self.in_turn.then_some(ended);
        std::iter::once(failed).chain(ended).collect()
    }

    /// Takes a message and returns what a person read of it. `t`: seconds since the start.
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
        let is_said = |body: &EventBody| !(self.is_told && notes::is_noted(body));
        let bodies = bodies.into_iter().filter(is_said).collect();
        self.events(t, bodies)
    }

    fn events(&mut self, t: f64, bodies: Vec<EventBody>) -> Vec<Event> {
        self.t = t;
        let event = |body| {
            self.keeps(&body);
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
                self.turn += u32::from(!self.is_told);
                let blocks = params["prompt"].as_array().into_iter().flatten();
                let texts: Vec<&str> = blocks.filter_map(|block| block["text"].as_str()).collect();
                vec![EventBody::TurnStarted(TurnStarted {
                    origin: PromptOrigin::User,
                    text: texts.join("\n"),
                })]
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
                let view = self.asked_about(params);
                vec![EventBody::PermissionRequest(PermissionRequest {
                    request_id: self.requests,
                    tool_call_id: Some(view.tool_call_id),
                    tool: view.tool,
                    kind: (&view.kind).into(),
                    text: view.command.unwrap_or(view.title),
                    paths: view.paths,
                    channel: RequestChannel::Acp,
                    options: Vec::new(),
                    may_be_remembered: false,
                    diffs: view.diffs,
                    outside: Vec::new(),
                    destroys: None,
                    asks: false,
                })]
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
                vec![EventBody::SessionStarted(SessionStarted {
                    agent: self.agent.clone(),
                    version: None,
                    agent_session: id,
                    // nothing is decided here
                    policy: Policy::Observe.into(),
                    mode: result["modes"]["currentModeId"].as_str().map(str::to_owned),
                    images: false,
                })]
            }
            "session/prompt" => {
                let raw = serde_json::value::to_raw_value(result).ok();
                let read = raw.map(|raw| PromptResult::read(&raw));
                let usage = read.as_ref().and_then(|result| result.usage);
                let usage = usage.map(|usage| self.agent_notices.turn(&usage));
                let stop_reason = match read.map(|result| stop_reason(&result.stop_reason)) {
                    Some(StopReason::Unknown(word)) if word.is_empty() => StopReason::Error,
                    reason => reason.unwrap_or(StopReason::Error),
                };
                let ended = EventBody::TurnEnded(TurnEnded {
                    stop_reason,
                    continues: false,
                    text: error,
                });
                usage.into_iter().chain([ended]).collect()
            }
            "session/request_permission" => vec![self.decided(params, result)],
            "initialize" | "session/new" | "session/load" | "session/resume" => {
                let text = error.unwrap_or_default();
                let kind = match (method, answer["error"]["code"].as_i64()) {
                    ("initialize", _) => ErrorKind::Handshake,
                    (_, Some(LOGIN_WANTED)) => ErrorKind::Login,
                    _ => ErrorKind::Protocol,
                };
                let failed = EventBody::Error(event::Error {
                    kind,
                    text,
                    hint: None,
                });
                let is_failure = answer.get("error").is_some();
                is_failure.then_some(failed).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    fn decided(&self, params: &Value, result: &Value) -> EventBody {
        let chosen = result["outcome"]["optionId"].as_str();
        let options = params["options"].as_array().into_iter().flatten();
        let kind = options
            .filter(|option| option["optionId"].as_str() == chosen)
            .find_map(|option| option["kind"].as_str())
            .map(PermissionOptionKind::from);
        let view = self.asked_about(params);
        let tool_call_id = Some(view.tool_call_id);
        let request_id = self.requests;
        match kind {
            Some(PermissionOptionKind::AllowOnce | PermissionOptionKind::AllowAlways) => {
                EventBody::PermissionApproved(PermissionApproved {
                    request_id,
                    tool_call_id,
                    tool: view.tool,
                    kind: (&view.kind).into(),
                    by: ApprovedBy::Policy,
                })
            }
            rejected => EventBody::PermissionDenied(PermissionDenied {
                request_id,
                tool_call_id,
                tool: view.tool,
                kind: (&view.kind).into(),
                by: match rejected {
                    Some(_) => DeniedBy::Policy,
                    None => DeniedBy::Cancel,
                },
                text: String::new(),
                paths: view.paths,
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
            SessionUpdate::AgentMessageChunk(chunk) => {
                vec![EventBody::AgentMessage(AgentMessage {
                    text: shown(&chunk.content),
                    message_id: chunk.message_id,
                })]
            }
            SessionUpdate::AgentThoughtChunk(chunk) => {
                vec![EventBody::AgentThought(AgentThought {
                    text: shown(&chunk.content),
                    message_id: chunk.message_id,
                })]
            }
            SessionUpdate::ToolCall(fields) | SessionUpdate::ToolCallUpdate(fields) => {
                let view = self.view(&fields.id);
                view.map(EventBody::ToolCall).into_iter().collect()
            }
            SessionUpdate::Plan(entries) => vec![EventBody::Plan(Plan {
                entries: plan_entries(entries),
            })],
            other => self.agent_notices.update(&other).into_iter().collect(),
        }
    }

    /// The call of a permission request. What the request calls it is of no other message's concern.
    fn asked_about(&self, params: &Value) -> ToolCallView {
        let asked = &params["toolCall"];
        let id = asked["toolCallId"].as_str().unwrap_or_default();
        let known = self
            .session
            .as_ref()
            .and_then(|session| session.tool_call(id));
        let mut call = known.cloned().unwrap_or_else(|| ToolCall::new(id));
        if let Some(fields) = ToolCallFields::read(asked) {
            call.merge(fields);
        }
        self.view_of(&call)
    }

    fn view(&self, id: &str) -> Option<ToolCallView> {
        Some(self.view_of(self.session.as_ref()?.tool_call(id)?))
    }

    fn view_of(&self, call: &ToolCall) -> ToolCallView {
        let names = AgentNames {
            quirks: &self.facts.quirks,
            tool_name_in_meta: &self.facts.tool_name_in_meta,
            server: SERVER,
            own_tools: Tool::ALL,
            title_is_command: !self.facts.title_is_prose,
        };
        let action = normalize::update(&call.to_value(), &self.cwd, &names);
        view_of(call, &action)
    }
}

/// What the guard knows of an agent; of one that has no profile, nothing.
fn facts_of(agent: &str) -> GuardFacts {
    let profile = Profiles::load(&[] as &[&Path]).get(agent, true);
    profile.map(|profile| profile.guard).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::json;

    #[test]
    fn an_agent_that_died_in_its_turn_is_told_as_it_was_then() {
        let mut replay = Replay::new("claude");
        let prompt = json!({"id": 1, "method": "session/prompt", "params": {"prompt": []}});
        replay.message(true, 0.0, &prompt);
        let told = replay.note(1.0, &json!({"exit": null, "signal": 9}));
        let [failed, ended] = &told[..] else {
            panic!("{told:?}");
        };
        let EventBody::Error(failed) = &failed.body else {
            panic!("{failed:?}");
        };
        let exit = Exit {
            code: None,
            signal: Some(9),
        };
        assert_eq!(failed.text, agent_end::left(Some(exit)));
        assert!(failed.text.ends_with("(killed by signal 9)"));
        assert!(matches!(ended.body, EventBody::TurnEnded(_)));
    }
}
