//! A session from its opening to its summary: the agent's process, the handshake, logging in, going on with an earlier
//! conversation or in a new process, and the end.

pub(in crate::session) mod closing;
pub(in crate::session) mod handshake;
pub(in crate::session) mod login;
pub(in crate::session) mod opening;
pub(in crate::session) mod process;
pub(in crate::session) mod recipes;
pub(in crate::session) mod restart;
pub(in crate::session) mod restore;
pub(in crate::session) mod stray_output;
pub(in crate::session) mod waiting;
