//! The git tools over real repositories in temporary folders, with a home of their own.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod branches;
mod changing;
mod hostile;
mod reading;
mod scene;
