//! The agent: answers the client's requests and runs prompts.
//!
//! The thread that reads stdin never waits for the client; each prompt runs on a thread of its own
//! (see [`crate::turn`]).

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use siderail_wire::{Line, LineSplitter, Message, RequestId, RpcError, parse};

use crate::args::Args;
use crate::hide::Hidden;
use crate::hook::{self, Sources};
use crate::mcp_client::{McpServer, ServerConfig};
use crate::model_log::{ModelLog, Shown};
use crate::peer::{Peer, Reply};
use crate::script::Script;
use crate::session::Session;
use crate::shape::{SecondPrompt, Shape};
use crate::template::{Vars, fill, fill_text};
use crate::turn::{End, Turn};

/// Longest line that the agent reads.
const LINE_CAP: usize = 256 * 1024 * 1024;
/// Exit code after a failed expectation.
pub(crate) const EXPECTATION_FAILED: u8 = 9;

/// What the client offers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Client {
    /// `fs/read_text_file`.
    pub(crate) fs_read: bool,
    /// `fs/write_text_file`.
    pub(crate) fs_write: bool,
    /// `terminal/*`.
    pub(crate) terminal: bool,
}

/// The agent.
pub(crate) struct Agent {
    /// How it behaves.
    pub(crate) shape: Shape,
    /// What it does.
    pub(crate) script: Script,
    /// How it was started.
    pub(crate) args: Args,
    /// Its end of the line.
    pub(crate) peer: Peer,
    /// What its model was shown.
    pub(crate) log: ModelLog,
    client: Mutex<Client>,
    authenticated: AtomicBool,
    failed: AtomicBool,
    sessions: Mutex<HashMap<String, Arc<Session>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Agent {
    /// An agent that has not yet heard from its client.
    #[must_use]
    pub(crate) fn new(
        shape: Shape,
        script: Script,
        args: Args,
        peer: Peer,
        log: ModelLog,
    ) -> Arc<Self> {
        Arc::new(Self {
            shape,
            script,
            args,
            peer,
            log,
            client: Mutex::default(),
            authenticated: AtomicBool::new(false),
            failed: AtomicBool::new(false),
            sessions: Mutex::default(),
        })
    }

    /// Serves the client until its end of the line closes; a shape may then go on for ever.
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
        self.peer.close();
        while !self.shape.exits_at_eof {
            std::thread::park();
        }
        for session in lock(&self.sessions).values() {
            session.set_cancelled(true);
            session.servers.iter().for_each(McpServer::stop);
        }
        if self.failed.load(Ordering::SeqCst) {
            return ExitCode::from(EXPECTATION_FAILED);
        }
        ExitCode::SUCCESS
    }

    /// What the client offers.
    #[must_use]
    pub(crate) fn client(&self) -> Client {
        *lock(&self.client)
    }

    /// Reports a failed expectation; the agent will exit with [`EXPECTATION_FAILED`].
    pub(crate) fn expectation_failed(&self, what: &str) {
        eprintln!("scripted agent: EXPECTATION FAILED: {what}");
        self.failed.store(true, Ordering::SeqCst);
    }

    /// Sends session updates from templates, and whole messages where a template has a method.
    pub(crate) fn messages(&self, session: &str, templates: &[Value], vars: &Vars) {
        for template in templates {
            let Some(filled) = fill(template, vars) else {
                continue;
            };
            match filled["method"].as_str() {
                Some(method) => self.peer.notify(method, &filled["params"]),
                None => self
                    .peer
                    .update(session, filled, self.shape.update_meta.as_ref()),
            }
        }
    }

    /// Asks for permission; several answers where a fault asks several times.
    pub(crate) fn permission_replies(
        &self,
        session: &str,
        _call_id: &str,
        params: Value,
    ) -> Vec<Reply> {
        let call = self
            .peer
            .request(session, "session/request_permission", params);
        vec![self.peer.wait(&call)]
    }

    /// Commits a fault at this point of the script.
    ///
    /// # Errors
    /// The fault ends the turn.
    pub(crate) fn fault(&self, _turn: &Turn, _spec: &str) -> Result<(), End> {
        Ok(())
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
                if !self.peer.answered(&id, reply) {
                    eprintln!("scripted agent: answer to nothing open: {}", id.as_json());
                }
            }
            Err(failure) => {
                eprintln!("scripted agent: no message: {failure}");
                if let Some(answer) = &self.shape.unknown.line {
                    self.peer.send(answer);
                }
            }
        }
    }

    fn request(self: &Arc<Self>, id: &RequestId, method: &str, params: &Value) {
        match method {
            "initialize" => {
                let offers = |pointer| params.pointer(pointer) == Some(&Value::Bool(true));
                *lock(&self.client) = Client {
                    fs_read: offers("/clientCapabilities/fs/readTextFile"),
                    fs_write: offers("/clientCapabilities/fs/writeTextFile"),
                    terminal: offers("/clientCapabilities/terminal"),
                };
                self.peer.respond(id, Ok(&self.shape.initialize));
            }
            "authenticate" => {
                self.authenticated.store(true, Ordering::SeqCst);
                self.peer.respond(id, Ok(&json!({})));
            }
            "session/new" | "session/load" | "session/resume" => self.open_session(id, params),
            "session/set_mode" | "session/set_config_option" => self.set_mode(id, method, params),
            "session/prompt" => self.prompt(id.clone(), params),
            "_session/steering" if self.shape.steering => self.steer(id, params),
            "session/close" | "session/delete" | "logout" => self.peer.respond(id, Ok(&json!({}))),
            "session/list" => self.peer.respond(id, Ok(&json!({"sessions": []}))),
            _ => self.unknown_request(id, method),
        }
    }

    fn unknown_request(&self, id: &RequestId, method: &str) {
        if method.starts_with('_')
            && let Some(result) = &self.shape.unknown.extension_result
        {
            return self.peer.respond(id, Ok(result));
        }
        let mut vars = Vars::default();
        vars.set("method", method);
        let error = fill(&self.shape.unknown.request, &vars).unwrap_or_default();
        self.peer.respond(id, Err(&error));
    }

    fn notification(&self, method: &str, params: &Value) {
        let session = params["sessionId"].as_str().unwrap_or_default();
        match method {
            "session/cancel" => self.cancel(session),
            "$/cancel_request" => {}
            _ => {
                if let Some(error) = &self.shape.unknown.notification {
                    let mut vars = Vars::default();
                    vars.set("method", method);
                    let error = fill(error, &vars).unwrap_or_default();
                    self.peer.send(&json!({"jsonrpc": "2.0", "error": error}));
                }
            }
        }
    }

    fn cancel(&self, id: &str) {
        let Some(session) = self.session(id) else {
            return;
        };
        if !session.state().running {
            return;
        }
        session.set_cancelled(true);
        if self.shape.cancel.withdraws_requests {
            for request in self.peer.open_permissions(id) {
                self.peer
                    .notify("$/cancel_request", &json!({"requestId": request}));
            }
        }
        self.peer
            .cancel(id, !self.shape.cancel.waits_for_permission);
    }

    fn session(&self, id: &str) -> Option<Arc<Session>> {
        lock(&self.sessions).get(id).cloned()
    }

    fn open_session(&self, id: &RequestId, params: &Value) {
        if self.shape.authenticate.is_some() && !self.authenticated.load(Ordering::SeqCst) {
            let error = json!({"code": -32000, "message": "Authentication required"});
            return self.peer.respond(id, Err(&error));
        }
        let cwd = PathBuf::from(params["cwd"].as_str().unwrap_or("."));
        let session = self.new_session(params, &cwd);
        let mut vars = Vars::default();
        vars.set("session", session.id.as_str())
            .set("cwd", cwd.to_string_lossy());
        let answer = fill(&self.shape.new_session, &vars).unwrap_or_default();
        let session_id = session.id.clone();
        lock(&self.sessions).insert(session_id.clone(), Arc::new(session));
        self.messages(&session_id, &self.shape.around_new_session.before, &vars);
        self.peer.respond(id, Ok(&answer));
        self.messages(&session_id, &self.shape.around_new_session.after, &vars);
    }

    fn new_session(&self, params: &Value, cwd: &Path) -> Session {
        let mut vars = Vars::default();
        vars.set("uuid", self.peer.uuid())
            .set("hex", self.peer.uuid().replace('-', ""));
        let id = match params["sessionId"].as_str() {
            Some(id) => id.to_owned(),
            None => fill_text(&self.shape.session_id, &vars),
        };
        let mut session = Session::new(id, cwd.to_owned(), self.shape.initial_mode.clone());
        let shape = self.shape.name.as_str();
        session.hidden = Hidden::read(shape, &self.args, params);
        session.hooks = hook::find(&Sources {
            shape,
            args: &self.args,
            new_session: params,
            cwd,
        });
        for config in self.server_configs(params) {
            match McpServer::start(&config, cwd) {
                Ok(server) => {
                    self.note_server(&session.id, &server);
                    session.servers.push(server);
                }
                Err(why) => eprintln!("scripted agent: {why}"),
            }
        }
        session
    }

    fn server_configs(&self, params: &Value) -> Vec<ServerConfig> {
        let mut configs = Vec::new();
        if self.shape.mcp_from_session {
            let entries = params["mcpServers"].as_array().into_iter().flatten();
            configs.extend(entries.filter_map(ServerConfig::from_acp));
        }
        for value in self.args.agent_values("--additional-mcp-config") {
            let text = match value.strip_prefix('@') {
                Some(file) => std::fs::read_to_string(file).unwrap_or_else(|error| {
                    eprintln!("scripted agent: {file} not read: {error}");
                    String::new()
                }),
                None => value,
            };
            configs.extend(ServerConfig::from_map(
                &serde_json::from_str(&text).unwrap_or_default(),
            ));
        }
        configs
    }

    fn note_server(&self, session: &str, server: &McpServer) {
        let names: Vec<&str> = server
            .tools
            .iter()
            .filter_map(|tool| tool["name"].as_str())
            .collect();
        let note = |source, text: &str| {
            self.log.note(&Shown {
                session,
                turn: 0,
                source,
                tool: None,
                text,
            });
        };
        note("tools", &names.join(" "));
        let shown = self.shape.mcp_instructions
            || self
                .args
                .agent
                .iter()
                .any(|word| word == "--allow-all-mcp-server-instructions");
        if shown && !server.instructions.is_empty() {
            note("instructions", &server.instructions);
        }
    }

    fn set_mode(&self, id: &RequestId, method: &str, params: &Value) {
        let session_id = params["sessionId"].as_str().unwrap_or_default();
        let mode = match method {
            "session/set_mode" => &params["modeId"],
            _ if params["configId"] == "mode" => &params["value"],
            _ => &Value::Null,
        };
        if let (Some(session), Some(mode)) = (self.session(session_id), mode.as_str()) {
            session.state().mode = Some(mode.to_owned());
            let mut vars = Vars::default();
            vars.set("session", session_id).set("mode", mode);
            self.messages(session_id, &self.shape.mode_set, &vars);
        }
        let result = match method {
            "session/set_mode" => json!({}),
            _ => json!({"configOptions": self.shape.new_session["configOptions"]}),
        };
        self.peer.respond(id, Ok(&result));
    }

    fn steer(&self, id: &RequestId, params: &Value) {
        let session_id = params["sessionId"].as_str().unwrap_or_default();
        let session = self.session(session_id);
        let running = session.as_ref().filter(|session| session.state().running);
        let outcome = match running {
            Some(session) => {
                let late = !self.peer.open_permissions(session_id).is_empty();
                session.state().steering.push((late, prompt_text(params)));
                "injected"
            }
            None => "promptRequired",
        };
        self.peer.respond(id, Ok(&json!({"outcome": outcome})));
    }

    fn prompt(self: &Arc<Self>, id: RequestId, params: &Value) {
        let session_id = params["sessionId"].as_str().unwrap_or_default();
        let Some(session) = self.session(session_id) else {
            let error = RpcError::new(-32602, format!("unknown session {session_id}"));
            return self.peer.respond(&id, Err(&json!(error)));
        };
        let text = prompt_text(params);
        let mut state = session.state();
        if !state.running {
            state.running = true;
            state.queue.push_back((id, text));
            drop(state);
            let agent = Arc::clone(self);
            std::thread::spawn(move || agent.turns(&session));
            return;
        }
        match self.shape.second_prompt {
            SecondPrompt::Queue => state.queue.push_back((id, text)),
            SecondPrompt::CancelFirst => {
                state.queue.push_back((id, text));
                drop(state);
                session.set_cancelled(true);
                self.peer.cancel(session_id, true);
            }
            SecondPrompt::Refuse => {
                drop(state);
                let error =
                    json!({"code": -32603, "message": "A turn is already running", "data": null});
                self.peer.respond(&id, Err(&error));
            }
            SecondPrompt::Lost => {}
            SecondPrompt::Stored => {
                state.unread.push(("prompt", None, text));
                // An empty text marks a prompt that is answered without calling the model.
                state.queue.push_back((id, String::new()));
            }
        }
    }

    /// Runs the queued prompts of a session, one after the other.
    fn turns(self: &Arc<Self>, session: &Arc<Session>) {
        loop {
            let (id, text, number) = {
                let mut state = session.state();
                let Some((id, text)) = state.queue.pop_front() else {
                    state.running = false;
                    return;
                };
                if !text.is_empty() {
                    state.turns += 1;
                }
                (id, text, state.turns)
            };
            session.set_cancelled(false);
            let turn = Turn {
                agent: Arc::clone(self),
                session: Arc::clone(session),
                number,
            };
            if text.is_empty() {
                turn.answer_without_model(&id);
            } else {
                turn.run(&id, &text);
            }
        }
    }

    /// Answers a prompt; from here on the session takes the next one.
    pub(crate) fn answer_prompt(
        &self,
        session: &Session,
        id: &RequestId,
        outcome: Result<&Value, &Value>,
    ) {
        let mut state = session.state();
        if state.queue.is_empty() {
            state.running = false;
        }
        drop(state);
        self.peer.respond(id, outcome);
    }
}

fn to_value(raw: Option<&serde_json::value::RawValue>) -> Value {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok())
        .unwrap_or_default()
}

/// The texts of a prompt's blocks, and the addresses of its links.
fn prompt_text(params: &Value) -> String {
    let block = |block: &Value| {
        let text = block["text"]
            .as_str()
            .or(block["resource"]["text"].as_str());
        text.or(block["uri"].as_str()).map(str::to_owned)
    };
    let blocks: Vec<String> = params["prompt"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(block)
        .collect();
    blocks.join("\n")
}
