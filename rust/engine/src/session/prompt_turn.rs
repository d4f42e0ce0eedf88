//! One prompt turn, from its prompt to its stop reason: [`PromptTurn`] is what is allowed, asked and denied in it. What is
//! allowed ends with the turn ([`RunningTurn`]), so a write that comes later is one that nobody was asked about; what was
//! asked and denied is kept until the next turn begins. What goes out with its prompt and what its end says is decided here,
//! too; the way of a prompt from part to part is in [`super::dispatch`]. Plain data, and effects; [`content`] reads files,
//! on the worker.

pub(in crate::session) mod consent;
pub(in crate::session) mod content;
pub(in crate::session) mod denied_calls;
pub(in crate::session) mod ending;
pub(in crate::session) mod expected;
pub(in crate::session) mod outgoing;
pub(in crate::session) mod prompt;
pub(in crate::session) mod refused_calls;
pub(in crate::session) mod silence;
pub(in crate::session) mod steering;
pub(in crate::session) mod turn_denials;

use std::collections::HashSet;
use std::path::PathBuf;

use crate::event::StopReason;
use crate::session::prompt_turn::expected::ExpectedCalls;
use crate::session::prompt_turn::prompt::Prompt;
use crate::session::prompt_turn::turn_denials::TurnDenials;
use crate::session::terminal_command::CommandIn;

/// What belongs to the turn that runs, and what is kept of the last one. What an agent does between turns, in the
/// background, is asked about and allowed here, too, until the next turn begins.
#[derive(Default)]
pub(in crate::session) struct PromptTurn {
    /// What is dropped at its end.
    pub(in crate::session) running: RunningTurn,
    /// The stop reason of the last turn that ended, kept for the session's summary.
    pub(in crate::session) stop_reason: Option<StopReason>,
    /// What was denied. It is kept after the turn: what was denied or is to be refused stays so if it comes late.
    pub(in crate::session) denials: TurnDenials,
    /// Calls that a permission request was about. They are kept after the turn: a later request that names no call is
    /// not about them.
    pub(in crate::session) asked_calls: HashSet<String>,
    /// Calls of our tools that were allowed when the agent asked. They are settled at the turn's end.
    pub(in crate::session) expected: ExpectedCalls,
}

/// What ends with a turn. What an agent does in the background after that is allowed in an empty one, which the next turn
/// drops.
#[derive(Default)]
pub(in crate::session) struct RunningTurn {
    /// The prompt that runs.
    pub(in crate::session) prompt: Option<Prompt>,
    /// Why the turn was cancelled, if it was.
    pub(in crate::session) cancelling: Option<StopReason>,
    /// Files whose change was allowed.
    pub(in crate::session) approved_paths: HashSet<PathBuf>,
    /// Commands that were allowed, for terminals.
    pub(in crate::session) approved_commands: Vec<CommandIn>,
}

impl PromptTurn {
    /// The turn of a prompt. Calls that were allowed as ours since the last one may still be on their way.
    pub(in crate::session) fn of(prompt: Prompt, before: Self) -> Self {
        Self {
            running: RunningTurn {
                prompt: Some(prompt),
                ..RunningTurn::default()
            },
            expected: before.expected,
            stop_reason: before.stop_reason,
            ..Self::default()
        }
    }
}
