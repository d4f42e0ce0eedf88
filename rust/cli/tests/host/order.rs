//! Calls side by side: order on one file, answers exactly once, leftovers of dead processes.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::process::Command;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};
use siderail_cli::host::{FsHost, FsSetup, NobodyToAsk};
use siderail_engine::guard::Tool;
use siderail_engine::host::{HostCall, HostReply, HostRequest, ToolErrorCode as Code};

use crate::fixture::Project;

fn setup() -> FsSetup {
    FsSetup::new(Arc::new(NobodyToAsk))
}

fn host() -> (FsHost, Receiver<(u64, HostReply)>) {
    let (sender, replies) = channel();
    let host = FsHost::new(setup(), move |call, reply| {
        // Answers after the end of a test have nobody to read them.
        let _ = sender.send((call, reply));
    });
    (host, replies)
}

fn call(project: &Project, number: u64, tool: &str, arguments: Value) -> HostCall {
    HostCall {
        call: number,
        session: 1,
        project: project.root().canonicalize().unwrap(),
        roots: Vec::new(),
        request: HostRequest::Tool {
            tool: Tool::named(tool).expect("one of ours"),
            arguments,
        },
    }
}

fn replies(replies: &Receiver<(u64, HostReply)>, n_calls: usize) -> BTreeMap<u64, HostReply> {
    let all: Vec<_> = (0..n_calls)
        .map(|_| {
            replies
                .recv_timeout(Duration::from_secs(60))
                .expect("an answer")
        })
        .collect();
    let by_call: BTreeMap<_, _> = all.into_iter().collect();
    assert_eq!(by_call.len(), n_calls, "each call is answered once");
    by_call
}

#[test]
fn ten_parallel_edits_of_one_file_are_applied_in_their_order() {
    let project = Project::with(&[("real/a.txt", "v0\n"), ("b.txt", "v0\n")]);
    symlink("real/a.txt", project.path("link.txt")).unwrap();
    let (host, answers) = host();
    for n in 0..40 {
        // Each edit fits only what the one before has written, by whichever name.
        let path = ["real/a.txt", "link.txt", "./real/../real/a.txt"][n as usize % 3];
        let edit = |path: &str| json!({"path": path, "old_text": format!("v{n}\n"), "new_text": format!("v{}\n", n + 1)});
        host.start(call(&project, n, "intellij_write_file", edit(path)));
        host.start(call(
            &project,
            100 + n,
            "intellij_write_file",
            edit("b.txt"),
        ));
    }
    for (number, reply) in replies(&answers, 80) {
        assert!(matches!(reply, HostReply::Tool(_)), "{number}: {reply:?}");
    }
    assert_eq!(project.text("real/a.txt"), "v40\n");
    assert_eq!(project.text("b.txt"), "v40\n");
}

#[test]
fn a_read_after_an_edit_sees_it_and_a_move_waits_for_both() {
    let project = Project::with(&[("dir/a.txt", "0\n")]);
    let (host, answers) = host();
    let mut n_calls = 0;
    let mut start = |tool: &str, arguments: Value| {
        host.start(call(&project, n_calls, tool, arguments));
        n_calls += 1;
    };
    for n in 1..=20 {
        start(
            "intellij_write_file",
            json!({"path": "dir/a.txt", "content": format!("{n}\n")}),
        );
        start("intellij_read_file", json!({"path": "dir/a.txt"}));
    }
    start("move_file", json!({"path": "dir", "to": "moved"}));
    start("intellij_read_file", json!({"path": "moved/a.txt"}));
    let answers = replies(&answers, n_calls as usize);
    let text = |number: u64| match &answers[&number] {
        HostReply::Tool(outcome) => outcome.text.clone(),
        other => panic!("{number}: {other:?}"),
    };
    for n in 1..=20 {
        assert!(
            text(2 * n - 1).ends_with(&format!("1\t{n}\n")),
            "{}",
            text(2 * n - 1)
        );
    }
    assert!(text(41).ends_with("1\t20\n"));
}

#[test]
fn calls_of_the_agent_protocol_are_answered_in_kind() {
    let project = Project::with(&[("a.txt", "one\ntwo\n")]);
    let (host, answers) = host();
    let root = project.root().canonicalize().unwrap();
    let requests = [
        HostRequest::ReadText {
            path: root.join("a.txt"),
            line: Some(2),
            limit: Some(1),
        },
        HostRequest::WriteText {
            path: root.join("a.txt"),
            content: "three\n".to_owned(),
            exact: false,
        },
        HostRequest::ReadText {
            path: root.join("missing.txt"),
            line: None,
            limit: None,
        },
    ];
    for (number, request) in (0..).zip(requests) {
        host.start(HostCall {
            call: number,
            session: 1,
            project: root.clone(),
            roots: Vec::new(),
            request,
        });
    }
    let answers = replies(&answers, 3);
    assert_eq!(
        answers[&0],
        HostReply::Text {
            text: "two\n".to_owned()
        }
    );
    assert!(
        matches!(&answers[&1], HostReply::Written { diff: Some(diff) } if diff.contains("+three"))
    );
    assert!(
        matches!(&answers[&2], HostReply::Failed(failure) if failure.code == Code::FileNotFound)
    );
}

#[test]
fn a_cancelled_call_is_answered_as_cancelled() {
    let project = Project::with(&[("a.txt", "")]);
    let (host, answers) = host();
    for number in 0..50 {
        let path = json!({"path": "a.txt", "content": format!("{number}")});
        host.start(call(&project, number, "intellij_write_file", path));
        host.cancel(number);
    }
    host.cancel(7_777);
    for reply in replies(&answers, 50).into_values() {
        assert!(
            matches!(&reply, HostReply::Tool(_))
                || matches!(&reply, HostReply::Failed(failure) if failure.code == Code::Cancelled),
            "{reply:?}"
        );
    }
}

#[test]
fn a_host_that_is_dropped_answers_what_still_waits() {
    let project = Project::with(&[("a.txt", "")]);
    let (host, answers) = host();
    for number in 0..200 {
        let path = json!({"path": "a.txt", "content": format!("{number}")});
        host.start(call(&project, number, "intellij_write_file", path));
    }
    drop(host);
    replies(&answers, 200);
}

#[test]
fn a_tool_of_the_ide_is_not_available_here() {
    let project = Project::new();
    let text = project.fails("find_references", json!({}), Code::NotApplicable);
    assert!(text.contains("without an IDE"), "{text}");
}

#[test]
fn leftovers_of_dead_processes_are_removed_at_the_first_call_and_others_are_not() {
    let mut child = Command::new("true").spawn().unwrap();
    let dead = child.id();
    child.wait().unwrap();
    let alive = std::process::id();
    let project = Project::with(&[("deep/er/a.txt", "x")]);
    let old = SystemTime::now() - Duration::from_secs(60);
    for name in [
        format!("deep/er/.siderail-tmp-{dead}-0"),
        format!(".siderail-tmp-{alive}-0"),
        ".siderail-tmp-notes".to_owned(),
        format!(".siderail-tmp-{dead}-mine"),
    ] {
        project.put(&name, "half");
        let file = File::options()
            .append(true)
            .open(project.path(&name))
            .unwrap();
        file.set_modified(old).unwrap();
    }
    let (host, answers) = host();
    host.start(call(&project, 1, "list_project_files", json!({})));
    let HostReply::Tool(listed) = &replies(&answers, 1)[&1] else {
        panic!("no list");
    };
    assert!(!listed.text.contains("siderail-tmp"), "{}", listed.text);
    let leftover = project.path(&format!("deep/er/.siderail-tmp-{dead}-0"));
    let deadline = Instant::now() + Duration::from_secs(30);
    while leftover.exists() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(project.names("deep/er"), ["a.txt"]);
    assert_eq!(fs::read_dir(project.root()).unwrap().count(), 1 + 3);
}

#[test]
fn a_process_that_is_killed_while_writing_leaves_an_old_or_a_new_file() {
    let test = "order::a_process_that_is_killed_while_writing_leaves_an_old_or_a_new_file";
    if crate::fixture::unix::is_rerun(test) {
        let folder = std::env::var("SIDERAIL_TEST_FOLDER").unwrap();
        let tools = siderail_workspace::tools::FileTools::new(Arc::new(NobodyToAsk));
        for n in 0.. {
            let content = format!("{}\n", (n % 10).to_string().repeat(2_000_000));
            let arguments = json!({"path": "a.txt", "content": content});
            let cancel = siderail_engine::tools::CancelFlag::new();
            tools
                .run(
                    std::path::Path::new(&folder),
                    Tool::WriteFile,
                    &arguments,
                    &cancel,
                    &|_| {},
                )
                .unwrap();
        }
    }
    let project = Project::with(&[("a.txt", "0\n")]);
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test])
        .env("SIDERAIL_TEST_RERUN", test)
        .env("SIDERAIL_TEST_FOLDER", project.root())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while project.bytes("a.txt").len() < 100 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(137));
    child.kill().unwrap();
    child.wait().unwrap();
    let text = project.text("a.txt");
    assert_eq!(text.len(), 2_000_001);
    assert!(
        text[..2_000_000]
            .bytes()
            .all(|byte| byte == text.as_bytes()[0])
    );
    for name in project.names(".") {
        assert!(
            name == "a.txt" || name.starts_with(".siderail-tmp-"),
            "{name}"
        );
    }
}

/// Were this to hang, four such calls held all threads of the host.
#[test]
fn many_searches_of_a_pipe_leave_the_host_at_work() {
    let project = Project::with(&[("a.txt", "x\n")]);
    let made = Command::new("mkfifo").arg(project.path("pipe")).status();
    assert!(made.unwrap().success());
    let (done, answers) = channel();
    let host = FsHost::new(setup(), move |call, reply| {
        done.send((call, reply)).unwrap()
    });
    for call in 0..10 {
        let path = if call < 9 { "pipe" } else { "a.txt" };
        host.start(HostCall {
            call,
            session: 1,
            project: project.root().to_owned(),
            roots: Vec::new(),
            request: HostRequest::Tool {
                tool: Tool::SearchText,
                arguments: json!({"query": "x", "path": path}),
            },
        });
    }
    for _ in 0..10 {
        let (call, reply) = answers
            .recv_timeout(Duration::from_secs(20))
            .expect("a call hangs");
        assert_eq!(matches!(reply, HostReply::Tool(_)), call == 9, "{reply:?}");
    }
}
