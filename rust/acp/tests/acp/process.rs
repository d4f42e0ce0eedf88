//! Processes that are missing, that die at once, that refuse to end, and what must not be left of them.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use siderail_acp::process::{
    CommandLine, Exit, Grace, Guardian, ProcessTree, SpawnError, StderrTail, Streams,
    login_environment, resolve,
};
use siderail_acp::transport::{Inbound, TransportConfig, attach};
use siderail_acp::wire::Message;
use tokio::io::AsyncReadExt;
use tokio::time::timeout;

/// Long enough for any machine; every wait below ends long before when the code is right.
const LIMIT: Duration = Duration::from_secs(30);

const QUICK: Grace = Grace {
    eof: Duration::from_millis(300),
    term: Duration::from_millis(300),
};

fn environment() -> BTreeMap<String, String> {
    [("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned())].into()
}

fn line(folder: &Path, program: &str, args: &[&str]) -> CommandLine {
    CommandLine {
        program: program.to_owned(),
        args: args.iter().map(Into::into).collect(),
        env: environment(),
        cwd: folder.to_owned(),
    }
}

/// Starts a shell script with all three streams in pipes.
fn shell(folder: &Path, script: &str) -> ProcessTree {
    ProcessTree::spawn(&line(folder, "sh", &["-c", script]), None, Streams::Piped).expect("started")
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn file(folder: &Path, name: &str, text: &str, mode: u32) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("set");
    path
}

fn is_alive(pid: u32) -> bool {
    // A zombie is not alive; its state follows the name in parentheses.
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.is_ok_and(|stat| {
        !stat
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .trim_start()
            .starts_with('Z')
    })
}

async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < LIMIT, "waiting for {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Waits for a file that a script writes a process id into.
async fn pid_in(path: &Path) -> u32 {
    let read = || {
        std::fs::read_to_string(path)
            .ok()
            .and_then(|text| text.trim().parse::<u32>().ok())
    };
    until("a process id", || read().is_some()).await;
    read().expect("it was there")
}

#[tokio::test]
async fn a_program_that_cannot_be_started_says_why_and_what_to_do() {
    let folder = folder();
    let dir = folder.path();
    file(dir, "plain", "#!/bin/sh\n", 0o644);
    file(dir, "nobody", "#!/no/such/interpreter\n", 0o755);
    file(dir, "text", "hello", 0o755);
    let fails = |line: &CommandLine, parts: &[&str]| {
        let failure =
            ProcessTree::spawn(line, None, Streams::Piped).expect_err("cannot be started");
        let text = failure.to_string();
        for part in parts {
            assert!(text.contains(part), "{part:?} in {text:?}");
        }
    };
    fails(
        &line(dir, "no-such-agent", &[]),
        &["`no-such-agent`", "/usr/bin", "install it"],
    );
    fails(
        &line(dir, "./no-such-agent", &[]),
        &["does not exist", &dir.display().to_string()],
    );
    fails(&line(dir, "./plain", &[]), &["not executable", "chmod"]);
    fails(
        &line(dir, dir.to_str().expect("text"), &[]),
        &["is a folder", "name the program in it"],
    );
    fails(&line(dir, "./nobody", &[]), &["interpreter"]);
    fails(&line(dir, "./text", &[]), &["neither a program"]);
    fails(&line(&dir.join("gone"), "sh", &[]), &["gone", "folder"]);
    fails(&line(dir, "", &[]), &["no program"]);
    let mut path_with_plain = line(dir, "plain", &[]);
    path_with_plain
        .env
        .insert("PATH".to_owned(), dir.display().to_string());
    fails(&path_with_plain, &["not executable"]);
    let mut empty = line(dir, "sh", &[]);
    empty.env.clear();
    fails(&empty, &["not found on PATH (which is empty)"]);
    let guardian = Guardian(vec!["/no/such/guardian".to_owned()]);
    let failure = ProcessTree::spawn(&line(dir, "sh", &[]), Some(&guardian), Streams::Piped)
        .expect_err("no guardian");
    assert!(
        failure.to_string().contains("/no/such/guardian"),
        "{failure}"
    );
}

#[test]
fn a_program_is_found_on_the_path_that_it_will_have_and_nowhere_else() {
    let folder = folder();
    let dir = folder.path();
    let [first, second] = ["first", "second"].map(|name| dir.join(name));
    for folder in [&first, &second] {
        std::fs::create_dir(folder).expect("a folder");
    }
    file(&first, "agent", "", 0o644);
    let agent = file(&second, "agent", "", 0o755);
    file(dir, "local", "", 0o755);
    let mut line = line(dir, "agent", &[]);
    line.env.insert(
        "PATH".to_owned(),
        format!("{}:{}", first.display(), second.display()),
    );
    assert_eq!(
        resolve(&line).expect("found"),
        agent,
        "what cannot be run is passed over"
    );
    line.program = "local".to_owned();
    line.env
        .insert("PATH".to_owned(), format!(":.:{}", first.display()));
    match resolve(&line) {
        Err(SpawnError::NotFound { directories, .. }) => assert_eq!(directories, [first]),
        other => panic!("the project's own folder is searched: {other:?}"),
    }
    line.program = "second/agent".to_owned();
    assert_eq!(resolve(&line).expect("relative to the folder"), agent);
}

#[tokio::test]
async fn the_environment_is_the_given_one_and_nothing_else() {
    let folder = folder();
    let mut line = line(folder.path(), "sh", &["-c", "pwd; env"]);
    line.env.insert("GIVEN".to_owned(), "1".to_owned());
    let mut tree = ProcessTree::spawn(&line, None, Streams::OutputOnly).expect("started");
    let mut output = String::new();
    tree.stdout
        .take()
        .expect("a pipe")
        .read_to_string(&mut output)
        .await
        .expect("text");
    let (cwd, env) = output.split_once('\n').expect("lines");
    assert_eq!(
        Path::new(cwd),
        folder.path().canonicalize().expect("a folder")
    );
    let names = env
        .lines()
        .filter_map(|line| line.split('=').next())
        .filter(|name| !["PWD", "SHLVL", "_", "OLDPWD"].contains(name));
    let mut names = names.collect::<Vec<_>>();
    names.sort_unstable();
    assert_eq!(names, ["GIVEN", "PATH"]);
}

#[tokio::test]
async fn an_agent_that_dies_at_once_leaves_its_last_words_and_its_code() {
    let folder = folder();
    let mut tree = shell(
        folder.path(),
        "echo starting >&2; echo 'no API key' >&2; exit 3",
    );
    let (mut transport, stderr) = attach(&mut tree, TransportConfig::default()).expect("pipes");
    let closed = timeout(LIMIT, transport.inbound.recv())
        .await
        .expect("in time");
    assert!(matches!(closed, Some(Inbound::Closed)), "{closed:?}");
    let exit = tree.stop(Grace::default()).await;
    stderr.ended(LIMIT).await;
    assert_eq!(
        exit,
        Exit {
            code: Some(3),
            signal: None
        }
    );
    assert_eq!(stderr.text().trim_end(), "starting\nno API key");
}

#[tokio::test]
async fn an_agent_that_heeds_the_end_of_its_input_gets_no_signal() {
    let folder = folder();
    let mut tree = shell(folder.path(), "trap 'exit 9' TERM; cat >/dev/null; exit 0");
    let (transport, _) = attach(&mut tree, TransportConfig::default()).expect("pipes");
    transport.outbound.close();
    let exit = tree
        .stop(Grace {
            eof: LIMIT,
            term: LIMIT,
        })
        .await;
    assert_eq!(exit.code, Some(0));
}

/// codex-zed and OpenHands do (`tests/fixtures/recordings/openhands/allow`, last line).
#[tokio::test]
async fn an_agent_that_ignores_the_end_of_its_input_is_terminated() {
    let folder = folder();
    let tree = shell(
        folder.path(),
        "trap 'exit 9' TERM; echo $$ > ready; while :; do sleep 0.01; done",
    );
    pid_in(&folder.path().join("ready")).await;
    assert_eq!(
        tree.stop(Grace {
            eof: Duration::from_millis(100),
            term: LIMIT
        })
        .await
        .code,
        Some(9)
    );
}

#[tokio::test]
async fn an_agent_that_ignores_term_is_killed_with_its_children() {
    let folder = folder();
    let script = "trap '' TERM; (trap '' TERM; echo $$ >/dev/null; exec sleep 1000) & echo $! > child; while :; do sleep 0.01; done";
    let tree = shell(folder.path(), script);
    let (pid, child) = (tree.pid(), pid_in(&folder.path().join("child")).await);
    let exit = tree.stop(QUICK).await;
    assert_eq!(
        exit,
        Exit {
            code: None,
            signal: Some(9)
        }
    );
    until("both to be gone", || !is_alive(pid) && !is_alive(child)).await;
}

#[tokio::test]
async fn children_of_an_agent_that_is_gone_go_with_it() {
    let folder = folder();
    let mut tree = shell(folder.path(), "sleep 1000 & echo $! > child; exit 0");
    let child = pid_in(&folder.path().join("child")).await;
    assert_eq!(tree.wait().await.code, Some(0));
    assert!(is_alive(child), "it is only swept when the tree is stopped");
    tree.stop(QUICK).await;
    until("the child to be gone", || !is_alive(child)).await;
}

#[tokio::test]
async fn a_dropped_tree_is_killed() {
    let folder = folder();
    let tree = shell(
        folder.path(),
        "trap '' TERM; sleep 1000 & echo $! > child; wait",
    );
    let (pid, child) = (tree.pid(), pid_in(&folder.path().join("child")).await);
    drop(tree);
    until("both to be gone", || !is_alive(pid) && !is_alive(child)).await;
}

/// OpenHands leaves a tmux server behind, in a session of its own.
#[tokio::test]
async fn what_left_the_group_is_the_guardians_to_end() {
    let folder = folder();
    let guardian = "trap 'kill -9 $(cat escaped); exit 7' TERM; \"$@\" & wait; wait";
    let guardian = Guardian(
        ["sh", "-c", guardian, "guardian"]
            .map(str::to_owned)
            .to_vec(),
    );
    let guardian = Guardian(
        std::iter::once("/bin/sh".to_owned())
            .chain(guardian.0.into_iter().skip(1))
            .collect(),
    );
    let script = "setsid sh -c 'echo $$ > escaped; exec sleep 1000' & sleep 1000";
    let run = || {
        ProcessTree::spawn(
            &line(folder.path(), "sh", &["-c", script]),
            Some(&guardian),
            Streams::Piped,
        )
    };
    for drops in [false, true] {
        let tree = run().expect("started");
        let escaped = pid_in(&folder.path().join("escaped")).await;
        until("it to run", || is_alive(escaped)).await;
        if drops {
            drop(tree);
        } else {
            let exit = tree
                .stop(Grace {
                    eof: Duration::from_millis(50),
                    term: LIMIT,
                })
                .await;
            assert_eq!(exit.code, Some(7), "the guardian ended by itself");
        }
        until("the escaped process to be gone", || !is_alive(escaped)).await;
        std::fs::remove_file(folder.path().join("escaped")).expect("removed");
    }
}

#[tokio::test]
async fn a_flood_on_the_error_output_neither_blocks_nor_fills_memory() {
    let folder = folder();
    let mut tree = shell(
        folder.path(),
        "yes 'a line of noise' | head -c 20000000 >&2; echo 'the end' >&2; echo '{\"method\":\"done\"}'",
    );
    let (mut transport, stderr) = attach(&mut tree, TransportConfig::default()).expect("pipes");
    let done = timeout(LIMIT, transport.inbound.recv())
        .await
        .expect("the agent is not held up");
    assert!(
        matches!(done, Some(Inbound::Message(Message::Notification { .. }))),
        "{done:?}"
    );
    tree.stop(Grace::default()).await;
    stderr.ended(LIMIT).await;
    let text = stderr.text();
    assert_eq!(text.len(), 64 * 1024);
    assert!(
        text.ends_with("a line of noise\nthe end\n"),
        "{}",
        &text[text.len() - 50..]
    );
}

#[tokio::test]
async fn an_output_that_a_child_holds_open_is_read_to_its_end_and_ended() {
    let folder = folder();
    let script = "setsid sleep 1000 & echo $! > child; i=0; while [ $i -lt 500 ]; do echo '{\"method\":\"m\"}'; i=$((i+1)); done";
    let mut tree = shell(folder.path(), script);
    let (mut transport, _) = attach(
        &mut tree,
        TransportConfig {
            queue: 4,
            ..TransportConfig::default()
        },
    )
    .expect("pipes");
    let child = pid_in(&folder.path().join("child")).await;
    // The agent is gone before anybody reads what it said.
    let mut n_messages = 0;
    let reading = async {
        loop {
            match transport.inbound.recv().await {
                Some(Inbound::Message(_)) => n_messages += 1,
                Some(Inbound::Closed) => break,
                other => panic!("{other:?}"),
            }
            if n_messages == 1 {
                tree.wait().await;
                transport.outbound.end_inbound(Duration::from_millis(250));
            }
        }
    };
    timeout(LIMIT, reading)
        .await
        .expect("the end is not waited for");
    assert_eq!(n_messages, 500);
    assert!(is_alive(child), "it was held open all the time");
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(child.cast_signed()).expect("a pid"),
        rustix::process::Signal::KILL,
    )
    .expect("killed");
}

#[tokio::test]
async fn lines_of_the_error_output_reach_the_tap_whole() {
    let seen = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let sink = std::sync::Arc::clone(&seen);
    let tap = std::sync::Arc::new(move |_, line: &[u8]| {
        sink.lock()
            .expect("no panic")
            .push(String::from_utf8_lossy(line).into_owned())
    });
    let (reader, mut writer) = tokio::io::duplex(8);
    let tail = StderrTail::follow(reader, Some(tap));
    tokio::io::AsyncWriteExt::write_all(&mut writer, b"TOKEN=0123456789\n\nlast")
        .await
        .expect("written");
    drop(writer);
    tail.ended(LIMIT).await;
    assert_eq!(
        *seen.lock().expect("no panic"),
        ["TOKEN=0123456789", "last"]
    );
    assert_eq!(tail.text(), "TOKEN=0123456789\n\nlast");
}

#[tokio::test]
async fn the_login_shells_environment_is_found_among_what_it_prints() {
    let folder = folder();
    let base = [
        ("PATH".to_owned(), "/usr/bin:/bin".to_owned()),
        ("TERM".to_owned(), "xterm".to_owned()),
    ]
    .into();
    // A shell whose start-up files greet, set a PATH, and flood the error output.
    let greeting = "#!/bin/sh\necho hello; yes | head -c 200000 >&2\nexport PATH=/opt/node:$PATH MULTI='a\nb=c' TERM=own\n";
    let shell = file(
        folder.path(),
        "shell",
        &format!("{greeting}while [ \"$1\" != -c ]; do shift; done\neval \"$2\"\n"),
        0o755,
    );
    let found = login_environment(&shell, &base, LIMIT)
        .await
        .expect("an environment");
    assert_eq!(found["PATH"], "/opt/node:/usr/bin:/bin");
    assert_eq!(found["MULTI"], "a\nb=c");
    assert_eq!(
        found["TERM"], "xterm",
        "the shell's own variables stay as they were"
    );
    assert!(!found.contains_key("SHLVL") && !found.contains_key("_"));
}

#[tokio::test]
async fn a_login_shell_that_hangs_fails_or_is_missing_is_none() {
    let folder = folder();
    let base = environment();
    let hangs = file(
        folder.path(),
        "hangs",
        "#!/bin/sh\necho $$ > pid; sleep 1000\n",
        0o755,
    );
    let mut base_here = base.clone();
    base_here.insert("HOME".to_owned(), folder.path().display().to_string());
    let begun = Instant::now();
    assert_eq!(
        login_environment(&hangs, &base_here, Duration::from_millis(500)).await,
        None
    );
    assert!(begun.elapsed() < LIMIT);
    let pid = pid_in(&folder.path().join("pid")).await;
    until("the shell to be gone", || !is_alive(pid)).await;
    let fails = file(folder.path(), "fails", "#!/bin/sh\nexit 1\n", 0o755);
    assert_eq!(login_environment(&fails, &base, LIMIT).await, None);
    assert_eq!(
        login_environment(Path::new("/no/such/shell"), &base, LIMIT).await,
        None
    );
    let real = login_environment(Path::new("/bin/sh"), &base, LIMIT)
        .await
        .expect("an environment");
    assert!(real.contains_key("PATH"));
}
