//! Errors that keep an agent from being started: kind, cause and what to do, in one place.

use std::path::PathBuf;

/// Why an agent cannot be started. Texts are lower-case fragments; [`AgentError::hint`] says what to do.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// No profile of that name, and no command was given.
    #[error("there is no agent named `{name}` (known: {})", known.join(", "))]
    Unknown {
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
    /// A file or variable of the user's that has to be added to, and cannot be. It stays as it is.
    #[error("{what} cannot be added to: {why}")]
    UsersOwn {
        /// Which one.
        what: String,
        /// What is wrong with it.
        why: String,
    },
    /// What is to be remembered beyond a run cannot be written down.
    #[error("nothing can be saved in {}: {why}; your files stay unchanged, because changes could not be undone", folder.display())]
    State {
        /// The folder of the state.
        folder: PathBuf,
        /// Why not.
        why: String,
    },
    /// A file for the agent could not be made.
    #[error("{what} cannot be created in {}: {why}", path.display())]
    Unmade {
        /// What was to be made.
        what: String,
        /// Where.
        path: PathBuf,
        /// Why not.
        why: String,
    },
}

impl AgentError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => {
                "name a known agent, or give its command line with --agent-command"
            }
            Self::Profile { .. } => "correct the file or delete it",
            Self::UsersOwn { .. } => {
                "fix it: this session adds its own part beside yours, and nothing of \
                 yours is overwritten"
            }
            Self::State { .. } => {
                "check the folder's free space and permissions, or set XDG_STATE_HOME to another"
            }
            Self::Unmade { .. } => {
                "check the folder's free space and permissions, or set XDG_RUNTIME_DIR to another"
            }
        }
    }
}
