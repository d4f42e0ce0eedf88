//! The host: the program that embeds the engine. It receives events, performs host calls, and answers them by a
//! command.
//!
//! A host call never returns a value. It carries an id, and the answer comes back as
//! [`crate::command::Command::Complete`], so that no thread waits for the other side.

mod documents;

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use siderail_acp::wire::RequestId;

use crate::acp_client::Outcome;
use crate::event::Event;
use crate::tools::command::{ClientTerminals, ShowsOutput};

pub use documents::{
    DocumentReply, DocumentRequest, OpenDocument, Piece, TidyHow, TidyWish, UnsavedText,
    WrittenText,
};
use siderail_guard::Tool;
pub use siderail_guard::guidance::Surroundings;
use siderail_workspace::Project;
pub use siderail_workspace::arguments::Arguments;
pub use siderail_workspace::outcome::{
    FileBefore, TextChange, ToolErrorCode, ToolFailure, ToolOutcome,
};

/// The interface between the engine and its embedder. All methods return at once.
pub trait Host: Send + Sync + 'static {
    /// Takes an event. Must not block; called in order of `seq`.
    fn deliver(&self, event: Event);
    /// Starts a call; the answer is a `Command::Complete` with the call's id.
    fn start(&self, call: HostCall);
    /// The call's result is no longer wanted; answering it is allowed and ignored.
    fn cancel(&self, call: u64);
    /// The tools whose host side exists here.
    fn tools(&self) -> Vec<Tool>;
    /// A line of the agent of a session that has an ACP client behind it ([`crate::acp_client`]), ahead of all events
    /// that come of it. Must not block.
    fn agent_line(&self, _session: u64, _line: &[u8]) {}
    /// Lines of such an agent that came one after the other and hold pieces of messages, each with a newline behind it,
    /// ahead of all events that come of them. Must not block.
    fn agent_chunks(&self, _session: u64, _lines: Vec<u8>) {}
    /// The agent of such a session answered `initialize` or a prompt, ahead of all events that come of it.
    fn agent_answered(&self, _session: u64, _method: &str, _outcome: &Outcome) {}
    /// The terminals of the ACP client behind a session, where it offers some: commands of our tools run there.
    fn client_terminals(&self, _session: u64) -> Option<Arc<dyn ClientTerminals>> {
        None
    }
    /// A request that the agent of such a session has made is the client's to answer, by
    /// [`crate::acp_client::Passed::Answer`].
    fn ask_client(&self, _session: u64, _id: &RequestId, _method: &str, _params: &Value) {}
    /// Nobody waits any more for what the client was asked by the agent of such a session, and commands of the agent in
    /// its terminals are to end.
    fn close_client_requests(&self, _session: u64) {}
    /// Who is shown what commands of our tools print, as it comes; none if their events are enough, which have it at
    /// the end.
    fn shows_output(&self, _session: u64) -> Option<Arc<ShowsOutput>> {
        None
    }
    /// What is behind the tools, for the texts that models read.
    fn surroundings(&self) -> Surroundings {
        Surroundings::Ide
    }
}

/// An asynchronous request to the host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostCall {
    /// Names the call in the answer.
    pub call: u64,
    /// The session it is for (0: none, as with a plain MCP client).
    pub session: u64,
    /// The project's base folder, canonical.
    pub project: PathBuf,
    /// Its content roots elsewhere, canonical: files in them are the project's as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roots: Vec<PathBuf>,
    /// What to do.
    pub request: HostRequest,
}

impl HostCall {
    /// The project in which to do it.
    pub fn place(&self) -> Project<'_> {
        Project {
            folder: &self.project,
            roots: &self.roots,
        }
    }
}

/// A request to the host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub enum HostRequest {
    /// Run a tool. Argument names are canonical (`path`, `old_text` …): aliases are folded before.
    Tool {
        /// Which one; its bare name on the wire.
        #[serde(rename = "name", with = "tool_name")]
        tool: Tool,
        /// An object, checked against the tool's schema for required members and types.
        arguments: Value,
    },
    /// Text of a file for the agent (ACP `fs/read_text_file`); unsaved editor text wins.
    ReadText {
        /// Absolute path.
        path: PathBuf,
        /// First line, from 1.
        line: Option<u32>,
        /// Number of lines.
        limit: Option<u32>,
    },
    /// Replace or create a file for the agent (ACP `fs/write_text_file`); parents are created.
    WriteText {
        /// Absolute path.
        path: PathBuf,
        /// The whole new text.
        content: String,
        /// A change is reverted: the text is written as it is, and nothing is formatted.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        exact: bool,
    },
    /// A program is about to read the project's files (git, a command): put all unsaved editor text on
    /// disk first. Answered with [`HostReply::Done`] once it is there; a host without editors answers at
    /// once. The program waits for the answer, a few seconds at most: what cannot be saved now, because a
    /// dialog is open, is [`HostReply::Failed`] with [`ToolErrorCode::ModalBlocking`], not a late answer.
    SaveDocuments,
    /// A program may have changed files of the project, and what git says about them: look at the disk
    /// and at the version control again. Answered with [`HostReply::Done`] once the next reading tool sees
    /// the new state; the tool's own answer waits for it, a few seconds at most. Failing is of no
    /// consequence.
    RefreshFiles {
        /// Absolute paths that the program was seen to write; there may be others, of which only a file
        /// watcher knows. None: too many to be named, so that any file may have changed.
        paths: Option<Vec<PathBuf>>,
    },
    /// The agent has ended its turn: do what was left for the end of the turn, such as optimising imports, so
    /// that it belongs to what the turn has changed. Answered with [`HostReply::Done`] when that is on disk. Only
    /// hosts that offer `optimize_imports` are asked, and the end of the turn waits a few seconds at most.
    FinishTurn,
    /// Something about one of its documents; only IDEs whose file tools run here are asked
    /// (`IdeHost` of the crate `hosts`).
    #[serde(untagged)]
    Documents(DocumentRequest),
}

/// Writes a tool as its bare name, and reads it again.
mod tool_name {
    use serde::de::{Deserialize as _, Deserializer, Error};
    use serde::ser::Serializer;
    use siderail_guard::Tool;

    pub(super) fn serialize<S: Serializer>(tool: &Tool, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(tool.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Tool, D::Error> {
        let name = String::deserialize(from)?;
        Tool::named(&name).ok_or_else(|| D::Error::custom(format_args!("unknown tool: {name}")))
    }
}

/// The outcome of a host call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case")]
pub enum HostReply {
    /// A tool's result.
    Tool(ToolOutcome),
    /// Text of a file.
    Text {
        /// The text.
        text: String,
    },
    /// A file was written.
    Written {
        /// A unified diff.
        diff: Option<String>,
    },
    /// Documents are saved, or files looked at again.
    Done,
    /// The call failed.
    Failed(ToolFailure),
    /// The outcome of a [`DocumentRequest`].
    #[serde(untagged)]
    Documents(DocumentReply),
}
