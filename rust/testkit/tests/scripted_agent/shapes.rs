//! Each shape against the recordings of its agent: the same members, the same options, the same ends.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use siderail_testkit::shape::NAMES as SHAPES;

use crate::client::{Client, Rule, Start};

/// The calls of the recorded scenarios `allow` and `deny`.
const BUILT_IN: &str = r#"
    { read = "src/App.java" },
    { edit = "src/App.java", old = "int x = 1;", new = "int x = 2;" },
    { create = "src/New.java", content = "class New {}\n" },
    { shell = "cat src/App.java", description = "show the file" CAT },
    { shell = "./gradlew test", description = "run the tests" },
"#;
const OWN: &str = r#"
    { call = "intellij_read_file", arguments = { path = "src/App.java" } },
    { call = "intellij_write_file", arguments = { path = "src/App.java", content = "class App {}\n" } },
    { call = "intellij_run_tests", arguments = { target = "AppTest" } },
"#;
const OPENCODE_CONFIG: &str = r#"{"permission": {"edit": "ask", "bash": "ask", "read": "ask",
    "intellij-code-tools_*": "ask"}}"#;

/// Starts a shape in the mode of its recordings.
fn start(shape: &str, steps: &str) -> Client {
    // The recorded Codex wanted to leave its sandbox for this command, fast-agent has no edit tool.
    let steps = steps.replace("CAT", if shape == "codex" { ", ask = true" } else { "" });
    let edit = steps
        .lines()
        .filter(|line| shape != "fast-agent" || !line.contains("edit ="));
    let steps: String = edit.collect();
    let script = format!("[[prompt]]\nresume = true\nstep = [{steps} {{ say = \"done\" }}]");
    let start = Start::new(shape, &script)
        .env("OPENCODE_CONFIG_CONTENT", OPENCODE_CONFIG)
        .env("INITIAL_AGENT_MODE", "read-only");
    let start = if shape == "copilot" {
        start.with_copilot_server()
    } else {
        start
    };
    let mut client = start.spawn();
    client.open();
    match shape {
        "qwen" => client.set_mode("default"),
        "vibe" => client.set_mode("ask"),
        _ => {}
    }
    client
}

fn recording(shape: &str, scenario: &str) -> Vec<Value> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/recordings");
    let path = root.join(shape).join(format!("{scenario}.acp.jsonl"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let entries = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    entries
        .filter(|entry| entry["dir"] == "agent->client")
        .map(|mut entry| entry["msg"].take())
        .collect()
}

fn with_method<'m>(messages: &'m [Value], method: &str) -> Vec<&'m Value> {
    messages
        .iter()
        .filter(|message| message["method"] == method)
        .collect()
}

/// Names of all members, with `[]` for elements of lists and `<path>` for names that are paths.
fn members(value: &Value, at: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(entries) => {
            for (name, value) in entries.iter().filter(|(name, _)| *name != "_rig_cut") {
                let name = if name.starts_with('/') {
                    "<path>"
                } else {
                    name
                };
                let at = format!("{at}.{name}");
                found.insert(at.clone());
                members(value, &at, found);
            }
        }
        Value::Array(items) => items
            .iter()
            .for_each(|item| members(item, &format!("{at}[]"), found)),
        _ => {}
    }
}

fn shape_of(request: &Value) -> (BTreeSet<String>, Vec<(Value, Value)>, Value) {
    let params = &request["params"];
    let mut found = BTreeSet::new();
    members(params, "", &mut found);
    let option = |option: &Value| (option["optionId"].clone(), option["kind"].clone());
    let options = params["options"]
        .as_array()
        .expect("options")
        .iter()
        .map(option)
        .collect();
    (found, options, params["toolCall"]["kind"].clone())
}

#[test]
fn every_permission_request_has_the_members_and_options_of_the_recorded_one() {
    for shape in SHAPES {
        let mut client = start(shape, &format!("{BUILT_IN}{OWN}"));
        assert_eq!(client.prompt("go"), "end_turn", "{shape}");
        let recorded = recording(shape, "allow");
        let recorded = with_method(&recorded, "session/request_permission");
        let ours = client.seen_with("session/request_permission");
        assert_eq!(ours.len(), recorded.len(), "{shape}: {ours:#?}");
        for (ours, recorded) in ours.iter().zip(recorded) {
            assert_eq!(shape_of(ours), shape_of(recorded), "{shape}: {ours:#}");
        }
    }
}

#[test]
fn announcements_name_the_same_calls_with_the_same_members() {
    // Codex and codex-zed announce a reading command as a read; the scripted shape does not parse
    // commands.
    for shape in SHAPES.iter().filter(|shape| !shape.starts_with("codex")) {
        let mut client = start(shape, &format!("{BUILT_IN}{OWN}"));
        client.prompt("go");
        let announced = |messages: &[Value]| -> Vec<BTreeSet<String>> {
            let updates = with_method(messages, "session/update").into_iter();
            let updates = updates.map(|message| &message["params"]["update"]);
            let calls = updates.filter(|update| update["sessionUpdate"] == "tool_call");
            let names = |update: &Value| {
                let mut found = BTreeSet::new();
                members(update, "", &mut found);
                found
            };
            calls.map(names).collect()
        };
        assert_eq!(
            announced(&client.seen),
            announced(&recording(shape, "allow")),
            "{shape}"
        );
    }
}

#[test]
fn a_reject_ends_the_turn_exactly_where_it_ended_for_the_recorded_agent() {
    for shape in SHAPES {
        let mut client = start(shape, BUILT_IN);
        client.rule = Rule::Reject;
        let stops = |messages: &[Value]| -> Vec<String> {
            let stop =
                |message: &Value| message["result"]["stopReason"].as_str().map(str::to_owned);
            messages.iter().filter_map(stop).collect()
        };
        let recorded = stops(&recording(shape, "deny"));
        for number in 0..recorded.len() {
            client.prompt(&format!("part {number}"));
        }
        assert_eq!(stops(&client.seen), recorded, "{shape}");
        let failed = client.updates("tool_call_update");
        let failed = failed
            .iter()
            .filter(|update| update["status"] == "failed")
            .count();
        // Gemini's one failed update is the creation of a file that could not be read before.
        let silent = ["codex", "codex-zed", "gemini"].contains(&shape);
        assert_eq!(
            failed > usize::from(shape == "gemini"),
            !silent,
            "{shape}: {failed} failed"
        );
        assert!(
            client.shown("rejected").iter().all(|text| !text.is_empty()),
            "{shape}"
        );
    }
}

#[test]
fn the_model_reads_each_agents_own_words_after_a_reject() {
    let texts = [
        ("copilot", "The user rejected this tool call."),
        ("claude", "User refused permission to run tool"),
        ("codex", "aborted by user"),
        ("codex-zed", "aborted by user"),
        (
            "gemini",
            "Tool \"run_shell_command\" was canceled by the user.",
        ),
        (
            "qwen",
            "Tool \"run_shell_command\" was canceled by the user.",
        ),
        (
            "opencode",
            "The user rejected permission to use this specific tool call.",
        ),
        ("vibe", "Tool execution denied by approval callback"),
        ("openhands", "Action rejected: User rejected the action."),
        (
            "fast-agent",
            "declined permission to use this tool: acp_terminal__execute",
        ),
    ];
    for (shape, expected) in texts {
        let mut client = start(shape, "{ shell = \"./gradlew test\" },");
        client.rule = Rule::Reject;
        client.prompt("one");
        // Where the turn ended, the text is read with the next prompt.
        client.prompt("two");
        let shown = client.shown("rejected");
        assert!(
            matches!(&shown[..], [text] if text.contains(expected)),
            "{shape}: {shown:?}"
        );
    }
}

#[test]
fn a_rejected_own_tool_ends_a_turn_of_codex_no_more() {
    for (shape, ends) in [
        ("codex", "end_turn"),
        ("codex-zed", "end_turn"),
        ("copilot", "end_turn"),
    ] {
        let mut client = start(shape, OWN);
        client.rule = Rule::Reject;
        assert_eq!(client.prompt("go"), ends, "{shape}");
        let done = client.updates("agent_message_chunk");
        let done = done
            .iter()
            .any(|update| update["content"]["text"] == "done");
        assert_eq!(done, shape != "copilot", "{shape}");
    }
}

#[test]
fn a_cancel_ends_the_turn_and_leaves_the_session_usable() {
    for shape in SHAPES {
        let mut client = start(shape, "{ shell = \"./gradlew test\" },");
        client.rule = Rule::Silent;
        let id = client.send_request("session/prompt", client.prompt_params("go"));
        let asked = client.serve_until(|message| message["method"] == "session/request_permission");
        client.notify("session/cancel");
        let hangs = ["gemini", "vibe"].contains(&shape);
        let is_answer = |message: &Value| message.get("method").is_none() && message["id"] == id;
        if hangs {
            let early = client.next_within(Duration::from_millis(300));
            assert!(early.is_none(), "{shape} waits for the answer: {early:?}");
        }
        client.respond(
            &asked,
            "result",
            json!({"outcome": {"outcome": "cancelled"}}),
        );
        let answer = client.serve_until(is_answer);
        let expected = if shape == "openhands" {
            "end_turn"
        } else {
            "cancelled"
        };
        assert_eq!(answer["result"]["stopReason"], expected, "{shape}");
        let withdrawn = client.seen_with("$/cancel_request").len();
        assert_eq!(
            withdrawn,
            usize::from(["claude", "codex"].contains(&shape)),
            "{shape}"
        );
        assert_eq!(client.prompt("again"), "end_turn", "{shape}");
    }
}

#[test]
fn the_end_of_stdin_ends_those_agents_that_it_ended() {
    for shape in SHAPES {
        let mut client = start(shape, "");
        let stays = ["gemini", "codex-zed", "openhands"].contains(&shape);
        let limit = Duration::from_secs(if stays { 1 } else { 20 });
        assert_eq!(
            client.close(limit),
            if stays { None } else { Some(0) },
            "{shape}"
        );
    }
}

#[test]
fn a_second_prompt_does_what_it_did_to_the_recorded_agent() {
    let cases = [
        ("copilot", "cancelled", Some("end_turn")),
        ("claude", "end_turn", Some("end_turn")),
        ("codex-zed", "cancelled", None),
        ("opencode", "end_turn", Some("end_turn")),
    ];
    for (shape, first, second) in cases {
        let mut client = start(shape, "{ shell = \"./gradlew test\" },");
        client.rule = Rule::Silent;
        let one = client.send_request("session/prompt", client.prompt_params("one"));
        let asked = client.serve_until(|message| message["method"] == "session/request_permission");
        let two = client.send_request("session/prompt", client.prompt_params("two"));
        if shape != "copilot" {
            std::thread::sleep(Duration::from_millis(100));
            client.rule = Rule::Reject;
            let option = asked["params"]["options"]
                .as_array()
                .expect("options")
                .iter();
            let reject = option
                .clone()
                .find(|option| option["kind"] == "reject_once");
            let id = reject.expect("a reject")["optionId"].clone();
            let outcome = json!({"outcome": {"outcome": "selected", "optionId": id}});
            client.respond(&asked, "result", outcome);
        }
        let is =
            |id: u64| move |message: &Value| message.get("method").is_none() && message["id"] == id;
        assert_eq!(
            client.serve_until(is(one))["result"]["stopReason"],
            first,
            "{shape}"
        );
        match second {
            Some(stop) => {
                assert_eq!(
                    client.serve_until(is(two))["result"]["stopReason"],
                    stop,
                    "{shape}"
                );
            }
            None => assert!(
                client.next_within(Duration::from_millis(300)).is_none(),
                "{shape}"
            ),
        }
    }
    let mut client = start("vibe", "{ shell = \"./gradlew test\" },");
    client.rule = Rule::Silent;
    client.send_request("session/prompt", client.prompt_params("one"));
    client.serve_until(|message| message["method"] == "session/request_permission");
    let answer = client.request("session/prompt", client.prompt_params("two"));
    assert_eq!(answer["error"]["code"], -32603);
}

#[test]
fn agents_that_edit_through_the_client_tell_the_model_why_it_refused() {
    let reason = "use the IDE instead";
    let cases = [
        ("gemini", json!(reason), reason),
        (
            "gemini",
            json!({"code": -32603, "message": reason}),
            "[object Object]",
        ),
        ("qwen", json!({"code": -32603, "message": reason}), reason),
        (
            "fast-agent",
            json!({"code": -32603, "message": reason}),
            reason,
        ),
    ];
    for (shape, refusal, expected) in cases {
        let mut client = start(shape, "{ create = \"src/App.java\", content = \"gone\" },");
        client.refusal = Some(refusal);
        assert_eq!(client.prompt("go"), "end_turn");
        assert_eq!(client.shown("refused"), [expected], "{shape}");
        assert!(
            client.app().contains("x = 1"),
            "{shape} left the file alone"
        );
    }
    let mut client = start("fast-agent", "{ shell = \"./gradlew test\" },");
    client.refusal = Some(json!({"code": -32603, "message": reason}));
    client.prompt("go");
    assert_eq!(
        client.shown("refused"),
        ["Terminal execution error: use the IDE instead"]
    );
}

#[test]
fn a_read_outside_the_project_is_asked_for_as_recorded() {
    for shape in [
        "copilot",
        "claude",
        "qwen",
        "opencode",
        "vibe",
        "fast-agent",
    ] {
        let mut client = start(shape, "{ read = \"/etc/hostname\" },");
        client.prompt("go");
        let recorded = recording(shape, "read_outside");
        let recorded = with_method(&recorded, "session/request_permission");
        let ours = client.seen_with("session/request_permission");
        assert_eq!(ours.len(), recorded.len(), "{shape}");
        for (ours, recorded) in ours.iter().zip(recorded) {
            assert_eq!(shape_of(ours), shape_of(recorded), "{shape}: {ours:#}");
        }
    }
}

#[test]
fn an_error_as_answer_to_a_permission_request_does_what_it_did() {
    enum Then {
        GoesOn(&'static str),
        Ends,
        Wedges,
        AsksAgain,
    }
    let cases = [
        (
            "claude",
            Then::GoesOn("Tool permission request failed: Error: REASON"),
        ),
        ("gemini", Then::GoesOn("[object Object]")),
        ("copilot", Then::Ends),
        ("qwen", Then::Ends),
        ("vibe", Then::Wedges),
        ("codex-zed", Then::Wedges),
        ("openhands", Then::AsksAgain),
    ];
    for (shape, then) in cases {
        let mut client = start(shape, "{ shell = \"./gradlew test\" },");
        client.rule = Rule::Silent;
        let id = client.send_request("session/prompt", client.prompt_params("go"));
        let is_ask = |message: &Value| message["method"] == "session/request_permission";
        let is_answer = |message: &Value| message.get("method").is_none() && message["id"] == id;
        let asked = client.serve_until(is_ask);
        client.respond(
            &asked,
            "error",
            json!({"code": -32603, "message": "REASON"}),
        );
        match then {
            Then::Wedges => {
                let more = client.next_within(Duration::from_millis(300));
                assert!(more.is_none(), "{shape}: {more:?}");
            }
            Then::AsksAgain => {
                let again = client.serve_until(is_ask);
                assert_ne!(again["id"], asked["id"], "{shape}");
            }
            Then::Ends => {
                assert_eq!(
                    client.serve_until(is_answer)["result"]["stopReason"],
                    "end_turn"
                );
                let messages = client.updates("agent_message_chunk");
                let done = messages
                    .iter()
                    .any(|update| update["content"]["text"] == "done");
                assert!(!done, "{shape} ended the turn");
            }
            Then::GoesOn(text) => {
                client.serve_until(is_answer);
                assert_eq!(client.shown("rejected"), [text], "{shape}");
            }
        }
    }
}

#[test]
fn codex_goes_on_where_it_offers_to_decline() {
    let mut client = start(
        "codex",
        "{ shell = \"./gradlew test\", options = \"decline\" },",
    );
    client.rule = Rule::Silent;
    let id = client.send_request("session/prompt", client.prompt_params("go"));
    let asked = client.serve_until(|message| message["method"] == "session/request_permission");
    let outcome = json!({"outcome": {"outcome": "selected", "optionId": "decline"}});
    client.respond(&asked, "result", outcome);
    let answer =
        client.serve_until(|message| message.get("method").is_none() && message["id"] == id);
    assert_eq!(answer["result"]["stopReason"], "end_turn");
}

#[test]
fn an_option_that_was_not_offered_fails_the_run() {
    let mut client = start("claude", "{ shell = \"./gradlew test\" },");
    client.rule = Rule::Silent;
    let id = client.send_request("session/prompt", client.prompt_params("go"));
    let asked = client.serve_until(|message| message["method"] == "session/request_permission");
    let outcome = json!({"outcome": {"outcome": "selected", "optionId": "allow_once"}});
    client.respond(&asked, "result", outcome);
    client.serve_until(|message| message.get("method").is_none() && message["id"] == id);
    assert_eq!(client.close(Duration::from_secs(20)), Some(9));
}

#[test]
fn codex_zed_has_uuid_ids_behind_the_other_members() {
    let mut client = start("codex-zed", "{ shell = \"./gradlew test\" },");
    client.prompt("go");
    let request = client.seen_with("session/request_permission")[0]
        .as_object()
        .expect("an object");
    assert_eq!(request.keys().next_back().map(String::as_str), Some("id"));
    assert_eq!(request["id"].as_str().map(str::len), Some(36));
}

#[test]
fn unknown_messages_are_answered_as_recorded() {
    let cases = [
        (
            "copilot",
            json!({"code": -32601, "message": "\"Method not found\": _x/y", "data": {"method": "_x/y"}}),
        ),
        (
            "vibe",
            json!({"code": -32601, "message": "Method not implemented: x/y", "data": {"method": "x/y"}}),
        ),
        (
            "codex-zed",
            json!({"code": -32601, "message": "Method not found", "data": "_x/y"}),
        ),
    ];
    for (shape, error) in cases {
        let mut client = start(shape, "");
        assert_eq!(client.request("_x/y", json!({}))["error"], error, "{shape}");
    }
    let mut client = start("fast-agent", "");
    assert_eq!(client.request("_x/y", json!({}))["result"], Value::Null);
    let mut client = start("codex-zed", "");
    client.notify("foo/bar");
    let complaint = client.serve_until(|message| message.get("error").is_some());
    assert_eq!(complaint.get("id"), None);
}
