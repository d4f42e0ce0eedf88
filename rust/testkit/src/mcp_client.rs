//! A stdio client for MCP 2025-11-25: starts a server, lists its tools, calls them.
//!
//! Plays the part of the agent's own MCP client. Calls may run at the same time; a cancelled turn
//! cancels its calls. Knows nothing of ACP but the form in which `session/new` names a server.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

/// How long a server may take to start.
const START_LIMIT: Duration = Duration::from_secs(30);
/// How long the last words of a server that has ended may be on their way. Its own children may hold its
/// output open for ever.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How to start a server.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// The server's name.
    pub name: String,
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Added to the agent's environment.
    pub env: Vec<(String, String)>,
}

/// A running server.
pub struct McpServer {
    /// Its name.
    pub name: String,
    /// Tool definitions as listed.
    pub tools: Vec<Value>,
    /// Instructions from its answer to `initialize`.
    pub instructions: String,
    line: Arc<Line>,
}

/// What a call came to.
#[derive(Clone, Debug)]
pub struct CallResult {
    /// The result's `content`.
    pub content: Value,
    /// The texts of it, joined.
    pub text: String,
    /// The result's `isError`, or true for a JSON-RPC error.
    pub is_error: bool,
}

struct Line {
    child: Mutex<Child>,
    stdin: Mutex<Option<ChildStdin>>,
    /// Who waits for which answer; none once the server has closed its output. A server that dies may take a
    /// request even after that, since its pipes are closed one by one.
    open: Mutex<Option<HashMap<u64, Sender<Value>>>>,
    next_id: AtomicU64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ServerConfig {
    /// Reads an entry of ACP's `mcpServers` list; `None` for entries that are not stdio.
    #[must_use]
    pub fn from_acp(entry: &Value) -> Option<Self> {
        if entry.get("type").is_some_and(|kind| kind != "stdio") {
            return None;
        }
        let pair = |pair: &Value| Some((text(pair, "name")?, text(pair, "value")?));
        Some(Self {
            name: text(entry, "name")?,
            command: text(entry, "command")?,
            args: texts(entry.get("args")),
            env: entry["env"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(pair)
                .collect(),
        })
    }

    /// Reads an `mcpServers` map as in Copilot's `--additional-mcp-config`.
    #[must_use]
    pub fn from_map(config: &Value) -> Vec<Self> {
        let entry = |(name, entry): (&String, &Value)| {
            let env = entry["env"].as_object().cloned().unwrap_or_default();
            let env = env
                .into_iter()
                .map(|(name, value)| (name, as_text(&value)))
                .collect();
            let command = text(entry, "command")?;
            Some(Self {
                name: name.clone(),
                command,
                args: texts(entry.get("args")),
                env,
            })
        };
        config["mcpServers"]
            .as_object()
            .into_iter()
            .flatten()
            .filter_map(entry)
            .collect()
    }
}

impl McpServer {
    /// Starts the server, greets it and lists its tools.
    ///
    /// # Errors
    /// It cannot be started or does not answer as a server should.
    pub fn start(config: &ServerConfig, cwd: &Path) -> Result<Self, String> {
        let mut child = Command::new(&config.command)
            .args(&config.args)
            .envs(config.env.iter().cloned())
            .current_dir(cwd)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .map_err(|error| format!("MCP server {} not started: {error}", config.name))?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("stdout is piped");
        let line = Arc::new(Line {
            child: Mutex::new(child),
            stdin: Mutex::new(stdin),
            open: Mutex::new(Some(HashMap::new())),
            next_id: AtomicU64::new(1),
        });
        let reader = Arc::clone(&line);
        std::thread::spawn(move || reader.read(stdout));
        let mut server = Self {
            name: config.name.clone(),
            tools: Vec::new(),
            instructions: String::new(),
            line,
        };
        server
            .greet()
            .map_err(|why| format!("MCP server {}: {why}", config.name))?;
        Ok(server)
    }

    fn greet(&mut self) -> Result<(), String> {
        let never = || false;
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "siderail-scripted-agent", "version": env!("CARGO_PKG_VERSION")},
        });
        let greeting = self.line.ask("initialize", &params, START_LIMIT, &never)?;
        self.instructions = text(&greeting, "instructions").unwrap_or_default();
        self.line
            .write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        let mut params = json!({});
        loop {
            let page = self.line.ask("tools/list", &params, START_LIMIT, &never)?;
            self.tools
                .extend(page["tools"].as_array().cloned().unwrap_or_default());
            match text(&page, "nextCursor") {
                Some(cursor) => params["cursor"] = cursor.into(),
                None => return Ok(()),
            }
        }
    }

    /// The definition of a tool.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&Value> {
        self.tools.iter().find(|tool| tool["name"] == name)
    }

    /// Calls a tool and waits for its result, or until `is_cancelled`.
    ///
    /// # Errors
    /// The server is gone, silent for `limit`, or the call was cancelled.
    pub fn call(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        limit: Duration,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<CallResult, String> {
        let params = json!({"name": tool, "arguments": arguments});
        let answer = match self.line.ask("tools/call", &params, limit, is_cancelled) {
            Ok(result) => result,
            Err(why) if why.starts_with("MCP error") => {
                return Ok(CallResult {
                    content: json!([]),
                    text: why,
                    is_error: true,
                });
            }
            Err(why) => return Err(why),
        };
        let content = answer.get("content").cloned().unwrap_or_else(|| json!([]));
        let texts: Vec<String> = content
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|block| text(block, "text"))
            .collect();
        Ok(CallResult {
            content,
            text: texts.join("\n"),
            is_error: answer["isError"] == true,
        })
    }

    /// Closes the server's stdin and ends it.
    pub fn stop(&self) {
        lock(&self.line.stdin).take();
        let mut child = lock(&self.line.child);
        let deadline = Instant::now() + Duration::from_millis(500);
        while Instant::now() < deadline {
            if !matches!(child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        // Already gone is as good as killed.
        drop(child.kill());
        drop(child.wait());
    }
}

impl Line {
    fn read(&self, stdout: ChildStdout) {
        for line in BufReader::new(stdout).lines() {
            let Ok(line) = line else { break };
            let Ok(message) = serde_json::from_str::<Value>(&line) else {
                continue;
            };
            if let (Some(id), Some(method)) = (message.get("id"), text(&message, "method")) {
                let answer = match method.as_str() {
                    "ping" => json!({"jsonrpc": "2.0", "id": id, "result": {}}),
                    _ => json!({"jsonrpc": "2.0", "id": id,
                        "error": {"code": -32601, "message": "Method not found"}}),
                };
                drop(self.write(&answer));
            } else if let Some(asker) = message["id"]
                .as_u64()
                .and_then(|id| lock(&self.open).as_mut()?.remove(&id))
            {
                drop(asker.send(message));
            }
        }
        lock(&self.open).take();
    }

    fn write(&self, message: &Value) -> Result<(), String> {
        let mut stdin = lock(&self.stdin);
        let stdin = stdin.as_mut().ok_or("stopped")?;
        writeln!(stdin, "{message}")
            .and_then(|()| stdin.flush())
            .map_err(|error| error.to_string())
    }

    fn ask(
        &self,
        method: &str,
        params: &Value,
        limit: Duration,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Value, String> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (answers, answer) = mpsc::channel();
        let ended = || format!("ended without an answer to {method}");
        lock(&self.open)
            .as_mut()
            .ok_or_else(ended)?
            .insert(id, answers);
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        let deadline = Instant::now() + limit;
        let mut last_words: Option<Instant> = None;
        loop {
            match answer.recv_timeout(Duration::from_millis(20)) {
                Ok(message) => return outcome(&message),
                Err(RecvTimeoutError::Disconnected) => return Err(ended()),
                Err(RecvTimeoutError::Timeout) if is_cancelled() => {
                    let params = json!({"requestId": id, "reason": "turn cancelled"});
                    drop(self.write(&json!({"jsonrpc": "2.0",
                        "method": "notifications/cancelled", "params": params})));
                    return Err("cancelled".to_owned());
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() > deadline => {
                    return Err(format!(
                        "no answer to {method} within {} s",
                        limit.as_secs()
                    ));
                }
                Err(RecvTimeoutError::Timeout) => {
                    let now = Instant::now();
                    if last_words.is_some_and(|until| now > until) {
                        return Err(ended());
                    }
                    if last_words.is_none() && self.has_exited() {
                        last_words = Some(now + LAST_WORDS);
                    }
                }
            }
        }
    }

    fn has_exited(&self) -> bool {
        !matches!(lock(&self.child).try_wait(), Ok(None))
    }
}

fn outcome(message: &Value) -> Result<Value, String> {
    match message.get("error") {
        Some(error) => Err(format!(
            "MCP error {}: {}",
            error["code"],
            as_text(&error["message"])
        )),
        None => Ok(message["result"].clone()),
    }
}

fn text(value: &Value, member: &str) -> Option<String> {
    value.get(member)?.as_str().map(str::to_owned)
}

fn texts(list: Option<&Value>) -> Vec<String> {
    list.and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(as_text)
        .collect()
}

fn as_text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
