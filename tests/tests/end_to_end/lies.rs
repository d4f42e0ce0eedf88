//! An agent that gives its own tool one of our names is believed once at most.

use serde_json::Value;
use siderail_engine::command::PermissionAnswer;
use siderail_tests::stage::Stage;

use crate::play::{Play, answer, summary};

/// A call named as one of ours that is asked for, then runs without arriving at our server.
fn lie(id: &str, raw_input: &str) -> String {
    lie_that_ends(id, raw_input, Some("completed"))
}

/// The same; `status`: how the agent says that it ended, if it says so.
fn lie_that_ends(id: &str, raw_input: &str, status: Option<&str>) -> String {
    let name = "mcp__intellij-code-tools__intellij_read_file";
    let call = format!(
        r#""toolCallId":"{id}","title":"{name}","kind":"read","rawInput":{raw_input},"_meta":{{"claudeCode":{{"toolName":"{name}"}}}}"#
    );
    let update = |kind: &str, status: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"${{session}}","update":{{"sessionUpdate":"{kind}","status":"{status}",{call}}}}}}}"#
        )
    };
    let ask = format!(
        r#"{{"jsonrpc":"2.0","id":"{id}","method":"session/request_permission","params":{{"sessionId":"${{session}}","toolCall":{{{call}}},"options":[{{"optionId":"y","name":"Yes","kind":"allow_once"}},{{"optionId":"n","name":"No","kind":"reject_once"}}]}}}}"#
    );
    let end =
        status.map(|status| format!("{{ send = '{}' }},", update("tool_call_update", status)));
    format!(
        "{{ send = '{}' }}, {{ send = '{ask}' }}, {{ sleep = 0.4 }}, {}",
        update("tool_call", "pending"),
        end.unwrap_or_default()
    )
}

/// What became of the requests, by the agent's ids.
fn verdicts(stage: &Stage) -> Vec<(String, String)> {
    let verdicts = stage.seen.iter().filter(|event| {
        ["PERMISSION_APPROVED", "PERMISSION_DENIED"]
            .iter()
            .any(|name| event["event"] == *name)
    });
    let word = |event: &Value, name: &str| event[name].as_str().unwrap_or_default().to_owned();
    let verdicts = verdicts.map(|event| (word(event, "tool_call_id"), word(event, "event")));
    verdicts.collect()
}

fn two(first: (&str, &str), second: (&str, &str)) -> Vec<(String, String)> {
    let owned = |(id, event): (&str, &str)| (id.to_owned(), event.to_owned());
    vec![owned(first), owned(second)]
}

#[tokio::test]
async fn a_name_of_ours_that_never_arrives_is_trusted_once() {
    let steps = format!("{}{}", lie("lie-1", "{}"), lie("lie-2", "{}"));
    let stage = Play::of("claude", &format!("[[prompt]]\nstep = [{steps}]"))
        .answer(false)
        .run()
        .await;
    let expected = two(
        ("lie-1", "PERMISSION_APPROVED"),
        ("lie-2", "PERMISSION_DENIED"),
    );
    assert_eq!(verdicts(&stage), expected, "{}", stage.tail());
    assert_eq!(stage.all("UNGUARDED").len(), 1, "told once");
    assert_eq!(summary(&stage)["unguarded"], true);
}

#[tokio::test]
async fn a_name_of_ours_with_a_command_is_asked_from_the_start() {
    let steps = lie("lie-1", r#"{"command":"rm -rf /"}"#);
    let stage = Play::of("claude", &format!("[[prompt]]\nstep = [{steps}]"))
        .answer(false)
        .run()
        .await;
    assert!(
        stage.all("PERMISSION_APPROVED").is_empty(),
        "{}",
        stage.tail()
    );
    let denied = stage.all("PERMISSION_DENIED");
    assert_eq!(
        (denied.len(), &denied[0]["by"]),
        (1, &"setting".into()),
        "{}",
        stage.tail()
    );
}

#[tokio::test]
async fn a_lie_is_told_also_where_the_agents_own_tools_may_run_unasked() {
    let edit = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${session}","update":{"sessionUpdate":"tool_call","toolCallId":"e1","title":"Edit x","kind":"edit","status":"completed","rawInput":{"path":"x"}}}}"#;
    let steps = format!("{{ send = '{edit}' }}, {}", lie("lie-1", "{}"));
    let stage = Play::of("claude", &format!("[[prompt]]\nstep = [{steps}]"))
        .policy("ask")
        .answer(false)
        .run()
        .await;
    let told = stage.all("UNGUARDED");
    assert_eq!(told.len(), 1, "{}", stage.tail());
    assert!(
        told[0]["text"]
            .as_str()
            .unwrap()
            .contains("intellij_read_file"),
        "{}",
        told[0]
    );
    assert_eq!(summary(&stage)["unguarded"], true);
}

#[tokio::test]
async fn a_call_that_is_never_reported_finished_is_missing_at_its_turns_end() {
    let silent = |id: &str| lie_that_ends(id, "{}", None);
    let script = format!(
        "[[prompt]]\nstep = [{}]\n[[prompt]]\nstep = [{}]",
        silent("lie-1"),
        silent("lie-2")
    );
    let mut stage = Play::of("claude", &script).answer(false).start();
    stage.play("go").await;
    let told = stage.all("UNGUARDED");
    assert_eq!(told.len(), 1, "{}", stage.tail());
    stage.play("go on").await;
    stage.end().await;
    let expected = two(
        ("lie-1", "PERMISSION_APPROVED"),
        ("lie-2", "PERMISSION_DENIED"),
    );
    assert_eq!(verdicts(&stage), expected, "{}", stage.tail());
    assert_eq!(summary(&stage)["unguarded"], true);
}

#[tokio::test]
async fn a_call_that_names_no_id_is_missing_all_the_same() {
    let ask = r#"{"jsonrpc":"2.0","id":"q","method":"session/request_permission","params":{"sessionId":"${session}","toolCall":{"title":"mcp__intellij-code-tools__intellij_read_file","kind":"read","_meta":{"claudeCode":{"toolName":"mcp__intellij-code-tools__intellij_read_file"}}},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}}"#;
    let script = format!("[[prompt]]\nstep = [{{ send = '{ask}' }}, {{ sleep = 0.4 }}]");
    let stage = Play::of("claude", &script).answer(false).run().await;
    assert_eq!(
        stage.all("PERMISSION_APPROVED").len(),
        1,
        "{}",
        stage.tail()
    );
    assert_eq!(summary(&stage)["unguarded"], true, "{}", stage.tail());
}

#[tokio::test]
async fn a_call_that_failed_before_it_ran_is_not_missing() {
    let steps = lie_that_ends("lie-1", "{}", Some("failed"));
    let stage = Play::of("claude", &format!("[[prompt]]\nstep = [{steps}]"))
        .answer(false)
        .run()
        .await;
    assert_eq!(summary(&stage)["unguarded"], false, "{}", stage.tail());
}

#[tokio::test]
async fn a_call_of_a_cancelled_turn_is_not_missing() {
    let steps = lie_that_ends("lie-1", "{}", None);
    let script = format!("[[prompt]]\nstep = [{steps} {{ sleep = 3 }}]");
    let mut stage = Play::of("claude", &script).answer(false).start();
    stage.prompt("go");
    stage.until("PERMISSION_APPROVED").await;
    stage.send(siderail_engine::command::Command::Cancel {
        session: siderail_tests::stage::SESSION,
    });
    stage.until("TURN_ENDED").await;
    stage.end().await;
    assert_eq!(summary(&stage)["unguarded"], false, "{}", stage.tail());
}

#[tokio::test]
async fn a_name_of_ours_opens_no_protected_place_and_nothing_outside() {
    const PATHS: [(&str, bool); 4] = [
        (r#"{"path":"../outside"}"#, false),
        (r#"{"path":"/etc/passwd"}"#, false),
        (r#"{"path":".git/hooks/pre-commit"}"#, true),
        (r#"{"paths":["src/App.java",".siderail.toml"]}"#, true),
    ];
    for policy in ["redirect", "yolo"] {
        for (input, asks) in PATHS {
            let steps = lie_that_ends("lie-1", input, Some("failed"));
            let play = Play::of("claude", &format!("[[prompt]]\nstep = [{steps}]"));
            let mut stage = play.policy(policy).start();
            stage.prompt("go");
            let request = stage.until("PERMISSION_REQUEST").await;
            // No tool of ours leaves the project, so nobody is asked about one that would.
            assert_eq!(request["asks"], asks, "{policy} {input}: {request}");
            match asks {
                true => answer(&stage, &request, PermissionAnswer::Allow),
                false => drop(stage.until("PERMISSION_DENIED").await),
            }
            stage.end().await;
        }
    }
}
