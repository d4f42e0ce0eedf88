//! What can go wrong before or beside a session: kind, cause and what to do, in one place.

use std::path::PathBuf;

/// An error of the engine itself. Texts are lower-case fragments; [`EngineError::hint`] says what to do.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// No profile of that name, and no command was given.
    #[error("there is no agent named `{name}` (known: {})", known.join(", "))]
    UnknownAgent {
        /// The name that was asked for.
        name: String,
        /// Names that exist.
        known: Vec<String>,
    },
    /// A profile could not be read.
    #[error("the agent `{name}` cannot be used: {why}")]
    Profile {
        /// Its name.
        name: String,
        /// Where, and what is wrong there.
        why: String,
    },
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
    /// A file or variable of the user's that has to be added to, and cannot be. It stays as it is.
    #[error("{what} cannot be added to: {why}")]
    UsersOwn {
        /// Which one.
        what: String,
        /// What is wrong with it.
        why: String,
    },
    /// What is to be remembered beyond a run cannot be written down.
    #[error("nothing can be written down in {}: {why}; so no file of yours is changed, as that could not be undone", folder.display())]
    State {
        /// The folder of the state.
        folder: PathBuf,
        /// Why not.
        why: String,
    },
    /// A file or socket of the engine's own could not be made.
    #[error("{what} cannot be made in {}: {why}", path.display())]
    Runtime {
        /// What was to be made.
        what: String,
        /// Where.
        path: PathBuf,
        /// Why not.
        why: String,
    },
}

impl EngineError {
    /// What to do about it, where there is something to say.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::UnknownAgent { .. } => {
                Some("name a known agent, or give its start command with --agent-command")
            }
            Self::Profile { .. } => Some("correct the file, or remove it"),
            Self::Project { .. } => Some("name an existing folder with --project"),
            Self::Setting { .. } => None,
            Self::UsersOwn { .. } => Some(
                "mend it: what this session needs has to stand beside what is yours, and nothing of \
                 yours is overwritten",
            ),
            Self::State { .. } => {
                Some("check free space and rights of the folder, or set XDG_STATE_HOME to another")
            }
            Self::Runtime { .. } => {
                Some("check free space and rights of the folder, or set XDG_RUNTIME_DIR to another")
            }
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
    #[error("too many commands wait for the engine; send it again in a moment")]
    Busy,
}
