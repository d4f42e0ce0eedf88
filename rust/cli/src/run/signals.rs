//! The signals that end or cancel a run.

use std::io;

use super::course::Happening;

/// Listens from its creation on.
#[cfg(unix)]
pub(crate) struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
}

#[cfg(unix)]
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

/// Listens from its creation on.
#[cfg(not(unix))]
pub(crate) struct Signals;

#[cfg(not(unix))]
impl Signals {
    /// Starts listening.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self)
    }

    /// The next Ctrl-C.
    pub(crate) async fn next(&mut self) -> Happening {
        match tokio::signal::ctrl_c().await {
            Ok(()) => Happening::Interrupt,
            Err(_) => std::future::pending().await,
        }
    }
}
