//! The denial tracker and the canary, as a session drives them.

use siderail_guard::denial::{STOP_AT, SUGGEST_AT, Scope};
use siderail_guard::{ActionKind, Canary, DenialTracker, Identity, Tool};

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
    let summary = tracker.summary();
    assert_eq!(summary.denials["edit"], 5);
    let escalations = summary.escalations;
    assert_eq!((escalations.turn, escalations.session), (4, 0));
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
    assert!(
        nudge.contains("Do not retry the same path or the same call"),
        "{nudge}"
    );
    assert!(
        nudge.contains("Find another way inside this folder"),
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
fn a_new_turn_starts_the_counts_of_the_turn_alone() {
    let mut tracker = tracker();
    let mut levels = Vec::new();
    for _turn in 0..5 {
        tracker.reset_turn();
        let effects = tracker.on_denial("edit");
        levels.push(
            effects
                .escalation
                .map(|it| (it.level, it.scope, it.denials)),
        );
    }
    let by_session = |level, denials| Some((level, Scope::Session, denials));
    assert_eq!(
        levels,
        [
            None,
            by_session(SUGGEST_AT, 2),
            by_session(SUGGEST_AT, 3),
            by_session(STOP_AT, 4),
            by_session(STOP_AT, 5),
        ]
    );
    tracker.on_denial("bash");
    let summary = tracker.summary();
    let denials: Vec<(&str, u32)> = summary
        .denials
        .iter()
        .map(|(tool, n)| (tool.as_str(), *n))
        .collect();
    assert_eq!(denials, [("bash", 1), ("edit", 5)]);
    let escalations = summary.escalations;
    assert_eq!((escalations.turn, escalations.session), (0, 4));
}

#[test]
fn the_text_says_over_what_it_counted() {
    let mut tracker = tracker();
    tracker.on_denial("edit");
    let in_turn = tracker.on_denial("edit").escalation.unwrap();
    assert_eq!((in_turn.scope, in_turn.denials), (Scope::Turn, 2));
    assert!(
        in_turn.text.contains("2 times in this turn"),
        "{}",
        in_turn.text
    );
    tracker.reset_turn();
    tracker.on_denial("edit");
    let in_session = tracker.on_denial("edit").escalation.unwrap();
    assert_eq!((in_session.scope, in_session.denials), (Scope::Session, 4));
    let text = in_session.text;
    assert!(text.contains("4 times in this session"), "{text}");
    assert!(
        text.contains("Stop") && text.contains("ask the user"),
        "{text}"
    );
    // Within the turn its own count is the nearer one, once it has come as far.
    tracker.on_denial("edit");
    let in_turn = tracker.on_denial("edit").escalation.unwrap();
    assert_eq!((in_turn.scope, in_turn.denials), (Scope::Turn, 4));
}

#[test]
fn a_failure_counts_when_its_program_was_refused_access() {
    let mut tracker = tracker();
    assert_eq!(tracker.on_failure("no such file", None), Default::default());
    let cat = "cat: x: Permission denied";
    assert_eq!(tracker.on_failure(cat, Some("cat x")).nudge, None);
    assert!(tracker.on_failure("EACCES: open 'x'", None).nudge.is_some());
    assert_eq!(tracker.consecutive(), 2);
    let found = "src/a.rs:12: Permission denied";
    assert_eq!(
        tracker.on_failure(found, Some("grep -rn denied; false")),
        Default::default()
    );
    assert_eq!(tracker.consecutive(), 2, "neither counted nor a success");
    assert!(
        tracker.summary().denials.is_empty(),
        "a failure is no denial of a tool"
    );
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
        (Identity::OwnTool(Tool::WriteFile), ActionKind::Edit),
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
    let report = canary.own_call_never_came(Tool::RunTests).unwrap();
    assert!(report.why.contains("run_tests"));
    assert!(!canary.trusts_names());
    assert_eq!(canary.own_call_never_came(Tool::RunTests), None);
}
