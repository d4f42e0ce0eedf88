//! The MCP server: protocol core, tool registry, and the socket that agents reach it through.
//!
//! [`Server`] is the protocol without input or output: lines in, lines and calls out, one value per
//! connection, both protocol eras. [`serve()`] drives one over a byte stream, [`Listener`] over a
//! Unix socket where every agent session has its own token. What a tool does is not known here: a
//! call is handed out as a [`PendingCall`], whose owner answers it, once. The crate reads no
//! environment, knows no agent and no policy, and never turns a tool's failure into a protocol
//! error.
//!
//! Reading order: [`tool`] and [`result`] (what tools look like), [`server`], [`call`] (a call's two
//! ends), [`mod@serve`], [`listener`].

mod arguments;
pub mod call;
pub mod event;
pub mod hook;
mod info;
pub mod listener;
pub mod result;
pub mod serve;
pub mod server;
mod socket;
pub mod tool;
mod version;

pub use call::PendingCall;
pub use event::ListenerEvent;
pub use hook::HookReply;
pub use listener::{Listener, SessionServer};
pub use result::CallResult;
pub use serve::{Route, serve};
pub use server::{CallKey, Limits, Output, Server, ServerInfo, ToolCallRequest};
pub use socket::ListenError;
pub use tool::{Annotations, ToolDefinition};
