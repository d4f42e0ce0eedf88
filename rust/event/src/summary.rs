//! The last event of a session, and the counts in it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::acp_words::StopReason;
use crate::kinds::GuidanceChannel;

/// The last event of a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Summary {
    /// Profile name.
    pub agent: String,
    /// Stop reason of the last turn, or `error`, `timeout`, `cancelled`, `not_started`.
    pub stop_reason: StopReason,
    /// Prompt turns.
    pub turns: u32,
    /// Denials per tool.
    pub denials: BTreeMap<String, u32>,
    /// Escalations.
    #[serde(default)]
    pub escalations: EscalationCounts,
    /// Guidance per channel.
    #[cfg_attr(feature = "schema", schemars(extend("propertyNames" = {"enum": GuidanceChannel::ALL})))]
    pub guidance: BTreeMap<GuidanceChannel, ReceiptCounts>,
    /// Guidance that was followed.
    pub followed: u32,
    /// Guidance that was ignored.
    pub ignored: u32,
    /// followed / (followed + ignored); null when there was none.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub redirect_rate: Option<f64>,
    /// Files that our tools wrote, project-relative, each once.
    pub files_written: Vec<String>,
    /// Built-in tools hidden at launch.
    pub hidden: Vec<String>,
    /// True when something ran that nobody was asked about.
    pub unguarded: bool,
    /// Seconds from start to end.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub duration_s: f64,
}

/// How often the model was warned that a tool is denied again and again (`ESCALATION`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EscalationCounts {
    /// Because of its denials in one turn.
    pub turn: u32,
    /// Because of its denials in the whole session, where those of the turn did not lead as far.
    pub session: u32,
}

/// Receipts of one channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReceiptCounts {
    /// Put before the model.
    pub delivered: u32,
    /// Sent without an answer.
    pub no_receipt: u32,
    /// Refused or broken.
    pub failed: u32,
}

impl From<siderail_guard::Escalations> for EscalationCounts {
    fn from(counted: siderail_guard::Escalations) -> Self {
        Self {
            turn: counted.turn,
            session: counted.session,
        }
    }
}
