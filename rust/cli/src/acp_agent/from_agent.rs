//! Passes the agent's messages, and what the engine reports of it, to the client.
//!
//! A line that is none of the guard's business is passed on byte for byte. What the engine answered in the client's
//! place is shown in the protocol's own terms: a denied call is a failed one whose content is what the model got.

use serde_json::{Value, json};
use siderail_engine::acp::client_request::methods;
use siderail_engine::acp::requests;
use siderail_engine::acp::wire::{Message, RequestId, RpcError, codes, message, parse};
use siderail_engine::acp_client::Outcome;
use siderail_engine::event::{
    self, ActionWord, DeniedBy, Escalation, Event, EventBody, InactivityTimeout,
    PermissionApproved, PermissionDenied, PlanApproved, PlanProposed, PlanRejected, PlanRejectedBy,
    PreRejectionGuidance, SessionStarted, StopReason, TurnEnded, Unguarded,
};

use super::agent_side::Face;
use super::capabilities;
use super::open_requests::Asked;
use super::process::Process;

impl Face {
    /// A line of the agent, ahead of what the engine makes of it.
    pub(super) fn agent_says(&mut self, session: u64, line: &[u8]) {
        let Ok(message) = parse(line) else { return };
        match message {
            Message::Notification { method, params } => {
                let params = params.as_deref().map(|raw| raw.get());
                self.agent_notifies(session, &method, params, line);
            }
            Message::Request { id, method, params } => {
                if method == methods::REQUEST_PERMISSION {
                    if let Some(process) = self.processes.get_mut(&session) {
                        process.asks = params;
                    }
                } else if self.client_takes(&method) {
                    let params = params.as_deref().map(|raw| raw.get());
                    let mut params = read(params);
                    self.to_client(session, &mut params);
                    let opens = None;
                    let asked = Asked::Agent { session, id, opens };
                    self.ask(&method, &params, asked);
                }
            }
            // Answers come as such, once the engine knows what they are for.
            Message::Response { .. } => {}
        }
    }

    /// Pieces of messages, which are passed on as they are unless the session has another name at the client.
    pub(super) fn agent_chunks(&mut self, session: u64, lines: Vec<u8>) {
        match self.processes.get(&session) {
            Some(process) if process.renames() => {
                let lines = lines.split(|byte| *byte == b'\n');
                for line in lines.filter(|line| !line.is_empty()) {
                    self.agent_says(session, line);
                }
            }
            Some(_) => self.line(lines),
            None => {}
        }
    }

    fn agent_notifies(&mut self, session: u64, method: &str, params: Option<&str>, line: &[u8]) {
        if method == methods::CANCEL_REQUEST {
            return self.agent_withdraws(session, params);
        }
        let Some(process) = self.processes.get_mut(&session) else {
            return;
        };
        let renames = process.renames();
        let text = params.unwrap_or_default();
        let is_call = method == methods::UPDATE && text.contains("\"tool_call");
        let is_mode = method == methods::UPDATE && text.contains("\"current_mode_update\"");
        if !renames && !is_call && !is_mode {
            return self.line(with_newline(line));
        }
        let mut params = read(params);
        let mut changed = false;
        if is_call {
            changed = process.calls.pass(&mut params["update"]);
        }
        if is_mode && let Some(mode) = params["update"]["currentModeId"].as_str() {
            process.mode = Some(mode.to_owned());
        }
        if !renames && !changed {
            return self.line(with_newline(line));
        }
        self.to_client(session, &mut params);
        self.line(message::notification(method, &params));
    }

    /// The agent takes a request back that the client has.
    fn agent_withdraws(&mut self, session: u64, params: Option<&str>) {
        let params = read(params);
        let raw = serde_json::value::to_raw_value(&params["requestId"]).ok();
        let Some(withdrawn) = raw.and_then(|raw| RequestId::from_raw(&raw)) else {
            return;
        };
        self.close_question(|asked| {
            matches!(asked, Asked::Agent { session: of, id, .. } if *of == session && *id == withdrawn)
        });
    }

    /// The agent answered `initialize` or a prompt.
    pub(super) fn agent_answers(&mut self, session: u64, method: &str, outcome: &Outcome) {
        match method {
            requests::INITIALIZE => {
                if let (Some((id, of)), Ok(result)) = (self.hello.clone(), outcome)
                    && of == session
                {
                    self.hello = None;
                    self.answer(&id, &capabilities::for_client(result));
                }
            }
            _ => {
                if let Some(process) = self.processes.get_mut(&session) {
                    process.answered = Some(outcome.clone());
                }
            }
        }
    }

    /// An event of the engine.
    pub(super) fn told(&mut self, event: Event) {
        let session = event.session;
        match event.body {
            EventBody::SessionStarted(SessionStarted { mode, .. }) => {
                self.ready(session, mode.as_deref())
            }
            EventBody::ToolCall(call) if self.has_terminals() => self.own_command(session, &call),
            EventBody::PermissionRequest(request) => self.permission(session, request),
            EventBody::PlanProposed(PlanProposed {
                request_id,
                text,
                channel,
                asks: true,
                ..
            }) => self.plan(session, request_id, &text, channel),
            EventBody::PermissionApproved(PermissionApproved { request_id, .. })
            | EventBody::PlanApproved(PlanApproved { request_id, .. }) => {
                self.question_over(request_id)
            }
            EventBody::PlanRejected(PlanRejected {
                request_id,
                by,
                continues,
                ..
            }) => {
                self.question_over(request_id);
                self.plan_rejected(session, by, continues);
            }
            EventBody::TurnStarted(_) => {
                if let Some(process) = self.processes.get_mut(&session) {
                    process.is_at_work = true;
                }
            }
            EventBody::PreRejectionGuidance(PreRejectionGuidance {
                request_id, text, ..
            }) => {
                if let Some(process) = self.processes.get_mut(&session) {
                    process.told = Some((request_id, text));
                }
            }
            EventBody::PermissionDenied(PermissionDenied {
                request_id,
                tool_call_id,
                tool,
                kind,
                by,
                text,
                paths,
            }) => {
                self.question_over(request_id);
                let call = DeniedCall {
                    request_id,
                    id: tool_call_id,
                    tool,
                    kind,
                    paths,
                };
                self.denied(session, call, by, text);
            }
            EventBody::Unguarded(Unguarded { text }) => {
                self.notice(session, "warning", "Unguarded", &text)
            }
            EventBody::Escalation(Escalation { tool, denials, .. }) => {
                let text = format!("`{tool}` was denied {denials} times.");
                self.notice(session, "warning", "Denied again and again", &text);
            }
            EventBody::InactivityTimeout(InactivityTimeout { text, .. }) => {
                self.notice(session, "error", "The agent is silent", &text);
            }
            EventBody::TurnEnded(TurnEnded {
                stop_reason,
                continues,
                text,
            }) => self.turn_ended(session, stop_reason, continues, text),
            EventBody::Error(event::Error { text, hint, .. }) => {
                if let Some(process) = self.processes.get_mut(&session) {
                    let hint = hint.map_or_else(String::new, |hint| format!("; {hint}"));
                    process.error = Some(format!("{text}{hint}"));
                }
            }
            EventBody::Summary(_) => self.process_ended(session),
            _ => {}
        }
    }

    /// Prompts may be sent. The client hears of the mode that was set meanwhile.
    fn ready(&mut self, session: u64, mode: Option<&str>) {
        let Some(process) = self.processes.get_mut(&session) else {
            return;
        };
        process.is_ready = true;
        let early = std::mem::take(&mut process.early);
        let is_news = process.mode.is_some() && process.mode.as_deref() != mode;
        if let Some(mode) = mode.filter(|_| is_news) {
            process.mode = Some(mode.to_owned());
            let update = json!({"sessionUpdate": "current_mode_update", "currentModeId": mode});
            self.update(session, &update);
        }
        for prompt in early {
            self.send_prompt(session, prompt);
        }
    }

    /// A turn is over; the client's prompt is, too, unless the engine sends the agent on.
    fn turn_ended(
        &mut self,
        session: u64,
        reason: StopReason,
        continues: bool,
        text: Option<String>,
    ) {
        let Some(process) = self.processes.get_mut(&session) else {
            return;
        };
        process.is_at_work = false;
        // What an answer to a plan sends the agent on with has an answer of its own.
        if continues {
            return;
        }
        self.answer_prompt(session, reason, text);
    }

    /// A plan that came at the end of a turn was all of that prompt, unless the agent makes another one.
    fn plan_rejected(&mut self, session: u64, by: PlanRejectedBy, continues: bool) {
        let is_at_work = |process: &Process| process.is_at_work;
        if continues || self.processes.get(&session).is_none_or(is_at_work) {
            return;
        }
        let reason = match by {
            PlanRejectedBy::Cancel => StopReason::Cancelled,
            _ => StopReason::EndTurn,
        };
        self.answer_prompt(session, reason, None);
    }

    /// The client's prompt is over.
    fn answer_prompt(&mut self, session: u64, reason: StopReason, text: Option<String>) {
        let Some(process) = self.processes.get_mut(&session) else {
            return;
        };
        let answered = process.answered.take();
        let error = process.error.clone();
        let Some(id) = process.prompts.pop_front() else {
            return;
        };
        match (answered, reason) {
            // Some agents say that they ended what was cancelled, which a client takes for work that is done.
            (Some(Ok(result)), StopReason::Cancelled) => {
                let mut result: Value = serde_json::from_str(result.get()).unwrap_or_default();
                result["stopReason"] = json!("cancelled");
                self.answer(&id, &result);
            }
            (Some(Ok(result)), _) => self.answer(&id, &result),
            (Some(Err(error)), StopReason::Cancelled) if error.code == codes::REQUEST_CANCELLED => {
                self.answer(&id, &json!({"stopReason": "cancelled"}));
            }
            (Some(Err(error)), _) => self.refuse(&id, &error),
            (None, StopReason::Error) => {
                let why = error.or(text);
                let why = why.unwrap_or_else(|| "the turn failed".to_owned());
                self.refuse(&id, &RpcError::new(codes::INTERNAL_ERROR, why));
            }
            (None, _) => self.answer(&id, &json!({"stopReason": "cancelled"})),
        }
    }

    /// A denied call is a failed one that contains what the model got.
    fn denied(&mut self, session: u64, call: DeniedCall, by: DeniedBy, text: String) {
        let Some(process) = self.processes.get_mut(&session) else {
            return;
        };
        let request = call.request_id;
        let told = process.told.take_if(|(of, _)| *of == request);
        if let Some(at) = process.own_requests.iter().position(|own| *own == request) {
            process.own_requests.remove(at);
            return;
        }
        if told.is_none() && matches!(by, DeniedBy::User | DeniedBy::Cancel | DeniedBy::Timeout) {
            return;
        }
        let text = match told {
            Some((_, told)) => format!("Denied ({text}). The model was told: {told}"),
            None => format!("Denied: {text}"),
        };
        let told = json!({"type": "content", "content": {"type": "text", "text": text}});
        let kind = call.kind.action().acp();
        let id = call.id.or_else(|| process.calls.only(kind, &call.paths));
        let id = id.unwrap_or_else(|| format!("siderail-{request}"));
        let update = match process.calls.deny(&id, told.clone()) {
            Some(content) => json!({
                "sessionUpdate": "tool_call_update",
                "toolCallId": id,
                "status": "failed",
                "content": content,
            }),
            None => json!({
                "sessionUpdate": "tool_call",
                "toolCallId": id,
                "title": call.tool,
                "kind": kind,
                "status": "failed",
                "content": [told],
            }),
        };
        self.update(session, &update);
    }

    /// Something that the person should know.
    fn notice(&mut self, session: u64, severity: &str, title: &str, text: &str) {
        let update = match self.capabilities()["session"]["notices"].is_object() {
            true => json!({
                "sessionUpdate": "notice",
                "severity": severity,
                "title": title,
                "description": text,
            }),
            false => json!({
                "sessionUpdate": "agent_message_chunk",
                "content": {"type": "text", "text": format!("\n\n**{title}:** {text}\n\n")},
            }),
        };
        self.update(session, &update);
    }

    /// An update of our own.
    pub(super) fn update(&mut self, session: u64, update: &Value) {
        let process = self.processes.get(&session);
        if let Some(id) = process.and_then(|process| process.client_id.as_ref()) {
            let params = json!({"sessionId": id, "update": update});
            self.line(message::notification(methods::UPDATE, &params));
        }
    }

    /// Writes the client's id of the session in place of the agent's; other ids stay as they are.
    pub(super) fn to_client(&self, session: u64, params: &mut Value) {
        let Some(process) = self.processes.get(&session).filter(|p| p.renames()) else {
            return;
        };
        if let (Some(agent_id), Some(client_id)) = (&process.agent_id, &process.client_id)
            && params["sessionId"] == agent_id.as_str()
        {
            params["sessionId"] = json!(client_id);
        }
    }
}

/// What was denied.
struct DeniedCall {
    request_id: u64,
    id: Option<String>,
    tool: String,
    kind: ActionWord,
    paths: Vec<String>,
}

fn read(params: Option<&str>) -> Value {
    params
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_else(|| json!({}))
}

fn with_newline(line: &[u8]) -> Vec<u8> {
    let mut whole = Vec::with_capacity(line.len() + 1);
    whole.extend_from_slice(line);
    whole.push(b'\n');
    whole
}
