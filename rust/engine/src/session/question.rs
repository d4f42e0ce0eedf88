//! What a person is asked to allow: an action of the agent with its preview, or a plan. The agent's own questions are in
//! `elicitation`. Plain data; it knows no session.

use std::path::PathBuf;

use serde_json::Value;
use siderail_acp::permission::PermissionRequest;
use siderail_guard::Tool;

use crate::command::PermissionAnswer;
use crate::event::{ActionWord, DeniedBy, EventBody, FileDiff, PermissionDenied, RequestChannel};
use crate::memory::Allowed;
use crate::session::terminal_command::CommandIn;

/// What a question or a decision is about.
#[derive(Clone, Debug)]
pub(crate) struct RequestedAction {
    pub(crate) request_id: u64,
    pub(crate) tool_call_id: Option<String>,
    /// What distinguishes it from others if it has no id.
    pub(crate) fingerprint: String,
    pub(crate) tool: String,
    pub(crate) kind: ActionWord,
    pub(crate) text: String,
    pub(crate) paths: Vec<String>,
    /// The real, absolute paths of those inside the project.
    pub(crate) inside: Vec<PathBuf>,
    pub(crate) channel: RequestChannel,
    /// It changes files by a tool of the agent's own.
    pub(crate) writes: bool,
    /// The command of a tool of the agent's own.
    pub(crate) command: Option<CommandIn>,
    /// What `Always` would remember; none for dangerous kinds.
    pub(crate) remember: Option<Allowed>,
    /// What a person is shown besides.
    pub(crate) shown: Preview,
    /// The calls of our tools that it claims to be: they have to arrive at our server once it is allowed.
    pub(in crate::session) own: Vec<OwnCalled>,
}

/// A call of one of our tools, as the agent asks about it.
#[derive(Clone, Debug)]
pub(crate) struct OwnCalled {
    /// The agent's id; none if its request names no call.
    pub(in crate::session) call: Option<String>,
    pub(in crate::session) tool: Tool,
    pub(in crate::session) arguments: Value,
}

impl RequestedAction {
    /// The files in the project that it changes by a tool of the agent's own.
    pub(in crate::session) fn changes(&self) -> Vec<PathBuf> {
        match self.writes {
            true => self.inside.clone(),
            false => Vec::new(),
        }
    }

    /// The event of an end without a yes. By itself that is not a denial to count.
    pub(in crate::session) fn denied_event(&self, by: DeniedBy, text: &str) -> EventBody {
        EventBody::PermissionDenied(PermissionDenied {
            request_id: self.request_id,
            tool_call_id: self.tool_call_id.clone(),
            tool: self.tool.clone(),
            kind: self.kind.clone(),
            by,
            text: text.to_owned(),
            paths: self.paths.clone(),
        })
    }
}

/// What a question shows beside its words.
#[derive(Clone, Debug, Default)]
pub(crate) struct Preview {
    pub(crate) diffs: Vec<FileDiff>,
    /// Paths as the question names them.
    pub(crate) outside: Vec<String>,
    /// In a sentence; a line each where there are several.
    pub(crate) destroys: Option<String>,
}

impl Preview {
    /// With the reasons for asking, after what is destroyed.
    pub(in crate::session) fn because(mut self, reasons: Option<String>) -> Self {
        self.destroys = match (self.destroys, reasons) {
            (Some(destroys), Some(reasons)) => Some(format!("{destroys}\n{reasons}")),
            (destroys, reasons) => destroys.or(reasons),
        };
        self
    }
}

/// What settles a question.
#[derive(Debug)]
pub(in crate::session) enum Settled {
    /// Who was asked.
    ByPerson(PermissionAnswer),
    /// The answer that was given to all questions beforehand.
    BySetting { allows: bool },
}

/// An open question to the person.
pub(crate) enum Ask {
    /// A permission request of the agent.
    Acp {
        request: Box<PermissionRequest>,
        requested: RequestedAction,
    },
    /// A call at our server that its gate wants a person for.
    Own {
        call: u64,
        requested: RequestedAction,
    },
    /// A plan; the agent's request where it asked, none where it ended its turn.
    Plan {
        request_id: u64,
        request: Option<Box<PermissionRequest>>,
    },
}
