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
    // In the model's own call, so that it stands where the person looks.
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
    for silent in [false, true] {
        let place = Place::new();
        let mut client = Client::scripted(&place, &runs("exit code 0"), &[]);
        let session = client.open_as(&place, terminals());
        let prompt = client.begin(&session, "run it");
        let refused = json!({"error": {"code": -32603, "message": "no terminals today"}});
        let asked = attend(&mut client, prompt, |_| (!silent).then(|| refused.clone()));
        assert_expected(&client);
        assert_eq!(methods(&asked), [CREATE]);
        assert!(place.project().join("made").exists());
    }
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
