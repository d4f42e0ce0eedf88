//! Our relay is killed at a chosen step of a turn: the agent hears an error, no question and no work stays, and the
//! turn ends as any other.

use std::time::{Duration, Instant};

use siderail_engine::command::PermissionAnswer;
use siderail_tests::processes::{MARK, Process, kill_9, left_after, marked, new_mark};
use siderail_tests::stage::Stage;

use crate::play::{Play, SHAPES, answer, at_once, model, summary};

/// Far from what a tool call, or the silence of an agent, may take.
const AT_ONCE: Duration = Duration::from_secs(60);
const GONE: Duration = Duration::from_secs(5);

fn marked_play(shape: &str, script: &str) -> (Play, String) {
    let mark = new_mark();
    let value = mark.clone();
    let play = Play::of(shape, script).policy("ask").with(|options, _| {
        options.agent_env.insert(MARK.to_owned(), value);
    });
    (play, mark)
}

/// Kills the relays of a session; some agents start two.
fn kill_relays(mark: &str) {
    let is_relay = |process: &&Process| process.words.get(1).is_some_and(|word| word == "relay");
    let is_mcp = |process: &&Process| process.words.get(2).is_none_or(String::is_empty);
    let all = marked(mark);
    let relays: Vec<_> = all.iter().filter(is_relay).filter(is_mcp).collect();
    assert!(!relays.is_empty(), "no relay is there: {all:?}");
    relays.iter().for_each(|relay| kill_9(relay.pid));
}

/// The turn ends by itself, and nothing of it stays.
async fn ends_well(shape: &str, stage: &mut Stage, mark: &str, n_failures: usize) {
    let killed = Instant::now();
    let ended = stage.until("TURN_ENDED").await;
    assert_eq!(
        ended["stop_reason"],
        "end_turn",
        "{shape}: {}",
        stage.tail()
    );
    assert!(
        killed.elapsed() < AT_ONCE,
        "{shape}: {:?}",
        killed.elapsed()
    );
    let failures = model(stage)
        .into_iter()
        .filter(|shown| shown.source == "failure")
        .count();
    assert_eq!(failures, n_failures, "{shape}: {}", stage.tail());
    stage.end().await;
    assert_eq!(summary(stage)["stop_reason"], "end_turn", "{shape}");
    assert!(left_after(mark, GONE).is_empty(), "{shape}");
}

#[tokio::test]
async fn between_calls_the_next_one_fails_at_once() {
    const SCRIPT: &str = r#"
        [[prompt]]
        step = [
          { call = "intellij_read_file", arguments = { path = "src/App.java" } },
          { say = "I have read it" },
          { sleep = 3 },
          { call = "intellij_read_file", arguments = { path = "src/App.java" } },
        ]"#;
    at_once(SHAPES, |(shape, _)| async move {
        let (play, mark) = marked_play(shape, SCRIPT);
        let mut stage = play.answer(true).start();
        stage.prompt("go");
        while stage.until("AGENT_MESSAGE").await["text"] != "I have read it" {}
        kill_relays(&mark);
        ends_well(shape, &mut stage, &mark, 1).await;
    })
    .await;
}

#[tokio::test]
async fn in_a_call_its_work_is_ended_and_the_agent_hears_an_error() {
    const SCRIPT: &str = r#"
        [[prompt]]
        step = [
          { call = "run_command", arguments = { command = "sleep 200" } },
          { call = "intellij_read_file", arguments = { path = "src/App.java" } },
          { sleep = 4 },
        ]"#;
    at_once(SHAPES, |(shape, _)| async move {
        let (play, mark) = marked_play(shape, SCRIPT);
        let mut stage = play.answer(true).start();
        stage.prompt("go");
        while stage.until("OWN_TOOL").await["status"] != "started" {}
        kill_relays(&mark);
        while stage.until("OWN_TOOL").await["status"] != "cancelled" {}
        let ended = stage.all("TURN_ENDED");
        assert!(
            ended.is_empty(),
            "{shape}: its end does not wait for the turn's"
        );
        ends_well(shape, &mut stage, &mark, 2).await;
    })
    .await;
}

#[tokio::test]
async fn with_an_open_question_the_question_is_closed_and_a_late_yes_runs_nothing() {
    const SCRIPT: &str = r#"
        [[prompt]]
        step = [
          { call = "run_command", arguments = { command = "touch ran" } },
          { sleep = 4 },
        ]"#;
    at_once(SHAPES, |(shape, _)| async move {
        let (play, mark) = marked_play(shape, SCRIPT);
        let mut stage = play.start();
        stage.prompt("go");
        // What the agent itself asks about first is allowed; the gate's own question stays open.
        let request = loop {
            let request = stage.until("PERMISSION_REQUEST").await;
            if request["channel"] == "own" {
                break request;
            }
            if request["asks"] == true {
                answer(&stage, &request, PermissionAnswer::Allow);
            }
        };
        assert_eq!(request["asks"], true, "{shape}: {request}");
        kill_relays(&mark);
        let denied = stage.until("PERMISSION_DENIED").await;
        assert_eq!(denied["by"], "cancel", "{shape}: {denied}");
        assert_eq!(denied["request_id"], request["request_id"], "{shape}");
        answer(&stage, &request, PermissionAnswer::Allow);
        ends_well(shape, &mut stage, &mark, 1).await;
        assert!(!stage.place.path("project/ran").exists(), "{shape}");
    })
    .await;
}

#[tokio::test]
async fn ahead_of_its_first_word_the_session_goes_on_without_our_tools() {
    const SCRIPT: &str = r#"
        [[prompt]]
        step = [{ call = "intellij_read_file", arguments = { path = "src/App.java" } }]"#;
    at_once(SHAPES, |(shape, _)| async move {
        let (play, mark) = marked_play(shape, SCRIPT);
        let dead = ["sh", "-c", "kill -9 $$"].map(str::to_owned);
        let mut stage = play.answer(true).with_relay(&dead).start();
        stage.prompt("go");
        ends_well(shape, &mut stage, &mark, 0).await;
        assert!(stage.all("OWN_TOOL").is_empty(), "{shape}");
    })
    .await;
}
