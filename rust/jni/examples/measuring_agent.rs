//! An agent for benches: it starts the MCP server that it is given and measures calls of a tool, as a model's
//! agent would make them. With `direct OUT PROGRAM ARGS…` it measures a server without any ACP around.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Calls per size, after some that warm everything up.
const CALLS: usize = 2_000;
const WARM: usize = 500;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.as_slice() {
        [mode, out, program, rest @ ..] if mode == "direct" => {
            let server = json!({"command": program, "args": rest, "env": []});
            std::fs::write(out, measure(&server)).expect("the results can be written");
        }
        [out, ..] => serve(out),
        [] => eprintln!("usage: measuring_agent OUT | measuring_agent direct OUT PROGRAM ARGS…"),
    }
}

/// Speaks just as much ACP as a session with one prompt takes.
fn serve(out: &str) {
    let mut server = Value::Null;
    for line in std::io::stdin().lock().lines() {
        let Ok(message) = serde_json::from_str::<Value>(&line.expect("stdin")) else {
            continue;
        };
        let result = match message["method"].as_str() {
            Some("initialize") => json!({
                "protocolVersion": 1, "agentCapabilities": {}, "authMethods": [],
                "agentInfo": {"name": "measuring", "version": "1"},
            }),
            Some("session/new") => {
                server = message["params"]["mcpServers"][0].clone();
                json!({"sessionId": "s"})
            }
            Some("session/prompt") => {
                std::fs::write(out, measure(&server)).expect("the results can be written");
                json!({"stopReason": "end_turn"})
            }
            _ => json!({}),
        };
        if !message["id"].is_null() {
            let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
            let mut stdout = std::io::stdout().lock();
            writeln!(stdout, "{answer}").expect("stdout");
            stdout.flush().expect("stdout");
        }
    }
}

/// Lines of `name value`, in microseconds.
fn measure(server: &Value) -> String {
    let started = Instant::now();
    let mut client = Client::start(server);
    client.request(
        "initialize",
        &json!({
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "measuring", "version": "1"},
        }),
    );
    let first = started.elapsed();
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let mut results = format!("first_answer {:.1}\n", micros(first));
    for (name, path) in [("1k", "small"), ("64k", "large")] {
        let params = json!({"name": "intellij_read_file", "arguments": {"path": path}});
        let mut times = Vec::with_capacity(CALLS);
        for call in 0..WARM + CALLS {
            let started = Instant::now();
            let answer = client.request("tools/call", &params);
            let took = started.elapsed();
            assert!(answer["result"]["isError"] != true, "{answer}");
            if call >= WARM {
                times.push(took);
            }
        }
        times.sort_unstable();
        let (half, most) = (times[CALLS / 2], times[CALLS * 99 / 100]);
        results += &format!("call_{name}_p50 {:.1}\n", micros(half));
        results += &format!("call_{name}_p99 {:.1}\n", micros(most));
    }
    client.stop();
    results
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// An MCP client on a server's stdio.
struct Client {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    last: u64,
}

impl Client {
    fn start(server: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let all = |list: &Value| list.as_array().cloned().unwrap_or_default();
        let env: HashMap<String, String> = all(&server["env"])
            .iter()
            .map(|variable| (text(&variable["name"]), text(&variable["value"])))
            .collect();
        let mut child = Command::new(text(&server["command"]))
            .args(all(&server["args"]).iter().map(text))
            .envs(env)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let stdin = child.stdin.take().expect("it is piped");
        let stdout = BufReader::new(child.stdout.take().expect("it is piped"));
        Self {
            child,
            stdin,
            stdout,
            last: 0,
        }
    }

    fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.stdin.write_all(line.as_bytes()).expect("it listens");
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let id = self.last;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            let n = self.stdout.read_line(&mut line).expect("it answers");
            assert!(n > 0, "the server has ended");
            let message: Value = serde_json::from_str(&line).expect("JSON");
            if message["id"] == id {
                return message;
            }
        }
    }

    fn stop(mut self) {
        drop(self.stdin);
        // It ends with its input; how does not matter here.
        let _ = self.child.wait();
    }
}
