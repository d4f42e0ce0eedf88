//! A planning in this session: the plan before the person, and what the answer sets going; [`mode`] is the agent's for it.
//!
//! Where it stands is in [`crate::planning`]; what is closed meanwhile in `siderail_guard::planning`. Here the two meet
//! the agent. Nothing is opened before the answer has been taken.

use siderail_acp::permission::{Choice, Outcome, PermissionRequest, choose};
use siderail_guard::path::make_absolute;
use siderail_guard::planning::words;
use siderail_guard::{Action, ActionKind, Decision};

use super::arbiter::Ask;
use super::prompt::{Prompt, Sent};
use super::turn::PLAN_REJECTED;
use super::views::text_of;
use super::{Session, Tag};
use crate::command::PermissionAnswer;
use crate::event::{
    EventBody, PlanApprovedBy, PlanChannel, PlanEntry, PlanRejectedBy, PromptOrigin,
};
use crate::planning::{AfterAnswer, AfterTurn, Presented};
use crate::shelf::Shelf;

mod mode;

pub(crate) use mode::ModeForPlan;

/// Why an approval is not the answer to the agent's request.
const NO_YES_FOR_ONCE: &str = "the agent offers no yes for this once, so its request is answered no: it is told of the \
                               approval by the next prompt";
/// Why a plan that comes again is not put before the person.
const ASKS_AGAIN: &str = "the agent asks once more for a yes that lasts, although it was told of the approval: it is \
                          answered no";
/// Words that tell a permission request's plan in its arguments.
const PLAN_MEMBERS: [&str; 3] = ["plan", "summary", "plan_text"];

impl Session {
    /// A prompt that wants a plan is about to go out.
    pub(super) fn begin_planning(&mut self) {
        self.carried.planning.begin();
        self.mode_for_plan.is_seen_to = false;
    }

    /// Says that a planning begins, and what the model is told of it.
    pub(super) fn tell_planning(&self, shelf: &mut Shelf) -> String {
        let text = words::plan_first(self.exit_tool());
        let mode = self.mode_for_plan.own.clone();
        let body = EventBody::PlanningStarted {
            mode,
            text: text.clone(),
        };
        self.emit(body, shelf);
        text
    }

    /// The guard's decision, with what a planning closes.
    pub(super) fn while_planning(
        &self,
        decision: Decision,
        restrain: impl FnOnce(Decision, Option<&str>) -> Decision,
    ) -> Decision {
        match self.carried.planning.closes_writing() {
            true => restrain(decision, self.exit_tool()),
            false => decision,
        }
    }

    /// True for an edit of the file in which the agent keeps its plan: a file of its own, outside of the project.
    pub(super) fn is_plan_file(&self, action: &Action) -> bool {
        let is_on = self.mode_for_plan.own.is_some();
        let spec = self.profile.plan.as_ref().filter(|_| is_on);
        let Some(part) = spec.and_then(|spec| spec.files.as_deref()) else {
            return false;
        };
        let is_one = |path: &String| {
            let path = make_absolute(path, &self.root_text());
            path.contains(part) && path.ends_with(".md") && self.confinement.resolve(&path).is_err()
        };
        let is_edit = action.kind == ActionKind::Edit && action.command.is_none();
        is_edit && !action.paths.is_empty() && action.paths.iter().all(is_one)
    }

    /// A plan file was written: its text is the plan. True when it was one.
    pub(super) fn plan_file_written(&mut self, id: &str, action: &Action) -> bool {
        if !self.is_plan_file(action) {
            return false;
        }
        let call = self.acp.as_ref().and_then(|acp| acp.tool_call(id));
        let diffs = call.into_iter().flat_map(|call| call.content.iter().rev());
        let mut texts = diffs.filter_map(|part| text_of(part, "newText"));
        let text = texts.next().or(text_of(action.arguments(), "content"));
        if let Some(text) = text.map(str::to_owned) {
            self.carried.planning.written(&text);
        }
        true
    }

    /// A piece of a message; the steps of the plan, where it moves one on.
    pub(super) fn message_for_plan(&mut self, text: &str, starts: bool) -> Option<Vec<PlanEntry>> {
        let spec = self.profile.plan.as_ref();
        let notes = spec.and_then(|spec| spec.notes.as_deref());
        if notes.is_some_and(|notes| text.starts_with(notes)) {
            self.carried.planning.call();
            return None;
        }
        self.carried.planning.message(text, starts)
    }

    /// The same for a thought, where it may be what the model has said.
    pub(super) fn thought_for_plan(&mut self, text: &str, starts: bool) -> Option<Vec<PlanEntry>> {
        let is_said = self.profile.says_in_thoughts && !self.carried.planning.is_drafting();
        is_said.then(|| self.carried.planning.message(text, starts))?
    }

    /// The plan that a permission request presents, if it does: the request to leave the planning mode.
    pub(super) fn presented_plan(&self, action: &Action) -> Option<String> {
        let by_name = self
            .profile
            .plan
            .as_ref()
            .and_then(|plan| plan.exit_tool.as_deref());
        let is_named = by_name.is_some_and(|tool| action.identity.label() == tool);
        if action.kind != ActionKind::SwitchMode && !is_named {
            return None;
        }
        let arguments = action.arguments();
        let named = PLAN_MEMBERS
            .iter()
            .find_map(|name| text_of(arguments, name));
        let in_planning =
            self.carried.planning.is_drafting() || self.carried.planning.is_turned_down();
        match named {
            Some(plan) => Some(plan.to_owned()),
            None if in_planning => Some(shown_plan(action)),
            None => None,
        }
    }

    /// The agent presents its plan and waits.
    pub(super) fn plan_presented(
        &mut self,
        request: PermissionRequest,
        plan: String,
        shelf: &mut Shelf,
    ) {
        if self.carried.planning.is_turned_down() {
            // What the person said is not before the model yet.
            let reject = choose(&request.options, Choice::RejectOnce);
            return self.answer(&request.id, &reject, shelf);
        }
        let once = choose(&request.options, Choice::AllowOnce);
        if self.carried.planning.is_told_in_words() && once == Outcome::Cancelled {
            self.notice(ASKS_AGAIN, shelf);
            let reject = choose(&request.options, Choice::RejectOnce);
            return self.answer(&request.id, &reject, shelf);
        }
        let plan = Some(plan).filter(|plan| !plan.trim().is_empty());
        self.propose(Presented::InTurn, plan, Some(Box::new(request)), shelf);
    }

    fn propose(
        &mut self,
        presented: Presented,
        text: Option<String>,
        request: Option<Box<PermissionRequest>>,
        shelf: &mut Shelf,
    ) {
        let draft = self.carried.planning.propose(presented, text).clone();
        let request_id = shelf.request_number();
        let channel = match presented {
            Presented::InTurn => PlanChannel::Acp,
            Presented::AtTurnEnd => PlanChannel::Turn,
        };
        let body = EventBody::PlanProposed {
            request_id,
            text: draft.text,
            entries: draft.entries,
            channel,
            asks: self.options.answer.is_none(),
        };
        self.emit(body, shelf);
        let answer = match self.options.answer {
            None => {
                let ask = Ask::Plan {
                    request_id,
                    request,
                };
                self.asks.insert(request_id, ask);
                return;
            }
            Some(true) => PermissionAnswer::Allow,
            Some(false) => PermissionAnswer::Deny {
                reason: String::new(),
                nobody: false,
            },
        };
        self.plan_answered(request_id, request, &answer, PlanApprovedBy::Setting, shelf);
    }

    /// A person (`by`: or whoever stands in) has answered a proposed plan.
    pub(super) fn plan_answered(
        &mut self,
        request_id: u64,
        request: Option<Box<PermissionRequest>>,
        answer: &PermissionAnswer,
        by: PlanApprovedBy,
        shelf: &mut Shelf,
    ) {
        let no = match by {
            PlanApprovedBy::User => PlanRejectedBy::User,
            PlanApprovedBy::Setting => PlanRejectedBy::Setting,
        };
        let (approved, feedback, no) = match answer {
            PermissionAnswer::Allow | PermissionAnswer::Always => (true, "", no),
            PermissionAnswer::Option { .. } => (false, "", no),
            PermissionAnswer::Deny { nobody: true, .. } => (false, "", PlanRejectedBy::NoTerminal),
            PermissionAnswer::Deny { reason, .. } => (false, reason.as_str(), no),
        };
        let after = self.carried.planning.answer(approved, feedback);
        if approved {
            self.emit(EventBody::PlanApproved { request_id, by }, shelf);
            if let Some(entries) = self.carried.planning.followed().map(<[_]>::to_vec) {
                self.emit(EventBody::Plan { entries }, shelf);
            }
        } else {
            let text = feedback.trim().to_owned();
            let continues = !text.is_empty();
            let body = EventBody::PlanRejected {
                request_id,
                by: no,
                text,
                continues,
            };
            self.emit(body, shelf);
        }
        let mut mode = ModeForPlan::default();
        let choice = match after {
            AfterAnswer::Allow => {
                // Its own way out of the mode goes with the agent's own approval.
                mode = std::mem::take(&mut self.mode_for_plan);
                Choice::AllowOnce
            }
            AfterAnswer::Reject => Choice::RejectOnce,
            AfterAnswer::Work => return self.prompt_for_plan(words::approved(), shelf),
            AfterAnswer::Revise(feedback) => return self.revise(&feedback, shelf),
            AfterAnswer::Idle => return self.next_prompt(shelf),
        };
        let Some(request) = request else { return };
        let outcome = choose(&request.options, choice);
        let (choice, outcome) = match (choice, outcome) {
            (Choice::AllowOnce, Outcome::Cancelled) => {
                // A yes that lasts was not given. The way out of the mode goes with the prompt.
                self.mode_for_plan = mode;
                self.carried.planning.agreed_in_words();
                self.notice(NO_YES_FOR_ONCE, shelf);
                let reject = Choice::RejectOnce;
                (reject, choose(&request.options, reject))
            }
            answered => answered,
        };
        self.answer(&request.id, &outcome, shelf);
        if choice == Choice::RejectOnce && self.rejection_goes_on() {
            self.cancel_turn(PLAN_REJECTED, shelf);
        }
    }

    fn rejection_goes_on(&self) -> bool {
        let spec = self.profile.plan.as_ref();
        spec.is_some_and(|spec| spec.reject_goes_on)
    }

    /// What follows when a turn has ended and nothing else continues it; true when a plan or a prompt does.
    pub(super) fn plan_after_turn(&mut self, well: bool) -> Option<AfterTurn> {
        let after = self.carried.planning.turn_ended(well);
        (after != AfterTurn::Idle).then_some(after)
    }

    /// The steps of the work, where its turn has ended and no continuation follows.
    pub(super) fn planning_finished(
        &mut self,
        well: bool,
        continues: bool,
    ) -> Option<Vec<PlanEntry>> {
        self.carried
            .planning
            .finished()
            .filter(|_| well && !continues)
    }

    /// Does what follows; the turn's end is out.
    pub(super) fn go_on_with_plan(&mut self, after: AfterTurn, shelf: &mut Shelf) {
        match after {
            AfterTurn::Propose => self.propose(Presented::AtTurnEnd, None, None, shelf),
            AfterTurn::Revise(feedback) => self.revise(&feedback, shelf),
            AfterTurn::Work => self.prompt_for_plan(words::approved(), shelf),
            AfterTurn::NoPlan => {
                self.notice("the agent ended its turn without a plan", shelf);
                self.next_prompt(shelf);
            }
            AfterTurn::Idle => self.next_prompt(shelf),
        }
    }

    fn revise(&mut self, feedback: &str, shelf: &mut Shelf) {
        let text = words::rejected(feedback, self.exit_tool());
        self.prompt_for_plan(text, shelf);
    }

    /// The prompt to send after the login for want of which this one has failed. Its planning stays as it is.
    pub(super) fn prompt_after_login(&mut self, failed: Prompt) -> Prompt {
        match self.carried.planning.interrupted() {
            Some(feedback) => Prompt {
                text: words::rejected(&feedback, self.exit_tool()),
                origin: PromptOrigin::Plan,
                sent: Sent::default(),
                plan: false,
            },
            None => failed,
        }
    }

    fn prompt_for_plan(&mut self, text: String, shelf: &mut Shelf) {
        self.drop_waiting(shelf);
        self.carried.delivery.user_prompt();
        self.carried.tracker.on_user_prompt();
        self.carried.tracker.reset_turn();
        let prompt = Prompt {
            text,
            origin: PromptOrigin::Plan,
            sent: Sent::default(),
            plan: false,
        };
        self.prepare_prompt(prompt, shelf);
    }

    /// A proposed plan is closed without an answer.
    pub(super) fn plan_closed(
        &mut self,
        request_id: u64,
        request: Option<Box<PermissionRequest>>,
        shelf: &mut Shelf,
    ) {
        let body = EventBody::PlanRejected {
            request_id,
            by: PlanRejectedBy::Cancel,
            text: String::new(),
            continues: false,
        };
        self.emit(body, shelf);
        if self.login_missing.is_none() {
            self.carried.planning.over();
        }
        if let Some(request) = request {
            self.answer(&request.id, &Outcome::Cancelled, shelf);
        }
    }

    /// The answer to a setting that a prompt waits for.
    pub(super) fn prompt_setting_answered(
        &mut self,
        taken: bool,
        for_plan: bool,
        shelf: &mut Shelf,
    ) {
        if for_plan && !taken {
            self.mode_for_plan_refused();
        }
        if let Some(prompt) = self.pending.take() {
            self.prepare_prompt(prompt, shelf);
        }
    }

    /// Makes the next setting that is due, and then sends the prompt.
    pub(super) fn prepare_prompt(&mut self, prompt: Prompt, shelf: &mut Shelf) {
        let wanted = self.carried.due.next();
        let for_plan = wanted.is_none();
        let Some(setting) = wanted.or_else(|| self.due_mode()) else {
            return self.send_prompt(prompt, shelf);
        };
        self.pending = Some(prompt);
        let tag = Tag::BeforePrompt {
            setting: setting.clone(),
            for_plan,
        };
        self.send_setting(&setting, tag, shelf);
    }
}

/// What a request shows of a plan beside its arguments.
fn shown_plan(action: &Action) -> String {
    let blocks = action.raw["content"].as_array().into_iter().flatten();
    let texts = blocks.filter_map(|block| text_of(&block["content"], "text"));
    texts.collect::<Vec<_>>().join("\n")
}
