//! Lines and JSON-RPC messages, shared by the ACP client and the MCP server.
//!
//! Everything here is plain data: bytes go in, messages come out, and the two call tables remember who waits for whom.
//! The crate knows no socket, no process, no clock, no async runtime, and no method of any protocol; an unknown member
//! of a message is left to the callers, and never an error.
//!
//! Reading order: [`mod@line`] cuts bytes into lines, [`message`] reads and writes one message a line, [`mod@error`] holds
//! the error object and its codes, [`calls`] holds what is still unanswered in either direction.
//!
//! ```
//! use siderail_wire::{Line, LineSplitter, Message, parse};
//!
//! let mut lines = LineSplitter::new(1 << 20);
//! lines.push(b"\r\n{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}\r\n{\"js");
//! let Some(Line::Message(line)) = lines.next_line() else { panic!("one line is complete") };
//! assert!(matches!(parse(&line), Ok(Message::Notification { method, .. }) if method == "ping"));
//! assert!(lines.next_line().is_none());
//! ```

pub mod calls;
pub mod error;
pub mod line;
pub mod message;
mod outline;

pub use calls::{Incoming, Outgoing};
pub use error::{RpcError, codes};
pub use line::{Line, LineRef, LineSplitter};
pub use message::{
    Message, ParseFailure, RequestId, error, error_text, notification, parse, request, result,
};
