//! A kept conversation as readers get it: its line in a list, and all of it. Opens no file.

use std::path::PathBuf;

use super::{Entry, Head, VERSION};

/// A conversation in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Whose it is, as last said.
    pub head: Head,
    /// When it began, in milliseconds since 1970.
    pub began: u64,
    /// When something was written last.
    pub changed: u64,
    /// The user's prompts.
    pub prompts: usize,
    /// The first prompt, in short.
    pub title: String,
    /// Its file.
    pub file: PathBuf,
}

/// A conversation with all that was kept of it.
#[derive(Clone, Debug)]
pub struct Conversation {
    /// Whose it is, and what it is about.
    pub listed: Listed,
    /// What happened, in order.
    pub entries: Vec<Entry>,
    /// Lines that could not be read.
    pub damaged: usize,
}

impl Conversation {
    /// One of which nothing is kept: only the agent knows it, by the id of its session.
    pub fn of_agent(agent: &str, session: &str) -> Self {
        let head = Head {
            history: VERSION,
            id: String::new(),
            project: String::new(),
            agent: agent.to_owned(),
            agent_session: session.to_owned(),
            at: 0,
        };
        let listed = Listed {
            head,
            began: 0,
            changed: 0,
            prompts: 0,
            title: String::new(),
            file: PathBuf::new(),
        };
        Self {
            listed,
            entries: Vec::new(),
            damaged: 0,
        }
    }
}
