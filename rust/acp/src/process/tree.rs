//! The container of a program and everything it starts, per operating system: on Unix a process group, on Windows a job
//! object.
//!
//! Both keep one contract: [`prepare`] sets the command up, [`Tree::hold`] takes the started program, and from then on
//! `terminate`, `kill` and `is_left` mean all of it.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(super) use unix::{Tree, exit_of, prepare};
#[cfg(windows)]
pub(super) use windows::{Tree, exit_of, prepare};
