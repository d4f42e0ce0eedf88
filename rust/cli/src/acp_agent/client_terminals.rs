//! Terminals of the client: commands of our tools run in them, and are shown there as part of the model's call.
//!
//! Which command may run was decided before; here requests become messages, and a terminal gets its place in a tool call.

use std::sync::Arc;

use serde_json::{Value, json};
use siderail_engine::acp::client_request::methods;
use siderail_engine::acp::process::Exit;
use siderail_engine::acp::wire::{RequestId, message};
use siderail_engine::acp_client::Outcome;
use siderail_engine::event::{ToolCallStatus, ToolCallView};
use siderail_engine::guard::Tool;
use siderail_engine::tools::command::ClientTerminals;
use tokio::sync::oneshot;

use super::agent_side::Face;
use super::open_requests::{Asked, Opens};
use super::process::{OpenTerminal, Whose};
use super::shared::Shared;

/// Calls that run a command and are remembered.
const COMMANDS: usize = 64;

/// The terminals of a session.
pub(super) struct Terminals {
    pub(super) shared: Arc<Shared>,
    pub(super) session: u64,
}

impl ClientTerminals for Terminals {
    fn ask(&self, method: &str, params: Value) -> oneshot::Receiver<Result<Value, String>> {
        let (reply, answer) = oneshot::channel();
        self.shared
            .act(|face| face.ask_for_terminal(self.session, method, params, reply));
        answer
    }

    fn shown(&self, terminal: &str, command: &str) {
        self.shared
            .act(|face| face.show_terminal(self.session, terminal, command));
    }

    fn ended(&self, terminal: &str, exit: Option<Exit>) {
        self.shared
            .act(|face| face.terminal_ended(self.session, terminal, exit));
    }
}

impl Face {
    /// Whether commands can run in the client.
    pub(super) fn has_terminals(&self) -> bool {
        self.client
            .as_ref()
            .is_some_and(|client| client.has_terminals())
    }

    /// A request of the agent that only the client can answer.
    pub(super) fn ask_for_agent(
        &mut self,
        session: u64,
        id: &RequestId,
        method: &str,
        params: &Value,
    ) {
        let mut params = params.clone();
        self.to_client(session, &mut params);
        let opens = self.about_terminal(session, method, &params);
        let id = id.clone();
        self.ask(method, &params, Asked::Agent { session, id, opens });
    }

    /// What the agent waits for is wanted no more, and its commands are to end; it may still read their output.
    pub(super) fn close_requests_of_agent(&mut self, session: u64) {
        self.close_question(
            |asked| matches!(asked, Asked::Agent { session: of, .. } if *of == session),
        );
        let process = self.processes.get(&session);
        let open = process.into_iter().flat_map(|process| &process.terminals);
        let of_agent = open.filter(|terminal| terminal.whose == Whose::Agents);
        let lines: Vec<_> = of_agent
            .map(|terminal| (terminal.session_id.clone(), terminal.id.clone()))
            .collect();
        for (session_id, id) in lines {
            self.tell_terminal(methods::KILL_TERMINAL, &session_id, &id);
        }
    }

    /// A session is over: what runs at the client for it is ended, and forgotten there.
    pub(super) fn end_terminals(&mut self, session: u64) {
        let Some(process) = self.processes.get_mut(&session) else {
            return;
        };
        let open = std::mem::take(&mut process.terminals);
        for terminal in std::mem::take(&mut process.shown) {
            self.show_end(session, &terminal, "failed");
        }
        for OpenTerminal { session_id, id, .. } in open {
            self.end_terminal(&session_id, &id);
        }
    }

    fn end_terminal(&mut self, session_id: &str, id: &str) {
        self.tell_terminal(methods::KILL_TERMINAL, session_id, id);
        self.tell_terminal(methods::RELEASE_TERMINAL, session_id, id);
    }

    /// A request whose answer changes nothing.
    fn tell_terminal(&mut self, method: &str, session_id: &str, id: &str) {
        self.last_id += 1;
        let params = json!({"sessionId": session_id, "terminalId": id});
        self.line(message::request(self.last_id, method, &params));
    }

    /// Takes note of a request about a terminal that the client is about to get.
    fn about_terminal(&mut self, session: u64, method: &str, params: &Value) -> Option<Opens> {
        let session_id = params["sessionId"].as_str();
        if method == methods::RELEASE_TERMINAL
            && let Some(process) = self.processes.get_mut(&session)
        {
            let released = |open: &OpenTerminal| params["terminalId"] == open.id.as_str();
            process.terminals.retain(|open| !released(open));
        }
        let opens = session_id.filter(|_| method == methods::CREATE_TERMINAL)?;
        Some(Opens(opens.to_owned()))
    }

    /// The client has opened a terminal, or has not.
    pub(super) fn terminal_opened(
        &mut self,
        session: u64,
        opens: Option<Opens>,
        outcome: &Outcome,
        whose: Whose,
    ) {
        let process = self.processes.get_mut(&session);
        if let (Some(Opens(session_id)), Some(id), Some(process)) =
            (opens, terminal_in(outcome), process)
        {
            process.terminals.push(OpenTerminal {
                session_id,
                id,
                whose,
            });
        }
    }

    pub(super) fn end_unwanted(&mut self, Opens(session_id): &Opens, outcome: &Outcome) {
        if let Some(id) = terminal_in(outcome) {
            self.end_terminal(session_id, &id);
        }
    }

    fn ask_for_terminal(
        &mut self,
        session: u64,
        method: &str,
        mut params: Value,
        reply: oneshot::Sender<Result<Value, String>>,
    ) {
        let process = self.processes.get(&session);
        let Some(client_id) = process.and_then(|process| process.client_id.as_ref()) else {
            return drop(reply.send(Err("the client has no such session".to_owned())));
        };
        params["sessionId"] = json!(client_id);
        let opens = self.about_terminal(session, method, &params);
        let asked = Asked::Terminal {
            session,
            reply,
            opens,
        };
        self.ask(method, &params, asked);
    }

    /// The agent reports a call: those of our own that run commands are where their terminals are shown.
    pub(super) fn own_command(&mut self, session: u64, call: &ToolCallView) {
        let process = self.processes.get_mut(&session);
        let Some(process) = process.filter(|_| call.own && call.tool == Tool::RunCommand.name())
        else {
            return;
        };
        let id = &call.tool_call_id;
        let is_open = matches!(
            call.status,
            ToolCallStatus::Pending | ToolCallStatus::InProgress
        );
        match process.commands.iter().any(|known| known == id) {
            false if is_open => process.commands.push(id.clone()),
            true if !is_open => process.commands.retain(|known| known != id),
            _ => {}
        }
        let surplus = process.commands.len().saturating_sub(COMMANDS);
        process.commands.drain(..surplus);
    }

    /// A command has begun in a terminal: the client shows it in the model's call, or in a call of its own if the agent
    /// has reported none.
    fn show_terminal(&mut self, session: u64, terminal: &str, command: &str) {
        let Some(process) = self.processes.get_mut(&session) else {
            return;
        };
        let content = json!([{"type": "terminal", "terminalId": terminal}]);
        // Some agents do not say what they call it with: then it is the first that may be meant.
        let is_it = |said: Option<&str>| {
            process
                .commands
                .iter()
                .position(|id| process.calls.command_of(id) == said)
        };
        let at = is_it(Some(command)).or_else(|| is_it(None));
        let update = match at.map(|at| process.commands.remove(at)) {
            Some(id) => json!({
                "sessionUpdate": "tool_call_update",
                "toolCallId": id,
                "content": content,
            }),
            None => json!({
                "sessionUpdate": "tool_call",
                "toolCallId": call_of(terminal),
                "title": command,
                "kind": "execute",
                "status": "in_progress",
                "content": content,
            }),
        };
        if at.is_none() {
            process.shown.push(terminal.to_owned());
        }
        self.update(session, &update);
    }

    fn terminal_ended(&mut self, session: u64, terminal: &str, exit: Option<Exit>) {
        let Some(process) = self.processes.get_mut(&session) else {
            return;
        };
        let Some(at) = process.shown.iter().position(|shown| shown == terminal) else {
            return;
        };
        process.shown.remove(at);
        let status = match exit.and_then(|exit| exit.code) {
            Some(0) => "completed",
            _ => "failed",
        };
        self.show_end(session, terminal, status);
    }

    fn show_end(&mut self, session: u64, terminal: &str, status: &str) {
        let update = json!({
            "sessionUpdate": "tool_call_update",
            "toolCallId": call_of(terminal),
            "status": status,
        });
        self.update(session, &update);
    }
}

fn terminal_in(outcome: &Outcome) -> Option<String> {
    let created: Value = serde_json::from_str(outcome.as_ref().ok()?.get()).ok()?;
    created["terminalId"].as_str().map(str::to_owned)
}

/// The call that represents a terminal.
fn call_of(terminal: &str) -> String {
    format!("siderail-terminal-{terminal}")
}
