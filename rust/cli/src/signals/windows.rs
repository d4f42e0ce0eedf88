//! Console events: Ctrl-C, Ctrl-Break, and that its window is closed.

use std::io;

use tokio::signal::windows::{CtrlBreak, CtrlC, CtrlClose, ctrl_break, ctrl_c, ctrl_close};

use super::Signal;

/// Where a file may not grow, a write fails by itself here.
pub(crate) fn limits_are_errors() -> io::Result<()> {
    Ok(())
}

/// Listens from its creation on.
pub(crate) struct Signals {
    interrupt: CtrlC,
    terminate: CtrlBreak,
    close: CtrlClose,
}

impl Signals {
    /// Starts listening; the signals no longer end the process by themselves.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: ctrl_c()?,
            terminate: ctrl_break()?,
            close: ctrl_close()?,
        })
    }

    /// The next signal.
    pub(crate) async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.terminate.recv() => Signal::Terminate,
            _ = self.close.recv() => Signal::Terminate,
        }
    }
}
