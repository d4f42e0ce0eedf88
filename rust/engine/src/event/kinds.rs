//! Members of events that are one of a few words.

use serde::{Deserialize, Serialize};

/// Whom a word about the agent concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogKind {
    /// A person, once: a recipe that is switched off, a setting that does not count.
    Notice,
    /// Whoever looks for a mistake: what the agent wrote was no message.
    Noise,
}

/// Who wrote a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptOrigin {
    /// The user.
    User,
    /// The ladder's step 5.
    Continuation,
    /// A person's answer to a plan: the word to begin, or feedback.
    Plan,
}

/// What is known of a guidance text's way to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Receipt {
    /// Handed to the channel, which is known to put it before the model.
    Delivered,
    /// Sent, but the channel gives no answer.
    NoReceipt,
    /// The channel refused or broke.
    Failed,
}
