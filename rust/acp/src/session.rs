//! One session of an agent: whose turn it is, which tool calls are open, what is set.
//!
//! Shaped like protocol version 2, where a turn is a state of its own and a tool call an upsert; the prompt request
//! of version 1 only starts and ends it. Updates are accepted at any time, also after a cancel and after the turn's
//! end (Copilot's background agents send them). Open requests are the connection's. Plain data: nothing here waits, sends or decides.

use crate::initialize::NewSessionResult;
use crate::options::{CommandInfo, ConfigOption, Models, Modes};
use crate::tool_call::{ToolCall, ToolCallFields, ToolCallStatus};
use crate::update::{Chunk, PlanEntry, SessionUpdate, UsageInfo};

use calls::ToolCalls;
pub use early_updates::EarlyUpdates;

mod calls;
mod early_updates;

/// The state of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionState {
    /// No turn is running.
    Idle,
    /// A turn is running.
    Prompting {
        /// Our id of the `session/prompt`.
        request: u64,
    },
    /// A turn is running and `session/cancel` was sent; its result is still to come.
    Cancelling {
        /// Our id of the `session/prompt`.
        request: u64,
    },
    /// The session is over.
    Closed,
}

/// A session and what the agent has said in it.
#[derive(Debug)]
pub struct Session {
    /// The session's id, as the agent names it.
    id: String,
    state: SessionState,
    calls: ToolCalls,
    /// What kind of chunk came last and of which message, to notice where the next message starts.
    last_chunk: Option<(ChunkRole, Option<String>)>,
    modes: Option<Modes>,
    config_options: Vec<ConfigOption>,
    models: Option<Models>,
    commands: Vec<CommandInfo>,
    plan: Vec<PlanEntry>,
    title: Option<String>,
    usage: Option<UsageInfo>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChunkRole {
    User,
    Agent,
    Thought,
}

/// An update that was applied.
#[derive(Clone, Debug)]
pub struct Applied {
    /// What it says.
    pub update: SessionUpdate,
    /// For a chunk: whether it starts a new message rather than continuing the last one.
    pub starts_message: bool,
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnEnd {
    /// Tool calls that were open and are now marked cancelled or failed, oldest first.
    pub unfinished: Vec<String>,
}

/// A prompt was to be sent while another turn runs, or into a session that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the session is not idle, so it takes no prompt now; wait for the end of the turn")]
pub struct NotIdle;

impl Session {
    /// A session of which only the id is known, for `session/load` and `session/resume`.
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            state: SessionState::Idle,
            calls: ToolCalls::default(),
            last_chunk: None,
            modes: None,
            config_options: Vec::new(),
            models: None,
            commands: Vec::new(),
            plan: Vec::new(),
            title: None,
            usage: None,
        }
    }

    /// The session that a `session/new` made. Updates that came ahead of its result are to be applied next
    /// ([`EarlyUpdates::take`]).
    pub fn open(result: &NewSessionResult) -> Self {
        let mut session = Self::new(&result.session_id);
        session.modes.clone_from(&result.modes);
        session.config_options.clone_from(&result.config_options);
        session.models.clone_from(&result.models);
        session
    }

    /// The session's id, as the agent names it.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The state of the session.
    pub fn state(&self) -> &SessionState {
        &self.state
    }

    /// The running turn's `session/prompt`.
    pub fn running_prompt(&self) -> Option<u64> {
        match self.state {
            SessionState::Prompting { request } | SessionState::Cancelling { request } => {
                Some(request)
            }
            SessionState::Idle | SessionState::Closed => None,
        }
    }

    /// A prompt was sent.
    ///
    /// # Errors
    /// When a turn is running or the session is over.
    pub fn begin_turn(&mut self, request: u64) -> Result<(), NotIdle> {
        if self.state != SessionState::Idle {
            return Err(NotIdle);
        }
        self.state = SessionState::Prompting { request };
        self.calls.begin_turn();
        self.last_chunk = None;
        Ok(())
    }

    /// The running turn is to be cancelled: marks its open tool calls. What the agent has asked is to be answered at
    /// once ([`crate::connection::Connection::drain_open`]): Gemini and Vibe never end a turn that still waits for it.
    pub fn cancel(&mut self) {
        if let SessionState::Prompting { request } = self.state {
            self.state = SessionState::Cancelling { request };
        }
        self.calls.finish_open(&ToolCallStatus::Cancelled);
    }

    /// The prompt was answered, with a stop reason or with an error; the session lives on either way. Tool calls that
    /// are still open are marked cancelled in a turn that was cancelled here or that `says_cancelled`, failed in any
    /// other. `None` when the request is not the running turn's.
    pub fn end_turn(&mut self, request: u64, says_cancelled: bool) -> Option<TurnEnd> {
        if self.running_prompt() != Some(request) {
            return None;
        }
        let cancelled = says_cancelled || matches!(self.state, SessionState::Cancelling { .. });
        let status = if cancelled {
            ToolCallStatus::Cancelled
        } else {
            ToolCallStatus::Failed
        };
        self.state = SessionState::Idle;
        self.last_chunk = None;
        Some(TurnEnd {
            unfinished: self.calls.finish_open(&status),
        })
    }

    /// The session is over, by wish or because the agent is gone.
    pub fn close(&mut self) {
        self.state = SessionState::Closed;
        self.calls.finish_open(&ToolCallStatus::Failed);
    }

    /// Applies an update and says what changed.
    pub fn apply(&mut self, update: SessionUpdate) -> Applied {
        let mut starts_message = false;
        match &update {
            SessionUpdate::UserMessageChunk(chunk) => {
                starts_message = self.chunk(ChunkRole::User, chunk)
            }
            SessionUpdate::AgentMessageChunk(chunk) => {
                starts_message = self.chunk(ChunkRole::Agent, chunk)
            }
            SessionUpdate::AgentThoughtChunk(chunk) => {
                starts_message = self.chunk(ChunkRole::Thought, chunk);
            }
            SessionUpdate::ToolCall(fields) => {
                self.last_chunk = None;
                self.calls.announce(ToolCallFields::clone(fields));
            }
            SessionUpdate::ToolCallUpdate(fields) => {
                self.calls.upsert(ToolCallFields::clone(fields));
            }
            SessionUpdate::Plan(entries) => self.plan.clone_from(entries),
            SessionUpdate::AvailableCommands(commands) => self.commands.clone_from(commands),
            SessionUpdate::CurrentMode { mode_id } => self.set_mode(mode_id),
            SessionUpdate::ConfigOptions(options) => self.config_options.clone_from(options),
            SessionUpdate::SessionInfo(info) => {
                if let Some(title) = &info.title {
                    self.title.clone_from(title);
                }
            }
            SessionUpdate::Usage(usage) => self.usage = Some(usage.clone()),
            SessionUpdate::Notice(_)
            | SessionUpdate::Compaction(_)
            | SessionUpdate::Unknown { .. } => {}
        }
        Applied {
            update,
            starts_message,
        }
    }

    /// A tool call by its id.
    pub fn tool_call(&self, id: &str) -> Option<&ToolCall> {
        self.calls.get(id)
    }

    /// Whether a call has ended and nobody has asked this yet: agents may speak of an end again.
    pub fn take_end(&mut self, id: &str) -> bool {
        let ended = self.calls.get_mut(id).filter(|call| !call.is_open());
        ended.is_some_and(|call| !std::mem::replace(&mut call.end_was_taken, true))
    }

    /// All remembered tool calls, oldest first.
    pub fn tool_calls(&self) -> impl DoubleEndedIterator<Item = &ToolCall> {
        self.calls.iter()
    }

    /// The tool call that was announced last and is still open: what OpenHands means when it asks with an id that it
    /// never announced (`tests/fixtures/recordings/openhands/deny`).
    pub fn last_open_call(&self) -> Option<&ToolCall> {
        self.tool_calls()
            .rev()
            .find(|call| call.announced && call.is_open())
    }

    /// Modes, where the agent has them.
    pub fn modes(&self) -> Option<&Modes> {
        self.modes.as_ref()
    }

    /// Another mode is in force now; agents that were asked to change it do not always say so.
    pub fn set_mode(&mut self, mode_id: &str) {
        self.modes.get_or_insert_default().current = mode_id.to_owned();
    }

    /// Modes and options of a `session/load` or `session/resume` result, or the options of a `session/set_config_option`.
    pub fn take_over(&mut self, modes: Option<Modes>, config_options: Option<Vec<ConfigOption>>) {
        self.modes = modes.or(self.modes.take());
        if let Some(config_options) = config_options {
            self.config_options = config_options;
        }
    }

    /// Config options, in the agent's order.
    pub fn config_options(&self) -> &[ConfigOption] {
        &self.config_options
    }

    /// Models by the older way, where the agent still has it.
    pub fn models(&self) -> Option<&Models> {
        self.models.as_ref()
    }

    /// The agent took this model.
    pub fn set_model(&mut self, model_id: &str) {
        if let Some(models) = &mut self.models {
            models.current = model_id.to_owned();
        }
    }

    /// Slash commands.
    pub fn commands(&self) -> &[CommandInfo] {
        &self.commands
    }

    /// The plan, whole.
    pub fn plan(&self) -> &[PlanEntry] {
        &self.plan
    }

    /// The title that the agent gave the session.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// Context window and cost, as last reported.
    pub fn usage(&self) -> Option<&UsageInfo> {
        self.usage.as_ref()
    }

    /// Notes a chunk; true when it starts a message: another role, another message id, or a tool call in between.
    fn chunk(&mut self, role: ChunkRole, chunk: &Chunk) -> bool {
        let starts = match &self.last_chunk {
            Some((last_role, last_id)) => {
                *last_role != role
                    || matches!((last_id, &chunk.message_id), (Some(last), Some(this)) if last != this)
            }
            None => true,
        };
        self.last_chunk = Some((role, chunk.message_id.clone()));
        starts
    }
}
