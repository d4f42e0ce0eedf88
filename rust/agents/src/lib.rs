//! Agents as they are before and beside a session: profiles, how each is started, hidden, hooked, logged in to and fetched.
//!
//! Start with [`profile`] (what differs from agent to agent, as data: `profiles/*.toml`), then [`launch`] (which fills
//! the recipes). [`hook`] and [`api`] word answers in agents' own shapes; [`consent`] writes into files of the user's
//! and restores them. Knows no session, no event and no policy, and asks for no agent's name; its caller passes
//! environment and folders.

pub mod api;
pub mod consent;
mod error;
mod error_message;
pub mod hook;
mod json;
pub mod launch;
mod listing;
pub mod login;
pub mod packages;
pub mod profile;
pub mod quoting;
pub mod servers;
pub mod version;

pub use error::AgentError;
pub use error_message::{ErrorMessage, ErrorMessages};
pub use listing::{KnownProfiles, ProfileInfo, listed};
