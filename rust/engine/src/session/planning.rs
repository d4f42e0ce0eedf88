//! A planning in this session: the plan before the person, and what the answer sets going; [`mode`] is the agent's for it.
//!
//! Where it stands is in [`crate::planning`]; what is closed meanwhile in `siderail_guard::planning`. Here the two meet
//! the agent. Nothing is opened before the answer has been taken.

use siderail_acp::permission::{Choice, Outcome, PermissionRequest, choose};
use siderail_guard::Action;
use siderail_guard::path::{Place, locate};
use siderail_guard::planning::plan_texts;

use crate::command::PermissionAnswer;
use crate::event::{
    EventBody, PlanApprovedBy, PlanChannel, PlanEntry, PlanRejectedBy, PromptOrigin,
};
use crate::planning::{AfterAnswer, AfterTurn, Presented};
use crate::session::agent_settings::ModeForPlan;
use crate::session::permissions::judging::is_plan_edit;
use crate::session::permissions::question::Ask;
use crate::session::prompt_turn::prompt::{Prompt, Sent};
use crate::session::prompt_turn::running::PLAN_REJECTED;
use crate::session::views::text_of;
use crate::session::{Session, Tag};
use crate::shared::Shared;

mod mode;

/// Why an approval is not the answer to the agent's request.
const NO_YES_FOR_ONCE: &str = "the agent has no allow-once option, so its request was rejected; the next prompt tells \
                               it about the approval";
/// Why a plan that comes again is not put before the person.
const ASKS_AGAIN: &str =
    "the agent asks again for lasting permission, although it knows about the approval: rejected";

impl Session {
    /// A prompt that wants a plan is about to go out.
    pub(in crate::session) fn begin_planning(&mut self) {
        self.carried.planning.begin();
        self.agent_settings.mode_for_plan.is_seen_to = false;
    }

    /// Says that a planning begins, and what the model is told of it.
    pub(in crate::session) fn tell_planning(&self, shared: &mut Shared) -> String {
        let text = plan_texts::plan_first(self.exit_tool());
        let mode = self.agent_settings.mode_for_plan.own.clone();
        let body = EventBody::PlanningStarted {
            mode,
            text: text.clone(),
        };
        self.emit(body, shared);
        text
    }

    /// What the path of a file has in it in which the agent keeps its plan, while its own mode for that is on.
    pub(in crate::session) fn plan_files(&self) -> Option<&str> {
        let is_on = self.agent_settings.mode_for_plan.own.is_some();
        let spec = self.facts.profile.plan.as_ref().filter(|_| is_on)?;
        spec.files.as_deref()
    }

    /// True for an edit of such a file, which is the agent's own and outside of the project.
    fn is_plan_file(&self, action: &Action) -> bool {
        let Some(part) = self.plan_files() else {
            return false;
        };
        let root = self.root_text();
        let home = self.place.home.as_deref();
        let is_outside = |path: &String| locate(path, &root, &root, home).place == Place::Outside;
        is_plan_edit(action, part, &root) && action.paths.iter().all(is_outside)
    }

    /// A plan file was written: its text is the plan. True when it was one.
    pub(in crate::session) fn plan_file_written(&mut self, id: &str, action: &Action) -> bool {
        if !self.is_plan_file(action) {
            return false;
        }
        let call = self
            .handshake
            .acp
            .as_ref()
            .and_then(|acp| acp.tool_call(id));
        let diffs = call.into_iter().flat_map(|call| call.content.iter().rev());
        let mut texts = diffs.filter_map(|part| text_of(part, "newText"));
        let text = texts.next().or(text_of(action.arguments(), "content"));
        if let Some(text) = text.map(str::to_owned) {
            self.carried.planning.written(&text);
        }
        true
    }

    /// A piece of a message; the steps of the plan, where it moves one on.
    pub(in crate::session) fn message_for_plan(
        &mut self,
        text: &str,
        starts: bool,
    ) -> Option<Vec<PlanEntry>> {
        let spec = self.facts.profile.plan.as_ref();
        let notes = spec.and_then(|spec| spec.notes.as_deref());
        if notes.is_some_and(|notes| text.starts_with(notes)) {
            self.carried.planning.call();
            return None;
        }
        self.carried.planning.message(text, starts)
    }

    /// The same for a thought, where it may be what the model has said.
    pub(in crate::session) fn thought_for_plan(
        &mut self,
        text: &str,
        starts: bool,
    ) -> Option<Vec<PlanEntry>> {
        let is_said = self.facts.profile.says_in_thoughts && !self.carried.planning.is_drafting();
        is_said.then(|| self.carried.planning.message(text, starts))?
    }

    /// The agent presents its plan and waits.
    pub(in crate::session) fn plan_presented(
        &mut self,
        request: PermissionRequest,
        plan: String,
        shared: &mut Shared,
    ) {
        if self.carried.planning.is_turned_down() {
            // What the person said is not before the model yet.
            let reject = choose(&request.options, Choice::RejectOnce);
            return self.answer(&request.id, &reject, shared);
        }
        let once = choose(&request.options, Choice::AllowOnce);
        if self.carried.planning.is_told_in_words() && once == Outcome::Cancelled {
            self.notice(ASKS_AGAIN, shared);
            let reject = choose(&request.options, Choice::RejectOnce);
            return self.answer(&request.id, &reject, shared);
        }
        let plan = Some(plan).filter(|plan| !plan.trim().is_empty());
        self.propose(Presented::InTurn, plan, Some(Box::new(request)), shared);
    }

    fn propose(
        &mut self,
        presented: Presented,
        text: Option<String>,
        request: Option<Box<PermissionRequest>>,
        shared: &mut Shared,
    ) {
        let draft = self.carried.planning.propose(presented, text).clone();
        let request_id = shared.request_number();
        let channel = match presented {
            Presented::InTurn => PlanChannel::Acp,
            Presented::AtTurnEnd => PlanChannel::Turn,
        };
        let body = EventBody::PlanProposed {
            request_id,
            text: draft.text,
            entries: draft.entries,
            channel,
            asks: self.carried.options.answer.is_none(),
        };
        self.emit(body, shared);
        let answer = match self.carried.options.answer {
            None => {
                let ask = Ask::Plan {
                    request_id,
                    request,
                };
                self.questions.asks.insert(request_id, ask);
                return;
            }
            Some(true) => PermissionAnswer::Allow,
            Some(false) => PermissionAnswer::Deny {
                reason: String::new(),
                nobody: false,
            },
        };
        self.plan_answered(
            request_id,
            request,
            &answer,
            PlanApprovedBy::Setting,
            shared,
        );
    }

    /// A person (`by`: or whoever stands in) has answered a proposed plan.
    pub(in crate::session) fn plan_answered(
        &mut self,
        request_id: u64,
        request: Option<Box<PermissionRequest>>,
        answer: &PermissionAnswer,
        by: PlanApprovedBy,
        shared: &mut Shared,
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
            self.emit(EventBody::PlanApproved { request_id, by }, shared);
            if let Some(entries) = self.carried.planning.followed().map(<[_]>::to_vec) {
                self.emit(EventBody::Plan { entries }, shared);
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
            self.emit(body, shared);
        }
        let mut mode = ModeForPlan::default();
        let choice = match after {
            AfterAnswer::Allow => {
                // Its own way out of the mode goes with the agent's own approval.
                mode = std::mem::take(&mut self.agent_settings.mode_for_plan);
                Choice::AllowOnce
            }
            AfterAnswer::Reject => Choice::RejectOnce,
            AfterAnswer::Work => return self.prompt_for_plan(plan_texts::approved(), shared),
            AfterAnswer::Revise(feedback) => return self.revise(&feedback, shared),
            AfterAnswer::Idle => return self.next_prompt(shared),
        };
        let Some(request) = request else { return };
        let outcome = choose(&request.options, choice);
        let (choice, outcome) = match (choice, outcome) {
            (Choice::AllowOnce, Outcome::Cancelled) => {
                // A yes that lasts was not given. The way out of the mode goes with the prompt.
                self.agent_settings.mode_for_plan = mode;
                self.carried.planning.agreed_in_words();
                self.notice(NO_YES_FOR_ONCE, shared);
                let reject = Choice::RejectOnce;
                (reject, choose(&request.options, reject))
            }
            answered => answered,
        };
        self.answer(&request.id, &outcome, shared);
        if choice == Choice::RejectOnce && self.rejection_goes_on() {
            self.cancel_turn(PLAN_REJECTED, shared);
        }
    }

    fn rejection_goes_on(&self) -> bool {
        let spec = self.facts.profile.plan.as_ref();
        spec.is_some_and(|spec| spec.reject_goes_on)
    }

    /// What follows when a turn has ended and nothing else continues it; true when a plan or a prompt does.
    pub(in crate::session) fn plan_after_turn(&mut self, well: bool) -> Option<AfterTurn> {
        let after = self.carried.planning.turn_ended(well);
        (after != AfterTurn::Idle).then_some(after)
    }

    /// The steps of the work, where its turn has ended and no continuation follows.
    pub(in crate::session) fn planning_finished(
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
    pub(in crate::session) fn go_on_with_plan(&mut self, after: AfterTurn, shared: &mut Shared) {
        match after {
            AfterTurn::Propose => self.propose(Presented::AtTurnEnd, None, None, shared),
            AfterTurn::Revise(feedback) => self.revise(&feedback, shared),
            AfterTurn::Work => self.prompt_for_plan(plan_texts::approved(), shared),
            AfterTurn::NoPlan => {
                self.notice("the agent ended its turn without a plan", shared);
                self.next_prompt(shared);
            }
            AfterTurn::Idle => self.next_prompt(shared),
        }
    }

    fn revise(&mut self, feedback: &str, shared: &mut Shared) {
        let text = plan_texts::rejected(feedback, self.exit_tool());
        self.prompt_for_plan(text, shared);
    }

    /// The prompt to send after the login for want of which this one has failed. Its planning stays as it is.
    pub(in crate::session) fn prompt_after_login(&mut self, failed: Prompt) -> Prompt {
        match self.carried.planning.interrupted() {
            Some(feedback) => Prompt {
                text: plan_texts::rejected(&feedback, self.exit_tool()),
                origin: PromptOrigin::Plan,
                sent: Sent::default(),
                plan: false,
            },
            None => failed,
        }
    }

    fn prompt_for_plan(&mut self, text: String, shared: &mut Shared) {
        self.drop_waiting(shared);
        self.carried.denials.user_prompt();
        let prompt = Prompt {
            text,
            origin: PromptOrigin::Plan,
            sent: Sent::default(),
            plan: false,
        };
        self.prepare_prompt(prompt, shared);
    }

    /// The answer to a setting that a prompt waits for.
    pub(in crate::session) fn prompt_setting_answered(
        &mut self,
        taken: bool,
        for_plan: bool,
        shared: &mut Shared,
    ) {
        if for_plan && !taken {
            self.mode_for_plan_refused();
        }
        if let Some(prompt) = self.agent_settings.pending.take() {
            self.prepare_prompt(prompt, shared);
        }
    }

    /// Makes the next setting that is due, and then sends the prompt.
    pub(in crate::session) fn prepare_prompt(&mut self, prompt: Prompt, shared: &mut Shared) {
        let wanted = self.carried.due.next();
        let for_plan = wanted.is_none();
        let Some(setting) = wanted.or_else(|| self.due_mode()) else {
            return self.send_prompt(prompt, shared);
        };
        self.agent_settings.pending = Some(prompt);
        let tag = Tag::BeforePrompt {
            setting: setting.clone(),
            for_plan,
        };
        self.send_setting(&setting, tag, shared);
    }
}
