//! How the tools for tests get at files: on a thread that may wait, with failures that say what was tried.

use std::fmt::Display;
use std::io::{Error, ErrorKind};
use std::path::Path;

use serde_json::Value;
use siderail_workspace::Place;
use siderail_workspace::arguments::Arguments;
use siderail_workspace::outcome::{ToolErrorCode, ToolFailure};

use crate::command::Run;
use crate::disk::on_disk;

/// Looks through the project's files on a thread that may wait for them.
pub(super) async fn on_files<T: Send + 'static>(
    project: &Path,
    arguments: &Value,
    work: impl FnOnce(&Place, Arguments<'_>) -> Result<T, ToolFailure> + Send + 'static,
) -> Result<T, ToolFailure> {
    let (project, arguments) = (project.to_owned(), arguments.clone());
    on_disk(move || work(&Place::new(&project)?, Arguments::new(&arguments))).await
}

pub(super) fn cancelled() -> ToolFailure {
    ToolFailure::new(ToolErrorCode::Cancelled, "the call was cancelled")
}

/// The system refused something on a path.
pub(super) fn io_failure(attempt: &str, path: impl Display, error: &Error) -> ToolFailure {
    let code = match error.kind() {
        ErrorKind::NotFound => ToolErrorCode::FileNotFound,
        _ => ToolErrorCode::IoError,
    };
    ToolFailure::new(code, format!("cannot {attempt} {path}: {error}"))
}

/// The whole log as text; a broken log costs the counts only.
pub(super) fn log_text(run: &Run) -> String {
    std::fs::read(run.log())
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .unwrap_or_default()
}
