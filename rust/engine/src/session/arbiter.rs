//! What becomes of an action: permission request or hook → guard → answer at once, or ask the person.
//!
//! The guard decides; this part carries the decision out, counts it once however often it is seen, and
//! reports it. A hook never waits for a person: what is not denied there goes the agent's ordinary way.

use serde_json::value::RawValue;
use siderail_acp::permission::{
    Choice, OptionKind, Outcome, PermissionOption, PermissionRequest, choose,
};
use siderail_acp::tool_call::ToolCall;
use siderail_acp::wire::RequestId;
use siderail_guard::decision::{Decision, Reason, Verdict};
use siderail_guard::normalize::{self, AgentNames, RequestView};
use siderail_guard::path::{PathFact, Place, locate};
use siderail_guard::shell::Dialect;
use siderail_guard::{Action, ActionKind, Context, Identity, decide, guidance};

use super::denials::{Seen, fingerprint};
use super::ladder::Way;
use super::updates::text_of;
use super::{CommandIn, Session};
use crate::command::PermissionAnswer;
use crate::event::{EventBody, LogKind, PermissionChoice};
use crate::memory::Allowed;
use crate::shelf::Shelf;
use crate::tools::SERVER;

/// An open question to the person.
pub(crate) enum Ask {
    /// A permission request of the agent.
    Acp {
        request: Box<PermissionRequest>,
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
    /// What tells it from others where no id does.
    pub(crate) fingerprint: String,
    pub(crate) tool: String,
    pub(crate) kind: String,
    pub(crate) text: String,
    pub(crate) paths: Vec<String>,
    pub(crate) channel: &'static str,
    /// It changes files by a tool of the agent's own.
    pub(crate) writes: bool,
    /// The command of a tool of the agent's own.
    pub(crate) command: Option<CommandIn>,
    /// What `Always` would remember; none for dangerous kinds.
    pub(crate) remember: Option<Allowed>,
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
                        kind: LogKind::Noise,
                        text: error.to_string(),
                    },
                    shelf,
                );
                return self.answer(&id, &Outcome::Cancelled, shelf);
            }
        };
        let action = self.action_of(&request, shelf);
        let call_id = call_id(&request, &action);
        // What a later hook is to deny does not count as asked here: the hook has to see it.
        if let Some(call_id) = call_id.as_ref().filter(|_| !self.hook_after_allow) {
            self.canary.asked(call_id);
        }
        if self.cancelling.is_some() || self.is_closing() {
            return self.answer(&request.id, &Outcome::Cancelled, shelf);
        }
        let denied = self.denied_before(call_id.as_deref(), &action, Seen::Request);
        if denied.is_some() {
            // Where the hook has the last word, it has denied the call already and needs the way free.
            let choice = if self.hook_after_allow && self.canary.hook_works() {
                Choice::AllowOnce
            } else {
                self.reject_stands = true;
                Choice::RejectOnce
            };
            let outcome = choose(&request.options, choice);
            return self.answer(&request.id, &outcome, shelf);
        }
        let decision = self.decide(&action, shelf);
        if decision.verdict == Verdict::Deny && self.hook_after_allow && self.canary.hook_works() {
            let outcome = choose(&request.options, Choice::AllowOnce);
            return self.answer(&request.id, &outcome, shelf);
        }
        self.judged(request, &action, &decision, shelf);
    }

    /// Carries a decision about a permission request out.
    fn judged(
        &mut self,
        request: PermissionRequest,
        action: &Action,
        decision: &Decision,
        shelf: &mut Shelf,
    ) {
        let call_id = call_id(&request, action);
        let subject = self.subject(action, decision, call_id, "acp", shelf);
        let asks = decision.verdict == Verdict::Ask && self.options.answer.is_none();
        self.requested(&subject, &request.options, asks, shelf);
        match decision.verdict {
            Verdict::Allow => {
                if let (Identity::OwnTool(tool), Some(id)) =
                    (&action.identity, &subject.tool_call_id)
                {
                    self.expected.push((id.clone(), tool.clone()));
                }
                let by = match decision.reason {
                    Reason::AlwaysAllowed => "always",
                    _ => "policy",
                };
                self.allow(&request, &subject, by, shelf);
            }
            Verdict::Deny => self.deny_request(&request, action, decision, &subject, shelf),
            Verdict::Ask => {
                let request = Box::new(request);
                let ask = Ask::Acp { request, subject };
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
        let view = RequestView {
            tool_call: &request.tool_call,
            stored: stored.as_ref(),
            last_open: last.as_ref(),
            meta: Some(&request.meta),
            options: &request.raw_options,
            cwd: &cwd,
        };
        let action = normalize::permission(&view, &self.agent_names(&shelf.offered));
        match &action.identity {
            Identity::Unknown => self.named_by_hook(&action).unwrap_or(action),
            _ => action,
        }
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
        let always = self.is_always_allowed(self.remembered(action).as_ref());
        let decision = self.with_context(&places, always, shelf, |ctx| decide(action, ctx));
        self.with_yolo(decision, &action.paths)
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
            name_trusted: self.canary.trusts_names(),
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
            fingerprint: fingerprint(action),
            tool: action.identity.label(),
            kind: decision.kind.to_owned(),
            text: action
                .command
                .clone()
                .unwrap_or_else(|| action.title.clone()),
            paths: self.relative_paths(&action.paths),
            channel,
            writes: !action.identity.is_own()
                && matches!(
                    action.kind,
                    ActionKind::Edit | ActionKind::Delete | ActionKind::Move
                ),
            command: self.command_in(action),
            remember: decision
                .reason
                .may_be_remembered()
                .then(|| self.remembered(action))
                .flatten(),
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

    pub(super) fn allow(
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
        if subject.writes {
            let paths = subject
                .paths
                .iter()
                .filter_map(|p| self.confinement.resolve(p).ok());
            self.approved_paths
                .extend(paths.map(|found| found.absolute));
        }
        self.approved_commands.extend(subject.command.clone());
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
            Ask::Acp { request, subject } => {
                self.resolve_request(&request, &subject, &answer, shelf)
            }
            Ask::Own { call, subject } => self.own_call_resolved(call, &subject, answer, shelf),
        }
    }

    fn resolve_request(
        &mut self,
        request: &PermissionRequest,
        subject: &Subject,
        answer: &PermissionAnswer,
        shelf: &mut Shelf,
    ) {
        match answer {
            PermissionAnswer::Allow => self.allow(request, subject, "user", shelf),
            PermissionAnswer::Always => {
                self.allow_always(subject.remember.as_ref(), shelf);
                self.allow(request, subject, "user", shelf);
            }
            PermissionAnswer::Option { id } => {
                match request.options.iter().find(|option| option.id == *id) {
                    Some(option) if allows(&option.kind) => {
                        self.approved(subject, "user", shelf);
                        self.answer(&request.id, &Outcome::Selected(id.clone()), shelf);
                    }
                    Some(_) => {
                        self.denied_by_person(subject, "user", None, Way::Waits, shelf);
                        self.answer(&request.id, &Outcome::Selected(id.clone()), shelf);
                    }
                    None => self.deny_for_person(request, subject, "user", "", shelf),
                }
            }
            PermissionAnswer::Deny { reason, nobody } => {
                let by = if *nobody { "no_terminal" } else { "user" };
                self.deny_for_person(request, subject, by, reason, shelf);
            }
        }
    }

    /// The person said no (or nobody could be asked): the reason takes the best way beside a rejection.
    fn deny_for_person(
        &mut self,
        request: &PermissionRequest,
        subject: &Subject,
        by: &str,
        reason: &str,
        shelf: &mut Shelf,
    ) {
        let way = self.way_of_rejection();
        let text = match (by, reason.trim()) {
            ("no_terminal", _) => Some(guidance::nobody_to_ask(&subject.tool)),
            (_, "") => None,
            (_, reason) => Some(guidance::denied_by_person(&subject.tool, reason)),
        };
        match self.denied_by_person(subject, by, text, way, shelf) {
            Some(text) => self.carry_out(request, None, way, subject, text, shelf),
            None => {
                let reject = choose(&request.options, Choice::RejectOnce);
                self.answer(&request.id, &reject, shelf);
            }
        }
    }

    /// Closes the question that belongs to a withdrawn request.
    pub(super) fn forget_question(&mut self, id: &RequestId, shelf: &mut Shelf) {
        let found = self.asks.iter().find_map(|(number, ask)| match ask {
            Ask::Acp { request, .. } if request.id == *id => Some(*number),
            _ => None,
        });
        if let Some(Ask::Acp { subject, .. }) = found.and_then(|number| self.asks.remove(&number)) {
            let why = "the agent took the question back";
            self.question_closed(&subject, "cancel", why, shelf);
        }
    }
}

/// The call that a request is about: what is known of it says so where the request names none (OpenHands).
fn call_id(request: &PermissionRequest, action: &Action) -> Option<String> {
    text_of(&action.raw, "toolCallId")
        .or(request.tool_call_id())
        .map(str::to_owned)
}

/// The answer when nobody can be asked.
pub(super) fn nobody() -> PermissionAnswer {
    PermissionAnswer::Deny {
        reason: String::new(),
        nobody: true,
    }
}

fn allows(kind: &OptionKind) -> bool {
    matches!(kind, OptionKind::AllowOnce | OptionKind::AllowAlways)
}
