//! The signals that end or cancel a run, per operating system.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use unix::{Signals, limits_are_errors};
#[cfg(windows)]
pub(crate) use windows::{Signals, limits_are_errors};
