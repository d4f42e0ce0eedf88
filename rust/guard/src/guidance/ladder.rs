//! The texts of the ladder's steps 4 to 6, of the denial tracker (nudge and escalation) and of a person's no.
//!
//! Each takes what was decided elsewhere and words it for one channel. The tracker's three texts differ in their words,
//! not only in their numbers, so that a model can distinguish them.

use super::inline;
use crate::tool::Tool;

/// Over what denials of a tool are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The turn: what follows one prompt of the user.
    Turn,
    /// The whole session.
    Session,
}

impl Scope {
    /// As events name it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Turn => "turn",
            Self::Session => "session",
        }
    }
}

/// The tracker's nudge: this is a sandbox with that allowed folder, the same path or call is not to
/// be tried again, another way inside is to be found.
pub fn nudge(denials: u32, root: &str) -> String {
    format!(
        "Note: {denials} calls in a row were denied. You work in a sandbox: the allowed folder is \
         the project folder {}, and its files are changed through the project's own tools only. Do \
         not retry the same path or the same call. Find another way inside this folder.",
        inline(root, 200)
    )
}

/// The tracker's first escalation for a tool.
pub fn suggest_another_way(tool: &str, denials: u32, scope: Scope) -> String {
    format!(
        "{} was denied {denials} times in this {}, and the same call will not be allowed. Try \
         another way: the tool that was named instead, or a different step of the task.",
        inline(tool, 60),
        scope.as_str()
    )
}

/// The tracker's second escalation for a tool. If the denials came one by one over the session, another tool that was
/// named is still a way.
pub fn stop_and_ask(tool: &str, denials: u32, scope: Scope) -> String {
    let how_on = match scope {
        Scope::Turn => "Tell the user what you wanted to do and ask the user how to continue.",
        Scope::Session => {
            "Use the tool that was named instead; if there is none, tell the user what you wanted to do and \
             ask the user how to continue."
        }
    };
    format!(
        "Stop: {} was denied {denials} times in this {}. Do not call it again. {how_on}",
        inline(tool, 60),
        scope.as_str()
    )
}

/// Ladder step 4: a message into the running turn, right after a rejection.
pub fn steering(guidance: &str) -> String {
    format!("About the call that was just denied: {guidance}")
}

/// Ladder step 5: the prompt after a rejection ended the turn. An imperative, or the model only
/// thanks.
pub fn continuation(guidance: &str) -> String {
    format!("Continue the previous task now; the denied call does not end it. {guidance}")
}

/// Ladder step 6: ahead of the next result of one of our tools.
pub fn notice(guidance: &str) -> String {
    format!("[Notice about an earlier call that was denied: {guidance}]")
}

/// A person said no, with a reason or without.
pub fn denied_by_person(tool: &str, reason: &str) -> String {
    let reason = inline(reason, 300);
    let because = if reason.is_empty() {
        " without giving a reason".to_owned()
    } else {
        format!(" and says: \"{reason}\"")
    };
    format!(
        "The user denied {}{because}. Respect that: continue without this call, or ask the user if \
         the task cannot be done without it.",
        inline(tool, 60)
    )
}

/// Nobody could be asked.
pub fn nobody_to_ask(tool: &str) -> String {
    format!(
        "{} needs the user's consent, but nobody could be asked, so it was denied. Continue \
         without this call, and say at the end what was left undone.",
        inline(tool, 60)
    )
}

/// A setting says no to everything that a person would be asked about.
pub fn denied_by_setting(tool: &str) -> String {
    format!(
        "{} needs the user's consent, but this session is set to deny all such calls, so \
         nobody was asked. Continue without this call, and say at the end what was left undone.",
        inline(tool, 60)
    )
}

/// A person has not answered a question about one of our tools yet.
pub fn still_waiting(tool: Tool) -> String {
    format!(
        "Still waiting for the user's answer. Call {tool} again with the same arguments to go on \
         waiting."
    )
}
