//! Every recording goes through the real engine, and what it leads to is what the golden file says.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use siderail_tests::golden;
use siderail_tests::replay::{Recording, all, replay};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Replays at the same time: each mostly waits for processes.
const AT_ONCE: usize = 6;
/// Longer than any pause of a replay.
const QUIET: Duration = Duration::from_secs(60);
/// Long enough for a pause of a replay that continues; one that does not differs from the others anyway.
const SHORT: Duration = Duration::from_secs(2);

fn siderail() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_siderail_under_test"))
}

#[tokio::test]
async fn every_recording_is_understood_as_its_golden_file_says() {
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let mut replays = JoinSet::new();
    for (agent, scenario) in all() {
        let places = Arc::clone(&places);
        replays.spawn(async move {
            let _place = places.acquire().await.unwrap();
            let name = format!("{agent}/{scenario}");
            let text = replay(&Recording::load(&agent, &scenario), siderail(), QUIET).await;
            golden::check(&name, &text)
        });
    }
    let results = replays.join_all().await;
    let failed: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Lines of the agent that the engine has something to say about.
fn with_meaning(recording: &Recording) -> Vec<usize> {
    const UPDATES: [&str; 5] = [
        "tool_call",
        "tool_call_update",
        "agent_message_chunk",
        "agent_thought_chunk",
        "plan",
    ];
    let is_meant = |line: &usize| {
        let message = &recording.lines[*line]["msg"];
        match message["method"].as_str() {
            Some("session/update") => {
                let kind = message["params"]["update"]["sessionUpdate"].as_str();
                kind.is_some_and(|kind| UPDATES.contains(&kind))
            }
            Some(_) => message.get("id").is_some(),
            // Answers to what the engine asks too; logins and modes are the recorder's own.
            None => ["protocolVersion", "sessionId", "stopReason"]
                .iter()
                .any(|member| message["result"].get(member).is_some()),
        }
    };
    let mut lines = recording.agent_lines();
    lines.retain(is_meant);
    lines
}

/// A recording with something wrong, and how long its replay may be silent.
struct Changed {
    what: String,
    recording: Recording,
    quiet: Duration,
}

/// Each line missing once, and each two neighbours in each other's place.
fn changed(agent: &str, scenario: &str) -> Vec<Changed> {
    let recording = Recording::load(agent, scenario);
    let lines = with_meaning(&recording);
    let method = |line: usize| recording.lines[line]["msg"]["method"].as_str();
    // Without an answer or a question the replay stops, which is noticed by its silence; updates stop nothing.
    let quiet = |touched: &[usize]| {
        let is_update = |line: &usize| method(*line) == Some("session/update");
        if touched.iter().all(is_update) {
            QUIET
        } else {
            SHORT
        }
    };
    let without = lines.iter().map(|line| Changed {
        what: format!("{agent}/{scenario} without line {}", line + 1),
        recording: recording.without(*line),
        quiet: quiet(&[*line]),
    });
    // The host answers requests for files when it can: their place among the updates means nothing.
    let is_ordered = |line: &usize| method(*line).is_none_or(|method| !method.starts_with("fs/"));
    let pairs = lines.windows(2).filter(|pair| pair.iter().all(is_ordered));
    let swapped = pairs.map(|pair| Changed {
        what: format!(
            "{agent}/{scenario} with lines {} and {} swapped",
            pair[0] + 1,
            pair[1] + 1
        ),
        recording: recording.with_swapped(pair[0], pair[1]),
        quiet: quiet(pair),
    });
    without.chain(swapped).collect()
}

#[tokio::test]
async fn a_line_that_is_lost_or_comes_out_of_order_changes_what_is_understood() {
    let sample = [
        ("codex-zed", "deny"),
        ("claude", "cancel"),
        ("gemini", "deny"),
    ];
    let cases: Vec<Changed> = sample
        .iter()
        .flat_map(|(agent, scenario)| changed(agent, scenario))
        .collect();
    assert!(cases.len() > 60, "{} cases", cases.len());
    let places = Arc::new(Semaphore::new(2 * AT_ONCE));
    let mut replays = JoinSet::new();
    for Changed {
        what,
        recording,
        quiet,
    } in cases
    {
        let places = Arc::clone(&places);
        replays.spawn(async move {
            let _place = places.acquire().await.unwrap();
            let name = format!("{}/{}", recording.agent, recording.scenario);
            let text = replay(&recording, siderail(), quiet).await;
            golden::is_same(&name, &text).then_some(what)
        });
    }
    let unnoticed: Vec<String> = replays.join_all().await.into_iter().flatten().collect();
    assert!(
        unnoticed.is_empty(),
        "not noticed: {}",
        unnoticed.join("\n")
    );
}
