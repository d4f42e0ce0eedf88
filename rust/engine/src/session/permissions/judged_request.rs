//! What happens to a permission request once the guard has judged it. Plain data; it knows no session.

use siderail_acp::permission::{Choice, Outcome, PermissionOption, choose};
use siderail_guard::decision::Verdict;

use crate::planning::Planning;
use crate::profile::PlanMode;
use crate::session::permissions::action::Asked;
use crate::session::permissions::presented_plan::presented_plan;
use crate::session::prompt_turn::PromptTurn;
use crate::session::prompt_turn::denied_calls::Seen;

/// What a request meets beside its turn.
pub(in crate::session) struct RequestContext<'a> {
    pub(in crate::session) is_closing: bool,
    /// What the guard denies, the agent's hook denies after the answer.
    pub(in crate::session) hook_decides: bool,
    /// The agent's own mode for making a plan.
    pub(in crate::session) plan: Option<&'a PlanMode>,
    pub(in crate::session) planning: &'a Planning,
}

/// What becomes of it.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::session) enum Next {
    /// It is answered so, and nobody hears of it.
    Answered(Outcome),
    /// It presents this plan, which is put before the person.
    Plan(String),
    /// It is announced, and the guard's decision is carried out.
    Decided,
}

impl PromptTurn {
    /// What becomes of a request with these options.
    pub(in crate::session) fn judged(
        &mut self,
        options: &[PermissionOption],
        asked: &Asked,
        context: &RequestContext,
    ) -> Next {
        if self.running.cancelling.is_some() || context.is_closing {
            return Next::Answered(Outcome::Cancelled);
        }
        self.asked_calls.extend(asked.calls.iter().cloned());
        if let Some(plan) = presented_plan(&asked.action, context.plan, context.planning) {
            return Next::Plan(plan);
        }
        let call_id = asked.calls.first().map(String::as_str);
        let denied = self.denials.before(call_id, &asked.action, Seen::Request);
        if let Some(denied) = denied {
            // Where the hook has the last word and has denied the call, it needs the way free to say so.
            if context.hook_decides && denied.in_hook {
                return Next::Answered(choose(options, Choice::AllowOnce));
            }
            self.denials.reject_stands = true;
            return Next::Answered(choose(options, Choice::RejectOnce));
        }
        match asked.decision.verdict {
            Verdict::Deny if context.hook_decides => {
                Next::Answered(choose(options, Choice::AllowOnce))
            }
            _ => Next::Decided,
        }
    }
}
