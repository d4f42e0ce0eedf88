//! Clients that lie, flood, or do not read: nothing of the agent's work is lost, and nothing is stuck.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use super::client::{Client, hello};
use crate::process::{Place, wait};

const RUNS: &str = "[[prompt]]\nstep = [{ shell = \"date > new.txt\", description = \"Time\" }, \
                    { say = \"Still here.\" }]\n[[prompt]]\nstep = [{ say = \"And again.\" }]\n";

#[test]
fn an_answer_that_is_none_allows_nothing_and_the_turn_goes_on() {
    let answers = [
        json!({"result": {"outcome": {"outcome": "selected", "optionId": "never-offered"}}}),
        json!({"result": {"outcome": {"outcome": "selected"}}}),
        json!({"result": {"outcome": "allow_once"}}),
        json!({"result": null}),
        json!({"result": [true]}),
        json!({"error": {"code": 1, "message": "no idea"}}),
    ];
    for answer in answers {
        let place = Place::new();
        let mut client = Client::scripted(&place, RUNS, &["--hide", "off"]);
        client.takes = None;
        let session = client.open(&place);
        let prompt = client.begin(&session, "run it");
        let asked = client.until(|message| message["method"] == "session/request_permission");
        let mut said = answer.clone();
        said["jsonrpc"] = json!("2.0");
        said["id"] = asked["id"].clone();
        client.send(&said);
        // Said twice, and to what nobody asked.
        let options = asked["params"]["options"].as_array().expect("options");
        let allows = options.iter().find(|option| option["kind"] == "allow_once");
        let id = &allows.expect("an option")["optionId"];
        let yes = json!({"outcome": {"outcome": "selected", "optionId": id}});
        for id in [asked["id"].clone(), json!(4_711), json!("x"), json!(null)] {
            client.send(&json!({"jsonrpc": "2.0", "id": id, "result": yes}));
        }
        client.answer(prompt);
        assert!(!place.project().join("new.txt").exists(), "{answer}");
        client.prompt(&session, "and now?");
        assert!(client.said().contains("And again."), "{answer}");
        assert_eq!(client.close(), Some(0));
    }
}

#[test]
fn a_flood_of_requests_and_nonsense_is_answered_one_by_one() {
    const ROUNDS: u64 = 2_000;
    let place = Place::new();
    let mut client = Client::scripted(&place, RUNS, &["--hide", "off"]);
    let session = client.open(&place);
    let prompt = client.begin(&session, "run it");
    let mut requests = Vec::new();
    for round in 0..ROUNDS {
        let params = match round % 3 {
            0 => json!({"sessionId": session}),
            1 => json!({"sessionId": "nobody's"}),
            _ => json!({}),
        };
        requests.push(client.request("_flood/ask", params));
        client.notify("_flood/tell", json!({"sessionId": session}));
        client.send_line("{\"jsonrpc\": oops");
        client.send(&json!({"jsonrpc": "2.0", "id": 900_000 + round, "result": {}}));
    }
    let mut answered: HashMap<u64, u32> = HashMap::new();
    let mut n_parse_errors = 0;
    let mut is_over = false;
    for message in client.seen.clone() {
        is_over |= message["id"] == prompt && message.get("method").is_none();
    }
    while answered.len() < requests.len() || n_parse_errors < ROUNDS || !is_over {
        let message = client.next();
        if message.get("method").is_some() {
            continue;
        }
        match message["id"].as_u64() {
            Some(id) if id == prompt => is_over = true,
            Some(id) => *answered.entry(id).or_default() += 1,
            None => n_parse_errors += u64::from(message["error"]["code"] == -32700),
        }
    }
    assert!(requests.iter().all(|id| answered.get(id) == Some(&1)));
    assert!(client.said().contains("Still here."), "{}", client.said());
    assert_eq!(client.close(), Some(0));
}

#[test]
fn a_client_that_does_not_read_for_a_while_gets_everything_in_order() {
    const CHUNKS: usize = 100_000;
    let place = Place::new();
    let script = place.path("script.toml");
    let floods = format!("shape = \"copilot\"\n[[prompt]]\nstep = [{{ flood = {CHUNKS} }}]\n");
    std::fs::write(&script, floods).expect("written");
    let siderail = env!("CARGO_BIN_EXE_siderail");
    let agent = format!(
        "'{siderail}' scripted-agent --script '{}'",
        script.display()
    );
    let words = ["acp", "--agent", "copilot", "--agent-command", &agent];
    let mut child = place
        .siderail(&words)
        .stdin(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = child.stdin.take().expect("an input");
    let output = child.stdout.take().expect("an output");
    let mut lines = BufReader::new(output).lines().map(|line| {
        let line = line.expect("a line");
        serde_json::from_str::<Value>(&line).expect("JSON")
    });
    let mut ask = |id: u64, method: &str, params: Value| {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(input, "{message}").expect("it reads");
    };
    ask(1, "initialize", hello());
    let folder = place.project();
    ask(2, "session/new", json!({"cwd": folder, "mcpServers": []}));
    let opened = lines.find(|message| message["id"] == 2).expect("an answer");
    let prompt = json!([{"type": "text", "text": "flood"}]);
    let session = &opened["result"]["sessionId"];
    ask(
        3,
        "session/prompt",
        json!({"sessionId": session, "prompt": prompt}),
    );
    std::thread::sleep(Duration::from_secs(3));
    let mut n_chunks = 0;
    for message in lines.by_ref() {
        if message["id"] == 3 {
            assert_eq!(message["result"]["stopReason"], "end_turn", "{message}");
            break;
        }
        let text = message["params"]["update"]["content"]["text"].as_str();
        if let Some(number) = text.and_then(|text| text.strip_prefix("n:")) {
            n_chunks += 1;
            assert_eq!(number, n_chunks.to_string(), "in order, once each");
        }
    }
    assert_eq!(n_chunks, CHUNKS);
    drop(input);
    assert_eq!(wait(&mut child), Some(0));
}
