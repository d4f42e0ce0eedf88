//! Counts denials and says when to warn the model: a nudge about the sandbox, or an escalation for one tool. Observes
//! only; takes no clock.
//!
//! Two counts: denials and failures of access in a row in the session, which lead to a nudge about
//! the sandbox; and denials by tool, in the turn and in the session, which first suggest another way
//! and then say stop.

use std::collections::BTreeMap;

pub use crate::guidance::Scope;
use crate::{access, guidance};

/// Denials of one tool, in a turn or in the session, from which another way is suggested.
pub const SUGGEST_AT: u32 = 2;
/// Denials of one tool, in a turn or in the session, from which the model is asked to stop and ask the user.
pub const STOP_AT: u32 = 4;
/// Denials in a row that lead to a nudge, when no setting says otherwise.
pub const DEFAULT_THRESHOLD: u32 = 2;

/// What a denial or failure led to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// The nudge, a text about the sandbox, for the model.
    pub nudge: Option<String>,
    /// The escalation for this tool, for the model.
    pub escalation: Option<Escalation>,
}

/// An escalation for one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Escalation {
    /// [`SUGGEST_AT`]: another way is suggested; [`STOP_AT`]: the model is to stop and ask the
    /// user.
    pub level: u32,
    /// The count that caused it.
    pub scope: Scope,
    /// Denials of that tool by that count.
    pub denials: u32,
    /// The text for the model.
    pub text: String,
}

/// How often it escalated, by the count that caused it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Escalations {
    /// The count of the turn.
    pub turn: u32,
    /// The count of the session, where that of the turn alone would not have led as far.
    pub session: u32,
}

/// What a session's tracker has counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DenialSummary {
    /// Denials by tool.
    pub denials: BTreeMap<String, u32>,
    /// Escalations.
    pub escalations: Escalations,
}

/// The denials of one session.
#[derive(Clone, Debug)]
pub struct DenialTracker {
    threshold: u32,
    root: String,
    consecutive: u32,
    turn: BTreeMap<String, u32>,
    totals: DenialSummary,
}

impl DenialTracker {
    /// `threshold` denials in a row make a nudge (0 counts as 1), which names `root`, the project
    /// folder.
    pub fn new(threshold: u32, root: &str) -> Self {
        Self {
            threshold: threshold.max(1),
            root: root.to_owned(),
            consecutive: 0,
            turn: BTreeMap::new(),
            totals: DenialSummary::default(),
        }
    }

    /// A call of this tool was denied (by label, see [`crate::Identity::label`]).
    pub fn on_denial(&mut self, tool: &str) -> Effects {
        let in_session = one_more_of(&mut self.totals.denials, tool);
        let in_turn = one_more_of(&mut self.turn, tool);
        let escalation = escalation(tool, in_turn, in_session);
        let counts = &mut self.totals.escalations;
        match escalation.as_ref().map(|it| it.scope) {
            Some(Scope::Turn) => counts.turn += 1,
            Some(Scope::Session) => counts.session += 1,
            None => {}
        }
        Effects {
            nudge: self.one_more(),
            escalation,
        }
    }

    /// A call that ran has failed, by its status or by its program's. Only a refusal of access that the
    /// program or tool itself reports counts ([`access::refusal`]); `command` is the line that ran, where
    /// one did.
    pub fn on_failure(&mut self, output: &str, command: Option<&str>) -> Effects {
        if access::refusal(output, command).is_none() {
            return Effects::default();
        }
        Effects {
            nudge: self.one_more(),
            escalation: None,
        }
    }

    /// A call succeeded: the row of denials is broken. Counts by tool stay.
    pub fn on_success(&mut self, _tool: &str) {
        self.consecutive = 0;
    }

    /// The user prompted: the row of denials is broken.
    pub fn on_user_prompt(&mut self) {
        self.consecutive = 0;
    }

    /// A new turn: counts by tool start again, the session's totals stay.
    pub fn reset_turn(&mut self) {
        self.turn.clear();
    }

    /// Denials in a row, failures of access included.
    pub fn consecutive(&self) -> u32 {
        self.consecutive
    }

    /// Denials by tool and escalations over the whole session.
    pub fn summary(&self) -> &DenialSummary {
        &self.totals
    }

    fn one_more(&mut self) -> Option<String> {
        self.consecutive += 1;
        self.consecutive
            .is_multiple_of(self.threshold)
            .then(|| guidance::nudge(self.consecutive, &self.root))
    }
}

fn one_more_of(counts: &mut BTreeMap<String, u32>, tool: &str) -> u32 {
    let count = counts.entry(tool.to_owned()).or_default();
    *count += 1;
    *count
}

/// The turn's count is named unless the session's leads further.
fn escalation(tool: &str, in_turn: u32, in_session: u32) -> Option<Escalation> {
    let level = level(in_session)?;
    let (scope, denials) = match self::level(in_turn) == Some(level) {
        true => (Scope::Turn, in_turn),
        false => (Scope::Session, in_session),
    };
    let text = match level {
        STOP_AT => guidance::stop_and_ask(tool, denials, scope),
        _ => guidance::suggest_another_way(tool, denials, scope),
    };
    Some(Escalation {
        level,
        scope,
        denials,
        text,
    })
}

fn level(denials: u32) -> Option<u32> {
    match denials {
        0..SUGGEST_AT => None,
        SUGGEST_AT..STOP_AT => Some(SUGGEST_AT),
        STOP_AT.. => Some(STOP_AT),
    }
}
