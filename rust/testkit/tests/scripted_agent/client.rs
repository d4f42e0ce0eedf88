//! A client over pipes that answers by a fixed rule and keeps everything that it has seen.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) const AGENT: &str = env!("CARGO_BIN_EXE_siderail-scripted-agent");
const LIMIT: Duration = Duration::from_secs(60);

/// How to start an agent.
pub(crate) struct Start {
    pub(crate) dir: TempDir,
    args: Vec<String>,
    env: Vec<(String, String)>,
}

/// What the client says to requests of the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    Allow,
    Reject,
    /// Permission requests stay open.
    Silent,
}

pub(crate) struct Client {
    pub(crate) dir: TempDir,
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
    next_id: u64,
    pub(crate) rule: Rule,
    /// What `fs/write_text_file` and `terminal/create` are answered with instead of a result.
    pub(crate) refusal: Option<Value>,
    /// Messages of the agent, in order; lines that are no JSON as strings.
    pub(crate) seen: Vec<Value>,
    pub(crate) session: String,
}

impl Start {
    /// A project with `src/App.java`, and an agent of this shape with this script.
    pub(crate) fn new(shape: &str, script: &str) -> Self {
        let dir = TempDir::new().expect("a temporary folder");
        let project = dir.path().join("project");
        std::fs::create_dir_all(project.join("src")).expect("a folder");
        let text = "class App {\n    int x = 1;\n}\n";
        std::fs::write(project.join("src/App.java"), text).expect("a file");
        std::fs::write(dir.path().join("script.toml"), script).expect("a file");
        let start = Self {
            dir,
            args: Vec::new(),
            env: Vec::new(),
        };
        let (script, log) = (start.path("script.toml"), start.path("model.jsonl"));
        start
            .args(&[
                "--shape",
                shape,
                "--seed",
                "1",
                "--script",
                &script,
                "--model-log",
                &log,
            ])
            .env("HOME", &start_home())
            .env(
                "SIDERAIL_STUB_TOOLS",
                "intellij_read_file!,intellij_write_file,intellij_run_tests?",
            )
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.dir.path().join(name).to_string_lossy().into_owned()
    }

    /// Writes a file into the agent's folder and returns its path.
    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        let path = PathBuf::from(self.path(name));
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, text).expect("a file");
        self.path(name)
    }

    pub(crate) fn args(mut self, args: &[&str]) -> Self {
        self.args.extend(args.iter().map(|arg| (*arg).to_owned()));
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Gives Copilot the MCP server by its flag, as it takes none from the session.
    pub(crate) fn with_copilot_server(self) -> Self {
        let config = json!({"mcpServers": {"intellij-code-tools": {
            "type": "local", "command": AGENT, "args": ["--mcp-stub"], "env": {}, "tools": ["*"],
        }}});
        let file = self.file("mcp.json", &config.to_string());
        self.args(&["--additional-mcp-config", &format!("@{file}")])
    }

    pub(crate) fn spawn(self) -> Client {
        let stderr = std::fs::File::create(self.path("stderr.txt")).expect("a file");
        let mut child = Command::new(AGENT)
            .args(&self.args)
            .envs(self.env)
            .current_dir(self.dir.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr)
            .spawn()
            .expect("the agent starts");
        let stdout = child.stdout.take().expect("stdout is piped");
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            let mut reader = BufReader::new(stdout);
            let mut line = Vec::new();
            while reader
                .read_until(b'\n', &mut line)
                .is_ok_and(|length| length > 0)
            {
                if sender.send(std::mem::take(&mut line)).is_err() {
                    break;
                }
            }
        });
        Client {
            dir: self.dir,
            stdin: child.stdin.take(),
            child,
            lines,
            next_id: 0,
            rule: Rule::Allow,
            refusal: None,
            seen: Vec::new(),
            session: String::new(),
        }
    }
}

/// A home folder without settings of whoever runs the tests.
fn start_home() -> String {
    std::env::temp_dir()
        .join("no-such-home")
        .to_string_lossy()
        .into_owned()
}

impl Client {
    pub(crate) fn project(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    /// Greets the agent, logs in where the shape wants it, and opens a session.
    pub(crate) fn open(&mut self) -> Value {
        self.open_with(json!({}))
    }

    pub(crate) fn open_with(&mut self, meta: Value) -> Value {
        let capabilities =
            json!({"fs": {"readTextFile": true, "writeTextFile": true}, "terminal": true});
        self.open_offering(&capabilities, meta)
    }

    pub(crate) fn open_offering(&mut self, capabilities: &Value, meta: Value) -> Value {
        let params = json!({"protocolVersion": 1, "clientCapabilities": capabilities});
        let greeting = self.request("initialize", params);
        assert_eq!(greeting["result"]["protocolVersion"], 1, "{greeting}");
        let server = json!({"name": "intellij-code-tools", "command": AGENT,
            "args": ["--mcp-stub"], "env": []});
        let params = json!({"cwd": self.project(), "mcpServers": [server], "_meta": meta});
        let mut answer = self.request("session/new", params.clone());
        if answer["error"]["code"] == -32000 {
            self.request("authenticate", json!({"methodId": "gemini-api-key"}));
            answer = self.request("session/new", params);
        }
        self.session = answer["result"]["sessionId"]
            .as_str()
            .expect("a session id")
            .to_owned();
        answer["result"].clone()
    }

    pub(crate) fn set_mode(&mut self, mode: &str) {
        let params = json!({"sessionId": self.session, "modeId": mode});
        assert_eq!(
            self.request("session/set_mode", params)["result"],
            json!({})
        );
    }

    /// Sends a prompt and serves the agent up to its answer; the stop reason, or the error.
    pub(crate) fn prompt(&mut self, text: &str) -> String {
        let answer = self.request("session/prompt", self.prompt_params(text));
        answer["result"]["stopReason"]
            .as_str()
            .map_or_else(|| answer.to_string(), str::to_owned)
    }

    pub(crate) fn prompt_params(&self, text: &str) -> Value {
        json!({"sessionId": self.session, "prompt": [{"type": "text", "text": text}]})
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send_request(method, params);
        self.serve_until(|message| message.get("method").is_none() && message["id"] == id)
    }

    pub(crate) fn send_request(&mut self, method: &str, params: Value) -> u64 {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    pub(crate) fn notify(&mut self, method: &str) {
        let params = json!({"sessionId": self.session});
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    pub(crate) fn send(&mut self, message: &Value) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        writeln!(stdin, "{message}").expect("the agent reads");
    }

    /// Reads and answers until a message fits.
    pub(crate) fn serve_until(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + LIMIT;
        loop {
            let message = self.next(deadline).unwrap_or_else(|| {
                panic!(
                    "no fitting message; the last were {:#?}",
                    self.seen.iter().rev().take(3)
                )
            });
            if fits(&message) {
                return message;
            }
        }
    }

    /// The next message within `limit`, answered where the agent asks.
    pub(crate) fn next_within(&mut self, limit: Duration) -> Option<Value> {
        self.next(Instant::now() + limit)
    }

    fn next(&mut self, deadline: Instant) -> Option<Value> {
        let left = deadline.saturating_duration_since(Instant::now());
        let line = self.lines.recv_timeout(left).ok()?;
        let text = String::from_utf8_lossy(&line)
            .trim_start_matches('\u{feff}')
            .trim()
            .to_owned();
        let message: Value = serde_json::from_str(&text).unwrap_or(Value::String(text));
        self.seen.push(message.clone());
        if message.get("method").is_some() && message.get("id").is_some() {
            self.answer(&message);
        }
        Some(message)
    }

    fn answer(&mut self, request: &Value) {
        let params = &request["params"];
        let result = match request["method"].as_str().unwrap_or_default() {
            "session/request_permission" => match self.permission(params) {
                Some(result) => result,
                None => return,
            },
            "fs/read_text_file" => {
                let text = std::fs::read_to_string(params["path"].as_str().unwrap_or_default());
                let Ok(text) = text else {
                    let error = json!({"code": -32002, "message": "Resource not found"});
                    return self.respond(request, "error", error);
                };
                json!({"content": text})
            }
            "fs/write_text_file" | "terminal/create" if self.refusal.is_some() => {
                let refusal = self.refusal.clone().unwrap_or_default();
                return self.respond(request, "error", refusal);
            }
            "fs/write_text_file" => {
                let path = params["path"].as_str().unwrap_or_default();
                let text = params["content"].as_str().unwrap_or_default();
                std::fs::write(path, text).expect("the project is writable");
                json!({})
            }
            "terminal/create" => json!({"terminalId": "term-1"}),
            "terminal/wait_for_exit" => json!({"exitCode": 0, "signal": null}),
            "terminal/output" => json!({"output": "terminal output\n", "truncated": false}),
            "terminal/release" => json!({}),
            _ => {
                let error = json!({"code": -32601, "message": "method not found"});
                return self.respond(request, "error", error);
            }
        };
        self.respond(request, "result", result);
    }

    fn permission(&self, params: &Value) -> Option<Value> {
        let kind = match self.rule {
            Rule::Allow => "allow_once",
            Rule::Reject => "reject_once",
            Rule::Silent => return None,
        };
        let options = params["options"].as_array().expect("options");
        let option = options
            .iter()
            .find(|option| option["kind"] == kind)
            .expect("such an option");
        Some(json!({"outcome": {"outcome": "selected", "optionId": option["optionId"]}}))
    }

    pub(crate) fn respond(&mut self, request: &Value, member: &str, value: Value) {
        let mut answer = json!({"jsonrpc": "2.0", "id": request["id"]});
        answer[member] = value;
        self.send(&answer);
    }

    /// Messages of the agent with this method.
    pub(crate) fn seen_with(&self, method: &str) -> Vec<&Value> {
        self.seen
            .iter()
            .filter(|message| message["method"] == method)
            .collect()
    }

    /// Session updates of this kind.
    pub(crate) fn updates(&self, kind: &str) -> Vec<&Value> {
        let updates = self.seen_with("session/update").into_iter();
        let updates = updates.map(|message| &message["params"]["update"]);
        updates
            .filter(|update| update["sessionUpdate"] == kind)
            .collect()
    }

    /// Closes stdin and waits; `None` where the agent does not end in time.
    pub(crate) fn close(&mut self, limit: Duration) -> Option<i32> {
        self.stdin.take();
        let deadline = Instant::now() + limit;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return Some(status.code().unwrap_or(-1));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        None
    }

    /// Everything that the model was shown, as (source, text).
    pub(crate) fn model_log(&self) -> Vec<(String, String)> {
        let text = read(&self.dir.path().join("model.jsonl"));
        let line = |line: &str| {
            let entry: Value = serde_json::from_str(line).expect("a JSON line");
            let member = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
            (member("source"), member("text"))
        };
        text.lines().map(line).collect()
    }

    /// The texts of one source.
    pub(crate) fn shown(&self, source: &str) -> Vec<String> {
        let entries = self
            .model_log()
            .into_iter()
            .filter(|(entry, _)| entry == source);
        entries.map(|(_, text)| text).collect()
    }

    /// True while somebody holds the other end of the agent's stdout.
    pub(crate) fn stdout_is_open(&self) -> bool {
        !matches!(self.lines.try_recv(), Err(mpsc::TryRecvError::Disconnected))
    }

    /// What the agent has printed to stderr so far.
    pub(crate) fn stderr(&self) -> String {
        read(&self.dir.path().join("stderr.txt"))
    }

    pub(crate) fn app(&self) -> String {
        read(&self.project().join("src/App.java"))
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A test that is over needs neither the agent nor its end.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}
