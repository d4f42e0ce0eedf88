//! Conversations of a project, kept on disk: what was asked, said and done, to be shown, searched and resumed.
//!
//! One file of lines per conversation in the state folder (0600), appended and never rewritten: heads, which say whose
//! it is, and entries, which are events. A line that a crash tore is left out by every reader and cut off by the next
//! writer. [`kept_events`] says which events and reads their lines, [`file`] opens and locks, [`recorder`] writes,
//! [`reading`] reads, [`archive`] lists, finds and removes, [`markdown`] exports. Knows no agent; secrets are removed
//! on the way in.

mod archive;
mod calendar;
mod conversation;
mod file;
mod kept_events;
mod markdown;
mod reading;
mod recorder;

use serde::{Deserialize, Serialize};

pub use archive::{Archive, Found, LeftOut};
pub use calendar::date;
pub use conversation::{Conversation, Listed};
pub use markdown::markdown;
pub use recorder::{Recorder, Recording, Told, Written};

use siderail_event::EventBody;

/// Version of the lines' shape.
const VERSION: u32 = 1;
/// How large one conversation may be. Beyond that its recording ends, which is reported once.
const MOST_BYTES_OF_ONE: u64 = 32 << 20;
/// How many conversations of a project are kept. When a new one begins, those written to longest ago are removed.
const MOST_CONVERSATIONS: usize = 200;
/// How large they may be together; the same ones are removed.
const MOST_BYTES_OF_PROJECT: u64 = 512 << 20;

/// The first line of a conversation, and of each time that it was resumed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Version of the lines' shape.
    pub history: u32,
    /// Names the conversation.
    pub id: String,
    /// The project's folder.
    pub project: String,
    /// Profile name of the agent.
    pub agent: String,
    /// The agent's own id of its session.
    pub agent_session: String,
    /// Milliseconds since 1970.
    pub at: u64,
}

/// A line of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Milliseconds since 1970.
    pub at: u64,
    /// The prompt turn of that session.
    pub turn: u32,
    /// What happened; pieces of a message are one.
    #[serde(flatten)]
    pub body: EventBody,
}
