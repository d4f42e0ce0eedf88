//! What operating systems do differently, behind safe functions of one contract: links, the console, private folders,
//! other processes, programs, a file's identity; and what Windows alone has for process groups and file modes, job objects and
//! descriptors for one user.
//!
//! Nothing here decides: `acp` says which program is held in a job, `mcp` and those who keep private files say what is
//! closed to others, `agents` what is linked. Knows no agent and no protocol.

pub mod console;
pub mod files;
pub mod links;
pub mod private;
pub mod process;
mod system;

pub use system::System;

#[cfg(windows)]
pub mod job;
#[cfg(windows)]
pub mod user_only;
