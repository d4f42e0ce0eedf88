//! One agent process behind the client: which session of the client it carries, and what of it is open.
//!
//! Plain data of [`super::agent_side`]; sends nothing.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;

use serde_json::Value;
use serde_json::value::RawValue;
use siderail_engine::acp::wire::RequestId;
use siderail_engine::acp_client::Outcome;
use siderail_engine::event::ToolCallStatus;

/// Calls whose content is remembered, and denied calls.
const CALLS: usize = 1_024;

/// An engine session, which is a process of the agent's.
#[derive(Debug)]
pub(super) struct Process {
    /// The folder that it works in.
    pub(super) folder: PathBuf,
    /// It may not open another session any more.
    pub(super) is_taken: bool,
    /// The session's id as the agent gave it, and as the client knows it.
    pub(super) agent_id: Option<String>,
    pub(super) client_id: Option<String>,
    /// Prompts may be sent.
    pub(super) is_ready: bool,
    /// It has been sent a prompt.
    pub(super) is_prompted: bool,
    /// Prompts of the client that wait for that.
    pub(super) early: Vec<Prompt>,
    /// Prompts of the client that the agent has or will get.
    pub(super) prompts: VecDeque<RequestId>,
    /// The agent's answer to the prompt that has just ended.
    pub(super) answered: Option<Outcome>,
    /// A turn is running.
    pub(super) is_at_work: bool,
    /// The mode that the client last got.
    pub(super) mode: Option<String>,
    /// The params of the permission request that came last.
    pub(super) asks: Option<Box<RawValue>>,
    /// What the model got for a request, by its number.
    pub(super) told: Option<(u64, String)>,
    /// Requests at our own server, which inform the model by their result.
    pub(super) own_requests: Vec<u64>,
    pub(super) calls: Calls,
    /// Open calls of our tool that runs commands.
    pub(super) commands: Vec<String>,
    /// Terminals that have a call of their own.
    pub(super) shown: Vec<String>,
    /// Terminals at the client that are not released.
    pub(super) terminals: Vec<OpenTerminal>,
    /// The client closes the session.
    pub(super) closing: Option<RequestId>,
    /// What went wrong for good, with what to do.
    pub(super) error: Option<String>,
}

/// A terminal at the client.
#[derive(Debug)]
pub(super) struct OpenTerminal {
    /// The session's id as the client knew it then.
    pub(super) session_id: String,
    pub(super) id: String,
    pub(super) whose: Whose,
}

/// Who had a terminal opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    Agents,
    Ours,
}

/// A prompt of the client.
#[derive(Debug)]
pub(super) struct Prompt {
    pub(super) id: RequestId,
    pub(super) text: String,
    pub(super) blocks: Vec<Value>,
    pub(super) meta: Value,
}

impl Process {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            is_taken: false,
            agent_id: None,
            client_id: None,
            is_ready: false,
            is_prompted: false,
            early: Vec::new(),
            prompts: VecDeque::new(),
            answered: None,
            is_at_work: false,
            mode: None,
            asks: None,
            told: None,
            own_requests: Vec::new(),
            calls: Calls::default(),
            commands: Vec::new(),
            shown: Vec::new(),
            terminals: Vec::new(),
            closing: None,
            error: None,
        }
    }

    /// Whether the client knows the session by another id than the agent.
    pub(super) fn renames(&self) -> bool {
        self.agent_id != self.client_id
    }
}

/// A tool call that is on its way, as the client sees it.
#[derive(Debug, Default)]
struct OpenCall {
    content: Vec<Value>,
    kind: Option<String>,
    paths: Vec<PathBuf>,
}

/// The tool calls of a session, as far as the client got them.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// Calls that are on their way.
    open: BTreeMap<String, OpenCall>,
    /// Commands that open calls have in their arguments.
    commands: BTreeMap<String, String>,
    /// The content of a denied call.
    denied: BTreeMap<String, Value>,
}

impl Calls {
    /// Notes an update that the client is about to get, and completes it: a denied call also says what the model got.
    /// False: nothing was changed.
    pub(super) fn pass(&mut self, update: &mut Value) -> bool {
        let Some(id) = update["toolCallId"].as_str().map(str::to_owned) else {
            return false;
        };
        let mut changed = false;
        if let Some(told) = self.denied.get(&id)
            && let Some(content) = update.get_mut("content").and_then(Value::as_array_mut)
        {
            content.push(told.clone());
            changed = true;
        }
        if let Some(command) = update["rawInput"]["command"].as_str() {
            self.commands.insert(id.clone(), command.to_owned());
        }
        let status = update["status"].as_str().map(ToolCallStatus::from);
        if status.is_some_and(|status| status.is_final()) {
            self.open.remove(&id);
            self.commands.remove(&id);
        } else {
            let call = self.open.entry(id).or_default();
            if let Some(content) = update["content"].as_array() {
                call.content = content.clone();
            }
            if let Some(kind) = update["kind"].as_str() {
                call.kind = Some(kind.to_owned());
            }
            if let Some(locations) = update["locations"].as_array() {
                let paths = locations.iter().filter_map(|at| at["path"].as_str());
                call.paths = paths.map(PathBuf::from).collect();
            }
        }
        while self.open.len() > CALLS {
            self.open.pop_first();
        }
        while self.commands.len() > CALLS {
            self.commands.pop_first();
        }
        changed
    }

    /// The command that a call runs, where its arguments say so.
    pub(super) fn command_of(&self, id: &str) -> Option<&str> {
        self.commands.get(id).map(String::as_str)
    }

    /// The one open call of that kind and these paths, relative or not; none if there is more than one. Hooks of some
    /// agents do not say which call they are asked about.
    pub(super) fn only(&self, kind: &str, paths: &[String]) -> Option<String> {
        let fits = |call: &OpenCall| {
            let has = |path: &String| call.paths.iter().any(|there| there.ends_with(path));
            call.kind.as_deref() == Some(kind) && paths.iter().all(has)
        };
        let mut fitting = self.open.iter().filter(|(_, call)| fits(call));
        match (fitting.next(), fitting.next()) {
            (Some((id, _)), None) => Some(id.clone()),
            _ => None,
        }
    }

    /// A call is denied: what it shows from now on; none if the client has not heard of it.
    pub(super) fn deny(&mut self, id: &str, told: Value) -> Option<Vec<Value>> {
        self.denied.insert(id.to_owned(), told.clone());
        while self.denied.len() > CALLS {
            self.denied.pop_first();
        }
        let mut content = self.open.remove(id)?.content;
        content.push(told);
        Some(content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::json;

    #[test]
    fn a_call_is_forgotten_with_each_status_that_ends_it() {
        for (status, stays) in [
            ("in_progress", true),
            ("_newer", true),
            ("completed", false),
            ("failed", false),
            ("cancelled", false),
        ] {
            let mut calls = Calls::default();
            let mut begins = json!({"toolCallId": "c", "rawInput": {"command": "make"}});
            calls.pass(&mut begins);
            assert_eq!(calls.command_of("c"), Some("make"));
            calls.pass(&mut json!({"toolCallId": "c", "status": status}));
            assert_eq!(calls.command_of("c").is_some(), stays, "{status}");
        }
    }
}
