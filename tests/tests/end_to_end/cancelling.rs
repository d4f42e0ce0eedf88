//! A cancelled turn ends, its questions are answered, and the session's end leaves no process.

use std::time::{Duration, Instant};

use siderail_engine::command::Command;
use siderail_tests::processes::{MARK, left_after, marked, new_mark};
use siderail_tests::stage::{SESSION, Stage};

use crate::play::{Play, SHAPES, at_once, summary, traffic};

/// From the wish to end to the end.
const AT_ONCE: Duration = Duration::from_secs(5);

/// For what an agent has started to run, on a busy machine.
const STARTED: Duration = Duration::from_secs(30);

/// Two stray processes of the agent, and an edit that is asked about.
const STRAYS: &str = r#"
    [[prompt]]
    step = [
      { spawn_grandchild = true },
      { create = "src/App.java", content = "x" },
      { sleep = 60 },
    ]"#;

fn marked_play(shape: &str, script: &str) -> (Play, String) {
    let mark = new_mark();
    let value = mark.clone();
    let play = Play::of(shape, script).policy("ask").with(|options, _| {
        options.agent_env.insert(MARK.to_owned(), value);
    });
    (play, mark)
}

/// Cancels, ends, and says how long both took together.
async fn cancel_and_end(stage: &mut Stage) -> Duration {
    let started = Instant::now();
    stage.send(Command::Cancel { session: SESSION });
    let ended = stage.until("TURN_ENDED").await;
    assert_eq!(ended["stop_reason"], "cancelled", "{}", stage.tail());
    stage.end().await;
    started.elapsed()
}

#[tokio::test]
async fn a_cancelled_question_is_answered_and_nothing_of_the_agent_stays() {
    at_once(SHAPES, |(shape, _)| async move {
        let (play, mark) = marked_play(shape, STRAYS);
        let mut stage = play.start();
        stage.prompt("go");
        let asked = stage.until("PERMISSION_REQUEST").await;
        assert_eq!(asked["asks"], true, "{shape}: {asked}");
        // The agent does not wait until what it has started runs.
        let strays = || {
            let all = marked(&mark);
            all.iter().filter(|process| process.has("120")).count()
        };
        let deadline = Instant::now() + STARTED;
        while strays() < 2 && Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert!(strays() >= 2, "{shape}: {} stray processes", strays());
        let took = cancel_and_end(&mut stage).await;
        assert!(took < AT_ONCE, "{shape}: {took:?}");
        assert_eq!(stage.all("PERMISSION_DENIED")[0]["by"], "cancel", "{shape}");
        let outcome =
            |line: &serde_json::Value| line["msg"]["result"]["outcome"]["outcome"].clone();
        let answers: Vec<_> = traffic(&stage)
            .iter()
            .map(outcome)
            .filter(|o| !o.is_null())
            .collect();
        assert_eq!(answers, ["cancelled"], "{shape}");
        let left = left_after(&mark, AT_ONCE);
        assert!(left.is_empty(), "{shape}: {left:?}");
        let end = summary(&stage);
        assert_eq!(end["stop_reason"], "cancelled", "{shape}");
        assert_eq!(
            end["denials"],
            serde_json::json!({}),
            "{shape}: nobody said no"
        );
    })
    .await;
}

#[tokio::test]
async fn a_turn_that_works_is_cancelled_with_its_commands() {
    const SCRIPT: &str = r#"
        [[prompt]]
        step = [{ call = "run_command", arguments = { command = "sleep 100 & setsid sleep 100 & sleep 100" } }]
        [[prompt]]
        step = [{ say = "again" }]"#;
    let (play, mark) = marked_play("claude", SCRIPT);
    let mut stage = play.answer(true).start();
    stage.prompt("go");
    while stage.until("OWN_TOOL").await["status"] != "started" {}
    stage.send(Command::Cancel { session: SESSION });
    assert_eq!(stage.until("TURN_ENDED").await["stop_reason"], "cancelled");
    let ended = stage.play("again").await;
    assert_eq!(ended["stop_reason"], "end_turn", "the session lives on");
    let has_sleep = |process: &siderail_tests::processes::Process| process.has("sleep");
    let deadline = Instant::now() + AT_ONCE;
    while marked(&mark).iter().any(has_sleep) && Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let left: Vec<_> = marked(&mark).into_iter().filter(has_sleep).collect();
    assert!(left.is_empty(), "the command goes with its turn: {left:?}");
    stage.end().await;
    assert!(left_after(&mark, AT_ONCE).is_empty());
}

#[tokio::test]
async fn an_agent_that_ignores_a_cancel_is_ended() {
    at_once(["claude", "gemini"], |shape| async move {
        let (play, mark) = marked_play(
            shape,
            "[[prompt]]\nstep = [{ spawn_grandchild = true }, { say = 'it runs' }, { sleep = 60 }]",
        );
        let mut stage = play.faults("hang_on_cancel,ignore_eof").start();
        stage.prompt("go");
        stage.until("AGENT_MESSAGE").await;
        let started = Instant::now();
        stage.send(Command::Cancel { session: SESSION });
        let end = stage.summary().await;
        let took = started.elapsed();
        assert_eq!(end["stop_reason"], "cancelled", "{shape}");
        assert_eq!(stage.all("TURN_ENDED").len(), 1, "{shape}");
        assert!(took < 2 * AT_ONCE, "{shape}: {took:?}");
        let left = left_after(&mark, AT_ONCE);
        assert!(left.is_empty(), "{shape}: {left:?}");
    })
    .await;
}

#[tokio::test]
async fn a_cancel_drops_the_prompts_that_wait() {
    let mut stage = Play::of("copilot", "[[prompt]]\nstep = [{ sleep = 60 }]").start();
    stage.prompt("first");
    stage.prompt("never sent");
    stage.until("TURN_STARTED").await;
    stage.send(Command::Cancel { session: SESSION });
    stage.until("TURN_ENDED").await;
    stage.end().await;
    assert_eq!(stage.all("TURN_STARTED").len(), 1);
}
