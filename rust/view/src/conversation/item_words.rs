//! Closed words of items and patches, each list declared once: for the code here, and for windows, which read and compare
//! the words.

/// Makes an enum of words.
macro_rules! words {
    ($(
        $(#[$meta:meta])*
        $Name:ident { $( $(#[$word_meta:meta])* $Variant:ident = $word:literal, )* }
    )*) => { $(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $Name {
            $( $(#[$word_meta])* $Variant, )*
        }

        impl $Name {
            /// All of them.
            pub const ALL: &'static [Self] = &[ $( Self::$Variant, )* ];

            /// Its word.
            pub fn as_str(self) -> &'static str {
                match self { $( Self::$Variant => $word, )* }
            }
        }
    )* };
}

words! {
    /// What a patch does.
    PatchKind {
        /// A new item.
        Append = "append",
        /// An item is now another.
        Replace = "replace",
        /// Speech has grown.
        Extend = "extend",
        /// Another item shows some from now on.
        Fold = "fold",
        /// An item is no longer shown.
        Remove = "remove",
        /// A person is asked about a change.
        Asked = "asked",
    }

    /// What an item is.
    ItemKind {
        /// A prompt.
        Prompt = "prompt",
        /// What the model says or thinks.
        Speech = "speech",
        /// A call of a tool.
        Call = "call",
        /// Calls in a row that only looked at something.
        Calls = "calls",
        /// The agent's plan.
        Plan = "plan",
        /// A plan that was put before the person.
        Proposal = "proposal",
        /// The files that a prompt has changed.
        Changes = "changes",
        /// An earlier conversation begins below.
        PastBegins = "past_begins",
        /// Something at its beginning is not shown.
        PastOmitted = "past_omitted",
        /// It ends above.
        PastEnds = "past_ends",
        /// An event that belongs to nothing else.
        Notice = "notice",
    }

    /// How a prompt came to the model.
    PromptWay {
        /// From the person, as a prompt of its own.
        User = "user",
        /// From the person, into the running turn.
        Steered = "steered",
        /// From the person, as what is to be different about a plan.
        Feedback = "feedback",
        /// From the engine, behind a turn that a denial ended.
        Continuation = "continuation",
        /// From the engine, with what the person said to a plan.
        Plan = "plan",
    }

    /// How far a call is.
    #[derive(Default)]
    CallStatus {
        /// It is announced.
        #[default]
        Pending = "pending",
        /// A person is asked about it.
        Asking = "asking",
        /// It runs.
        Running = "running",
        /// It has ended well.
        Done = "done",
        /// It has failed.
        Failed = "failed",
        /// It was denied.
        Denied = "denied",
        /// It was cancelled.
        Cancelled = "cancelled",
    }

    /// What became of a proposed plan.
    ProposalState {
        /// Nothing yet.
        Waiting = "waiting",
        /// The work begins.
        Approved = "approved",
        /// It is to be different.
        SentBack = "sent_back",
        /// No other plan is wanted.
        TurnedDown = "turned_down",
    }
}

impl CallStatus {
    /// True while more of the call may come.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::Asking | Self::Running)
    }
}
