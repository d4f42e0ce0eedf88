//! Questions to the client: permissions that a person decides, and requests of the agent that are the client's
//! to answer.
//!
//! An agent's own question is shown with its own options, as far as the engine lets a person take them; what our tools
//! ask has options of ours. Each is answered once, and closed at the client when it is over.

use serde_json::{Value, json};
use siderail_engine::acp::client_request::methods;
use siderail_engine::acp::wire::{RequestId, message};
use siderail_engine::acp_client::{Outcome, Passed};
use siderail_engine::command::{Command, PermissionAnswer};
use siderail_engine::event::{
    FileDiff, PermissionChoice, PermissionOptionKind, PermissionRequest, RequestChannel,
};

use super::agent_side::{Effect, Face};
use super::open_requests::{
    ALLOW, ALWAYS, Asked, REJECT, answer_of, plan_answer, reason_in, value_of,
};
use super::process::Whose;

impl Face {
    /// Sends the client a request; its number.
    pub(super) fn ask(&mut self, method: &str, params: &Value, asked: Asked) -> u64 {
        self.last_id += 1;
        self.asked.insert(self.last_id, asked);
        self.line(message::request(self.last_id, method, params));
        self.last_id
    }

    /// A permission is asked for: of the client where a person decides.
    pub(super) fn permission(&mut self, session: u64, request: PermissionRequest) {
        let PermissionRequest {
            request_id,
            tool_call_id,
            kind,
            text,
            paths,
            channel,
            options,
            may_be_remembered,
            diffs,
            outside,
            destroys,
            asks,
            ..
        } = request;
        let Some(process) = self.processes.get_mut(&session) else {
            return;
        };
        let raw = process.asks.take();
        if channel == RequestChannel::Own {
            process.own_requests.push(request_id);
        }
        if !asks {
            return;
        }
        let mut warnings: Vec<String> = destroys.into_iter().collect();
        if !outside.is_empty() {
            warnings.push(format!("Outside of the project: {}", outside.join(", ")));
        }
        let params = match raw.filter(|_| channel == RequestChannel::Acp) {
            Some(raw) => {
                let mut params: Value = serde_json::from_str(raw.get()).unwrap_or_default();
                params["options"] = offered(&params["options"], &options);
                if !warnings.is_empty() {
                    warn(&mut params["toolCall"], &warnings);
                }
                self.to_client(session, &mut params);
                params
            }
            None => {
                let id = tool_call_id.unwrap_or_else(|| format!("siderail-{request_id}"));
                let locations = paths.iter().map(|path| json!({"path": path}));
                let mut call = json!({
                    "toolCallId": id,
                    "title": text,
                    "kind": kind.action().acp(),
                    "status": "pending",
                    "locations": locations.collect::<Vec<_>>(),
                    "content": diffs.iter().map(diff).collect::<Vec<_>>(),
                });
                if !warnings.is_empty() {
                    warn(&mut call, &warnings);
                }
                json!({
                    "sessionId": process.client_id,
                    "toolCall": call,
                    "options": own_options(may_be_remembered),
                })
            }
        };
        self.question(session, request_id, &params);
    }

    pub(super) fn question(&mut self, session: u64, request_id: u64, params: &Value) {
        let options = params["options"].as_array();
        let ids = options.into_iter().flatten();
        let kind = |option: &Value| option["kind"].as_str().unwrap_or_default().into();
        let ids = ids.filter_map(|o| Some((o["optionId"].as_str()?.to_owned(), kind(o))));
        let asked = Asked::Question {
            session,
            request_id,
            offered: ids.collect(),
        };
        self.ask(methods::REQUEST_PERMISSION, params, asked);
    }

    /// The client answered something; what nobody asked is ignored.
    pub(super) fn client_answered(&mut self, id: &RequestId, outcome: Outcome) {
        let Some(asked) = id.as_u64().and_then(|id| self.asked.remove(&id)) else {
            return;
        };
        match asked {
            Asked::Agent { session, id, opens } => {
                self.terminal_opened(session, opens, &outcome, Whose::Agents);
                let passed = Passed::Answer { id, outcome };
                self.effects.push(Effect::Pass { session, passed });
            }
            Asked::Question {
                session,
                request_id,
                offered,
            } => {
                let (answer, kind) = answer_of(&outcome, &offered);
                match kind == Some(&PermissionOptionKind::RejectOnce)
                    && self.asks_reasons
                    && self.shows_forms()
                {
                    true => self.ask_reason(session, request_id, answer),
                    false => self.answer_permission(session, request_id, answer),
                }
            }
            Asked::Plan {
                session,
                request_id,
            } => {
                let answer = plan_answer(&outcome);
                self.answer_permission(session, request_id, answer);
            }
            Asked::Reason {
                session,
                request_id,
                rejection,
            } => {
                let answer = match reason_in(&outcome) {
                    Some(reason) => PermissionAnswer::Deny {
                        reason,
                        nobody: false,
                    },
                    None => rejection,
                };
                self.answer_permission(session, request_id, answer);
            }
            // A thread that has given up meanwhile has withdrawn its request.
            Asked::Thread { reply, .. } => drop(reply.send(outcome)),
            Asked::Terminal {
                session,
                reply,
                opens,
            } => {
                self.terminal_opened(session, opens, &outcome, Whose::Ours);
                drop(reply.send(value_of(outcome)));
            }
            Asked::Unwanted(opens) => self.end_unwanted(&opens, &outcome),
        }
    }

    pub(super) fn answer_permission(
        &mut self,
        session: u64,
        request_id: u64,
        answer: PermissionAnswer,
    ) {
        self.command(Command::AnswerPermission {
            session,
            request_id,
            answer,
        });
    }

    /// Permission requests have no place for a reason: the person is asked for it by a form.
    fn ask_reason(&mut self, session: u64, request_id: u64, rejection: PermissionAnswer) {
        let process = self.processes.get(&session);
        let params = json!({
            "sessionId": process.and_then(|process| process.client_id.as_ref()),
            "mode": "form",
            "message": "Why not? The model reads what you write; you can leave it empty.",
            "requestedSchema": {
                "type": "object",
                "properties": {"reason": {"type": "string", "title": "Reason"}},
                "required": [],
            },
        });
        let asked = Asked::Reason {
            session,
            request_id,
            rejection,
        };
        self.ask(methods::CREATE_ELICITATION, &params, asked);
    }

    /// A question is settled; where the client still shows it, it is closed there.
    pub(super) fn question_over(&mut self, request_id: u64) {
        self.close_question(|asked| asked.is_about(request_id));
    }

    pub(super) fn close_questions_of(&mut self, session: u64) {
        self.close_question(|asked| asked.session() == session);
    }

    pub(super) fn close_question(&mut self, is_over: impl Fn(&Asked) -> bool) {
        let over = self.asked.iter().filter(|(_, asked)| is_over(asked));
        let over: Vec<u64> = over.map(|(id, _)| *id).collect();
        for id in over {
            let asked = self.asked.remove(&id);
            // The client may have opened it already, and refers to it whatever we answer now.
            if let Some(opens) = asked.and_then(Asked::opens) {
                self.asked.insert(id, Asked::Unwanted(opens));
            }
            self.close_at_client(id);
        }
    }

    /// The client need not show this any more.
    pub(super) fn close_at_client(&mut self, id: u64) {
        let params = json!({"requestId": id});
        self.line(message::notification(methods::CANCEL_REQUEST, &params));
    }
}

/// The agent's options that a person may take, in the agent's order. A name that says the contrary of what the option
/// does gives way to one that says it.
fn offered(options: &Value, choices: &[PermissionChoice]) -> Value {
    let options = options.as_array().cloned().unwrap_or_default();
    let shown = options.into_iter().filter_map(|mut option| {
        let choice = choices
            .iter()
            .find(|c| option["optionId"] == c.id.as_str())?;
        if choice.contradicts {
            option["name"] = json!(match choice.kind {
                PermissionOptionKind::AllowOnce => "Allow once",
                PermissionOptionKind::AllowAlways => "Always allow",
                PermissionOptionKind::RejectAlways => "Always reject",
                _ => "Reject",
            });
        }
        Some(option)
    });
    shown.collect()
}

/// The options for what our own tools and the agent's files and terminals ask.
fn own_options(may_be_remembered: bool) -> Value {
    let mut options = vec![json!({"optionId": ALLOW, "name": "Allow once", "kind": "allow_once"})];
    if may_be_remembered {
        options.push(json!({
            "optionId": ALWAYS,
            "name": "Always allow in this project",
            "kind": "allow_always",
        }));
    }
    options.push(json!({"optionId": REJECT, "name": "Reject", "kind": "reject_once"}));
    Value::Array(options)
}

/// Puts what a yes would do ahead of the rest of a call's content.
fn warn(call: &mut Value, warnings: &[String]) {
    let text = json!({"type": "text", "text": warnings.join("\n")});
    let warning = json!({"type": "content", "content": text});
    match call.get_mut("content").and_then(Value::as_array_mut) {
        Some(content) => content.insert(0, warning),
        None => call["content"] = json!([warning]),
    }
}

fn diff(diff: &FileDiff) -> Value {
    json!({
        "type": "diff",
        "path": diff.path,
        "oldText": diff.old_text,
        "newText": diff.new_text,
    })
}
