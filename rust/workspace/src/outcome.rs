//! The result of a tool call: text for the model and a diff for the person, or an expected failure with a code.
//!
//! Knows no protocol: its readers decide how to send it.

use serde::{Deserialize, Serialize};

use crate::diff;

/// Bytes of a diff that a model reads.
pub(crate) const MOST_DIFF: usize = 9_000;

/// What a tool did, for the model and for the person.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolOutcome {
    /// The one text block that the model reads.
    pub text: String,
    /// Files that were written, created, moved or deleted; project-relative with `/`.
    #[serde(default)]
    pub files_written: Vec<String>,
    /// A unified diff, for the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// The exit code of the program that the tool ran for the model: other than 0, the call has not succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// What files were that the tool has changed and that its arguments do not name: only the host knows them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<FileBefore>,
    /// A change of which the diff is to be made, for a host that makes none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<TextChange>,
}

impl ToolOutcome {
    /// The same with the diff of its change, behind the text for the model and by itself for the person.
    #[must_use]
    pub fn with_diff(mut self) -> Self {
        if let Some(change) = self.change.take() {
            let diff = change.diff();
            self.text += &diff::cut(&diff, MOST_DIFF);
            self.diff = diff::for_people(&diff);
        }
        self
    }
}

/// What a file was, and what it became.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TextChange {
    /// As it is to be read; project-relative with `/`.
    pub path: String,
    /// Before; none if there was no file.
    pub old_text: Option<String>,
    /// After; `None` if it does not exist any more.
    pub new_text: Option<String>,
}

impl TextChange {
    /// A unified diff; empty where nothing differs.
    pub fn diff(&self) -> String {
        diff::unified(
            &self.path,
            self.old_text.as_deref(),
            self.new_text.as_deref(),
        )
    }

    /// The diffs of several files, cut to what a person reads.
    pub fn diffs(changes: &[Self]) -> String {
        let all: String = changes.iter().map(Self::diff).collect();
        diff::for_people(&all).unwrap_or_default()
    }
}

/// A file as it was before a tool changed it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileBefore {
    /// Project-relative with `/`.
    pub path: String,
    /// Whether there was one.
    pub existed: bool,
    /// All of it, as it was on the disk; none if there was no file, or where it is too large or not UTF-8.
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
    ModalBlocking,
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
            C::ModalBlocking => "MODAL_BLOCKING",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_answered_with_its_diff() {
        let outcome = ToolOutcome {
            text: "applied\n".to_owned(),
            change: Some(TextChange {
                path: "a".to_owned(),
                old_text: Some("x\n".to_owned()),
                new_text: Some("y\n".to_owned()),
            }),
            ..ToolOutcome::default()
        };
        let diff = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n";
        let answered = outcome.with_diff();
        assert_eq!(answered.text, format!("applied\n{diff}"));
        assert_eq!(answered.diff.as_deref(), Some(diff));
        assert_eq!(answered.change, None);
        assert_eq!(answered.clone().with_diff(), answered);
    }
}
