//! Pipes that nobody writes to, and links that come while a tool is at work.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;
use siderail_catalog::Tool;
use siderail_workspace::cancel::CancelFlag;
use siderail_workspace::outcome::ToolErrorCode as Code;

use crate::fixture::Project;

fn pipe(project: &Project, path: &str) {
    let made = Command::new("mkfifo").arg(project.path(path)).status();
    assert!(made.unwrap().success());
}

/// Runs something that must not wait for anybody.
fn at_once<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, answer) = channel();
    thread::spawn(move || done.send(work()));
    answer
        .recv_timeout(Duration::from_secs(20))
        .expect("it hangs")
}

#[test]
fn a_pipe_that_is_named_is_refused_by_every_tool() {
    let project = Project::with(&[("a.txt", "x\n")]);
    pipe(&project, "pipe");
    at_once(move || {
        project.fails(
            "search_text",
            json!({"query": "x", "path": "pipe"}),
            Code::NotText,
        );
        project.fails("intellij_read_file", json!({"path": "pipe"}), Code::NotText);
        project.fails(
            "intellij_write_file",
            json!({"path": "pipe", "old_text": "x", "new_text": "y"}),
            Code::NotText,
        );
        project.fails(
            "list_project_files",
            json!({"directory": "pipe"}),
            Code::InvalidParam,
        );
        project.ok("move_file", json!({"path": "pipe", "to": "moved"}));
        project.ok("delete_file", json!({"path": "moved"}));
    });
}

#[test]
fn pipes_in_the_place_of_ignore_files_and_gits_are_not_waited_for() {
    let project = Project::with(&[("a.txt", "x\n"), ("sub/b.txt", "x\n")]);
    fs::create_dir_all(project.path("sub/.git/info")).unwrap();
    for path in [
        ".gitignore",
        ".ignore",
        ".git",
        "package.json",
        "sub/.git/info/exclude",
        "sub/.git/HEAD",
    ] {
        pipe(&project, path);
    }
    at_once(move || {
        let searched = project.ok("search_text", json!({"query": "x"}));
        assert!(searched.starts_with("2 matching"), "{searched}");
        project.ok("list_project_files", json!({"directory": "sub"}));
        project.ok("get_project_info", json!({}));
    });
}

#[test]
fn no_tool_reaches_outside_while_links_come_and_go() {
    let project = Project::with(&[("d/f.txt", "inside\n"), ("f.txt", "inside\n")]);
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("f.txt"), "outside\n").unwrap();
    fs::write(outside.path().join("keep.txt"), "outside\n").unwrap();
    symlink(outside.path(), project.path("folder-link")).unwrap();
    symlink(outside.path().join("f.txt"), project.path("file-link")).unwrap();
    let is_over = AtomicBool::new(false);
    let swap = || {
        let pairs = [("d", "folder-link"), ("f.txt", "file-link")];
        let pairs = pairs.map(|(one, other)| (project.path(one), project.path(other)));
        while !is_over.load(Ordering::Relaxed) {
            for (one, other) in &pairs {
                // A tool may have put something else there.
                let _ = renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE);
            }
        }
    };
    thread::scope(|scope| {
        scope.spawn(swap);
        for round in 0..600 {
            let calls = [
                ("intellij_read_file", json!({"path": "d/f.txt"})),
                ("intellij_read_file", json!({"path": "f.txt"})),
                ("search_text", json!({"query": "side", "path": "d"})),
                ("search_text", json!({"query": "outside"})),
                ("list_project_files", json!({"directory": "d"})),
                ("list_project_files", json!({})),
            ];
            for (tool, arguments) in calls {
                let text = match project.run(tool, &arguments) {
                    Ok(outcome) => outcome.text,
                    Err(_) => continue,
                };
                let leak = text.contains(": outside")
                    || text.contains("\toutside")
                    || text.contains("keep.txt");
                assert!(!leak, "round {round}: {tool} {arguments}: {text}");
            }
            let calls = [
                (
                    "intellij_write_file",
                    json!({"path": "d/new.txt", "content": "new"}),
                ),
                (
                    "move_file",
                    json!({"path": "d/new.txt", "to": "d/made/newer.txt"}),
                ),
                ("delete_file", json!({"path": "d/made", "recursive": true})),
                ("delete_file", json!({"path": "d/keep.txt"})),
                (
                    "intellij_write_file",
                    json!({"path": "f.txt", "old_text": "outside", "new_text": "changed"}),
                ),
            ];
            // Writing goes to disk, which takes longer than all of the reading.
            for (tool, arguments) in calls.into_iter().filter(|_| round % 20 == 0) {
                let _ = project.run(tool, &arguments);
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    let mut names: Vec<_> = fs::read_dir(outside.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["f.txt", "keep.txt"]);
    for name in names {
        assert_eq!(
            fs::read_to_string(outside.path().join(name)).unwrap(),
            "outside\n"
        );
    }
}

#[test]
fn a_call_waits_for_another_at_the_same_file_under_any_of_its_names() {
    let project = Project::with(&[("a.txt", "x"), ("b.txt", "x")]);
    let elsewhere = tempfile::tempdir().unwrap();
    let outer = elsewhere.path().join("outer");
    symlink("a.txt", project.path("inner")).unwrap();
    symlink(project.path("a.txt"), &outer).unwrap();
    let (tools, folder) = (&project.tools, project.root().into());
    let claim = |name: &str| tools.claim(folder, Tool::WriteFile, &json!({"path": name}));
    let first = claim("a.txt");
    tools.wait(&first, folder, &CancelFlag::new()).unwrap();
    for (name, is_free) in [
        ("b.txt", true),
        ("a.txt", false),
        ("inner", false),
        (outer.to_str().unwrap(), false),
    ] {
        let (second, cancel) = (claim(name), CancelFlag::new());
        let came = thread::scope(|scope| {
            if !is_free {
                scope.spawn(|| {
                    thread::sleep(Duration::from_millis(500));
                    cancel.cancel();
                });
            }
            tools.wait(&second, folder, &cancel).is_ok()
        });
        assert_eq!(came, is_free, "{name}");
    }
}
