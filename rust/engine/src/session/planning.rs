//! Connects a planning to the agent: the plan before the person, and what the answer sets in motion; [`mode`] is the
//! agent's for it.
//!
//! How far it is, is in [`crate::planning`]; what is closed meanwhile in `siderail_guard::planning`. Here the two meet what
//! the agent can do. Nothing is opened before the answer has been taken. Plain data, and effects; it knows no session.

pub(in crate::session) mod mode;
#[cfg(test)]
mod tests;

use siderail_acp::permission::{Choice, Outcome, PermissionRequest, choose};
use siderail_acp::tool_call::ToolCall;
use siderail_guard::Action;
use siderail_guard::path::{Place, locate};
use siderail_guard::planning::{is_plan_edit, plan_texts};

use crate::command::PermissionAnswer;
use crate::event::{
    EventBody, Plan, PlanApproved, PlanApprovedBy, PlanChannel, PlanEntry, PlanProposed,
    PlanRejected, PlanRejectedBy, PlanningStarted, PromptOrigin, StopReason,
};
use crate::planning::{AfterAnswer, AfterTurn, Planning, Presented};
use crate::profile::PlanMode;
use crate::session::effect::Effect;
use crate::session::prompt_turn::prompt::{Prompt, Sent};
use crate::session::question::Ask;
use crate::views::text_of;
use mode::ModeForPlan;

/// Why an approval is not the answer to the agent's request.
const NO_YES_FOR_ONCE: &str = "the agent has no allow-once option, so its request was rejected; the next prompt tells \
                               it about the approval";
/// Why a plan that comes again is not put before the person.
const ASKS_AGAIN: &str =
    "the agent asks again for lasting permission, although it knows about the approval: rejected";

/// A planning of a session.
#[derive(Default)]
pub(in crate::session) struct AgentPlanning {
    /// How far it is.
    pub(in crate::session) state: Planning,
    /// The agent's mode for it.
    pub(in crate::session) mode: ModeForPlan,
}

impl AgentPlanning {
    /// The same with a new process of the agent, which is in its usual mode.
    pub(in crate::session) fn in_new_process(self) -> Self {
        let mode = ModeForPlan::default();
        Self { mode, ..self }
    }
}

/// A planning with what its steps depend on.
pub(in crate::session) struct Planner<'a> {
    pub(in crate::session) of: &'a mut AgentPlanning,
    /// The agent's own mode for making a plan.
    pub(in crate::session) own: Option<&'a PlanMode>,
    /// What settles every question without a person.
    pub(in crate::session) answer: Option<bool>,
}

impl Planner<'_> {
    /// A task of the user's begins. `plan`: its prompt wants a plan first.
    pub(in crate::session) fn task_begins(&mut self, plan: bool) {
        if plan {
            self.of.state.begin();
            self.of.mode.is_seen_to = false;
        } else {
            self.of.state.over();
        }
    }

    /// Reports that a planning begins, and what the model reads of it.
    pub(in crate::session) fn started(&self) -> (String, Effect) {
        let text = plan_texts::plan_first(self.exit_tool());
        let started = EventBody::PlanningStarted(PlanningStarted {
            mode: self.of.mode.own.clone(),
            text: text.clone(),
        });
        (text, Effect::emit(started))
    }

    fn exit_tool(&self) -> Option<&str> {
        self.of.mode.on(self.own)?.exit_tool.as_deref()
    }

    /// The agent presents its plan and waits. `number` gives one for the question.
    pub(in crate::session) fn presented(
        &mut self,
        request: PermissionRequest,
        plan: String,
        number: impl FnOnce() -> u64,
    ) -> Vec<Effect> {
        let reject = choose(&request.options, Choice::RejectOnce);
        let reject = Effect::Permission(request.id.clone(), reject);
        if self.of.state.is_turned_down() {
            // What the person said is not before the model yet.
            return vec![reject];
        }
        let once = choose(&request.options, Choice::AllowOnce);
        if self.of.state.is_told_in_words() && once == Outcome::Cancelled {
            return vec![Effect::Notice(ASKS_AGAIN.to_owned()), reject];
        }
        let plan = Some(plan).filter(|plan| !plan.trim().is_empty());
        self.propose(Presented::InTurn, plan, Some(Box::new(request)), number)
    }

    fn propose(
        &mut self,
        presented: Presented,
        text: Option<String>,
        request: Option<Box<PermissionRequest>>,
        number: impl FnOnce() -> u64,
    ) -> Vec<Effect> {
        let draft = self.of.state.propose(presented, text).clone();
        let request_id = number();
        let proposed = EventBody::PlanProposed(PlanProposed {
            request_id,
            text: draft.text,
            entries: draft.entries,
            channel: match presented {
                Presented::InTurn => PlanChannel::Acp,
                Presented::AtTurnEnd => PlanChannel::Turn,
            },
            asks: self.answer.is_none(),
        });
        let mut effects = vec![Effect::emit(proposed)];
        let answer = match self.answer {
            None => {
                let ask = Ask::Plan {
                    request_id,
                    request,
                };
                effects.push(Effect::Ask(Box::new(ask)));
                return effects;
            }
            Some(true) => PermissionAnswer::Allow,
            Some(false) => PermissionAnswer::Deny {
                reason: String::new(),
                nobody: false,
            },
        };
        let by = PlanApprovedBy::Setting;
        effects.extend(self.answered(request_id, request, &answer, by));
        effects
    }

    /// A person has answered a proposed plan (`by`: the person, or what answers in place of one).
    pub(in crate::session) fn answered(
        &mut self,
        request_id: u64,
        request: Option<Box<PermissionRequest>>,
        answer: &PermissionAnswer,
        by: PlanApprovedBy,
    ) -> Vec<Effect> {
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
        let after = self.of.state.answer(approved, feedback);
        let mut effects = Vec::new();
        if approved {
            effects.push(Effect::emit(EventBody::PlanApproved(PlanApproved {
                request_id,
                by,
            })));
            let steps = self.of.state.followed().map(<[_]>::to_vec);
            effects.extend(steps.map(|entries| Effect::emit(EventBody::Plan(Plan { entries }))));
        } else {
            let text = feedback.trim().to_owned();
            effects.push(Effect::emit(EventBody::PlanRejected(PlanRejected {
                request_id,
                by: no,
                continues: !text.is_empty(),
                text,
            })));
        }
        effects.extend(match (after, request) {
            (AfterAnswer::Allow, Some(request)) => self.allow(&request),
            (AfterAnswer::Reject, Some(request)) => self.reject(&request),
            (AfterAnswer::Allow | AfterAnswer::Reject, None) => Vec::new(),
            (AfterAnswer::Work, _) => new_user_prompt(plan_texts::approved()),
            (AfterAnswer::Revise(feedback), _) => self.revise(&feedback),
            (AfterAnswer::Idle, _) => vec![Effect::NextPrompt],
        });
        effects
    }

    fn allow(&mut self, request: &PermissionRequest) -> Vec<Effect> {
        let once = choose(&request.options, Choice::AllowOnce);
        if once != Outcome::Cancelled {
            // Its own way out of the mode goes with the agent's own approval.
            self.of.mode = ModeForPlan::default();
            return vec![Effect::Permission(request.id.clone(), once)];
        }
        // A yes that lasts was not given. The way out of the mode goes with the prompt.
        self.of.state.agreed_in_words();
        let mut effects = vec![Effect::Notice(NO_YES_FOR_ONCE.to_owned())];
        effects.extend(self.reject(request));
        effects
    }

    fn reject(&self, request: &PermissionRequest) -> Vec<Effect> {
        let outcome = choose(&request.options, Choice::RejectOnce);
        let mut effects = vec![Effect::Permission(request.id.clone(), outcome)];
        if self.own.is_some_and(|own| own.reject_goes_on) {
            effects.push(Effect::CancelTurn(StopReason::PlanRejected));
        }
        effects
    }

    /// What follows from the end of a turn, which is reported.
    pub(in crate::session) fn go_on(
        &mut self,
        after: AfterTurn,
        number: impl FnOnce() -> u64,
    ) -> Vec<Effect> {
        match after {
            AfterTurn::Propose => self.propose(Presented::AtTurnEnd, None, None, number),
            AfterTurn::Revise(feedback) => self.revise(&feedback),
            AfterTurn::Work => new_user_prompt(plan_texts::approved()),
            AfterTurn::NoPlan => {
                let text = "the agent ended its turn without a plan".to_owned();
                vec![Effect::Notice(text), Effect::NextPrompt]
            }
            AfterTurn::Idle => vec![Effect::NextPrompt],
        }
    }

    fn revise(&self, feedback: &str) -> Vec<Effect> {
        new_user_prompt(plan_texts::rejected(feedback, self.exit_tool()))
    }

    /// The prompt to send after the login that this one has failed without. Its planning stays as it is.
    pub(in crate::session) fn prompt_after_login(&mut self, failed: Prompt) -> Prompt {
        match self.of.state.interrupted() {
            Some(feedback) => prompt(plan_texts::rejected(&feedback, self.exit_tool())),
            None => failed,
        }
    }

    /// A piece of a message; the steps of the plan, where it moves one on.
    pub(in crate::session) fn message(
        &mut self,
        text: &str,
        starts: bool,
    ) -> Option<Vec<PlanEntry>> {
        let notes = self.own.and_then(|own| own.notes.as_deref());
        if notes.is_some_and(|notes| text.starts_with(notes)) {
            self.of.state.call();
            return None;
        }
        self.of.state.message(text, starts)
    }
}

impl Planning {
    /// The agent has changed files by a call of its own. Where they are those in which it keeps its plan, by a `part` of
    /// their paths, and outside of the project, their text is the plan. True for such a call.
    pub(in crate::session) fn files_written(
        &mut self,
        part: Option<&str>,
        action: &Action,
        call: Option<&ToolCall>,
        (root, home): (&str, Option<&str>),
    ) -> bool {
        let is_outside = |path: &String| locate(path, root, root, home).place == Place::Outside;
        let is_plan = part.is_some_and(|part| is_plan_edit(action, part, root))
            && action.paths.iter().all(is_outside);
        if is_plan {
            let diffs = call.into_iter().flat_map(|call| call.content.iter().rev());
            let mut texts = diffs.filter_map(|part| text_of(part, "newText"));
            let text = texts.next().or(text_of(action.arguments(), "content"));
            if let Some(text) = text {
                self.written(text);
            }
        }
        is_plan
    }
}

/// The person's answer sends the agent on with this prompt.
fn new_user_prompt(prompt: String) -> Vec<Effect> {
    vec![Effect::NewUserPrompt, Effect::PromptForPlan(prompt)]
}

/// A prompt that a plan has set going.
pub(in crate::session) fn prompt(text: String) -> Prompt {
    Prompt {
        text,
        origin: PromptOrigin::Plan,
        sent: Sent::default(),
        plan: false,
    }
}
