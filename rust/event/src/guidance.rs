//! Events about guidance: what the model reads after a denial, whether it arrives, and whether it is followed.

use serde::{Deserialize, Serialize};

use crate::guard_words::ActionWord;
use crate::kinds::{CountedOver, GuidanceChannel, Receipt};
use crate::texts::{Texts, Visit, Word, texts};

texts! {
    /// Guidance for the model goes out ahead of the denial that it explains.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct PreRejectionGuidance {
        /// The request it belongs to.
        pub request_id: u64,
        /// The agent's id of the tool call, where known.
        pub tool_call_id: Option<String> as is,
        /// The denied tool.
        pub tool: String,
        /// What it would have done.
        pub kind: ActionWord,
        /// What carries it to the model.
        pub channel: GuidanceChannel,
        /// The text that the model is to read.
        pub text: String as judged,
        /// The tool named instead, as that agent's model sees it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub instead: Option<String> as is,
    }
}

texts! {
    /// What became of a guidance text.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct GuidanceReceipt {
        /// The request whose denial it explains.
        pub request_id: u64,
        /// The denied tool.
        pub tool: String,
        /// The ladder's channel.
        pub channel: GuidanceChannel,
        /// Delivered, without receipt, or failed.
        pub receipt: Receipt,
        /// More, for a person.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        pub text: String as judged,
    }
}

texts! {
    /// The model used the tool that guidance had named.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct GuidanceFollowed {
        /// The request whose guidance was followed.
        pub request_id: u64,
        /// The tool that was used.
        pub tool: String,
        /// The kind that was denied before.
        pub kind: ActionWord,
        /// The channel that carried the guidance.
        pub channel: GuidanceChannel,
    }
}

texts! {
    /// The model did something else than guidance had said.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct GuidanceIgnored {
        /// The request whose guidance was ignored.
        pub request_id: u64,
        /// The denied tool.
        pub tool: String,
        /// The kind that was denied.
        pub kind: ActionWord,
        /// The channel that carried the guidance.
        pub channel: GuidanceChannel,
    }
}

texts! {
    /// A denial ended the turn and a continuation prompt is sent.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct AutoRetry {
        /// Number of the continuation for this user prompt, from 1.
        #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
        pub attempt: u32,
        /// The continuation's text.
        pub text: String as judged,
    }
}

texts! {
    /// No further continuation is sent for this user prompt.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct RetryExhausted {
        /// Continuations that were sent.
        pub attempts: u32,
    }
}

texts! {
    /// The denial tracker adds a word about the sandbox.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct Nudge {
        /// Consecutive denials.
        pub denials: u32,
        /// The text that the model is to read.
        pub text: String as judged,
    }
}

texts! {
    /// The denial tracker escalates for one tool.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct Escalation {
        /// The tool that was denied again and again.
        pub tool: String,
        /// Over what they are counted.
        #[serde(default)]
        pub scope: CountedOver,
        /// Denials of that tool by that count.
        pub denials: u32,
        /// The text that the model is to read.
        pub text: String as judged,
    }
}
