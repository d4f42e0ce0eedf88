//! What a question shows, and what keys answer it.

use std::path::Path;

use serde_json::json;

use super::*;
use crate::keys::KeyReader;

fn request(change: impl FnOnce(&mut serde_json::Value)) -> PermissionQuestion {
    // as Gemini orders them: the lasting choice comes first
    let mut event = json!({
        "event": "PERMISSION_REQUEST", "request_id": 7, "tool_call_id": null, "tool": "Bash",
        "kind": "execute", "text": "touch a.rs", "paths": ["a.rs"], "channel": "acp",
        "options": [
            {"id": "all", "name": "Always allow", "kind": "allow_always"},
            {"id": "once", "name": "Allow", "kind": "allow_once"},
            {"id": "no", "name": "Reject", "kind": "reject_once"},
        ],
        "may_be_remembered": true, "asks": true,
    });
    change(&mut event);
    let event = serde_json::from_value(event).expect("an event");
    PermissionQuestion::of(&event)
}

fn question() -> PermissionQuestion {
    request(|_| {})
}

fn shown(change: impl FnOnce(&mut serde_json::Value)) -> String {
    request(change).text(Style::PLAIN)
}

/// What typing comes to; `|` is a pause.
fn answer(typed: &[u8]) -> Option<PermissionAnswer> {
    let mut question = question();
    let keys = KeyReader::default().keys(typed).into_iter();
    let keys = keys.map(|key| match key {
        Key::Char('|') => Key::Pause,
        key => key,
    });
    for key in keys.chain([Key::Pause]) {
        if let Keyed::Answered(answer, _) = question.key(key, Style::PLAIN) {
            return Some(answer);
        }
    }
    None
}

#[test]
fn enter_escape_and_end_of_input_deny() {
    for typed in [b"\r".as_slice(), b"\x1b", b"\x04"] {
        assert_eq!(answer(typed), Some(deny("")));
    }
}

#[test]
fn a_digit_takes_the_agents_option_of_that_place_among_those_that_say_more_than_ours() {
    assert_eq!(answer(b"2"), None, "our own keys say the same");
    assert_eq!(
        answer(b"1"),
        Some(PermissionAnswer::Option {
            id: "all".to_owned()
        })
    );
    assert_eq!(
        answer(b"049x"),
        None,
        "a key without a meaning answers nothing"
    );
}

#[test]
fn a_typed_word_is_no_yes_and_the_next_line_is_asked_anew() {
    for word in ["why?", "maybe", "really"] {
        assert_eq!(answer(word.as_bytes()), None, "{word}");
        assert_eq!(answer(format!("{word}\r").as_bytes()), None, "{word}");
        let then_no = format!("{word}\r\r");
        assert_eq!(answer(then_no.as_bytes()), Some(deny("")), "{word}");
        let then_yes = format!("{word}\ry");
        assert_eq!(answer(then_yes.as_bytes()), Some(PermissionAnswer::Allow));
    }
}

#[test]
fn a_command_is_shown_to_its_end_and_line_by_line() {
    let shown = |text: &str| shown(|event| event["text"] = json!(text));
    let long = format!("frob {} ; rm -rf src", "a".repeat(400));
    assert!(shown(&long).contains("; rm -rf src\n"), "{}", shown(&long));
    let lines = shown("git push\nrm -rf src");
    assert!(lines.contains("    git push\n    rm -rf src\n"), "{lines}");
}

#[test]
fn what_stands_last_in_an_endless_command_is_shown() {
    let shown = |text: &str| shown(|event| event["text"] = json!(text));
    let pushed_out = shown(&format!("make{}; rm -rf src", "\n".repeat(500)));
    assert!(
        pushed_out.contains("    make\n    ; rm -rf src\n"),
        "{pushed_out}"
    );
    let wide = shown(&format!("make {}; rm -rf src", "x".repeat(5_000)));
    assert!(wide.contains("1017 characters not shown"), "{wide}");
    assert!(wide.contains("xx; rm -rf src\n"), "{wide}");
    let tall = shown(&format!("{}rm -rf src", "make x\n".repeat(500)));
    assert!(tall.contains("441 lines not shown"), "{tall}");
    assert!(tall.contains("    make x\n    rm -rf src\n"), "{tall}");
}

#[test]
fn a_key_shows_all_of_what_is_cut_and_answers_nothing() {
    let lines: String = (0..90).map(|n| format!("make t{n}\n")).collect();
    for change in [
        json!({"text": lines}),
        json!({"text": format!("make {}t45{}", "x".repeat(4_000), "y".repeat(4_000))}),
        json!({"diffs": [{"path": "a", "old_text": "", "new_text": lines.repeat(2)}]}),
    ] {
        let mut question = request(|event| {
            let members = change.as_object().expect("members").clone();
            event.as_object_mut().expect("an event").extend(members);
        });
        let text = question.text(Style::PLAIN);
        assert!(text.contains("  v  view all\n"), "{text}");
        question.key(Key::Char('v'), Style::PLAIN);
        let Keyed::Open(all) = question.key(Key::Pause, Style::PLAIN) else {
            panic!("looking is no answer");
        };
        assert!(all.contains("t45"), "{all}");
        assert!(!all.contains("not shown"), "{all}");
        question.key(Key::Char('y'), Style::PLAIN);
        let keyed = question.key(Key::Pause, Style::PLAIN);
        assert!(matches!(keyed, Keyed::Answered(PermissionAnswer::Allow, _)));
    }
    assert!(!question().text(Style::PLAIN).contains("view all"));
}

#[test]
fn nothing_vanishes_from_a_shown_command() {
    let shown = shown(|event| {
        event["text"] = json!("rm -rf src\recho ok\n\r\na\u{202e}b\u{200b}c\u{200d}d\u{1b}[2K");
    });
    assert!(
        shown.contains("    rm -rf src␍echo ok\n    ␍\n    a\\u{202e}b\\u{200b}c\\u{200d}d␛[2K\n"),
        "{shown}"
    );
}

#[test]
fn an_option_says_what_it_does_whatever_it_is_called() {
    let shown = shown(|event| {
        event["options"] = json!([{"id": "x", "name": "Reject (recommended)", "kind": "allow_once", "contradicts": true}]);
    });
    assert!(
        shown.contains("  1  allow once: Reject (recommended)   THE NAME CONTRADICTS"),
        "{shown}"
    );
}

#[test]
fn two_ways_to_say_yes_are_both_offered() {
    let shown = shown(|event| {
        event["options"] = json!([
            {"id": "a", "name": "Yes, and edit by hand", "kind": "allow_once"},
            {"id": "b", "name": "Yes, as it is", "kind": "allow_once"},
            {"id": "c", "name": "No", "kind": "reject_once"},
        ]);
    });
    assert!(
        shown.contains("  2  allow once: Yes, as it is\n[Enter"),
        "{shown}"
    );
}

#[test]
fn a_change_names_its_file_once() {
    let shown = shown(|event| {
        event["kind"] = json!("edit");
        event["text"] = json!("Edit a.rs");
        event["diffs"] = json!([{"path": "/p/a.rs", "old_text": "a\n", "new_text": "b\n"}]);
    });
    let asked = "May the agent change this file? (Bash)\n    --- a/a.rs\n    +++ b/a.rs\n    @@";
    assert!(shown.contains(asked), "{shown}");
}

#[test]
fn a_lasting_choice_is_made_by_its_own_key_only() {
    assert_eq!(answer(b"y"), Some(PermissionAnswer::Allow));
    assert_eq!(answer(b"p"), Some(PermissionAnswer::Always));
    assert_eq!(answer(b"P"), None);
}

#[test]
fn no_lasting_choice_is_offered_or_taken_where_none_would_count() {
    let mut dangerous = request(|event| event["may_be_remembered"] = json!(false));
    let text = dangerous.text(Style::PLAIN);
    assert!(!text.contains("always allow this"), "{text}");
    assert!(matches!(
        dangerous.key(Key::Char('p'), Style::PLAIN),
        Keyed::Open(_)
    ));
}

#[test]
fn a_change_is_shown_before_it_is_allowed_and_a_long_one_says_that_it_is_cut() {
    let diff = |old: &str, new: &str| json!([{"path": "a.rs", "old_text": old, "new_text": new}]);
    let short = shown(|event| event["diffs"] = diff("a\nb\n", "a\nB\n"));
    assert!(short.contains("    -b\n    +B\n"), "{short}");
    let long = shown(|event| event["diffs"] = diff("", &"x\n".repeat(500)));
    assert!(long.lines().count() < 110, "{long}");
    assert!(long.contains("more lines)"), "{long}");
}

#[test]
fn a_path_outside_the_project_and_what_is_destroyed_stand_out() {
    let text = shown(|event| {
        event["paths"] = json!(["a.rs", "/etc/hosts"]);
        event["outside"] = json!(["/etc/hosts"]);
        event["destroys"] = json!("a.rs is deleted, 3 lines");
    });
    assert!(text.contains("    a.rs\n"), "{text}");
    assert!(
        text.contains("/etc/hosts   OUTSIDE the project\n"),
        "{text}"
    );
    assert!(text.contains("    a.rs is deleted, 3 lines\n"), "{text}");
}

#[test]
fn a_denial_can_carry_a_typed_reason() {
    assert_eq!(answer(b"d|wrong filx\x7fe 2\r"), Some(deny("wrong file 2")));
    assert_eq!(answer(b"d\rwrong file\r"), Some(deny("wrong file")));
    assert_eq!(answer(b"d|\r"), Some(deny("")));
    assert_eq!(answer(b"d|abc"), None);
}

#[test]
fn a_sentence_that_begins_like_a_denial_denies_nothing_and_tells_the_model_nothing() {
    assert_eq!(answer(b"do it now\r"), None);
    assert_eq!(
        answer(b"do it now\ry"),
        Some(PermissionAnswer::Allow),
        "it is asked anew"
    );
}

#[test]
fn escape_leaves_the_reason_and_the_question_is_open_again() {
    let mut question = question();
    let keys = |bytes: &[u8]| KeyReader::default().keys(bytes);
    for keys in [keys(b"d"), vec![Key::Pause], keys(b"yes"), keys(b"\x1b")] {
        for key in keys {
            assert!(matches!(question.key(key, Style::PLAIN), Keyed::Open(_)));
        }
    }
    question.key(Key::Char('y'), Style::PLAIN);
    let keyed = question.key(Key::Pause, Style::PLAIN);
    assert!(matches!(keyed, Keyed::Answered(PermissionAnswer::Allow, _)));
}

#[test]
fn the_question_shows_what_is_asked_and_which_key_is_safe() {
    assert_eq!(
        question().text(Style::PLAIN),
        "\nMay the agent run this command? (Bash)\n    touch a.rs\n    a.rs\n\
         \x20 y  allow this once\n\
         \x20 p  always allow this in this project (`siderail policy revoke` undoes it)\n  d  deny, and tell the model why\n\
         \x20 1  always allow (the agent remembers it): Always allow\n\
         [Enter denies] "
    );
}

#[test]
fn a_call_of_which_the_kind_alone_is_known_is_asked_about_by_what_it_does() {
    let head = |tool: &str, kind: &str| {
        let text = shown(|event| {
            event["tool"] = json!(tool);
            event["kind"] = json!(kind);
        });
        text.lines().nth(1).expect("a heading").to_owned()
    };
    let expected = [
        ("execute", "execute", "run this command?"),
        ("execute", "destructive", "run this destructive command?"),
        ("execute", "remote_code", "run this code from the network?"),
        ("execute", "opaque", "run this command?"),
        ("execute", "git", "run this command?"),
        ("Bash", "git", "run this command? (Bash)"),
        ("search", "search_text", "search for this?"),
        ("read", "read_file", "read this?"),
        ("other", "other", "do this?"),
        ("unknown", "other", "do this?"),
        ("unknown", "frobnicate", "do this?"),
        ("db/query", "mcp", "use db/query?"),
        ("git_branch", "git", "use git_branch?"),
        ("run_tests", "run_tests", "run the tests?"),
    ];
    for (tool, kind, does) in expected {
        assert_eq!(head(tool, kind), format!("May the agent {does}"), "{tool}");
    }
}

#[test]
fn the_ide_asks_in_the_same_words() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let texts = "plugin/src/main/resources/messages/SiderailBundle.properties";
    let texts = std::fs::read_to_string(root.join(texts)).expect("the plugin is beside it");
    let ides = |key: &str| {
        let of_key = format!("permission.headline.{key}=");
        let mut found = texts.lines().filter_map(|line| line.strip_prefix(&of_key));
        found.next().map(str::to_owned)
    };
    let ours = |tool: &str, kind: &str| {
        let text = shown(|event| {
            event["tool"] = json!(tool);
            event["kind"] = json!(kind);
        });
        let head = text.lines().nth(1).expect("a heading");
        let question = head.split_inclusive('?').next().expect("a question");
        question.replace("the agent", "{0}")
    };
    for kind in ActionKind::ALL.map(ActionKind::as_str) {
        let asked = ours("x", kind);
        let expected = match asked.as_str() {
            "May {0} use x?" => "May {0} use {1}?",
            asked => asked,
        };
        // Where a kind has no words of its own, the IDE knows what is a command and what is not.
        let key = match kind {
            "git" => "execute",
            _ if expected.contains("{1}") => "other",
            kind => kind,
        };
        assert_eq!(ides(key).as_deref(), Some(expected), "{kind}");
    }
    for (tool, kind) in [("git_commit", "git"), ("run_tests", "run_tests")] {
        assert_eq!(ides(&format!("tool.{tool}")), Some(ours(tool, kind)));
    }
    assert_eq!(ides("nameless"), Some(ours("other", "other")));
}
