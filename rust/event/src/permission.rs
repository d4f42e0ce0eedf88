//! Events about permissions: what is asked, and the outcome of it.

use serde::{Deserialize, Serialize};

use crate::guard_words::ActionWord;
use crate::kinds::{ApprovedBy, DeniedBy, RequestChannel};
use crate::texts::{Texts, Visit, Word, texts};
use crate::views::{FileDiff, PermissionChoice};

texts! {
    /// The agent asks for permission, or its hook asked before a tool ran.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct PermissionRequest {
        /// The engine's number of the request; answers name it.
        pub request_id: u64,
        /// The agent's id of the tool call, where known.
        pub tool_call_id: Option<String> as is,
        /// The tool, by the agent's name or ours.
        pub tool: String,
        /// What it does: `edit`, `read_file`, `run_tests`, `execute` …
        pub kind: ActionWord,
        /// The command or title a person would judge by.
        pub text: String as judged,
        /// All paths that it touches.
        pub paths: Vec<String> as judged,
        /// Where the question came from.
        pub channel: RequestChannel,
        /// The agent's choices; empty where nobody is asked. None that lasts where ours would not be remembered.
        pub options: Vec<PermissionChoice> as is,
        /// True where `Always` is remembered; elsewhere it must not be offered, and counts as a yes for once.
        #[serde(default)]
        pub may_be_remembered: bool,
        /// The change that is asked about, as far as it is known; only when a person is asked.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub diffs: Vec<FileDiff> as judged,
        /// Those of `paths` that lie outside the project, links followed.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub outside: Vec<String> as judged,
        /// What a yes destroys, or which part of a command is asked about and why; a line each.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub destroys: Option<String> as judged,
        /// True while a person's answer is awaited.
        pub asks: bool,
    }
}

texts! {
    /// The request was denied.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct PermissionDenied {
        /// The request.
        pub request_id: u64,
        /// The agent's id of the tool call, where known.
        pub tool_call_id: Option<String> as is,
        /// The denied tool.
        pub tool: String,
        /// What it would have done.
        pub kind: ActionWord,
        /// Who denied.
        pub by: DeniedBy,
        /// Why, for a person: which policy and what it says, the user's reason, which setting.
        pub text: String as judged,
        /// All paths of the action.
        pub paths: Vec<String> as judged,
    }
}

texts! {
    /// The request was allowed.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct PermissionApproved {
        /// The request.
        pub request_id: u64,
        /// The agent's id of the tool call, where known.
        pub tool_call_id: Option<String> as is,
        /// The allowed tool.
        pub tool: String,
        /// What it does.
        pub kind: ActionWord,
        /// Who allowed.
        pub by: ApprovedBy,
    }
}

texts! {
    /// A built-in edit or command ran without anybody having been asked.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct Unguarded {
        /// What ran and what to do about it.
        pub text: String as judged,
    }
}
