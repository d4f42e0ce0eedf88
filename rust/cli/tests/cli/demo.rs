//! `siderail demo`: the promise to somebody who has nothing installed.

use std::time::{Duration, Instant};

use crate::process::{Place, entries};

#[test]
fn the_demo_shows_each_step_and_leaves_nothing_behind() {
    let place = Place::new();
    let temporary = place.path("t");
    std::fs::create_dir(&temporary).unwrap();
    let started = Instant::now();
    let output = place
        .siderail(&["demo", "-v"])
        .env("TMPDIR", &temporary)
        .output()
        .unwrap();
    let ended = crate::process::Ended::of(output);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(started.elapsed() < Duration::from_secs(20));
    let mut rest = ended.out.as_str();
    for said in [
        "PERMISSION_REQUEST",
        "PRE_REJECTION_GUIDANCE",
        "intellij_write_file",
        "PERMISSION_DENIED",
        "PERMISSION_APPROVED",
        "✓ intellij_write_file src/App.java",
        "    -    int x = 1;\n    +    int x = 2;\n",
        "cat src/App.java",
        "PERMISSION_DENIED",
        "date",
        "PERMISSION_APPROVED",
        "NUDGE",
        "redirect rate:",
        "written: src/App.java",
    ] {
        let at = rest.find(said);
        let at = at.unwrap_or_else(|| panic!("{said:?} does not follow in {}", ended.out));
        rest = &rest[at + said.len()..];
    }
    assert!(
        ended.err.contains("src/App.java has the new text"),
        "{}",
        ended.err
    );
    assert!(!ended.out.contains('\x1b'), "no colour without a terminal");
    assert_eq!(entries(&temporary).len(), 0, "the project is gone");
    assert_eq!(place.left_behind().len(), 0, "the run's folder is gone");
    assert_eq!(
        place.run(&["history", "list", "--all"]).out,
        "",
        "nothing is saved of it"
    );
}

#[test]
fn without_v_the_demo_has_one_row_for_a_denial_and_no_word_of_an_event() {
    let ended = Place::new().run(&["demo"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(!ended.out.contains("PERMISSION_"), "{}", ended.out);
    let denied = "✗ denied edit: src/App.java → use intellij_write_file\n";
    assert!(ended.out.contains(denied), "{}", ended.out);
    assert!(!ended.out.contains("the model used"), "{}", ended.out);
    assert!(ended.err.contains("demo -v"), "{}", ended.err);
}

#[test]
fn the_demo_for_programs_ends_with_the_summary() {
    let ended = Place::new().run(&["demo", "--json"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let lines = ended.lines();
    let summary = lines.last().unwrap();
    assert_eq!(summary["event"], "SUMMARY");
    assert_eq!(summary["files_written"][0], "src/App.java");
    assert!(summary["followed"].as_u64().unwrap() > 0);
    assert_eq!(summary["unguarded"], false);
    for event in [
        "PRE_REJECTION_GUIDANCE",
        "GUIDANCE_FOLLOWED",
        "NUDGE",
        "OWN_TOOL",
    ] {
        assert!(
            lines.iter().any(|line| line["event"] == event),
            "{event} is missing"
        );
    }
}
