//! Agents that edit through the client's files and run through its terminals are refused there, with the
//! reason as the error, also where they never asked.

use std::time::{Duration, Instant};

use siderail_engine::command::{Command, PermissionAnswer};
use siderail_tests::place::APP;
use siderail_tests::stage::SESSION;

use crate::play::{Play, SHAPES, answer, at_once, model, shown_with, summary, traffic};

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
          { request = "fs/write_text_file", params = { sessionId = "${session}", path = "${cwd}/link/escaped", content = "x" } },
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
        assert!(!stage.place.path("home/escaped").exists(), "{policy}");
        let failures = crate::play::model(&stage);
        let failures = failures.iter().filter(|shown| shown.source == "failure");
        assert_eq!(failures.count(), 4, "{policy}");
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

/// Asks about a command in a folder, as an agent that runs it in a terminal would.
fn ask_about(command: &str, folder: &str) -> String {
    format!(
        r#"{{ request = "session/request_permission", params = {{ sessionId = "${{session}}", toolCall = {{ toolCallId = "t1", title = "run", kind = "execute", rawInput = {{ command = "{command}", cwd = "{folder}" }} }}, options = [{{ optionId = "y", name = "Yes", kind = "allow_once" }}, {{ optionId = "n", name = "No", kind = "reject_once" }}] }} }}"#
    )
}

/// Runs it.
fn run(program: &str, args: &str, folder: &str) -> String {
    format!(
        r#"{{ request = "terminal/create", params = {{ sessionId = "${{session}}", command = "{program}", args = [{args}], cwd = "{folder}" }} }}"#
    )
}

#[tokio::test]
async fn a_yes_to_a_command_in_one_folder_is_none_to_it_in_another() {
    let steps = [
        ask_about("touch 'ran here'", "${cwd}/src"),
        run("touch", "\"ran here\"", "${cwd}"),
        run("touch", "\"ran here\"", "${cwd}/src"),
        "{ sleep = 0.5 }".to_owned(),
    ];
    let script = format!("[[prompt]]\nstep = [{}]", steps.join(", "));
    let mut stage = Play::of("fast-agent", &script).policy("ask").start();
    stage.prompt("go");
    let request = stage.until("PERMISSION_REQUEST").await;
    answer(&stage, &request, PermissionAnswer::Allow);
    stage.until("TURN_ENDED").await;
    stage.end().await;
    assert_eq!(shown_with(&stage, "ask for permission").source, "failure");
    assert!(!stage.place.path("project/ran here").exists());
    assert!(stage.place.path("project/src/ran here").exists());
}

#[tokio::test]
async fn a_command_is_refused_for_its_own_reason_and_not_for_another_ones() {
    let steps = [
        ask_about("cat src/App.java", "${cwd}"),
        run("uname", "\"-a\"", "${cwd}"),
        run("cat", "\"src/App.java\"", "${cwd}"),
    ];
    let script = format!("[[prompt]]\nstep = [{}]", steps.join(", "));
    let stage = Play::of("fast-agent", &script).answer(true).run().await;
    let of_terminals: Vec<bool> = model(&stage)
        .iter()
        .filter(|shown| shown.text.contains("terminalId") || shown.source == "failure")
        .map(|shown| shown.text.contains("intellij_read_file"))
        .collect();
    assert_eq!(of_terminals, [false, true], "{:?}", model(&stage));
    assert_eq!(stage.all("PERMISSION_DENIED").len(), 1, "{}", stage.tail());
}

#[tokio::test]
async fn a_command_has_ended_although_something_it_left_holds_its_output() {
    const SCRIPT: &str = r#"
        [[prompt]]
        step = [{ shell = "./leave something", expect = "allowed", expect_result_contains = "started" }]"#;
    let started = Instant::now();
    let stage = Play::of("fast-agent", SCRIPT)
        .policy("ask")
        .answer(true)
        .without_guardian()
        .with(|_, place| {
            place.write_program("project/leave", "sleep 120 &\necho started\nexit 3");
        })
        .run()
        .await;
    assert!(
        started.elapsed() < Duration::from_secs(60),
        "{:?}",
        started.elapsed()
    );
    assert!(shown_with(&stage, "started").text.contains('3'));
}

#[tokio::test]
async fn an_agent_that_waits_for_a_command_is_answered_at_the_sessions_end() {
    const SCRIPT: &str = "[[prompt]]\nstep = [{ shell = 'sleep 100' }]";
    let mut stage = Play::of("fast-agent", SCRIPT)
        .policy("ask")
        .answer(true)
        .start();
    stage.prompt("go");
    let waits = |stage: &siderail_tests::stage::Stage| {
        let lines = traffic(stage);
        let wait = lines
            .iter()
            .find(|line| line["msg"]["method"] == "terminal/wait_for_exit")?;
        Some(wait["msg"]["id"].clone())
    };
    let deadline = Instant::now() + Duration::from_secs(60);
    let id = loop {
        if let Some(id) = waits(&stage) {
            break id;
        }
        assert!(Instant::now() < deadline, "{}", stage.tail());
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    stage.send(Command::EndSession {
        session: SESSION,
        why: None,
    });
    stage.summary().await;
    let answers: Vec<_> = traffic(&stage)
        .into_iter()
        .filter(|line| line["dir"] == "client->agent" && line["msg"]["id"] == id)
        .filter(|line| line["msg"].get("method").is_none())
        .collect();
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert_eq!(answers[0]["msg"]["error"]["code"], -32800);
}

#[tokio::test]
async fn an_agent_that_never_releases_its_terminals_still_gets_new_ones() {
    let one = run("true", "\"--version\"", "${cwd}");
    let script =
        format!("[[prompt]]\nstep = [{{ steps = [{one}, {{ sleep = 0.02 }}], repeat = 80 }}]");
    let stage = Play::of("fast-agent", &script)
        .policy("ask")
        .answer(true)
        .run()
        .await;
    let shown = model(&stage);
    let created = shown
        .iter()
        .filter(|shown| shown.text.contains("terminalId"));
    assert_eq!(created.count(), 80, "{:?}", shown.last());
}
