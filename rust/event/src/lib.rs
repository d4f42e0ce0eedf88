//! What the engine reports to its host: one closed enum, which is also what `--json` prints, a line each.
//!
//! The shapes are a contract with readers outside this project; `docs/events.schema.json` is made of these types and
//! their comments (feature `schema`). An event says what happened; nothing here decides. Each is a struct in the file
//! of its theme. `as is` or `as judged` behind a member's type says who wrote its text (`texts.rs`).

mod acp_words;
pub mod backlog;
mod choices;
mod guard_words;
mod guidance;
mod history;
mod kinds;
mod permission;
mod planning;
mod session;
mod summary;
mod texts;
mod turn;
mod usage;
mod views;

use serde::{Deserialize, Serialize};

pub use acp_words::{
    PermissionOptionKind, PlanEntryPriority, PlanEntryStatus, Severity, StopReason, ToolCallStatus,
    ToolKind,
};
pub use choices::{AgentCommand, OptionChoice, SessionOption, short_name, short_names};
pub use guard_words::{ActionWord, PolicyWord, ToolWord};
pub use guidance::{
    AutoRetry, Escalation, GuidanceFollowed, GuidanceIgnored, GuidanceReceipt, Nudge,
    PreRejectionGuidance, RetryExhausted,
};
pub use history::{History, HistoryExported, Restored, Resumed};
pub use kinds::{
    ApprovedBy, ChangeKind, CountedOver, DeniedBy, ErrorKind, GuidanceChannel, LogKind, LoginKind,
    OptionKind, OwnToolStatus, PlanApprovedBy, PlanChannel, PlanRejectedBy, PromptOrigin, Receipt,
    RequestChannel, ResumedBy,
};
pub use permission::{PermissionApproved, PermissionDenied, PermissionRequest, Unguarded};
pub use planning::{PlanApproved, PlanProposed, PlanRejected, PlanningStarted};
pub use session::{
    AgentCommands, AgentLog, AgentNotice, Agents, Error, Hidden, LoginNeeded, SessionOptions,
    SessionStarted, SessionTitle,
};
pub use summary::{EscalationCounts, ReceiptCounts, Summary};
pub use texts::{Texts, Visit, Word};
pub use turn::{
    AgentMessage, AgentThought, Changes, InactivityTimeout, Plan, Reverted, Steered, TurnEnded,
    TurnStarted,
};
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
    #[expect(missing_docs, reason = "each event's struct says what happened")]
    pub enum EventBody {
        SessionStarted(SessionStarted),
        Hidden(Hidden),
        TurnStarted(TurnStarted),
        AgentMessage(AgentMessage),
        AgentThought(AgentThought),
        /// The merged state of a tool call after an announcement or update.
        ToolCall(ToolCallView),
        Plan(Plan),
        /// What the conversation takes of the model's context and what it cost, whenever the agent counts anew.
        Usage(Usage as is),
        SessionTitle(SessionTitle),
        AgentNotice(AgentNotice),
        History(History),
        HistoryExported(HistoryExported),
        Agents(Agents),
        LoginNeeded(LoginNeeded),
        SessionOptions(SessionOptions),
        Steered(Steered),
        AgentCommands(AgentCommands),
        Changes(Changes),
        Reverted(Reverted),
        Restored(Restored),
        Resumed(Resumed),
        PlanningStarted(PlanningStarted),
        PlanProposed(PlanProposed),
        PlanApproved(PlanApproved),
        PlanRejected(PlanRejected),
        PermissionRequest(PermissionRequest),
        PreRejectionGuidance(PreRejectionGuidance),
        PermissionDenied(PermissionDenied),
        PermissionApproved(PermissionApproved),
        GuidanceReceipt(GuidanceReceipt),
        GuidanceFollowed(GuidanceFollowed),
        GuidanceIgnored(GuidanceIgnored),
        AutoRetry(AutoRetry),
        RetryExhausted(RetryExhausted),
        Nudge(Nudge),
        Escalation(Escalation),
        Unguarded(Unguarded),
        /// A call of one of our tools, at our server.
        OwnTool(OwnToolView),
        InactivityTimeout(InactivityTimeout),
        AgentLog(AgentLog),
        TurnEnded(TurnEnded),
        Error(Error),
        /// Always the last event of a session.
        Summary(Summary as is),
    }
}
