//! What Windows has for process groups and file modes, behind safe functions: job objects and descriptors for one user.
//!
//! Nothing here decides: `acp` says which program is held in a job, `mcp` and those who keep private files say what is
//! closed to others. Knows no agent and no protocol. Empty elsewhere, where the standard library and rustix do it.

#[cfg(windows)]
pub mod job;
#[cfg(windows)]
pub mod user_only;
