//! The tools for tests through their public interface: arguments in, text out.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod coverage;
mod fixture;
mod lists;
mod more_runners;
mod pytest;
mod refused;
mod runs;
