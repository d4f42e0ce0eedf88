//! Events about a prompt turn: its start and end, what the model says, which files it changed.

use serde::{Deserialize, Serialize};

use crate::acp_words::StopReason;
use crate::kinds::PromptOrigin;
use crate::texts::{Texts, Visit, Word, texts};
use crate::views::{ChangedFile, PlanEntry};

texts! {
    /// A prompt was sent.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct TurnStarted {
        /// The user's prompt, or a continuation of the ladder.
        pub origin: PromptOrigin,
        /// The prompt's text.
        pub text: String as is,
    }
}

texts! {
    /// Text of the model.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct AgentMessage {
        /// A chunk, in order.
        pub text: String,
        /// Groups chunks, where the agent says so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub message_id: Option<String> as is,
    }
}

texts! {
    /// Thinking of the model.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct AgentThought {
        /// A chunk, in order.
        pub text: String,
        /// Groups chunks, where the agent says so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub message_id: Option<String> as is,
    }
}

texts! {
    /// The agent's plan, whole.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct Plan {
        /// Steps in order.
        pub entries: Vec<PlanEntry>,
    }
}

texts! {
    /// What a text that was given to the running turn came to.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct Steered {
        /// The text.
        pub text: String as is,
        /// The model reads it in this turn; else it went nowhere.
        pub taken: bool,
    }
}

texts! {
    /// The agent was silent for too long; the turn is cancelled.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct InactivityTimeout {
        /// Seconds of silence.
        pub seconds: u64,
        /// What was not answered, since when, and the agent's last words.
        #[serde(default)]
        pub text: String,
    }
}

texts! {
    /// A prompt turn ended.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct TurnEnded {
        /// The agent's stop reason, or `error`.
        pub stop_reason: StopReason,
        /// True when a continuation prompt follows by itself; false when the user prompt is done.
        pub continues: bool,
        /// The agent's error, where there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub text: Option<String>,
    }
}

texts! {
    /// Files that the user's prompt has changed so far, ahead of the end of its turn: by our tools, through us, or
    /// after a permission that names them. What a command changed by itself is not among them.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct Changes {
        /// The files.
        pub files: Vec<ChangedFile>,
    }
}

texts! {
    /// What became of taking a change back.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct Reverted {
        /// The file, as it was named.
        pub path: String as is,
        /// It is what it was before.
        pub done: bool,
        /// Why not, for a person.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        pub text: String as judged,
    }
}
