//! Events about a session and its agent: its start, what can be set in it, what it is called, what went wrong.

use serde::{Deserialize, Serialize};

use crate::acp_words::Severity;
use crate::choices::{AgentCommand, OptionChoice, SessionOption};
use crate::guard_words::PolicyWord;
use crate::kinds::{ErrorKind, LogKind};
use crate::texts::{Texts, Visit, Word, texts};
use crate::views::{AgentProgram, LoginMethod};

texts! {
    /// The agent answered `initialize` and `session/new`; prompts may be sent.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct SessionStarted {
        /// Profile name of the agent.
        pub agent: String as is,
        /// Name and version that the agent gave of itself.
        pub version: Option<String> as is,
        /// The agent's own session id.
        pub agent_session: String as is,
        /// The policy in force.
        #[cfg_attr(feature = "schema", schemars(extend("enum" = siderail_guard::Policy::NAMES)))]
        pub policy: PolicyWord,
        /// The mode that was set, where the agent has modes.
        pub mode: Option<String> as is,
        /// Whether the agent takes images in prompts.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub images: bool,
    }
}

texts! {
    /// Built-in tools that are hidden from the model at launch (ladder step 1).
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct Hidden {
        /// Names as the agent knows them.
        pub tools: Vec<String> as is,
    }
}

texts! {
    /// What the agent calls the conversation; empty where it has taken a title back.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct SessionTitle {
        /// The title.
        pub title: String,
    }
}

texts! {
    /// The agent program itself has something to say to the user.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct AgentNotice {
        /// What it says.
        pub text: String,
        /// How serious it is, as the agent says it: `info`, `warning`, `error` …
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub severity: Option<Severity> as is,
    }
}

texts! {
    /// The known agents, by name: the answer to `list_agents`.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct Agents {
        /// Each once.
        pub agents: Vec<AgentProgram> as is,
    }
}

texts! {
    /// The agent wants a login; an `ERROR` ahead of it says why. While a person can be asked the session waits: for
    /// `login`, or for its end.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct LoginNeeded {
        /// Ways to log in, in the agent's order.
        pub methods: Vec<LoginMethod>,
    }
}

texts! {
    /// What can be set in the session: at its start, and whole whenever something of it has changed.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct SessionOptions {
        /// The mode in force; none if the agent has no modes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub mode: Option<String> as is,
        /// The modes, each once, however the agent lists them.
        pub modes: Vec<OptionChoice> as is,
        /// Everything else, in the agent's order.
        pub options: Vec<SessionOption> as is,
    }
}

texts! {
    /// The agent's own slash commands, whole.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct AgentCommands {
        /// In the agent's order.
        pub commands: Vec<AgentCommand> as judged,
    }
}

texts! {
    /// Something beside the protocol: an unusable line, or what a person should know of the session.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct AgentLog {
        /// Whom it concerns.
        pub kind: LogKind,
        /// A line.
        pub text: String,
    }
}

texts! {
    /// Something failed; the session may be over.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct Error {
        /// A stable word.
        pub kind: ErrorKind,
        /// What happened and why.
        pub text: String,
        /// What to do about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub hint: Option<String>,
    }
}
