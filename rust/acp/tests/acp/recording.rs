//! Reads recorded traffic and plays it through a client: our lines as they were sent, the agent's as they came.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use siderail_acp::SessionUpdate;
use siderail_acp::client_request::{FsRequest, TerminalRequest};
use siderail_acp::connection::{Connection, Incoming};
use siderail_acp::initialize::{InitializeResult, NewSessionResult};
use siderail_acp::permission::PermissionRequest;
use siderail_acp::prompt::{PromptResult, StopReason};
use siderail_acp::session::{Applied, EarlyUpdates, Session};
use siderail_acp::tool_call::ToolCall;
use siderail_acp::wire::{Message, RequestId, RpcError, parse};

/// One line of a recording.
#[derive(Deserialize)]
pub(crate) struct Record {
    #[serde(rename = "dir")]
    pub(crate) direction: String,
    pub(crate) msg: Box<RawValue>,
}

/// A recording, `agent/scenario`.
pub(crate) struct Recording {
    pub(crate) name: String,
    pub(crate) records: Vec<Record>,
}

impl Recording {
    pub(crate) fn open(name: &str) -> Self {
        let path = folder().join(format!("{name}.acp.jsonl"));
        let text = std::fs::read_to_string(&path)
            .unwrap_or_else(|failure| panic!("{}: {failure}", path.display()));
        let record = |line: &str| {
            serde_json::from_str(line).unwrap_or_else(|failure| panic!("{name}: {failure}: {line}"))
        };
        Self {
            name: name.to_owned(),
            records: text.lines().map(record).collect(),
        }
    }

    /// All recordings, by name.
    pub(crate) fn all() -> Vec<Self> {
        let mut names = Vec::new();
        for agent in entries(&folder()) {
            for scenario in entries(&agent) {
                let scenario = scenario
                    .file_name()
                    .expect("a file")
                    .to_string_lossy()
                    .into_owned();
                let scenario = scenario
                    .strip_suffix(".acp.jsonl")
                    .expect("a recording")
                    .to_owned();
                names.push(format!(
                    "{}/{scenario}",
                    agent.file_name().expect("a folder").to_string_lossy()
                ));
            }
        }
        names.sort();
        names.iter().map(|name| Self::open(name)).collect()
    }

    /// The agent's lines.
    pub(crate) fn agent_lines(&self) -> impl Iterator<Item = &str> {
        self.records
            .iter()
            .filter(|record| record.direction == "agent->client")
            .map(|record| record.msg.get())
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/recordings")
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder)
        .unwrap_or_else(|failure| panic!("{}: {failure}", folder.display()));
    entries
        .map(|entry| entry.expect("readable").path())
        .collect()
}

/// What became of an agent's message.
#[derive(Debug)]
pub(crate) enum Seen {
    Initialized(Box<InitializeResult>),
    /// A session is open; so many updates had come before.
    Opened {
        result: Box<NewSessionResult>,
        n_early: usize,
    },
    Response(Result<Box<RawValue>, RpcError>),
    TurnEnded {
        id: u64,
        outcome: Result<PromptResult, RpcError>,
    },
    Update(Box<Applied>),
    Permission {
        request: Box<PermissionRequest>,
        stored: Option<Box<ToolCall>>,
        last_open: Option<Box<ToolCall>>,
    },
    Fs(FsRequest),
    Terminal(TerminalRequest),
    Cancelled(RequestId),
    Extension {
        method: String,
        is_request: bool,
    },
    Ignored(String),
}

/// A client that plays a recording.
pub(crate) struct Player {
    pub(crate) name: String,
    pub(crate) connection: Connection<String>,
    pub(crate) session: Option<Session>,
    pub(crate) early: EarlyUpdates,
    /// Prompts that were sent while a turn ran.
    pub(crate) waiting: Vec<u64>,
    pub(crate) seen: Vec<Seen>,
}

impl Player {
    pub(crate) fn play(name: &str) -> Self {
        Self::play_recording(&Recording::open(name))
    }

    pub(crate) fn play_recording(recording: &Recording) -> Self {
        let mut player = Self {
            name: recording.name.clone(),
            connection: Connection::new(),
            session: None,
            early: EarlyUpdates::default(),
            waiting: Vec::new(),
            seen: Vec::new(),
        };
        for record in &recording.records {
            match record.direction.as_str() {
                "client->agent" => player.ours(record.msg.get()),
                "agent->client" => player.theirs(record.msg.get()),
                _ => {}
            }
        }
        player
    }

    /// A line of ours: makes the client's state what it was when the line was sent.
    fn ours(&mut self, line: &str) {
        match parse(line.as_bytes()) {
            Ok(Message::Request { id, method, params }) => {
                let (ours, _) = self.connection.request(&method, &params, method.clone());
                assert_eq!(
                    id.as_u64(),
                    Some(ours),
                    "{}: recorded ids rise from 1",
                    self.name
                );
                if method == "session/prompt" {
                    self.prompt(ours);
                }
            }
            Ok(Message::Notification { method, .. }) if method == "session/cancel" => {
                self.session.as_mut().expect("a session to cancel").cancel();
            }
            Ok(Message::Response { id, outcome }) => self.answer(&id, outcome),
            // Probes: unknown notifications and lines that are no messages.
            _ => {}
        }
    }

    fn prompt(&mut self, id: u64) {
        if self
            .session
            .as_mut()
            .expect("a session to prompt")
            .begin_turn(id)
            .is_err()
        {
            self.waiting.push(id);
        }
    }

    fn answer(&mut self, id: &RequestId, outcome: Result<Box<RawValue>, RpcError>) {
        if id.as_u64() == Some(9999) {
            return; // The stray response of the probe scenario.
        }
        let line = match outcome {
            Ok(result) => self.connection.answer(id, &result),
            Err(error) => self.connection.answer_error(id, &error),
        };
        assert!(line.is_some(), "{}: {id} was open until now", self.name);
        assert!(
            self.connection.answer(id, &Value::Null).is_none(),
            "{}: {id} is answered once",
            self.name
        );
    }

    fn theirs(&mut self, line: &str) {
        let message = parse(line.as_bytes())
            .unwrap_or_else(|failure| panic!("{}: {failure}: {line}", self.name));
        let seen = match self.connection.handle(message) {
            Incoming::Response { id, tag, outcome } => self.response(id, tag, outcome),
            Incoming::Update(update) => {
                match self
                    .session
                    .as_mut()
                    .filter(|session| session.id() == update.session_id)
                {
                    Some(session) => Seen::Update(Box::new(session.apply(update.update))),
                    None => {
                        self.early.push(*update).expect("room for early updates");
                        return;
                    }
                }
            }
            Incoming::Permission { id, params } => self.permission(id, &params),
            Incoming::Fs(request) => Seen::Fs(request),
            Incoming::Terminal { method, params, .. } => {
                Seen::Terminal(TerminalRequest::read(&method, &params).expect("a terminal request"))
            }
            Incoming::Cancelled { id } => Seen::Cancelled(id),
            Incoming::Extension { id, method, .. } => Seen::Extension {
                method,
                is_request: id.is_some(),
            },
            Incoming::Ignored { why } => Seen::Ignored(why),
            other @ (Incoming::Elicitation { .. } | Incoming::BadParams { .. }) => {
                panic!("{}: {other:?}: {line}", self.name)
            }
        };
        self.seen.push(seen);
    }

    fn response(
        &mut self,
        id: u64,
        method: String,
        outcome: Result<Box<RawValue>, RpcError>,
    ) -> Seen {
        match (method.as_str(), &outcome) {
            ("initialize", Ok(result)) => {
                Seen::Initialized(Box::new(InitializeResult::read(result).expect("version 1")))
            }
            ("session/new", Ok(result)) => {
                let result = NewSessionResult::read(result).expect("a session");
                let mut session = Session::open(&result);
                let early = self.early.take(&result.session_id);
                let n_early = early.len();
                for update in early {
                    let applied = session.apply(update.update);
                    self.seen.push(Seen::Update(Box::new(applied)));
                }
                self.session = Some(session);
                Seen::Opened {
                    result: Box::new(result),
                    n_early,
                }
            }
            ("session/prompt", _) => {
                let outcome = outcome.map(|result| PromptResult::read(&result));
                let session = self.session.as_mut().expect("a session");
                let is_cancelled = outcome
                    .as_ref()
                    .is_ok_and(|result| result.stop_reason == StopReason::Cancelled);
                let end = session.end_turn(id, is_cancelled);
                if end.is_some() && !self.waiting.is_empty() {
                    let next = self.waiting.remove(0);
                    session.begin_turn(next).expect("the turn before is over");
                }
                self.waiting.retain(|waiting| *waiting != id);
                Seen::TurnEnded { id, outcome }
            }
            _ => Seen::Response(outcome),
        }
    }

    fn permission(&mut self, id: RequestId, params: &RawValue) -> Seen {
        let request = PermissionRequest::read(id, params).expect("a permission request");
        let session = self.session.as_mut().expect("a session");
        let stored = request
            .tool_call_id()
            .and_then(|id| session.tool_call(id))
            .cloned()
            .map(Box::new);
        let last_open = session.last_open_call().cloned().map(Box::new);
        Seen::Permission {
            request: Box::new(request),
            stored,
            last_open,
        }
    }

    pub(crate) fn permissions(
        &self,
    ) -> impl Iterator<Item = (&PermissionRequest, Option<&ToolCall>, Option<&ToolCall>)> {
        self.seen.iter().filter_map(|seen| match seen {
            Seen::Permission {
                request,
                stored,
                last_open,
            } => Some((&**request, stored.as_deref(), last_open.as_deref())),
            _ => None,
        })
    }

    pub(crate) fn updates(&self) -> impl Iterator<Item = &SessionUpdate> {
        self.seen.iter().filter_map(|seen| match seen {
            Seen::Update(applied) => Some(&applied.update),
            _ => None,
        })
    }

    pub(crate) fn turn_ends(&self) -> impl Iterator<Item = (u64, &Result<PromptResult, RpcError>)> {
        self.seen.iter().filter_map(|seen| match seen {
            Seen::TurnEnded { id, outcome } => Some((*id, outcome)),
            _ => None,
        })
    }

    pub(crate) fn ignored(&self) -> Vec<&str> {
        let ignored = self.seen.iter().filter_map(|seen| match seen {
            Seen::Ignored(why) => Some(why.as_str()),
            _ => None,
        });
        ignored.collect()
    }
}
