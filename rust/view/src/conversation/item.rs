//! The items of a conversation, and the patches that keep a front end's copy of it up to date.
//!
//! Plain data. `json.rs` says how it crosses the boundary; texts for people are not here: the front end that shows an
//! item words it.

use siderail_event::{
    ActionWord, ApprovedBy, ChangedFile, DeniedBy, EventBody, FileDiff, GuidanceChannel, PlanEntry,
    Receipt, ResumedBy,
};
use siderail_guard::Tool;

use super::item_words::{CallStatus, ItemKind, PatchKind, PromptWay, ProposalState};
use crate::Block;

/// One step by which a copy of the conversation follows.
#[derive(Clone, Debug, PartialEq)]
pub enum Patch {
    /// A new item, below all others.
    Append(Item),
    /// The item of this id is now like this.
    Replace(Item),
    /// The speech of this id has grown.
    Extend {
        /// The item.
        id: u64,
        /// What came.
        text: String,
        /// Blocks that can no longer change, behind those that were known.
        settled: Vec<Block>,
        /// The blocks behind them; what comes may change them.
        open: Open,
        /// Nothing more comes.
        is_closed: bool,
    },
    /// Another item shows these from now on, behind what it shows already: calls that only looked as one row, a denied
    /// call with the one that took its place.
    Fold {
        /// The item that shows them.
        into: u64,
        /// The items.
        ids: Vec<u64>,
    },
    /// The item of this id is no longer shown.
    Remove {
        /// The item.
        id: u64,
    },
    /// A person is asked about a change that may be part of no item.
    Asked {
        /// The engine's number of the question.
        request_id: u64,
        /// The change.
        diffs: Vec<FileDiff>,
    },
}

impl Patch {
    /// What it does.
    pub fn kind(&self) -> PatchKind {
        match self {
            Self::Append(_) => PatchKind::Append,
            Self::Replace(_) => PatchKind::Replace,
            Self::Extend { .. } => PatchKind::Extend,
            Self::Fold { .. } => PatchKind::Fold,
            Self::Remove { .. } => PatchKind::Remove,
            Self::Asked { .. } => PatchKind::Asked,
        }
    }
}

/// What has become of the blocks at the end of speech that may still change.
#[derive(Clone, Debug, PartialEq)]
pub enum Open {
    /// All of them.
    Blocks(Vec<Block>),
    /// The last, which is code, has grown by this.
    More(String),
    /// They are as they were reported last.
    Same,
}

/// A part of a conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Stays the same for as long as the item is shown; unique among the sessions of an engine.
    pub id: u64,
    /// It happened in an earlier conversation, so that nothing of it can be acted on.
    pub is_past: bool,
    /// What it is.
    pub what: What,
}

/// What an item is.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A prompt.
    Prompt {
        /// Its text.
        text: String,
        /// How it came to the model.
        way: PromptWay,
    },
    /// What the model says or thinks; it grows by [`Patch::Extend`].
    Speech {
        /// It thinks.
        is_thought: bool,
    },
    /// A call of a tool.
    Call(Box<Call>),
    /// Calls in a row that only looked at something; they come by [`Patch::Fold`].
    Calls,
    /// The agent's plan; one per user prompt, replaced in place.
    Plan {
        /// Its steps.
        entries: Vec<PlanEntry>,
    },
    /// A plan that was put before the person.
    Proposal(Proposal),
    /// The files that a user prompt has changed.
    Changes {
        /// The files.
        files: Vec<ChangedFile>,
    },
    /// An earlier conversation begins below this line.
    PastBegins {
        /// When it was, in milliseconds since 1970.
        at: Option<u64>,
    },
    /// So much at the beginning of the earlier conversation is not shown.
    PastOmitted {
        /// What would be so many items or more.
        entries: u64,
    },
    /// An earlier conversation ends above this line.
    PastEnds {
        /// What the agent knows of it.
        by: ResumedBy,
    },
    /// An event that a person should know of and that belongs to nothing else.
    Notice {
        /// The event.
        event: Box<EventBody>,
        /// The agent's last lines beside the protocol, where they may explain it.
        log: Vec<String>,
    },
}

impl What {
    /// The same without what belongs to it.
    pub fn kind(&self) -> ItemKind {
        match self {
            Self::Prompt { .. } => ItemKind::Prompt,
            Self::Speech { .. } => ItemKind::Speech,
            Self::Call(_) => ItemKind::Call,
            Self::Calls => ItemKind::Calls,
            Self::Plan { .. } => ItemKind::Plan,
            Self::Proposal(_) => ItemKind::Proposal,
            Self::Changes { .. } => ItemKind::Changes,
            Self::PastBegins { .. } => ItemKind::PastBegins,
            Self::PastOmitted { .. } => ItemKind::PastOmitted,
            Self::PastEnds { .. } => ItemKind::PastEnds,
            Self::Notice { .. } => ItemKind::Notice,
        }
    }
}

/// A call of a tool of the agent's or ours, with everything that several events say of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Call {
    /// The tool, by the agent's name or ours.
    pub tool: String,
    /// What it does, in ACP's word; in the guard's for a denied call that the agent never announced. For a call that
    /// only our server announced, the tool.
    pub kind: ActionWord,
    /// The agent's title, or our own words once we know the call.
    pub title: String,
    /// The title is our own words.
    pub is_described: bool,
    /// The command, where it runs one.
    pub command: Option<String>,
    /// All paths.
    pub paths: Vec<String>,
    /// It is a call of one of our tools.
    pub is_own: bool,
    /// Our server has reported it: the tool was run, or that was refused. A call that is wrong before that does not
    /// come so far.
    pub is_at_server: bool,
    /// How far it is.
    pub status: CallStatus,
    /// What came out of it.
    pub output: String,
    /// Changes of files, as the agent reports them.
    pub diffs: Vec<FileDiff>,
    /// A unified diff, where one of our tools changed a file.
    pub diff: Option<String>,
    /// Who allowed it, where that was asked.
    pub approved_by: Option<ApprovedBy>,
    /// Why it was denied.
    pub denial: Option<Denial>,
    /// The permission requests about it.
    pub request_ids: Vec<u64>,
    /// How long it took; none while it is open, or where that is not known.
    pub seconds: Option<u64>,
}

impl Call {
    /// Our tool of that name. Whether the call is one of it, `is_own` says; none for a tool that is gone since.
    pub fn tool_of_ours(&self) -> Option<Tool> {
        Tool::named(&self.tool)
    }
}

/// Why a call was denied and what became of the guidance.
#[derive(Clone, Debug, PartialEq)]
pub struct Denial {
    /// Who denied.
    pub by: DeniedBy,
    /// Why, for a person.
    pub reason: String,
    /// What the model read; empty if nothing.
    pub guidance: String,
    /// What carries it to the model.
    pub channel: Option<GuidanceChannel>,
    /// The tool named instead, as that agent's model sees it.
    pub instead: Option<String>,
    /// Whether it arrived.
    pub receipt: Option<Receipt>,
    /// Whether the model then called that tool.
    pub is_followed: Option<bool>,
}

/// A plan that was put before the person.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The engine's number of the question.
    pub request_id: u64,
    /// The plan as the agent wrote it.
    pub text: String,
    /// The same, read.
    pub blocks: Vec<Block>,
    /// Its steps; empty if none can be distinguished.
    pub entries: Vec<PlanEntry>,
    /// What became of it.
    pub state: ProposalState,
}
