//! Plays the agent's side of a recording, as `tests/fixtures/recordings/NAME/SCENARIO.acp.jsonl`.
//!
//! The recording is gone through line by line. The agent's lines are written as they are, but for
//! the ids of answers, which become the ids of the live client's requests, and for the folder
//! `/project`, which becomes the live session's. At a line of the recorded client the live client
//! is waited for:
//!
//! - An answer matches the live answer with the same id, whatever it says.
//! - `initialize`, `session/new`, `session/load`, `session/prompt` and `session/cancel` match the
//!   next live message with that method, whatever it says.
//! - Any other request (`authenticate`, `session/set_mode`, extensions …) matches the next live
//!   message if that has the same method; otherwise it is skipped together with its answer.
//! - Other notifications and raw lines are skipped.
//! - A prompt that the recorded client sent while a turn ran is waited for when that turn has ended;
//!   one that the agent refused or lost because of it is left out.
//! - A live request whose method does not come any more is answered at once: `{}` for those that set
//!   something, `end_turn` for a prompt, "method not found" for the rest. One that comes later is
//!   kept until then.
//! - After [`WAIT`] without a match the recording continues, with a message on stderr.
//!
//! At the end of stdin the player does what the recording's last note says: it exits with that
//! code, or, where the agent had to be killed, runs forever.

mod turns;

use std::collections::{HashMap, HashSet, VecDeque};
use std::io::{Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use siderail_wire::{Line, LineSplitter};

/// How long a live message is waited for.
pub const WAIT: Duration = Duration::from_secs(10);

const REQUIRED: [&str; 5] = [
    "initialize",
    "session/new",
    "session/load",
    "session/prompt",
    "session/cancel",
];
const SETTERS: [&str; 6] = [
    "authenticate",
    "session/set_mode",
    "session/set_config_option",
    "session/set_model",
    "session/close",
    "logout",
];
const LINE_CAP: usize = 256 * 1024 * 1024;

/// One line of a recording.
#[derive(Clone, Debug)]
struct Entry {
    from_client: bool,
    message: Value,
}

/// A recording's messages and how its agent ended.
#[derive(Clone, Debug)]
pub struct Recording {
    entries: Vec<Entry>,
    exit: Option<u8>,
}

impl Recording {
    /// Reads a recording.
    ///
    /// # Errors
    /// The file cannot be read or a line of it is not JSON, as a text for people.
    pub fn load(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("recording {} cannot be read: {error}", path.display()))?;
        let mut recording = Self {
            entries: Vec::new(),
            exit: Some(0),
        };
        for (number, line) in text.lines().enumerate() {
            let mut entry: Value = serde_json::from_str(line).map_err(|error| {
                format!("recording {} line {}: {error}", path.display(), number + 1)
            })?;
            let message = entry["msg"].take();
            match entry["dir"].as_str() {
                Some("client->agent") => {
                    recording.entries.push(Entry {
                        from_client: true,
                        message,
                    });
                }
                Some("agent->client") => {
                    recording.entries.push(Entry {
                        from_client: false,
                        message,
                    });
                }
                Some("note") => recording.note(&message),
                _ => {}
            }
        }
        recording.entries = turns::one_at_a_time(recording.entries);
        Ok(recording)
    }

    fn note(&mut self, note: &Value) {
        let Some(how) = note["how"].as_str() else {
            return;
        };
        let code = note["exit"]
            .as_u64()
            .and_then(|code| u8::try_from(code).ok())
            .unwrap_or(1);
        self.exit = (!how.starts_with("killed")).then_some(code);
    }

    /// Methods of the requests that the recorded client still sends from entry `from` on.
    fn later(&self, from: usize) -> HashSet<&str> {
        let rest = self
            .entries
            .iter()
            .skip(from)
            .filter(|entry| entry.from_client);
        rest.filter_map(|entry| entry.message["method"].as_str())
            .collect()
    }
}

/// Plays `recording` over `input` and `output`; see the module's head.
pub fn play(
    recording: &Recording,
    input: impl Read + Send + 'static,
    output: impl Write,
) -> ExitCode {
    let live = read(input);
    let mut player = Player {
        recording,
        live,
        output,
        pool: VecDeque::new(),
        ids: HashMap::new(),
        passed_over: HashSet::new(),
        folder: None,
        ended: false,
    };
    for index in 0..recording.entries.len() {
        if player.ended {
            break;
        }
        player.step(index);
    }
    player.finish()
}

/// Reads messages on a thread of its own; the channel closes with the input.
fn read(mut input: impl Read + Send + 'static) -> Receiver<Value> {
    let (messages, live) = mpsc::channel();
    std::thread::spawn(move || {
        let mut splitter = LineSplitter::new(LINE_CAP);
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(length @ 1..) = input.read(&mut buffer) {
            splitter.push(&buffer[..length]);
            while let Some(line) = splitter.next_line() {
                let Line::Message(bytes) = line else { continue };
                let Ok(message) = serde_json::from_slice(&bytes) else {
                    continue;
                };
                if messages.send(message).is_err() {
                    return;
                }
            }
        }
    });
    live
}

struct Player<'r, W> {
    recording: &'r Recording,
    live: Receiver<Value>,
    output: W,
    /// Live messages that nothing has matched yet.
    pool: VecDeque<Value>,
    /// Live ids by recorded ids, as JSON text.
    ids: HashMap<String, Value>,
    /// Recorded ids whose answers are not sent.
    passed_over: HashSet<String>,
    /// The live session's folder.
    folder: Option<String>,
    ended: bool,
}

impl<W: Write> Player<'_, W> {
    fn step(&mut self, index: usize) {
        let Entry {
            from_client,
            message,
        } = &self.recording.entries[index];
        if !from_client {
            return self.emit(message.clone());
        }
        let method = message["method"].as_str();
        match (method, message.get("id")) {
            (Some(method), Some(id)) => self.await_request(index, method, &id.to_string()),
            (Some(method), None) if REQUIRED.contains(&method) => {
                let found = self.await_live(index, method, |live| live["method"] == method);
                drop(found);
            }
            (None, Some(id)) => {
                let is_answer = |live: &Value| live.get("method").is_none() && live["id"] == *id;
                let found = self.await_live(index, &format!("answer to {id}"), is_answer);
                drop(found);
            }
            _ => {}
        }
    }

    fn await_request(&mut self, index: usize, method: &str, recorded: &str) {
        let required = REQUIRED.contains(&method);
        let found = self.await_live(index, method, |live| {
            // Where the recorded request may be missing, the next live message decides.
            !required || live["method"] == method
        });
        match found {
            Some(live) if live["method"] == method => {
                if let Some(folder) = live["params"]["cwd"].as_str() {
                    self.folder = Some(folder.to_owned());
                }
                self.ids.insert(recorded.to_owned(), live["id"].clone());
            }
            other => {
                self.passed_over.insert(recorded.to_owned());
                if let Some(live) = other {
                    self.pool.push_front(live);
                }
            }
        }
    }

    /// Waits for a live message that matches; answers what never will.
    fn await_live(
        &mut self,
        index: usize,
        what: &str,
        matches: impl Fn(&Value) -> bool,
    ) -> Option<Value> {
        if let Some(place) = self.pool.iter().position(&matches) {
            return self.pool.remove(place);
        }
        let deadline = Instant::now() + WAIT;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.live.recv_timeout(left) {
                Ok(message) if self.is_unexpected(index, &message) => self.answer(&message),
                Ok(message) if matches(&message) => return Some(message),
                Ok(message) => self.pool.push_back(message),
                Err(RecvTimeoutError::Timeout) => {
                    eprintln!("replay: no {what} within {} s, going on", WAIT.as_secs());
                    return None;
                }
                Err(RecvTimeoutError::Disconnected) => {
                    self.ended = true;
                    return None;
                }
            }
        }
    }

    fn is_unexpected(&self, index: usize, message: &Value) -> bool {
        let method = message["method"]
            .as_str()
            .filter(|_| message.get("id").is_some());
        method.is_some_and(|method| !self.recording.later(index).contains(method))
    }

    fn answer(&mut self, request: &Value) {
        let method = request["method"].as_str().unwrap_or_default();
        let mut answer = json!({"jsonrpc": "2.0", "id": request["id"]});
        if SETTERS.contains(&method) {
            answer["result"] = json!({});
        } else if method == "session/prompt" {
            answer["result"] = json!({"stopReason": "end_turn"});
        } else {
            let message = format!("\"Method not found\": {method}");
            answer["error"] = json!({"code": -32601, "message": message});
        }
        self.write(&answer);
    }

    fn emit(&mut self, mut message: Value) {
        if message.get("method").is_none()
            && let Some(id) = message.get("id").map(Value::to_string)
        {
            if self.passed_over.contains(&id) {
                return;
            }
            if let Some(live) = self.ids.get(&id) {
                message["id"] = live.clone();
            }
        }
        if let Some(folder) = &self.folder {
            put_folder(&mut message, folder);
        }
        self.write(&message);
    }

    fn write(&mut self, message: &Value) {
        // A client that is gone shows as the end of stdin.
        drop(writeln!(self.output, "{message}").and_then(|()| self.output.flush()));
    }

    /// Waits for the end of stdin, and ends as the recorded agent did.
    fn finish(mut self) -> ExitCode {
        let end = self.recording.entries.len();
        for message in std::mem::take(&mut self.pool) {
            if self.is_unexpected(end, &message) {
                self.answer(&message);
            }
        }
        while let Ok(message) = self.live.recv() {
            if self.is_unexpected(end, &message) {
                self.answer(&message);
            }
        }
        match self.recording.exit {
            Some(code) => ExitCode::from(code),
            None => loop {
                std::thread::park();
            },
        }
    }
}

/// Replaces the recorded project folder in all strings, also in the names of members.
fn put_folder(value: &mut Value, folder: &str) {
    match value {
        Value::String(text) => *text = with_folder(text, folder),
        Value::Array(items) => items.iter_mut().for_each(|item| put_folder(item, folder)),
        Value::Object(members) => {
            let old = std::mem::take(members);
            for (name, mut value) in old {
                put_folder(&mut value, folder);
                members.insert(with_folder(&name, folder), value);
            }
        }
        _ => {}
    }
}

fn with_folder(text: &str, folder: &str) -> String {
    const RECORDED: &str = "/project";
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(RECORDED) {
        let (before, after) = (&rest[..start], &rest[start + RECORDED.len()..]);
        let goes_on =
            after.starts_with(|next: char| next.is_alphanumeric() || "-_.".contains(next));
        let in_path = before.ends_with(|last: char| last.is_alphanumeric() && !"ab".contains(last));
        replaced.push_str(before);
        replaced.push_str(if goes_on || in_path { RECORDED } else { folder });
        rest = after;
    }
    replaced.push_str(rest);
    replaced
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{put_folder, with_folder};

    #[test]
    fn only_the_recorded_folder_itself_is_replaced() {
        let cases = [
            ("/project/src/App.java", "/w/p/src/App.java"),
            ("cd /project", "cd /w/p"),
            (
                "diff --git a/project/x b/project/x",
                "diff --git a/w/p/x b/w/p/x",
            ),
            ("/projects/a /project-b", "/projects/a /project-b"),
            ("my/project/a", "my/project/a"),
        ];
        for (text, expected) in cases {
            assert_eq!(with_folder(text, "/w/p"), expected);
        }
    }

    #[test]
    fn names_of_members_hold_paths_as_well() {
        let mut message = json!({"changes": {"/project/a": {"type": "add"}}, "n": [1, "/project"]});
        put_folder(&mut message, "/w");
        assert_eq!(
            message,
            json!({"changes": {"/w/a": {"type": "add"}}, "n": [1, "/w"]})
        );
    }
}
