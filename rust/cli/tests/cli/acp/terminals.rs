//! Terminals of the client: commands of our tool and of the agent run in them, and nowhere else.

use serde_json::{Value, json};

use super::client::Client;
use crate::process::Place;

const CREATE: &str = "terminal/create";

/// The model runs a command by our tool that would leave a file behind.
fn runs(expected: &str) -> String {
    format!(
        "[[prompt]]\nstep = [{{ call = \"run_command\", arguments = {{ command = \"date > made\" }}, \
         expect_result_contains = \"{expected}\" }}, {{ say = \"Done.\" }}]\n"
    )
}

fn terminals() -> Value {
    json!({"terminal": true})
}

/// A client whose commands all do the same; what it was asked about terminals until the prompt was answered.
fn attend(
    client: &mut Client,
    prompt: u64,
    answer: impl Fn(&str) -> Option<Value>,
) -> Vec<(String, Value)> {
    let mut asked = Vec::new();
    loop {
        let message = client.next();
        if message["id"] == prompt && message.get("method").is_none() {
            return asked;
        }
        let method = message["method"].as_str().unwrap_or_default().to_owned();
        if !method.starts_with("terminal/") {
            continue;
        }
        if let Some(mut answer) = answer(&method) {
            answer["jsonrpc"] = json!("2.0");
            answer["id"] = message["id"].clone();
            client.send(&answer);
        }
        asked.push((method, message["params"].clone()));
    }
}

/// What a client says whose command put out a line and ended with 7.
fn ends(method: &str) -> Option<Value> {
    let status = json!({"exitCode": 7, "signal": null});
    Some(json!({"result": match method {
        CREATE => json!({"terminalId": "T"}),
        "terminal/wait_for_exit" => status,
        "terminal/output" => {
            json!({"output": "seen by you\n", "truncated": false, "exitStatus": status})
        }
        _ => json!({}),
    }}))
}

fn assert_expected(client: &Client) {
    let said = client.said();
    assert!(
        said.contains("Done.") && !said.contains("EXPECTATION FAILED"),
        "{said}"
    );
}

fn methods(asked: &[(String, Value)]) -> Vec<&str> {
    asked.iter().map(|(method, _)| method.as_str()).collect()
}

#[test]
fn our_command_runs_in_the_clients_terminal_and_is_shown_there() {
    let place = Place::new();
    let mut client = Client::scripted(&place, &runs("exit code 7"), &[]);
    let session = client.open_as(&place, terminals());
    let prompt = client.begin(&session, "run it");
    let asked = attend(&mut client, prompt, ends);
    assert_expected(&client);
    assert!(!place.project().join("made").exists(), "it ran here, too");
    let (_, create) = &asked[0];
    assert_eq!(create["sessionId"], session);
    assert_eq!(create["args"], json!(["-c", "date > made"]), "{create}");
    assert_eq!(create["cwd"], json!(place.project()));
    assert!(methods(&asked).contains(&"terminal/release"), "{asked:#?}");
    let terminal = json!([{"type": "terminal", "terminalId": "T"}]);
    let mut updates = client.updates("tool_call_update");
    updates.extend(client.updates("tool_call"));
    let shown = updates.iter().find(|update| update["content"] == terminal);
    let shown = shown.unwrap_or_else(|| panic!("no terminal is shown: {updates:#?}"));
    // In the model's own call, so that it is where the person looks.
    let calls = client.updates("tool_call");
    let call = calls
        .iter()
        .find(|call| call["toolCallId"] == shown["toolCallId"]);
    assert!(
        call.is_some_and(|call| call["content"] != terminal),
        "{shown}"
    );
}

#[test]
fn a_command_that_the_client_does_not_start_runs_here() {
    let place = Place::new();
    let mut client = Client::scripted(&place, &runs("exit code 0"), &[]);
    let session = client.open_as(&place, terminals());
    let prompt = client.begin(&session, "run it");
    let refused = json!({"error": {"code": -32603, "message": "no terminals today"}});
    let asked = attend(&mut client, prompt, |_| Some(refused.clone()));
    assert_expected(&client);
    assert_eq!(methods(&asked), [CREATE]);
    assert!(place.project().join("made").exists());
}

/// It may have begun there all the same.
#[test]
fn a_command_of_which_the_client_says_nothing_is_not_run_twice() {
    let nameless = || Some(json!({"result": {}}));
    for answers in [None, nameless()] {
        let place = Place::new();
        let script = "[[prompt]]\nstep = [\
                      { call = \"run_command\", arguments = { command = \"date > made\" }, \
                      expect_result_contains = \"did not say whether it started\" }, \
                      { call = \"run_command\", arguments = { command = \"date > again\" }, \
                      expect_result_contains = \"exit code 0\" }, \
                      { say = \"Done.\" }]\n";
        let mut client = Client::scripted(&place, script, &[]);
        let session = client.open_as(&place, terminals());
        let prompt = client.begin(&session, "run it");
        let asked = attend(&mut client, prompt, |_| answers.clone());
        assert_expected(&client);
        assert_eq!(methods(&asked), [CREATE], "the next one runs here unasked");
        assert!(!place.project().join("made").exists(), "it ran here, too");
        assert!(place.project().join("again").exists());
        if answers.is_none() {
            // What is reported too late is ended.
            let create = client
                .seen
                .iter()
                .find(|message| message["method"] == CREATE);
            let id = create.expect("it was asked")["id"].clone();
            client.send(&json!({"jsonrpc": "2.0", "id": id, "result": {"terminalId": "late"}}));
            for method in ["terminal/kill", "terminal/release"] {
                let params = client.reply(method, json!({}));
                assert_eq!(params["terminalId"], "late", "{method}");
                assert_eq!(params["sessionId"], session, "{method}");
            }
        }
    }
}

/// A client that says what is wanted of it, until all of it has been.
fn assert_ends(client: &mut Client, session: &str, terminal: &str) {
    for method in ["terminal/kill", "terminal/release"] {
        let about = client.until(|m| m["method"] == method);
        assert_eq!(about["params"]["terminalId"], terminal, "{about}");
        assert_eq!(about["params"]["sessionId"], session, "{about}");
    }
}

#[test]
fn what_runs_in_the_clients_terminals_ends_with_its_session() {
    for is_named_late in [false, true] {
        let place = Place::new();
        let mut client = Client::scripted(&place, &runs(""), &[]);
        let session = client.open_as(&place, terminals());
        client.begin(&session, "run it");
        let create = client.until(|message| message["method"] == CREATE);
        let made = json!({
            "jsonrpc": "2.0", "id": create["id"], "result": {"terminalId": "T"},
        });
        let close = json!({"sessionId": session});
        if is_named_late {
            let closed = client.call("session/close", close);
            assert!(closed.get("error").is_none(), "{closed}");
            client.send(&made);
        } else {
            client.send(&made);
            client.until(|message| message["method"] == "terminal/wait_for_exit");
            client.request("session/close", close);
        }
        assert_ends(&mut client, &session, "T");
    }
}

#[test]
fn a_terminal_whose_end_the_client_does_not_tell_is_no_command_that_has_ended() {
    let place = Place::new();
    let mut client = Client::scripted(&place, &runs("exit code 7"), &[]);
    let session = client.open_as(&place, terminals());
    let prompt = client.begin(&session, "run it");
    let n_looks = std::cell::Cell::new(0);
    attend(&mut client, prompt, |method| match method {
        "terminal/wait_for_exit" => Some(json!({"error": {"code": -32603, "message": "busy"}})),
        "terminal/output" => {
            n_looks.set(n_looks.get() + 1);
            let mut answer = ends(method)?;
            if n_looks.get() < 3 {
                answer["result"]["exitStatus"] = Value::Null;
            }
            Some(answer)
        }
        method => ends(method),
    });
    assert_expected(&client);

    let place = Place::new();
    let script = runs("does not say any more what becomes of the command");
    let mut client = Client::scripted(&place, &script, &[]);
    let session = client.open_as(&place, terminals());
    let prompt = client.begin(&session, "run it");
    let asked = attend(&mut client, prompt, |method| match method {
        "terminal/wait_for_exit" | "terminal/output" => {
            Some(json!({"error": {"code": -32603, "message": "which terminal?"}}))
        }
        method => ends(method),
    });
    assert_expected(&client);
    assert!(methods(&asked).contains(&"terminal/kill"), "{asked:#?}");
}

#[test]
fn a_cancel_ends_the_command_in_the_clients_terminal() {
    let place = Place::new();
    let mut client = Client::scripted(&place, &runs(""), &[]);
    let session = client.open_as(&place, terminals());
    let prompt = client.begin(&session, "run it");
    client.reply(CREATE, json!({"terminalId": "T"}));
    client.until(|message| message["method"] == "terminal/wait_for_exit");
    client.notify("session/cancel", json!({"sessionId": session}));
    let (mut is_killed, mut answer) = (false, Value::Null);
    while !is_killed || answer.is_null() {
        let message = client.next();
        is_killed |= message["method"] == "terminal/kill";
        if message["id"] == prompt && message.get("method").is_none() {
            answer = message;
        }
    }
    assert_eq!(answer["result"]["stopReason"], "cancelled", "{answer}");
}

#[test]
fn an_agents_own_terminals_are_the_clients_once_they_are_allowed() {
    let script = "shape = \"fast-agent\"\nreally = true\n[[prompt]]\nstep = [\
                  { shell = \"date > made\", expect_result_contains = \"seen by you\" }, \
                  { say = \"Done.\" }]\n";
    for (takes, expected) in [("allow_once", 4), ("reject_once", 0)] {
        let place = Place::new();
        let file = place.path("script.toml");
        let script = match takes {
            "allow_once" => script.to_owned(),
            _ => script.replace(
                "expect_result_contains = \"seen by you\"",
                "expect = \"denied\"",
            ),
        };
        std::fs::write(&file, script).expect("written");
        let siderail = env!("CARGO_BIN_EXE_siderail");
        let agent = format!("'{siderail}' scripted-agent --script '{}'", file.display());
        let mut client = Client::of_agent(&place, "fast-agent", &agent, &["--hide", "off"]);
        client.takes = Some(takes);
        let session = client.open_as(&place, terminals());
        let prompt = client.begin(&session, "run it");
        let asked = attend(&mut client, prompt, ends);
        assert_expected(&client);
        assert_eq!(asked.len(), expected, "{asked:#?}");
        if let Some((_, create)) = asked.first() {
            assert_eq!(create["sessionId"], session);
            assert_eq!(create["cwd"], json!(place.project()));
        }
        assert!(!place.project().join("made").exists(), "it ran here, too");
    }
}

#[test]
fn an_agents_own_terminals_at_the_client_end_with_its_turn_and_its_session() {
    let script = "shape = \"fast-agent\"\nreally = true\n[[prompt]]\nstep = [\
                  { shell = \"date > made\" }, { say = \"Done.\" }]\n";
    for ends_session in [false, true] {
        let place = Place::new();
        let file = place.path("script.toml");
        std::fs::write(&file, script).expect("written");
        let siderail = env!("CARGO_BIN_EXE_siderail");
        let agent = format!("'{siderail}' scripted-agent --script '{}'", file.display());
        let mut client = Client::of_agent(&place, "fast-agent", &agent, &["--hide", "off"]);
        let session = client.open_as(&place, terminals());
        client.begin(&session, "run it");
        client.reply(CREATE, json!({"terminalId": "T"}));
        client.until(|message| message["method"] == "terminal/wait_for_exit");
        let of = json!({"sessionId": session});
        match ends_session {
            true => drop(client.request("session/close", of)),
            false => client.notify("session/cancel", of),
        }
        let killed = client.until(|message| message["method"] == "terminal/kill");
        assert_eq!(killed["params"]["terminalId"], "T", "{killed}");
        if ends_session {
            let released = client.until(|message| message["method"] == "terminal/release");
            assert_eq!(released["params"]["terminalId"], "T", "{released}");
        }
    }
}
