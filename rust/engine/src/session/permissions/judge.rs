//! The judge of an action: a [`Judge`] is a copy of what a decision depends on, with or without a look at the disk. It
//! knows no session, so the worker can take it along; its decisions are in [`super::judging`].

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use siderail_guard::Tool;
use siderail_guard::decision::Decision;
use siderail_guard::shell::ProtectedPlaces;

use crate::confine::{Confined, Confinement, Refusal};
use crate::host::ToolFailure;
use crate::memory::Memory;
use crate::session::agent_facts::AgentFacts;
use crate::session::question::RequestedAction;
use crate::session::worker::Sight;
use crate::tools::EngineTools;
use crate::tools::git::ToCommit;

/// What decisions depend on beside the action.
pub(in crate::session) struct Basis {
    pub(in crate::session) facts: Arc<AgentFacts>,
    /// The project's base folder, and what lies inside it.
    pub(in crate::session) confinement: Confinement,
    /// The same folder as text.
    pub(in crate::session) root: String,
    /// The project's content roots elsewhere as text.
    pub(in crate::session) roots: Vec<String>,
    pub(in crate::session) home: Option<String>,
    pub(in crate::session) offered: Vec<Tool>,
    pub(in crate::session) protected_places: Arc<ProtectedPlaces>,
    pub(in crate::session) memory: Memory,
    /// The tools that run in the engine.
    pub(in crate::session) tools: Arc<EngineTools>,
    /// `yolo` allows what is dangerous, too.
    pub(in crate::session) yolo_dangerous: bool,
    /// Names of ours are trusted.
    pub(in crate::session) name_trusted: bool,
    /// While a plan is made.
    pub(in crate::session) planning: Option<WhilePlanning>,
    /// What the path of a file has in it in which the agent keeps its plan, while its own mode for that is on.
    pub(in crate::session) plan_files: Option<String>,
    /// Where paths were found to lead, by their spelling: one judgement looks once.
    pub(in crate::session) resolved: Mutex<HashMap<String, Result<Confined, Refusal>>>,
    /// What the commit would be that was looked at, by its arguments: git takes its time, and more than one asks.
    pub(in crate::session) commit: Mutex<Option<(Value, Option<ToCommit>)>>,
}

/// What a planning changes of decisions.
pub(in crate::session) struct WhilePlanning {
    /// The agent's own tool for presenting a plan, while its own mode is on.
    pub(in crate::session) exit_tool: Option<String>,
}

/// Judges actions of one moment. Cheap to clone.
#[derive(Clone)]
pub(in crate::session) struct Judge {
    pub(in crate::session) of: Arc<Basis>,
    pub(in crate::session) sight: Sight,
    /// Where paths lead that are known without the disk.
    pub(in crate::session) known: Vec<(String, Confined)>,
}

/// An action, what the guard says of it, and what a question about it would show.
pub(in crate::session) struct Judged {
    pub(in crate::session) decision: Decision,
    pub(in crate::session) requested: RequestedAction,
}

/// The same of a call at our server.
pub(in crate::session) struct JudgedCall {
    pub(in crate::session) judged: Judged,
    /// Why it fails whatever a person says.
    pub(in crate::session) cannot_work: Option<ToolFailure>,
    /// The files that it writes, for the queue.
    pub(in crate::session) files: Vec<PathBuf>,
}

impl Judge {
    /// The same with other eyes.
    pub(in crate::session) fn with(&self, sight: Sight) -> Self {
        Self {
            of: Arc::clone(&self.of),
            sight,
            known: Vec::new(),
        }
    }
}
