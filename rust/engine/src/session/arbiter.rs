//! What becomes of an action: permission request or hook → guard → answer at once, or ask the person.
//!
//! The guard decides; this part carries the decision out, counts it once however often it is seen, and
//! reports it. A hook never waits for a person: what is not denied there goes the agent's ordinary way.

use std::time::{Duration, Instant};

use serde_json::{Value, json, value::RawValue};
use siderail_acp::permission::{
    Choice, OptionKind, Outcome, PermissionOption, PermissionRequest, choose,
};
use siderail_acp::tool_call::ToolCall;
use siderail_acp::wire::RequestId;
use siderail_guard::decision::{Decision, Verdict};
use siderail_guard::normalize::{self, AgentNames, RequestView};
use siderail_guard::path::{PathFact, Place, locate};
use siderail_guard::shell::Dialect;
use siderail_guard::{Action, Context, Identity, decide};
use siderail_mcp::HookReply;

use super::{Input, Session};
use crate::command::PermissionAnswer;
use crate::delivery::Guidance;
use crate::engine::Shelf;
use crate::event::{EventBody, PermissionChoice, Receipt};
use crate::hook;
use crate::tools::SERVER;

/// A denial seen by the hook and asked for again within this time is the same call.
const SAME_CALL: Duration = Duration::from_secs(5);

/// An open question to the person.
pub(crate) enum Ask {
    /// A permission request of the agent.
    Acp {
        id: RequestId,
        options: Vec<PermissionOption>,
        subject: Subject,
    },
    /// A call at our server that its gate wants a person for.
    Own { call: u64, subject: Subject },
}

/// What a question or a decision is about.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    pub(crate) request_id: u64,
    pub(crate) tool_call_id: Option<String>,
    pub(crate) tool: String,
    pub(crate) kind: String,
    pub(crate) text: String,
    pub(crate) paths: Vec<String>,
    pub(crate) channel: &'static str,
    /// What `Always` would remember; none for dangerous kinds.
    pub(crate) remember: Option<String>,
}

/// A denial of the last seconds, so that hook and permission request count once.
pub(crate) struct Denied {
    call_id: Option<String>,
    fingerprint: String,
    at: Instant,
}

impl Session {
    /// The agent asks for permission.
    pub(super) fn permission(&mut self, id: RequestId, params: &RawValue, shelf: &mut Shelf) {
        let request = match PermissionRequest::read(id.clone(), params) {
            Ok(request) => request,
            Err(error) => {
                // An error as answer wedges some agents, so a broken request is answered too.
                self.emit(
                    EventBody::AgentLog {
                        text: error.to_string(),
                    },
                    shelf,
                );
                return self.answer(&id, &Outcome::Cancelled, shelf);
            }
        };
        let action = self.action_of(&request, shelf);
        let call_id = request.tool_call_id().map(str::to_owned);
        if let Some(call_id) = &call_id {
            self.canary.asked(call_id);
        }
        if self.cancelling.is_some() {
            return self.answer(&request.id, &Outcome::Cancelled, shelf);
        }
        if self.was_denied(call_id.as_deref(), &action) {
            let outcome = choose(&request.options, Choice::RejectOnce);
            return self.answer(&request.id, &outcome, shelf);
        }
        let decision = self.decide(&action, shelf);
        let subject = self.subject(&action, &decision, call_id, "acp", shelf);
        let asks = decision.verdict == Verdict::Ask && self.options.answer.is_none();
        self.requested(&subject, &request.options, asks, shelf);
        match decision.verdict {
            Verdict::Allow => self.allow(&request, &subject, "policy", shelf),
            Verdict::Deny => {
                self.remember_denied(&action, subject.tool_call_id.clone());
                self.deny_with_guidance(&subject, &decision, None, shelf);
                let outcome = choose(&request.options, Choice::RejectOnce);
                self.answer(&request.id, &outcome, shelf);
            }
            Verdict::Ask => {
                let PermissionRequest { id, options, .. } = request;
                let ask = Ask::Acp {
                    id,
                    options,
                    subject,
                };
                match self.options.answer {
                    Some(true) => self.resolve(ask, PermissionAnswer::Allow, shelf),
                    Some(false) => self.resolve(ask, nobody(), shelf),
                    None => self.wait_for_person(ask),
                }
            }
        }
    }

    fn wait_for_person(&mut self, ask: Ask) {
        let (Ask::Acp { subject, .. } | Ask::Own { subject, .. }) = &ask;
        self.asks.insert(subject.request_id, ask);
    }

    fn action_of(&self, request: &PermissionRequest, shelf: &Shelf) -> Action {
        let cwd = self.root_text();
        let acp = self.acp.as_ref();
        let stored = request
            .tool_call_id()
            .and_then(|id| acp?.tool_call(id))
            .map(ToolCall::to_value);
        let last = acp
            .and_then(siderail_acp::Session::last_open_call)
            .map(ToolCall::to_value);
        let options = request
            .options
            .iter()
            .map(|o| json!({"optionId": o.id, "name": o.name}));
        let options = options.collect::<Value>();
        let view = RequestView {
            tool_call: &request.tool_call,
            stored: stored.as_ref(),
            last_open: last.as_ref(),
            meta: Some(&request.meta),
            options: &options,
            cwd: &cwd,
        };
        normalize::permission(&view, &self.agent_names(&shelf.offered))
    }

    pub(super) fn agent_names<'a>(&'a self, offered: &'a [&'static str]) -> AgentNames<'a> {
        AgentNames {
            agent: &self.profile.name,
            server: SERVER,
            own_tools: offered,
            title_is_command: !self.profile.guard.title_is_prose,
        }
    }

    /// What the guard says, with the places of all paths looked up on disk.
    pub(super) fn decide(&self, action: &Action, shelf: &Shelf) -> Decision {
        let places = self.places(&action.paths);
        let remember = remember_key(action);
        self.with_context(&places, self.always.contains(&remember), shelf, |ctx| {
            decide(action, ctx)
        })
    }

    pub(super) fn places(&self, paths: &[String]) -> Vec<PathFact> {
        paths.iter().map(|given| self.place(given)).collect()
    }

    /// Where a path truly lies: links followed; what cannot be followed counts as outside.
    fn place(&self, given: &str) -> PathFact {
        if given.starts_with('~') {
            let root = self.root_text();
            return locate(given, &root, &root, self.home());
        }
        let place = match self.confinement.resolve(given) {
            Ok(found) => Place::Inside {
                relative: found.relative,
            },
            Err(_) => Place::Outside,
        };
        PathFact {
            given: given.to_owned(),
            place,
        }
    }

    fn home(&self) -> Option<&str> {
        self.home.as_deref()
    }

    pub(super) fn with_context<T>(
        &self,
        places: &[PathFact],
        always_allowed: bool,
        shelf: &Shelf,
        act: impl FnOnce(&Context<'_>) -> T,
    ) -> T {
        let root = self.root_text();
        act(&Context {
            policy: self.policy,
            root: &root,
            cwd: &root,
            home: self.home(),
            offered: &shelf.offered,
            dialect: Dialect::Bash,
            places,
            name_trusted: !self.canary.is_unguarded(),
            always_allowed,
            pass_tools: &self.profile.guard.pass_tools,
            tool_as_seen: &self.names,
        })
    }

    pub(super) fn subject(
        &self,
        action: &Action,
        decision: &Decision,
        tool_call_id: Option<String>,
        channel: &'static str,
        shelf: &mut Shelf,
    ) -> Subject {
        Subject {
            request_id: shelf.request_number(),
            tool_call_id,
            tool: action.identity.label(),
            kind: decision.kind.to_owned(),
            text: action
                .command
                .clone()
                .unwrap_or_else(|| action.title.clone()),
            paths: self.relative_paths(&action.paths),
            channel,
            remember: decision
                .reason
                .may_be_remembered()
                .then(|| remember_key(action)),
        }
    }

    fn relative_paths(&self, paths: &[String]) -> Vec<String> {
        let relative = |path: &String| match self.confinement.resolve(path) {
            Ok(found) => found.relative,
            Err(_) => path.clone(),
        };
        paths.iter().map(relative).collect()
    }

    pub(super) fn requested(
        &self,
        subject: &Subject,
        options: &[PermissionOption],
        asks: bool,
        shelf: &mut Shelf,
    ) {
        let options = options
            .iter()
            .filter(|_| asks)
            .map(|option| PermissionChoice {
                id: option.id.clone(),
                name: option.name.clone(),
                kind: option.kind.as_str().to_owned(),
            });
        let body = EventBody::PermissionRequest {
            request_id: subject.request_id,
            tool_call_id: subject.tool_call_id.clone(),
            tool: subject.tool.clone(),
            kind: subject.kind.clone(),
            text: subject.text.clone(),
            paths: subject.paths.clone(),
            channel: subject.channel.to_owned(),
            options: options.collect(),
            asks,
        };
        self.emit(body, shelf);
    }

    fn allow(
        &mut self,
        request: &PermissionRequest,
        subject: &Subject,
        by: &str,
        shelf: &mut Shelf,
    ) {
        self.approved(subject, by, shelf);
        let outcome = choose(&request.options, Choice::AllowOnce);
        self.answer(&request.id, &outcome, shelf);
    }

    pub(super) fn approved(&mut self, subject: &Subject, by: &str, shelf: &mut Shelf) {
        let paths = subject
            .paths
            .iter()
            .filter_map(|p| self.confinement.resolve(p).ok());
        self.approved_paths
            .extend(paths.map(|found| found.absolute));
        let body = EventBody::PermissionApproved {
            request_id: subject.request_id,
            tool_call_id: subject.tool_call_id.clone(),
            tool: subject.tool.clone(),
            kind: subject.kind.clone(),
            by: by.to_owned(),
        };
        self.emit(body, shelf);
    }

    pub(super) fn answer(&mut self, id: &RequestId, outcome: &Outcome, shelf: &mut Shelf) {
        let line = self.connection.answer(id, outcome);
        self.send_some(line, shelf);
    }

    /// A person (or the answer given beforehand) settles a question.
    pub(super) fn resolve(&mut self, ask: Ask, answer: PermissionAnswer, shelf: &mut Shelf) {
        match ask {
            Ask::Acp {
                id,
                options,
                subject,
            } => {
                let (outcome, denied) = self.outcome_of(&subject, &options, &answer, shelf);
                if let Some((by, reason)) = denied {
                    self.denied_by_person(&subject, by, &reason, shelf);
                }
                self.answer(&id, &outcome, shelf);
            }
            Ask::Own { call, subject } => self.own_call_resolved(call, &subject, answer, shelf),
        }
    }

    fn outcome_of(
        &mut self,
        subject: &Subject,
        options: &[PermissionOption],
        answer: &PermissionAnswer,
        shelf: &mut Shelf,
    ) -> (Outcome, Option<(&'static str, String)>) {
        match answer {
            PermissionAnswer::Allow | PermissionAnswer::Always => {
                if let (PermissionAnswer::Always, Some(key)) = (answer, &subject.remember) {
                    self.always.insert(key.clone());
                }
                self.approved(subject, "user", shelf);
                (choose(options, Choice::AllowOnce), None)
            }
            PermissionAnswer::Option { id } => match options.iter().find(|o| o.id == *id) {
                Some(option) if allows(&option.kind) => {
                    self.approved(subject, "user", shelf);
                    (Outcome::Selected(option.id.clone()), None)
                }
                Some(option) => (
                    Outcome::Selected(option.id.clone()),
                    Some(("user", String::new())),
                ),
                None => (
                    choose(options, Choice::RejectOnce),
                    Some(("user", String::new())),
                ),
            },
            PermissionAnswer::Deny { reason, nobody } => {
                let by = if *nobody { "no_terminal" } else { "user" };
                (
                    choose(options, Choice::RejectOnce),
                    Some((by, reason.clone())),
                )
            }
        }
    }

    /// A denial that guidance explains. `sent_by`: the channel that takes it right away.
    pub(super) fn deny_with_guidance(
        &mut self,
        subject: &Subject,
        decision: &Decision,
        sent_by: Option<&str>,
        shelf: &mut Shelf,
    ) -> String {
        let effects = self.tracker.on_denial(&subject.tool);
        let mut text = decision.guidance.clone().unwrap_or_default();
        for more in [
            effects.escalation.as_ref().map(|e| &e.text),
            effects.nudge.as_ref(),
        ] {
            if let Some(more) = more {
                text = format!("{text} {more}");
            }
        }
        let waits = if self.profile.guard.reject_ends_turn {
            "continuation"
        } else {
            "notice"
        };
        let channel = sent_by.unwrap_or(waits);
        let instead = decision.instead;
        let body = EventBody::PreRejectionGuidance {
            request_id: subject.request_id,
            tool_call_id: subject.tool_call_id.clone(),
            tool: subject.tool.clone(),
            kind: subject.kind.clone(),
            channel: channel.to_owned(),
            text: text.clone(),
            instead: instead.map(|tool| self.names.as_seen(tool)),
        };
        self.emit(body, shelf);
        self.denied_event(subject, "policy", decision.reason.id(), shelf);
        if let Some(nudge) = effects.nudge {
            let denials = self.tracker.consecutive();
            self.emit(
                EventBody::Nudge {
                    denials,
                    text: nudge,
                },
                shelf,
            );
        }
        if let Some(step) = effects.escalation {
            let tool = subject.tool.clone();
            let body = EventBody::Escalation {
                tool,
                denials: step.denials,
                text: step.text,
            };
            self.emit(body, shelf);
        }
        let guidance = Guidance {
            request_id: subject.request_id,
            tool: subject.tool.clone(),
            kind: subject.kind.clone(),
            instead: instead.map(str::to_owned),
            paths: subject.paths.clone(),
            channel: channel.to_owned(),
            text: text.clone(),
            turn: self.turn,
        };
        let ignored = match sent_by {
            Some(_) => self.delivery.sent(guidance),
            None => self.delivery.waits(guidance),
        };
        self.ignored(&ignored, shelf);
        text
    }

    /// A denial by the person, or because nobody could be asked; a reason of theirs waits for a way.
    fn denied_by_person(&mut self, subject: &Subject, by: &str, reason: &str, shelf: &mut Shelf) {
        self.denied_event(subject, by, reason, shelf);
        self.tracker.on_denial(&subject.tool);
        if reason.is_empty() {
            return;
        }
        let text = format!("The user did not allow {}: {reason}", subject.tool);
        let waits = if self.profile.guard.reject_ends_turn {
            "continuation"
        } else {
            "notice"
        };
        let guidance = Guidance {
            request_id: subject.request_id,
            tool: subject.tool.clone(),
            kind: subject.kind.clone(),
            instead: None,
            paths: subject.paths.clone(),
            channel: waits.to_owned(),
            text,
            turn: self.turn,
        };
        self.delivery.waits(guidance);
    }

    pub(super) fn denied_event(
        &mut self,
        subject: &Subject,
        by: &str,
        text: &str,
        shelf: &mut Shelf,
    ) {
        *self.n_denials.entry(subject.tool.clone()).or_default() += 1;
        let body = EventBody::PermissionDenied {
            request_id: subject.request_id,
            tool_call_id: subject.tool_call_id.clone(),
            tool: subject.tool.clone(),
            kind: subject.kind.clone(),
            by: by.to_owned(),
            text: text.to_owned(),
            paths: subject.paths.clone(),
        };
        self.emit(body, shelf);
    }

    pub(super) fn ignored(&self, ignored: &[Guidance], shelf: &mut Shelf) {
        for guidance in ignored {
            let body = EventBody::GuidanceIgnored {
                request_id: guidance.request_id,
                tool: guidance.tool.clone(),
                kind: guidance.kind.clone(),
                channel: guidance.channel.clone(),
            };
            self.emit(body, shelf);
        }
    }

    /// The agent's pre-tool hook asks; the answer goes out at once.
    pub(super) fn hook_called(&mut self, payload: &[u8], reply: HookReply, shelf: &mut Shelf) {
        let Some(shape) = self.profile.hook.as_ref().map(|h| h.shape) else {
            return self.hook_reply(reply, "{}".to_owned(), None, shelf);
        };
        let Some(call) = hook::parse(payload) else {
            return self.hook_reply(reply, hook::no_decision(shape), None, shelf);
        };
        match &call.call_id {
            Some(id) => self.canary.hook_saw(id),
            None => self.canary.hook_saw_without_id(),
        }
        let cwd = self.root_text();
        let names = self.agent_names(&shelf.offered);
        let action = normalize::hook(&call.tool, &call.input, &cwd, &names);
        let decision = self.decide(&action, shelf);
        if decision.verdict != Verdict::Deny || self.cancelling.is_some() {
            return self.hook_reply(reply, hook::no_decision(shape), None, shelf);
        }
        let subject = self.subject(&action, &decision, call.call_id.clone(), "hook", shelf);
        self.requested(&subject, &[], false, shelf);
        self.remember_denied(&action, call.call_id);
        // The receipt follows when the relay has read the answer.
        let text = self.deny_with_guidance(&subject, &decision, Some("hook"), shelf);
        self.hook_reply(
            reply,
            hook::deny(shape, &text),
            Some(subject.request_id),
            shelf,
        );
    }

    fn hook_reply(&self, reply: HookReply, stdout: String, of: Option<u64>, shelf: &Shelf) {
        let inputs = shelf.inputs.clone();
        let session = self.number;
        tokio::spawn(async move {
            let delivered = reply.answer(0, stdout).await;
            if let Some(request_id) = of {
                // The engine outlives its sessions' tasks; without it nobody counts.
                let _ = inputs
                    .send(Input::HookAnswered {
                        session,
                        request_id,
                        delivered,
                    })
                    .await;
            }
        });
    }

    pub(super) fn hook_answered(&mut self, request_id: u64, delivered: bool, shelf: &mut Shelf) {
        let receipt = if delivered {
            Receipt::Delivered
        } else {
            Receipt::Failed
        };
        self.receipt(request_id, receipt, shelf);
    }

    /// A channel's receipt for guidance that went out by it.
    pub(super) fn receipt(&mut self, request_id: u64, receipt: Receipt, shelf: &mut Shelf) {
        if let Some(Guidance { tool, channel, .. }) = self.delivery.receipt(request_id, receipt) {
            let text = String::new();
            let body = EventBody::GuidanceReceipt {
                request_id,
                tool,
                channel,
                receipt,
                text,
            };
            self.emit(body, shelf);
        }
    }

    fn remember_denied(&mut self, action: &Action, call_id: Option<String>) {
        let at = Instant::now();
        self.denied
            .retain(|d| at.duration_since(d.at) < SAME_CALL || d.call_id.is_some());
        self.denied.push(Denied {
            call_id,
            fingerprint: fingerprint(action),
            at,
        });
    }

    /// True when the guard denied this call of the agent.
    pub(super) fn is_denied_call(&self, call_id: &str) -> bool {
        self.denied
            .iter()
            .any(|d| d.call_id.as_deref() == Some(call_id))
    }

    /// Closes the question that belongs to a withdrawn request.
    pub(super) fn forget_question(&mut self, id: &RequestId, shelf: &mut Shelf) {
        let found = self.asks.iter().find_map(|(number, ask)| match ask {
            Ask::Acp { id: of, .. } if of == id => Some(*number),
            _ => None,
        });
        if let Some(Ask::Acp { subject, .. }) = found.and_then(|number| self.asks.remove(&number)) {
            self.denied_event(
                &subject,
                "cancel",
                "the agent took the question back",
                shelf,
            );
        }
    }

    fn was_denied(&self, call_id: Option<&str>, action: &Action) -> bool {
        let print = fingerprint(action);
        self.denied.iter().any(|d| match (&d.call_id, call_id) {
            (Some(a), Some(b)) => a == b,
            _ => d.fingerprint == print && d.at.elapsed() < SAME_CALL,
        })
    }
}

/// The answer when nobody can be asked.
pub(super) fn nobody() -> PermissionAnswer {
    PermissionAnswer::Deny {
        reason: String::new(),
        nobody: true,
    }
}

/// What `Always` remembers of an action: the command, or the tool with its paths.
fn remember_key(action: &Action) -> String {
    match &action.command {
        Some(command) => format!("command {command}"),
        None => format!("{} {}", action.identity.label(), action.paths.join(" ")),
    }
}

fn fingerprint(action: &Action) -> String {
    let what = match (&action.identity, &action.command) {
        (_, Some(command)) => command.clone(),
        (Identity::OwnTool(tool), None) => tool.clone(),
        (_, None) => action.kind.as_str().to_owned(),
    };
    let mut paths = action.paths.clone();
    paths.sort();
    paths.dedup();
    format!("{what} {}", paths.join(" "))
}

fn allows(kind: &OptionKind) -> bool {
    matches!(kind, OptionKind::AllowOnce | OptionKind::AllowAlways)
}
