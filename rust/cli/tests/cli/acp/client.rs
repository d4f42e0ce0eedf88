//! A plain ACP client: it says what a test says, and notes all that it gets. It knows nothing of guidance.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};

use serde_json::{Value, json};

use crate::process::{PATIENCE, Place, wait};

pub(crate) struct Client {
    pub(crate) child: Child,
    input: Option<ChildStdin>,
    pub(crate) lines: Receiver<String>,
    last: u64,
    /// Everything that came, in order.
    pub(crate) seen: Vec<Value>,
    /// The kind of option that is taken when a permission is asked for; none: the question stays open.
    pub(crate) takes: Option<&'static str>,
    /// Every other request is answered with an error.
    pub(crate) refuses: bool,
}

/// What a client says of itself.
pub(crate) fn hello() -> Value {
    json!({"protocolVersion": 1, "clientCapabilities": {}, "clientInfo": {"name": "plain", "version": "1"}})
}

impl Client {
    /// Starts `siderail acp` with a scripted agent in the shape of Copilot.
    pub(crate) fn scripted(place: &Place, script: &str, more: &[&str]) -> Self {
        let file = place.path("script.toml");
        let text = match script.contains("shape =") {
            true => script.to_owned(),
            false => format!("shape = \"copilot\"\nreally = true\n{script}"),
        };
        std::fs::write(&file, text).expect("written");
        let siderail = env!("CARGO_BIN_EXE_siderail");
        let agent = format!("'{siderail}' scripted-agent --script '{}'", file.display());
        Self::of_agent(place, "copilot", &agent, more)
    }

    pub(crate) fn of_agent(place: &Place, name: &str, agent: &str, more: &[&str]) -> Self {
        let words = ["acp", "--agent", name, "--agent-command", agent];
        Self::start(place, &[&words, more].concat())
    }

    pub(crate) fn start(place: &Place, words: &[&str]) -> Self {
        let mut command = place.siderail(words);
        let mut child = command.stdin(Stdio::piped()).spawn().expect("it starts");
        let input = child.stdin.take();
        let output = child.stdout.take().expect("a piped output");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self {
            child,
            input,
            lines,
            last: 0,
            seen: Vec::new(),
            takes: Some("allow_once"),
            refuses: false,
        }
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    pub(crate) fn send_line(&mut self, line: &str) {
        let input = self.input.as_mut().expect("the input is open");
        writeln!(input, "{line}").expect("it reads");
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let id = self.last;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// The next message; questions are answered on the way.
    pub(crate) fn next(&mut self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE);
        let line = line.unwrap_or_else(|_| panic!("nothing more came after {:#?}", self.seen));
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"));
        self.seen.push(message.clone());
        if message["method"] == "session/request_permission"
            && let Some(kind) = self.takes
        {
            let options = message["params"]["options"].as_array().expect("options");
            let taken = options.iter().find(|option| option["kind"] == kind);
            let outcome = match taken {
                Some(taken) => json!({"outcome": "selected", "optionId": taken["optionId"]}),
                None => json!({"outcome": "cancelled"}),
            };
            let id = &message["id"];
            self.send(&json!({"jsonrpc": "2.0", "id": id, "result": {"outcome": outcome}}));
        } else if self.refuses && message.get("method").is_some() && message.get("id").is_some() {
            let error = json!({"code": -32601, "message": "method not found"});
            self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "error": error}));
        }
        message
    }

    pub(crate) fn until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.next();
            if is_it(&message) {
                return message;
            }
        }
    }

    /// The answer to a request, with all that comes before it.
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        self.until(|message| message["id"] == id && message.get("method").is_none())
    }

    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.answer(id)
    }

    /// Connects and opens a session in the place's project: its id.
    pub(crate) fn open(&mut self, place: &Place) -> String {
        self.open_as(place, json!({}))
    }

    /// The same as a client that can do this.
    pub(crate) fn open_as(&mut self, place: &Place, capabilities: Value) -> String {
        let mut params = hello();
        params["clientCapabilities"] = capabilities;
        let answer = self.call("initialize", params);
        assert!(
            answer["result"]["agentCapabilities"].is_object(),
            "{answer}"
        );
        self.open_in(place.project())
    }

    pub(crate) fn open_in(&mut self, folder: PathBuf) -> String {
        let answer = self.call("session/new", json!({"cwd": folder, "mcpServers": []}));
        let id = answer["result"]["sessionId"].as_str();
        id.unwrap_or_else(|| panic!("no session: {answer}"))
            .to_owned()
    }

    pub(crate) fn prompt(&mut self, session: &str, text: &str) -> Value {
        let id = self.begin(session, text);
        self.answer(id)
    }

    /// Sends a prompt without waiting for its end.
    pub(crate) fn begin(&mut self, session: &str, text: &str) -> u64 {
        let prompt = json!([{"type": "text", "text": text}]);
        self.request(
            "session/prompt",
            json!({"sessionId": session, "prompt": prompt}),
        )
    }

    /// Waits for a request of this method, and answers it.
    pub(crate) fn reply(&mut self, method: &str, result: Value) -> Value {
        let asked = self.until(|message| message["method"] == method);
        self.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": result}));
        asked["params"].clone()
    }

    /// Updates of this kind, in order.
    pub(crate) fn updates(&self, kind: &str) -> Vec<Value> {
        let updates = self.seen.iter().filter(|m| m["method"] == "session/update");
        let updates = updates.map(|message| message["params"]["update"].clone());
        updates
            .filter(|update| update["sessionUpdate"] == kind)
            .collect()
    }

    pub(crate) fn said(&self) -> String {
        let chunks = self.updates("agent_message_chunk");
        chunks
            .iter()
            .filter_map(|chunk| chunk["content"]["text"].as_str())
            .collect()
    }

    pub(crate) fn asked(&self) -> Vec<Value> {
        let asked = self
            .seen
            .iter()
            .filter(|m| m["method"] == "session/request_permission");
        asked.map(|message| message["params"].clone()).collect()
    }

    pub(crate) fn close(&mut self) -> Option<i32> {
        self.input = None;
        wait(&mut self.child)
    }

    /// Both ends of it are gone at once.
    pub(crate) fn die(self) -> Child {
        self.child
    }
}
