//! `delete_file` and `move_file`.

#[cfg(unix)]
use std::os::unix::fs::symlink;

use serde_json::json;
use siderail_workspace::cancel::CancelFlag;
use siderail_workspace::outcome::ToolErrorCode as Code;
use siderail_workspace::tools::Tool;

use crate::fixture::Project;

const DELETE: &str = "delete_file";
const MOVE: &str = "move_file";

#[test]
fn a_file_is_deleted_and_the_diff_shows_what_went() {
    let project = Project::with(&[("a.txt", "gone\n"), ("b.txt", "")]);
    let outcome = project.run(DELETE, &json!({"path": "a.txt"})).unwrap();
    assert_eq!(outcome.files_written, ["a.txt"]);
    assert!(
        outcome
            .diff
            .unwrap()
            .contains("+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n")
    );
    assert_eq!(project.names("."), ["b.txt"]);
    let again = project.fails(DELETE, json!({"path": "a.txt"}), Code::FileNotFound);
    assert!(again.contains("nearest: b.txt"), "{again}");
}

#[test]
fn a_folder_with_content_is_deleted_only_on_request() {
    let project = Project::with(&[("full/a/b.txt", ""), ("keep", "")]);
    let text = project.fails(DELETE, json!({"path": "full"}), Code::InvalidParam);
    assert!(text.contains("recursive"), "{text}");
    project.ok(DELETE, json!({"path": "full", "recursive": true}));
    assert_eq!(project.names("."), ["keep"]);
    project.fails(
        DELETE,
        json!({"path": ".", "recursive": true}),
        Code::InvalidParam,
    );
}

#[cfg(unix)]
#[test]
fn a_link_is_deleted_and_moved_itself() {
    let project = Project::with(&[("real/a.txt", "x"), ("other", "")]);
    let outside = tempfile::tempdir().unwrap();
    symlink("real", project.path("link")).unwrap();
    symlink(outside.path(), project.path("out")).unwrap();
    symlink("missing", project.path("dangling")).unwrap();
    project.ok(MOVE, json!({"path": "link", "to": "renamed"}));
    assert!(project.path("renamed").is_symlink());
    project.ok(DELETE, json!({"path": "renamed", "recursive": true}));
    project.ok(DELETE, json!({"path": "out", "recursive": true}));
    project.ok(DELETE, json!({"path": "dangling"}));
    assert_eq!(project.names("."), ["other", "real"]);
    assert_eq!(project.text("real/a.txt"), "x");
    assert!(outside.path().exists());
}

#[test]
fn a_file_is_moved_and_missing_folders_are_made() {
    let project = Project::with(&[("a.txt", "x")]);
    let outcome = project
        .run(MOVE, &json!({"path": "a.txt", "to": "new/deep/b.txt"}))
        .unwrap();
    assert_eq!(outcome.files_written, ["a.txt", "new/deep/b.txt"]);
    assert_eq!(project.text("new/deep/b.txt"), "x");
    assert_eq!(project.names("."), ["new"]);
}

#[test]
fn a_folder_as_destination_keeps_the_name() {
    let project = Project::with(&[("a.txt", "x"), ("dir/b.txt", "")]);
    project.ok(MOVE, json!({"path": "a.txt", "to": "dir"}));
    project.ok(MOVE, json!({"path": "dir/a.txt", "to": "fresh/"}));
    assert_eq!(project.text("fresh/a.txt"), "x");
    project.ok(MOVE, json!({"path": "dir", "to": "fresh"}));
    assert_eq!(project.names("fresh"), ["a.txt", "dir"]);
}

#[test]
fn nothing_is_overwritten_unless_asked() {
    let project = Project::with(&[("a.txt", "new"), ("b.txt", "old"), ("d/a.txt", "old")]);
    for to in ["b.txt", "d", "d/a.txt"] {
        let text = project.fails(MOVE, json!({"path": "a.txt", "to": to}), Code::InvalidParam);
        assert!(text.contains("overwrite"), "{text}");
    }
    assert_eq!(project.text("b.txt"), "old");
    project.ok(
        MOVE,
        json!({"path": "a.txt", "to": "b.txt", "overwrite": true}),
    );
    assert_eq!(project.text("b.txt"), "new");
}

#[test]
fn senseless_moves_are_refused_and_leave_no_folders() {
    let project = Project::with(&[("dir/a.txt", "x")]);
    project.fails(
        MOVE,
        json!({"path": "dir", "to": "dir/sub/dir"}),
        Code::InvalidParam,
    );
    project.fails(
        MOVE,
        json!({"path": "dir/a.txt", "to": "dir/a.txt"}),
        Code::InvalidParam,
    );
    project.fails(MOVE, json!({"path": ".", "to": "x"}), Code::InvalidParam);
    project.fails(
        MOVE,
        json!({"path": "nope", "to": "made/x"}),
        Code::FileNotFound,
    );
    assert_eq!(project.names("."), ["dir"]);
    assert_eq!(project.names("dir"), ["a.txt"]);
}

#[test]
fn a_call_that_is_cancelled_while_it_waits_neither_deletes_nor_moves() {
    let project = Project::with(&[("a.txt", "x")]);
    let (tools, folder) = (&project.tools, project.root().into());
    for (tool, arguments) in [
        (Tool::DeleteFile, json!({"path": "a.txt"})),
        (Tool::MoveFile, json!({"path": "a.txt", "to": "b.txt"})),
    ] {
        let wanted = CancelFlag::new();
        let first = tools.claim(folder, Tool::WriteFile, &json!({"path": "a.txt"}));
        tools.wait(&first, folder, &wanted).unwrap();
        let second = tools.claim(folder, tool, &arguments);
        let cancel = CancelFlag::new();
        cancel.cancel();
        // Now it is the second one's turn.
        drop(first);
        let failure = tools.wait(&second, folder, &cancel).err();
        assert_eq!(failure.map(|failure| failure.code), Some(Code::Cancelled));
        // Even one that is cancelled only after its turn has come.
        let place = tools.wait(&second, folder, &wanted).unwrap();
        let result = tools.run_claimed(&place, 0, (tool, &arguments), &cancel, &|_| {});
        assert_eq!(result.unwrap_err().code, Code::Cancelled);
        assert_eq!(project.names("."), ["a.txt"]);
    }
}
