//! Replays: a recording's agent side against a live client.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use crate::client::{Client, Rule, Start};

fn play(shape: &str, scenario: &str) -> Client {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/recordings");
    let path = root.join(shape).join(format!("{scenario}.acp.jsonl"));
    let mut client = Start::new(shape, "")
        .args(&["--replay", &path.to_string_lossy()])
        .spawn();
    client.open();
    client
}

#[test]
fn a_recorded_turn_is_played_with_the_live_ids_and_folder() {
    for shape in [
        "copilot",
        "claude",
        "codex",
        "codex-zed",
        "gemini",
        "vibe",
        "openhands",
    ] {
        let mut client = play(shape, "allow");
        assert_eq!(client.prompt("anything"), "end_turn", "{shape}");
        let folder = client.project().to_string_lossy().into_owned();
        let asked = client.seen_with("session/request_permission");
        assert!(asked.len() >= 4, "{shape}");
        let all = Value::Array(client.seen.clone()).to_string();
        assert!(all.contains(&format!("{folder}/src/App.java")), "{shape}");
        assert!(!all.contains("\"/project"), "{shape}");
    }
}

#[test]
fn rejects_and_continuations_are_matched_by_method() {
    let mut client = play("copilot", "deny");
    client.rule = Rule::Reject;
    let stops: Vec<String> = (0..5)
        .map(|number| client.prompt(&number.to_string()))
        .collect();
    assert_eq!(stops, ["end_turn"; 5]);
    assert_eq!(client.close(Duration::from_secs(20)), Some(0));
}

#[test]
fn requests_that_the_recorded_client_made_alone_are_passed_over() {
    // The recorded client logged in, set modes, or probed with methods of its own.
    for (shape, scenario) in [
        ("qwen", "deny_mcp"),
        ("copilot", "probe"),
        ("codex", "steer_before"),
    ] {
        let mut client = play(shape, scenario);
        client.rule = Rule::Reject;
        let stop = client.prompt("go");
        assert!(
            ["end_turn", "cancelled"].contains(&stop.as_str()),
            "{shape} {scenario}: {stop}"
        );
    }
}

#[test]
fn requests_that_only_the_live_client_makes_are_answered() {
    let mut client = play("copilot", "deny_mcp");
    client.set_mode("some mode");
    let unknown = client.request("_x/y", serde_json::json!({}));
    assert_eq!(unknown["error"]["code"], -32601);
    client.rule = Rule::Reject;
    assert_eq!(client.prompt("go"), "end_turn");
}

#[test]
fn prompts_beyond_the_recording_end_at_once() {
    let mut client = play("claude", "deny_mcp");
    client.rule = Rule::Reject;
    assert_eq!(client.prompt("recorded"), "end_turn");
    let seen = client.seen.len();
    assert_eq!(client.prompt("not recorded"), "end_turn");
    assert!(
        client.seen.len() <= seen + 4,
        "no updates of a turn that was not recorded"
    );
}

#[test]
fn a_cancelled_turn_is_played_to_its_end() {
    let mut client = play("claude", "cancel");
    client.rule = Rule::Silent;
    let id = client.send_request("session/prompt", client.prompt_params("go"));
    let asked = client.serve_until(|message| message["method"] == "session/request_permission");
    client.notify("session/cancel");
    let answer =
        client.serve_until(|message| message.get("method").is_none() && message["id"] == id);
    assert_eq!(answer["result"]["stopReason"], "cancelled");
    let outcome = serde_json::json!({"outcome": {"outcome": "cancelled"}});
    client.respond(&asked, "result", outcome);
    assert_eq!(client.prompt("again"), "end_turn");
}

#[test]
fn the_end_is_the_recorded_one() {
    let mut client = play("openhands", "allow");
    client.prompt("go");
    assert_eq!(
        client.close(Duration::from_secs(1)),
        None,
        "it had to be killed"
    );
}

#[test]
fn a_client_that_sends_one_prompt_at_a_time_gets_turns_that_were_recorded_at_once() {
    for (shape, stops) in [
        ("copilot", ["cancelled", "end_turn"]),
        ("claude", ["end_turn", "end_turn"]),
        // The second prompt was refused while the first one ran: here it begins a turn of its own.
        ("vibe", ["end_turn", "end_turn"]),
    ] {
        let mut client = play(shape, "prompt2_before");
        for stop in stops {
            assert_eq!(client.prompt("go"), stop, "{shape}");
        }
    }
}
