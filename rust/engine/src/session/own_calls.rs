//! Calls of our own tools at our server: judged, run by the host or here, answered. Plain data, and effects, besides
//! [`host_work`], which waits for the host: the way of a call from part to part is in [`super::dispatch`].

pub(in crate::session) mod call;
pub(in crate::session) mod gate;
pub(in crate::session) mod host_work;
pub(in crate::session) mod outcome;
pub(in crate::session) mod steps;
pub(in crate::session) mod table;

use std::sync::Arc;

use crate::tools::EngineTools;
use crate::tools::command::CommandRunner;
use table::CallTable;

/// The calls that are open, and what runs them.
pub(in crate::session) struct OwnCalls {
    /// How far each of them is.
    pub(in crate::session) table: CallTable,
    /// Runs `run_command`; dropping it ends what still runs.
    pub(in crate::session) runner: Arc<CommandRunner>,
    /// The tools that run in the engine.
    pub(in crate::session) engine_tools: Arc<EngineTools>,
}

impl OwnCalls {
    /// No calls yet.
    pub(in crate::session) fn new(
        runner: Arc<CommandRunner>,
        engine_tools: Arc<EngineTools>,
    ) -> Self {
        Self {
            table: CallTable::default(),
            runner,
            engine_tools,
        }
    }
}
