//! What is left of a program after its guardian: nothing, whatever the program tried.
//!
//! Every process of a test carries a mark in its environment, so that what `/proc` shows at the end
//! does not depend on parents, groups or sessions.
#![cfg_attr(
    unix,
    expect(clippy::unwrap_used, reason = "a test fails by panicking")
)]
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const RELAY: &str = env!("CARGO_BIN_EXE_siderail-relay");
/// A tree of everything that a polite signal or a group signal misses.
const STUBBORN: &str = "trap '' TERM HUP INT
setsid sleep 300 &
nohup sleep 300 >/dev/null 2>&1 &
setsid sh -c 'trap \"\" TERM; (setsid sleep 300 &) & while :; do sleep 300; done' &
(sh -c '(sleep 300 &) &' &)
echo ready";

/// The mark and the folder of one test; kills what a failing test leaves behind.
struct Scene {
    mark: String,
    folder: PathBuf,
}

impl Scene {
    fn new() -> Self {
        static N_SCENES: AtomicU32 = AtomicU32::new(0);
        let n = N_SCENES.fetch_add(1, Ordering::Relaxed);
        let mark = format!("SIDERAIL_GUARDIAN_TEST={}-{n}", std::process::id());
        let folder = std::env::temp_dir().join(mark.replace('=', "-"));
        fs::create_dir_all(&folder).unwrap();
        Self { mark, folder }
    }

    /// A command whose processes carry the mark; `sh` below it may use `$RELAY`.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        let (name, value) = self.mark.split_once('=').unwrap();
        command
            .env(name, value)
            .env("RELAY", RELAY)
            .current_dir(&self.folder);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn guarded(&self, script: &str) -> Command {
        // Whoever runs the tests in the background may have switched signals off, and a guardian keeps them off.
        let mut command = self.command("env");
        let parent = std::process::id().to_string();
        command.args(["--default-signal=HUP,INT,TERM", RELAY]);
        command.args(["guardian", "--parent", &parent, "--", "sh", "-c", script]);
        command
    }

    fn left(&self) -> Vec<(i32, String)> {
        let mark = self.mark.as_bytes();
        let processes = fs::read_dir("/proc").unwrap().flatten();
        processes
            .filter_map(|entry| {
                let pid = entry.file_name().to_str()?.parse().ok()?;
                let environment = fs::read(entry.path().join("environ")).ok()?;
                let marked = environment
                    .split(|byte| *byte == 0)
                    .any(|entry| entry == mark);
                let name = fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
                marked.then(|| (pid, name.replace('\0', " ")))
            })
            .collect()
    }

    fn check_nothing_left(&self, within: Duration) {
        let deadline = Instant::now() + within;
        while !self.left().is_empty() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(self.left(), [], "processes outlived their guardian");
    }

    fn exists(&self, file: &str) -> bool {
        self.folder.join(file).exists()
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        for (pid, _) in self.left() {
            signal(pid, "KILL");
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn signal(pid: i32, name: &str) {
    let _ = Command::new("kill")
        .args(["-s", name, "--", &pid.to_string()])
        .status();
}

fn wait_for_line(child: &mut Child, wanted: &str) {
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(
        lines.any(|line| line.unwrap() == wanted),
        "the program never said {wanted}"
    );
    // Keeps the pipe open and drained, so that a later `echo` does not fail.
    thread::spawn(move || lines.for_each(drop));
}

fn run(mut command: Command) -> Output {
    command.stdin(Stdio::null()).output().unwrap()
}

#[test]
fn the_status_of_the_program_is_the_status_of_the_guardian() {
    let scene = Scene::new();
    let check = |script: &str, status| {
        assert_eq!(
            run(scene.guarded(script)).status.code(),
            Some(status),
            "{script}"
        );
    };
    check("exit 0", 0);
    check("exit 7", 7);
    check("kill -9 $$", 137);
    check("kill -TERM $$", 143);
}

#[test]
fn the_pipes_of_the_program_are_those_of_the_caller() {
    let scene = Scene::new();
    let mut child = scene.guarded("cat; echo loud >&2").spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"to and fro")
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.stdout, b"to and fro");
    assert_eq!(output.stderr, b"loud\n");
}

#[test]
fn a_program_that_closes_its_output_is_seen_to_close_it() {
    let scene = Scene::new();
    let mut child = scene.guarded("exec >&-; read line").spawn().unwrap();
    let mut rest = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut rest).unwrap();
    assert!(child.try_wait().unwrap().is_none(), "it is still running");
    drop(child.stdin.take());
    child.wait().unwrap();
}

#[test]
fn daemons_of_a_program_end_with_it() {
    let scene = Scene::new();
    let started = Instant::now();
    let output = run(scene.guarded(&format!("{STUBBORN}; sleep 0.3; exit 5")));
    assert_eq!(output.status.code(), Some(5));
    // The guardian returns only once they are gone, so no time is given here.
    scene.check_nothing_left(Duration::ZERO);
    assert!(
        started.elapsed() < Duration::from_secs(4),
        "{:?}",
        started.elapsed()
    );
}

#[test]
fn a_stopped_agent_leaves_no_process_even_if_all_of_them_ignore_the_signal() {
    let scene = Scene::new();
    for name in ["TERM", "INT", "HUP"] {
        let mut child = scene
            .guarded(&format!("{STUBBORN}; while :; do sleep 300; done"))
            .spawn()
            .unwrap();
        wait_for_line(&mut child, "ready");
        thread::sleep(Duration::from_millis(200));
        assert!(
            scene.left().len() > 5,
            "the tree is there: {:?}",
            scene.left()
        );
        let asked = Instant::now();
        signal(child.id().cast_signed(), name);
        assert_eq!(child.wait().unwrap().code(), Some(137), "{name}");
        scene.check_nothing_left(Duration::ZERO);
        assert!(
            asked.elapsed() > Duration::from_millis(900),
            "no time to end after {name}"
        );
        assert!(
            asked.elapsed() < Duration::from_secs(5),
            "{:?}",
            asked.elapsed()
        );
    }
}

#[test]
fn a_signal_reaches_the_whole_tree_so_that_each_can_tidy_up() {
    let scene = Scene::new();
    let tidy = "trap 'touch child; exit' TERM; touch armed; while :; do sleep 0.05; done";
    let script = format!(
        "trap 'touch top; exit 3' TERM; setsid sh -c \"{tidy}\" & \
         until test -e armed; do sleep 0.05; done; echo ready; while :; do sleep 0.05; done"
    );
    let mut child = scene.guarded(&script).spawn().unwrap();
    wait_for_line(&mut child, "ready");
    signal(child.id().cast_signed(), "TERM");
    assert_eq!(child.wait().unwrap().code(), Some(3));
    assert!(scene.exists("top") && scene.exists("child"));
    scene.check_nothing_left(Duration::ZERO);
}

#[test]
fn a_killed_engine_takes_the_agent_and_its_daemons_with_it() {
    let scene = Scene::new();
    let engine = "\"$RELAY\" guardian --parent $$ -- sh -c \"$TREE\"; true";
    let mut engine = scene
        .command("sh")
        .args(["-c", engine])
        .env("TREE", format!("{STUBBORN}; while :; do sleep 300; done"))
        .spawn()
        .unwrap();
    wait_for_line(&mut engine, "ready");
    signal(engine.id().cast_signed(), "KILL");
    engine.wait().unwrap();
    scene.check_nothing_left(Duration::from_secs(6));
}

#[test]
fn an_agent_that_ends_on_end_of_input_may_finish_its_work_when_the_engine_is_killed() {
    let scene = Scene::new();
    // `exec 3<&0` because a background command gets no standard input of its own.
    let engine =
        "exec 3<&0; \"$RELAY\" guardian --parent $$ -- sh -c \"$AGENT\" <&3 & exec 3<&-; wait";
    let mut engine = scene
        .command("sh")
        .args(["-c", engine])
        .env("AGENT", "echo ready; cat; sleep 0.2; touch finished")
        .spawn()
        .unwrap();
    wait_for_line(&mut engine, "ready");
    signal(engine.id().cast_signed(), "KILL");
    drop(engine.stdin.take());
    engine.wait().unwrap();
    scene.check_nothing_left(Duration::from_secs(6));
    assert!(scene.exists("finished"));
}

#[test]
fn an_engine_that_retires_the_thread_which_started_the_agent_keeps_the_agent() {
    let scene = Scene::new();
    let mut command = scene.guarded("echo ready; read line; exit 4");
    let mut child = thread::spawn(move || command.spawn().unwrap())
        .join()
        .unwrap();
    wait_for_line(&mut child, "ready");
    thread::sleep(Duration::from_millis(900));
    assert!(child.try_wait().unwrap().is_none(), "the agent was ended");
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(4));
}

#[test]
fn a_program_that_forks_without_end_is_ended_too() {
    let scene = Scene::new();
    let script = "trap '' TERM; echo ready; while :; do setsid sleep 300 & sleep 0.002; done";
    let mut child = scene.guarded(script).spawn().unwrap();
    wait_for_line(&mut child, "ready");
    signal(child.id().cast_signed(), "TERM");
    child.wait().unwrap();
    scene.check_nothing_left(Duration::ZERO);
}

#[test]
fn a_killed_guardian_does_not_leave_the_agent_or_its_daemons_running() {
    let scene = Scene::new();
    let script = format!("{STUBBORN}; while :; do sleep 300; done");
    let mut child = scene.guarded(&script).process_group(0).spawn().unwrap();
    wait_for_line(&mut child, "ready");
    // The whole group, as a caller that has lost its patience does.
    signal(-child.id().cast_signed(), "KILL");
    child.wait().unwrap();
    scene.check_nothing_left(Duration::from_secs(6));
}

/// Finds its children by their words: neither environment nor session nor group tells whose they are.
fn sleepers(seconds: &str) -> Vec<i32> {
    let words = format!("sleep\0{seconds}\0");
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            (fs::read(entry.path().join("cmdline")).ok()? == words.as_bytes()).then_some(pid)
        })
        .collect()
}

#[test]
fn a_child_without_marks_does_not_outlive_a_guardian_that_its_program_killed() {
    // The front is the parent of the keeper, which is the program's.
    let both = "read -r _ _ _ front _ < /proc/$PPID/stat;";
    let kills = [
        "kill -9 $PPID".to_owned(),
        "kill -STOP $PPID".to_owned(),
        format!("{both} kill -9 $PPID $front"),
        format!("{both} kill -9 $front $PPID"),
        format!("{both} kill -STOP $front; kill -9 $PPID"),
    ];
    for (n, kills) in kills.iter().enumerate() {
        let seconds = format!("{}.{n}7", 300 + std::process::id());
        let scene = Scene::new();
        let script = format!(
            "env -i setsid sh -c 'trap \"\" TERM HUP; sleep {seconds} & sleep {seconds}' & sleep 0.3; {kills}; sleep 300"
        );
        let mut child = scene.guarded(&script).spawn().unwrap();
        thread::sleep(Duration::from_millis(600));
        signal(child.id().cast_signed(), "TERM");
        let deadline = Instant::now() + Duration::from_secs(10);
        while !sleepers(&seconds).is_empty() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(20));
        }
        let left = sleepers(&seconds);
        left.iter().for_each(|pid| signal(*pid, "KILL"));
        assert_eq!(left, [], "outlived its guardian after {kills}");
        child.wait().unwrap();
        scene.check_nothing_left(Duration::from_secs(5));
    }
}

#[test]
fn a_caller_that_asks_and_then_kills_too_soon_leaves_nothing_either() {
    let scene = Scene::new();
    let script = format!("{STUBBORN}; while :; do sleep 300; done");
    let mut child = scene.guarded(&script).process_group(0).spawn().unwrap();
    wait_for_line(&mut child, "ready");
    signal(-child.id().cast_signed(), "TERM");
    thread::sleep(Duration::from_millis(300));
    signal(-child.id().cast_signed(), "KILL");
    child.wait().unwrap();
    scene.check_nothing_left(Duration::from_secs(6));
}

#[test]
fn a_program_that_cannot_be_started_is_named_in_one_sentence() {
    let scene = Scene::new();
    let parent = std::process::id().to_string();
    let mut command = scene.command(RELAY);
    command.args([
        "guardian",
        "--parent",
        &parent,
        "--",
        "/nowhere/agent",
        "--acp",
    ]);
    let output = run(command);
    assert_eq!(output.status.code(), Some(127));
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains("/nowhere/agent"), "{said}");
}

#[test]
fn nothing_is_started_for_a_parent_that_is_gone_already() {
    let scene = Scene::new();
    let mut command = scene.command(RELAY);
    command.args(["guardian", "--parent", "1", "--", "touch", "started"]);
    assert_eq!(run(command).status.code(), Some(3));
    assert!(!scene.exists("started"));
}

#[test]
fn wrong_arguments_are_refused_with_the_usage() {
    let scene = Scene::new();
    for wrong in [
        &["guardian"][..],
        &["guardian", "--", "true"],
        &["guardian", "--parent", "x", "--", "true"],
        &["guardian", "--parent", "1", "true"],
        &["guardian", "--parent", "1", "--"],
    ] {
        let mut command = scene.command(RELAY);
        command.args(wrong);
        let output = run(command);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
        assert!(
            String::from_utf8(output.stderr).unwrap().contains("usage:"),
            "{wrong:?}"
        );
    }
}
