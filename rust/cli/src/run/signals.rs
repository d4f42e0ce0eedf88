//! The signals that end or cancel a run, per operating system.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use unix::Signals;
#[cfg(windows)]
pub(crate) use windows::Signals;
