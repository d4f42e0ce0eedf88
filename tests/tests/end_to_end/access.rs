//! Failures of access count like denials, whoever ran the program; the tone changes by the turn and by the session.

use serde_json::json;

use crate::play::{Play, at_once, kept_its_script, model, summary};

/// Agents whose calls of our tools are reported each in its own way; Vibe makes them from code.
const SHAPES: [&str; 4] = ["claude", "codex", "openhands", "vibe"];

fn commands(command: &str, n: usize) -> String {
    let command = json!(command);
    let call = format!("{{ call = \"run_command\", arguments = {{ command = {command} }} }},");
    format!("[[prompt]]\nstep = [{}]", call.repeat(n))
}

fn nudges(stage: &siderail_tests::stage::Stage) -> Vec<u64> {
    let nudges = stage.all("NUDGE");
    let counts = nudges.iter().filter_map(|event| event["denials"].as_u64());
    counts.collect()
}

#[tokio::test]
async fn commands_that_are_refused_access_lead_to_a_nudge_in_their_own_result() {
    at_once(SHAPES, |shape| async move {
        let command = "echo \"Error: EACCES: permission denied, open '/etc/x'\" >&2; exit 1";
        let stage = Play::of(shape, &commands(command, 4))
            .answer(true)
            .run()
            .await;
        assert_eq!(nudges(&stage), [2, 4], "{shape}: {}", stage.tail());
        let read: Vec<String> = model(&stage)
            .into_iter()
            .filter(|shown| shown.text.contains("EACCES") && shown.text.contains("exit code 1"))
            .map(|shown| shown.text)
            .collect();
        assert_eq!(read.len(), 4, "{shape}: {read:#?}");
        let says = |n: usize, part: &str| read[n - 1].contains(part);
        assert!(
            !says(1, "sandbox") && !says(3, "sandbox"),
            "{shape}: {read:#?}"
        );
        let root = stage.place.path("project").display().to_string();
        for part in [
            "sandbox",
            &root,
            "Do not retry the same path",
            "another way inside",
        ] {
            assert!(says(2, part), "{shape}: {part}: {read:#?}");
        }
        kept_its_script(&stage);
    })
    .await;
}

/// OpenHands titles a call with its model's own words, and names the tool of it only with the result.
#[tokio::test]
async fn a_call_of_ours_that_its_agent_reports_by_other_words_is_no_success_of_another_one() {
    let update = |n: usize, kind: &str, more: serde_json::Value| {
        let mut update = json!({"sessionUpdate": kind, "toolCallId": format!("prose{n}")});
        let members = update.as_object_mut().expect("an object");
        members.extend(more.as_object().expect("an object").clone());
        let params = json!({"sessionId": "${session}", "update": update});
        let line = json!({"jsonrpc": "2.0", "method": "session/update", "params": params});
        format!("{{ send = '{line}' }},")
    };
    let announced = json!({"title": "use the tool", "kind": "other", "status": "in_progress"});
    for (tool, expected) in [("run_command", vec![2]), ("terminal", vec![])] {
        let ended = json!({"status": "completed", "rawOutput": {"tool_name": tool}});
        let refused = r#"{ call = "run_command", arguments = { command = "echo 'cat: x: Permission denied' >&2; exit 1" } },"#;
        let step = |n: usize| {
            let reported = update(n, "tool_call", announced.clone());
            format!(
                "{refused}{reported}{}",
                update(n, "tool_call_update", ended.clone())
            )
        };
        let script = format!("[[prompt]]\nstep = [{}{}]", step(1), step(2));
        let stage = Play::of("openhands", &script).answer(true).run().await;
        assert_eq!(nudges(&stage), expected, "{tool}: {}", stage.tail());
    }
}

#[tokio::test]
async fn what_only_speaks_of_refused_access_is_no_failure_of_it() {
    let honest = [
        "printf 'src/a.rs:3: Permission denied\\nsrc/b.rs:9:EACCES\\n'; exit 1",
        "printf 'FAILED test_x.py::test_x - PermissionError: [Errno 13] Permission denied\\n1 failed in 0.02s\\n'; exit 1",
        "echo 'cat: x: No such file or directory' >&2; exit 1",
        "echo 'cat: x: Permission denied' >&2",
    ];
    at_once(honest, |command| async move {
        let stage = Play::of("claude", &commands(command, 3))
            .answer(true)
            .run()
            .await;
        assert!(nudges(&stage).is_empty(), "{command}: {}", stage.tail());
    })
    .await;
}

#[tokio::test]
async fn a_failed_command_that_was_not_refused_leaves_the_row_as_it_is_and_a_success_ends_it() {
    let refused = r#"{ call = "run_command", arguments = { command = "echo 'cat: x: Permission denied' >&2; exit 1" } },"#;
    let failed = r#"{ call = "run_command", arguments = { command = "exit 3" } },"#;
    let done = r#"{ call = "run_command", arguments = { command = "true" } },"#;
    let cases = [(failed, vec![2]), (done, vec![])];
    at_once(cases, |(between, expected): (&str, Vec<u64>)| async move {
        let script = format!("[[prompt]]\nstep = [{refused}{between}{refused}]");
        let stage = Play::of("claude", &script).answer(true).run().await;
        assert_eq!(nudges(&stage), expected, "{between}: {}", stage.tail());
    })
    .await;
}

#[tokio::test]
async fn the_tone_changes_by_the_session_too_and_the_summary_tells_both() {
    const PROMPT: &str = r#"
        [[prompt]]
        step = [{ create = "src/App.java", content = "built in", expect = "denied" }]
        "#;
    const TWICE: &str = r#"
        [[prompt]]
        step = [{ steps = [{ create = "src/App.java", content = "built in", expect = "denied" }], repeat = 2 }]
        "#;
    let script = format!("really = true\n{}{TWICE}", PROMPT.repeat(4));
    let mut stage = Play::of("claude", &script).answer(false).start();
    for _prompt in 0..5 {
        stage.play("go").await;
    }
    stage.end().await;
    kept_its_script(&stage);
    let tones: Vec<_> = stage
        .all("ESCALATION")
        .iter()
        .map(|event| (event["scope"].clone(), event["denials"].clone()))
        .collect();
    let by = |scope: &str, denials: u64| (json!(scope), json!(denials));
    let expected: Vec<_> = (2..=6).map(|n| by("session", n)).collect();
    assert_eq!(tones, expected, "{}", stage.tail());
    let told = &summary(&stage)["escalations"];
    assert_eq!(*told, json!({"turn": 0, "session": 5}), "{}", stage.tail());
    let read = model(&stage);
    let in_fourth = |part: &str| {
        read.iter()
            .any(|shown| shown.turn == 4 && shown.text.contains(part))
    };
    assert!(
        in_fourth("Stop: ") && in_fourth("4 times in this session"),
        "{read:#?}"
    );
}
