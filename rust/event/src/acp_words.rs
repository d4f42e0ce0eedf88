//! Members of events whose words are ACP's. An agent may send another one, which stays as it is.
//!
//! This [`StopReason`] is what events carry, with words of ours besides. What an agent wrote is another type
//! (`acp/src/prompt.rs`); `traffic/src/acp_words.rs` translates.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::kinds::{read_from_any_word, written_as_word};
use crate::texts::Texts;

/// Makes an enum of the words that are known and of any other.
macro_rules! open_words {
    ($(
        $(#[$doc:meta])*
        $Name:ident { $( $(#[$word_doc:meta])* $Variant:ident = $word:literal, )* }
    )*) => { $(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum $Name {
            $( $(#[$word_doc])* $Variant, )*
            /// Another word, as it was sent.
            Unknown(String),
        }

        impl $Name {
            /// The known words.
            pub const WORDS: &'static [&'static str] = &[ $( $word, )* ];

            /// Its word.
            pub fn as_str(&self) -> &str {
                match self {
                    $( Self::$Variant => $word, )*
                    Self::Unknown(word) => word,
                }
            }
        }

        impl From<&str> for $Name {
            fn from(word: &str) -> Self {
                match word {
                    $( $word => Self::$Variant, )*
                    unknown => Self::Unknown(unknown.to_owned()),
                }
            }
        }

        impl Default for $Name {
            /// No word at all.
            fn default() -> Self {
                Self::Unknown(String::new())
            }
        }

        impl Texts for $Name {}

        written_as_word!($Name);
        read_from_any_word!($Name);
    )* };
}

open_words! {
    /// Why a turn ended, or a session.
    StopReason {
        /// The model was done.
        EndTurn = "end_turn",
        /// The model's output limit.
        MaxTokens = "max_tokens",
        /// The agent's limit of model calls in a turn.
        MaxTurnRequests = "max_turn_requests",
        /// The model or the agent refused to continue.
        Refusal = "refusal",
        /// It was cancelled, by a person or by a rejected permission.
        Cancelled = "cancelled",
        /// Ours: something failed.
        Error = "error",
        /// Ours: it took longer than the whole run may.
        Timeout = "timeout",
        /// Ours: the agent was silent for too long.
        Inactivity = "inactivity",
        /// Ours: no other plan was wanted.
        PlanRejected = "plan_rejected",
        /// Ours, of a session: its agent never took a prompt.
        NotStarted = "not_started",
        /// Ours, of a session: it had no turn.
        Ended = "ended",
    }

    /// What a tool of an agent does, by the agent's own words.
    ToolKind {
        /// Reads files or data.
        Read = "read",
        /// Changes or creates files.
        Edit = "edit",
        /// Removes files.
        Delete = "delete",
        /// Moves or renames files.
        Move = "move",
        /// Searches.
        Search = "search",
        /// Runs a command.
        Execute = "execute",
        /// Thinks or plans.
        Think = "think",
        /// Fetches something from outside.
        Fetch = "fetch",
        /// Changes the session's mode.
        SwitchMode = "switch_mode",
        /// Anything else, also when the agent says nothing.
        Other = "other",
    }

    /// How serious a notice of the agent's program is.
    Severity {
        /// Good to know.
        Info = "info",
        /// Something may go wrong.
        Warning = "warning",
        /// Something has gone wrong.
        Error = "error",
    }

    /// How far a tool call of an agent is.
    ToolCallStatus {
        /// Not started; it may be waiting for a permission.
        Pending = "pending",
        /// Running.
        InProgress = "in_progress",
        /// Ended well, as far as the agent says.
        Completed = "completed",
        /// Ended badly, or still open when its turn ended.
        Failed = "failed",
        /// Open when its turn was cancelled.
        Cancelled = "cancelled",
    }

    /// How far a step of a plan is.
    PlanEntryStatus {
        /// Nobody has begun it.
        Pending = "pending",
        /// It is worked on.
        InProgress = "in_progress",
        /// It is done.
        Completed = "completed",
    }

    /// How much a step of a plan matters.
    PlanEntryPriority {
        /// Much.
        High = "high",
        /// As most do.
        Medium = "medium",
        /// Little.
        Low = "low",
    }

    /// What an option of a permission request grants or refuses.
    PermissionOptionKind {
        /// A yes for this one time.
        AllowOnce = "allow_once",
        /// A yes from now on.
        AllowAlways = "allow_always",
        /// A no for this one time.
        RejectOnce = "reject_once",
        /// A no from now on.
        RejectAlways = "reject_always",
    }
}

impl ToolCallStatus {
    /// Whether nothing more is expected of the call.
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}
