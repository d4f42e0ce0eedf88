//! Calls of our own tools at our server: judged, run by the host or here, answered; and the calls that are expected
//! because the agent asked for them under one of our names.

pub(in crate::session) mod by_name;
pub(in crate::session) mod call;
pub(in crate::session) mod calls;
pub(in crate::session) mod expected;
pub(in crate::session) mod host_work;
pub(in crate::session) mod results;
pub(in crate::session) mod unworkable;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use siderail_mcp::edit_queue::EditQueue;

use crate::tools::EngineTools;
use crate::tools::command::CommandRunner;
use call::OwnCall;

/// The calls that are open, and what runs them.
pub(in crate::session) struct OwnCalls {
    /// Calls at our server, by call number.
    pub(in crate::session) calls: BTreeMap<u64, OwnCall>,
    /// Runs `run_command`; dropping it ends what still runs.
    pub(in crate::session) runner: Arc<CommandRunner>,
    /// The tools that run in the engine.
    pub(in crate::session) engine_tools: Arc<EngineTools>,
    /// Calls that write, serialised per file.
    pub(in crate::session) edits: EditQueue<PathBuf, u64>,
}

impl OwnCalls {
    /// No calls yet.
    pub(in crate::session) fn new(
        runner: Arc<CommandRunner>,
        engine_tools: Arc<EngineTools>,
    ) -> Self {
        Self {
            calls: BTreeMap::new(),
            runner,
            engine_tools,
            edits: EditQueue::default(),
        }
    }

    /// When the next of them is overdue.
    pub(in crate::session) fn deadline(&self) -> Option<Instant> {
        self.calls.values().filter_map(OwnCall::deadline).min()
    }
}
