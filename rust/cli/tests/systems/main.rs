//! Whole runs that come to the same on every system: Linux, macOS, Windows.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod demo;
mod events;
mod gone;
mod place;
