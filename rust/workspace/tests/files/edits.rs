//! Edits of `intellij_write_file`: the exact match, the one tolerant step, and what is said otherwise.

use serde_json::{Value, json};
use siderail_workspace::outcome::ToolErrorCode as Code;

use crate::fixture::Project;

const WRITE: &str = "intellij_write_file";

/// Edits a file of that text; the new text and the answer.
#[track_caller]
fn edited(before: &str, old: &str, new: &str) -> (String, String) {
    let project = Project::with(&[("a.txt", before)]);
    let arguments = json!({"path": "a.txt", "old_text": old, "new_text": new});
    let answer = project.ok(WRITE, arguments);
    (project.text("a.txt"), answer)
}

/// Edits a file in vain; the answer. The file must stay as it is.
#[track_caller]
fn refused(before: &str, old: &str, new: &str, code: Code) -> String {
    let project = Project::with(&[("a.txt", before)]);
    let arguments = json!({"path": "a.txt", "old_text": old, "new_text": new});
    let answer = project.fails(WRITE, arguments, code);
    assert_eq!(project.text("a.txt"), before);
    answer
}

#[test]
fn an_exact_unique_text_is_replaced_without_a_word_about_it() {
    let (text, answer) = edited("a\nb\nc\n", "b", "B");
    assert_eq!(text, "a\nB\nc\n");
    assert!(!answer.contains("Note:"), "{answer}");
    assert!(answer.contains("-b\n+B\n"), "{answer}");
    assert_eq!(edited("one two", " two", "").0, "one");
    assert_eq!(edited("äöü\n", "ö", "oe").0, "äoeü\n");
}

#[test]
fn several_places_are_refused_with_their_lines() {
    let answer = refused("x\ny\nx\n  x\n", "x", "z", Code::AmbiguousMatch);
    assert!(
        answer.contains("3 places of a.txt, at lines 1, 3, 4;"),
        "{answer}"
    );
    assert!(answer.contains("replace_all"), "{answer}");
    let answer = refused(&"x\n".repeat(5_000), "x", "z", Code::AmbiguousMatch);
    assert!(answer.len() < 400, "{answer}");
    let overlapping = refused("aaa", "aa", "b", Code::AmbiguousMatch);
    assert!(overlapping.contains("2 places"), "{overlapping}");
}

#[test]
fn replace_all_replaces_every_place_and_counts_them() {
    let project = Project::with(&[("a.txt", "x\r\ny\r\nx\r\ny\r\n")]);
    let edit = |old: &str, new: &str| json!({"path": "a.txt", "old_text": old, "new_text": new, "replace_all": true});
    let answer = project.ok(WRITE, edit("x", "z"));
    assert!(answer.contains("2 places replaced"), "{answer}");
    assert_eq!(project.text("a.txt"), "z\r\ny\r\nz\r\ny\r\n");
    project.ok(WRITE, edit("z\ny\n", "w\n"));
    assert_eq!(project.text("a.txt"), "w\r\nw\r\n");
}

#[test]
fn line_ends_that_a_model_cannot_see_do_not_matter() {
    let (text, answer) = edited("a\r\nb\r\nc\r\n", "a\nb\n", "x\ny\nz\n");
    assert_eq!(text, "x\r\ny\r\nz\r\nc\r\n");
    assert!(answer.contains("apart from line ends"), "{answer}");
    assert_eq!(edited("a\nb\nc\n", "a\r\nb", "x\r\ny").0, "x\ny\nc\n");
    assert_eq!(edited("a\rb\rc\r", "a\nb\n", "x\n").0, "x\rc\r");
    assert_eq!(
        edited("if (x) {\r\n  y;\r\n}\r\n", "(x) {\n  y", "(z) {\n  w").0,
        "if (z) {\r\n  w;\r\n}\r\n"
    );
}

#[test]
fn in_a_file_of_mixed_line_ends_only_the_replaced_lines_change() {
    let (text, _) = edited("a\r\nb\nc\r\nd\r\n", "b\nc", "B\nC");
    assert_eq!(text, "a\r\nB\r\nC\r\nd\r\n");
    assert_eq!(edited("a\r\nb\nc\nd\n", "a\nb", "A\nB").0, "A\nB\nc\nd\n");
    // Lines around the change that are only there to name the place stay as they are.
    let text = "a\r\nb\nc\r\nd\ne\r\n";
    assert_eq!(
        edited(text, "a\nb\nc\nd\n", "a\nb\nX\nd\n").0,
        "a\r\nb\nX\r\nd\ne\r\n"
    );
    assert_eq!(
        edited("a\r\n  b\n  c\r\n", "b\nc\n", "b\nx\nc\n").0,
        "a\r\n  b\n  x\r\n  c\r\n"
    );
}

#[test]
fn trailing_blanks_do_not_matter_where_a_line_ends() {
    let (text, answer) = edited("one  \ntwo\t\nthree\n", "one\ntwo\n", "1\n2\n");
    assert_eq!(text, "1\n2\nthree\n");
    assert!(answer.contains("trailing blanks"), "{answer}");
    assert_eq!(
        edited("one\ntwo\nthree\n", "one \ntwo  ", "1\n2").0,
        "1\n2\nthree\n"
    );
    assert_eq!(edited("one\ntwo \n\nx\n", "two\t\n \nx", "2").0, "one\n2\n");
    assert_eq!(
        edited("one\t\ntwo\t\nthree\n", "one \ntwo  ", "1\n2").0,
        "1\n2\nthree\n"
    );
    refused("foobar\n", "foo ", "x", Code::TextNotFound);
}

#[test]
fn a_file_without_final_line_end_stays_without() {
    assert_eq!(edited("a\nlast", "last\n", "new\n").0, "a\nnew");
    assert_eq!(edited("a\nlast", "a\nlast\n", "new\n").0, "new");
    assert_eq!(edited("a\r\n    last", "last\n", "new\n").0, "a\r\n    new");
}

#[test]
fn a_common_indent_may_differ_and_the_new_text_is_shifted_alike() {
    let file = "class A {\n    void f() {\n        g();\n    }\n}\n";
    let old = "void f() {\n    g();\n}\n";
    let (text, answer) = edited(file, old, "void f() {\n\n    h();\n}\n\nint i;\n");
    assert_eq!(
        text,
        "class A {\n    void f() {\n\n        h();\n    }\n\n    int i;\n}\n"
    );
    assert!(
        answer.contains("another indent") && answer.contains("4 spaces more"),
        "{answer}"
    );
    let (text, answer) = edited("if x:\n  y\n  z\n", "        y\n        z\n", "        w\n");
    assert_eq!(text, "if x:\n  w\n");
    assert!(answer.contains("6 spaces less"), "{answer}");
    let (text, answer) = edited(
        "{\r\n\t\tx;\r\n\t\ty;\r\n}\r\n",
        "    x;\n    y;",
        "    x;\n      z;",
    );
    assert_eq!(text, "{\r\n\t\tx;\r\n\t\t  z;\r\n}\r\n");
    assert!(answer.contains("2 tabs in place of 4 spaces"), "{answer}");
}

#[test]
fn lines_that_differ_in_more_than_one_common_indent_are_no_match() {
    let file = "a\n    b\n        c\n";
    refused(file, "x\nb\nc", "y", Code::TextNotFound);
    refused("  b\n    c\n", "b\n   c\n", "y", Code::TextNotFound);
    refused("  a\n\n  b\n", "a\nx\nb\n", "y", Code::TextNotFound);
}

#[test]
fn a_tolerant_match_needs_one_place_and_something_to_hold_on() {
    let answer = refused(
        "  a\n  b\n-\n    a\n    b\n",
        "a\nb\n",
        "x\n",
        Code::AmbiguousMatch,
    );
    assert!(answer.contains("at lines 1, 4;"), "{answer}");
    refused("a \nb\n-\na \nb\n", "a\nb\n", "x\n", Code::AmbiguousMatch);
    refused("a\r\n  \r\nb\r\n", "\n \n", "x", Code::TextNotFound);
}

#[test]
fn a_new_text_with_too_little_indent_to_shift_is_refused() {
    let answer = refused(
        "  a\n  b\n",
        "    a\n    b\n",
        "    x\n y\n",
        Code::TextNotFound,
    );
    assert!(answer.contains("only at line 1"), "{answer}");
}

#[test]
fn what_is_merely_similar_is_shown_and_not_edited() {
    let file: String = (1..=40)
        .map(|n| format!("    int value{n} = {n};\n"))
        .collect();
    let answer = refused(&file, "int value7 = 8;", "x", Code::TextNotFound);
    assert!(answer.contains("7\t    int value7 = 7;"), "{answer}");
    let long: Vec<String> = (5..30).map(|n| format!("    int value{n} = 0;")).collect();
    let answer = refused(&file, &long.join("\n"), "x", Code::TextNotFound);
    assert!(answer.lines().count() <= 11, "{answer}");
    assert!(refused("abc\n", "zzz", "x", Code::TextNotFound).contains("No lines are like it"));
}

#[test]
fn an_edit_that_is_applied_already_is_said_to_be() {
    let answer = refused(
        "a\nnew line\nc\n",
        "old line",
        "new line",
        Code::TextNotFound,
    );
    assert!(answer.contains("already applied"), "{answer}");
    assert!(answer.contains("new_text is at line 2."), "{answer}");
    let gone = refused("a\n", "old line\n", "", Code::TextNotFound);
    assert!(!gone.contains("already applied"), "{gone}");
}

#[test]
fn an_edit_without_effect_or_without_a_place_is_refused() {
    refused("a\n", "a", "a", Code::InvalidParam);
    refused("a\n", "", "x", Code::InvalidParam);
    let project = Project::with(&[("empty.txt", ""), ("App.java", "")]);
    let edit = |path: &str, old: &str| json!({"path": path, "old_text": old, "new_text": "x\n"});
    let missing = project.fails(WRITE, edit("src/App.java", "y"), Code::FileNotFound);
    assert!(missing.contains("nearest: App.java"), "{missing}");
    project.ok(WRITE, edit("empty.txt", ""));
    project.ok(WRITE, edit("new.txt", ""));
    assert_eq!(project.text("empty.txt"), "x\n");
    assert_eq!(project.text("new.txt"), "x\n");
}

fn edits(edits: &[(&str, &str)]) -> Value {
    let edits: Vec<Value> = edits
        .iter()
        .map(|(old, new)| json!({"old_text": old, "new_text": new}))
        .collect();
    json!({"path": "a.txt", "edits": edits})
}

#[test]
fn several_edits_are_applied_in_order() {
    let project = Project::with(&[("a.txt", "one\ntwo\n")]);
    let outcome = project
        .run(
            WRITE,
            &edits(&[("one", "1"), ("1\ntwo", "2"), ("2\n", "three\n")]),
        )
        .unwrap();
    assert_eq!(project.text("a.txt"), "three\n");
    assert_eq!(outcome.files_written, ["a.txt"]);
}

#[test]
fn several_edits_are_applied_all_or_not_at_all() {
    let project = Project::with(&[("a.txt", "one\ntwo\nthree\n")]);
    let answer = project.fails(
        WRITE,
        edits(&[("one", "1"), ("nowhere", "x"), ("three", "3")]),
        Code::TextNotFound,
    );
    assert!(answer.starts_with("edit 2 of 3: "), "{answer}");
    assert_eq!(project.text("a.txt"), "one\ntwo\nthree\n");
}

#[test]
fn charset_and_mark_survive_an_edit() {
    let project = Project::new();
    project.put("a.txt", b"Gr\xfc\xdfe\r\nb\r\n");
    project.ok(WRITE, edits(&[("Grüße\nb", "Mäuse\nc")]));
    assert_eq!(project.bytes("a.txt"), b"M\xe4use\r\nc\r\n");
    let encoded =
        |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    project.put("a.txt", encoded("\u{feff}a\r\nb\r\n"));
    project.ok(WRITE, edits(&[("\u{feff}a\nb\n", "😀\n")]));
    assert_eq!(project.bytes("a.txt"), encoded("\u{feff}😀\r\n"));
}

#[test]
fn hostile_edits_end_in_time() {
    let many = "same line\n".repeat(100_000);
    let old = format!("{}different\n", "  same line\n".repeat(2_000));
    let started = std::time::Instant::now();
    refused(&many, &old, "x", Code::TextNotFound);
    refused(
        &many,
        &"  same line\n".repeat(2_000),
        "x",
        Code::AmbiguousMatch,
    );
    refused(
        &"a".repeat(200_000),
        &format!("{}b", "a".repeat(1_000)),
        "x",
        Code::TextNotFound,
    );
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}
