//! Keeps everything as it is while a plan is made and not yet approved: nothing may be changed by any tool.
//!
//! Laid over the decision of [`crate::policy`], after all that a person has allowed before: no policy and no `Always`
//! opens what this closes. What only looks keeps its decision. Knows no turn and no approval; the caller knows that a
//! plan is being made. Its texts are in [`plan_texts`].

use serde_json::Value;

use crate::action::{Action, ActionKind, Identity};
use crate::builtin;
use crate::decision::{Decision, Reason, Verdict};
use crate::gate;
use crate::normalize::fields;
use crate::path::make_absolute;
use crate::policy::{self, Context};
use crate::tool::{GitAction, Planning, Tool};

mod fetching;
pub mod plan_texts;

/// True for an edit of Markdown files whose absolute paths have `part` in them, as those have in which the agent keeps its
/// plan.
pub fn is_plan_edit(action: &Action, part: &str, root: &str) -> bool {
    let is_one = |path: &String| {
        let path = make_absolute(path, root);
        path.contains(part) && path.ends_with(".md")
    };
    let is_edit = action.kind == ActionKind::Edit && action.command.is_none();
    is_edit && !action.paths.is_empty() && action.paths.iter().all(is_one)
}

/// What becomes of a decision about an action of the agent while a plan is made. `exit_tool`: the agent's own tool
/// that presents a plan.
pub fn restrain(
    action: &Action,
    decision: Decision,
    ctx: &Context,
    exit_tool: Option<&str>,
) -> Decision {
    let kind = builtin::of_action(action);
    let stands = match (&action.identity, &action.command) {
        (_, None) if kind == ActionKind::SwitchMode => true,
        // Our server's gate looks at the call itself; a name that is in doubt gets no further.
        (Identity::OwnTool(_), None) => decision.verdict == Verdict::Allow,
        (Identity::OwnTool(_) | Identity::OtherMcp { .. }, _) => false,
        (_, Some(_)) => {
            let analysis = policy::analysis(action, ctx);
            analysis.is_some_and(|line| line.only_looks) && !fields::has_diff(&action.raw)
        }
        (_, None) => action.unread.is_empty() && is_harmless(kind, action, &decision),
    };
    if stands {
        return decision;
    }
    let tool = action.identity.label();
    closed(&tool, decision, ctx, exit_tool)
}

/// The same for a call of one of our own tools, at our server.
pub fn restrain_own_tool(
    tool: Tool,
    arguments: &Value,
    decision: Decision,
    ctx: &Context,
    exit_tool: Option<&str>,
) -> Decision {
    let planning = match tool.planning() {
        Planning::Action => {
            gate::git_action(tool, arguments).map_or(Planning::Closed, GitAction::planning)
        }
        planning => planning,
    };
    let stands = match planning {
        Planning::Open => true,
        Planning::Command => match arguments["command"].as_str() {
            Some(_) => gate::analysis(arguments, ctx).only_looks,
            None => arguments["run_id"].is_string(),
        },
        Planning::Request => fetching::only_reads(arguments),
        Planning::Action | Planning::Closed => false,
    };
    if stands {
        return decision;
    }
    closed(&ctx.tool_as_seen.as_seen(tool), decision, ctx, exit_tool)
}

/// A tool of the agent's own that reads, or that touches nothing.
fn is_harmless(kind: ActionKind, action: &Action, decision: &Decision) -> bool {
    let input = &action.raw["rawInput"];
    // Whatever it calls itself: what names an address could send something there.
    if (kind == ActionKind::Fetch || fetching::has_address(input)) && !fetching::only_reads(input) {
        return false;
    }
    if policy::may_change_files(kind, action) {
        let touches_nothing = matches!(decision.reason, Reason::PassThrough | Reason::Internal);
        return touches_nothing && !fields::has_diff(&action.raw);
    }
    !matches!(kind, ActionKind::Execute | ActionKind::Input)
}

fn closed(tool: &str, decision: Decision, ctx: &Context, exit_tool: Option<&str>) -> Decision {
    Decision {
        verdict: Verdict::Deny,
        reason: Reason::PlanFirst,
        instead: None,
        guidance: Some(plan_texts::closed(tool, ctx, exit_tool)),
        ..decision
    }
}
