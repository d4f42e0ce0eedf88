//! The filesystem host through its public interface: calls side by side, each answered once.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../../workspace/tests/files/fixture.rs"]
#[expect(dead_code, reason = "the file tools' own tests use the rest")]
mod fixture;
mod order;
