//! What the engine tells its host: one closed enum, which is also what `--json` prints, a line each.
//!
//! The shapes are a contract with readers outside this project; `docs/events.schema.json` is made of these types
//! and their comments (feature `schema`). An event says what happened; nothing here decides. What stands behind a
//! member's type (`as is`, `as judged`) says whose word it is (`texts.rs`).

mod acp_words;
pub mod backlog;
mod choices;
mod guard_words;
mod kinds;
mod summary;
mod texts;
mod usage;
mod views;

use serde::{Deserialize, Serialize};

pub use acp_words::{
    PermissionOptionKind, PlanEntryPriority, PlanEntryStatus, StopReason, ToolCallStatus, ToolKind,
};
pub use choices::{AgentCommand, OptionChoice, SessionOption};
pub use guard_words::{ActionWord, PolicyWord};
pub use kinds::{
    ApprovedBy, ChangeKind, CountedOver, DeniedBy, ErrorKind, GuidanceChannel, LogKind, LoginKind,
    OptionKind, OwnToolStatus, PlanApprovedBy, PlanChannel, PlanRejectedBy, PromptOrigin, Receipt,
    RequestChannel, ResumedBy,
};
pub use summary::{EscalationCounts, ReceiptCounts, Summary};
pub use texts::{Texts, Visit, Word};
pub use usage::{Cost, TurnTokens, Usage};
pub use views::{
    AgentProgram, ChangedFile, FileDiff, LoginMethod, OwnToolView, PastConversation,
    PermissionChoice, PlanEntry, ToolCallView,
};

use texts::texts;

/// Version of the event lines (`v`).
pub const EVENT_VERSION: u32 = 1;

/// One event, as delivered to the host and as printed by `--json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Event {
    /// Version of the line's shape.
    #[cfg_attr(feature = "schema", schemars(extend("const" = EVENT_VERSION)))]
    pub v: u32,
    /// Rises by one from event to event of an engine.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub seq: u64,
    /// Seconds since the engine started.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub t: f64,
    /// The engine's number of the session (0: of no session).
    pub session: u64,
    /// Number of the prompt turn in the session, from 1 (0: before the first).
    pub turn: u32,
    /// What happened.
    #[serde(flatten)]
    pub body: EventBody,
}

texts! {
    /// What happened. The tag `event` is written in capitals.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(tag = "event", rename_all = "SCREAMING_SNAKE_CASE")]
    pub enum EventBody {
        /// The agent answered `initialize` and `session/new`; prompts may be sent.
        SessionStarted {
            /// Profile name of the agent.
            agent: String as is,
            /// Name and version that the agent gave of itself.
            version: Option<String> as is,
            /// The agent's own session id.
            agent_session: String as is,
            /// The policy in force.
            #[cfg_attr(feature = "schema", schemars(extend("enum" = siderail_guard::Policy::NAMES)))]
            policy: PolicyWord,
            /// The mode that was set, where the agent has modes.
            mode: Option<String> as is,
            /// Whether the agent takes images in prompts.
            #[serde(default, skip_serializing_if = "std::ops::Not::not")]
            images: bool,
        },
        /// Built-in tools that are hidden from the model at launch (ladder step 1).
        Hidden {
            /// Names as the agent knows them.
            tools: Vec<String> as is,
        },
        /// A prompt was sent.
        TurnStarted {
            /// The user's prompt, or a continuation of the ladder.
            origin: PromptOrigin,
            /// The prompt's text.
            text: String as is,
        },
        /// Text of the model.
        AgentMessage {
            /// A chunk, in order.
            text: String,
            /// Groups chunks, where the agent says so.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            message_id: Option<String> as is,
        },
        /// Thinking of the model.
        AgentThought {
            /// A chunk, in order.
            text: String,
            /// Groups chunks, where the agent says so.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            message_id: Option<String> as is,
        },
        /// The merged state of a tool call after an announcement or update.
        ToolCall(call: ToolCallView),
        /// The agent's plan, whole.
        Plan {
            /// Steps in order.
            entries: Vec<PlanEntry>,
        },
        /// What the conversation takes of the model's context and what it cost, whenever the agent counts anew.
        Usage(usage: Usage as is),
        /// What the agent calls the conversation; empty where it has taken a title back.
        SessionTitle {
            /// The title.
            title: String,
        },
        /// The agent program itself has something to say to the user.
        AgentNotice {
            /// What it says.
            text: String,
            /// How grave it is, as the agent says it: `info`, `warning`, `error` …
            #[serde(default, skip_serializing_if = "Option::is_none")]
            severity: Option<String> as is,
        },
        /// Conversations of the project that are kept, the newest first: the answer to `list_history`.
        History {
            /// What was searched for.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            query: Option<String> as is,
            /// At most 200.
            conversations: Vec<PastConversation> as is,
        },
        /// A kept conversation as a page: the answer to `export_history`.
        HistoryExported {
            /// Its id in the history.
            conversation: String as is,
            /// The page.
            markdown: String as is,
        },
        /// The known agents, by name: the answer to `list_agents`.
        Agents {
            /// Each once.
            agents: Vec<AgentProgram> as is,
        },
        /// The agent wants a login; an `ERROR` ahead of it says why. While a person can be asked the session waits: for
        /// `login`, or for its end.
        LoginNeeded {
            /// Ways to log in, in the agent's order.
            methods: Vec<LoginMethod>,
        },
        /// What can be set in the session: at its start, and whole whenever something of it has changed.
        SessionOptions {
            /// The mode in force; none where the agent has no modes.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            mode: Option<String> as is,
            /// The modes, each once, however the agent tells them.
            modes: Vec<OptionChoice> as is,
            /// Everything else, in the agent's order.
            options: Vec<SessionOption> as is,
        },
        /// What a text that was given to the running turn came to.
        Steered {
            /// The text.
            text: String as is,
            /// The model reads it in this turn; else it went nowhere.
            taken: bool,
        },
        /// The agent's own slash commands, whole.
        AgentCommands {
            /// In the agent's order.
            commands: Vec<AgentCommand> as judged,
        },
        /// Files that the user's prompt has changed so far, ahead of the end of its turn: by our tools, through us, or
        /// after a permission that names them. What a command changed by itself is not among them.
        Changes {
            /// The files.
            files: Vec<ChangedFile>,
        },
        /// What became of taking a change back.
        Reverted {
            /// The file, as it was named.
            path: String as is,
            /// It is what it was before.
            done: bool,
            /// Why not, for a person.
            #[serde(default, skip_serializing_if = "String::is_empty")]
            text: String as judged,
        },
        /// Something of an earlier conversation, to be shown as such: it has happened long ago.
        Restored {
            /// Milliseconds since 1970, where known.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            at: Option<u64>,
            /// What happened then.
            entry: Box<EventBody>,
        },
        /// An earlier conversation was gone on with; all of it that is shown has been.
        Resumed {
            /// Its id in the history.
            id: String as is,
            /// What the agent knows of it.
            by: ResumedBy,
            /// How much of it was shown.
            entries: u64,
            /// How much at its beginning was not.
            omitted: u64,
        },
        /// A plan is to be made before anything is changed.
        PlanningStarted {
            /// The agent's own mode for it; none where the guard alone keeps the files as they are.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            mode: Option<String> as is,
            /// What the model is told of it beside the prompt.
            text: String as is,
        },
        /// A plan waits for approval; nothing has been changed so far. Answered like a permission request: allowed is
        /// approved, a denial's reason is the feedback.
        PlanProposed {
            /// The engine's number of the question; answers name it.
            request_id: u64,
            /// The plan as the agent wrote it.
            text: String as judged,
            /// Its steps; empty where none can be told apart.
            entries: Vec<PlanEntry> as judged,
            /// How the plan was proposed.
            channel: PlanChannel,
            /// True while a person's answer is awaited.
            asks: bool,
        },
        /// The plan was approved: the work begins.
        PlanApproved {
            /// The question.
            request_id: u64,
            /// Who approved.
            by: PlanApprovedBy,
        },
        /// The plan was not approved.
        PlanRejected {
            /// The question.
            request_id: u64,
            /// Who did not approve.
            by: PlanRejectedBy,
            /// What the person wants changed; empty when no other plan is wanted.
            text: String as is,
            /// True when the feedback goes to the model and another plan is awaited.
            continues: bool,
        },
        /// The agent asks for permission, or its hook asked before a tool ran.
        PermissionRequest {
            /// The engine's number of the request; answers name it.
            request_id: u64,
            /// The agent's id of the tool call, where known.
            tool_call_id: Option<String> as is,
            /// The tool, by the agent's name or ours.
            tool: String,
            /// What it does: `edit`, `read_file`, `run_tests`, `execute` …
            kind: ActionWord,
            /// The command or title a person would judge by.
            text: String as judged,
            /// All paths that it touches.
            paths: Vec<String> as judged,
            /// Where the question came from.
            channel: RequestChannel,
            /// The agent's choices; empty where nobody is asked. None that lasts where ours would not be remembered.
            options: Vec<PermissionChoice> as is,
            /// True where `Always` is remembered; elsewhere it must not be offered, and counts as a yes for once.
            #[serde(default)]
            may_be_remembered: bool,
            /// The change that is asked about, as far as it is told; only where a person is asked.
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            diffs: Vec<FileDiff> as judged,
            /// Those of `paths` that lie outside the project, links followed.
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            outside: Vec<String> as judged,
            /// What a yes destroys, or which part of a command is asked about and why; a line each.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            destroys: Option<String> as judged,
            /// True while a person's answer is awaited.
            asks: bool,
        },
        /// Guidance for the model goes out ahead of the denial that it explains.
        PreRejectionGuidance {
            /// The request it belongs to.
            request_id: u64,
            /// The agent's id of the tool call, where known.
            tool_call_id: Option<String> as is,
            /// The denied tool.
            tool: String,
            /// What it would have done.
            kind: ActionWord,
            /// What carries it to the model.
            channel: GuidanceChannel,
            /// The text that the model is to read.
            text: String as judged,
            /// The tool named instead, as that agent's model sees it.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            instead: Option<String> as is,
        },
        /// The request was denied.
        PermissionDenied {
            /// The request.
            request_id: u64,
            /// The agent's id of the tool call, where known.
            tool_call_id: Option<String> as is,
            /// The denied tool.
            tool: String,
            /// What it would have done.
            kind: ActionWord,
            /// Who denied.
            by: DeniedBy,
            /// Why, for a person: which policy and what it says, the user's reason, which setting.
            text: String as judged,
            /// All paths of the action.
            paths: Vec<String> as judged,
        },
        /// The request was allowed.
        PermissionApproved {
            /// The request.
            request_id: u64,
            /// The agent's id of the tool call, where known.
            tool_call_id: Option<String> as is,
            /// The allowed tool.
            tool: String,
            /// What it does.
            kind: ActionWord,
            /// Who allowed.
            by: ApprovedBy,
        },
        /// What became of a guidance text.
        GuidanceReceipt {
            /// The request whose denial it explains.
            request_id: u64,
            /// The denied tool.
            tool: String,
            /// The ladder's channel.
            channel: GuidanceChannel,
            /// Delivered, without receipt, or failed.
            receipt: Receipt,
            /// More, for a person.
            #[serde(default, skip_serializing_if = "String::is_empty")]
            text: String as judged,
        },
        /// The model used the tool that guidance had named.
        GuidanceFollowed {
            /// The request whose guidance was followed.
            request_id: u64,
            /// The tool that was used.
            tool: String,
            /// The kind that was denied before.
            kind: ActionWord,
            /// The channel that carried the guidance.
            channel: GuidanceChannel,
        },
        /// The model did something else than guidance had said.
        GuidanceIgnored {
            /// The request whose guidance was ignored.
            request_id: u64,
            /// The denied tool.
            tool: String,
            /// The kind that was denied.
            kind: ActionWord,
            /// The channel that carried the guidance.
            channel: GuidanceChannel,
        },
        /// A denial ended the turn and a continuation prompt is sent.
        AutoRetry {
            /// Number of the continuation for this user prompt, from 1.
            #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
            attempt: u32,
            /// The continuation's text.
            text: String as judged,
        },
        /// No further continuation is sent for this user prompt.
        RetryExhausted {
            /// Continuations that were sent.
            attempts: u32,
        },
        /// The denial tracker adds a word about the sandbox.
        Nudge {
            /// Consecutive denials.
            denials: u32,
            /// The text that the model is to read.
            text: String as judged,
        },
        /// The denial tracker changes its tone for one tool.
        Escalation {
            /// The tool that was denied again and again.
            tool: String,
            /// Over what they are counted.
            #[serde(default)]
            scope: CountedOver,
            /// Denials of that tool by that count.
            denials: u32,
            /// The text that the model is to read.
            text: String as judged,
        },
        /// A built-in edit or command ran without anybody having been asked.
        Unguarded {
            /// What ran and what to do about it.
            text: String as judged,
        },
        /// A call of one of our tools, at our server.
        OwnTool(call: OwnToolView),
        /// The agent was silent for too long; the turn is cancelled.
        InactivityTimeout {
            /// Seconds of silence.
            seconds: u64,
            /// What was not answered, since when, and the agent's last words.
            #[serde(default)]
            text: String,
        },
        /// Something beside the protocol: an unusable line, or what a person should know of the session.
        AgentLog {
            /// Whom it concerns.
            kind: LogKind,
            /// A line.
            text: String,
        },
        /// A prompt turn ended.
        TurnEnded {
            /// The agent's stop reason, or `error`.
            stop_reason: StopReason,
            /// True when a continuation prompt follows by itself; false when the user prompt is done.
            continues: bool,
            /// The agent's error, where there is one.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            text: Option<String>,
        },
        /// Something failed; the session may be over.
        Error {
            /// A stable word.
            kind: ErrorKind,
            /// What happened and why.
            text: String,
            /// What to do about it.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            hint: Option<String>,
        },
        /// Always the last event of a session.
        Summary(summary: Summary as is),
    }
}
