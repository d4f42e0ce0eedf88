//! The last event of a session, and the counts in it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The last event of a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Profile name.
    pub agent: String,
    /// Stop reason of the last turn, or `error`, `timeout`, `cancelled`, `not_started`.
    pub stop_reason: String,
    /// Prompt turns.
    pub turns: u32,
    /// Denials per tool.
    pub denials: BTreeMap<String, u32>,
    /// Guidance per channel.
    pub guidance: BTreeMap<String, ReceiptCounts>,
    /// Guidance that was followed.
    pub followed: u32,
    /// Guidance that was ignored.
    pub ignored: u32,
    /// followed / (followed + ignored); null when there was none.
    pub redirect_rate: Option<f64>,
    /// Files that our tools wrote, project-relative, each once.
    pub files_written: Vec<String>,
    /// Built-in tools hidden at launch.
    pub hidden: Vec<String>,
    /// True when something ran that nobody was asked about.
    pub unguarded: bool,
    /// Seconds from start to end.
    pub duration_s: f64,
}

/// Receipts of one channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceiptCounts {
    /// Put before the model.
    pub delivered: u32,
    /// Sent without an answer.
    pub no_receipt: u32,
    /// Refused or broken.
    pub failed: u32,
}
