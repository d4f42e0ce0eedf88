//! The denial tracker and the canary, as a session drives them.

use siderail_guard::denial::{STOP_AT, SUGGEST_AT, is_permission_failure};
use siderail_guard::{ActionKind, Canary, DenialTracker, Identity};

fn tracker() -> DenialTracker {
    DenialTracker::new(2, "/proj")
}

/// A text without its numbers, as a reader compares two messages.
fn words(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_digit()).collect()
}

#[test]
fn one_tool_denied_again_and_again_is_told_to_try_another_way_and_then_to_stop() {
    let mut tracker = tracker();
    let texts: Vec<Option<(u32, String)>> = (0..5)
        .map(|_| {
            tracker
                .on_denial("edit")
                .escalation
                .map(|it| (it.level, it.text))
        })
        .collect();
    assert_eq!(texts[0], None);
    let levels: Vec<u32> = texts[1..]
        .iter()
        .flatten()
        .map(|(level, _)| *level)
        .collect();
    assert_eq!(levels, [SUGGEST_AT, SUGGEST_AT, STOP_AT, STOP_AT]);
    let text = |at: usize| {
        texts[at]
            .as_ref()
            .map(|(_, text)| text.as_str())
            .unwrap_or_default()
    };
    assert!(text(1).contains("another way"), "{}", text(1));
    assert!(
        text(3).contains("Stop") && text(3).contains("ask the user"),
        "{}",
        text(3)
    );
    assert_ne!(
        words(text(2)),
        words(text(3)),
        "the fourth text differs by more than its number"
    );
    assert_eq!(tracker.summary()["edit"], 5);
}

#[test]
fn denials_in_a_row_make_a_nudge_about_the_sandbox_whatever_the_tools() {
    let mut tracker = tracker();
    assert_eq!(tracker.on_denial("edit").nudge, None);
    let nudge = tracker.on_denial("bash").nudge.unwrap();
    assert!(
        nudge.contains("sandbox") && nudge.contains("/proj"),
        "{nudge}"
    );
    assert_eq!(
        tracker.on_denial("bash").nudge,
        None,
        "not with every denial"
    );
    assert!(
        tracker.on_denial("bash").nudge.is_some(),
        "but again when the row goes on"
    );
    tracker.on_success("intellij_read_file");
    assert_eq!(tracker.consecutive(), 0);
    assert_eq!(tracker.on_denial("edit").nudge, None);
    assert!(
        tracker.on_denial("edit").nudge.is_some(),
        "and again after a new row"
    );
}

#[test]
fn a_success_or_a_user_prompt_breaks_the_row_but_not_the_counts_by_tool() {
    let mut tracker = tracker();
    tracker.on_denial("edit");
    tracker.on_success("edit");
    let effects = tracker.on_denial("edit");
    assert_eq!(effects.nudge, None);
    assert_eq!(effects.escalation.unwrap().denials, 2);
    tracker.on_user_prompt();
    assert_eq!(tracker.consecutive(), 0);
    assert_eq!(tracker.on_denial("edit").escalation.unwrap().denials, 3);
}

#[test]
fn a_new_turn_starts_the_counts_again_and_keeps_the_totals() {
    let mut tracker = tracker();
    tracker.on_denial("edit");
    tracker.on_denial("edit");
    tracker.reset_turn();
    assert_eq!(tracker.on_denial("edit").escalation, None);
    tracker.on_denial("bash");
    let summary: Vec<(&str, u32)> = tracker
        .summary()
        .iter()
        .map(|(tool, n)| (tool.as_str(), *n))
        .collect();
    assert_eq!(summary, [("bash", 1), ("edit", 3)]);
}

#[test]
fn a_failure_counts_when_it_speaks_of_permissions() {
    let mut tracker = tracker();
    assert_eq!(tracker.on_failure("no such file"), Default::default());
    assert_eq!(tracker.on_failure("cat: x: Permission denied").nudge, None);
    assert!(tracker.on_failure("EACCES: open 'x'").nudge.is_some());
    assert!(
        tracker.summary().is_empty(),
        "a failure is no denial of a tool"
    );
    for (text, want) in [
        ("rm: Operation not permitted", true),
        ("this is not allowed here", true),
        ("error EACCES", true),
        ("EACCESS", false),
        ("XEACCES_", false),
        ("not allowedness", false),
        ("permission  denied", false),
        ("", false),
    ] {
        assert_eq!(is_permission_failure(text), want, "{text}");
    }
}

#[test]
fn the_threshold_of_the_nudge_is_a_setting() {
    let mut tracker = DenialTracker::new(3, "/proj");
    let nudges = (0..4)
        .filter(|_| tracker.on_denial("edit").nudge.is_some())
        .count();
    assert_eq!((nudges, tracker.consecutive()), (1, 4));
    assert!(
        DenialTracker::new(0, "/proj")
            .on_denial("edit")
            .nudge
            .is_some()
    );
}

fn builtin(tool: &str) -> Identity {
    Identity::Builtin(tool.to_owned())
}

#[test]
fn an_edit_that_nobody_was_asked_about_is_reported_once() {
    let mut canary = Canary::new(&[], false);
    canary.asked("1");
    assert_eq!(canary.ran("1", &builtin("edit"), ActionKind::Edit), None);
    assert!(!canary.is_unguarded());
    let report = canary.ran("2", &builtin("edit"), ActionKind::Edit).unwrap();
    assert!(report.why.contains("edit") && !report.what_to_do.is_empty());
    assert_eq!(
        canary.ran("3", &builtin("bash"), ActionKind::Execute),
        None,
        "told once"
    );
    assert!(canary.is_unguarded());
    assert!(
        canary.trusts_names(),
        "an unasked edit says nothing about names"
    );
}

#[test]
fn what_reads_what_is_ours_and_what_is_unasked_by_design_is_no_alarm() {
    let mut canary = Canary::new(&["Bash".to_owned(), "delete".to_owned()], false);
    for (identity, kind) in [
        (builtin("Read"), ActionKind::Read),
        (builtin("think"), ActionKind::Think),
        (
            Identity::OwnTool("intellij_write_file".to_owned()),
            ActionKind::Edit,
        ),
        (
            Identity::OtherMcp {
                server: "s".to_owned(),
                tool: "t".to_owned(),
            },
            ActionKind::Execute,
        ),
        (builtin("bash"), ActionKind::Execute),
        (builtin("rm"), ActionKind::Delete),
    ] {
        assert_eq!(canary.ran("1", &identity, kind), None, "{identity:?}");
    }
    assert!(
        canary
            .ran("1", &Identity::Unknown, ActionKind::Edit)
            .is_some()
    );
}

#[test]
fn a_hook_that_never_fires_is_reported_even_where_the_agent_asked() {
    let mut canary = Canary::new(&["Bash".to_owned()], true);
    canary.asked("1");
    let report = canary
        .ran("1", &builtin("Bash"), ActionKind::Execute)
        .unwrap();
    assert!(report.why.contains("never fired"), "{}", report.why);

    let mut canary = Canary::new(&[], true);
    canary.hook_saw("1");
    assert_eq!(canary.ran("1", &builtin("Edit"), ActionKind::Edit), None);
    canary.hook_saw_without_id();
    assert_eq!(canary.ran("2", &builtin("Edit"), ActionKind::Edit), None);
    assert!(
        canary
            .ran("3", &builtin("Edit"), ActionKind::Edit)
            .is_some(),
        "one report covers one call"
    );
}

#[test]
fn a_call_that_was_asked_and_seen_uses_up_what_the_hook_saw_of_it() {
    let mut canary = Canary::new(&[], true);
    canary.hook_saw_without_id();
    canary.asked("1");
    assert_eq!(canary.ran("1", &builtin("Edit"), ActionKind::Edit), None);
    assert!(
        canary
            .ran("2", &builtin("Edit"), ActionKind::Edit)
            .is_some(),
        "the first call's report does not cover the second"
    );
}

#[test]
fn a_call_allowed_as_ours_that_never_arrives_is_reported() {
    let mut canary = Canary::new(&[], false);
    let report = canary.own_call_never_came("run_tests").unwrap();
    assert!(report.why.contains("run_tests"));
    assert!(!canary.trusts_names());
    assert_eq!(canary.own_call_never_came("run_tests"), None);
}
