//! The tools that agents are offered, and those of them that the engine runs itself.
//!
//! `definitions` is the table that `tools/list` shows, `instructions` the text beside it, `command`
//! runs shell commands and other programs, `cancel` is how a call is told to stop. What a tool does
//! to files is the host's; whether a call is allowed is decided before it gets here.

pub mod cancel;
pub mod definitions;
pub mod instructions;

pub use cancel::CancelFlag;
pub use definitions::definitions;
pub use instructions::instructions;
