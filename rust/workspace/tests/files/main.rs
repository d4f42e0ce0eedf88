//! The file tools through their public interface: arguments in, text and files out.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod alike;
#[cfg(unix)]
mod ask_user;
#[cfg(unix)]
mod content_roots;
mod edits;
mod fixture;
#[cfg(unix)]
mod hostile_paths;
#[cfg(unix)]
mod links_and_pipes;
mod listing_and_search;
mod moves;
mod reading;
#[cfg(windows)]
mod windows_paths;
mod writing;
