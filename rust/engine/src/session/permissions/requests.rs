//! What becomes of an action: permission request or hook → guard → answer at once, or ask the person.
//!
//! The guard decides; this part carries the decision out, counts it once however often it is seen, and
//! reports it. A hook never waits for a person: what is not denied there goes the agent's ordinary way.

use serde_json::value::RawValue;
use siderail_acp::permission::{
    Choice, OptionKind, Outcome, PermissionOption, PermissionRequest, choose,
};
use siderail_acp::wire::RequestId;
use siderail_guard::decision::{Reason, Verdict};

use crate::command::PermissionAnswer;
use crate::event::{ApprovedBy, DeniedBy, EventBody, LogKind, PlanApprovedBy};
use crate::session::Session;
use crate::session::guidance::denied_calls::Seen;
use crate::session::guidance::no::No;
use crate::session::guidance::ways::Way;
use crate::session::permissions::options;
use crate::session::permissions::question::Ask;
use crate::session::permissions::question::Preview;
use crate::session::permissions::question::Settled;
use crate::session::permissions::question::{Asked, RequestedAction};
use crate::shared::Shared;

impl Session {
    /// The agent asks for permission.
    pub(in crate::session) fn permission(
        &mut self,
        id: RequestId,
        params: &RawValue,
        shared: &mut Shared,
    ) {
        let request = match PermissionRequest::read(id.clone(), params) {
            Ok(request) => request,
            Err(error) => {
                // An error as answer wedges some agents, so a broken request is answered too.
                self.emit(
                    EventBody::AgentLog {
                        kind: LogKind::Noise,
                        text: error.to_string(),
                    },
                    shared,
                );
                return self.answer(&id, &Outcome::Cancelled, shared);
            }
        };
        // An error would wedge some agents here, too.
        if self.is_foreign(&request.session_id, "a permission request", shared) {
            return self.answer(&request.id, &Outcome::Cancelled, shared);
        }
        let asked = self.asked_about(&request, shared);
        let hook_decides = self.guidance.hook_after_allow && self.carried.canary.hook_works();
        let judge = self.judge(shared);
        self.look_up(
            shared,
            move |sight| judge.with(sight).request(&asked, hook_decides),
            move |session, (asked, requested), shared| {
                session.permission_judged(request, &asked, requested, hook_decides, shared);
            },
        );
    }

    /// What a request asks for has been judged.
    fn permission_judged(
        &mut self,
        request: PermissionRequest,
        asked: &Asked,
        mut requested: RequestedAction,
        hook_decides: bool,
        shared: &mut Shared,
    ) {
        // What a later hook is to deny does not count as asked here: the hook has to see it.
        for call in asked
            .calls
            .iter()
            .filter(|_| !self.guidance.hook_after_allow)
        {
            self.carried.canary.asked(call);
        }
        if self.turn.cancelling.is_some() || self.is_closing() {
            return self.answer(&request.id, &Outcome::Cancelled, shared);
        }
        self.turn.asked_calls.extend(asked.calls.iter().cloned());
        if let Some(plan) = self.presented_plan(&asked.action) {
            return self.plan_presented(request, plan, shared);
        }
        let call_id = asked.calls.first().map(String::as_str);
        let denied = self
            .turn
            .denials
            .before(call_id, &asked.action, Seen::Request);
        if let Some(denied) = denied {
            // Where the hook has the last word and has denied the call, it needs the way free to say so.
            let choice = if hook_decides && denied.in_hook {
                Choice::AllowOnce
            } else {
                self.turn.denials.reject_stands = true;
                Choice::RejectOnce
            };
            let outcome = choose(&request.options, choice);
            return self.answer(&request.id, &outcome, shared);
        }
        if asked.decision.verdict == Verdict::Deny && hook_decides {
            let outcome = choose(&request.options, Choice::AllowOnce);
            return self.answer(&request.id, &outcome, shared);
        }
        requested.request_id = shared.request_number();
        self.carry_out_decision(request, asked, requested, shared);
    }

    /// Carries a decision about a permission request out.
    fn carry_out_decision(
        &mut self,
        request: PermissionRequest,
        asked: &Asked,
        requested: RequestedAction,
        shared: &mut Shared,
    ) {
        let Asked {
            action, decision, ..
        } = asked;
        let asks = decision.verdict == Verdict::Ask && self.carried.options.answer.is_none();
        self.announce_request(&requested, &request.options, asks, shared);
        match decision.verdict {
            Verdict::Allow => {
                let by = match decision.reason {
                    Reason::AlwaysAllowed => ApprovedBy::Always,
                    _ => ApprovedBy::Policy,
                };
                let files = requested.changes();
                self.watch(files, shared, move |session, shared| {
                    session.allow(&request, &requested, by, shared);
                });
            }
            Verdict::Deny => self.deny_request(&request, action, decision, &requested, shared),
            Verdict::Ask => {
                let request = Box::new(request);
                let ask = Ask::Acp { request, requested };
                match self.settled_beforehand() {
                    Some(settled) => self.resolve(ask, settled, shared),
                    None => self.wait_for_person(ask),
                }
            }
        }
    }

    /// What settles every question without a person.
    pub(in crate::session) fn settled_beforehand(&self) -> Option<Settled> {
        let allows = self.carried.options.answer?;
        // A plain MCP client has nobody behind it, and no setting that says so.
        let is_plain = self.handshake.acp.is_none() && self.wire.agent.is_none();
        Some(match (allows, is_plain) {
            (false, true) => Settled::ByPerson(PermissionAnswer::Deny {
                reason: String::new(),
                nobody: true,
            }),
            _ => Settled::BySetting { allows },
        })
    }

    fn wait_for_person(&mut self, ask: Ask) {
        let number = match &ask {
            Ask::Acp { requested, .. } | Ask::Own { requested, .. } => requested.request_id,
            Ask::Plan { request_id, .. } => *request_id,
        };
        self.questions.asks.insert(number, ask);
    }

    pub(in crate::session) fn announce_request(
        &self,
        requested: &RequestedAction,
        options: &[PermissionOption],
        asks: bool,
        shared: &mut Shared,
    ) {
        let may_be_remembered = requested.remember.is_some();
        let may_be_chosen =
            |option: &&PermissionOption| may_be_remembered || !option.lasts_among(options);
        let offered = options.iter().filter(|_| asks).filter(may_be_chosen);
        let choices = options::in_order(offered);
        let shown = match asks {
            true => requested.shown.clone(),
            false => Preview {
                diffs: Vec::new(),
                ..requested.shown.clone()
            },
        };
        let body = EventBody::PermissionRequest {
            request_id: requested.request_id,
            tool_call_id: requested.tool_call_id.clone(),
            tool: requested.tool.clone(),
            kind: requested.kind.clone(),
            text: requested.text.clone(),
            paths: requested.paths.clone(),
            channel: requested.channel,
            options: choices,
            may_be_remembered,
            diffs: shown.diffs,
            outside: shown.outside,
            destroys: shown.destroys,
            asks,
        };
        self.emit(body, shared);
    }

    pub(in crate::session) fn allow(
        &mut self,
        request: &PermissionRequest,
        requested: &RequestedAction,
        by: ApprovedBy,
        shared: &mut Shared,
    ) {
        let outcome = choose(&request.options, Choice::AllowOnce);
        if outcome == Outcome::Cancelled {
            let why = "the agent offers no way to allow it once";
            self.question_closed(requested, DeniedBy::Cancel, why, shared);
        } else {
            self.approved(requested, by, shared);
        }
        self.answer(&request.id, &outcome, shared);
    }

    pub(in crate::session) fn approved(
        &mut self,
        requested: &RequestedAction,
        by: ApprovedBy,
        shared: &mut Shared,
    ) {
        self.turn.approved_paths.extend(requested.changes());
        self.turn
            .approved_commands
            .extend(requested.command.clone());
        let by_person = matches!(by, ApprovedBy::User | ApprovedBy::Setting);
        self.expect_own_calls(requested, by_person);
        let body = EventBody::PermissionApproved {
            request_id: requested.request_id,
            tool_call_id: requested.tool_call_id.clone(),
            tool: requested.tool.clone(),
            kind: requested.kind.clone(),
            by,
        };
        self.emit(body, shared);
    }

    pub(in crate::session) fn answer(
        &mut self,
        id: &RequestId,
        outcome: &Outcome,
        shared: &mut Shared,
    ) {
        let line = self.wire.connection.answer(id, outcome);
        self.send_some(line, shared);
    }

    /// A person (or the answer given beforehand) settles a question.
    pub(in crate::session) fn resolve(&mut self, ask: Ask, settled: Settled, shared: &mut Shared) {
        match ask {
            Ask::Acp { request, requested } => {
                let files = match settled.is_a_no() {
                    true => Vec::new(),
                    false => requested.changes(),
                };
                self.watch(files, shared, move |session, shared| {
                    session.resolve_request(&request, &requested, settled, shared);
                });
            }
            Ask::Own { call, requested } => {
                self.own_call_resolved(call, &requested, settled, shared)
            }
            Ask::Plan {
                request_id,
                request,
            } => {
                if let Settled::ByPerson(answer) = settled {
                    self.plan_answered(request_id, request, &answer, PlanApprovedBy::User, shared);
                }
            }
        }
    }

    fn resolve_request(
        &mut self,
        request: &PermissionRequest,
        requested: &RequestedAction,
        settled: Settled,
        shared: &mut Shared,
    ) {
        let answer = match settled {
            Settled::ByPerson(answer) => answer,
            Settled::BySetting { allows: true } => {
                return self.allow(request, requested, ApprovedBy::Setting, shared);
            }
            Settled::BySetting { allows: false } => {
                return self.deny_for_person(request, requested, &No::Setting, shared);
            }
        };
        let bare_no = No::Person(String::new());
        match answer {
            PermissionAnswer::Allow => self.allow(request, requested, ApprovedBy::User, shared),
            PermissionAnswer::Always => {
                self.allow_always(requested.remember.as_ref(), shared);
                self.allow(request, requested, ApprovedBy::User, shared);
            }
            PermissionAnswer::Option { id } => {
                match request.options.iter().find(|option| option.id == id) {
                    // Not offered here, whoever names it: a lasting yes counts as much as `Always` does.
                    Some(option)
                        if requested.remember.is_none() && option.lasts_among(&request.options) =>
                    {
                        match allows(&option.kind) {
                            true => self.allow(request, requested, ApprovedBy::User, shared),
                            false => self.deny_for_person(request, requested, &bare_no, shared),
                        }
                    }
                    Some(option) if allows(&option.kind) => {
                        self.approved(requested, ApprovedBy::User, shared);
                        self.answer(&request.id, &Outcome::Selected(id), shared);
                    }
                    Some(_) => {
                        self.denied_by_person(requested, (&bare_no, None), Way::Waits, shared);
                        self.answer(&request.id, &Outcome::Selected(id), shared);
                    }
                    None => self.deny_for_person(request, requested, &bare_no, shared),
                }
            }
            PermissionAnswer::Deny { reason, nobody } => {
                let no = No::told(reason, nobody);
                self.deny_for_person(request, requested, &no, shared);
            }
        }
    }

    /// The person said no (or nobody could be asked): the reason takes the best way beside a rejection.
    fn deny_for_person(
        &mut self,
        request: &PermissionRequest,
        requested: &RequestedAction,
        no: &No,
        shared: &mut Shared,
    ) {
        let way = self.open_ways().of_rejection();
        // A no without a reason is what the agent tells its model by itself.
        let text = (!no.is_bare()).then(|| no.for_model(&requested.tool));
        match self.denied_by_person(requested, (no, text), way, shared) {
            Some(text) => self.reject(request, false, way, requested, text, shared),
            None => {
                let reject = choose(&request.options, Choice::RejectOnce);
                self.answer(&request.id, &reject, shared);
            }
        }
    }

    /// Closes the question that belongs to a withdrawn request.
    pub(in crate::session) fn forget_question(&mut self, id: &RequestId, shared: &mut Shared) {
        let found = self
            .questions
            .asks
            .iter()
            .find_map(|(number, ask)| match ask {
                Ask::Acp { request, .. } if request.id == *id => Some(*number),
                Ask::Plan {
                    request: Some(request),
                    ..
                } if request.id == *id => Some(*number),
                _ => None,
            });
        match found.and_then(|number| self.questions.asks.remove(&number)) {
            Some(Ask::Acp { requested, .. }) => {
                let why = "the agent withdrew the question";
                self.question_closed(&requested, DeniedBy::Cancel, why, shared);
            }
            Some(Ask::Plan { request_id, .. }) => self.plan_closed(request_id, None, shared),
            _ => {}
        }
    }
}

fn allows(kind: &OptionKind) -> bool {
    matches!(kind, OptionKind::AllowOnce | OptionKind::AllowAlways)
}
