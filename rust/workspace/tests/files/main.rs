//! The file tools through their public interface: arguments in, text and files out.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod alike;
mod ask_user;
mod edits;
mod fixture;
mod hostile_paths;
mod links_and_pipes;
mod listing_and_search;
mod moves;
mod reading;
mod writing;
