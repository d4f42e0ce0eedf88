//! The engine: agents, sessions, the permission flow, guidance and tools, behind one command and one event enum.
//!
//! Start with [`engine`] (the task that owns everything), then [`command`], [`event`] and [`host`] (the boundary).
//! The engine reads no environment, prints nothing, and never calls back into its embedder for an answer: a host
//! call carries an id and is answered by a later command.

pub mod acp_client;
pub mod command;
mod delivery;
pub mod engine;
pub mod engine_config;
pub mod error;
mod event_log;
mod form;
pub mod host;
pub mod inspect;
mod plain;
mod planning;
mod secrets;
mod session;

pub use engine::{EngineHandle, start};
pub use engine_config::{EngineConfig, profiles};
pub use error::{EngineError, NotTaken};
pub use plain::serve_mcp;
pub(crate) use session::shared;
pub use session::{AgentSession, AgentSessions, SessionsRefused, SessionsWish};
pub use siderail_acp as acp;
pub use siderail_agents::quoting::shell_word;
pub use siderail_agents::{
    AgentError, ErrorMessage, ErrorMessages, KnownProfiles, ProfileInfo, consent, login, packages,
    profile,
};
use siderail_agents::{api, hook, launch, servers, version};
pub use siderail_event as event;
pub use siderail_guard as guard;
pub use siderail_history as history;
pub use siderail_mcp as mcp;
pub use siderail_settings as settings;
pub use siderail_settings::memory;
use siderail_state::values;
pub use siderail_state::{places, private};
pub use siderail_tools as tools;
pub use siderail_traffic::replay;
use siderail_traffic::{notes, views};
pub use siderail_workspace::{confine, escape};
