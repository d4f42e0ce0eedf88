//! Errors of an agent that end its work, worded so that a person knows what to do.

/// The agent's part of the handshake is of no use.
#[derive(Debug, thiserror::Error)]
pub enum AcpError {
    /// The agent speaks another protocol version than the one it was asked for.
    #[error(
        "the agent answered protocol version {answered} and this client speaks version 1 only; use another version of the agent"
    )]
    Version {
        /// The version as the agent wrote it.
        answered: String,
    },
    /// The agent answered a request with a result that cannot be used.
    #[error("the agent's result of {method} cannot be used: {why}")]
    Result {
        /// The request's method.
        method: String,
        /// What is wrong with it.
        why: String,
    },
}

impl AcpError {
    /// A result that cannot be used.
    pub fn result(method: &str, why: impl Into<String>) -> Self {
        Self::Result {
            method: method.to_owned(),
            why: why.into(),
        }
    }
}
