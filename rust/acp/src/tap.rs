//! An observer of a connection's bytes.

use std::sync::Arc;

/// Which way bytes went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// A line of ours.
    ClientToAgent,
    /// A line of the agent.
    AgentToClient,
    /// A line of the agent's error output.
    AgentStderr,
}

/// Sees everything that goes over a connection, without newlines. Must not block.
pub type Tap = Arc<dyn Fn(Direction, &[u8]) + Send + Sync>;
