//! One ACP session of the scripted agent: its script position, its MCP servers, its habits.

use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use siderail_wire::RequestId;

use crate::hide::Hidden;
use crate::hook::Hook;
use crate::mcp_client::McpServer;
use crate::outcome::Outcome;
use crate::script::{Prompt, Script, Step};

/// A session.
pub(crate) struct Session {
    /// Its ACP id.
    pub(crate) id: String,
    /// Its folder.
    pub(crate) cwd: PathBuf,
    /// Its MCP servers.
    pub(crate) servers: Vec<McpServer>,
    /// Its hooks.
    pub(crate) hooks: Vec<Hook>,
    /// What is hidden from the model.
    pub(crate) hidden: Hidden,
    cancelled: AtomicBool,
    state: Mutex<State>,
}

/// What changes in a session.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// The mode, where the shape has modes.
    pub(crate) mode: Option<String>,
    /// Its other options, as they were set.
    pub(crate) options: std::collections::BTreeMap<String, serde_json::Value>,
    /// Number of prompts so far.
    pub(crate) turns: u64,
    /// Number of tool calls so far.
    pub(crate) calls: u64,
    /// A turn is running.
    pub(crate) running: bool,
    /// Prompts that wait for the running turn; without a text they are answered at once.
    pub(crate) queue: VecDeque<(RequestId, Option<String>)>,
    /// Texts that the model will read at its next prompt: (source, tool, text).
    pub(crate) unread: Vec<(&'static str, Option<String>, String)>,
    /// Steering that is read at the next step, or (`true`) only after all steps.
    pub(crate) steering: Vec<(bool, String)>,
    /// Tools that the client always allows.
    pub(crate) always: BTreeSet<String>,
    /// Everything that the model was shown since the last prompt.
    pub(crate) seen: String,
    /// The client does not hand over texts of the user.
    pub(crate) drain_refused: bool,
    /// The outcome of the last tool call.
    pub(crate) last: Option<Outcome>,
    used: BTreeSet<usize>,
    rest: Option<Prompt>,
}

impl Session {
    /// A fresh session.
    #[must_use]
    pub(crate) fn new(id: String, cwd: PathBuf, mode: Option<String>) -> Self {
        Self {
            id,
            cwd,
            servers: Vec::new(),
            hooks: Vec::new(),
            hidden: Hidden::default(),
            cancelled: AtomicBool::new(false),
            state: Mutex::new(State {
                mode,
                ..State::default()
            }),
        }
    }

    /// Locks what changes.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True from a cancel to the end of the turn.
    #[must_use]
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }

    /// Marks the running turn as cancelled, or a new one as not.
    pub(crate) fn set_cancelled(&self, cancelled: bool) {
        self.cancelled.store(cancelled, Ordering::SeqCst);
    }

    /// True for a path below the session's folder, by its words alone.
    #[must_use]
    pub(crate) fn is_inside(&self, path: &str) -> bool {
        let path = Path::new(path);
        let climbs = path
            .components()
            .any(|part| part == std::path::Component::ParentDir);
        path.starts_with(&self.cwd) && !climbs
    }

    /// `path` as the agent's model would give it: absolute, below the session's folder.
    #[must_use]
    pub(crate) fn absolute(&self, path: &str) -> PathBuf {
        if Path::new(path).is_absolute() {
            path.into()
        } else {
            self.cwd.join(path)
        }
    }
}

impl State {
    /// The script's entry for a prompt with this text: a left-over, a matching one, or the next.
    pub(crate) fn take_prompt(&mut self, script: &Script, text: &str) -> Prompt {
        let entries = || script.prompts.iter().enumerate();
        let unused = |index: &usize| !self.used.contains(index);
        let matching = entries()
            .find(|(index, entry)| {
                unused(index)
                    && entry
                        .matches
                        .as_ref()
                        .is_some_and(|part| text.contains(part))
            })
            .map(|(index, _)| index);
        if let (None, Some(rest)) = (matching, self.rest.take()) {
            return rest;
        }
        let next = matching.or_else(|| {
            entries()
                .find(|(index, entry)| unused(index) && entry.matches.is_none())
                .map(|(index, _)| index)
        });
        let Some(index) = next else {
            return Prompt::default();
        };
        self.used.insert(index);
        script.prompts[index].clone()
    }

    /// Ends the running turn, ahead of its answer: from then on a prompt starts a turn of its own.
    /// True if another prompt waits, and the turn's thread is to continue with it.
    pub(crate) fn finish(&mut self) -> bool {
        self.steering.clear();
        self.running = !self.queue.is_empty();
        self.running
    }

    /// Keeps what a reject left over, for the next prompt.
    pub(crate) fn keep_rest(&mut self, steps: Vec<Step>, stop: Option<String>) {
        self.rest = Some(Prompt {
            matches: None,
            stop,
            resume: true,
            steps,
        });
    }
}
