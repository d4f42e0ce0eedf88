//! Members of events that take one of a few words: each closed list, declared once, with its words on the wire.
//!
//! `docs/events.schema.json` is made from them.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::texts::Texts;

/// What a list of words has that is closed or open: each is shown and written as its word.
macro_rules! written_as_word {
    ($Name:ident) => {
        impl fmt::Display for $Name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl Serialize for $Name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    };
}
pub(crate) use written_as_word;

/// What a list of words has that is open: any text is read.
macro_rules! read_from_any_word {
    ($Name:ident) => {
        impl<'de> Deserialize<'de> for $Name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer).map(|word| Self::from(word.as_str()))
            }
        }

        /// Any text: the list of words is not closed.
        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $Name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($Name).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                String::json_schema(generator)
            }
        }
    };
}
pub(crate) use read_from_any_word;

/// Makes an enum of the words of a member. Reading and writing are shared by all of them, which the derives' code is
/// not: an IDE loads it.
macro_rules! words {
    ($(
        $(#[$doc:meta])*
        $Name:ident { $( $(#[$word_doc:meta])* $Variant:ident = $word:literal, )* }
    )*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub enum $Name {
            $( $(#[$word_doc])* #[cfg_attr(feature = "schema", schemars(rename = $word))] $Variant, )*
        }

        impl $Name {
            /// All of them.
            pub const ALL: &'static [Self] = &[ $( Self::$Variant, )* ];
            /// Their words, in the same order.
            const WORDS: &'static [&'static str] = &[ $( $word, )* ];

            /// Its word.
            pub fn as_str(self) -> &'static str {
                Self::WORDS[self as usize]
            }
        }

        impl Texts for $Name {}

        written_as_word!($Name);

        impl<'de> Deserialize<'de> for $Name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                position(deserializer, Self::WORDS).map(|at| Self::ALL[at])
            }
        }
    )* };
}

/// Which of these words is read.
fn position<'de, D: Deserializer<'de>>(
    deserializer: D,
    words: &'static [&'static str],
) -> Result<usize, D::Error> {
    let word = String::deserialize(deserializer)?;
    let at = words.iter().position(|known| *known == word);
    at.ok_or_else(|| D::Error::unknown_variant(&word, words))
}

words! {
    /// Whom a word about the agent concerns.
    LogKind {
        /// A person, once: a recipe that is switched off, a setting that does not count.
        Notice = "notice",
        /// For finding a mistake: what the agent wrote was not a message.
        Noise = "noise",
    }

    /// Who wrote a prompt.
    PromptOrigin {
        /// The user.
        User = "user",
        /// The ladder's step 5.
        Continuation = "continuation",
        /// A person's answer to a plan: the word to begin, or feedback.
        Plan = "plan",
    }

    /// What is known of a guidance text's way to the model.
    Receipt {
        /// Handed to the channel, which is known to put it before the model.
        Delivered = "delivered",
        /// Sent, but the channel gives no answer.
        NoReceipt = "no_receipt",
        /// The channel refused or broke.
        Failed = "failed",
    }

    /// Over what the denials of a tool are counted.
    CountedOver {
        /// What follows one prompt of the user.
        Turn = "turn",
        /// The whole session.
        Session = "session",
    }

    /// What ended a session, or kept something from being done.
    ErrorKind {
        /// The agent's program did not start.
        Spawn = "spawn",
        /// The agent did not get through the opening.
        Handshake = "handshake",
        /// Something that was asked for at the start cannot be had.
        Setting = "setting",
        /// A login is missing.
        Login = "login",
        /// The agent said what the protocol does not allow.
        Protocol = "protocol",
        /// The agent is gone.
        Closed = "closed",
        /// It took too long.
        Timeout = "timeout",
        /// A kept conversation cannot be read or changed.
        History = "history",
        /// The engine cannot do it.
        Internal = "internal",
    }

    /// Who denied a permission.
    DeniedBy {
        /// The policy in force.
        Policy = "policy",
        /// A person.
        User = "user",
        /// An answer given beforehand.
        Setting = "setting",
        /// Nobody, since nobody could be asked.
        NoTerminal = "no_terminal",
        /// Nobody in time.
        Timeout = "timeout",
        /// Nobody: the turn was cancelled.
        Cancel = "cancel",
    }

    /// Who approved of an action.
    ApprovedBy {
        /// The policy in force.
        Policy = "policy",
        /// A person.
        User = "user",
        /// An answer given beforehand.
        Setting = "setting",
        /// A person, for good, earlier.
        Always = "always",
    }

    /// Who approved of a plan.
    PlanApprovedBy {
        /// A person.
        User = "user",
        /// An answer given beforehand.
        Setting = "setting",
    }

    /// Who did not approve of a plan.
    PlanRejectedBy {
        /// A person.
        User = "user",
        /// An answer given beforehand.
        Setting = "setting",
        /// Nobody, since nobody could be asked.
        NoTerminal = "no_terminal",
        /// Nobody: the turn was cancelled.
        Cancel = "cancel",
    }

    /// How an earlier conversation was resumed.
    ResumedBy {
        /// The agent sent it again.
        Load = "load",
        /// The agent knows it.
        Resume = "resume",
        /// The agent knows nothing of it.
        History = "history",
    }

    /// Where a permission was asked for.
    RequestChannel {
        /// In a request of the protocol's.
        Acp = "acp",
        /// In the agent's own hook.
        Hook = "hook",
        /// At the gate of our own tools.
        Own = "own",
        /// In a request for a file of the client's.
        Fs = "fs",
        /// In a request for a terminal of the client's.
        Terminal = "terminal",
    }

    /// How a plan was proposed.
    PlanChannel {
        /// The agent asked, and its turn waits.
        Acp = "acp",
        /// The turn ended with the plan.
        Turn = "turn",
    }

    /// What brings guidance to the model.
    GuidanceChannel {
        /// The answer to the agent's own hook.
        Hook = "hook",
        /// The agent's own API.
        Api = "api",
        /// The error of a request of the agent's that is refused.
        Refusal = "refusal",
        /// The result of a tool of ours.
        Result = "result",
        /// What is put into a turn that runs.
        Steering = "steering",
        /// A prompt after a turn that a rejection ended.
        Continuation = "continuation",
        /// A notice ahead of the next result of our tools.
        Notice = "notice",
        /// A `session/message`.
        Message = "message",
    }

    /// How far a call of a tool of ours is.
    OwnToolStatus {
        /// It runs.
        Started = "started",
        /// It is done.
        Completed = "completed",
        /// It failed.
        Failed = "failed",
        /// It was not allowed.
        Denied = "denied",
        /// It was called off.
        Cancelled = "cancelled",
    }

    /// What became of a file.
    ChangeKind {
        /// It is new.
        Created = "created",
        /// Its text is another.
        Changed = "changed",
        /// It is gone.
        Deleted = "deleted",
    }

    /// Who carries a login out.
    LoginKind {
        /// The agent.
        Agent = "agent",
        /// A person, with a command.
        Terminal = "terminal",
        /// A person, with a variable.
        EnvVar = "env_var",
    }

    /// What an option takes.
    OptionKind {
        /// One of its values.
        Select = "select",
        /// On or off.
        Boolean = "boolean",
        /// Something that is not known here.
        Unknown = "unknown",
    }
}

/// Lines of earlier versions counted over the turn, and did not say so.
impl Default for CountedOver {
    fn default() -> Self {
        Self::Turn
    }
}

impl From<siderail_guard::denial::Scope> for CountedOver {
    fn from(scope: siderail_guard::denial::Scope) -> Self {
        match scope {
            siderail_guard::denial::Scope::Turn => Self::Turn,
            siderail_guard::denial::Scope::Session => Self::Session,
        }
    }
}
