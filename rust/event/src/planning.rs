//! Events about a plan that a person approves before anything is changed.

use serde::{Deserialize, Serialize};

use crate::kinds::{PlanApprovedBy, PlanChannel, PlanRejectedBy};
use crate::texts::{Texts, Visit, Word, texts};
use crate::views::PlanEntry;

texts! {
    /// A plan is to be made before anything is changed.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct PlanningStarted {
        /// The agent's own mode for it; none if the guard alone keeps the files as they are.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub mode: Option<String> as is,
        /// What the model reads of it beside the prompt.
        pub text: String as is,
    }
}

texts! {
    /// A plan waits for approval; nothing has been changed so far. Answered like a permission request: allowed is
    /// approved, a denial's reason is the feedback.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct PlanProposed {
        /// The engine's number of the question; answers name it.
        pub request_id: u64,
        /// The plan as the agent wrote it.
        pub text: String as judged,
        /// Its steps; empty if none can be distinguished.
        pub entries: Vec<PlanEntry> as judged,
        /// How the plan was proposed.
        pub channel: PlanChannel,
        /// True while a person's answer is awaited.
        pub asks: bool,
    }
}

texts! {
    /// The plan was approved: the work begins.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct PlanApproved {
        /// The question.
        pub request_id: u64,
        /// Who approved.
        pub by: PlanApprovedBy,
    }
}

texts! {
    /// The plan was not approved.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct PlanRejected {
        /// The question.
        pub request_id: u64,
        /// Who did not approve.
        pub by: PlanRejectedBy,
        /// What the person wants changed; empty when no other plan is wanted.
        pub text: String as is,
        /// True when the feedback goes to the model and another plan is awaited.
        pub continues: bool,
    }
}
