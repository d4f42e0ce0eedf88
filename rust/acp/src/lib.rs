//! The client side of the Agent Client Protocol (ACP schema 1.15, protocol version 1).
//!
//! Three layers, each usable without the next. [`process`] starts an agent and leaves nothing of it behind;
//! [`transport`] turns its two pipes into queues of messages; [`connection`] and [`session`] are plain data that take
//! a message and say what it means. What an agent sent is read leniently and kept raw beside the typed view; what we
//! send is built of the schema's own types.
//!
//! This crate decides nothing: whether a request is allowed, what a person is shown and what the model reads is up to
//! the callers. It knows no agent by name, reads no environment, and only `process`, `transport` and `trace` touch the
//! operating system.
//!
//! Ordering is a promise: messages reach the caller in the order in which the agent wrote them, so the result of a
//! prompt comes after every update that the agent sent before it.
//!
//! Reading order: [`connection`], [`session`], [`update`], [`tool_call`], [`permission`], then the edges.

pub mod client_request;
pub mod connection;
pub mod content;
pub mod elicitation;
pub mod error;
pub mod exit_code;
pub mod initialize;
pub mod options;
pub mod permission;
pub mod process;
pub mod prompt;
pub mod redact;
pub mod requests;
pub mod schema;
pub mod session;
mod tap;
pub mod tool_call;
pub mod trace;
pub mod transport;
pub mod update;

pub use connection::{Connection, Incoming};
pub use error::AcpError;
pub use session::{EarlyUpdates, Session, SessionState};
pub use siderail_wire as wire;
pub use update::SessionUpdate;
