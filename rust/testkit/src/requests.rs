//! Reads what the client sends: answers its requests and starts its prompts.
//!
//! The thread that reads stdin never waits for the client; each prompt runs on a thread of its own
//! (see [`crate::turn`]). Sessions are opened in `requests/opening.rs`.

mod opening;
mod prompts;

use std::collections::HashMap;
use std::io::Read;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::value::RawValue;
use serde_json::{Value, json};
use siderail_wire::{Line, LineSplitter, Message, RequestId, parse};

use crate::agent::{Agent, Client, EXPECTATION_FAILED};
use crate::hook::{CodexHook, codex_hooks};
use crate::mcp_client::McpServer;
use crate::peer::Reply;
use crate::session::Session;
use crate::settings;
use crate::shape::Versions;
use crate::template::{Vars, fill};

/// Longest line that the agent reads.
const LINE_CAP: usize = 256 * 1024 * 1024;

/// The client's requests of one agent, and the sessions that they have opened.
pub(crate) struct Requests {
    /// Who answers.
    agent: Arc<Agent>,
    authenticated: AtomicBool,
    sessions: Mutex<HashMap<String, Arc<Session>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Requests {
    /// Of a client that has sent nothing yet.
    #[must_use]
    pub(crate) fn new(agent: Arc<Agent>) -> Arc<Self> {
        Arc::new(Self {
            agent,
            authenticated: AtomicBool::new(false),
            sessions: Mutex::default(),
        })
    }

    /// Serves the client until its end of the line closes; a shape may then run forever.
    pub(crate) fn serve(self: &Arc<Self>, mut input: impl Read) -> ExitCode {
        let mut splitter = LineSplitter::new(LINE_CAP);
        let mut buffer = vec![0; 64 * 1024];
        loop {
            match input.read(&mut buffer) {
                Ok(0) => break,
                Ok(length) => splitter.push(&buffer[..length]),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
            while let Some(line) = splitter.next_line() {
                self.line(&line);
            }
        }
        self.agent.peer.close();
        let ignores_eof = !self.agent.shape.exits_at_eof;
        while ignores_eof || self.agent.peer.with_faults(|faults| faults.ignores_eof()) {
            std::thread::park();
        }
        for session in lock(&self.sessions).values() {
            session.set_cancelled(true);
            session.servers.iter().for_each(McpServer::stop);
        }
        if self.agent.has_failed() {
            return ExitCode::from(EXPECTATION_FAILED);
        }
        ExitCode::SUCCESS
    }

    fn line(self: &Arc<Self>, line: &Line) {
        let Line::Message(bytes) = line else {
            eprintln!("scripted agent: line over {LINE_CAP} bytes skipped");
            return;
        };
        match parse(bytes) {
            Ok(Message::Request { id, method, params }) => {
                let params = to_value(params.as_deref());
                self.request(&id, &method, &params);
            }
            Ok(Message::Notification { method, params }) => {
                self.notification(&method, &to_value(params.as_deref()));
            }
            Ok(Message::Response { id, outcome }) => {
                let reply = match outcome {
                    Ok(result) => Reply::Result(to_value(Some(&result))),
                    Err(error) => Reply::Error(error),
                };
                if !self.agent.peer.answered(&id, reply) {
                    eprintln!("scripted agent: answer to nothing open: {}", id.as_json());
                }
            }
            Err(failure) => {
                eprintln!("scripted agent: no message: {failure}");
                if let Some(answer) = &self.agent.shape.unknown.line {
                    self.agent.peer.send(answer);
                }
            }
        }
    }

    fn request(self: &Arc<Self>, id: &RequestId, method: &str, params: &Value) {
        let capabilities = &self.agent.shape.initialize["agentCapabilities"];
        let has = |name: &str| capabilities["sessionCapabilities"].get(name).is_some();
        match method {
            "initialize" => self.initialize(id, params),
            "authenticate" => {
                self.log_in(id, params);
            }
            "session/new" => self.open_session(id, params),
            "session/load" if capabilities["loadSession"] == true => {
                self.open_again(id, params, self.agent.script.told);
            }
            "session/resume" if has("resume") => self.open_again(id, params, 0),
            "session/set_mode" | "session/set_config_option" => self.set_mode(id, method, params),
            "session/prompt" => self.prompt(id.clone(), params),
            "_session/steering" if self.agent.shape.steering => self.steer(id, params),
            "_codex/hooks/list" if self.agent.shape.name == "codex" => self.list_codex_hooks(id),
            "session/close" if has("close") => self.close_session(id, params),
            "session/list" if has("list") => {
                self.agent.peer.respond(id, Ok(&json!({"sessions": []})))
            }
            _ => self.other_request(id, method),
        }
    }

    fn initialize(&self, id: &RequestId, params: &Value) {
        let offers = |pointer| params.pointer(pointer) == Some(&Value::Bool(true));
        self.agent.set_client(Client {
            fs_read: offers("/clientCapabilities/fs/readTextFile"),
            fs_write: offers("/clientCapabilities/fs/writeTextFile"),
            terminal: offers("/clientCapabilities/terminal"),
        });
        let mut answer = self.agent.shape.initialize.clone();
        let wanted = params["protocolVersion"].as_u64().unwrap_or(1);
        answer["protocolVersion"] = match self.agent.shape.versions {
            Versions::Two if wanted > 1 => 2.into(),
            Versions::Echo => wanted.into(),
            Versions::One | Versions::Two => 1.into(),
        };
        if let Some(version) = self.agent.peer.with_faults(|faults| faults.version()) {
            answer["protocolVersion"] = version.into();
        }
        if self.agent.peer.with_faults(|faults| faults.is_nameless())
            && let Some(members) = answer.as_object_mut()
        {
            members.remove("agentInfo");
        }
        self.agent.peer.respond(id, Ok(&answer));
    }

    fn list_codex_hooks(&self, id: &RequestId) {
        let entry = |hook: CodexHook| {
            let status = if hook.trusted { "trusted" } else { "untrusted" };
            json!({"key": hook.key, "currentHash": hook.current_hash, "source": "sessionFlags",
                "trustStatus": status, "command": hook.hook.command})
        };
        let hooks = codex_hooks(&settings::codex(&self.agent.args)["hooks"]);
        let hooks: Vec<Value> = hooks.into_iter().map(entry).collect();
        self.agent.peer.respond(id, Ok(&json!({"hooks": hooks})));
    }

    fn close_session(&self, id: &RequestId, params: &Value) {
        let session_id = params["sessionId"].as_str().unwrap_or_default();
        self.cancel(session_id);
        if let Some(session) = lock(&self.sessions).remove(session_id) {
            session.servers.iter().for_each(McpServer::stop);
        }
        self.agent.peer.respond(id, Ok(&json!({})));
    }

    fn other_request(&self, id: &RequestId, method: &str) {
        let unknown = &self.agent.shape.unknown;
        if let Some(result) = self.agent.shape.answers.get(method) {
            return self.agent.peer.respond(id, Ok(result));
        }
        let bare_method = method.strip_prefix('_');
        if let (Some(_), Some(result)) = (bare_method, &unknown.extension_result) {
            return self.agent.peer.respond(id, Ok(result));
        }
        let template = unknown.extension.as_ref().filter(|_| bare_method.is_some());
        let mut vars = Vars::default();
        vars.set("method", method)
            .set("bare_method", bare_method.unwrap_or(method));
        let error = fill(template.unwrap_or(&unknown.request), &vars).unwrap_or_default();
        self.agent.peer.respond(id, Err(&error));
    }

    fn notification(&self, method: &str, params: &Value) {
        let session = params["sessionId"].as_str().unwrap_or_default();
        match method {
            "session/cancel" => self.cancel(session),
            "$/cancel_request" => {}
            _ => {
                if let Some(error) = &self.agent.shape.unknown.notification {
                    let mut vars = Vars::default();
                    vars.set("method", method);
                    let error = fill(error, &vars).unwrap_or_default();
                    self.agent
                        .peer
                        .send(&json!({"jsonrpc": "2.0", "error": error}));
                }
            }
        }
    }

    fn cancel(&self, id: &str) {
        let Some(session) = self.session(id) else {
            return;
        };
        let hangs = self
            .agent
            .peer
            .with_faults(|faults| faults.hangs_on_cancel());
        if hangs || !session.state().running {
            return;
        }
        session.set_cancelled(true);
        if self.agent.shape.cancel.withdraws_requests {
            for request in self.agent.peer.open_permissions(id) {
                self.agent
                    .peer
                    .notify("$/cancel_request", &json!({"requestId": request}));
            }
        }
        self.agent
            .peer
            .cancel(id, !self.agent.shape.cancel.waits_for_permission);
    }

    fn session(&self, id: &str) -> Option<Arc<Session>> {
        lock(&self.sessions).get(id).cloned()
    }
}

fn to_value(raw: Option<&RawValue>) -> Value {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok())
        .unwrap_or_default()
}
