//! A session without an agent process: its time is what a test says it is, its host answers when a test wants.

#[cfg(unix)]
mod commits;
mod disk;
mod edits;
mod lifecycle;
mod limits;
mod renames;
#[cfg(unix)]
mod terminals;
mod waiting;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::{Value, json};
use siderail_acp::wire::parse;
use siderail_guard::Tool;
use siderail_mcp::{Limits, ListenerEvent, Route, Server, ServerInfo};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::sync::mpsc;

use super::{Session, Worked};
use crate::command::{PermissionAnswer, SessionOptions};
use crate::engine_config::EngineConfig;
use crate::event::{Event, StopReason};
use crate::event_log::EventLog;
use crate::host::{Host, HostCall, HostReply, HostRequest, ToolOutcome};
use crate::profile::Profiles;
use crate::settings::Settings;
use crate::shared::{OpenCalls, Shared};

const NUMBER: u64 = 1;
/// Longer than anything that is waited for here takes.
const LIMIT: Duration = Duration::from_secs(30);

/// A host that only takes note.
#[derive(Default)]
struct Notes {
    events: Mutex<Vec<Value>>,
    started: Mutex<Vec<HostCall>>,
    cancelled: Mutex<Vec<u64>>,
}

impl Notes {
    fn all(&self, name: &str) -> Vec<Value> {
        let events = self.events.lock();
        let named = events.iter().filter(|event| event["event"] == name);
        named.cloned().collect()
    }

    fn one(&self, name: &str) -> Value {
        let mut all = self.all(name);
        assert_eq!(all.len(), 1, "{name}: {all:?}");
        all.remove(0)
    }
}

impl Host for Notes {
    fn deliver(&self, event: Event) {
        let event = serde_json::to_value(event).expect("an event is JSON");
        self.events.lock().push(event);
    }

    fn start(&self, call: HostCall) {
        self.started.lock().push(call);
    }

    fn cancel(&self, call: u64) {
        self.cancelled.lock().push(call);
    }

    fn tools(&self) -> Vec<Tool> {
        vec![
            Tool::WriteFile,
            Tool::ReadFile,
            Tool::MoveFile,
            Tool::RenameSymbol,
        ]
    }
}

struct Stage {
    session: Session,
    shared: Shared,
    host: Arc<Notes>,
    to_server: tokio::io::WriteHalf<DuplexStream>,
    from_server: tokio::io::Lines<BufReader<tokio::io::ReadHalf<DuplexStream>>>,
    calls: mpsc::Receiver<ListenerEvent>,
    worked: mpsc::UnboundedReceiver<Worked>,
    last_id: u64,
    _folder: TempDir,
}

impl Stage {
    /// A session whose turn runs, with the policy `redirect` and a person to ask.
    async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let project = folder.path().join("project");
        std::fs::create_dir(&project).expect("a folder can be made");
        let host = Arc::new(Notes::default());
        let (shared, worked) = shared(&folder, Arc::clone(&host));
        let options = SessionOptions {
            project,
            ..SessionOptions::default()
        };
        let mut session = Session::plain(NUMBER, options, &shared).expect("the project is there");
        session.carried.options.answer = None;
        session.lifecycle.peers.acp = Some(siderail_acp::Session::new("s"));
        let (client, server_side) = tokio::io::duplex(1 << 20);
        let (events, calls) = mpsc::channel(64);
        let info = ServerInfo {
            name: "test".to_owned(),
            version: "0".to_owned(),
            instructions: String::new(),
        };
        let server = Server::new(info, Arc::clone(&shared.tools), Limits::default());
        let route = Route {
            session: NUMBER,
            conn: 1,
            events,
        };
        let (reader, writer) = tokio::io::split(server_side);
        tokio::spawn(siderail_mcp::serve(reader, writer, server, route));
        let (from_server, to_server) = tokio::io::split(client);
        let mut stage = Self {
            session,
            shared,
            host,
            to_server,
            from_server: BufReader::new(from_server).lines(),
            calls,
            worked,
            last_id: 0,
            _folder: folder,
        };
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}});
        stage.ask("initialize", &hello).await;
        stage.answer().await;
        stage.session.prompt(
            "go".to_owned(),
            Default::default(),
            false,
            &mut stage.shared,
        );
        assert!(stage.session.lifecycle.is_ready());
        stage
    }

    async fn ask(&mut self, method: &str, params: &Value) {
        self.last_id += 1;
        let line =
            json!({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params});
        let line = format!("{line}\n");
        let sent = self.to_server.write_all(line.as_bytes()).await;
        sent.expect("the server is there");
    }

    /// Calls one of our tools, as the agent would.
    async fn call(&mut self, tool: &str, arguments: Value) {
        let params = json!({"name": tool, "arguments": arguments});
        self.ask("tools/call", &params).await;
        loop {
            let event = tokio::time::timeout(LIMIT, self.calls.recv()).await;
            let event = event.expect("the call arrives").expect("a server");
            let is_call = matches!(event, ListenerEvent::Call { .. });
            self.session.listened(event, &mut self.shared);
            self.settle();
            if is_call {
                return;
            }
        }
    }

    /// The next answer of our server.
    async fn answer(&mut self) -> Value {
        let line = tokio::time::timeout(LIMIT, self.from_server.next_line()).await;
        let line = line.expect("there is an answer").expect("a server");
        serde_json::from_str(&line.expect("a line")).expect("JSON")
    }

    /// Text of the next result.
    async fn result(&mut self) -> String {
        let answer = self.answer().await;
        let text = &answer["result"]["content"][0]["text"];
        text.as_str().expect("a text").to_owned()
    }

    fn agent_says(&mut self, message: &Value) {
        let message = parse(message.to_string().as_bytes()).expect("a message");
        self.session.message(message, &mut self.shared);
        self.settle();
    }

    /// Waits until the disk has been looked at.
    fn settle(&mut self) {
        settle(&mut self.session, &mut self.worked, &mut self.shared);
    }

    /// As the engine ends a session.
    fn end(&mut self, why: Option<&str>) {
        let why = why.map(StopReason::from);
        self.session.end_in_order(why, &mut self.shared);
        self.settle();
    }

    fn update(&mut self, update: Value) {
        let params = json!({"sessionId": "s", "update": update});
        self.agent_says(&json!({"jsonrpc": "2.0", "method": "session/update", "params": params}));
    }

    fn pass(&mut self, time: Duration) {
        self.session
            .deadline_passed(Instant::now() + time, &mut self.shared);
        self.settle();
    }

    fn person(&mut self, request: &Value, answer: PermissionAnswer) {
        let request_id = request["request_id"].as_u64().expect("a number");
        self.session.answered(request_id, answer, &mut self.shared);
        self.settle();
    }

    fn all(&self, name: &str) -> Vec<Value> {
        self.host.all(name)
    }

    fn one(&self, name: &str) -> Value {
        self.host.one(name)
    }

    /// Tools that the host was asked for, with their call numbers.
    fn started(&self) -> Vec<(Tool, u64)> {
        let started = self.host.started.lock();
        let tool = |call: &HostCall| match &call.request {
            HostRequest::Tool { tool, .. } => Some((*tool, call.call)),
            _ => None,
        };
        started.iter().filter_map(tool).collect()
    }

    fn host_answers(&mut self, call: u64) {
        let done = ToolOutcome {
            text: "done".to_owned(),
            ..ToolOutcome::default()
        };
        self.host_replies(call, HostReply::Tool(done));
    }

    fn host_replies(&mut self, call: u64, reply: HostReply) {
        self.session.host_replied(call, reply, &mut self.shared);
        self.settle();
    }
}

fn settle(
    session: &mut Session,
    worked: &mut mpsc::UnboundedReceiver<Worked>,
    shared: &mut Shared,
) {
    let until = Instant::now() + LIMIT;
    while session.worker.is_busy() {
        match worked.try_recv() {
            Ok((_, work)) => session.worked(work, shared),
            Err(_) => std::thread::sleep(Duration::from_millis(1)),
        }
        assert!(Instant::now() < until, "the worker hangs");
    }
}

fn shared(folder: &TempDir, host: Arc<Notes>) -> (Shared, mpsc::UnboundedReceiver<Worked>) {
    let config = EngineConfig {
        relay: vec!["relay".to_owned()],
        guardian: Vec::new(),
        runtime_dir: folder.path().join("run"),
        state_dir: folder.path().join("state"),
        env: BTreeMap::from([("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned())]),
        agents_files: Vec::new(),
        settings: Settings::default(),
        project: None,
    };
    let offered = config.offered(host.as_ref());
    let (inputs, _) = mpsc::channel(64);
    let (open_calls, _) = OpenCalls::new();
    let (worked, done) = mpsc::unbounded_channel();
    let profiles = Profiles::load(&[] as &[PathBuf]);
    let shared = Shared {
        tools: crate::tools::definitions(&offered, host.surroundings()).into(),
        offered,
        history: crate::history::Recorder::default(),
        log: EventLog::new(Arc::clone(&host) as Arc<dyn Host>),
        host,
        config,
        guardian: None,
        protected_places: Arc::new(profiles.protected_places()),
        profiles,
        inputs,
        worked,
        open_calls,
        last_call: 0,
        last_request: 0,
        untold: Vec::new(),
    };
    (shared, done)
}

/// A call that a person is asked about.
fn protected() -> Value {
    json!({"path": ".git/config", "content": "mine"})
}

#[tokio::test]
async fn what_configures_any_known_agent_is_protected_whichever_agent_runs() {
    for path in [".kimi-code/mcp.json", ".claude/settings.json"] {
        let mut stage = Stage::new().await;
        let arguments = json!({"path": path, "content": "mine"});
        stage.call("intellij_write_file", arguments).await;
        let request = stage.one("PERMISSION_REQUEST").to_string();
        assert!(request.contains(&format!("Protected: {path}")), "{request}");
    }
}

#[tokio::test]
async fn a_question_that_nobody_answers_is_closed_and_a_late_yes_does_nothing() {
    let mut stage = Stage::new().await;
    stage.call("intellij_write_file", protected()).await;
    let request = stage.one("PERMISSION_REQUEST");
    assert_eq!(request["asks"], true);
    stage.pass(Duration::from_secs(51));
    assert!(stage.result().await.contains("Still waiting"));
    stage.pass(Duration::from_secs(700));
    let denied = stage.one("PERMISSION_DENIED");
    assert_eq!(
        (&denied["by"], &denied["request_id"]),
        (&"timeout".into(), &request["request_id"])
    );
    stage.person(&request, PermissionAnswer::Allow);
    assert!(stage.all("PERMISSION_APPROVED").is_empty());
    assert!(stage.started().is_empty());
    // Nobody is asked any more: a silent agent is noticed.
    stage.pass(Duration::from_secs(301));
    stage.one("INACTIVITY_TIMEOUT");
}

#[tokio::test]
async fn an_agent_that_never_comes_back_for_an_answer_is_timed_out_as_silent() {
    let mut stage = Stage::new().await;
    stage.call("intellij_write_file", protected()).await;
    stage.pass(Duration::from_secs(51));
    stage.result().await;
    let request = stage.one("PERMISSION_REQUEST");
    stage.pass(Duration::from_secs(400));
    assert!(
        stage.all("INACTIVITY_TIMEOUT").is_empty(),
        "a person is asked"
    );
    stage.person(&request, PermissionAnswer::Allow);
    let (_, call) = stage.started().remove(0);
    stage.host_answers(call);
    stage.pass(Duration::from_secs(299));
    assert!(stage.all("INACTIVITY_TIMEOUT").is_empty());
    stage.pass(Duration::from_secs(301));
    stage.one("INACTIVITY_TIMEOUT");
}

#[tokio::test]
async fn an_answer_that_came_late_is_handed_over_with_the_word_about_the_denials() {
    let mut stage = Stage::new().await;
    let no = || PermissionAnswer::Deny {
        reason: "hands off".to_owned(),
        nobody: false,
    };
    stage.call("intellij_write_file", protected()).await;
    stage.person(&stage.one("PERMISSION_REQUEST"), no());
    assert!(stage.result().await.contains("hands off"));
    stage.call("intellij_write_file", protected()).await;
    stage.pass(Duration::from_secs(51));
    stage.result().await;
    let second = stage.all("PERMISSION_REQUEST").remove(1);
    stage.person(&second, no());
    let nudge = stage.one("NUDGE")["text"].clone();
    assert_eq!(stage.all("GUIDANCE_RECEIPT").len(), 1, "not read yet");
    stage.call("intellij_write_file", protected()).await;
    let result = stage.result().await;
    assert!(result.contains("hands off"), "{result}");
    assert!(
        result.contains(nudge.as_str().expect("a text")),
        "the model is told what it has to change: {result}"
    );
    assert!(result.contains("was denied 2 times"), "{result}");
    stage.one("ESCALATION");
    assert_eq!(stage.all("GUIDANCE_RECEIPT").len(), 2);
}

#[tokio::test]
async fn a_move_waits_for_writers_of_both_its_files_and_they_for_it() {
    let mut stage = Stage::new().await;
    stage.session.carried.options.answer = Some(true);
    let write = |path: &str| json!({"path": path, "content": "x"});
    stage.call("intellij_write_file", write("b.txt")).await;
    let moved = json!({"path": "a.txt", "to": "b.txt"});
    stage.call("move_file", moved).await;
    stage.call("intellij_write_file", write("a.txt")).await;
    let tools = |stage: &Stage| -> Vec<Tool> {
        stage.started().into_iter().map(|(tool, _)| tool).collect()
    };
    assert_eq!(tools(&stage), [Tool::WriteFile], "b.txt is written");
    stage.host_answers(stage.started()[0].1);
    assert_eq!(tools(&stage), [Tool::WriteFile, Tool::MoveFile]);
    stage.host_answers(stage.started()[1].1);
    assert_eq!(tools(&stage).len(), 3, "a.txt is free again");
}

#[tokio::test]
async fn calls_that_a_cancel_leaves_open_are_reported_as_cancelled() {
    let mut stage = Stage::new().await;
    let call = |status: &str, id: &str| json!({"sessionUpdate": "tool_call", "toolCallId": id, "title": "x", "kind": "execute", "status": status});
    stage.update(call("completed", "done"));
    stage.update(call("in_progress", "open"));
    stage.session.cancel(&mut stage.shared);
    let last = |id: &str| {
        let mut calls = stage.all("TOOL_CALL");
        calls.retain(|call| call["tool_call_id"] == id);
        calls.pop().expect("a call")["status"].clone()
    };
    assert_eq!(last("open"), "cancelled");
    assert_eq!(last("done"), "completed");
}

#[tokio::test]
async fn a_file_that_the_agent_waits_for_is_given_up_with_its_session() {
    let mut stage = Stage::new().await;
    let path = stage.session.root().join("a.txt").display().to_string();
    stage.agent_says(&json!({
        "jsonrpc": "2.0", "id": "f1", "method": "fs/read_text_file",
        "params": {"sessionId": "s", "path": path},
    }));
    let call = stage.host.started.lock()[0].call;
    stage.end(None);
    assert_eq!(*stage.host.cancelled.lock(), [call]);
    assert_eq!(stage.session.wire.connection.open_requests().count(), 0);
}

#[tokio::test]
async fn a_cancel_between_turns_closes_what_an_agent_asked_in_the_background() {
    let mut stage = Stage::new().await;
    let prompt = stage
        .session
        .lifecycle
        .peers
        .acp
        .as_ref()
        .and_then(|acp| acp.running_prompt());
    stage
        .agent_says(&json!({"jsonrpc": "2.0", "id": prompt, "result": {"stopReason": "end_turn"}}));
    stage.one("TURN_ENDED");
    stage.agent_says(&json!({
        "jsonrpc": "2.0", "id": "p1", "method": "session/request_permission",
        "params": {
            "sessionId": "s",
            "toolCall": {"toolCallId": "t", "kind": "execute", "title": "run", "rawInput": {"command": "uname"}},
            "options": [{"optionId": "y", "name": "Yes", "kind": "allow_once"}],
        },
    }));
    stage.call("intellij_write_file", protected()).await;
    assert_eq!(stage.all("PERMISSION_REQUEST").len(), 2);
    stage.session.cancel(&mut stage.shared);
    assert_eq!(stage.all("PERMISSION_DENIED").len(), 2);
    assert_eq!(stage.session.wire.connection.open_requests().count(), 0);
    assert!(stage.result().await.contains("CANCELLED"));
}

#[tokio::test]
async fn what_an_agent_takes_back_or_says_wrongly_is_given_up_and_told() {
    let mut stage = Stage::new().await;
    let path = stage.session.root().join("a.txt").display().to_string();
    stage.agent_says(&json!({
        "jsonrpc": "2.0", "id": "f1", "method": "fs/read_text_file",
        "params": {"sessionId": "s", "path": path},
    }));
    let call = stage.host.started.lock()[0].call;
    stage.agent_says(
        &json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": "f1"}}),
    );
    assert_eq!(*stage.host.cancelled.lock(), [call]);
    stage.agent_says(
        &json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s"}}),
    );
    let log = stage.one("AGENT_LOG");
    assert!(
        log["text"]
            .as_str()
            .expect("a text")
            .contains("session/update")
    );
}

#[tokio::test]
async fn a_file_of_git_is_not_read_for_an_agent_that_has_not_asked() {
    let mut stage = Stage::new().await;
    let path = stage.session.root().join(".git/config");
    stage.agent_says(&json!({
        "jsonrpc": "2.0", "id": "f1", "method": "fs/read_text_file",
        "params": {"sessionId": "s", "path": path.display().to_string()},
    }));
    assert!(stage.host.started.lock().is_empty());
    assert_eq!(stage.all("PERMISSION_DENIED").len(), 1);
    assert_eq!(stage.session.wire.connection.open_requests().count(), 0);
}

#[tokio::test]
async fn a_person_is_asked_before_git_runs_a_filter_of_the_repository() {
    let mut stage = Stage::new().await;
    let git = stage.session.root().join(".git");
    std::fs::create_dir_all(&git).expect("made");
    let config = "[filter \"evil\"]\n\tclean = touch ran\n";
    std::fs::write(git.join("config"), config).expect("written");
    stage.call("git_status", json!({})).await;
    let asked = stage.one("PERMISSION_REQUEST").to_string();
    assert!(asked.contains("the filter programs"), "{asked}");
}
