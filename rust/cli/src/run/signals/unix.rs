//! Interrupt, TERM and hang-up.

use std::io;

use crate::run::run_state::Happening;

/// Listens from its creation on.
pub(crate) struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
}

impl Signals {
    /// Starts listening; the signals no longer end the process by themselves.
    pub(crate) fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// The next signal.
    pub(crate) async fn next(&mut self) -> Happening {
        tokio::select! {
            _ = self.interrupt.recv() => Happening::Interrupt,
            _ = self.terminate.recv() => Happening::Terminate,
            _ = self.hangup.recv() => Happening::Terminate,
        }
    }
}
