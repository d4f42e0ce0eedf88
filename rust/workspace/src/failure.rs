//! Expected failures, as a model reads them: what happened, why, what to do.

use std::fmt::Display;
use std::io::{Error, ErrorKind};

use crate::outcome::{ToolErrorCode, ToolFailure};

/// Nobody wants the call's result any more.
pub fn cancelled() -> ToolFailure {
    ToolFailure::new(ToolErrorCode::Cancelled, "the call was cancelled")
}

/// The system refused something on a path, e.g. `cannot read src/a.rs: permission denied`.
pub(crate) fn io_failure(attempt: &str, path: impl Display, error: &Error) -> ToolFailure {
    let (code, advice) = match error.kind() {
        ErrorKind::NotFound => (ToolErrorCode::FileNotFound, ""),
        ErrorKind::PermissionDenied => (
            ToolErrorCode::IoError,
            "; its permissions do not allow it; ask the user to change them",
        ),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => (
            ToolErrorCode::IoError,
            "; there is no space left, nothing was changed",
        ),
        ErrorKind::ReadOnlyFilesystem => (
            ToolErrorCode::ReadOnly,
            "; the whole file system is read-only",
        ),
        _ => (ToolErrorCode::IoError, ""),
    };
    ToolFailure::new(code, format!("cannot {attempt} {path}: {error}{advice}"))
}

/// A move would replace something unasked.
pub(crate) fn occupied(to: impl Display) -> ToolFailure {
    ToolFailure::invalid(format!(
        "{to} exists; set overwrite to replace it, or choose another name"
    ))
}
