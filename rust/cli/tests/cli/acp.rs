//! `siderail acp`: any ACP client has the guard between it and an agent.

mod campaign;
mod client;
mod config;
mod faults;
mod files;
mod questions;
mod terminals;
mod transparency;

pub(crate) use client::{Client, hello};
use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::process::Place;

const EDITS: &str = r#"
[[prompt]]
step = [
  { edit = "a.txt", old = "1", new = "2", expect_result_contains = "intellij_write_file" },
  { call = "intellij_write_file", arguments = { path = "a.txt", old_text = "1", new_text = "2" } },
  { say = "Done." },
]
"#;

#[test]
fn a_denied_edit_is_a_failed_call_that_says_what_the_model_was_told_and_the_model_goes_on() {
    let place = Place::new();
    std::fs::write(place.project().join("a.txt"), "1\n").expect("written");
    let mut client = Client::scripted(&place, EDITS, &["--hide", "off"]);
    let session = client.open(&place);
    let answer = client.prompt(&session, "set it to 2");
    assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
    let text = std::fs::read_to_string(place.project().join("a.txt")).expect("there");
    assert_eq!(text, "2\n");
    assert!(client.said().contains("Done."), "{:#?}", client.seen);
    assert!(
        !client.said().contains("EXPECTATION FAILED"),
        "{}",
        client.said()
    );
    let ours = |update: &Value| update.to_string().contains("The model was told: ");
    let mut calls = client.updates("tool_call_update");
    calls.extend(client.updates("tool_call"));
    let told = calls.iter().find(|update| ours(update));
    let told = told.unwrap_or_else(|| panic!("nothing says so: {:#?}", client.seen));
    assert_eq!(told["status"], "failed");
    assert!(told.to_string().contains("intellij_write_file"), "{told}");
    let failed = calls.iter().filter(|update| update["status"] == "failed");
    let ids: BTreeSet<_> = failed
        .map(|update| &update["toolCallId"])
        .map(Value::to_string)
        .collect();
    assert_eq!(
        ids.len(),
        1,
        "one denied call is one failed call: {calls:#?}"
    );
    assert_eq!(client.asked(), Vec::<Value>::new());
    assert_eq!(client.close(), Some(0));
}

#[test]
fn what_the_policy_asks_is_asked_by_the_client_and_its_no_is_the_agents() {
    let runs = "[[prompt]]\nstep = [{ shell = \"date > new.txt\", description = \"Time\" }]\n";
    for (kind, ran) in [("allow_once", true), ("reject_once", false)] {
        let place = Place::new();
        let mut client = Client::scripted(&place, runs, &["--hide", "off"]);
        client.takes = Some(kind);
        let session = client.open(&place);
        client.prompt(&session, "run it");
        let asked = client.asked();
        assert_eq!(asked.len(), 1, "{:#?}", client.seen);
        assert_eq!(asked[0]["sessionId"], session);
        assert!(
            asked[0].to_string().contains("date > new.txt"),
            "{}",
            asked[0]
        );
        assert_eq!(place.project().join("new.txt").exists(), ran, "{kind}");
    }
}

#[test]
fn members_and_kinds_that_nobody_knows_pass_in_both_directions() {
    let update = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${session}","update":{"sessionUpdate":"unheard_of","x":[1.0,{"b":2,"a":1}]},"_meta":{"k":"v"}},"more":1}"#;
    let notified = r#"{"jsonrpc":"2.0","method":"_ext/told","params":{"sessionId":"${session}"}}"#;
    let script = format!(
        "[[prompt]]\nstep = [{{ send = '{update}' }}, {{ send = '{notified}' }}, \
         {{ request = \"_ext/ask\", params = {{ q = 1 }}, expect_seen_contains = \"forty-two\" }}]\n"
    );
    let place = Place::new();
    let mut client = Client::scripted(&place, &script, &[]);
    let session = client.open(&place);
    let prompt = json!([{"type": "text", "text": "hi"}]);
    let id = client.request(
        "session/prompt",
        json!({"sessionId": session, "prompt": prompt}),
    );
    let asked = client.until(|message| message["method"] == "_ext/ask");
    assert_eq!(asked["params"], json!({"q": 1}));
    client.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"is": "forty-two"}}));
    client.answer(id);
    assert!(
        !client.said().contains("EXPECTATION FAILED"),
        "{}",
        client.said()
    );
    let expected: Value =
        serde_json::from_str(&update.replace("${session}", &session)).expect("JSON");
    assert!(client.seen.contains(&expected), "{:#?}", client.seen);
    let told = client
        .seen
        .iter()
        .any(|message| message["method"] == "_ext/told");
    assert!(told, "{:#?}", client.seen);
    let answer = client.call("_ext/unknown", json!({"sessionId": session}));
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
}

#[test]
fn malformed_messages_and_unknown_sessions_are_answered_and_the_connection_lives() {
    let place = Place::new();
    let mut client = Client::scripted(&place, "[[prompt]]\nstep = [{ say = \"Hello.\" }]\n", &[]);
    let early = client.call("session/new", json!({"cwd": "/", "mcpServers": []}));
    assert_eq!(early["error"]["code"], -32600, "{early}");
    let session = client.open(&place);
    client.send_line("{\"jsonrpc\": \"2.0\", oops");
    let answer = client.until(|message| message["id"].is_null() && message.get("method").is_none());
    assert_eq!(answer["error"]["code"], -32700, "{answer}");
    for (line, id) in [
        (r#"{"jsonrpc": "2.0", "id": 71, "method": 5}"#, json!(71)),
        (r#"{"jsonrpc": "2.0", "id": "x"}"#, json!("x")),
        (
            r#"[{"jsonrpc": "2.0", "id": 72, "method": "m"}]"#,
            Value::Null,
        ),
        ("7", Value::Null),
    ] {
        client.send_line(line);
        let answer = client.until(|message| message.get("error").is_some());
        assert_eq!(answer["error"]["code"], -32600, "{line}: {answer}");
        assert_eq!(answer["id"], id, "{line}: {answer}");
    }
    for (method, params) in [
        (
            "session/prompt",
            json!({"sessionId": "other", "prompt": []}),
        ),
        ("session/prompt", json!({"sessionId": session})),
        ("session/prompt", json!([1])),
        ("session/set_mode", json!({"sessionId": 7, "modeId": "x"})),
        ("session/new", json!({"cwd": "relative", "mcpServers": []})),
        (
            "session/new",
            json!({"cwd": place.project(), "mcpServers": "none"}),
        ),
        (
            "session/new",
            json!({"cwd": "/nowhere/at/all", "mcpServers": []}),
        ),
        (
            "session/load",
            json!({"cwd": place.project(), "mcpServers": []}),
        ),
    ] {
        let answer = client.call(method, params);
        assert_eq!(answer["error"]["code"], -32602, "{method}: {answer}");
    }
    let answer = client.prompt(&session, "hi");
    assert_eq!(answer["result"]["stopReason"], "end_turn");
    assert!(client.said().contains("Hello."));
}

#[test]
fn an_agent_that_is_missing_or_dies_is_told_with_what_to_do() {
    let place = Place::new();
    let mut client = Client::of_agent(&place, "mine", "/nowhere/agent --acp", &[]);
    let answer = client.call("initialize", hello());
    let text = answer["error"]["message"].as_str().expect("an error");
    assert!(text.contains("/nowhere/agent"), "{text}");
    assert!(text.contains("check the agent's command"), "{text}");
    let dies = "[[prompt]]\nstep = [{ say = \"Now.\" }, { fault = \"exit=3\" }]\n";
    let mut client = Client::scripted(&place, dies, &[]);
    let session = client.open(&place);
    let answer = client.prompt(&session, "die");
    let text = answer["error"]["message"].as_str().expect("an error");
    assert!(
        text.contains("the agent ended unexpectedly (exited with code 3)"),
        "{text}"
    );
    // Unknown once the process is seen to be gone; until then the error is that of its end.
    let answer = client.prompt(&session, "again");
    let code = answer["error"]["code"].as_i64();
    assert!(matches!(code, Some(-32602 | -32603)), "{answer}");
    // The next session gets a process of its own.
    let again = client.open_in(place.project());
    assert!(!again.is_empty());
    assert_eq!(client.close(), Some(0));
}

#[test]
#[cfg(unix)]
fn an_agent_that_is_killed_is_told_with_the_signal() {
    let place = Place::new();
    let dies = "[[prompt]]\nstep = [{ say = \"Now.\" }, { fault = \"kill\" }]\n";
    let mut client = Client::scripted(&place, dies, &[]);
    let session = client.open(&place);
    let answer = client.prompt(&session, "die");
    let text = answer["error"]["message"].as_str().expect("an error");
    assert!(
        text.contains("the agent ended unexpectedly (killed by signal 9)"),
        "{text}"
    );
}

#[test]
fn a_cancel_ends_the_turn_and_the_questions_of_it() {
    let place = Place::new();
    let runs = "[[prompt]]\nstep = [{ shell = \"date\" }, { sleep = 600.0 }]\n[[prompt]]\nstep = [{ say = \"Still here.\" }]\n";
    let mut client = Client::scripted(&place, runs, &["--hide", "off"]);
    client.takes = None;
    let session = client.open(&place);
    let prompt = json!([{"type": "text", "text": "run"}]);
    let id = client.request(
        "session/prompt",
        json!({"sessionId": session, "prompt": prompt}),
    );
    let asked = client.until(|message| message["method"] == "session/request_permission");
    client.notify("session/cancel", json!({"sessionId": session}));
    let closed = client.until(|message| message["method"] == "$/cancel_request");
    assert_eq!(closed["params"]["requestId"], asked["id"]);
    let answer = client.answer(id);
    assert_eq!(answer["result"]["stopReason"], "cancelled", "{answer}");
    client.prompt(&session, "and now?");
    assert!(client.said().contains("Still here."));
}

#[test]
fn sessions_of_one_connection_have_processes_and_ids_of_their_own() {
    let place = Place::new();
    let other = place.path("other");
    std::fs::create_dir(&other).expect("made");
    let says = "[[prompt]]\nstep = [{ say = \"one of ${cwd} \" }]\n";
    let mut client = Client::scripted(&place, says, &[]);
    let first = client.open(&place);
    let second = client.open_in(place.project());
    let third = client.open_in(other);
    assert!(
        first != second && second != third,
        "{first} {second} {third}"
    );
    for session in [&first, &second, &third] {
        let before = client.seen.len();
        client.prompt(session, "who");
        let mut said = client.seen[before..].iter();
        let chunk = said.find(|m| m["params"]["update"]["sessionUpdate"] == "agent_message_chunk");
        assert_eq!(chunk.expect("it says so")["params"]["sessionId"], **session);
    }
    let closed = client.call("session/close", json!({"sessionId": second}));
    assert!(closed["result"].is_object(), "{closed}");
    let gone = client.prompt(&second, "who");
    assert_eq!(gone["error"]["code"], -32602, "{gone}");
    assert!(client.prompt(&first, "still?")["result"].is_object());
    assert_eq!(client.close(), Some(0));
}

#[test]
fn images_resources_and_meta_of_a_prompt_reach_the_agent() {
    let place = Place::new();
    let trace = place.path("trace.jsonl");
    let events = place.path("events.jsonl");
    let mut client = Client::scripted(
        &place,
        "[[prompt]]\nstep = [{ say = \"Seen.\" }]\n",
        &[
            "--trace",
            trace.to_str().expect("text"),
            "--json-log",
            events.to_str().expect("text"),
        ],
    );
    let session = client.open(&place);
    let prompt = json!([
        {"type": "text", "text": "What is this?", "annotations": {"priority": 0.5}},
        {"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="},
        {"type": "resource", "resource": {"uri": "file:///a.txt", "text": "inside"}},
    ]);
    let params = json!({"sessionId": session, "prompt": prompt, "_meta": {"from": "here"}});
    client.call("session/prompt", params);
    client.close();
    let traffic = std::fs::read_to_string(trace).expect("a trace");
    let sent = traffic
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let mut sent = sent.map(|line| line["msg"].clone());
    let sent = sent
        .find(|message| message["method"] == "session/prompt")
        .expect("it was sent");
    assert_eq!(sent["params"]["prompt"], prompt);
    assert_eq!(sent["params"]["_meta"], json!({"from": "here"}));
    let events = std::fs::read_to_string(events).expect("a log");
    assert!(
        events.contains("\"TURN_STARTED\"") && events.contains("\"SUMMARY\""),
        "{events}"
    );
}

/// Where an agent is gone for good once its client is.
#[test]
fn the_agent_ends_with_its_client() {
    let place = Place::new();
    let waits = "[[prompt]]\nstep = [{ say = \"Wait.\" }, { sleep = 600.0 }]\n";
    let mut client = Client::scripted(&place, waits, &[]);
    let session = client.open(&place);
    let prompt = json!([{"type": "text", "text": "wait"}]);
    client.request(
        "session/prompt",
        json!({"sessionId": session, "prompt": prompt}),
    );
    client.until(|message| message["method"] == "session/update");
    assert_eq!(client.close(), Some(0));
    let script = place.path("script.toml");
    super::run::assert_none_left(script.to_str().expect("text"));
}

#[test]
fn escalations_are_notices_where_the_client_takes_them_and_messages_elsewhere() {
    let edit = "{ edit = \"a.txt\", old = \"1\", new = \"2\", expect = \"denied\" }";
    let script = format!("[[prompt]]\nstep = [{edit}, {edit}, {edit}, {{ say = \"Done.\" }}]\n");
    for notices in [true, false] {
        let place = Place::new();
        std::fs::write(place.project().join("a.txt"), "1\n").expect("written");
        let mut client = Client::scripted(&place, &script, &["--hide", "off"]);
        let capabilities = match notices {
            true => json!({"session": {"notices": {}}}),
            false => json!({}),
        };
        let session = client.open_as(&place, capabilities);
        client.prompt(&session, "set it to 2");
        let told = client.updates("notice");
        assert_eq!(told.is_empty(), !notices, "{told:#?}");
        if let Some(told) = told.first() {
            assert_eq!(told["severity"], "warning");
            let text = told["description"].as_str().expect("a text");
            assert!(text.contains("was denied 2 times"), "{told}");
        }
        let said = client.said().contains("**Denied again and again:**");
        assert_eq!(said, !notices, "{}", client.said());
    }
}

#[test]
fn what_ran_although_nobody_was_asked_is_told_to_the_person_in_the_client() {
    let place = Place::new();
    let script = "shape = \"codex\"\n[[prompt]]\nstep = [{ edit = \"a.txt\", old = \"1\", new = \"2\", ask = false }]\n";
    let file = place.path("script.toml");
    std::fs::write(&file, script).expect("written");
    let siderail = env!("CARGO_BIN_EXE_siderail");
    let agent = format!("'{siderail}' scripted-agent --script '{}'", file.display());
    let more = ["--hide", "off", "--agent-env", crate::recipes::UNTRUSTED];
    let mut client = Client::of_agent(&place, "codex", &agent, &more);
    let session = client.open(&place);
    client.prompt(&session, "set it to 2");
    assert!(
        client.said().contains("**Unguarded:**"),
        "{}",
        client.said()
    );
}

#[test]
fn options_that_last_are_left_out_for_what_is_dangerous_and_names_say_what_they_do() {
    let asks = |id: &str, command: &str| {
        format!(
            "{{ request = \"session/request_permission\", params = {{ sessionId = \"${{session}}\", \
             toolCall = {{ toolCallId = \"{id}\", kind = \"execute\", title = \"{command}\", \
             rawInput = {{ command = \"{command}\" }} }}, options = [ \
             {{ optionId = \"a\", name = \"No, never\", kind = \"allow_once\" }}, \
             {{ optionId = \"b\", name = \"Allow once\", kind = \"allow_always\" }}, \
             {{ optionId = \"c\", name = \"Yes\", kind = \"reject_once\" }} ] }} }}"
        )
    };
    let (harmless, dangerous) = (asks("x", "date > new.txt"), asks("y", "rm -rf /opt/theirs"));
    let script = format!("[[prompt]]\nstep = [{harmless}, {dangerous}]\n");
    let place = Place::new();
    let mut client = Client::scripted(&place, &script, &["--hide", "off"]);
    client.takes = Some("reject_once");
    let session = client.open(&place);
    client.prompt(&session, "run it");
    let asked = client.asked();
    let names = |asked: &Value| -> Vec<(String, String)> {
        let options = asked["options"].as_array().expect("options").iter();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        options
            .map(|o| (text(&o["optionId"]), text(&o["name"])))
            .collect()
    };
    let own = |id: &str, name: &str| (id.to_owned(), name.to_owned());
    let all = [
        own("a", "Allow once"),
        own("b", "Always allow"),
        own("c", "Reject"),
    ];
    assert_eq!(asked.len(), 2, "{:#?}", client.seen);
    assert_eq!(names(&asked[0]), all);
    assert_eq!(names(&asked[1]), [all[0].clone(), all[2].clone()]);
    let warned = asked[1]["toolCall"]["content"].to_string();
    assert!(warned.contains("/opt/theirs"), "{warned}");
}
