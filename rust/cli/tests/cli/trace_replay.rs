//! `siderail trace replay`: recordings of real agents are shown as they were seen, and nothing is carried out.

use std::path::Path;

use crate::process::Place;

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
