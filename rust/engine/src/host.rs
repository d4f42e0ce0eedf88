//! Who embeds the engine: receives events, performs host calls, and answers them by a command.
//!
//! A host call never returns a value. It carries an id, and the answer comes back as
//! [`crate::command::Command::Complete`], so that no thread waits for the other side.

mod arguments;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::Event;

pub use self::arguments::Arguments;
pub use siderail_guard::guidance::Surroundings;

/// What the engine needs of its embedder. All methods return at once.
pub trait Host: Send + Sync + 'static {
    /// Takes an event. Must not block; called in order of `seq`.
    fn deliver(&self, event: Event);
    /// Starts a call; the answer is a `Command::Complete` with the call's id.
    fn start(&self, call: HostCall);
    /// The call's result is no longer wanted; answering it is allowed and ignored.
    fn cancel(&self, call: u64);
    /// Bare names of the tools whose host side exists here.
    fn tools(&self) -> Vec<&'static str>;
    /// What stands behind the tools, for the texts that models read.
    fn surroundings(&self) -> Surroundings {
        Surroundings::Ide
    }
}

/// An asynchronous request to the host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostCall {
    /// Names the call in the answer.
    pub call: u64,
    /// The session it is for (0: none, as with a plain MCP client).
    pub session: u64,
    /// The project's base folder, canonical.
    pub project: PathBuf,
    /// What to do.
    pub request: HostRequest,
}

/// What a host can be asked to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub enum HostRequest {
    /// Run a tool. Argument names are canonical (`path`, `old_text` …): aliases are folded before.
    Tool {
        /// Bare name.
        name: String,
        /// An object, checked against the tool's schema for required members and types.
        arguments: Value,
    },
    /// Text of a file for the agent (ACP `fs/read_text_file`); unsaved editor text wins.
    ReadText {
        /// Absolute path.
        path: PathBuf,
        /// First line, from 1.
        line: Option<u32>,
        /// Number of lines.
        limit: Option<u32>,
    },
    /// Replace or create a file for the agent (ACP `fs/write_text_file`); parents are created.
    WriteText {
        /// Absolute path.
        path: PathBuf,
        /// The whole new text.
        content: String,
    },
    /// A program is about to read the project's files (git, a command): put all unsaved editor text on
    /// disk first. Answered with [`HostReply::Done`] once it is there; a host without editors answers at
    /// once. The program waits for the answer, a few seconds at most: what cannot be saved now, because a
    /// dialog is open, is [`HostReply::Failed`] with [`ToolErrorCode::ModalBlocking`], not a late answer.
    SaveDocuments,
    /// A program may have changed any file of the project, and what git says about them: look at the disk
    /// and at the version control again. Answered with [`HostReply::Done`] once the next reading tool sees
    /// the new state; the tool's own answer waits for it, a few seconds at most. Failing is of no
    /// consequence.
    RefreshFiles,
}

/// What came of a host call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case")]
pub enum HostReply {
    /// A tool's result.
    Tool(ToolOutcome),
    /// Text of a file.
    Text {
        /// The text.
        text: String,
    },
    /// A file was written.
    Written {
        /// A unified diff.
        diff: Option<String>,
    },
    /// Documents are saved, or files looked at again.
    Done,
    /// The call failed.
    Failed(ToolFailure),
}

/// What a tool did, for the model and for the person.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolOutcome {
    /// The one text block that the model reads.
    pub text: String,
    /// Files that were written, created, moved or deleted; project-relative with `/`.
    #[serde(default)]
    pub files_written: Vec<String>,
    /// A unified diff, for the person.
    #[serde(default)]
    pub diff: Option<String>,
    /// The exit code of the program that the tool ran for the model: other than 0, the call has not succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
}

/// An expected failure: the model reads code and text as an error result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolFailure {
    /// A word of the closed list.
    pub code: ToolErrorCode,
    /// What happened, why, what to do.
    pub text: String,
}

/// Codes of expected tool failures; the error text begins with one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[expect(missing_docs, reason = "each code is the word that the model reads")]
pub enum ToolErrorCode {
    MissingParam,
    InvalidParam,
    FileNotFound,
    OutsideProject,
    IndexNotReady,
    ProjectNotReady,
    ModalBlocking,
    BuildInProgress,
    ToolDisabled,
    Timeout,
    ProjectDisposed,
    SymbolNotFound,
    AmbiguousMatch,
    TextNotFound,
    Stale,
    ReadOnly,
    NotText,
    GitCommandFailed,
    NotApplicable,
    Denied,
    Cancelled,
    IoError,
    InternalError,
}

impl ToolErrorCode {
    /// The word as the model reads it, e.g. `FILE_NOT_FOUND`.
    pub fn as_str(self) -> &'static str {
        use ToolErrorCode as C;
        match self {
            C::MissingParam => "MISSING_PARAM",
            C::InvalidParam => "INVALID_PARAM",
            C::FileNotFound => "FILE_NOT_FOUND",
            C::OutsideProject => "OUTSIDE_PROJECT",
            C::IndexNotReady => "INDEX_NOT_READY",
            C::ProjectNotReady => "PROJECT_NOT_READY",
            C::ModalBlocking => "MODAL_BLOCKING",
            C::BuildInProgress => "BUILD_IN_PROGRESS",
            C::ToolDisabled => "TOOL_DISABLED",
            C::Timeout => "TIMEOUT",
            C::ProjectDisposed => "PROJECT_DISPOSED",
            C::SymbolNotFound => "SYMBOL_NOT_FOUND",
            C::AmbiguousMatch => "AMBIGUOUS_MATCH",
            C::TextNotFound => "TEXT_NOT_FOUND",
            C::Stale => "STALE",
            C::ReadOnly => "READ_ONLY",
            C::NotText => "NOT_TEXT",
            C::GitCommandFailed => "GIT_COMMAND_FAILED",
            C::NotApplicable => "NOT_APPLICABLE",
            C::Denied => "DENIED",
            C::Cancelled => "CANCELLED",
            C::IoError => "IO_ERROR",
            C::InternalError => "INTERNAL_ERROR",
        }
    }
}

impl ToolFailure {
    /// A failure in its own words.
    pub fn new(code: ToolErrorCode, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { code, text }
    }

    /// Arguments that make no sense.
    pub fn invalid(text: impl Into<String>) -> Self {
        Self::new(ToolErrorCode::InvalidParam, text)
    }

    /// An argument is needed and absent.
    pub fn missing(name: &str) -> Self {
        Self::new(ToolErrorCode::MissingParam, format!("`{name}` is needed"))
    }
}

impl std::fmt::Display for ToolFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.text)
    }
}
