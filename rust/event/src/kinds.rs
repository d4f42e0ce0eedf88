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

/// Over what the denials of a tool are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CountedOver {
    /// What follows one prompt of the user.
    #[default]
    Turn,
    /// The whole session.
    Session,
}

impl From<siderail_guard::denial::Scope> for CountedOver {
    fn from(scope: siderail_guard::denial::Scope) -> Self {
        match scope {
            siderail_guard::denial::Scope::Turn => Self::Turn,
            siderail_guard::denial::Scope::Session => Self::Session,
        }
    }
}
