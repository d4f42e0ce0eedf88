//! What the model reads about a plan: to make one first, that a call is closed until then, that the plan is approved,
//! and what the person wants changed in it.

use crate::guidance::inline;
use crate::policy::Context;
use crate::tool::Tool;

/// Characters of a person's feedback that the model is shown.
const FEEDBACK: usize = 4_000;

/// Goes behind the prompt that a plan is wanted for.
pub fn plan_first(exit_tool: Option<&str>) -> String {
    format!(
        "Make a plan first. Change nothing yet: every tool and command that writes is closed until \
         the user has approved the plan. Look around with the tools that read, ask the user where a \
         decision is theirs, and then {} Once the plan is approved, carry it out and begin the message \
         ahead of each step with `Step N:`, N being its number.",
        how_to_present(exit_tool)
    )
}

/// A call that waits for the approval.
pub(super) fn closed(tool: &str, ctx: &Context, exit_tool: Option<&str>) -> String {
    let reads = [Tool::ReadFile, Tool::SearchText, Tool::ListProjectFiles].into_iter();
    let offered = reads.filter(|tool| ctx.offered.contains(tool));
    let reads: Vec<String> = offered.map(|tool| ctx.tool_as_seen.as_seen(tool)).collect();
    let look = match reads.is_empty() {
        true => String::new(),
        false => format!("To look around, use {}. ", reads.join(", ")),
    };
    format!(
        "The user wants a plan before anything is changed, so {} is closed until the plan is \
         approved, and so is every other way to write. {look}When you know enough, {}",
        inline(tool, 80),
        how_to_present(exit_tool)
    )
}

/// The prompt with which the work begins.
pub fn approved() -> String {
    "The plan is approved. Carry it out now, step by step; the tools that write are open. Keep your \
     own list of steps up to date if you have one; otherwise begin the message ahead of each step \
     with `Step N:`, N being its number in the plan."
        .to_owned()
}

/// The prompt after a rejection: the person's own words reach the model whole.
pub fn rejected(feedback: &str, exit_tool: Option<&str>) -> String {
    let feedback: String = feedback.trim().chars().take(FEEDBACK).collect();
    format!(
        "The plan is not approved. The user says:\n\n{feedback}\n\nRevise the plan accordingly. \
         Nothing may be changed yet. Then {}",
        how_to_present(exit_tool)
    )
}

fn how_to_present(exit_tool: Option<&str>) -> String {
    let as_message = "give the whole plan as a numbered list in your last message and end the turn";
    match exit_tool {
        Some(tool) => {
            format!("present the plan with {tool}; if it is not offered to you, {as_message}.")
        }
        None => format!("{as_message}."),
    }
}
