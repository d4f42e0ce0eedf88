//! Tools that run in the engine, called by an MCP client, and what the host is asked to do around them.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command as Process;
use std::sync::{Arc, Mutex, OnceLock};

use serde_json::{Value, json};
use siderail_engine::command::{Command, SessionOptions};
use siderail_engine::event::Event;
use siderail_engine::guard::Tool;
use siderail_engine::host::{Host, HostCall, HostReply, HostRequest, ToolErrorCode, ToolFailure};
use siderail_engine::settings::Settings;
use siderail_engine::{EngineConfig, EngineHandle, serve_mcp};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};

/// An editor with unsaved text in it.
struct Editor {
    engine: OnceLock<EngineHandle>,
    unsaved: (PathBuf, &'static str),
    /// What saving answers.
    saving: HostReply,
    /// What was asked of it, and what git had done by then.
    asked: Mutex<Vec<String>>,
    /// What programs were seen to write, from the project's folder.
    seen: Mutex<Vec<PathBuf>>,
    /// Events as `--json` prints them.
    events: Mutex<String>,
}

impl Host for Editor {
    fn deliver(&self, event: Event) {
        let line = serde_json::to_string(&event).unwrap();
        self.events.lock().unwrap().push_str(&line);
    }

    fn start(&self, call: HostCall) {
        let reply = match call.request {
            HostRequest::SaveDocuments => {
                self.note("save", &call.project);
                if self.saving == HostReply::Done {
                    fs::write(&self.unsaved.0, self.unsaved.1).unwrap();
                }
                self.saving.clone()
            }
            HostRequest::RefreshFiles { paths } => {
                self.note("refresh", &call.project);
                let paths = paths.unwrap_or_default();
                let below = |path: PathBuf| path.strip_prefix(&call.project).unwrap().to_owned();
                self.seen
                    .lock()
                    .unwrap()
                    .extend(paths.into_iter().map(below));
                HostReply::Done
            }
            _ => HostReply::Failed(ToolFailure {
                code: ToolErrorCode::NotApplicable,
                text: String::new(),
            }),
        };
        let call = call.call;
        self.engine
            .get()
            .unwrap()
            .send(Command::Complete { call, reply })
            .unwrap();
    }

    fn cancel(&self, _: u64) {}

    fn tools(&self) -> Vec<Tool> {
        Vec::new()
    }
}

impl Editor {
    fn note(&self, what: &str, project: &Path) {
        let staged = git(project, &["diff", "--cached", "--name-only"]);
        self.asked.lock().unwrap().push(format!("{what}: {staged}"));
    }
}

fn git(folder: &Path, args: &[&str]) -> String {
    let output = Process::new("git")
        .args(args)
        .current_dir(folder)
        .env("HOME", folder.parent().unwrap())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

struct Client {
    folder: TempDir,
    editor: Arc<Editor>,
    stream: BufReader<DuplexStream>,
}

impl Client {
    async fn start(saving: HostReply) -> Self {
        let folder = TempDir::with_prefix("siderail-errands-").unwrap();
        let project = folder.path().canonicalize().unwrap().join("project");
        fs::create_dir(&project).unwrap();
        fs::write(project.join("a.txt"), "on disk\n").unwrap();
        git(&project, &["init", "-q"]);
        git(&project, &["add", "."]);
        git(
            &project,
            &[
                "-c",
                "user.name=A",
                "-c",
                "user.email=a@x",
                "commit",
                "-qm",
                "x",
            ],
        );
        let editor = Arc::new(Editor {
            engine: OnceLock::new(),
            unsaved: (project.join("a.txt"), "in the editor\n"),
            saving,
            asked: Mutex::default(),
            seen: Mutex::default(),
            events: Mutex::default(),
        });
        let home = folder.path().display().to_string();
        let config = EngineConfig {
            relay: vec!["relay".to_owned()],
            guardian: Vec::new(),
            runtime_dir: folder.path().join("run"),
            state_dir: folder.path().join("state"),
            env: BTreeMap::from([
                ("PATH".to_owned(), std::env::var("PATH").unwrap()),
                ("HOME".to_owned(), home),
                ("GIT_CONFIG_NOSYSTEM".to_owned(), "1".to_owned()),
            ]),
            agents_files: Vec::new(),
            settings: Settings::default(),
            project: None,
        };
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (reader, writer) = tokio::io::split(theirs);
        let host = Arc::clone(&editor);
        let options = SessionOptions {
            project,
            settings: Settings {
                policy: siderail_engine::guard::Policy::Yolo,
                ..Settings::default()
            },
            ..SessionOptions::default()
        };
        tokio::spawn(async move {
            let started = Arc::clone(&host);
            serve_mcp(config, options, host, reader, writer, move |engine| {
                assert!(started.engine.set(engine).is_ok());
            })
            .await
            .unwrap();
        });
        let mut client = Self {
            folder,
            editor,
            stream: BufReader::new(ours),
        };
        let params = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        });
        client.request("initialize", params).await;
        client
    }

    async fn request(&mut self, method: &str, params: Value) -> Value {
        let line = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let stream = self.stream.get_mut();
        stream
            .write_all(format!("{line}\n").as_bytes())
            .await
            .unwrap();
        let mut answer = String::new();
        self.stream.read_line(&mut answer).await.unwrap();
        serde_json::from_str::<Value>(&answer).unwrap()["result"].clone()
    }

    async fn call(&mut self, tool: &str, arguments: Value) -> (bool, String) {
        let params = json!({"name": tool, "arguments": arguments});
        let result = self.request("tools/call", params).await;
        let text = result["content"][0]["text"].as_str().unwrap().to_owned();
        (result["isError"] == true, text)
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.editor.asked.lock().unwrap())
    }
}

#[tokio::test]
async fn git_sees_what_the_editor_had_not_saved_and_the_editor_sees_what_git_did() {
    let mut client = Client::start(HostReply::Done).await;
    let (failed, text) = client.call("git_diff", json!({})).await;
    assert!(!failed && text.contains("+in the editor"), "{text}");
    assert_eq!(client.asked(), ["save: "]);
    let (failed, text) = client.call("git_stage", json!({"paths": ["a.txt"]})).await;
    assert!(!failed, "{text}");
    assert_eq!(client.asked(), ["save: ", "refresh: a.txt"]);
    assert_eq!(*client.editor.seen.lock().unwrap(), [Path::new(".git")]);
    client.call("git_log", json!({})).await;
    assert!(
        client.asked().is_empty(),
        "the log is about no file on disk"
    );
}

#[tokio::test]
async fn the_editor_looks_again_at_what_a_command_was_seen_to_write() {
    let mut client = Client::start(HostReply::Done).await;
    let command = "mkdir -p out/deep && npm --version > out/b.txt; true";
    let (failed, text) = client
        .call("run_command", json!({"command": command}))
        .await;
    assert!(!failed, "{text}");
    let mut seen = client.editor.seen.lock().unwrap().clone();
    seen.sort();
    assert_eq!(seen, ["out/b.txt", "out/deep"].map(PathBuf::from));
}

#[tokio::test]
async fn what_a_person_would_be_asked_does_not_even_save() {
    let mut client = Client::start(HostReply::Done).await;
    let arguments = json!({"action": "delete", "name": "side"});
    git(&client.folder.path().join("project"), &["branch", "side"]);
    let (failed, text) = client.call("git_branch", arguments).await;
    assert!(failed && text.starts_with("DENIED"), "{text}");
    assert!(client.asked().is_empty());
    let project = client.folder.path().join("project");
    assert!(git(&project, &["branch"]).contains("side"));
}

#[tokio::test]
async fn a_program_does_not_run_on_text_that_could_not_be_saved() {
    let mut client = Client::start(HostReply::Failed(ToolFailure {
        code: ToolErrorCode::ModalBlocking,
        text: "a dialog is open".to_owned(),
    }))
    .await;
    let (failed, text) = client.call("git_stage", json!({"paths": ["a.txt"]})).await;
    assert!(
        failed && text == "MODAL_BLOCKING: a dialog is open",
        "{text}"
    );
    assert_eq!(client.asked(), ["save: "]);
}

#[tokio::test]
async fn a_host_without_editors_is_no_obstacle() {
    let mut client = Client::start(HostReply::Failed(ToolFailure {
        code: ToolErrorCode::NotApplicable,
        text: "no such request".to_owned(),
    }))
    .await;
    let (failed, text) = client.call("git_status", json!({})).await;
    assert!(!failed && text.contains("nothing is changed"), "{text}");
}

#[tokio::test]
async fn calls_that_change_the_repository_take_turns() {
    let mut client = Client::start(HostReply::Done).await;
    for n in 0..8 {
        let project = client.folder.path().join("project");
        fs::write(project.join(format!("{n}.txt")), "x\n").unwrap();
    }
    for n in 0..8 {
        let params = json!({"name": "git_stage", "arguments": {"paths": [format!("{n}.txt")]}});
        let line = json!({"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": params});
        let stream = client.stream.get_mut();
        stream
            .write_all(format!("{line}\n").as_bytes())
            .await
            .unwrap();
    }
    for _ in 0..8 {
        let mut answer = String::new();
        client.stream.read_line(&mut answer).await.unwrap();
        assert!(!answer.contains("\"isError\":true"), "{answer}");
    }
}

#[tokio::test]
async fn events_of_a_request_carry_no_secret() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let n_bytes = std::io::Read::read(&mut stream, &mut [0; 4096]).unwrap();
        assert!(n_bytes > 0);
        std::io::Write::write_all(&mut stream, b"HTTP/1.1 200 OK\r\n\r\nfine").unwrap();
    });
    let mut client = Client::start(HostReply::Done).await;
    let arguments = json!({"url": url, "headers": ["Authorization: Bearer s3cret"]});
    let (_, text) = client.call("http_request", arguments).await;
    assert!(text.contains("fine"), "{text}");
    let events = client.editor.events.lock().unwrap();
    assert!(events.contains("Authorization: [hidden]"), "{events}");
    assert!(!events.contains("s3cret"), "{events}");
}
