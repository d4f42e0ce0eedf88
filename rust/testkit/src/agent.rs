//! The agent: answers the client's requests and runs prompts.
//!
//! The thread that reads stdin never waits for the client; each prompt runs on a thread of its own
//! (see [`crate::turn`]). Sessions are opened in `agent/opening.rs`.

mod opening;
mod prompts;

use std::collections::HashMap;
use std::io::Read;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};

use serde_json::value::RawValue;
use serde_json::{Value, json};
use siderail_wire::{Line, LineSplitter, Message, RequestId, parse};

use crate::args::Args;
use crate::hook::codex_hooks;
use crate::mcp_client::McpServer;
use crate::model_log::ModelLog;
use crate::peer::{Peer, Reply};
use crate::permission_api::{About, PermissionApi};
use crate::script::Script;
use crate::session::Session;
use crate::settings;
use crate::shape::{Shape, Versions};
use crate::template::{Vars, fill};

/// Longest line that the agent reads.
const LINE_CAP: usize = 256 * 1024 * 1024;
/// Exit code after a failed expectation.
const EXPECTATION_FAILED: u8 = 9;

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
    /// Its HTTP interface.
    api: Option<Arc<PermissionApi>>,
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
        api: Option<Arc<PermissionApi>>,
    ) -> Arc<Self> {
        Arc::new(Self {
            shape,
            script,
            args,
            peer,
            log,
            api,
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
        let ignores_eof = !self.shape.exits_at_eof;
        while ignores_eof || self.peer.with_faults(|faults| faults.ignores_eof()) {
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

    /// Sends session updates from templates, and other messages where a template has a method.
    pub(crate) fn messages(&self, session: &str, templates: &[Value], vars: &Vars) {
        for template in templates {
            let Some(mut filled) = fill(template, vars) else {
                continue;
            };
            match filled["method"].as_str() {
                Some("session/update") => {
                    let update = filled["params"]["update"].take();
                    self.peer
                        .update(session, update, filled["params"].get("_meta"));
                }
                Some(method) => self.peer.notify(method, &filled["params"]),
                None => self
                    .peer
                    .update(session, filled, self.shape.update_meta.as_ref()),
            }
        }
    }

    /// Asks for permission; several answers where a fault asks several times.
    pub(crate) fn ask_permission(&self, about: &About, params: &Value) -> Vec<Reply> {
        let copies = self.peer.with_faults(|faults| faults.permission_copies());
        let ask = |_| {
            let (sender, receiver) = mpsc::channel();
            // Listed before it is asked: a client may look it up at once.
            let listed = self
                .api
                .as_ref()
                .map(|api| api.register(about, sender.clone()));
            let params = self.peer.with_faults(|faults| faults.permission(params));
            let method = "session/request_permission";
            let call = self
                .peer
                .request_on(&about.session, method, params, (sender, receiver));
            (call, listed)
        };
        let calls: Vec<_> = (0..copies).map(ask).collect();
        let reply = |(call, listed): (_, Option<String>)| {
            let reply = self.peer.wait(&call);
            if let (Some(api), Some(id)) = (&self.api, listed) {
                api.close(&id);
            }
            reply
        };
        calls.into_iter().map(reply).collect()
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
        let capabilities = &self.shape.initialize["agentCapabilities"];
        let has = |name: &str| capabilities["sessionCapabilities"].get(name).is_some();
        match method {
            "initialize" => self.initialize(id, params),
            "authenticate" => {
                self.log_in(id, params);
            }
            "session/new" => self.open_session(id, params),
            "session/load" if capabilities["loadSession"] == true => {
                self.open_again(id, params, self.script.told);
            }
            "session/resume" if has("resume") => self.open_again(id, params, 0),
            "session/set_mode" | "session/set_config_option" => self.set_mode(id, method, params),
            "session/prompt" => self.prompt(id.clone(), params),
            "_session/steering" if self.shape.steering => self.steer(id, params),
            "_codex/hooks/list" if self.shape.name == "codex" => self.list_codex_hooks(id),
            "session/close" if has("close") => self.close_session(id, params),
            "session/list" if has("list") => self.peer.respond(id, Ok(&json!({"sessions": []}))),
            _ => self.other_request(id, method),
        }
    }

    fn initialize(&self, id: &RequestId, params: &Value) {
        let offers = |pointer| params.pointer(pointer) == Some(&Value::Bool(true));
        *lock(&self.client) = Client {
            fs_read: offers("/clientCapabilities/fs/readTextFile"),
            fs_write: offers("/clientCapabilities/fs/writeTextFile"),
            terminal: offers("/clientCapabilities/terminal"),
        };
        let mut answer = self.shape.initialize.clone();
        let wanted = params["protocolVersion"].as_u64().unwrap_or(1);
        answer["protocolVersion"] = match self.shape.versions {
            Versions::Two if wanted > 1 => 2.into(),
            Versions::Echo => wanted.into(),
            Versions::One | Versions::Two => 1.into(),
        };
        if let Some(version) = self.peer.with_faults(|faults| faults.version()) {
            answer["protocolVersion"] = version.into();
        }
        if self.peer.with_faults(|faults| faults.is_nameless())
            && let Some(members) = answer.as_object_mut()
        {
            members.remove("agentInfo");
        }
        self.peer.respond(id, Ok(&answer));
    }

    fn list_codex_hooks(&self, id: &RequestId) {
        let entry = |hook: crate::hook::CodexHook| {
            let status = if hook.trusted { "trusted" } else { "untrusted" };
            json!({"key": hook.key, "currentHash": hook.current_hash, "source": "sessionFlags",
                "trustStatus": status, "command": hook.hook.command})
        };
        let hooks = codex_hooks(&settings::codex(&self.args)["hooks"]);
        let hooks: Vec<Value> = hooks.into_iter().map(entry).collect();
        self.peer.respond(id, Ok(&json!({"hooks": hooks})));
    }

    fn close_session(&self, id: &RequestId, params: &Value) {
        let session_id = params["sessionId"].as_str().unwrap_or_default();
        self.cancel(session_id);
        if let Some(session) = lock(&self.sessions).remove(session_id) {
            session.servers.iter().for_each(McpServer::stop);
        }
        self.peer.respond(id, Ok(&json!({})));
    }

    fn other_request(&self, id: &RequestId, method: &str) {
        let unknown = &self.shape.unknown;
        if let Some(result) = self.shape.answers.get(method) {
            return self.peer.respond(id, Ok(result));
        }
        let bare_method = method.strip_prefix('_');
        if let (Some(_), Some(result)) = (bare_method, &unknown.extension_result) {
            return self.peer.respond(id, Ok(result));
        }
        let template = unknown.extension.as_ref().filter(|_| bare_method.is_some());
        let mut vars = Vars::default();
        vars.set("method", method)
            .set("bare_method", bare_method.unwrap_or(method));
        let error = fill(template.unwrap_or(&unknown.request), &vars).unwrap_or_default();
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
        let hangs = self.peer.with_faults(|faults| faults.hangs_on_cancel());
        if hangs || !session.state().running {
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
}

fn to_value(raw: Option<&RawValue>) -> Value {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok())
        .unwrap_or_default()
}
