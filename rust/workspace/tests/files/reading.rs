//! `intellij_read_file` and texts for agents.

#[cfg(unix)]
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;
use siderail_workspace::Place;
use siderail_workspace::outcome::ToolErrorCode as Code;

use crate::fixture::{Project, next_call, stamp_in};

const READ: &str = "intellij_read_file";

#[test]
fn a_small_file_is_shown_whole_with_path_lines_and_stamp() {
    let project = Project::with(&[("src/App.java", "class App {\n    int x = 1;\n}\n")]);
    let text = project.ok(READ, json!({"path": "src/App.java"}));
    let stamp = stamp_in(&text);
    assert_eq!(
        text,
        format!(
            "src/App.java lines 1-3 of 3, stamp {stamp}\n1\tclass App {{\n2\t    int x = 1;\n3\t}}\n"
        )
    );
}

#[test]
fn the_stamp_tells_texts_apart_and_nothing_else() {
    let project = Project::with(&[("a", "one\n"), ("b", "one\n"), ("c", "one")]);
    assert_eq!(project.stamp("a"), project.stamp("b"));
    assert_ne!(project.stamp("a"), project.stamp("c"));
}

#[test]
fn lines_are_counted_from_one_and_a_range_may_go_beyond_the_file() {
    let project = Project::with(&[("a.txt", "1\n2\n3\n4\n5")]);
    let body = |arguments| {
        let text = project.ok(READ, arguments);
        let lines: Vec<String> = text.lines().skip(1).map(str::to_owned).collect();
        lines.join("|").replace('\t', ":")
    };
    assert_eq!(
        body(json!({"path": "a.txt", "start_line": 2, "end_line": 3})),
        "2:2|3:3|Next: intellij_read_file {\"path\":\"a.txt\",\"start_line\":4}"
    );
    assert_eq!(
        body(json!({"path": "a.txt", "start_line": 4, "end_line": 99})),
        "4:4|5:5"
    );
    assert_eq!(
        body(json!({"path": "a.txt", "start_line": 1, "end_line": 1})),
        "1:1|Next: intellij_read_file {\"path\":\"a.txt\",\"start_line\":2}"
    );
    assert_eq!(body(json!({"path": "a.txt", "start_line": "5"})), "5:5");
    assert!(body(json!({"path": "a.txt", "start_line": 9})).starts_with("Note: line 9"));
    assert_eq!(
        body(json!({"path": "a.txt", "start_line": 4, "end_line": 2})),
        "4:4|Next: intellij_read_file {\"path\":\"a.txt\",\"start_line\":5}"
    );
}

#[test]
fn an_empty_file_is_said_to_be_empty() {
    let project = Project::with(&[("a.txt", "")]);
    let text = project.ok(READ, json!({"path": "a.txt"}));
    assert!(text.starts_with("a.txt lines 0-0 of 0, stamp "), "{text}");
    assert!(text.ends_with("The file is empty.\n"), "{text}");
}

#[test]
fn following_the_next_calls_gives_every_line_once_and_no_answer_is_too_long() {
    let lines: Vec<String> = (1..=3_000).map(|n| format!("line {n} äöü")).collect();
    let project = Project::with(&[("big.txt", &lines.join("\n"))]);
    let mut call = json!({"path": "big.txt"});
    let mut seen = Vec::new();
    loop {
        let text = project.ok(READ, call);
        assert!(text.chars().count() <= 10_000, "{}", text.chars().count());
        seen.extend(
            text.lines()
                .filter_map(|line| line.split_once('\t'))
                .map(|(_, line)| line.to_owned()),
        );
        match next_call(&text) {
            Some(next) => call = next,
            None => break,
        }
    }
    assert_eq!(seen, lines);
}

#[test]
fn more_is_shown_on_request_and_the_next_call_asks_for_as_much() {
    let project = Project::with(&[("big.txt", &"0123456789\n".repeat(9_000))]);
    let text = project.ok(READ, json!({"path": "big.txt", "max_chars": 30_000}));
    let n_chars = text.chars().count();
    assert!((25_000..=30_000).contains(&n_chars), "{n_chars}");
    assert_eq!(next_call(&text).unwrap()["max_chars"], 30_000);
}

#[test]
fn a_line_of_a_minified_file_is_cut_and_reading_goes_on_behind_it() {
    let project = Project::with(&[("a.js", &format!("{}\nsecond\n", "x".repeat(50_000)))]);
    let text = project.ok(READ, json!({"path": "a.js"}));
    assert!(
        text.contains("[48000 more characters of this line]"),
        "{text}"
    );
    assert!(text.ends_with("2\tsecond\n"));
}

#[test]
fn charsets_are_told_by_their_marks_and_a_guess_is_flagged() {
    let utf16 = |unit: fn(u16) -> [u8; 2]| -> Vec<u8> {
        "\u{feff}Grüße 😀\n".encode_utf16().flat_map(unit).collect()
    };
    let project = Project::new();
    project.put("bom.txt", "\u{feff}Grüße 😀\n");
    project.put("le.txt", utf16(u16::to_le_bytes));
    project.put("be.txt", utf16(u16::to_be_bytes));
    project.put("latin.txt", b"Gr\xfc\xdfe\n");
    for (path, remark) in [
        ("bom.txt", "(byte order mark)"),
        ("le.txt", "(UTF-16LE)"),
        ("be.txt", "(UTF-16BE)"),
    ] {
        let text = project.ok(READ, json!({"path": path}));
        assert!(text.lines().next().unwrap().ends_with(remark), "{text}");
        assert!(text.contains("\n1\tGrüße 😀\n"), "{text}");
    }
    let text = project.ok(READ, json!({"path": "latin.txt"}));
    assert!(
        text.contains("read as windows-1252, which is a guess"),
        "{text}"
    );
    assert!(text.contains("1\tGrüße"), "{text}");
}

#[test]
fn line_ends_are_no_part_of_the_lines_and_odd_ones_are_remarked() {
    let project = Project::with(&[
        ("crlf.txt", "a\r\nb\r\n"),
        ("cr.txt", "a\rb\r"),
        ("mixed.txt", "a\r\nb\nc\n"),
    ]);
    for (path, remark, n_lines) in [
        ("crlf.txt", "(CRLF line ends)", 2),
        ("cr.txt", "(CR line ends)", 2),
        ("mixed.txt", "(mixed line ends)", 3),
    ] {
        let text = project.ok(READ, json!({"path": path}));
        assert!(text.contains(remark), "{text}");
        assert!(text.contains(&format!("of {n_lines}, stamp")), "{text}");
        assert!(!text.contains('\r'), "{text:?}");
    }
}

#[test]
fn what_is_no_text_is_refused_with_the_reason() {
    let project = Project::new();
    project.put("zero", b"abc\0def");
    project.put("png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    project.put("control", b"\xff\x01\x02");
    project.put("half", b"\xff\xfea");
    project.put("surrogate", b"\xff\xfe\x00\xd8a\0");
    project.put("utf32", b"\xff\xfe\0\0a\0\0\0");
    project.put("marked", b"\xef\xbb\xbf\xff");
    project.put("folder/a", "a");
    for path in [
        "zero",
        "png",
        "control",
        "half",
        "surrogate",
        "utf32",
        "marked",
        "folder",
    ] {
        project.fails(READ, json!({"path": path}), Code::NotText);
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_or_device_does_not_hang_the_tool() {
    let project = Project::new();
    let made = Command::new("mkfifo").arg(project.path("pipe")).status();
    assert!(made.unwrap().success());
    project.fails(READ, json!({"path": "pipe"}), Code::NotText);
    project.fails(
        "intellij_write_file",
        json!({"path": "pipe", "content": "x"}),
        Code::NotText,
    );
    let searched = project.ok("search_text", json!({"query": "x"}));
    assert!(searched.starts_with("0 matching"), "{searched}");
}

#[test]
fn paths_may_be_relative_absolute_or_file_addresses() {
    let project = Project::with(&[("with space/a.txt", "here\n")]);
    let absolute = project.path("with space/a.txt");
    let absolute = absolute.to_str().unwrap();
    let address = match cfg!(windows) {
        true => format!("/{}", absolute.replace('\\', "/")),
        false => absolute.to_owned(),
    };
    let address = address.replace(' ', "%20");
    for path in [
        "with space/a.txt",
        "./with space/../with space/a.txt",
        absolute,
        &format!("file://{address}"),
        &format!("file://localhost{address}"),
    ] {
        let text = project.ok(READ, json!({"path": path}));
        assert!(text.starts_with("with space/a.txt lines 1-1"), "{text}");
    }
}

#[test]
fn an_unknown_path_names_at_most_five_that_are_near() {
    let project = Project::with(&[
        ("src/main/App.java", ""),
        ("src/test/AppTest.java", ""),
        ("web/app.ts", ""),
        ("docs/other.md", ""),
    ]);
    for n in 0..9 {
        project.put(&format!("many/{n}/Same.kt"), "");
    }
    let near = |path: &str| project.fails(READ, json!({"path": path}), Code::FileNotFound);
    let text = near("src/App.java");
    assert!(text.contains("nearest: src/main/App.java"), "{text}");
    assert!(near("src/main/Ap.java").contains("nearest: src/main/App.java"));
    // On Windows that is the file itself.
    if cfg!(unix) {
        assert!(near("src/main/app.JAVA").contains("nearest: src/main/App.java"));
    }
    assert_eq!(near("Same.kt").matches("Same.kt").count(), 1 + 5);
    assert!(near("nothing-like-it.xyz").contains("list_project_files"));
}

#[test]
fn a_path_taken_from_the_root_is_understood_as_a_mistake() {
    let project = Project::with(&[("src/App.java", "")]);
    let text = project.fails(READ, json!({"path": "/src/App.java"}), Code::OutsideProject);
    assert!(text.contains("did you mean src/App.java?"), "{text}");
}

#[test]
fn arguments_that_are_missing_or_wrong_are_named() {
    let project = Project::with(&[("a", "")]);
    let missing = project.fails(READ, json!({}), Code::MissingParam);
    assert!(missing.contains("`path`"), "{missing}");
    project.fails(READ, json!({"path": null}), Code::MissingParam);
    project.fails(READ, json!({"path": 5}), Code::InvalidParam);
    project.fails(READ, json!({"path": ""}), Code::InvalidParam);
    project.fails(
        READ,
        json!({"path": "a", "start_line": "x"}),
        Code::InvalidParam,
    );
    project.fails(
        READ,
        json!({"path": "a", "start_line": 1.5}),
        Code::InvalidParam,
    );
}

#[test]
fn a_line_near_the_end_of_fifty_megabytes_comes_quickly() {
    let project = Project::new();
    let line = "x".repeat(99);
    project.put("huge.log", format!("{line}\n").repeat(500_000));
    let started = Instant::now();
    let text = project.ok(READ, json!({"path": "huge.log", "start_line": 499_999}));
    assert!(
        text.starts_with("huge.log lines 499999-500000 of 500000"),
        "{}",
        &text[..80]
    );
    assert!(started.elapsed() < Duration::from_secs(30));
}

#[test]
fn agents_get_plain_text_by_line_and_limit_with_its_line_ends() {
    let project = Project::with(&[("a.txt", "1\r\n2\r\n3")]);
    let place = Place::new(project.root()).unwrap();
    let read = |line, limit| {
        let path = project.path("a.txt");
        let text = project.tools.read_text(&place, 0, &path, line, limit);
        text.unwrap()
    };
    assert_eq!(read(None, None), "1\r\n2\r\n3");
    assert_eq!(read(Some(2), Some(1)), "2\r\n");
    assert_eq!(read(Some(2), None), "2\r\n3");
    assert_eq!(read(Some(0), Some(1)), "1\r\n");
    assert_eq!(read(Some(9), None), "");
    let outside = project
        .tools
        .read_text(&place, 0, "/etc/passwd".as_ref(), None, None);
    assert_eq!(outside.unwrap_err().code, Code::OutsideProject);
}
