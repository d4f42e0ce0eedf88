//! One prompt turn: what is allowed, asked and denied in it. All of it ends with the turn.
//!
//! It knows no session, no agent and no events.

use std::collections::HashSet;
use std::path::PathBuf;

use super::denied_calls::DeniedCalls;
use super::expected_calls::ExpectedCalls;
use super::prompt::Prompt;
use super::refused_calls::RefusedCalls;
use super::terminals::CommandIn;

/// What belongs to the turn that runs, or to the last one.
#[derive(Default)]
pub(super) struct PromptTurn {
    /// The prompt that runs.
    pub(super) running: Option<Prompt>,
    /// Why the turn was cancelled, if it was.
    pub(super) cancelling: Option<&'static str>,
    /// Denials, so that hook and permission request count once.
    pub(super) denied: DeniedCalls,
    /// Calls that a permission request was about.
    pub(super) asked_calls: HashSet<String>,
    /// A rejection with a reason is the last that happened: the agent has not gone on since.
    pub(super) reject_stands: bool,
    /// Files whose change was allowed.
    pub(super) approved_paths: HashSet<PathBuf>,
    /// Commands that were allowed, for terminals.
    pub(super) approved_commands: Vec<CommandIn>,
    /// Actions that were allowed only to be refused when they come to us.
    pub(super) refused: RefusedCalls,
    /// Calls of our tools that were allowed when the agent asked.
    pub(super) expected: ExpectedCalls,
}

impl PromptTurn {
    /// The turn of a prompt. Calls that were allowed as ours may still be on their way.
    pub(super) fn of(prompt: Prompt, before: Self) -> Self {
        Self {
            running: Some(prompt),
            expected: before.expected,
            ..Self::default()
        }
    }
}
