//! `siderail trace show`: every recording can be read by people.

use std::path::{Path, PathBuf};

use crate::process::{Place, entries};

fn recordings() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/recordings");
    let files: Vec<PathBuf> = entries(&folder)
        .iter()
        .flat_map(|agent| entries(agent))
        .collect();
    files
        .into_iter()
        .filter(|file| file.extension().is_some_and(|e| e == "jsonl"))
        .collect()
}

fn show(file: &Path, raw: bool) -> crate::process::Ended {
    let file = file.to_str().expect("a name that is text");
    let words = ["trace", "show", file, "--raw"];
    Place::new().run(if raw { &words } else { &words[..3] })
}

#[test]
fn every_recording_is_shown_line_by_line_without_a_damaged_one() {
    let files = recordings();
    assert!(files.len() > 50, "the recordings are where they were");
    for file in &files {
        let ended = show(file, false);
        assert_eq!(
            (ended.code, ended.err.as_str()),
            (Some(0), ""),
            "{}",
            file.display()
        );
        let n_lines = std::fs::read_to_string(file).unwrap().lines().count();
        assert_eq!(ended.out.lines().count(), n_lines, "{}", file.display());
        let control = |c: char| c.is_control() && c != '\n';
        assert!(
            !ended.out.contains(control),
            "{} reaches the terminal raw",
            file.display()
        );
    }
}

#[test]
fn a_denial_can_be_followed_in_a_recording() {
    let file = recordings()
        .into_iter()
        .find(|file| file.ends_with("gemini/deny.acp.jsonl"));
    let text = show(&file.unwrap(), false).out;
    for said in [
        "→ initialize #1",
        "(initialize)",
        "session/request_permission",
        "selected",
        "end_turn",
    ] {
        assert!(text.contains(said), "{said} is missing: {text}");
    }
}

#[test]
fn raw_shows_the_messages_whole() {
    let place = Place::new();
    let file = place.path("t.jsonl");
    let message = r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"long":["a","b"]}}"#;
    std::fs::write(
        &file,
        format!("{{\"t\":1.5,\"dir\":\"client->agent\",\"msg\":{message}}}\n"),
    )
    .unwrap();
    assert_eq!(show(&file, true).out, format!("    1.500  → {message}\n"));
}

#[test]
fn damaged_lines_are_skipped_and_counted() {
    let place = Place::new();
    let file = place.path("t.jsonl");
    let good = r#"{"t":1,"dir":"agent-stderr","msg":"hello"}"#;
    let mut lines = format!("{good}\n{{\"t\":2,\"dir\n\n").into_bytes();
    lines.extend(b"\xff\xff\n");
    lines.extend(good.bytes());
    std::fs::write(&file, lines).unwrap();
    let ended = show(&file, false);
    assert_eq!(ended.code, Some(0));
    assert_eq!(ended.out.lines().count(), 2);
    assert_eq!(ended.err, "2 damaged lines of 4 skipped\n");
}

#[test]
fn a_file_that_is_missing_or_no_recording_is_wrong_usage() {
    let place = Place::new();
    let missing = show(&place.path("missing"), false);
    assert_eq!(missing.code, Some(2));
    assert!(missing.err.contains("cannot be read") && missing.err.contains("hint: "));
    let file = place.path("t.txt");
    std::fs::write(&file, "some\ntext\n").unwrap();
    let ended = show(&file, false);
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.contains("is not a recording"), "{}", ended.err);
}

#[test]
fn a_device_is_no_recording_and_an_empty_file_is_one_of_nothing_for_show_and_replay_alike() {
    let place = Place::new();
    let empty = place.path("empty.jsonl");
    std::fs::write(&empty, "").expect("written");
    for how in ["show", "replay"] {
        let ended = place.run(&["trace", how, "/dev/zero"]);
        assert_eq!(ended.code, Some(2), "{how}: {ended:?}");
        assert!(ended.err.contains("it is not a file"), "{how}: {ended:?}");
        let ended = place.run(&["trace", how, &empty.to_string_lossy()]);
        assert_eq!(ended.code, Some(0), "{how}: {ended:?}");
        assert!(
            ended.err.contains("nothing was recorded"),
            "{how}: {ended:?}"
        );
    }
}
