//! `siderail trace replay`: recordings of real agents are shown as they were seen, and nothing is carried out.

use std::path::Path;

use serde_json::Value;

use crate::process::{Ended, Place};

fn recording(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/recordings");
    folder.join(name).display().to_string()
}

#[test]
fn every_recorded_agent_is_replayed_with_its_turns_and_denials() {
    let place = Place::new();
    for agent in [
        "claude",
        "codex",
        "copilot",
        "gemini",
        "opencode",
        "qwen",
        "vibe",
        "fast-agent",
    ] {
        let file = recording(&format!("{agent}/deny.acp.jsonl"));
        let ended = place.run(&["trace", "replay", &file, "--json"]);
        assert_eq!(ended.code, Some(0), "{agent}: {ended:?}");
        let of = |name: &str| {
            ended
                .lines()
                .iter()
                .filter(|line| line["event"] == name)
                .count()
        };
        assert_eq!(of("SESSION_STARTED"), 1, "{agent}");
        assert!(
            of("TURN_STARTED") > 0 && of("TURN_ENDED") == of("TURN_STARTED"),
            "{agent}"
        );
        assert!(of("PERMISSION_DENIED") > 0, "{agent}");
        assert_eq!(of("PERMISSION_APPROVED"), 0, "{agent}");
        let shown = place.run(&["trace", "replay", &file]);
        assert!(shown.out.contains("> "), "{agent}: {}", shown.out);
    }
    assert_eq!(
        crate::process::entries(&place.project()).len(),
        0,
        "nothing is carried out"
    );
}

#[test]
fn what_is_no_recording_is_said_to_be_none() {
    let place = Place::new();
    let file = place.path("x.jsonl");
    std::fs::write(&file, "no\n").expect("written");
    let ended = place.run(&["trace", "replay", &file.display().to_string()]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
}

/// An agent in this shape that does what the script says.
fn agent(shape: &str, script: &str) -> String {
    format!(
        "'{}' scripted-agent --shape {shape} --script-text '{script}'",
        env!("CARGO_BIN_EXE_siderail")
    )
}

/// The events of a run with `words`, and those of its recording, without what both number by their own clocks.
fn lived_and_replayed(words: &[&str]) -> (Vec<Value>, Vec<Value>) {
    let place = Place::new();
    let file = place.path("t.jsonl").display().to_string();
    let lived = place.run(&[&["run", "--json", "--trace", &file], words, &["hi"]].concat());
    let replayed = place.run(&["trace", "replay", "--json", &file]);
    assert_eq!(replayed.code, Some(0), "{replayed:?}");
    let told = |ended: &Ended| {
        // what can be set and what was changed on disk is of no use later
        let left_out = ["SESSION_OPTIONS", "AGENT_COMMANDS", "CHANGES"];
        let mut lines = ended.lines();
        lines.retain(|line| !left_out.contains(&line["event"].as_str().expect("a name")));
        for line in &mut lines {
            for own in ["t", "seq", "duration_s"] {
                line.as_object_mut().expect("an object").remove(own);
            }
        }
        lines
    };
    (told(&lived), told(&replayed))
}

#[test]
fn a_run_of_ones_own_is_replayed_with_all_that_was_decided_and_its_summary() {
    let steps = "really = true\n[[prompt]]\nstep = [{ edit = \"a.txt\", old = \"1\", new = \"2\" }, { say = \"Done.\" }]";
    let words = [
        "--agent",
        "copilot",
        "--agent-command",
        &agent("copilot", steps),
        "--hide",
        "off",
    ];
    let (lived, replayed) = lived_and_replayed(&words);
    let of = |events: &[Value], name: &str| -> Vec<Value> {
        let of = |line: &&Value| line["event"] == name;
        events.iter().filter(of).cloned().collect()
    };
    for name in [
        "SESSION_STARTED",
        "TURN_STARTED",
        "PERMISSION_REQUEST",
        "PRE_REJECTION_GUIDANCE",
        "PERMISSION_DENIED",
        "GUIDANCE_RECEIPT",
        "GUIDANCE_IGNORED",
        "TURN_ENDED",
    ] {
        assert_eq!(of(&replayed, name), of(&lived, name), "{name}");
    }
    assert!(!of(&lived, "PERMISSION_DENIED").is_empty(), "{lived:?}");
    assert_eq!(
        replayed.last(),
        lived.last(),
        "the summary is the last line"
    );
    assert_eq!(lived.last().expect("a line")["event"], "SUMMARY");
}

#[test]
fn a_login_that_was_missing_and_an_agent_that_died_are_replayed_as_what_they_were() {
    let wants = agent("openhands", "[[prompt]]");
    let wants = format!("{wants} --logged-in /nowhere/at/all");
    let (lived, replayed) =
        lived_and_replayed(&["--agent", "openhands", "--agent-command", &wants]);
    assert_eq!(replayed, lived);
    assert!(
        lived.iter().any(|line| line["event"] == "LOGIN_NEEDED"),
        "{lived:?}"
    );
    let dies = agent("claude", "[[prompt]]\nstep = [{ fault = \"exit=3\" }]");
    let (lived, replayed) = lived_and_replayed(&["--agent", "mine", "--agent-command", &dies]);
    for events in [lived, replayed] {
        let error = events.iter().find(|line| line["event"] == "ERROR");
        assert_eq!(error.expect("an error")["kind"], "closed");
        let last = events.last().expect("a line");
        assert_eq!(
            (&last["agent"], &last["stop_reason"]),
            (&"mine".into(), &"error".into())
        );
    }
}

#[test]
fn a_recording_without_notes_keeps_to_the_words_that_readers_of_events_know() {
    let place = Place::new();
    let ended = place.run(&[
        "trace",
        "replay",
        &recording("qwen/deny.acp.jsonl"),
        "--json",
    ]);
    let lines = ended.lines();
    let policies = ["redirect", "ask", "observe", "yolo"];
    let started = lines.iter().find(|line| line["event"] == "SESSION_STARTED");
    let policy = &started.expect("it is told")["policy"];
    assert!(
        policies.contains(&policy.as_str().expect("a word")),
        "{policy}"
    );
    let last = lines.last().expect("a line");
    assert_eq!(
        (&last["event"], &last["agent"]),
        (&"SUMMARY".into(), &"qwen".into())
    );
}
