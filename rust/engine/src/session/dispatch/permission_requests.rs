//! Handles a permission request: read, judged with a look at the disk, asked of a person if the guard wants that, and
//! answered. The parts decide what happens on the way; here they meet.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::value::RawValue;
use siderail_acp::permission::{Outcome, PermissionOption, PermissionRequest};
use siderail_acp::wire::RequestId;
use siderail_guard::Tool;
use siderail_guard::decision::{Reason, Verdict};

use crate::event::{AgentLog, ApprovedBy, EventBody, LogKind, PlanApprovedBy};
use crate::memory::Allowed;
use crate::session::Session;
use crate::session::permissions::action::{Asked, Reading};
use crate::session::permissions::always_allowed::{damage, with_always};
use crate::session::permissions::answers::Meant;
use crate::session::permissions::judge::{Basis, Judge, Judged, WhilePlanning};
use crate::session::permissions::judged_request::{Next, RequestContext};
use crate::session::permissions::unasked::Unasked;
use crate::session::question::{Ask, RequestedAction, Settled};
use crate::session::worker::Sight;
use crate::shared::Shared;

impl Session {
    /// The agent asks for permission.
    pub(super) fn permission(&mut self, id: RequestId, params: &RawValue, shared: &mut Shared) {
        let request = match PermissionRequest::read(id.clone(), params) {
            Ok(request) => request,
            Err(error) => {
                // An error as answer wedges some agents, so a broken request is answered too.
                let (kind, text) = (LogKind::Noise, error.to_string());
                self.emit(EventBody::AgentLog(AgentLog { kind, text }), shared);
                return self.answer(&id, &Outcome::Cancelled, shared);
            }
        };
        // An error would wedge some agents here, too.
        if self.is_foreign(&request.session_id, "a permission request", shared) {
            return self.answer(&request.id, &Outcome::Cancelled, shared);
        }
        let reading = Reading {
            facts: &self.agent_facts,
            offered: &shared.offered,
            root: &self.root_text(),
            acp: self.lifecycle.peers.acp.as_ref(),
            asked_calls: &self.turn.asked_calls,
            hook: &self.permissions.hook,
        };
        let asked = reading.asked_about(&request);
        let hook_decides = self.permissions.hook.is_after_allow && self.carried.canary.hook_works();
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
        if !self.permissions.hook.is_after_allow {
            for call in &asked.calls {
                self.carried.canary.asked(call);
            }
        }
        let context = RequestContext {
            is_closing: self.lifecycle.is_closing(),
            hook_decides,
            plan: self.agent_facts.profile.plan.as_ref(),
            planning: &self.carried.planning.state,
        };
        match self.turn.judged(&request.options, asked, &context) {
            Next::Answered(outcome) => self.answer(&request.id, &outcome, shared),
            Next::Plan(plan) => {
                let mut planner = self.planner();
                let effects = planner.presented(request, plan, || shared.request_number());
                self.apply(effects, shared);
            }
            Next::Decided => {
                requested.request_id = shared.request_number();
                self.carry_out_decision(request, asked, requested, shared);
            }
        }
    }

    /// Carries the guard's decision about a permission request out.
    fn carry_out_decision(
        &mut self,
        request: PermissionRequest,
        asked: &Asked,
        requested: RequestedAction,
        shared: &mut Shared,
    ) {
        let decision = &asked.decision;
        let asks = decision.verdict == Verdict::Ask && self.carried.options.answer.is_none();
        self.announce_request(&requested, &request.options, asks, shared);
        match decision.verdict {
            Verdict::Allow => {
                let by = match decision.reason {
                    Reason::AlwaysAllowed => ApprovedBy::Always,
                    _ => ApprovedBy::Policy,
                };
                self.watch(requested.changes(), shared, move |session, shared| {
                    let effects = session.turn.allow(&request, &requested, by, None);
                    session.apply(effects, shared);
                });
            }
            Verdict::Deny => {
                let moment = self.moment();
                let (denials, turn) = (&mut self.carried.denials, &mut self.turn.denials);
                let denied = (&*asked.action, decision);
                let effects = denials.deny_request(turn, &moment, &request, denied, &requested);
                self.apply(effects, shared);
            }
            Verdict::Ask => {
                let request = Box::new(request);
                let ask = Ask::Acp { request, requested };
                match self.settled_beforehand() {
                    Some(settled) => self.resolve(ask, settled, shared),
                    None => self.permissions.ask(ask),
                }
            }
        }
    }

    /// A person (or the answer given beforehand) settles a question.
    pub(in crate::session) fn resolve(&mut self, ask: Ask, settled: Settled, shared: &mut Shared) {
        match ask {
            Ask::Acp { request, requested } => {
                self.request_settled(request, requested, settled, shared);
            }
            Ask::Own { call, requested } => {
                self.own_call_resolved(call, &requested, settled, shared)
            }
            Ask::Plan {
                request_id,
                request,
            } => {
                if let Settled::ByPerson(answer) = settled {
                    let (mut planner, by) = (self.planner(), PlanApprovedBy::User);
                    let effects = planner.answered(request_id, request, &answer, by);
                    self.apply(effects, shared);
                }
            }
        }
    }

    /// The agent's own request is settled. Only after a yes is there something to watch.
    fn request_settled(
        &mut self,
        request: Box<PermissionRequest>,
        requested: RequestedAction,
        settled: Settled,
        shared: &mut Shared,
    ) {
        match settled.meant(&request.options, requested.remember.is_some()) {
            Meant::Yes {
                by,
                option,
                for_good,
            } => self.watch(requested.changes(), shared, move |session, shared| {
                if for_good {
                    session.allow_always(requested.remember.as_ref(), shared);
                }
                let effects = session.turn.allow(&request, &requested, by, option);
                session.apply(effects, shared);
            }),
            Meant::No { decline, option } => {
                let moment = self.moment();
                let (denials, turn) = (&mut self.carried.denials, &mut self.turn.denials);
                let said = (&decline, option);
                let effects = denials.deny_for_person(turn, &moment, &request, &requested, said);
                self.apply(effects, shared);
            }
        }
    }

    /// A judge of what comes now.
    pub(in crate::session) fn judge(&self, shared: &Shared) -> Judge {
        let planning = self.carried.planning.state.closes_writing();
        let own = self.agent_facts.profile.plan.as_ref();
        let own_mode = self.carried.planning.mode.on(own);
        Judge {
            of: Arc::new(Basis {
                facts: Arc::clone(&self.agent_facts),
                confinement: self.folders.confinement.clone(),
                root: self.root_text(),
                roots: self.folders.further_roots_text(),
                home: self.folders.home.clone(),
                offered: shared.offered.clone(),
                protected_places: Arc::clone(&shared.protected_places),
                memory: self.carried.memory.clone(),
                tools: Arc::clone(&self.own_calls.engine_tools),
                yolo_dangerous: self.carried.options.settings.yolo_dangerous,
                name_trusted: self.trusts_names(),
                planning: planning.then(|| WhilePlanning {
                    exit_tool: own_mode.and_then(|own| own.exit_tool.clone()),
                }),
                plan_files: own_mode.and_then(|own| own.files.clone()),
                resolved: Mutex::default(),
                commit: Mutex::default(),
            }),
            sight: Sight::Clear,
            known: Vec::new(),
        }
    }

    /// What settles every question without a person.
    pub(in crate::session) fn settled_beforehand(&self) -> Option<Settled> {
        let is_plain = self.lifecycle.peers.acp.is_none() && self.wire.agent.is_none();
        Settled::beforehand(self.carried.options.answer, is_plain)
    }

    pub(in crate::session) fn announce_request(
        &mut self,
        requested: &RequestedAction,
        options: &[PermissionOption],
        asks: bool,
        shared: &mut Shared,
    ) {
        self.emit(requested.request_event(options, asks), shared);
    }

    pub(in crate::session) fn approved(
        &mut self,
        requested: &RequestedAction,
        by: ApprovedBy,
        shared: &mut Shared,
    ) {
        let effect = self.turn.approve(requested, by);
        self.apply([effect], shared);
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

    /// The person chose `Always`. What may not be remembered comes without an action to remember.
    pub(in crate::session) fn allow_always(
        &mut self,
        action: Option<&Allowed>,
        shared: &mut Shared,
    ) {
        let Some(action) = action.cloned() else {
            return;
        };
        let memory = self.carried.memory.clone();
        self.look_up(
            shared,
            move |sight| with_always(memory.clone(), action.clone(), sight),
            |session, (memory, failed), shared| {
                session.carried.memory = memory;
                session.memory_fails(failed, shared);
            },
        );
    }

    /// At the start: what is damaged of what is always allowed.
    pub(in crate::session) fn check_memory(&mut self, shared: &Shared) {
        let memory = self.carried.memory.clone();
        self.look_up(
            shared,
            move |sight| damage(&memory, sight),
            |session, damaged, shared| session.memory_fails(damaged, shared),
        );
    }

    fn memory_fails(&mut self, why: Option<String>, shared: &mut Shared) {
        if let Some(text) = why {
            tracing::warn!("{text}");
            self.notice(&text, shared);
        }
    }

    /// What came without a permission request: the reason for the model, if it may not be.
    pub(in crate::session) fn settle_unasked(
        &mut self,
        mut judged: Judged,
        what: Unasked,
        shared: &mut Shared,
    ) -> Option<String> {
        judged.requested.request_id = shared.request_number();
        let (moment, answer) = (self.moment(), self.carried.options.answer);
        let (turn, denials) = (&mut self.turn, &mut self.carried.denials);
        let (refused, effects) = what.settle(&judged, answer, turn, denials, &moment);
        self.apply(effects, shared);
        refused
    }

    /// The same for a read that our own tool would ask about.
    pub(in crate::session) fn settle_read(
        &mut self,
        judged: Judged,
        shared: &mut Shared,
    ) -> Option<String> {
        let mut refused = self.settle_unasked(judged, Unasked::Read, shared)?;
        let ours = Tool::ReadFile;
        if shared.offered.contains(&ours) {
            refused.push_str(&format!(", or call {ours}, which asks"));
        }
        Some(refused)
    }
}
