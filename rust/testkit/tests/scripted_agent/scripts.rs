//! What a script can say: conditions, expectations, work on disk, steering, parallel calls.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Client, Rule, Start};

const LIMIT: Duration = Duration::from_secs(20);

fn start(script: &str) -> Client {
    let mut client = Start::new("claude", script).spawn();
    client.open();
    client
}

fn one_prompt(steps: &str) -> Client {
    start(&format!("really = true\n[[prompt]]\nstep = [{steps}]"))
}

fn messages(client: &Client) -> Vec<String> {
    let chunks = client.updates("agent_message_chunk").into_iter();
    chunks
        .map(|update| {
            update["content"]["text"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        })
        .collect()
}

#[test]
fn allowed_work_is_carried_out_and_rejected_work_is_not() {
    let steps =
        r#"{ edit = "src/App.java", old = "x = 1", new = "x = 2" }, { shell = "pwd > out" }"#;
    for (rule, changed) in [(Rule::Allow, true), (Rule::Reject, false)] {
        let mut client = one_prompt(steps);
        client.rule = rule;
        assert_eq!(client.prompt("go"), "end_turn");
        assert_eq!(client.app().contains("x = 2"), changed);
        assert_eq!(client.project().join("out").exists(), changed);
    }
}

#[test]
fn what_an_mcp_tool_answers_reaches_the_model_and_the_client() {
    let mut client = one_prompt(r#"{ call = "intellij_write_file", arguments = { path = "a" } }"#);
    client.prompt("go");
    let expected = "CALLED intellij_write_file {\"path\":\"a\"}";
    assert_eq!(client.shown("result"), [expected]);
    let updates = client.updates("tool_call_update");
    assert!(
        updates
            .iter()
            .any(|update| update.to_string().contains("CALLED intellij_write_file"))
    );
    assert_eq!(client.shown("instructions"), ["Use these tools."]);
    assert_eq!(
        client.shown("tools"),
        ["intellij_read_file intellij_write_file intellij_run_tests"]
    );
}

#[test]
fn conditions_follow_the_outcome_of_the_last_call() {
    let steps = r#"
        { shell = "./gradlew test" },
        { if_denied = true, steps = [{ say = "denied" }, { say = "twice" }] },
        { if_allowed = true, say = "allowed" },
        { call = "no_such_tool" },
        { if_hidden = true, say = "hidden" },
        { if_denied = true, if_hidden = true, say = "either" },
    "#;
    let mut client = one_prompt(steps);
    client.rule = Rule::Reject;
    client.prompt("go");
    assert_eq!(messages(&client), ["denied", "twice", "hidden", "either"]);
    let mut client = one_prompt(steps);
    client.prompt("go");
    assert_eq!(messages(&client), ["allowed", "hidden", "either"]);
}

#[test]
fn a_failed_expectation_is_seen_by_everybody() {
    let mut client = one_prompt(r#"{ read = "src/App.java", expect_result_contains = "x = 7" }"#);
    assert_eq!(client.prompt("go"), "end_turn");
    assert!(
        messages(&client)[0].starts_with("EXPECTATION FAILED"),
        "{:?}",
        messages(&client)
    );
    assert_eq!(client.close(LIMIT), Some(9));
}

#[test]
fn expectations_that_hold_change_nothing() {
    let mut client = one_prompt(
        r#"{ read = "src/App.java", expect_result_contains = "x = 1", expect_result_lacks = "x = 2",
             expect = "allowed", expect_seen_contains = "the prompt" }"#,
    );
    client.prompt("this is the prompt");
    assert!(messages(&client).is_empty());
    assert_eq!(client.close(LIMIT), Some(0));
}

#[test]
fn prompts_are_used_in_order_and_matching_ones_first() {
    let script = r#"
        [[prompt]]
        step = [{ say = "first" }]
        [[prompt]]
        match = "urgent"
        stop = "refusal"
        step = [{ say = "matched" }]
        [[prompt]]
        step = [{ fail = "broken", code = -32603 }]
    "#;
    let mut client = start(script);
    assert_eq!(client.prompt("this is urgent"), "refusal");
    assert_eq!(client.prompt("a"), "end_turn");
    assert!(client.prompt("b").contains("broken"));
    assert_eq!(client.prompt("c"), "end_turn");
    assert_eq!(messages(&client), ["matched", "first"]);
}

#[test]
fn steering_is_read_before_the_next_step() {
    let mut client =
        one_prompt(r#"{ sleep = 0.5 }, { say = "x", expect_seen_contains = "STEER" }"#);
    let id = client.send_request("session/prompt", client.prompt_params("go"));
    let params = client.prompt_params("STEER");
    assert_eq!(
        client.request("_session/steering", params.clone())["result"]["outcome"],
        "injected"
    );
    client.serve_until(|message| message.get("method").is_none() && message["id"] == id);
    assert_eq!(client.shown("steering"), ["STEER"]);
    let idle = client.request("_session/steering", params);
    assert_eq!(idle["result"]["outcome"], "promptRequired");
    assert_eq!(client.close(LIMIT), Some(0));
}

#[test]
fn parallel_calls_are_asked_at_the_same_time() {
    let mut client = one_prompt(
        r#"{ parallel = [{ shell = "./a" }, { shell = "./b" }, { call = "intellij_write_file" }] }"#,
    );
    client.rule = Rule::Silent;
    let id = client.send_request("session/prompt", client.prompt_params("go"));
    let asks: Vec<Value> = (0..3)
        .map(|_| client.serve_until(|message| message["method"] == "session/request_permission"))
        .collect();
    for ask in &asks {
        let chosen = json!({"outcome": {"outcome": "selected", "optionId": "reject"}});
        client.respond(ask, "result", chosen);
    }
    client.serve_until(|message| message.get("method").is_none() && message["id"] == id);
    let ids: Vec<&str> = asks
        .iter()
        .filter_map(|ask| ask["params"]["toolCall"]["toolCallId"].as_str())
        .collect();
    assert_eq!(ids.len(), 3);
    assert!(
        ["toolu_call_0001", "toolu_call_0002", "toolu_call_0003"]
            .iter()
            .all(|id| ids.contains(id))
    );
}

#[test]
fn a_sleeping_turn_ends_at_once_when_cancelled() {
    let mut client = one_prompt("{ sleep = 60 }");
    let id = client.send_request("session/prompt", client.prompt_params("go"));
    std::thread::sleep(Duration::from_millis(100));
    let begin = Instant::now();
    client.notify("session/cancel");
    let answer =
        client.serve_until(|message| message.get("method").is_none() && message["id"] == id);
    assert_eq!(answer["result"]["stopReason"], "cancelled");
    assert!(begin.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_turn_waits_for_a_file_until_it_is_there_or_the_turn_is_cancelled() {
    for is_cancelled in [false, true] {
        let mut client =
            one_prompt(r#"{ say = "ready" }, { wait_for = "signal" }, { say = "gone on" }"#);
        let id = client.send_request("session/prompt", client.prompt_params("go"));
        client.serve_until(|message| message.to_string().contains("ready"));
        std::thread::sleep(Duration::from_millis(100));
        if is_cancelled {
            client.notify("session/cancel");
        } else {
            std::fs::write(client.project().join("signal"), "").unwrap();
        }
        let answer =
            client.serve_until(|message| message.get("method").is_none() && message["id"] == id);
        let stop = if is_cancelled {
            "cancelled"
        } else {
            "end_turn"
        };
        assert_eq!(answer["result"]["stopReason"], stop);
        assert_eq!(
            messages(&client).contains(&"gone on".to_owned()),
            !is_cancelled
        );
    }
}

#[test]
fn numbered_updates_rise_by_one_without_a_gap() {
    let script =
        "[[prompt]]\nstep = [{ say = \"a\" }, { flood = 1000 }, { read = \"src/App.java\" }]";
    let mut client = Start::new("copilot", script)
        .args(&["--numbered-updates"])
        .spawn();
    client.open();
    client.prompt("go");
    let updates = client.seen_with("session/update");
    let numbers: Vec<u64> = updates
        .iter()
        .filter_map(|message| message["params"]["update"]["_meta"]["n"].as_u64())
        .collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    assert!(numbers.len() > 1000);
    let chunk = |text: &str| messages(&client).iter().any(|message| message == text);
    assert!(chunk("n:500"), "the number is the text");
}

#[test]
fn any_request_can_be_made_and_its_answer_is_shown() {
    let mut client = one_prompt(
        r#"{ request = "elicitation/create", params = { message = "in ${cwd}" } }, { think = "t" }"#,
    );
    client.prompt("go");
    assert!(client.shown("failure")[0].contains("method not found"));
    let request = client.seen_with("elicitation/create")[0];
    assert_eq!(
        request["params"]["message"],
        format!("in {}", client.project().display())
    );
}

#[test]
fn the_example_scripts_are_valid() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        siderail_testkit::script::Script::load(&path).unwrap_or_else(|why| panic!("{why}"));
        count += 1;
    }
    assert!(count >= 4, "{count} scripts");
}

#[test]
fn the_demo_uses_the_ides_tool_after_a_denial() {
    let demo = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/demo.toml"));
    let mut client = Start::new("copilot", &demo.expect("the demo"))
        .with_copilot_server()
        .spawn();
    client.open();
    client.rule = Rule::Reject;
    client.prompt("set x to 2");
    client.rule = Rule::Allow;
    client.prompt("go on");
    let written = client.shown("result");
    assert!(
        written
            .iter()
            .any(|text| text.starts_with("CALLED intellij_write_file")),
        "{written:?}"
    );
}
