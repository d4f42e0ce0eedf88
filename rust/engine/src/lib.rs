//! The engine: agents, sessions, the permission flow, guidance and tools, behind one command and one event enum.
//!
//! Start with [`engine`] (the task that owns everything), then [`command`], [`event`] and [`host`] (the boundary).
//! The engine reads no environment, prints nothing, and never calls back into its embedder for an answer: a host
//! call carries an id and is answered by a later command.

pub mod acp_client;
mod agents;
mod api;
pub mod backlog;
pub mod command;
pub mod consent;
mod delivery;
pub mod engine;
pub mod error;
mod event_log;
mod form;
mod hook;
pub mod host;
pub mod inspect;
mod launch;
pub mod login;
pub mod memory;
pub mod packages;
mod plain;
mod planning;
pub mod profile;
pub mod replay;
mod secrets;
mod servers;
mod session;
pub mod settings;
mod shelf;
mod told;
pub mod tools;
mod version;
mod words;

pub use agents::{KnownProfiles, ProfileInfo, profiles};
pub use engine::{EngineConfig, EngineHandle, start};
pub use error::{EngineError, NotTaken};
pub use plain::serve_mcp;
pub use session::{AgentSession, AgentSessions, SessionsRefused, SessionsWish};
pub use siderail_acp as acp;
pub use siderail_event as event;
pub use siderail_guard as guard;
pub use siderail_history as history;
pub use siderail_mcp as mcp;
pub use siderail_state::places;
use siderail_state::{private, toml_text, values};
pub use siderail_workspace::{confine, visible};
pub use words::shell_word;
