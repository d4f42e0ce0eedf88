//! What comes of a tool call: text for the model and a diff for the person, or an expected failure with a code.
//!
//! Knows no protocol: how it is sent is its readers' business.

use serde::{Deserialize, Serialize};

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
    /// What files were that the tool has changed and that its arguments do not name: only the host knows them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<FileBefore>,
}

/// A file as it was before a tool changed it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileBefore {
    /// Project-relative with `/`.
    pub path: String,
    /// Whether there was one.
    pub existed: bool,
    /// All of it, as it was on the disk; none where there was no file, or where it is too large or not UTF-8.
    #[serde(default)]
    pub text: Option<String>,
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
