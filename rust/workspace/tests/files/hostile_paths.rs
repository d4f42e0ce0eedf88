//! Paths that try to leave the project, through every tool that takes one.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};
use siderail_workspace::confine::Confinement;
use siderail_workspace::outcome::ToolErrorCode as Code;
use siderail_workspace::tools::Tool;

use crate::fixture::Project;

/// A call of every tool for a path.
fn calls(path: &str) -> [(&'static str, Value); 7] {
    [
        ("intellij_read_file", json!({"path": path})),
        ("intellij_write_file", json!({"path": path, "content": "x"})),
        ("list_project_files", json!({"directory": path})),
        ("search_text", json!({"query": "x", "path": path})),
        ("delete_file", json!({"path": path, "recursive": true})),
        ("move_file", json!({"path": path, "to": "stolen"})),
        (
            "move_file",
            json!({"path": "a.txt", "to": path, "overwrite": true}),
        ),
    ]
}

#[test]
fn no_tool_takes_a_name_with_the_sign_for_bytes_that_are_no_text() {
    let project = Project::with(&[("a.txt", "here\n")]);
    for (tool, arguments) in calls("\u{fffd}.txt") {
        let text = project.fails(tool, arguments, Code::InvalidParam);
        assert!(text.contains("nearest: a.txt"), "{tool}: {text}");
    }
    assert_eq!(fs::read_dir(project.root()).unwrap().count(), 1);
}

#[test]
fn no_tool_follows_a_path_out_of_the_project() {
    let project = Project::with(&[("a.txt", "here\n"), ("sub/b.txt", "")]);
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "secret x\n").unwrap();
    symlink(outside.path(), project.path("out")).unwrap();
    symlink("out", project.path("chain")).unwrap();
    symlink("..", project.path("sub/up")).unwrap();
    let absolute = outside.path().join("secret").display().to_string();
    let sibling = format!("{}-sibling", project.root().display());
    fs::create_dir(&sibling).unwrap();
    fs::write(format!("{sibling}/secret"), "secret x\n").unwrap();
    let outside_name = outside.path().file_name().unwrap().to_str().unwrap();
    for path in [
        absolute.clone(),
        format!("file://{absolute}"),
        format!("../{outside_name}/secret"),
        format!("sub/../../{outside_name}/secret"),
        format!("missing/../../{outside_name}/secret"),
        format!("sub/up/../{outside_name}/secret"),
        format!("a.txt/../../{outside_name}/secret"),
        "out/secret".to_owned(),
        "chain/secret".to_owned(),
        "chain/new".to_owned(),
        "..".to_owned(),
        "/".to_owned(),
        format!("{sibling}/secret"),
        format!("../{}/secret", sibling.rsplit('/').next().unwrap()),
        "/proc/self/environ".to_owned(),
    ] {
        for (tool, arguments) in calls(&path) {
            let text = project.fails(tool, arguments, Code::OutsideProject);
            assert!(!text.contains("secret x"), "{text}");
        }
    }
    assert_eq!(
        fs::read_to_string(outside.path().join("secret")).unwrap(),
        "secret x\n"
    );
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
    assert_eq!(project.text("a.txt"), "here\n");
    fs::remove_dir_all(sibling).unwrap();
}

#[test]
fn loops_and_impossible_names_end_as_outside() {
    let project = Project::with(&[("a.txt", "here\n")]);
    symlink("two", project.path("one")).unwrap();
    symlink("one", project.path("two")).unwrap();
    symlink("self/x", project.path("self")).unwrap();
    for path in [
        "one",
        "one/x",
        "self",
        "a\0b",
        &"n".repeat(5_000),
        &"d/".repeat(3_000),
    ] {
        let result = project.run("intellij_read_file", &json!({"path": path}));
        let code = result.unwrap_err().code;
        assert!(
            matches!(code, Code::OutsideProject | Code::FileNotFound),
            "{path:.20}: {code:?}"
        );
    }
    let listed = project.ok("list_project_files", json!({}));
    assert!(listed.contains("a.txt\n"), "{listed}");
    let searched = project.ok("search_text", json!({"query": "here"}));
    assert!(
        searched.starts_with("1 matching lines in 1 files"),
        "{searched}"
    );
}

#[test]
fn a_folder_that_links_to_itself_is_walked_once() {
    let project = Project::with(&[("sub/a.txt", "here\n")]);
    symlink("..", project.path("sub/up")).unwrap();
    let searched = project.ok("search_text", json!({"query": "here"}));
    assert!(searched.starts_with("1 matching lines"), "{searched}");
    let inside = project.ok(
        "intellij_read_file",
        json!({"path": "sub/up/sub/up/sub/a.txt"}),
    );
    assert!(inside.starts_with("sub/a.txt lines"), "{inside}");
}

#[test]
fn bad_file_addresses_are_refused() {
    let project = Project::with(&[("a.txt", "")]);
    for path in [
        "file://host/a.txt",
        "file:a.txt",
        "file:///%zz",
        "file:///%2",
        "file:///%ff",
    ] {
        project.fails(
            "intellij_read_file",
            json!({"path": path}),
            Code::InvalidParam,
        );
    }
}

#[test]
fn a_project_that_is_gone_is_said_to_be_gone() {
    let project = Project::with(&[("a.txt", "")]);
    fs::remove_dir_all(project.root()).unwrap();
    for (tool, arguments) in calls("a.txt") {
        project.fails(tool, arguments, Code::ProjectDisposed);
    }
    project.fails("get_project_info", json!({}), Code::ProjectDisposed);
    assert!(!project.root().exists(), "a write must not bring it back");
}

#[test]
fn a_project_reached_through_a_link_is_the_same_project() {
    let project = Project::with(&[("a.txt", "here\n")]);
    let links = tempfile::tempdir().unwrap();
    let link = links.path().join("project");
    symlink(project.root(), &link).unwrap();
    // Whoever begins to work there looks once where it is.
    let found = Confinement::new(&link).unwrap();
    assert!(Confinement::known(found.root()).is_ok());
    let why = Confinement::known(&link).unwrap_err().to_string();
    assert!(why.contains("a link"), "{why}");
    let read = |path: &str| {
        let arguments = json!({"path": path});
        let cancel = siderail_workspace::cancel::CancelFlag::new();
        let outcome = project
            .tools
            .run(found.root(), Tool::ReadFile, &arguments, &cancel, &|_| {});
        outcome.unwrap().text
    };
    for path in [
        "a.txt",
        link.join("a.txt").to_str().unwrap(),
        project.path("a.txt").to_str().unwrap(),
    ] {
        assert!(read(path).starts_with("a.txt lines 1-1"), "{path}");
    }
}
