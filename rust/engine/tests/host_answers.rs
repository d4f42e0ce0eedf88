//! What a host answers arrives, however busy the engine is.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use serde_json::{Value, json};
use siderail_engine::command::{Command, SessionOptions};
use siderail_engine::event::Event;
use siderail_engine::guard::Tool;
use siderail_engine::host::{Host, HostCall, HostReply, ToolOutcome};
use siderail_engine::settings::Settings;
use siderail_engine::{EngineConfig, NotTaken, serve_mcp};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

/// Longer than anything that is waited for here takes.
const LIMIT: Duration = Duration::from_secs(60);

/// Holds the engine up in the middle of a host call until it is told to let go.
struct Holding {
    started: mpsc::Sender<u64>,
    let_go: Mutex<mpsc::Receiver<()>>,
}

impl Host for Holding {
    fn deliver(&self, _event: Event) {}

    fn start(&self, call: HostCall) {
        self.started.send(call.call).expect("the test waits");
        let let_go = self.let_go.lock().expect("one call at a time");
        let_go.recv_timeout(LIMIT).expect("the test lets go");
    }

    fn cancel(&self, _call: u64) {}

    fn tools(&self) -> Vec<Tool> {
        vec![Tool::ReadFile]
    }
}

fn config(folder: &Path) -> EngineConfig {
    EngineConfig {
        relay: vec!["relay".to_owned()],
        guardian: Vec::new(),
        runtime_dir: folder.join("run"),
        state_dir: folder.join("state"),
        env: BTreeMap::new(),
        agents_files: Vec::new(),
        settings: Settings::default(),
        project: None,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_is_taken_when_commands_are_refused() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let (started, calls) = mpsc::channel();
    let (release, let_go) = mpsc::channel();
    let host = Arc::new(Holding {
        started,
        let_go: Mutex::new(let_go),
    });
    let (client, server) = tokio::io::duplex(1 << 16);
    let (reader, writer) = tokio::io::split(server);
    let (engine_sender, engine) = tokio::sync::oneshot::channel();
    let options = SessionOptions {
        project: folder.path().to_owned(),
        ..SessionOptions::default()
    };
    let config = config(folder.path());
    let serving = tokio::spawn(async move {
        serve_mcp(config, options, host, reader, writer, |engine| {
            engine_sender.send(engine).expect("the test waits");
        })
        .await
    });
    let engine = engine.await.expect("the engine starts");
    let (from_server, mut to_server) = tokio::io::split(client);
    let mut lines = BufReader::new(from_server).lines();
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}});
    let read = json!({"name": "intellij_read_file", "arguments": {"path": "a.txt"}});
    for (id, method, params) in [(1, "initialize", hello), (2, "tools/call", read)] {
        let line = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let sent = to_server.write_all(format!("{line}\n").as_bytes()).await;
        sent.expect("the server is there");
    }
    let call = tokio::task::spawn_blocking(move || calls.recv_timeout(LIMIT))
        .await
        .expect("waiting does not panic")
        .expect("the host is asked");

    // The engine is held up: its queue fills.
    let prompt = || Command::Prompt {
        session: 9,
        text: "nobody".to_owned(),
        plan: false,
        blocks: Vec::new(),
        attachments: Vec::new(),
        meta: serde_json::Value::Null,
    };
    let taken = (0..10_000).take_while(|_| engine.send(prompt()).is_ok());
    assert!(taken.count() < 10_000, "commands have a limit");
    let refused = engine.send(prompt());
    assert_eq!(refused, Err(NotTaken::Busy), "it has not ended");
    let reply = |text: &str| {
        HostReply::Tool(ToolOutcome {
            text: text.to_owned(),
            ..ToolOutcome::default()
        })
    };
    let answer = |call, text| Command::Complete {
        call,
        reply: reply(text),
    };
    assert!(engine.send(answer(call, "the text")).is_ok());
    assert!(engine.send(answer(call, "another")).is_ok(), "ignored");
    assert!(engine.send(answer(call + 1, "foreign")).is_ok(), "ignored");
    release.send(()).expect("the host waits");

    let answered = loop {
        let line = tokio::time::timeout(LIMIT, lines.next_line()).await;
        let line = line.expect("there is an answer").expect("a server");
        let line: Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
        if line["id"] == 2 {
            break line;
        }
    };
    assert_eq!(answered["result"]["content"][0]["text"], "the text");
    drop((lines, to_server));
    let served = serving.await.expect("serving does not panic");
    served.expect("the project is there");
    engine.closed().await;
    assert_eq!(engine.send(prompt()), Err(NotTaken::Ended));
}
