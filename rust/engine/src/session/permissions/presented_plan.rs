//! Whether a request presents a plan: then [`super::super::planning`] takes it, and not the policy.

use siderail_guard::{Action, ActionKind};

use crate::planning::Planning;
use crate::profile::PlanMode;
use crate::views::text_of;

/// Words by which a permission request's plan is recognised in its arguments.
const PLAN_MEMBERS: [&str; 3] = ["plan", "summary", "plan_text"];

/// The plan that a permission request presents, if it does: the request to leave the planning mode. `own`: the agent's
/// mode for making a plan.
pub(in crate::session) fn presented_plan(
    action: &Action,
    own: Option<&PlanMode>,
    planning: &Planning,
) -> Option<String> {
    let by_name = own.and_then(|plan| plan.exit_tool.as_deref());
    let is_named = by_name.is_some_and(|tool| action.identity.label() == tool);
    if action.kind != ActionKind::SwitchMode && !is_named {
        return None;
    }
    let arguments = action.arguments();
    let named = PLAN_MEMBERS
        .iter()
        .find_map(|name| text_of(arguments, name));
    match named {
        Some(plan) => Some(plan.to_owned()),
        None if planning.is_drafting() || planning.is_turned_down() => Some(shown_plan(action)),
        None => None,
    }
}

/// What a request shows of a plan beside its arguments.
fn shown_plan(action: &Action) -> String {
    let blocks = action.raw["content"].as_array().into_iter().flatten();
    let texts = blocks.filter_map(|block| text_of(&block["content"], "text"));
    texts.collect::<Vec<_>>().join("\n")
}
