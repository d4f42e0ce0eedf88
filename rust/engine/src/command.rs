//! What a host asks of the engine: one closed enum. Every answer comes back as an [`crate::event::Event`].
//!
//! Sessions are numbered by the host, so that a command never has to wait for an answer.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::acp_client::AcpClient;
use crate::event::StopReason;
use crate::host::{HostReply, TextChange};
use crate::settings::Settings;

/// A host's wish.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "command", rename_all = "snake_case")]
pub enum Command {
    /// Starts an agent and opens a session on it. Answered by `SESSION_STARTED` or `ERROR` + `SUMMARY`. Embedders that
    /// send JSON give options of their own, which settings complete.
    #[serde(skip)]
    StartSession {
        /// The host's number of the session, from 1, never used twice: while another session has it, nothing is
        /// started, and an `ERROR` of session 0 says so.
        session: u64,
        /// What to start and how.
        options: Box<SessionOptions>,
    },
    /// Starts the agent of a session anew with other settings. It is the same session: its conversation, turns and
    /// counts continue, and nothing is shown twice. Answered as `StartSession` is; while a turn runs or waits, nothing
    /// happens but an `AGENT_LOG`. Embedders give the options that they give for a start.
    #[serde(skip)]
    RestartSession {
        /// The session.
        session: u64,
        /// The same agent with other settings; what to resume is the session's own affair.
        options: Box<SessionOptions>,
    },
    /// Sends a user prompt; a prompt given while a turn runs waits for its end.
    Prompt {
        /// The session.
        session: u64,
        /// The prompt's text.
        text: String,
        /// A plan is wanted first: nothing may be changed before it is approved (`PLAN_PROPOSED`).
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        plan: bool,
        /// What goes to the agent in place of the text: content blocks of the protocol (text, images, resources). The
        /// text is then what people and the history see of them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        blocks: Vec<Value>,
        /// What the person attached to the text. Without `blocks`, the files that the text names as `@path` go along, too.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attachments: Vec<Attachment>,
        /// `_meta` of the agent's request; null for none.
        #[serde(default, skip_serializing_if = "Value::is_null")]
        meta: Value,
    },
    /// Gives a text to the running turn, where the agent takes one there. Answered by `STEERED`; what was not taken
    /// went nowhere, and is its sender's to send as a prompt.
    Steer {
        /// The session.
        session: u64,
        /// The text.
        text: String,
    },
    /// Reverts what the user's last prompt has changed in a file (`CHANGES`), unless the file has changed since.
    /// Answered by `REVERTED`.
    Revert {
        /// The session.
        session: u64,
        /// The file, as `CHANGES` names it.
        path: String,
    },
    /// Takes one of the agent's modes. Answered by `SESSION_OPTIONS`, or a notice that names the modes there are.
    SetMode {
        /// The session.
        session: u64,
        /// The mode's id.
        mode: String,
    },
    /// Sets an option or a model. Answered by `SESSION_OPTIONS`, or a notice that names what there is.
    SetOption {
        /// The session.
        session: u64,
        /// The option's id.
        option: String,
        /// A choice's value; `true` or `false` for one that is on or off.
        value: String,
    },
    /// The person's model of the project has other content roots now. One that is gone counts as outside at once, a new
    /// one as inside from the next start of the agent; a notice reports both.
    SetContentRoots {
        /// The session.
        session: u64,
        /// All of them, as [`SessionOptions::content_roots`].
        roots: Vec<PathBuf>,
    },
    /// Cancels the running turn and drops waiting prompts. Answered by `TURN_ENDED`.
    Cancel {
        /// The session.
        session: u64,
    },
    /// Answers an open permission request or a proposed plan; an unknown or closed one is ignored.
    AnswerPermission {
        /// The session.
        session: u64,
        /// `request_id` of the `PERMISSION_REQUEST` or `PLAN_PROPOSED`.
        request_id: u64,
        /// The person's choice.
        answer: PermissionAnswer,
    },
    /// Names the conversations of the project that are kept. Answered by `HISTORY`, or an `ERROR` of session 0.
    ListHistory {
        /// Whose project, and the `session` of the answer; 0: the project that the engine was opened for.
        session: u64,
        /// Only those that contain this text, whatever its case.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        query: Option<String>,
    },
    /// Asks for a kept conversation of the engine's project as Markdown. Answered by `HISTORY_EXPORTED`, or an
    /// `ERROR` of session 0.
    ExportHistory {
        /// Its id.
        conversation: String,
    },
    /// Names the known agents, and which of them are installed. Answered by `AGENTS` of session 0.
    ListAgents,
    /// Logs in (`LOGIN_NEEDED`), and tries again what failed without it. A login that the agent carries out is asked of
    /// it; for any other the person has done what was to be done, and the agent is started anew, as the same session.
    Login {
        /// The session.
        session: u64,
        /// The method's id; `None` for a login in a way that the agent has not offered.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        method: Option<String>,
        /// What the person has entered for a method that wants variables: from now on in the agent's environment.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        env: BTreeMap<String, String>,
    },
    /// Answers a host call.
    Complete {
        /// The call's id.
        call: u64,
        /// The outcome of it.
        #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, Value>"))]
        reply: HostReply,
    },
    /// Ends a session: the agent is stopped, `SUMMARY` follows.
    EndSession {
        /// The session.
        session: u64,
        /// Put into the summary when the session did not end by itself: `timeout`, `cancelled` …
        #[serde(default)]
        why: Option<StopReason>,
    },
    /// Ends all sessions and the engine.
    Shutdown,
}

/// An attachment of a prompt. What the agent does not accept of it is named in an `AGENT_LOG`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Attachment {
    /// A file anywhere on this machine: an image where the agent takes it, and else a link.
    File {
        /// Its absolute path.
        path: PathBuf,
    },
    /// A text that the host knows: a selection, problems, a diff.
    Text {
        /// What it is, for the person and the model.
        name: String,
        /// The text.
        text: String,
    },
    /// Changes of files, which go along as one diff.
    Diff {
        /// What it is, for the person and the model.
        name: String,
        /// The files.
        changes: Vec<TextChange>,
    },
    /// An image that is not a file, as from the clipboard: PNG, JPEG, GIF or WebP, at most 5 MB.
    Image {
        /// For the person.
        name: String,
        /// The bytes, Base64.
        data: String,
    },
}

/// A person's choice on a permission request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "choice", rename_all = "snake_case")]
pub enum PermissionAnswer {
    /// This once.
    Allow,
    /// From now on in this project; for dangerous actions the same as `Allow`.
    Always,
    /// One of the agent's own options.
    Option {
        /// The option's id.
        id: String,
    },
    /// No, with a reason that is to reach the model.
    Deny {
        /// The reason, in the person's words; may be empty.
        reason: String,
        /// True when nobody could be asked.
        #[serde(default)]
        nobody: bool,
    },
}

/// The options with which a session is started.
#[derive(Clone, Debug, Default)]
pub struct SessionOptions {
    /// Profile name; any other name together with an `agent_command`.
    pub agent: String,
    /// Overrides the profile's program and arguments.
    pub agent_command: Option<Vec<String>>,
    /// Environment for the agent, over the engine's own.
    pub agent_env: BTreeMap<String, String>,
    /// The project's base folder.
    pub project: PathBuf,
    /// The settings in force.
    pub settings: Settings,
    /// What a person should know beforehand, a text each; shown as notices.
    pub notices: Vec<String>,
    /// Options to set at the start, by id (see [`Command::SetOption`]).
    pub set: BTreeMap<String, String>,
    /// A login of the agent's to carry out before the session is opened, by its id; only for those that the agent
    /// carries out by itself.
    pub login: Option<String>,
    /// Answer all questions at once instead of asking the host: allow (`Some(true)`) or deny.
    pub answer: Option<bool>,
    /// Nobody is there who could log in to the agent: a session for which a login is missing ends.
    pub no_login: bool,
    /// Resumes this conversation of the project, by its id in the history.
    pub resume: Option<String>,
    /// Further folders that are passed to the agent if it accepts them; for the guard they are outside.
    pub additional_directories: Vec<PathBuf>,
    /// Folders beside the project's own whose files are the project's as well, as an IDE's model of the project has
    /// them. Only a person's IDE may say so. Agents that accept further folders get them, too.
    pub content_roots: Vec<PathBuf>,
    /// Write the traffic here.
    pub trace: Option<PathBuf>,
    /// The host is an agent itself, and this is its client: the agent's session is opened when that one asks for it.
    pub client: Option<Arc<AcpClient>>,
}

impl SessionOptions {
    /// What a session of this agent starts with under these settings; the caller adds project, command and who answers.
    pub fn of(agent: &str, settings: &Settings) -> Self {
        Self {
            agent: agent.to_owned(),
            settings: settings.clone(),
            ..Self::default()
        }
    }
}
