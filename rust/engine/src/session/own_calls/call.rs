//! One call at our server, and how far it is. It knows no session.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::Value;
use siderail_guard::tool::{Patience, Tool};
use siderail_mcp::{CallResult, PendingCall};

use crate::host::{ToolErrorCode, ToolFailure};
use crate::tools::CancelFlag;
use crate::views::text_of;

/// Several agents give up on a tool call after 60 s.
pub(in crate::session) const PATIENCE: Duration = Duration::from_secs(50);

/// A call of one of our tools at our server.
#[derive(Debug)]
pub(in crate::session) struct ArrivedCall {
    pub(in crate::session) tool: Tool,
    /// The connection that it came on.
    pub(in crate::session) conn: u64,
    /// The waiting side, with the arguments.
    pub(in crate::session) pending: PendingCall,
}

/// One call at our server.
pub(crate) struct OwnCall {
    pub(in crate::session) tool: Tool,
    pub(in crate::session) arguments: Value,
    /// The connection that it came on.
    pub(in crate::session) conn: u64,
    /// The waiting side; none after "still waiting" until the same call is made again.
    pub(in crate::session) pending: Option<PendingCall>,
    pub(in crate::session) state: State,
    /// When the waiting side, or the call as a whole, is given up.
    pub(in crate::session) until: Instant,
    /// The files that it writes, for the queue.
    pub(in crate::session) files: Vec<PathBuf>,
    /// The denial whose reason its answer carries.
    pub(in crate::session) denied: Option<u64>,
    /// Ends a command of ours.
    pub(in crate::session) cancel: CancelFlag,
}

pub(in crate::session) enum State {
    /// A person is asked, under this request number.
    Asking(u64),
    /// Another call writes the same file.
    Queued,
    /// The handler runs.
    Running,
    /// The answer waits for the same call to be made again.
    Answered(Box<Answer>),
}

/// A call of a tool that runs in the engine.
pub(in crate::session) struct EngineCall {
    pub(in crate::session) number: u64,
    pub(in crate::session) tool: Tool,
    pub(in crate::session) arguments: Value,
    pub(in crate::session) cancel: CancelFlag,
}

/// What a call is answered.
#[derive(Debug)]
pub(in crate::session) struct Answer {
    pub(in crate::session) result: CallResult,
    /// The denial whose reason it carries.
    pub(in crate::session) tells_of: Option<u64>,
}

impl OwnCall {
    /// True once only the same call made again is waited for.
    pub(in crate::session) fn is_answered(&self) -> bool {
        matches!(self.state, State::Answered(_))
    }

    /// The handler may continue after the waiting side was asked to come back.
    pub(in crate::session) fn may_take_long(&self) -> bool {
        matches!(self.state, State::Running) && crate::tools::may_take_long(self.tool)
    }

    pub(in crate::session) fn asks_a_person(&self) -> bool {
        matches!(self.state, State::Asking(_)) || self.tool.patience() == Patience::Person
    }
}

/// The paths that a call of ours names, as given.
pub(in crate::session) fn named_paths(arguments: &Value) -> Vec<String> {
    let named = ["path", "to", "working_dir", "directory"];
    let listed = arguments.get("paths").and_then(Value::as_array);
    let listed = listed.into_iter().flatten().filter_map(Value::as_str);
    let named = named.iter().filter_map(|name| text_of(arguments, name));
    named.chain(listed).map(str::to_owned).collect()
}

pub(in crate::session) fn fail(code: ToolErrorCode, text: String) -> ToolFailure {
    ToolFailure { code, text }
}
