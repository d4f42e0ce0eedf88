//! What people read for sequences of events, with and without colour.

use siderail_engine::event::{Event, EventBody};

use super::Renderer;
use crate::style::Style;

const COLOUR: Style = Style {
    colour: true,
    marks: true,
};

/// Events from their lines, without the counting members.
fn events(lines: &str) -> Vec<EventBody> {
    let with_head = |line: &str| {
        let rest = line.trim().strip_prefix('{').unwrap();
        let line = format!(r#"{{"v":1,"seq":1,"t":0.0,"session":1,"turn":1,{rest}"#);
        let event: Event = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"));
        event.body
    };
    lines
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(with_head)
        .collect()
}

fn shown(mut renderer: Renderer, lines: &str) -> String {
    events(lines)
        .iter()
        .map(|body| renderer.event(body))
        .collect()
}

fn check(lines: &str, expected: &str) {
    assert_eq!(shown(Renderer::new(Style::PLAIN), lines), expected);
}

const DENIED_EDIT: &str = r#"
{"event":"PERMISSION_REQUEST","request_id":1,"tool_call_id":"c1","tool":"Edit","kind":"edit","text":"Edit src/App.java","paths":["/p/src/App.java"],"channel":"hook","options":[],"asks":false}
{"event":"PRE_REJECTION_GUIDANCE","request_id":1,"tool_call_id":"c1","tool":"Edit","kind":"edit","channel":"hook","text":"Use intellij_write_file.\nPass path and text.","instead":"intellij_write_file"}
{"event":"PERMISSION_DENIED","request_id":1,"tool_call_id":"c1","tool":"Edit","kind":"edit","by":"policy","text":"an IDE tool does this","paths":["/p/src/App.java"]}
{"event":"GUIDANCE_RECEIPT","request_id":1,"tool":"Edit","channel":"hook","receipt":"delivered"}
{"event":"TOOL_CALL","tool_call_id":"c1","tool":"Edit","kind":"edit","status":"failed","title":"Edit src/App.java"}
{"event":"TOOL_CALL","tool_call_id":"of the agent","tool":"Edit","kind":"edit","status":"failed","title":"Edit","text":"Denied by hook: Use intellij_write_file.\nPass path and text."}
{"event":"OWN_TOOL","call":1,"tool":"intellij_write_file","status":"started","text":"src/App.java"}
{"event":"OWN_TOOL","call":1,"tool":"intellij_write_file","status":"completed","text":"written","paths":["src/App.java"],"diff":"@@ -1 +1 @@\n-int x = 1;\n+int x = 2;\n"}
{"event":"GUIDANCE_FOLLOWED","request_id":1,"tool":"intellij_write_file","kind":"edit","channel":"hook"}
"#;

#[test]
fn an_event_under_its_name_says_who_approved() {
    let said = |by: &str| {
        let line = format!(
            r#"{{"event":"PERMISSION_APPROVED","request_id":1,"tool_call_id":null,"tool":"Bash","kind":"execute","by":"{by}"}}"#
        );
        shown(Renderer::new(Style::PLAIN).narrating(), &line)
    };
    assert_eq!(said("user"), "PERMISSION_APPROVED    Bash (by the user)\n");
    assert_eq!(
        said("always"),
        "PERMISSION_APPROVED    Bash (always allowed in this project)\n"
    );
}

#[test]
fn a_denial_is_one_row_that_says_what_the_model_was_told() {
    check(
        DENIED_EDIT,
        "denied Edit src/App.java -> use intellij_write_file\n\
         ok intellij_write_file src/App.java\n    @@ -1 +1 @@\n    -int x = 1;\n    +int x = 2;\n",
    );
}

#[test]
fn with_colour_the_diff_and_the_marks_are_painted() {
    let text = shown(Renderer::new(COLOUR), DENIED_EDIT);
    assert!(
        text.starts_with("\x1b[31m✗ denied\x1b[0m Edit src/App.java → use intellij_write_file\n"),
        "{text}"
    );
    assert!(text.contains("    \x1b[31m-int x = 1;\x1b[0m\n    \x1b[32m+int x = 2;\x1b[0m\n"));
}

#[test]
fn narration_names_every_event_of_the_flow_in_order() {
    let text = shown(Renderer::new(Style::PLAIN).narrating(), DENIED_EDIT);
    let mut rest = text.as_str();
    for word in [
        "PERMISSION_REQUEST     Edit src/App.java (asked through hook)\n",
        "PRE_REJECTION_GUIDANCE told the model to use intellij_write_file (hook)\n",
        "    | Use intellij_write_file.\n    | Pass path and text.\n",
        "PERMISSION_DENIED      by policy: an IDE tool does this\n",
        "GUIDANCE_RECEIPT       delivered (hook)\n",
        "GUIDANCE_FOLLOWED      the model used intellij_write_file\n",
    ] {
        let at = rest
            .find(word)
            .unwrap_or_else(|| panic!("{word:?} is missing in {rest}"));
        rest = &rest[at + word.len()..];
    }
}

#[test]
fn a_denied_call_ends_with_a_mark_where_every_event_is_named() {
    let call = |status: &str| {
        format!(
            r#"{{"event":"TOOL_CALL","tool_call_id":"c1","tool":"Edit","kind":"edit","status":"{status}","title":"Editing a","command":null,"diffs":[],"text":"Permission denied","own":false}}"#
        )
    };
    let denial: Vec<&str> = DENIED_EDIT.trim().lines().take(3).collect();
    let lines = [call("pending"), denial.join("\n"), call("failed")].join("\n");
    let text = shown(Renderer::new(Style::PLAIN).narrating(), &lines);
    assert!(text.starts_with("- Editing a\n"), "{text}");
    assert!(text.contains("\nfailed Editing a (denied)\n"), "{text}");
}

#[test]
fn a_mode_that_is_named_by_an_address_is_shown_by_its_name() {
    check(
        r#"{"event":"SESSION_STARTED","agent":"x","version":"1","agent_session":"s","policy":"ask","mode":"https://x.dev/modes#agent"}"#,
        "x 1, policy ask, mode agent\n",
    );
}

#[test]
fn chunks_of_one_message_run_on_and_code_blocks_stay_as_they_are() {
    check(
        r#"
{"event":"AGENT_MESSAGE","text":"\n\nHere:\n```\n  a\tb"}
{"event":"AGENT_MESSAGE","text":"c\n```\n"}
{"event":"AGENT_MESSAGE","text":""}
{"event":"AGENT_MESSAGE","text":"done"}
{"event":"TURN_ENDED","stop_reason":"end_turn","continues":false}
"#,
        "Here:\n```\n  a\tbc\n```\ndone\n",
    );
}

#[test]
fn messages_thoughts_and_rows_are_kept_apart() {
    let lines = r#"
{"event":"AGENT_THOUGHT","text":"hm, "}
{"event":"AGENT_THOUGHT","text":"yes"}
{"event":"AGENT_MESSAGE","text":"one","message_id":"a"}
{"event":"AGENT_MESSAGE","text":"two","message_id":"b"}
{"event":"AUTO_RETRY","attempt":1,"text":"go on"}
{"event":"AGENT_MESSAGE","text":"ok"}
"#;
    check(
        lines,
        "(thinking) hm, yes\n\none\n\ntwo\n\n\
         asked the agent to continue (attempt 1)\n\nok",
    );
    let coloured = shown(Renderer::new(COLOUR), lines);
    assert!(
        coloured.starts_with("\x1b[2mhm, \x1b[0m\x1b[2myes\x1b[0m\n\none"),
        "{coloured}"
    );
}

#[test]
fn a_tool_call_has_a_row_where_it_is_known_and_one_at_its_end() {
    check(
        r#"
{"event":"TOOL_CALL","tool_call_id":"c1","tool":"Bash","kind":"execute","status":"pending","title":"Terminal"}
{"event":"TOOL_CALL","tool_call_id":"c1","tool":"Bash","kind":"execute","status":"in_progress","title":"Terminal"}
{"event":"TOOL_CALL","tool_call_id":"c1","tool":"Bash","kind":"execute","status":"in_progress","title":"Terminal","command":"date"}
{"event":"TOOL_CALL","tool_call_id":"c2","tool":"own","kind":"other","status":"pending","title":"own","own":true}
{"event":"TOOL_CALL","tool_call_id":"c1","tool":"Bash","kind":"execute","status":"completed","title":"Terminal","command":"date"}
{"event":"TOOL_CALL","tool_call_id":"c3","tool":"Edit","kind":"edit","status":"completed","title":"Edit a","diffs":[{"path":"a","old_text":"1\n","new_text":"2\n"}]}
{"event":"TOOL_CALL","tool_call_id":"c4","tool":"Fetch","kind":"fetch","status":"failed","title":"Fetch","text":"no\nnet"}
"#,
        "- Terminal: date\nok Terminal: date\n\
         ok Edit a\n    --- a/a\n    +++ b/a\n    @@ -1 +1 @@\n    -1\n    +2\nfailed Fetch (no net)\n",
    );
}

#[test]
fn the_row_of_a_call_gives_way_to_the_question_or_the_denial_that_says_the_same() {
    let begins = r#"{"event":"TOOL_CALL","tool_call_id":"c1","tool":"Bash","kind":"execute","status":"pending","title":"Terminal","command":"date"}"#;
    let asked = |asks: bool| {
        format!(
            r#"{{"event":"PERMISSION_REQUEST","request_id":1,"tool_call_id":null,"tool":"Bash","kind":"execute","text":"date","paths":[],"channel":"acp","options":[],"asks":{asks}}}"#
        )
    };
    let denied = r#"{"event":"PERMISSION_DENIED","request_id":1,"tool_call_id":null,"tool":"Bash","kind":"execute","by":"policy","text":"","paths":[]}"#;
    let allowed = r#"{"event":"PERMISSION_APPROVED","request_id":1,"tool_call_id":null,"tool":"Bash","kind":"execute","by":"policy"}"#;
    check(&[begins, &asked(true)].join("\n"), "");
    check(
        &[begins, &asked(false), denied].join("\n"),
        "denied Bash: date (by policy)\n",
    );
    check(
        &[begins, &asked(false), allowed].join("\n"),
        "- Terminal: date\n",
    );
    let mut renderer = Renderer::new(Style::PLAIN);
    renderer.event(&events(begins)[0]);
    assert_eq!(renderer.catch_up(), "- Terminal: date\n", "nothing comes");
}

#[test]
fn what_shows_nothing_neither_splits_a_message_nor_brings_up_a_row_that_waits() {
    let receipt = r#"{"event":"GUIDANCE_RECEIPT","request_id":1,"tool":"Edit","channel":"hook","receipt":"delivered"}"#;
    let begins = r#"{"event":"TOOL_CALL","tool_call_id":"c2","tool":"Edit","kind":"edit","status":"pending","title":"Edit"}"#;
    let denied = r#"{"event":"PERMISSION_DENIED","request_id":2,"tool_call_id":"c2","tool":"Edit","kind":"edit","by":"policy","text":"","paths":["a"]}"#;
    check(
        &[begins, receipt, denied].join("\n"),
        "denied Edit: a (by policy)\n",
    );
    let by_hook = denied.replace(
        r#""tool_call_id":"c2","tool":"Edit""#,
        r#""tool_call_id":null,"tool":"grep""#,
    );
    check(
        &[begins, receipt, &by_hook].join("\n"),
        "denied grep: a (by policy)\n",
    );
    let says = |text: &str| format!(r#"{{"event":"AGENT_MESSAGE","text":"{text}"}}"#);
    let lines = [&says("one "), receipt, &says("two\\n")].join("\n");
    let renderer = Renderer::new(Style::PLAIN).within(|| 80);
    assert_eq!(shown(renderer, &lines), "one two\n");
}

#[test]
fn a_word_that_never_ends_takes_time_by_its_letters() {
    let began = std::time::Instant::now();
    let mut renderer = Renderer::new(Style::PLAIN).within(|| 80);
    let letter = &events(r#"{"event":"AGENT_MESSAGE","text":"x"}"#)[0];
    for _ in 0..100_000 {
        renderer.event(letter);
    }
    let shown = renderer.complete();
    assert_eq!(shown.matches('x').count(), 100_000);
    assert!(began.elapsed().as_secs() < 10, "{:?}", began.elapsed());
}

#[test]
fn what_is_said_behind_a_call_without_a_row_or_in_the_next_turn_begins_anew() {
    check(
        r#"
{"event":"AGENT_MESSAGE","text":"I look."}
{"event":"TOOL_CALL","tool_call_id":"c1","tool":"read_file","kind":"other","status":"pending","title":"read_file","own":true}
{"event":"AGENT_MESSAGE","text":"Now I see."}
{"event":"TURN_ENDED","stop_reason":"end_turn","continues":true}
{"event":"AGENT_MESSAGE","text":"Done."}
"#,
        "I look.\n\nNow I see.\n\nDone.",
    );
}

#[test]
fn parts_of_a_message_that_is_shown_again_stay_together() {
    let part = |text: &str| {
        format!(r#"{{"event":"RESTORED","entry":{{"event":"AGENT_MESSAGE","text":"{text}"}}}}"#)
    };
    let mut renderer = Renderer::new(Style::PLAIN).within(|| 80);
    let lines = [part("Done: x is 2"), part(" now.")].join("\n");
    let events = events(&lines);
    let mut text: String = events.iter().map(|body| renderer.event(body)).collect();
    text += &renderer.complete();
    assert_eq!(text, "Done: x is 2 now.\n");
}

#[test]
fn a_deleted_file_is_called_deleted() {
    check(
        r#"{"event":"TOOL_CALL","tool_call_id":"c1","tool":"Delete","kind":"delete","status":"completed","title":"Delete a.txt","diffs":[{"path":"a.txt","old_text":"1\n","new_text":""}]}"#,
        "ok Delete a.txt\n    deleted a.txt\n",
    );
}

#[test]
fn what_a_person_or_nobody_decided_is_said() {
    check(
        r#"
{"event":"PERMISSION_REQUEST","request_id":1,"tool_call_id":null,"tool":"Bash","kind":"execute","text":"make","paths":[],"channel":"acp","options":[],"asks":true}
{"event":"PERMISSION_APPROVED","request_id":1,"tool_call_id":null,"tool":"Bash","kind":"execute","by":"user"}
{"event":"PERMISSION_REQUEST","request_id":2,"tool_call_id":null,"tool":"Bash","kind":"execute","text":"rm x","paths":[],"channel":"acp","options":[],"asks":true}
{"event":"PERMISSION_DENIED","request_id":2,"tool_call_id":null,"tool":"Bash","kind":"execute","by":"no_terminal","text":"","paths":[]}
{"event":"PERMISSION_REQUEST","request_id":3,"tool_call_id":null,"tool":"w","kind":"own","text":"","paths":[],"channel":"acp","options":[],"asks":false}
{"event":"PERMISSION_APPROVED","request_id":3,"tool_call_id":null,"tool":"w","kind":"own","by":"policy"}
{"event":"UNGUARDED","text":"Bash ran `x`"}
"#,
        "allowed Bash: make\ndenied Bash: rm x (nobody could be asked)\nUNGUARDED: Bash ran `x`\n",
    );
}

#[test]
fn a_hostile_agent_cannot_write_control_sequences() {
    let text = shown(
        Renderer::new(Style::PLAIN).narrating(),
        r#"
{"event":"SESSION_STARTED","agent":"x","version":"1\u001b[2J","agent_session":"s","policy":"ask","mode":"m\u0007"}
{"event":"AGENT_MESSAGE","text":"a\u001b]52;c;aGk=\u0007b"}
{"event":"TOOL_CALL","tool_call_id":"c","tool":"t","kind":"k","status":"completed","title":"x\u001b[1A\ny","command":"\u009b2J","diffs":[{"path":"p\u001b[0m","old_text":null,"new_text":"\u001b[31m\n"}]}
{"event":"PERMISSION_REQUEST","request_id":1,"tool_call_id":null,"tool":"\u001bt","kind":"k","text":"\u001b[2K","paths":[],"channel":"acp","options":[],"asks":false}
{"event":"PRE_REJECTION_GUIDANCE","request_id":1,"tool_call_id":null,"tool":"t","kind":"k","channel":"hook","text":"\u001b[5m\r\nx","instead":"\u001bz"}
{"event":"PERMISSION_DENIED","request_id":1,"tool_call_id":null,"tool":"t","kind":"k","by":"policy","text":"\u001b","paths":[]}
{"event":"PLAN","entries":[{"text":"\u001b[7mstep","status":"pending","priority":"high"}]}
{"event":"OWN_TOOL","call":1,"tool":"t\u001b","status":"failed","text":"\u001b[8m"}
{"event":"UNGUARDED","text":"\u001b[9m"}
{"event":"TURN_ENDED","stop_reason":"\u001bodd","continues":false,"text":"\u001b"}
{"event":"SUMMARY","agent":"\u001ba","stop_reason":"\u001bs","turns":1,"denials":{"\u001b":1},"guidance":{"hook":{"delivered":1,"no_receipt":0,"failed":0}},"followed":0,"ignored":0,"redirect_rate":null,"files_written":["\u001b"],"hidden":[],"unguarded":true,"duration_s":1.0}
"#,
    );
    let steering: Vec<char> = text
        .chars()
        .filter(|c| c.is_control() && *c != '\n')
        .collect();
    assert_eq!(steering, [], "{text:?}");
}

#[test]
fn the_summary_ends_with_the_redirect_rate_and_the_files() {
    check(
        r#"
{"event":"AGENT_MESSAGE","text":"All done."}
{"event":"SUMMARY","agent":"copilot","stop_reason":"end_turn","turns":2,"denials":{"bash":1,"edit":2},"guidance":{"continuation":{"delivered":2,"no_receipt":1,"failed":0}},"followed":1,"ignored":1,"redirect_rate":0.5,"files_written":["src/App.java"],"hidden":[],"unguarded":false,"duration_s":3.25}
"#,
        "All done.\n\ncopilot: done after 2 turns, 3.2 s\n  denied: bash 1, edit 2\n  \
         guidance by continuation: 2 delivered, 1 without a receipt\n  \
         redirect rate: 50 % (1 followed, 1 ignored)\n  written: src/App.java\n",
    );
}

#[test]
fn a_plan_is_shown_when_it_changes() {
    let plan = r#"{"event":"PLAN","entries":[{"text":"read","status":"completed","priority":"high"},{"text":"write","status":"in_progress","priority":"high"},{"text":"test","status":"pending","priority":"low"}]}"#;
    check(
        &format!("{plan}\n{plan}"),
        "plan:\n  [x] read\n  [>] write\n  [ ] test\n",
    );
}

#[test]
fn a_command_of_several_lines_is_not_told_as_another_command_of_one() {
    check(
        r#"
{"event":"PERMISSION_REQUEST","request_id":1,"tool_call_id":"c1","tool":"Bash","kind":"execute","text":"make\n\n\nrm -rf src","paths":[],"channel":"acp","options":[],"asks":true}
{"event":"PERMISSION_APPROVED","request_id":1,"tool_call_id":"c1","tool":"Bash","kind":"execute","by":"user"}
{"event":"TOOL_CALL","tool_call_id":"c1","tool":"Bash","kind":"execute","status":"completed","title":"Run","command":"make\nrm -rf src"}
"#,
        "allowed Bash: make \\n rm -rf src\nok Run: make \\n rm -rf src\n",
    );
}

#[test]
fn guidance_that_is_lost_again_and_again_is_one_row_of_a_task_and_nudges_are_for_those_who_ask() {
    let lost = r#"{"event":"GUIDANCE_RECEIPT","request_id":1,"tool":"Bash","channel":"notice","receipt":"failed"}"#;
    let nudge = r#"{"event":"NUDGE","denials":2,"text":"x"}"#;
    let prompt =
        |origin: &str| format!(r#"{{"event":"TURN_STARTED","origin":"{origin}","text":"go"}}"#);
    let again = prompt("continuation");
    let lines = [lost, nudge, lost, &again, lost].join("\n");
    let text = shown(Renderer::new(Style::PLAIN), &lines);
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains("none was called"), "an empty reason: {text}");
    let next = [lines.as_str(), &prompt("user"), lost].join("\n");
    let text = shown(Renderer::new(Style::PLAIN), &next);
    assert_eq!(text.lines().count(), 2, "{text}");
    let text = shown(Renderer::new(Style::PLAIN).narrating(), &lines);
    assert!(text.contains("NUDGE"), "{text}");
}

#[test]
fn a_plan_that_nobody_could_approve_says_so_and_how_it_can_be() {
    let shown = shown(
        Renderer::new(Style::PLAIN),
        r#"{"event":"PLAN_REJECTED","request_id":1,"by":"no_terminal","text":"","continues":false}"#,
    );
    assert!(shown.contains("nobody could be asked"), "{shown}");
    assert!(shown.contains("--answer allow"), "{shown}");
}

#[test]
fn a_note_is_not_told_again_in_the_turn_after_something_was_set_without_a_word() {
    let event = |line: &str| events(line).remove(0);
    let note = event(r#"{"event":"AGENT_NOTICE","text":"told"}"#);
    let mut renderer = Renderer::new(Style::PLAIN);
    assert_eq!(renderer.event(&note), "note: told\n");
    renderer.answers_anew();
    assert_eq!(renderer.event(&note), "note: told\n", "it answers");
    renderer.answers_anew();
    let begins = r#"{"event":"TURN_STARTED","origin":"user","text":"go"}"#;
    assert_eq!(renderer.event(&event(begins)), "");
    assert_eq!(renderer.event(&note), "");
}
