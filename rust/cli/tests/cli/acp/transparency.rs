//! What real agents sent reaches the client as it was: every recording, played under the policy that only watches.
//!
//! [`changed`] has the whole list of what may be otherwise, as `docs/clients.md` has it for people. That nothing else
//! passes unseen is shown by taking every member of every message away.

mod changed;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::client::Client;
use crate::process::Place;
use changed::Pair;

/// Recordings that are played at the same time; most of the time they wait.
const PLAYERS: usize = 6;

fn recordings() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/recordings");
    let folders = crate::process::entries(&root.canonicalize().expect("there"));
    let files = folders
        .iter()
        .flat_map(|folder| crate::process::entries(folder));
    let mut files: Vec<PathBuf> = files
        .filter(|file| file.to_string_lossy().ends_with(".acp.jsonl"))
        .collect();
    files.sort();
    files
}

fn messages(file: &Path, direction: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(file).expect("a recording");
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let lines = lines.filter(|line| line["dir"] == direction);
    lines
        .map(|mut line| line["msg"].take())
        .filter(Value::is_object)
        .collect()
}

/// Plays a recording; how many messages were compared.
fn play(recording: &Path) -> usize {
    let folder = recording
        .parent()
        .and_then(Path::file_name)
        .expect("an agent");
    let agent = match folder.to_str().expect("text") {
        "kimi" | "sdk-py" | "sdk-ts" => "mine",
        agent => agent,
    };
    let place = Place::new();
    let trace = place.path("trace.jsonl");
    let siderail = env!("CARGO_BIN_EXE_siderail");
    let command = format!(
        "'{siderail}' scripted-agent --replay '{}'",
        recording.display()
    );
    let trace_flag = trace.to_str().expect("text");
    let more = [
        "--policy", "observe", "--hide", "off", "--trace", trace_flag,
    ];
    let mut client = Client::of_agent(&place, agent, &command, &more);
    client.refuses = true;
    let mut session = Value::Null;
    let mut answers = Vec::new();
    for said in requests(recording) {
        let method = said["method"].as_str().unwrap_or_default();
        let mut params = said["params"].clone();
        match method {
            "initialize" => {}
            "session/new" | "session/load" => {
                params["cwd"] = json!(place.project());
                params["mcpServers"] = json!([]);
            }
            _ if params["sessionId"].is_string() => params["sessionId"] = session.clone(),
            _ => {}
        }
        let answer = client.call(method, params.clone());
        if method == "session/new" {
            session = answer["result"]["sessionId"].clone();
        } else if method == "session/load" {
            session = params["sessionId"].clone();
        }
        answers.push((method.to_owned(), answer));
    }
    assert_eq!(client.close(), Some(0), "{}", recording.display());
    while let Ok(line) = client.lines.try_recv() {
        client.seen.push(serde_json::from_str(&line).expect("JSON"));
    }
    let sent = messages(&trace, "agent->client");
    let shown = recording.display();
    let mut pairs =
        changed::pairs(&sent, &client.seen).unwrap_or_else(|why| panic!("{shown}: {why}"));
    // The trace hides what looks like a secret.
    let recorded = messages(recording, "agent->client");
    for (method, answer) in answers {
        let all = sent.iter().chain(&recorded);
        let mut all = all.filter(|message| message.get("method").is_none());
        match all.find(|message| changed::is_same(message, &answer)) {
            Some(sent) => pairs.push(Pair {
                sent: sent.clone(),
                got: answer,
            }),
            // A turn that a login is missing for, or that never ended, has an error in place of a result.
            None => assert!(answer["result"].is_null(), "{shown}: {method}: {answer}"),
        }
    }
    for pair in &pairs {
        let passed = changed::losses_that_pass(pair);
        let is_listed = |place: &String| {
            LISTED.iter().any(|listed| place.starts_with(listed)) && is_asked(&pair.got)
        };
        let unseen: Vec<&String> = passed.iter().filter(|place| !is_listed(place)).collect();
        assert!(unseen.is_empty(), "{shown}: {unseen:?} of {}", pair.got);
    }
    pairs.len()
}

/// Members of a permission request of which some are on the list: a warning of ours.
const LISTED: [&str; 1] = ["/params/toolCall/content"];

fn is_asked(message: &Value) -> bool {
    message["method"] == "session/request_permission"
}

/// The requests of the recorded client that can be made again, in order.
fn requests(recording: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(recording).expect("a recording");
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let mut open = None;
    let mut requests = Vec::new();
    for line in lines {
        let message = &line["msg"];
        if line["dir"] == "agent->client"
            && message.get("method").is_none()
            && message["id"] == open.clone().unwrap_or_default()
        {
            open = None;
        }
        let Some(method) = message["method"].as_str() else {
            continue;
        };
        if line["dir"] != "client->agent" || message.get("id").is_none() {
            continue;
        }
        match method {
            "initialize" | "session/new" | "session/load" => requests.push(message.clone()),
            "session/prompt" => {
                open = Some(message["id"].clone());
                requests.push(message.clone());
            }
            // What was said during a turn has no place of its own here.
            "session/set_mode" | "session/set_model" | "foo/bar" if open.is_none() => {
                requests.push(message.clone());
            }
            _ => {}
        }
    }
    requests
}

#[test]
fn every_recording_reaches_the_client_as_the_agent_sent_it() {
    let recordings = recordings();
    assert!(recordings.len() >= 90, "{}", recordings.len());
    let waiting = Mutex::new(recordings.into_iter());
    let n_compared = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..PLAYERS {
            scope.spawn(|| {
                loop {
                    let next = waiting.lock().expect("no player has failed").next();
                    let Some(recording) = next else { break };
                    n_compared.fetch_add(play(&recording), Ordering::Relaxed);
                }
            });
        }
    });
    let n_compared = n_compared.into_inner();
    assert!(n_compared >= 1_500, "{n_compared} messages");
}
