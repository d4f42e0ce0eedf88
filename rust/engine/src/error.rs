//! Errors before or outside of a session: kind, cause and what to do, in one place.

use std::path::PathBuf;

use siderail_agents::AgentError;

/// An error of the engine itself. Texts are lower-case fragments; [`EngineError::hint`] says what to do.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The agent cannot be started.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// The project's folder cannot be used.
    #[error("the project folder {} cannot be used: {why}", path.display())]
    Project {
        /// The folder.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Something given by the caller is unusable.
    #[error("{what}: {why}")]
    Setting {
        /// Which setting.
        what: String,
        /// What is wrong with it.
        why: String,
    },
    /// A file or socket of the engine's own could not be made.
    #[error("{what} cannot be created in {}: {why}", path.display())]
    Runtime {
        /// What was to be made.
        what: String,
        /// Where.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// A folder that the start of a session needs gives no answer.
    #[error("the session was not started: the file system gives no answer")]
    Hangs,
}

impl EngineError {
    /// What to do about it, where there is something to say.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Agent(error) => Some(error.hint()),
            Self::Project { .. } => Some("name an existing folder with --project"),
            Self::Setting { .. } => None,
            Self::Hangs => Some(
                "check the disks and network drives that the project and your home folder are on",
            ),
            Self::Runtime { .. } => Some(
                "check the folder's free space and permissions, or set XDG_RUNTIME_DIR to another",
            ),
        }
    }
}

/// Why a command was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotTaken {
    /// The engine has ended; nothing more can be sent to it.
    #[error("the engine has ended")]
    Ended,
    /// More commands wait than the engine has room for. It lives, and the command was not handed over.
    #[error("too many commands are waiting for the engine; try again in a moment")]
    Busy,
}
