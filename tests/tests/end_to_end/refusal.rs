//! Agents that edit through the client's files and run through its terminals are refused there, with the
//! reason as the error, also where they never asked.

use siderail_tests::place::APP;

use crate::play::{Play, SHAPES, at_once, shown_with, summary};

const UNASKED_WRITE: &str = r#"
    [[prompt]]
    step = [
      { request = "fs/write_text_file", params = { sessionId = "${session}", path = "${cwd}/src/App.java", content = "x" } },
      { request = "fs/read_text_file", params = { sessionId = "${session}", path = "${cwd}/src/App.java" } },
    ]"#;

#[tokio::test]
async fn a_write_that_nobody_was_asked_about_is_refused_with_the_reason() {
    at_once(
        ["gemini", "qwen", "fast-agent", "opencode"],
        |shape| async move {
            let (_, as_seen) = SHAPES.iter().find(|(name, _)| *name == shape).unwrap();
            let stage = Play::of(shape, UNASKED_WRITE).answer(true).run().await;
            assert_eq!(stage.place.read("project/src/App.java"), APP, "{shape}");
            let refusal = shown_with(&stage, as_seen);
            assert_eq!(refusal.source, "failure", "{shape}: {refusal:?}");
            assert_eq!(
                summary(&stage)["guidance"]["refusal"]["delivered"],
                1,
                "{shape}"
            );
            let read = shown_with(&stage, "int x = 1");
            assert_eq!(
                read.source, "result",
                "{shape}: files can be read: {read:?}"
            );
        },
    )
    .await;
}

#[tokio::test]
async fn an_allowed_edit_lands_through_the_host_and_an_allowed_command_runs_here() {
    const SCRIPT: &str = r#"
        [[prompt]]
        step = [
          { create = "src/New.java", content = "class New {}", expect = "allowed" },
          { shell = "uname", expect = "allowed" },
        ]"#;
    let stage = Play::of("fast-agent", SCRIPT)
        .policy("ask")
        .answer(true)
        .run()
        .await;
    assert_eq!(stage.place.read("project/src/New.java"), "class New {}");
    assert_eq!(
        summary(&stage)["files_written"],
        serde_json::json!(["src/New.java"])
    );
    let system = std::env::consts::OS;
    let uname = shown_with(&stage, "Exit code").text.to_lowercase();
    assert!(uname.contains(system), "the command's output: {uname}");
}

#[tokio::test]
async fn a_file_outside_the_project_is_neither_read_nor_written() {
    const SCRIPT: &str = r#"
        [[prompt]]
        step = [
          { request = "fs/read_text_file", params = { sessionId = "${session}", path = "/etc/hostname" } },
          { request = "fs/write_text_file", params = { sessionId = "${session}", path = "${cwd}/../escaped", content = "x" } },
          { request = "fs/read_text_file", params = { sessionId = "${session}", path = "${cwd}/link/secret" } },
        ]"#;
    at_once(["redirect", "ask", "yolo"], |policy| async move {
        let play = Play::of("gemini", SCRIPT).policy(policy).answer(true);
        let stage = play
            .with(|_, place| {
                place.write("home/secret", "hunter2");
                let link = place.path("project/link");
                std::os::unix::fs::symlink(place.path("home"), link).unwrap();
            })
            .run()
            .await;
        assert!(!stage.place.path("escaped").exists(), "{policy}");
        let failures = crate::play::model(&stage);
        let failures = failures.iter().filter(|shown| shown.source == "failure");
        assert_eq!(failures.count(), 3, "{policy}");
        assert!(
            !stage.place.read("model.jsonl").contains("hunter2"),
            "{policy}"
        );
    })
    .await;
}

#[tokio::test]
async fn a_command_that_nobody_was_asked_about_does_not_run() {
    const SCRIPT: &str = r#"
        [[prompt]]
        step = [{ request = "terminal/create", params = { sessionId = "${session}", command = "touch", args = ["src/ran"] } }]"#;
    let stage = Play::of("fast-agent", SCRIPT)
        .policy("ask")
        .answer(false)
        .run()
        .await;
    assert!(!stage.place.path("project/src/ran").exists());
    assert_eq!(shown_with(&stage, "ask for permission").source, "failure");
}
