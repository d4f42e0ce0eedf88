//! Events about earlier conversations: listed, exported, resumed.

use serde::{Deserialize, Serialize};

use crate::EventBody;
use crate::kinds::ResumedBy;
use crate::texts::{Texts, Visit, Word, texts};
use crate::views::PastConversation;

texts! {
    /// Conversations of the project that are kept, the newest first: the answer to `list_history`.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct History {
        /// What was searched for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub query: Option<String> as is,
        /// At most 200.
        pub conversations: Vec<PastConversation> as is,
    }
}

texts! {
    /// A kept conversation as a page: the answer to `export_history`.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct HistoryExported {
        /// Its id in the history.
        pub conversation: String as is,
        /// The page.
        pub markdown: String as is,
    }
}

texts! {
    /// Something of an earlier conversation, to be shown as such: it has happened long ago.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct Restored {
        /// Milliseconds since 1970, where known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub at: Option<u64>,
        /// What happened then.
        pub entry: Box<EventBody>,
    }
}

texts! {
    /// An earlier conversation was resumed, and everything that is shown of it has been sent.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct Resumed {
        /// Its id in the history.
        pub id: String as is,
        /// What the agent knows of it.
        pub by: ResumedBy,
        /// How much of it was shown.
        pub entries: u64,
        /// How much at its beginning was not.
        pub omitted: u64,
    }
}
