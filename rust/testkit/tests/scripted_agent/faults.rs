//! Faults over the pipe: what they are, and that what matters still arrives.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{Client, Rule, Start};

const SCRIPT: &str = r#"
[[prompt]]
step = [{ say = "one" }, { shell = "./gradlew test" }, { read = "src/App.java" }, { say = "two ü" }]
"#;

fn start(shape: &str, faults: &str) -> Client {
    start_script(shape, faults, SCRIPT)
}

fn start_script(shape: &str, faults: &str, script: &str) -> Client {
    let start = Start::new(shape, script).args(&["--faults", faults, "--numbered-updates"]);
    let mut client = start.spawn();
    client.open();
    client
}

fn numbers(client: &Client) -> Vec<u64> {
    let updates = client.seen_with("session/update");
    let number = |message: &&Value| message["params"]["update"]["_meta"]["n"].as_u64();
    updates.iter().filter_map(number).collect()
}

#[test]
fn noise_and_torn_writes_lose_and_reorder_nothing() {
    let noise = "garbage=300,blank=300,split=300,stray_answers=200,crlf,bom,\
        unknown_notifications=200,unknown_requests=200,unadvertised_fs=200,unknown_updates=200";
    let mut client = start("copilot", noise);
    assert_eq!(client.prompt("go"), "end_turn");
    let numbers = numbers(&client);
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    assert!(
        client.seen.iter().any(Value::is_string),
        "there was garbage"
    );
    assert!(
        client
            .seen
            .iter()
            .any(|message| message["method"] == "weather/get")
    );
    assert!(!client.updates("weather_update").is_empty());
}

#[test]
fn a_run_with_the_same_seed_is_the_same_run() {
    let run = || {
        let mut client = start(
            "copilot",
            "garbage=300,unknown_updates=300,duplicate_tool_calls=500",
        );
        client.prompt("go");
        let folder = client.dir.path().to_string_lossy().into_owned();
        let seen = Value::Array(client.seen.clone()).to_string();
        seen.replace(&folder, "FOLDER")
    };
    assert_eq!(run(), run());
}

#[test]
fn requests_come_with_ids_of_every_kind() {
    for (kind, expected) in [
        ("float", json!(0.0)),
        ("negative", json!(-1)),
        ("overlap", json!(1)),
        ("null", Value::Null),
        ("string", json!("request \"0\" ü")),
    ] {
        let mut client = start("copilot", &format!("ids={kind}"));
        assert_eq!(client.prompt("go"), "end_turn", "{kind}");
        assert_eq!(
            client.seen_with("session/request_permission")[0]["id"],
            expected,
            "{kind}"
        );
    }
}

#[test]
fn answers_come_late_twice_or_never() {
    let mut client = start("copilot", "duplicate_answers=1000,late_answers=0");
    client.prompt("go");
    client.next_within(Duration::from_millis(200));
    let answers = |client: &Client, id: u64| {
        let is_answer = |message: &&Value| message.get("method").is_none() && message["id"] == id;
        client.seen.iter().filter(is_answer).count()
    };
    assert_eq!((answers(&client, 1), answers(&client, 3)), (2, 2));
    let start = Start::new("copilot", SCRIPT).args(&["--faults", "missing_answers=1000"]);
    let mut client = start.spawn();
    client.send_request("initialize", json!({"protocolVersion": 1}));
    assert_eq!(client.next_within(Duration::from_millis(500)), None);
}

#[test]
fn updates_come_before_their_session_and_before_their_call() {
    let mut client = start("copilot", "early_updates=3,update_before_create=1000");
    let answer = client
        .seen
        .iter()
        .position(|message| message["result"]["sessionId"].is_string());
    let early = |message: &Value| message["params"]["update"]["content"]["text"] == "n:2 early 1";
    assert!(client.seen.iter().position(early) < answer);
    client.prompt("go");
    let kinds: Vec<&Value> = client
        .seen_with("session/update")
        .iter()
        .map(|message| &message["params"]["update"])
        .filter(|update| update["toolCallId"] == "call_0001")
        .map(|update| &update["sessionUpdate"])
        .collect();
    assert_eq!(
        kinds[..2],
        [&json!("tool_call_update"), &json!("tool_call")]
    );
}

#[test]
fn permission_requests_come_thin_and_several_for_one_call() {
    let mut client = start("copilot", "permission_copies=2,no_kind,no_title");
    assert_eq!(client.prompt("go"), "end_turn");
    let asked = client.seen_with("session/request_permission");
    assert_eq!(asked.len(), 2);
    let tool_call = |message: &Value| message["params"]["toolCall"].clone();
    assert_eq!(tool_call(asked[0]), tool_call(asked[1]));
    assert_eq!(tool_call(asked[0]).get("kind"), None);
    assert_eq!(tool_call(asked[0]).get("title"), None);
}

#[test]
fn a_storm_of_permission_requests_is_waited_out() {
    let mut client = start_script(
        "copilot",
        "",
        "[[prompt]]\nstep = [{ fault = \"storm=200\" }]",
    );
    assert_eq!(client.prompt("go"), "end_turn");
    assert_eq!(client.seen_with("session/request_permission").len(), 200);
    assert_eq!(client.shown("result"), ["200 answers"]);
}

#[test]
fn the_agent_dies_in_the_middle_of_a_turn() {
    for (fault, code) in [("exit=3", 3), ("abort", -1), ("kill", -1)] {
        let script = format!("[[prompt]]\nstep = [{{ say = \"a\" }}, {{ fault = \"{fault}\" }}]");
        let mut client = start_script("copilot", "", &script);
        client.send_request("session/prompt", client.prompt_params("go"));
        while client.next_within(Duration::from_secs(20)).is_some() {}
        assert_eq!(client.close(Duration::from_secs(20)), Some(code), "{fault}");
    }
}

#[test]
fn silence_a_deaf_cancel_and_a_deaf_end() {
    let script = "[[prompt]]\nstep = [{ say = \"a\" }, { fault = \"silence\" }, { say = \"b\" }]";
    let mut client = start_script("copilot", "hang_on_cancel,ignore_eof", script);
    client.send_request("session/prompt", client.prompt_params("go"));
    client.serve_until(|message| message["params"]["update"]["content"]["text"] == "n:5 a");
    assert_eq!(client.next_within(Duration::from_millis(300)), None);
    client.notify("session/cancel");
    assert_eq!(client.next_within(Duration::from_millis(300)), None);
    assert_eq!(client.close(Duration::from_millis(500)), None);
}

#[test]
fn a_cancel_that_hangs_leaves_the_permission_open() {
    let mut client = start("copilot", "hang_on_cancel");
    client.rule = Rule::Silent;
    client.send_request("session/prompt", client.prompt_params("go"));
    client.serve_until(|message| message["method"] == "session/request_permission");
    client.notify("session/cancel");
    assert_eq!(client.next_within(Duration::from_millis(300)), None);
}

#[test]
fn the_hostile_script_comes_to_its_end_with_every_update_in_order() {
    let script =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/hostile.toml"));
    let start = Start::new("copilot", &script.expect("the script"));
    let mut client = start.args(&["--numbered-updates"]).spawn();
    client.open();
    client.prompt("go");
    let numbers = numbers(&client);
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    let huge = client.updates("agent_message_chunk");
    assert!(huge.iter().any(|update| update.to_string().len() > 700_000));
}

#[test]
fn grandchildren_outlive_an_agent_that_nobody_watches() {
    let mut client = start_script(
        "copilot",
        "",
        "[[prompt]]\nstep = [{ spawn_grandchild = true }]",
    );
    client.prompt("go");
    assert_eq!(client.close(Duration::from_secs(20)), Some(0));
    let stderr = client.stderr();
    let pids: Vec<&str> = stderr
        .lines()
        .filter_map(|line| line.split_once("grandchild ").map(|(_, pid)| pid))
        .collect();
    assert_eq!(pids.len(), 2, "{stderr}");
    for pid in pids {
        let killed = std::process::Command::new("kill")
            .arg(pid)
            .status()
            .expect("kill runs");
        assert!(killed.success(), "{pid} was still there");
    }
}

#[test]
fn a_child_keeps_stdout_open_after_the_agents_end() {
    let mut client = start("copilot", "hold_stdout@3");
    assert_eq!(client.close(Duration::from_secs(20)), Some(0));
    while client.next_within(Duration::from_millis(300)).is_some() {}
    assert!(client.stdout_is_open());
    let stderr = client.stderr();
    let pid = stderr
        .lines()
        .find_map(|line| line.split_once("child ")?.1.split(' ').next());
    let pid = pid.expect("the child's number").to_owned();
    let killed = std::process::Command::new("kill")
        .arg(&pid)
        .status()
        .expect("kill runs");
    assert!(killed.success());
}

#[test]
fn the_greeting_goes_wrong() {
    let greet = |faults: &str| {
        let mut client = Start::new("copilot", SCRIPT)
            .args(&["--faults", faults])
            .spawn();
        let greeting = client.request("initialize", json!({"protocolVersion": 1}));
        let params = json!({"cwd": client.project(), "mcpServers": []});
        (greeting, client.request("session/new", params))
    };
    assert_eq!(greet("version=2").0["result"]["protocolVersion"], 2);
    assert_eq!(greet("auth_required").1["error"]["code"], -32000);
}

#[test]
fn a_wrong_spec_is_a_usage_error() {
    let mut client = Start::new("copilot", SCRIPT)
        .args(&["--faults", "rain=3"])
        .spawn();
    assert_eq!(client.close(Duration::from_secs(20)), Some(2));
}
