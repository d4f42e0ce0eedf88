//! Counts denials and says when the tone has to change. Observes only; takes no clock.
//!
//! Two counts: denials and permission-like failures in a row in the session, which lead to a nudge
//! about the sandbox; and denials by tool in the turn, which first suggest another way and then say
//! stop.

use std::collections::BTreeMap;

use crate::guidance;

/// Denials of one tool in a turn from which another way is suggested.
pub const SUGGEST_AT: u32 = 2;
/// Denials of one tool in a turn from which the model is told to stop and ask the user.
pub const STOP_AT: u32 = 4;
/// Denials in a row that lead to a nudge, when no setting says otherwise.
pub const DEFAULT_THRESHOLD: u32 = 2;

/// What a denial or failure led to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// A word about the sandbox, to be shown to the model.
    pub nudge: Option<String>,
    /// Another tone for this tool, to be shown to the model.
    pub escalation: Option<Escalation>,
}

/// A change of tone for one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Escalation {
    /// [`SUGGEST_AT`]: another way is suggested; [`STOP_AT`]: the model is to stop and ask the
    /// user.
    pub level: u32,
    /// Denials of that tool in this turn.
    pub denials: u32,
    /// The text for the model.
    pub text: String,
}

/// The denials of one session.
#[derive(Clone, Debug)]
pub struct DenialTracker {
    threshold: u32,
    root: String,
    consecutive: u32,
    turn: BTreeMap<String, u32>,
    totals: BTreeMap<String, u32>,
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
            totals: BTreeMap::new(),
        }
    }

    /// A call of this tool was denied (by label, see [`crate::Identity::label`]).
    pub fn on_denial(&mut self, tool: &str) -> Effects {
        *self.totals.entry(tool.to_owned()).or_default() += 1;
        let in_turn = self.turn.entry(tool.to_owned()).or_default();
        *in_turn += 1;
        let denials = *in_turn;
        Effects {
            nudge: self.one_more(),
            escalation: escalation(tool, denials),
        }
    }

    /// The agent reported a failed call. Only a failure that speaks of permissions counts.
    pub fn on_failure(&mut self, text: &str) -> Effects {
        if !is_permission_failure(text) {
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

    /// Denials in a row, permission-like failures included.
    pub fn consecutive(&self) -> u32 {
        self.consecutive
    }

    /// Denials by tool over the whole session.
    pub fn summary(&self) -> &BTreeMap<String, u32> {
        &self.totals
    }

    fn one_more(&mut self) -> Option<String> {
        self.consecutive += 1;
        self.consecutive
            .is_multiple_of(self.threshold)
            .then(|| guidance::nudge(self.consecutive, &self.root))
    }
}

fn escalation(tool: &str, denials: u32) -> Option<Escalation> {
    let (level, text) = match denials {
        0..SUGGEST_AT => return None,
        SUGGEST_AT..STOP_AT => (SUGGEST_AT, guidance::suggest_another_way(tool, denials)),
        STOP_AT.. => (STOP_AT, guidance::stop_and_ask(tool, denials)),
    };
    Some(Escalation {
        level,
        denials,
        text,
    })
}

/// True when a failure's text holds one of the usual words for a refused permission, as whole
/// words.
pub fn is_permission_failure(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    [
        "permission denied",
        "eacces",
        "operation not permitted",
        "not allowed",
    ]
    .iter()
    .any(|phrase| has_whole_words(&text, phrase))
}

fn has_whole_words(text: &str, phrase: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(phrase).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(is_word)
            && !text[at + phrase.len()..]
                .chars()
                .next()
                .is_some_and(is_word)
    })
}
