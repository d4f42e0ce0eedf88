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

use super::Session;
use super::choices;
use super::denials::No;
use super::denied_calls::Seen;
use super::ladder::Way;
use super::shown::Shown;
use super::subject::{Asked, Subject};
use crate::command::PermissionAnswer;
use crate::event::{ApprovedBy, DeniedBy, EventBody, LogKind, PlanApprovedBy, RequestChannel};
use crate::shelf::Shelf;

/// What settles a question.
#[derive(Debug)]
pub(super) enum Settled {
    /// Whoever was asked.
    ByPerson(PermissionAnswer),
    /// The answer that was given to all questions beforehand.
    BySetting { allows: bool },
}

/// An open question to the person.
pub(crate) enum Ask {
    /// A permission request of the agent.
    Acp {
        request: Box<PermissionRequest>,
        subject: Subject,
    },
    /// A call at our server that its gate wants a person for.
    Own { call: u64, subject: Subject },
    /// A plan; the agent's request where it asked, none where it ended its turn.
    Plan {
        request_id: u64,
        request: Option<Box<PermissionRequest>>,
    },
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
        // An error would wedge some agents here, too.
        if self.is_foreign(&request.session_id, "a permission request", shelf) {
            return self.answer(&request.id, &Outcome::Cancelled, shelf);
        }
        let hook_decides = self.hook_after_allow && self.carried.canary.hook_works();
        let asked = self.asked_about(&request, hook_decides, shelf);
        // What a later hook is to deny does not count as asked here: the hook has to see it.
        for call in asked.calls.iter().filter(|_| !self.hook_after_allow) {
            self.carried.canary.asked(call);
        }
        if self.turn.cancelling.is_some() || self.is_closing() {
            return self.answer(&request.id, &Outcome::Cancelled, shelf);
        }
        self.turn.asked_calls.extend(asked.calls.iter().cloned());
        if let Some(plan) = self.presented_plan(&asked.action) {
            return self.plan_presented(request, plan, shelf);
        }
        let call_id = asked.calls.first().map(String::as_str);
        let denied = self.denied_before(call_id, &asked.action, Seen::Request);
        if let Some(denied) = denied {
            // Where the hook has the last word and has denied the call, it needs the way free to say so.
            let choice = if hook_decides && denied.in_hook {
                Choice::AllowOnce
            } else {
                self.turn.reject_stands = true;
                Choice::RejectOnce
            };
            let outcome = choose(&request.options, choice);
            return self.answer(&request.id, &outcome, shelf);
        }
        if asked.decision.verdict == Verdict::Deny && hook_decides {
            let outcome = choose(&request.options, Choice::AllowOnce);
            return self.answer(&request.id, &outcome, shelf);
        }
        self.judged(request, &asked, shelf);
    }

    /// Carries a decision about a permission request out.
    fn judged(&mut self, request: PermissionRequest, asked: &Asked, shelf: &mut Shelf) {
        let Asked {
            action, decision, ..
        } = asked;
        let call_id = asked.calls.first().cloned();
        let mut subject = self.subject(action, decision, call_id, RequestChannel::Acp, shelf);
        self.and_with_it(&mut subject, &asked.also);
        subject.own.clone_from(&asked.own);
        let asks = decision.verdict == Verdict::Ask && self.options.answer.is_none();
        self.requested(&subject, &request.options, asks, shelf);
        match decision.verdict {
            Verdict::Allow => {
                let by = match decision.reason {
                    Reason::AlwaysAllowed => ApprovedBy::Always,
                    _ => ApprovedBy::Policy,
                };
                self.allow(&request, &subject, by, shelf);
            }
            Verdict::Deny => self.deny_request(&request, action, decision, &subject, shelf),
            Verdict::Ask => {
                let request = Box::new(request);
                let ask = Ask::Acp { request, subject };
                match self.settled_beforehand() {
                    Some(settled) => self.resolve(ask, settled, shelf),
                    None => self.wait_for_person(ask),
                }
            }
        }
    }

    /// What settles every question without a person.
    pub(super) fn settled_beforehand(&self) -> Option<Settled> {
        let allows = self.options.answer?;
        // A plain MCP client has nobody behind it, and no setting that says so.
        let is_plain = self.acp.is_none() && self.agent.is_none();
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
            Ask::Acp { subject, .. } | Ask::Own { subject, .. } => subject.request_id,
            Ask::Plan { request_id, .. } => *request_id,
        };
        self.asks.insert(number, ask);
    }

    pub(super) fn requested(
        &self,
        subject: &Subject,
        options: &[PermissionOption],
        asks: bool,
        shelf: &mut Shelf,
    ) {
        let may_be_remembered = subject.remember.is_some();
        let may_be_chosen =
            |option: &&PermissionOption| may_be_remembered || !option.lasts_among(options);
        let offered = options.iter().filter(|_| asks).filter(may_be_chosen);
        let choices = choices::in_order(offered);
        let shown = match asks {
            true => subject.shown.clone(),
            false => Shown {
                diffs: Vec::new(),
                ..subject.shown.clone()
            },
        };
        let body = EventBody::PermissionRequest {
            request_id: subject.request_id,
            tool_call_id: subject.tool_call_id.clone(),
            tool: subject.tool.clone(),
            kind: subject.kind.clone(),
            text: subject.text.clone(),
            paths: subject.paths.clone(),
            channel: subject.channel,
            options: choices,
            may_be_remembered,
            diffs: shown.diffs,
            outside: shown.outside,
            destroys: shown.destroys,
            asks,
        };
        self.emit(body, shelf);
    }

    pub(super) fn allow(
        &mut self,
        request: &PermissionRequest,
        subject: &Subject,
        by: ApprovedBy,
        shelf: &mut Shelf,
    ) {
        let outcome = choose(&request.options, Choice::AllowOnce);
        if outcome == Outcome::Cancelled {
            let why = "the agent offers no way to allow it once";
            self.question_closed(subject, DeniedBy::Cancel, why, shelf);
        } else {
            self.approved(subject, by, shelf);
        }
        self.answer(&request.id, &outcome, shelf);
    }

    pub(super) fn approved(&mut self, subject: &Subject, by: ApprovedBy, shelf: &mut Shelf) {
        if subject.writes {
            let paths = subject
                .paths
                .iter()
                .filter_map(|p| self.confinement.resolve(p).ok());
            for found in paths {
                self.carried.changes.note(&found.absolute);
                self.turn.approved_paths.insert(found.absolute);
            }
        }
        self.turn.approved_commands.extend(subject.command.clone());
        self.expect_own_calls(
            subject,
            matches!(by, ApprovedBy::User | ApprovedBy::Setting),
        );
        let body = EventBody::PermissionApproved {
            request_id: subject.request_id,
            tool_call_id: subject.tool_call_id.clone(),
            tool: subject.tool.clone(),
            kind: subject.kind.clone(),
            by,
        };
        self.emit(body, shelf);
    }

    pub(super) fn answer(&mut self, id: &RequestId, outcome: &Outcome, shelf: &mut Shelf) {
        let line = self.connection.answer(id, outcome);
        self.send_some(line, shelf);
    }

    /// A person (or the answer given beforehand) settles a question.
    pub(super) fn resolve(&mut self, ask: Ask, settled: Settled, shelf: &mut Shelf) {
        match ask {
            Ask::Acp { request, subject } => {
                self.resolve_request(&request, &subject, settled, shelf)
            }
            Ask::Own { call, subject } => self.own_call_resolved(call, &subject, settled, shelf),
            Ask::Plan {
                request_id,
                request,
            } => {
                if let Settled::ByPerson(answer) = settled {
                    self.plan_answered(request_id, request, &answer, PlanApprovedBy::User, shelf);
                }
            }
        }
    }

    fn resolve_request(
        &mut self,
        request: &PermissionRequest,
        subject: &Subject,
        settled: Settled,
        shelf: &mut Shelf,
    ) {
        let answer = match settled {
            Settled::ByPerson(answer) => answer,
            Settled::BySetting { allows: true } => {
                return self.allow(request, subject, ApprovedBy::Setting, shelf);
            }
            Settled::BySetting { allows: false } => {
                return self.deny_for_person(request, subject, &No::Setting, shelf);
            }
        };
        let bare_no = No::Person(String::new());
        match answer {
            PermissionAnswer::Allow => self.allow(request, subject, ApprovedBy::User, shelf),
            PermissionAnswer::Always => {
                self.allow_always(subject.remember.as_ref(), shelf);
                self.allow(request, subject, ApprovedBy::User, shelf);
            }
            PermissionAnswer::Option { id } => {
                match request.options.iter().find(|option| option.id == id) {
                    // Not offered here, whoever names it: a lasting yes counts as much as `Always` does.
                    Some(option)
                        if subject.remember.is_none() && option.lasts_among(&request.options) =>
                    {
                        match allows(&option.kind) {
                            true => self.allow(request, subject, ApprovedBy::User, shelf),
                            false => self.deny_for_person(request, subject, &bare_no, shelf),
                        }
                    }
                    Some(option) if allows(&option.kind) => {
                        self.approved(subject, ApprovedBy::User, shelf);
                        self.answer(&request.id, &Outcome::Selected(id), shelf);
                    }
                    Some(_) => {
                        self.denied_by_person(subject, &bare_no, None, Way::Waits, shelf);
                        self.answer(&request.id, &Outcome::Selected(id), shelf);
                    }
                    None => self.deny_for_person(request, subject, &bare_no, shelf),
                }
            }
            PermissionAnswer::Deny { reason, nobody } => {
                let no = No::told(reason, nobody);
                self.deny_for_person(request, subject, &no, shelf);
            }
        }
    }

    /// The person said no (or nobody could be asked): the reason takes the best way beside a rejection.
    fn deny_for_person(
        &mut self,
        request: &PermissionRequest,
        subject: &Subject,
        no: &No,
        shelf: &mut Shelf,
    ) {
        let way = self.way_of_rejection();
        // A no without a reason is what the agent tells its model by itself.
        let text = (!no.is_bare()).then(|| no.for_model(&subject.tool));
        match self.denied_by_person(subject, no, text, way, shelf) {
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
            Ask::Plan {
                request: Some(request),
                ..
            } if request.id == *id => Some(*number),
            _ => None,
        });
        match found.and_then(|number| self.asks.remove(&number)) {
            Some(Ask::Acp { subject, .. }) => {
                let why = "the agent took the question back";
                self.question_closed(&subject, DeniedBy::Cancel, why, shelf);
            }
            Some(Ask::Plan { request_id, .. }) => self.plan_closed(request_id, None, shelf),
            _ => {}
        }
    }
}

fn allows(kind: &OptionKind) -> bool {
    matches!(kind, OptionKind::AllowOnce | OptionKind::AllowAlways)
}
