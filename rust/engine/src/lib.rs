//! The engine: sessions, the permission flow, guidance and tools, behind one command and one event enum.

pub mod command;
pub mod confine;
pub mod event;
pub mod host;
pub mod tools;

pub use siderail_acp as acp;
pub use siderail_guard as guard;
pub use siderail_mcp as mcp;
