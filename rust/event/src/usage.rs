//! What a conversation takes and costs, as an agent counts it. Unknown figures are left out, and nothing is estimated.

use serde::{Deserialize, Serialize};

/// Tokens and cost of a session so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Usage {
    /// Tokens in the model's context now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used: Option<u64>,
    /// Tokens that it holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// What the session has cost so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// Tokens of the turn that ends; only at its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_tokens: Option<TurnTokens>,
}

/// An amount of money.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cost {
    /// In whole units of the currency.
    pub amount: f64,
    /// By its code: `USD`.
    pub currency: String,
}

/// Tokens of one turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TurnTokens {
    /// All of them.
    pub total: u64,
    /// What the model read.
    pub input: u64,
    /// What it wrote.
    pub output: u64,
    /// What it thought.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thought: Option<u64>,
    /// What it read out of a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_read: Option<u64>,
    /// What was put into a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_write: Option<u64>,
}
