//! Reads the answer to a prompt: why the turn ended, and what it cost.
//!
//! A stop reason that is in no schema is kept as it was written. Knows nothing of the session that the turn was in. This is
//! the [`StopReason`] of the wire; events have one of their own (`event/src/acp_words.rs`), into which
//! `traffic/src/acp_words.rs` translates this one.

use serde_json::Value;
use serde_json::value::RawValue;

use crate::schema;
use crate::schema::text;

/// Why a turn ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The model was done.
    EndTurn,
    /// The model's output limit.
    MaxTokens,
    /// The agent's limit of model calls in a turn.
    MaxTurnRequests,
    /// The model or the agent refused to continue.
    Refusal,
    /// The turn was cancelled, by the user or by a rejected permission.
    Cancelled,
    /// A reason that is in no schema.
    Unknown(String),
}

impl StopReason {
    /// Reads a stop reason as it is on the wire.
    pub fn read(text: &str) -> Self {
        match text {
            "end_turn" => Self::EndTurn,
            "max_tokens" => Self::MaxTokens,
            "max_turn_requests" => Self::MaxTurnRequests,
            "refusal" => Self::Refusal,
            "cancelled" => Self::Cancelled,
            unknown => Self::Unknown(unknown.to_owned()),
        }
    }

    /// The stop reason as it is on the wire.
    pub fn as_str(&self) -> &str {
        match self {
            Self::EndTurn => "end_turn",
            Self::MaxTokens => "max_tokens",
            Self::MaxTurnRequests => "max_turn_requests",
            Self::Refusal => "refusal",
            Self::Cancelled => "cancelled",
            Self::Unknown(reason) => reason,
        }
    }
}

/// Tokens of a turn (unstable in schema 1.15; Copilot, Claude, Codex, opencode and Vibe send them).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TurnUsage {
    /// All of them.
    pub total: u64,
    /// What the model read.
    pub input: u64,
    /// What it wrote.
    pub output: u64,
    /// What it thought, where counted.
    pub thought: Option<u64>,
    /// What it read out of a cache, where counted.
    pub cached_read: Option<u64>,
    /// What was put into a cache, where counted.
    pub cached_write: Option<u64>,
}

impl TurnUsage {
    /// Reads `usage`; none if it counts nothing.
    fn read(value: &Value) -> Option<Self> {
        let count = |name: &str| value.get(name).and_then(Value::as_u64);
        let (input, output) = (count("inputTokens"), count("outputTokens"));
        input.or(output).or(count("totalTokens"))?;
        let (input, output) = (input.unwrap_or(0), output.unwrap_or(0));
        Some(Self {
            total: count("totalTokens").unwrap_or(input.saturating_add(output)),
            input,
            output,
            thought: count("thoughtTokens"),
            cached_read: count("cachedReadTokens"),
            cached_write: count("cachedWriteTokens"),
        })
    }
}

/// The result of `session/prompt`.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptResult {
    /// Why the turn ended.
    pub stop_reason: StopReason,
    /// Tokens of the turn, where the agent counts them.
    pub usage: Option<TurnUsage>,
    /// `_meta`, unwrapped; null when absent.
    pub meta: Value,
}

impl PromptResult {
    /// Reads the result of `session/prompt`. A result without stop reason still ends the turn, so this never fails.
    pub fn read(raw: &RawValue) -> Self {
        let value = schema::value(raw);
        Self {
            stop_reason: StopReason::read(text(&value, "stopReason").unwrap_or_default()),
            usage: value.get("usage").and_then(TurnUsage::read),
            meta: schema::meta(&value).clone(),
        }
    }
}
