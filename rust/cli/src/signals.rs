//! The signals that end or cancel a command, per operating system.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use unix::{Signals, limits_are_errors};
#[cfg(windows)]
pub(crate) use windows::{Signals, limits_are_errors};

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// Ctrl-C.
    Interrupt,
    /// The system or the closed terminal wants the process gone.
    Terminate,
}
