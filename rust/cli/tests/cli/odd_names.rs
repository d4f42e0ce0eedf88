//! Files whose names would break a line or are no text: what a model reads of them, and what it can do with that.
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use serde_json::json;

use crate::mcp::Client;
use crate::process::{Ended, Place, entries};

/// Names as they are, and as they are printed.
const ODD: [(&[u8], &str); 7] = [
    (b"two\nlines.txt", r#""two\nlines.txt""#),
    (b"esc\x1b[2J.txt", r#""esc\033[2J.txt""#),
    (b"bad\xff.txt", r#""bad\377.txt""#),
    (b"\"quoted\".txt", r#""\"quoted\".txt""#),
    (b"a.txt:1:1: forged", r#""a.txt:1:1: forged""#),
    (
        "turned\u{202e}txt.exe".as_bytes(),
        r#""turned\342\200\256txt.exe""#,
    ),
    ("next\u{2028}.txt".as_bytes(), r#""next\342\200\250.txt""#),
];

fn project_of_odd_names() -> Place {
    let place = Place::new();
    for (name, _) in ODD {
        let file = place.project().join(OsStr::from_bytes(name));
        fs::write(file, "needle\n").expect("a file system that takes any bytes");
    }
    place
}

#[test]
fn a_name_forges_no_line_of_a_listing_or_a_search() {
    let place = project_of_odd_names();
    let mut client = Client::open(&place);
    let (_, listing) = client.tool(2, "list_project_files", json!({}));
    let (_, found) = client.tool(3, "search_text", json!({"query": "needle"}));
    for (_, printed) in ODD {
        assert!(listing.lines().any(|line| line == printed), "{listing}");
        let hit = format!("{printed}:1:1: needle");
        assert!(found.lines().any(|line| line == hit), "{printed}: {found}");
    }
    assert_eq!(listing.lines().count(), 1 + ODD.len(), "{listing}");
    assert_eq!(found.lines().count(), 1 + ODD.len(), "{found}");
    assert_eq!(client.close(), Some(0));
}

#[test]
fn a_path_as_it_was_printed_reads_writes_and_moves_that_file() {
    let place = project_of_odd_names();
    let n_files = entries(&place.project()).len();
    let mut client = Client::under(&place, "yolo");
    for ((name, printed), id) in ODD.into_iter().zip(10..) {
        let file = place.project().join(OsStr::from_bytes(name));
        let (failed, text) = client.tool(id, "intellij_read_file", json!({"path": printed}));
        assert!(!failed && text.contains("needle"), "{text}");
        assert!(text.contains(printed), "{text}");
        let edit = json!({"path": printed, "old_text": "needle", "new_text": "thread"});
        let (failed, text) = client.tool(100 + id, "intellij_write_file", edit);
        assert!(!failed, "{text}");
        assert_eq!(fs::read_to_string(&file).expect("it is there"), "thread\n");
    }
    let n_now = entries(&place.project()).len();
    assert_eq!(n_now, n_files, "no second file was made");
    let move_it = json!({"path": ODD[2].1, "to": "sub/"});
    let (failed, text) = client.tool(300, "move_file", move_it);
    assert!(!failed, "{text}");
    let moved = place
        .project()
        .join("sub")
        .join(OsStr::from_bytes(ODD[2].0));
    assert!(moved.exists(), "{text}");
}

#[test]
fn a_misread_name_makes_no_second_file_and_is_answered_with_the_right_one() {
    let place = project_of_odd_names();
    let n_files = entries(&place.project()).len();
    let mut client = Client::open(&place);
    let misread = [("bad\u{fffd}.txt", ODD[2].1), (r"two\nlines.txt", ODD[0].1)];
    for ((given, meant), id) in misread.into_iter().zip(10..) {
        let write = json!({"path": given, "content": "x"});
        let (failed, text) = client.tool(id, "intellij_write_file", write);
        assert!(failed && text.contains(meant), "{text}");
        let (failed, text) = client.tool(100 + id, "intellij_read_file", json!({"path": given}));
        assert!(failed && text.contains(meant), "{text}");
    }
    assert_eq!(entries(&place.project()).len(), n_files);
}

/// Quoting is no way around the questions about protected files, nor out of the project.
#[test]
fn a_quoted_path_is_judged_by_what_it_names() {
    let place = Place::new();
    fs::create_dir(place.project().join(".git")).expect("a new folder");
    let mut client = Client::under(&place, "yolo");
    let paths = [
        r#"".git/hooks/pre-commit""#,
        r#""\056git/hooks/pre\055commit""#,
        r#""x/../.git/ev\nil""#,
        r#""../\157utside.txt""#,
    ];
    for (path, id) in paths.into_iter().zip(10..) {
        let write = json!({"path": path, "content": "x"});
        let (failed, text) = client.tool(id, "intellij_write_file", write);
        assert!(failed, "{path}: {text}");
    }
    assert_eq!(entries(&place.project().join(".git")).len(), 0);
    assert!(!place.path("outside.txt").exists());
}

#[test]
fn a_project_whose_name_is_no_text_is_refused_by_every_command_that_works_in_one() {
    let place = Place::new();
    let odd = place.path("run").join(OsStr::from_bytes(b"pr\xff"));
    fs::create_dir(&odd).expect("a file system that takes any bytes");
    let commands: [&[&str]; 4] = [
        &["mcp"],
        &["run", "--agent", "mine", "--agent-command", "true", "hi"],
        &["policy", "show"],
        &["history", "list"],
    ];
    for words in commands {
        let named = place
            .siderail(&words[..1])
            .args(&words[1..])
            .current_dir(&odd)
            .output();
        let ended = Ended::of(named.expect("it starts"));
        assert_eq!(ended.code, Some(2), "{words:?}: {ended:?}");
        let told = ended.err.contains(r"pr\377") && ended.err.contains("not valid UTF-8");
        assert!(told && ended.err.contains("hint: rename"), "{}", ended.err);
    }
    let mut typed = place.siderail(&["mcp", "--project"]);
    let ended = Ended::of(typed.arg(&odd).output().expect("it starts"));
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.err.contains(r"pr\377"), "{}", ended.err);
}
