//! What real agents sent reaches the client as it was: every recording, played under the policy that only watches.
//!
//! [`differs`] is the whole list of what may be otherwise; `docs/clients.md` has it for people.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde_json::{Value, json};

use super::client::Client;
use crate::process::Place;

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

fn is_notification(message: &Value) -> bool {
    message.get("method").is_some() && message.get("id").is_none()
}

/// What the client gets although the agent did not send it, or does not get although it did.
fn differs(message: &Value) -> bool {
    let update = &message["params"]["update"];
    // Requests have other ids on the two sides, and the engine answers some itself.
    message["method"] == "$/cancel_request"
        // The mode that the profile sets; some agents tell it by themselves.
        || update["sessionUpdate"] == "current_mode_update"
        // What ran although nobody was asked: the recorded agents have none of our servers.
        || update["content"]["text"].as_str().is_some_and(|text| text.contains("**Unguarded:**"))
}

/// A permission request but for its options, of which those that last may be left out; and the call's content, which may begin with what a yes destroys or writes outside of the project.
fn asked(message: &Value) -> (Value, Vec<Value>) {
    let mut params = message["params"].clone();
    params["options"] = json!([]);
    let call = params["toolCall"].as_object_mut();
    let content = call.and_then(|call| call.remove("content"));
    let content = content.and_then(|content| content.as_array().cloned());
    (params, content.unwrap_or_default())
}

fn play(recording: &Path) {
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
    let mut session = Value::Null;
    let mut answers = Vec::new();
    for said in messages(recording, "client->agent") {
        let method = said["method"].as_str().unwrap_or_default();
        let mut params = said["params"].clone();
        match method {
            "initialize" => {}
            "session/new" | "session/load" => {
                params["cwd"] = json!(place.project());
                params["mcpServers"] = json!([]);
            }
            "session/prompt" => params["sessionId"] = session.clone(),
            _ => continue,
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
    let passing = |all: &[Value]| -> Vec<Value> {
        let passing = all.iter().filter(|m| is_notification(m) && !differs(m));
        passing.cloned().collect()
    };
    let shown = recording.display();
    assert_eq!(passing(&client.seen), passing(&sent), "{shown}");
    let requests = |all: &[Value]| -> Vec<(Value, Vec<Value>)> {
        let asks = |m: &&Value| m["method"] == "session/request_permission";
        all.iter().filter(asks).map(asked).collect()
    };
    let there = requests(&sent);
    for (request, content) in requests(&client.seen) {
        let is_same = |(sent, of): &(Value, Vec<Value>)| *sent == request && content.ends_with(of);
        let is_sent = there.iter().any(is_same);
        assert!(is_sent, "{shown}: {request} is none of {there:#?}");
    }
    // The trace hides what looks like a secret.
    let recorded = messages(recording, "agent->client");
    for (method, answer) in answers {
        // A turn that a login is missing for, or that never ended, has an error in place of a result.
        let result = &answer["result"];
        let mut all = sent.iter().chain(&recorded);
        let is_sent = all.any(|message| message["result"] == *result);
        assert!(result.is_null() || is_sent, "{shown}: {method}: {answer}");
    }
}

#[test]
fn every_recording_reaches_the_client_as_the_agent_sent_it() {
    let recordings = recordings();
    assert!(recordings.len() >= 90, "{}", recordings.len());
    let waiting = Mutex::new(recordings.into_iter());
    std::thread::scope(|scope| {
        for _ in 0..PLAYERS {
            scope.spawn(|| {
                loop {
                    let next = waiting.lock().expect("no player has failed").next();
                    let Some(recording) = next else { break };
                    play(&recording);
                }
            });
        }
    });
}
