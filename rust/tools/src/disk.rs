//! Work that may wait for the disk, on a thread that may: those of the runtime carry the messages of all sessions. Knows
//! no tool.

use siderail_workspace::outcome::{ToolErrorCode, ToolFailure};

/// Does blocking work on a thread of the runtime's that may wait. Needs a running tokio runtime, in which the work may start
/// tasks and programs.
pub(super) async fn on_disk<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ToolFailure> + Send + 'static,
) -> Result<T, ToolFailure> {
    let done = tokio::task::spawn_blocking(work);
    done.await.unwrap_or_else(|broken| {
        Err(ToolFailure::new(
            ToolErrorCode::InternalError,
            format!("the tool broke down: {broken}"),
        ))
    })
}
