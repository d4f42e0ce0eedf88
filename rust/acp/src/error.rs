//! What can go wrong with an agent, told so that a person knows what to do.

use siderail_wire::{RpcError, codes};

use crate::process::{Exit, SpawnError};

/// A failure of an agent or of the talk with it.
#[derive(Debug, thiserror::Error)]
pub enum AcpError {
    /// The agent could not be started.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// The agent speaks another protocol version than the one it was asked for.
    #[error(
        "the agent answered protocol version {answered} and this client speaks version 1 only; use another version of the agent"
    )]
    Version {
        /// The version as the agent wrote it.
        answered: String,
    },
    /// The agent wants a login.
    #[error("the agent wants a login first: {error}")]
    AuthRequired {
        /// The agent's own words.
        error: RpcError,
    },
    /// The agent answered a request with an error.
    #[error("the agent answered {method} with an error: {error}")]
    Rpc {
        /// The request's method.
        method: String,
        /// The agent's own words.
        error: RpcError,
    },
    /// The agent answered a request with a result that cannot be used.
    #[error("the agent's result of {method} cannot be used: {why}")]
    Result {
        /// The request's method.
        method: String,
        /// What is wrong with it.
        why: String,
    },
    /// The agent is gone.
    #[error("the agent {exit}{}", last_words(.stderr))]
    Closed {
        /// How its process ended.
        exit: Exit,
        /// The last lines of its error output; may be empty.
        stderr: String,
    },
}

impl AcpError {
    /// The error that an agent answered to a request of ours.
    pub fn rpc(method: &str, error: RpcError) -> Self {
        if error.code == codes::AUTH_REQUIRED {
            Self::AuthRequired { error }
        } else {
            Self::Rpc {
                method: method.to_owned(),
                error,
            }
        }
    }

    /// A result that cannot be used.
    pub fn result(method: &str, why: impl Into<String>) -> Self {
        Self::Result {
            method: method.to_owned(),
            why: why.into(),
        }
    }
}

/// How many lines of error output a message shows.
const SHOWN_LINES: usize = 12;

fn last_words(stderr: &str) -> String {
    let lines = stderr
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect::<Vec<_>>();
    if lines.is_empty() {
        return " and printed nothing on its error output".to_owned();
    }
    let shown = &lines[lines.len().saturating_sub(SHOWN_LINES)..];
    format!("; its last words were:\n{}", shown.join("\n"))
}
