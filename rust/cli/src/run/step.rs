//! One thing that a run does next, and for which session.

use std::time::Duration;

use siderail_engine::command::Command;

/// The one session of a run.
pub(crate) const SESSION: u64 = 1;

/// What to do.
#[derive(Debug)]
pub(crate) enum Step {
    /// Hand a command to the engine.
    Send(Command),
    /// Report after this time that it has passed; replaces an earlier limit.
    Limit(Duration),
    /// There is nothing to wait for any more.
    NoLimit,
    /// Tell the person.
    Say(String),
    /// Clear the screen.
    ClearScreen,
    /// Stop: the session is over or given up.
    Quit,
}
