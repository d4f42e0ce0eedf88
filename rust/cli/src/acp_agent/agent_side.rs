//! The agent that an ACP client sees: handles the client's messages.
//!
//! Plain data: it takes messages, lines and events, and gives [`Effect`]s back in order; [`super`] carries them out.
//! Nothing is decided here: permissions, files and guidance are the engine's. Messages of the agent are in
//! [`super::from_agent`], sessions in [`super::sessions`], questions to the client in [`super::client_questions`].

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use siderail_engine::acp::client_request::methods;
use siderail_engine::acp::requests;
use siderail_engine::acp::wire::{Message, ParseFailure, RequestId, RpcError, codes, message};
use siderail_engine::acp_client::{AcpClient, Outcome, Passed};
use siderail_engine::command::Command;

use super::open_requests::Asked;
use super::process::{Process, Prompt};

/// `session/fork`: in no stable schema.
pub(super) const FORK: &str = "session/fork";

/// Something to be done, in order.
#[derive(Debug)]
pub(super) enum Effect {
    /// A line for the client.
    Line(Vec<u8>),
    /// An agent is to be started in a folder.
    Start {
        session: u64,
        folder: PathBuf,
        client: Arc<AcpClient>,
    },
    /// For the engine.
    Command(Command),
    /// For the agent.
    Pass { session: u64, passed: Passed },
    /// A request for the agent; its answer comes back to [`Face::replied`].
    Request {
        session: u64,
        method: String,
        params: Value,
        pending: Pending,
    },
}

/// A client's request that the agent answers.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub(super) id: RequestId,
    pub(super) session: u64,
    pub(super) purpose: Purpose,
}

/// What an answer of the agent changes here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Nothing: it is passed on to the client.
    Pass,
    /// A session is open.
    Open,
    /// It is a part of a list of sessions.
    List,
}

/// A list of sessions that the client waits for.
#[derive(Debug)]
pub(super) struct Listing {
    pub(super) id: RequestId,
    /// Processes that have been asked; the first one's answer is what the others' sessions join.
    pub(super) asked: Vec<u64>,
    pub(super) answers: Vec<(u64, Outcome)>,
}

/// The state of a connection with a client.
pub(super) struct Face {
    /// The folder of the first process, canonical.
    project: PathBuf,
    pub(super) client: Option<Arc<AcpClient>>,
    /// The client's `initialize`, until the agent has answered its own.
    pub(super) hello: Option<(RequestId, u64)>,
    pub(super) processes: BTreeMap<u64, Process>,
    /// Why processes ended whose requests are still to be answered.
    pub(super) ended: BTreeMap<u64, String>,
    pub(super) last_session: u64,
    /// Requests that the client has not answered, by our id.
    pub(super) asked: BTreeMap<u64, Asked>,
    pub(super) last_id: u64,
    /// Lists of sessions for which some processes have not answered yet.
    pub(super) lists: Vec<Listing>,
    /// A person who rejects something is asked why.
    pub(super) asks_reasons: bool,
    /// The first prompt of each session is for a plan.
    plans: bool,
    pub(super) effects: Vec<Effect>,
}

impl Face {
    /// A face whose first process works in `project`, a canonical path.
    pub(super) fn new(project: PathBuf, asks_reasons: bool, plans: bool) -> Self {
        Self {
            project,
            client: None,
            hello: None,
            processes: BTreeMap::new(),
            ended: BTreeMap::new(),
            last_session: 0,
            asked: BTreeMap::new(),
            last_id: 0,
            lists: Vec::new(),
            asks_reasons,
            plans,
            effects: Vec::new(),
        }
    }

    /// What is to be done since the last time.
    pub(super) fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// A line of the client that is not a message. One that answers a request of ours is an answer, if none that says
    /// anything.
    pub(super) fn not_a_message(&mut self, why: &ParseFailure) {
        let (id, error) = why.answer();
        match id.as_u64().is_some_and(|id| self.asked.contains_key(&id)) {
            true => self.client_answered(&id, Err(error)),
            false => self.refuse(&id, &error),
        }
    }

    pub(super) fn too_long(&mut self) {
        let error = RpcError::new(codes::INVALID_REQUEST, "the message is too long");
        self.refuse(&RequestId::null(), &error);
    }

    /// A message of the client.
    pub(super) fn client_says(&mut self, message: Message) {
        match message {
            Message::Request { id, method, params } => {
                match read_params(params.as_deref().map(|raw| raw.get())) {
                    Some(params) => self.request(id, &method, params),
                    None => self.refuse(&id, &RpcError::invalid_params("they are no object")),
                }
            }
            Message::Notification { method, params } => {
                let params = params.as_deref().map(|raw| raw.get());
                if let Some(params) = read_params(params) {
                    self.notified(method, params);
                }
            }
            Message::Response { id, outcome } => self.client_answered(&id, outcome),
        }
    }

    fn request(&mut self, id: RequestId, method: &str, params: Value) {
        if method == requests::INITIALIZE {
            return self.initialize(id, params);
        }
        if self.client.is_none() {
            let text = "the connection is not initialized";
            return self.refuse(&id, &RpcError::new(codes::INVALID_REQUEST, text));
        }
        match method {
            requests::NEW_SESSION | requests::LOAD_SESSION | requests::RESUME_SESSION | FORK => {
                self.open(id, method, params);
            }
            requests::PROMPT => self.prompt(id, params),
            requests::CLOSE_SESSION => self.close(id, &params),
            requests::LIST_SESSIONS => self.list(id, &params),
            requests::DELETE_SESSION => {
                let session = self.any_process();
                self.pass_request(id, method, params, session);
            }
            _ if params.get("sessionId").is_some() => match self.process_of(&params) {
                Ok(session) => self.pass_request(id, method, params, session),
                Err(error) => self.refuse(&id, &error),
            },
            _ => {
                let session = self.any_process();
                self.pass_request(id, method, params, session);
            }
        }
    }

    fn initialize(&mut self, id: RequestId, params: Value) {
        if self.client.is_some() && (self.hello.is_some() || !self.processes.is_empty()) {
            let text = "the connection is initialized already";
            return self.refuse(&id, &RpcError::new(codes::INVALID_REQUEST, text));
        }
        if !params["protocolVersion"].is_number() {
            return self.refuse(&id, &RpcError::invalid_params("protocolVersion is missing"));
        }
        self.client = Some(Arc::new(AcpClient::new(params)));
        let session = self.start(self.project.clone());
        self.hello = Some((id, session));
    }

    fn prompt(&mut self, id: RequestId, mut params: Value) {
        let session = match self.process_of(&params) {
            Ok(session) => session,
            Err(error) => return self.refuse(&id, &error),
        };
        let Value::Array(blocks) = params["prompt"].take() else {
            return self.refuse(&id, &RpcError::invalid_params("prompt is not a list"));
        };
        let prompt = Prompt {
            id,
            text: text_of(&blocks),
            blocks,
            meta: params["_meta"].take(),
        };
        match self.processes.get_mut(&session) {
            Some(process) if !process.is_ready => process.early.push(prompt),
            _ => self.send_prompt(session, prompt),
        }
    }

    pub(super) fn send_prompt(&mut self, session: u64, prompt: Prompt) {
        let Some(process) = self.processes.get_mut(&session) else {
            return;
        };
        process.prompts.push_back(prompt.id);
        let is_first = !std::mem::replace(&mut process.is_prompted, true);
        self.command(Command::Prompt {
            session,
            text: prompt.text,
            plan: self.plans && is_first,
            blocks: prompt.blocks,
            attachments: Vec::new(),
            meta: prompt.meta,
        });
    }

    fn pass_request(&mut self, id: RequestId, method: &str, mut params: Value, session: u64) {
        self.to_agent(session, &mut params);
        self.effects.push(Effect::Request {
            session,
            method: method.to_owned(),
            params,
            pending: Pending {
                id,
                session,
                purpose: Purpose::Pass,
            },
        });
    }

    fn notified(&mut self, method: String, mut params: Value) {
        match method.as_str() {
            requests::CANCEL => {
                if let Ok(session) = self.process_of(&params) {
                    self.cancel(session);
                }
            }
            methods::CANCEL_REQUEST => self.cancel_request(&params),
            _ => {
                let session = match self.process_of(&params) {
                    Ok(session) => session,
                    Err(_) if params.get("sessionId").is_some() => return,
                    Err(_) => match self.processes.keys().next() {
                        Some(session) => *session,
                        None => return,
                    },
                };
                self.to_agent(session, &mut params);
                let passed = Passed::Notification { method, params };
                self.effects.push(Effect::Pass { session, passed });
            }
        }
    }

    /// The client takes a request back; of those that are on their way to the agent only prompts can be stopped.
    fn cancel_request(&mut self, params: &Value) {
        let raw = serde_json::value::to_raw_value(&params["requestId"]).ok();
        let Some(id) = raw.and_then(|raw| RequestId::from_raw(&raw)) else {
            return;
        };
        let mut processes = self.processes.iter();
        let has = |process: &Process| {
            let early = process.early.iter().any(|prompt| prompt.id == id);
            early || process.prompts.contains(&id)
        };
        if let Some(session) = processes.find(|(_, p)| has(p)).map(|(session, _)| *session) {
            self.cancel(session);
        }
    }

    /// The turn is cancelled; prompts that wait for it are never sent.
    fn cancel(&mut self, session: u64) {
        let Some(process) = self.processes.get_mut(&session) else {
            return;
        };
        let early = process.early.drain(..).map(|prompt| prompt.id);
        let mut dropped: Vec<RequestId> = early.collect();
        let is_running = !process.prompts.is_empty();
        dropped.extend(process.prompts.drain(process.prompts.len().min(1)..));
        for id in dropped {
            self.answer(&id, &json!({"stopReason": "cancelled"}));
        }
        if is_running {
            self.command(Command::Cancel { session });
        }
    }

    /// The process of the session that is named in `params`.
    pub(super) fn process_of(&self, params: &Value) -> Result<u64, RpcError> {
        let Some(id) = params["sessionId"].as_str() else {
            return Err(RpcError::invalid_params("sessionId is missing"));
        };
        self.session_named(id)
            .ok_or_else(|| RpcError::invalid_params(format!("there is no session `{id}`")))
    }

    pub(super) fn session_named(&self, client_id: &str) -> Option<u64> {
        let mut processes = self.processes.iter();
        let found = processes.find(|(_, process)| process.client_id.as_deref() == Some(client_id));
        found.map(|(session, _)| *session)
    }

    /// A process for what concerns no session.
    pub(super) fn any_process(&mut self) -> u64 {
        match self.processes.keys().next() {
            Some(session) => *session,
            None => self.start(self.project.clone()),
        }
    }

    /// Writes the agent's id of the session in place of the client's.
    fn to_agent(&self, session: u64, params: &mut Value) {
        let process = self.processes.get(&session).filter(|p| p.renames());
        if let Some(agent_id) = process.and_then(|process| process.agent_id.as_ref())
            && params.get("sessionId").is_some()
        {
            params["sessionId"] = json!(agent_id);
        }
    }

    pub(super) fn capabilities(&self) -> &Value {
        static NONE: Value = Value::Null;
        self.client.as_ref().map_or(&NONE, |c| c.capabilities())
    }

    pub(super) fn client_takes(&self, method: &str) -> bool {
        self.client.as_ref().is_some_and(|c| c.answers(method))
    }

    pub(super) fn command(&mut self, command: Command) {
        self.effects.push(Effect::Command(command));
    }

    pub(super) fn line(&mut self, line: Vec<u8>) {
        self.effects.push(Effect::Line(line));
    }

    pub(super) fn answer(&mut self, id: &RequestId, result: &impl serde::Serialize) {
        self.line(message::result(id, result));
    }

    pub(super) fn refuse(&mut self, id: &RequestId, error: &RpcError) {
        self.line(message::error(id, error));
    }
}

/// Params as an object; none that are there are an empty one.
fn read_params(params: Option<&str>) -> Option<Value> {
    match params {
        None => Some(json!({})),
        Some(text) => serde_json::from_str(text).ok().filter(Value::is_object),
    }
}

/// What people and the history see of a prompt.
fn text_of(blocks: &[Value]) -> String {
    let shown = |block: &Value| match block["type"].as_str() {
        Some("text") => block["text"].as_str().unwrap_or_default().to_owned(),
        Some("resource_link") => format!("[{}]", name_of(&block["name"], &block["uri"])),
        Some("resource") => format!("[{}]", name_of(&Value::Null, &block["resource"]["uri"])),
        Some(kind) => format!("[{kind}]"),
        None => String::new(),
    };
    blocks.iter().map(shown).collect::<Vec<_>>().join("")
}

fn name_of<'a>(name: &'a Value, uri: &'a Value) -> &'a str {
    name.as_str().or(uri.as_str()).unwrap_or("resource")
}
