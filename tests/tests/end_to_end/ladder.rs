//! How a reason reaches the model where no hook carries it: steering, a continuation, a notice.

use serde_json::Value;
use siderail_tests::stage::Stage;

use crate::play::{Play, answer, at_once, model, no, shown_with, summary};

/// Plays a prompt, answering every question with no and this reason.
async fn deny_all(stage: &mut Stage, reason: &str) -> Value {
    stage.prompt("go");
    loop {
        let event = stage.next().await;
        match event["event"].as_str() {
            Some("PERMISSION_REQUEST") if event["asks"] == true => {
                answer(stage, &event, no(reason))
            }
            Some("TURN_ENDED") if event["continues"] == false => return event,
            _ => {}
        }
    }
}

fn receipts(stage: &Stage) -> Vec<(String, String)> {
    let word = |event: &Value, name: &str| event[name].as_str().unwrap_or_default().to_owned();
    let receipt = |event: &&Value| (word(event, "channel"), word(event, "receipt"));
    stage.all("GUIDANCE_RECEIPT").iter().map(receipt).collect()
}

fn pair(channel: &str, receipt: &str) -> (String, String) {
    (channel.to_owned(), receipt.to_owned())
}

const EDIT_THEN_READ: &str = r#"
    [[prompt]]
    resume = true
    step = [
      { create = "src/App.java", content = "x", expect = "denied" },
      { call = "intellij_read_file", arguments = { path = "src/App.java" }, expect = "allowed" },
      { say = "Done." },
    ]"#;

#[tokio::test]
async fn a_persons_reason_steers_the_running_turn() {
    let mut stage = Play::of("claude", EDIT_THEN_READ).policy("ask").start();
    deny_all(&mut stage, "use tabs").await;
    stage.end().await;
    let shown = shown_with(&stage, "use tabs");
    assert_eq!(
        (shown.turn, shown.source.as_str()),
        (1, "steering"),
        "{shown:?}"
    );
    assert_eq!(receipts(&stage), [pair("steering", "delivered")]);
    assert_eq!(summary(&stage)["turns"], 1);
}

#[tokio::test]
async fn a_persons_reason_goes_by_the_agents_own_api() {
    let mut stage = Play::of("opencode", EDIT_THEN_READ).policy("ask").start();
    deny_all(&mut stage, "use tabs").await;
    stage.end().await;
    assert_eq!(shown_with(&stage, "use tabs").turn, 1);
    assert_eq!(
        receipts(&stage),
        [pair("api", "delivered")],
        "{}",
        stage.tail()
    );
}

#[tokio::test]
async fn a_persons_reason_stands_ahead_of_the_next_result_of_our_tools() {
    at_once(
        ["gemini", "vibe", "openhands", "fast-agent"],
        |shape| async move {
            let mut stage = Play::of(shape, EDIT_THEN_READ).policy("ask").start();
            deny_all(&mut stage, "use tabs").await;
            stage.end().await;
            let shown = shown_with(&stage, "use tabs");
            assert_eq!(
                (shown.turn, shown.source.as_str()),
                (1, "result"),
                "{shape}: {shown:?}"
            );
            assert!(
                shown.text.contains("int x = 1"),
                "{shape}: the result itself is there: {shown:?}"
            );
            assert_eq!(receipts(&stage), [pair("notice", "delivered")], "{shape}");
        },
    )
    .await;
}

#[tokio::test]
async fn a_turn_that_a_no_ended_goes_on_with_the_reason_as_a_prompt() {
    at_once(["copilot", "codex-zed", "qwen"], |shape| async move {
        let mut stage = Play::of(shape, EDIT_THEN_READ).policy("ask").start();
        deny_all(&mut stage, "use tabs").await;
        stage.end().await;
        let prompts: Vec<_> = model(&stage)
            .into_iter()
            .filter(|shown| shown.source == "prompt")
            .map(|shown| shown.text)
            .collect();
        assert_eq!(prompts.len(), 2, "{shape}: {prompts:?}");
        assert!(prompts[1].contains("use tabs"), "{shape}: {prompts:?}");
        assert_eq!(stage.all("AUTO_RETRY").len(), 1, "{shape}");
        let origins: Vec<_> = stage
            .all("TURN_STARTED")
            .iter()
            .map(|e| e["origin"].clone())
            .collect();
        assert_eq!(origins, ["user", "continuation"], "{shape}");
        assert_eq!(
            receipts(&stage),
            [pair("continuation", "delivered")],
            "{shape}"
        );
        assert!(
            stage
                .all("OWN_TOOL")
                .iter()
                .any(|e| e["status"] == "completed"),
            "{shape}"
        );
    })
    .await;
}

#[tokio::test]
async fn a_user_prompt_is_continued_three_times_at_most() {
    const SCRIPT: &str = r#"
        [[prompt]]
        resume = true
        step = [{ steps = [{ create = "src/App.java", content = "x", expect = "denied" }], repeat = 9 }]"#;
    let mut stage = Play::of("copilot", SCRIPT).policy("ask").start();
    deny_all(&mut stage, "not now").await;
    let retries: Vec<_> = stage
        .all("AUTO_RETRY")
        .iter()
        .map(|e| e["attempt"].clone())
        .collect();
    assert_eq!(retries, [1, 2, 3]);
    assert_eq!(stage.until("RETRY_EXHAUSTED").await["attempts"], 3);
    // The next user prompt starts anew.
    deny_all(&mut stage, "not now").await;
    stage.end().await;
    assert_eq!(stage.all("AUTO_RETRY").len(), 6, "{}", stage.tail());
    assert_eq!(stage.all("RETRY_EXHAUSTED").len(), 2);
}

#[tokio::test]
async fn a_reason_that_nobody_could_carry_is_told_as_not_delivered() {
    const SCRIPT: &str = r#"
        [[prompt]]
        step = [
          { create = "src/App.java", content = "x", expect = "denied" },
          { fault = "exit=0" },
        ]"#;
    let mut stage = Play::of("vibe", SCRIPT).policy("ask").start();
    stage.prompt("go");
    let request = stage.until("PERMISSION_REQUEST").await;
    answer(&stage, &request, no("use tabs"));
    let end = stage.summary().await;
    assert_eq!(end["guidance"]["notice"]["failed"], 1, "{end}");
}

#[tokio::test]
async fn a_model_that_went_on_after_a_no_is_not_sent_on() {
    const SCRIPT: &str = r#"
        [[prompt]]
        step = [{ create = "src/App.java", content = "x", expect = "denied" }, { say = "I leave it." }]
        [[prompt]]
        step = [{ call = "intellij_read_file", arguments = { path = "src/App.java" }, expect = "allowed" }]"#;
    at_once(["vibe", "gemini", "fast-agent"], |shape| async move {
        let mut stage = Play::of(shape, SCRIPT).policy("ask").start();
        deny_all(&mut stage, "use tabs").await;
        assert!(stage.all("AUTO_RETRY").is_empty(), "{shape}");
        assert_eq!(stage.all("TURN_STARTED").len(), 1, "{shape}");
        // The user has something else to say: the reason is not dragged along.
        deny_all(&mut stage, "").await;
        stage.end().await;
        crate::play::kept_its_script(&stage);
        assert_eq!(receipts(&stage), [pair("notice", "failed")], "{shape}");
        let shown = model(&stage);
        assert!(
            shown.iter().all(|shown| !shown.text.contains("use tabs")),
            "{shape}: {shown:?}"
        );
    })
    .await;
}

#[tokio::test]
async fn a_reason_that_waits_does_not_outlive_a_cancel() {
    const SCRIPT: &str = r#"
        [[prompt]]
        step = [{ create = "src/App.java", content = "x", expect = "denied" }, { sleep = 60 }]
        [[prompt]]
        step = [{ call = "intellij_read_file", arguments = { path = "src/App.java" }, expect = "allowed" }]"#;
    at_once(["vibe", "gemini"], |shape| async move {
        let mut stage = Play::of(shape, SCRIPT).policy("ask").start();
        stage.prompt("go");
        let request = stage.until("PERMISSION_REQUEST").await;
        answer(&stage, &request, no("use tabs"));
        stage.until("PERMISSION_DENIED").await;
        stage.send(siderail_engine::command::Command::Cancel {
            session: siderail_tests::stage::SESSION,
        });
        stage.until("TURN_ENDED").await;
        deny_all(&mut stage, "").await;
        stage.end().await;
        crate::play::kept_its_script(&stage);
        assert_eq!(receipts(&stage), [pair("notice", "failed")], "{shape}");
        let shown = model(&stage);
        assert!(
            shown.iter().all(|shown| !shown.text.contains("use tabs")),
            "{shape}: {shown:?}"
        );
    })
    .await;
}
