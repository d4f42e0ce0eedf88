//! `intellij_write_file` with whole contents, and everything that a write must keep or leave alone.

use std::fs;
#[cfg(unix)]
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use siderail_workspace::Place;
use siderail_workspace::cancel::CancelFlag;
use siderail_workspace::open_texts::{OpenTexts, Put};
use siderail_workspace::outcome::ToolErrorCode as Code;
use siderail_workspace::questions::NobodyToAsk;
use siderail_workspace::tools::FileTools;

#[cfg(unix)]
use crate::fixture::unix::{is_rerun, rerun_behind, rights_bind};
use crate::fixture::{Project, stamp_in};

const WRITE: &str = "intellij_write_file";

#[test]
fn a_new_file_is_created_with_its_folders() {
    let project = Project::new();
    let outcome = project
        .run(
            WRITE,
            &json!({"path": "a/b/c.txt", "content": "one\ntwo\n"}),
        )
        .unwrap();
    assert_eq!(project.text("a/b/c.txt"), "one\ntwo\n");
    assert!(
        outcome
            .text
            .starts_with("created a/b/c.txt, 2 lines, stamp ")
    );
    assert_eq!(outcome.files_written, ["a/b/c.txt"]);
    let diff = outcome.diff.unwrap();
    assert!(
        diff.starts_with("--- /dev/null\n+++ b/a/b/c.txt\n"),
        "{diff}"
    );
    assert_eq!(stamp_in(&outcome.text), project.stamp("a/b/c.txt"));
}

#[test]
fn an_existing_file_is_replaced_unread_and_the_answer_is_the_diff() {
    let lines: Vec<String> = (1..=20).map(|n| format!("line {n}\n")).collect();
    let project = Project::with(&[("a.txt", &lines.concat())]);
    let before = project.stamp("a.txt");
    let content = lines.concat().replace("line 10\n", "changed\n");
    let text = project.ok(WRITE, json!({"path": "a.txt", "content": content}));
    assert_eq!(project.text("a.txt"), content);
    let stamp = project.stamp("a.txt");
    assert_eq!(
        text,
        format!(
            "wrote a.txt, 20 lines, stamp {stamp}\nNote: replaced the whole text, which had 20 \
             lines at stamp {before}.\n--- a/a.txt\n+++ b/a.txt\n@@ -7,7 +7,7 @@\n \
             line 7\n line 8\n line 9\n-line 10\n+changed\n line 11\n line 12\n line 13\n"
        )
    );
}

#[test]
fn the_same_text_again_writes_nothing() {
    let project = Project::with(&[("a.txt", "same\n")]);
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    let file = fs::File::options()
        .write(true)
        .open(project.path("a.txt"))
        .unwrap();
    file.set_modified(old).unwrap();
    drop(file);
    let outcome = project
        .run(WRITE, &json!({"path": "a.txt", "content": "same\n"}))
        .unwrap();
    assert!(
        outcome.text.contains("has this text already"),
        "{}",
        outcome.text
    );
    assert!(outcome.files_written.is_empty());
    let now = fs::metadata(project.path("a.txt"))
        .unwrap()
        .modified()
        .unwrap();
    assert_eq!(now, old);
}

#[test]
fn line_ends_mark_and_charset_of_a_file_are_kept() {
    let utf16: Vec<u8> = "\u{feff}Größe\r\n"
        .encode_utf16()
        .flat_map(u16::to_be_bytes)
        .collect();
    let wanted: Vec<u8> = "\u{feff}Länge 😀\r\nneu\r\n"
        .encode_utf16()
        .flat_map(u16::to_be_bytes)
        .collect();
    let project = Project::new();
    for (before, content, after) in [
        (&b"a\r\nb\r\n"[..], "x\ny\n", &b"x\r\ny\r\n"[..]),
        (b"a\nb\n", "x\r\ny\r\n", b"x\ny\n"),
        (b"a\rb\r", "x\ny\n", b"x\ry\r"),
        (b"a\r\nb\r\nc\n", "x\ny\n", b"x\r\ny\r\n"),
        (b"\xef\xbb\xbfa\n", "x\n", b"\xef\xbb\xbfx\n"),
        (b"\xef\xbb\xbfa\n", "\u{feff}x\n", b"\xef\xbb\xbfx\n"),
        (b"Gr\xfc\xdfe\n", "Maß €\n", b"Ma\xdf \x80\n"),
        (&utf16, "Länge 😀\nneu\n", &wanted),
        (b"no line end", "x\n", b"x\n"),
        (b"", "x\r\n", b"x\n"),
    ] {
        project.put("a.txt", before);
        project.ok(WRITE, json!({"path": "a.txt", "content": content}));
        assert_eq!(project.bytes("a.txt"), after, "{before:?}");
    }
}

#[test]
fn in_a_file_of_mixed_line_ends_lines_that_stay_keep_theirs() {
    let project = Project::new();
    for (before, content, after) in [
        ("a\r\nb\nc\n", "a\nb\nx\nc\n", "a\r\nb\nx\nc\n"),
        ("a\r\nb\r\nc\n", "a\nX\nc\nnew\n", "a\r\nX\r\nc\nnew\r\n"),
        ("a\r\nb\nc", "a\nb\nc\n", "a\r\nb\nc\n"),
        ("a\r\nb\nc\n", "a\nb\nc", "a\r\nb\nc"),
        ("a\r\nb\nc", "c\nb\na", "c\nb\na"),
    ] {
        project.put("a.txt", before);
        project.ok(WRITE, json!({"path": "a.txt", "content": content}));
        assert_eq!(project.text("a.txt"), after, "{before:?} {content:?}");
    }
    // Nothing but the line ends that it cannot see: there is nothing to write.
    project.put("a.txt", "a\r\nb\n");
    let text = project.ok(WRITE, json!({"path": "a.txt", "content": "a\nb\n"}));
    assert!(text.contains("has this text already"), "{text}");
}

#[test]
fn a_new_file_is_written_as_given() {
    let project = Project::new();
    for content in ["a\r\nb\r\n", "a\nb", "\u{feff}a\n", "", "\n"] {
        project.ok(WRITE, json!({"path": "new.txt", "content": content}));
        assert_eq!(project.text("new.txt"), content);
        fs::remove_file(project.path("new.txt")).unwrap();
    }
}

#[test]
fn a_character_that_the_files_charset_lacks_is_refused_by_name() {
    let project = Project::new();
    project.put("a.txt", b"Gr\xfc\xdfe\n");
    let text = project.fails(
        WRITE,
        json!({"path": "a.txt", "content": "日本\n"}),
        Code::InvalidParam,
    );
    assert!(text.contains("`日`"), "{text}");
    assert_eq!(project.bytes("a.txt"), b"Gr\xfc\xdfe\n");
}

#[cfg(unix)]
#[test]
fn mode_and_executable_bit_are_kept_and_new_files_follow_the_umask() {
    let project = Project::with(&[("run.sh", "echo 1\n"), ("secret", "1\n"), ("plain", "")]);
    let set = |path: &str, mode| {
        fs::set_permissions(project.path(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    let mode = |path: &str| fs::metadata(project.path(path)).unwrap().mode() & 0o7777;
    set("run.sh", 0o755);
    set("secret", 0o600);
    project.ok(WRITE, json!({"path": "run.sh", "content": "echo 2\n"}));
    project.ok(
        WRITE,
        json!({"path": "secret", "old_text": "1", "new_text": "2"}),
    );
    project.ok(WRITE, json!({"path": "new", "content": "x"}));
    assert_eq!(mode("run.sh"), 0o755);
    assert_eq!(mode("secret"), 0o600);
    assert_eq!(mode("new"), mode("plain"));
}

#[cfg(unix)]
#[test]
fn a_read_only_file_is_left_alone() {
    let project = Project::with(&[("a.txt", "old\n")]);
    let path = project.path("a.txt");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let text = project.fails(
        WRITE,
        json!({"path": "a.txt", "content": "x"}),
        Code::ReadOnly,
    );
    assert!(text.contains("a.txt is read-only"), "{text}");
    assert_eq!(project.text("a.txt"), "old\n");
}

#[cfg(unix)]
#[test]
fn a_link_inside_the_project_stays_a_link_and_its_target_is_written() {
    let project = Project::with(&[("real/a.txt", "old\n")]);
    symlink("real/a.txt", project.path("link.txt")).unwrap();
    symlink("real", project.path("folder")).unwrap();
    let text = project.ok(WRITE, json!({"path": "link.txt", "content": "one\n"}));
    assert!(text.starts_with("wrote real/a.txt"), "{text}");
    project.ok(
        WRITE,
        json!({"path": "folder/a.txt", "old_text": "one", "new_text": "two"}),
    );
    assert_eq!(project.text("real/a.txt"), "two\n");
    assert!(project.path("link.txt").is_symlink());
    assert!(project.path("folder").is_symlink());
}

#[cfg(unix)]
#[test]
fn a_file_with_several_names_keeps_them_all() {
    let project = Project::with(&[("sub/a.sh", "one\ntwo\n")]);
    project.put(".hidden/x", "");
    let other = project.path(".hidden/b.sh");
    fs::set_permissions(project.path("sub/a.sh"), fs::Permissions::from_mode(0o750)).unwrap();
    fs::hard_link(project.path("sub/a.sh"), &other).unwrap();
    let before = fs::metadata(&other).unwrap();
    for (change, expected) in [
        (
            json!({"path": "sub/a.sh", "content": "longer than before\ntwo\n"}),
            "longer than before\ntwo\n",
        ),
        (
            json!({"path": "sub/a.sh", "old_text": "longer than before\n", "new_text": ""}),
            "two\n",
        ),
        (json!({"path": "sub/a.sh", "content": ""}), ""),
    ] {
        let text = project.ok(WRITE, change);
        assert!(
            text.contains("2 names in the project (hard links)"),
            "{text}"
        );
        assert_eq!(project.text("sub/a.sh"), expected);
        assert_eq!(fs::read_to_string(&other).unwrap(), expected);
    }
    let now = fs::metadata(project.path("sub/a.sh")).unwrap();
    assert_eq!((now.ino(), now.mode()), (before.ino(), before.mode()));
    assert_eq!(project.names("sub"), ["a.sh"]);
}

// Elsewhere other names of a file are not looked for.
#[cfg(unix)]
#[test]
fn a_file_with_a_name_outside_the_project_becomes_one_of_its_own() {
    let project = Project::with(&[("a.txt", "old\n")]);
    let outside = tempfile::tempdir_in(project.root().parent().unwrap()).unwrap();
    let other = outside.path().join("b.txt");
    fs::hard_link(project.path("a.txt"), &other).unwrap();
    fs::hard_link(project.path("a.txt"), project.path("c.txt")).unwrap();
    let text = project.ok(WRITE, json!({"path": "a.txt", "content": "new\n"}));
    assert!(text.contains("they keep the old text"), "{text}");
    assert_eq!(project.text("a.txt"), "new\n");
    assert_eq!(fs::read_to_string(&other).unwrap(), "old\n");
    let again = project.ok(WRITE, json!({"path": "a.txt", "content": "newer\n"}));
    assert!(!again.contains("hard links"), "{again}");
}

#[cfg(unix)]
#[test]
fn a_write_that_was_cut_off_in_a_file_with_several_names_leaves_the_old_text_to_the_person() {
    let project = Project::with(&[("a.txt", "torn"), ("a.txt.siderail-old", "whole\n")]);
    fs::hard_link(project.path("a.txt"), project.path("b.txt")).unwrap();
    let text = project.fails(
        WRITE,
        json!({"path": "a.txt", "content": "x"}),
        Code::IoError,
    );
    assert!(
        text.contains("a.txt.siderail-old is there") && text.contains("compare it with the file"),
        "{text}"
    );
    assert_eq!(project.text("b.txt"), "torn");
    assert_eq!(project.text("a.txt.siderail-old"), "whole\n");
}

#[cfg(unix)]
#[test]
fn a_dangling_link_creates_its_target_inside_and_nothing_outside() {
    let project = Project::new();
    let outside = tempfile::tempdir().unwrap();
    symlink("sub/target.txt", project.path("inside")).unwrap();
    symlink(outside.path().join("new.txt"), project.path("outside")).unwrap();
    project.ok(WRITE, json!({"path": "inside", "content": "x"}));
    assert_eq!(project.text("sub/target.txt"), "x");
    project.fails(
        WRITE,
        json!({"path": "outside", "content": "x"}),
        Code::OutsideProject,
    );
    assert!(!outside.path().join("new.txt").exists());
    assert!(project.path("outside").is_symlink());
}

#[test]
fn binary_files_and_folders_are_not_overwritten() {
    let project = Project::new();
    project.put("a.png", b"\x89PNG\0");
    project.put("folder/a", "");
    project.fails(
        WRITE,
        json!({"path": "a.png", "content": "x"}),
        Code::NotText,
    );
    project.fails(
        WRITE,
        json!({"path": "folder", "content": "x"}),
        Code::NotText,
    );
    project.fails(
        WRITE,
        json!({"path": "new/", "content": "x"}),
        Code::InvalidParam,
    );
    assert_eq!(project.bytes("a.png"), b"\x89PNG\0");
}

#[test]
fn exactly_one_way_of_changing_is_taken() {
    let project = Project::with(&[("a", "a")]);
    for arguments in [
        json!({"path": "a"}),
        json!({"path": "a", "content": "x", "old_text": "a", "new_text": "b"}),
        json!({"path": "a", "content": "x", "edits": []}),
        json!({"path": "a", "edits": []}),
        json!({"path": "a", "edits": ["x"]}),
        json!({"path": "a", "content": 5}),
    ] {
        project.fails(WRITE, arguments, Code::InvalidParam);
    }
    let text = project.fails(
        WRITE,
        json!({"path": "a", "edits": [{"old_text": "a"}]}),
        Code::MissingParam,
    );
    assert!(
        text.contains("`edits[0]`") && text.contains("`new_text`"),
        "{text}"
    );
    project.fails(
        WRITE,
        json!({"path": "a", "old_text": "a"}),
        Code::MissingParam,
    );
    assert_eq!(project.text("a"), "a");
}

#[test]
fn a_file_that_changed_since_its_stamp_is_left_alone_and_the_change_is_shown() {
    let project = Project::with(&[("a.txt", "one\ntwo\nthree\n")]);
    let stamp = project.stamp("a.txt");
    project.put("a.txt", "one\nTWO\nthree\n");
    let write = |stamp: &str| json!({"path": "a.txt", "old_text": "one", "new_text": "1", "expected_stamp": stamp});
    let text = project.fails(WRITE, write(&stamp), Code::Stale);
    assert!(text.contains("-two\n+TWO\n"), "{text}");
    assert_eq!(project.text("a.txt"), "one\nTWO\nthree\n");
    let now = stamp_in(text.split_once("It has now ").unwrap().1);
    let text = project.ok(WRITE, write(&now));
    assert_eq!(project.text("a.txt"), "1\nTWO\nthree\n");
    let next = stamp_in(&text);
    let more = json!({"path": "a.txt", "content": "x", "expected_stamp": next});
    project.ok(WRITE, more);
    let unknown = project.fails(WRITE, write("0123456789abcdef"), Code::Stale);
    assert!(
        unknown.contains("intellij_read_file {\"path\":\"a.txt\"}"),
        "{unknown}"
    );
    fs::remove_file(project.path("a.txt")).unwrap();
    let gone = json!({"path": "a.txt", "content": "x", "expected_stamp": stamp});
    project.fails(WRITE, gone, Code::Stale);
    assert!(!project.path("a.txt").exists());
}

#[cfg(unix)]
#[test]
fn a_write_that_finds_no_room_leaves_the_old_file_and_nothing_else() {
    let test = "writing::a_write_that_finds_no_room_leaves_the_old_file_and_nothing_else";
    if !is_rerun(test) {
        // A file may grow to some kilobytes only; ignored, the signal becomes an error.
        return rerun_behind("trap '' XFSZ; ulimit -f 8; exec \"$@\"", test);
    }
    let project = Project::with(&[("a.txt", "old\n")]);
    let content = "x".repeat(1_000_000);
    let text = project.fails(
        WRITE,
        json!({"path": "a.txt", "content": content}),
        Code::IoError,
    );
    assert!(text.contains("no space left"), "{text}");
    assert_eq!(project.text("a.txt"), "old\n");
    assert_eq!(project.names("."), ["a.txt"]);
    project.fails(
        WRITE,
        json!({"path": "new/deep/b.txt", "content": content}),
        Code::IoError,
    );
    assert_eq!(project.names("."), ["a.txt"]);
    // A file with several names is written where it is, and gets its text back.
    fs::hard_link(project.path("a.txt"), project.path("b.txt")).unwrap();
    let text = project.fails(
        WRITE,
        json!({"path": "a.txt", "content": content}),
        Code::IoError,
    );
    assert!(text.contains("nothing was changed"), "{text}");
    assert_eq!(project.text("b.txt"), "old\n");
    assert_eq!(project.names("."), ["a.txt", "b.txt"]);
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_written_costs_an_error_and_no_text() {
    let test = "writing::a_folder_that_may_not_be_written_costs_an_error_and_no_text";
    if !rights_bind() {
        assert!(!is_rerun(test), "rights still do not bind");
        // Root without its capabilities is bound by access rights like everybody.
        return rerun_behind("exec setpriv --bounding-set=-all \"$@\"", test);
    }
    let project = Project::with(&[("closed/a.txt", "old\n"), ("hidden/b.txt", "old\n")]);
    let set = |path: &str, mode| {
        fs::set_permissions(project.path(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    set("closed", 0o555);
    set("hidden", 0o000);
    let write =
        |path: &str, code| project.fails(WRITE, json!({"path": path, "content": "x"}), code);
    write("closed/a.txt", Code::IoError);
    write("closed/new.txt", Code::IoError);
    write("hidden/b.txt", Code::OutsideProject);
    let searched = project.ok("search_text", json!({"query": "nowhere"}));
    assert!(searched.contains("Not searched: ") && !searched.contains("complete and final"));
    let listed = project.ok("list_project_files", json!({}));
    assert!(listed.contains("Not complete: "), "{listed}");
    set("closed", 0o755);
    set("hidden", 0o755);
    assert_eq!(project.text("closed/a.txt"), "old\n");
    assert_eq!(project.names("closed"), ["a.txt"]);
}

#[test]
fn fifty_megabytes_are_edited_in_place() {
    let project = Project::new();
    let half = format!("{}\n", "x".repeat(99)).repeat(250_000);
    project.put("huge.log", format!("{half}the place\n{half}"));
    let started = Instant::now();
    project.ok(
        WRITE,
        json!({"path": "huge.log", "old_text": "the place", "new_text": "the other"}),
    );
    assert_eq!(project.text("huge.log"), format!("{half}the other\n{half}"));
    assert!(started.elapsed() < Duration::from_secs(60));
}

#[test]
fn agents_write_whole_texts_the_same_way() {
    let project = Project::with(&[("a.txt", "a\r\nb\r\n")]);
    let write = |path: &str, content: &str| {
        let path = project.path(path);
        let place = Place::new(project.root()).unwrap();
        let (content, wanted) = ((content, false), CancelFlag::new());
        let tools = &project.tools;
        tools.write_text(&place, 0, &path, content, &wanted)
    };
    let diff = write("a.txt", "a\nc\n").unwrap().unwrap();
    assert!(diff.contains("-b\n+c\n"), "{diff}");
    assert_eq!(project.text("a.txt"), "a\r\nc\r\n");
    write("new/b.txt", "x").unwrap();
    assert_eq!(project.text("new/b.txt"), "x");
    let outside = write("../out.txt", "x").unwrap_err();
    assert_eq!(outside.code, Code::OutsideProject);
}

/// An editor that has everything open and is asked for nothing any more before it has answered.
struct Unanswered;

impl OpenTexts for Unanswered {
    fn read(&self, _: u64, _: &Path) -> Option<String> {
        None
    }

    fn write(&self, _: u64, _: &Path, _: &str, _: &CancelFlag) -> Put {
        Put::Cancelled
    }
}

#[test]
fn a_write_that_an_editor_has_not_answered_is_not_told_as_not_done() {
    let mut project = Project::with(&[("a.txt", "1\n")]);
    project.tools = FileTools::new(Arc::new(NobodyToAsk)).with_open_texts(Arc::new(Unanswered));
    let arguments = json!({"path": "a.txt", "content": "2\n", "overwrite": true});
    let text = project.fails(WRITE, arguments, Code::Cancelled);
    assert!(text.contains("is not known: read it"), "{text}");
    assert_eq!(project.text("a.txt"), "1\n");
}
