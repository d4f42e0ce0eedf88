//! The roles that talk to an engine, against an engine that is a plain socket.
#![cfg_attr(
    unix,
    expect(clippy::unwrap_used, reason = "a test fails by panicking")
)]
#![cfg(unix)]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

const TOKEN: &str = "0123456789abcdef";

/// A folder with the socket of an engine.
struct Engine {
    folder: PathBuf,
    listener: UnixListener,
}

impl Engine {
    fn start() -> Self {
        static N_ENGINES: AtomicU32 = AtomicU32::new(0);
        let n = N_ENGINES.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("sr-{}-{n}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let listener = UnixListener::bind(folder.join("s")).unwrap();
        Self { folder, listener }
    }

    /// A relay with this engine in its environment.
    fn relay(&self, args: &[&str]) -> Command {
        let mut command = relay(args);
        command
            .env("SIDERAIL_SOCKET", self.folder.join("s"))
            .env("SIDERAIL_TOKEN", TOKEN);
        command
    }

    /// Waits for a connection; its hello line without the process number, and the stream behind it.
    fn accept(&self) -> (String, UnixStream) {
        let (mut stream, _) = self.listener.accept().unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        let mut line = Vec::new();
        let mut byte = [0];
        while byte != *b"\n" {
            stream.read_exact(&mut byte).unwrap();
            line.extend(byte);
        }
        let line = String::from_utf8(line).unwrap();
        let (hello, pid) = line
            .split_once(",\"pid\":")
            .expect("a hello names the process");
        assert!(
            pid.trim_end()
                .strip_suffix('}')
                .unwrap()
                .parse::<u32>()
                .is_ok(),
            "{pid}"
        );
        (hello.to_owned(), stream)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn relay(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_siderail-relay"));
    command
        .args(args)
        .env_remove("SIDERAIL_SOCKET")
        .env_remove("SIDERAIL_TOKEN");
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn run(mut command: Command, input: &[u8]) -> Output {
    let mut child = command.spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// Reads all of a child's output while the caller does something else.
fn collect(child: &mut Child) -> JoinHandle<Vec<u8>> {
    let mut stdout = child.stdout.take().unwrap();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        stdout.read_to_end(&mut bytes).unwrap();
        bytes
    })
}

fn check_one_sentence(output: &Output, part: &str) {
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains(part), "{said}");
}

/// Bytes without a pattern that a lost or doubled piece could hide in.
fn noise(n_bytes: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    std::iter::repeat_with(next).take(n_bytes).collect()
}

#[test]
fn all_bytes_pass_both_ways_and_the_end_of_input_is_passed_on() {
    let engine = Engine::start();
    let sent = noise(3_000_000);
    let mut child = engine
        .relay(&["--agent", "a \"b\"\\\u{7}é"])
        .spawn()
        .unwrap();
    let received = collect(&mut child);
    let (hello, stream) = engine.accept();
    assert_eq!(
        hello,
        format!(r#"{{"v":1,"role":"mcp","agent":"a \"b\"\\\u0007é","token":"{TOKEN}""#)
    );
    let mut answering = stream.try_clone().unwrap();
    let echo = thread::spawn(move || {
        let n_bytes = std::io::copy(&mut &stream, &mut answering).unwrap();
        // The relay's input has ended, and answers may still come.
        answering.write_all(b"the end").unwrap();
        n_bytes
    });
    child.stdin.take().unwrap().write_all(&sent).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(echo.join().unwrap(), sent.len() as u64);
    let received = received.join().unwrap();
    assert_eq!(received.len(), sent.len() + 7);
    assert!(received.starts_with(&sent) && received.ends_with(b"the end"));
}

#[test]
fn an_engine_that_closes_in_answer_to_the_end_of_input_has_not_left_by_itself() {
    let engine = Engine::start();
    for _ in 0..50 {
        let mut child = engine.relay(&[]).spawn().unwrap();
        let (_, mut stream) = engine.accept();
        drop(child.stdin.take());
        assert_eq!(stream.read(&mut [0]).unwrap(), 0);
        drop(stream);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(output.stderr, b"");
    }
}

#[test]
fn socket_and_token_can_be_given_as_files() {
    let engine = Engine::start();
    let token_file = engine.folder.join("token");
    fs::write(&token_file, format!("{TOKEN}\n")).unwrap();
    let socket = engine.folder.join("s");
    let args = [
        "--socket",
        socket.to_str().unwrap(),
        "--token-file",
        token_file.to_str().unwrap(),
    ];
    let mut child = relay(&args).spawn().unwrap();
    let (hello, _stream) = engine.accept();
    assert_eq!(hello, format!(r#"{{"v":1,"role":"mcp","token":"{TOKEN}""#));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn an_engine_that_goes_away_ends_the_relay_at_once_with_what_it_said_last() {
    let engine = Engine::start();
    let mut child = engine.relay(&[]).spawn().unwrap();
    let stdin = child.stdin.take();
    let (_, mut stream) = engine.accept();
    stream.write_all(b"last words").unwrap();
    drop(stream);
    let gone = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(
        gone.elapsed() < Duration::from_secs(2),
        "{:?}",
        gone.elapsed()
    );
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(output.stdout, b"last words");
    check_one_sentence(&output, "the engine closed the connection");
    drop(stdin);
}

#[test]
fn a_relay_without_an_engine_says_why() {
    let engine = Engine::start();
    let gone = engine.folder.join("gone");
    let mut no_socket = engine.relay(&[]);
    no_socket.env("SIDERAIL_SOCKET", &gone);
    let output = run(no_socket, b"");
    assert_eq!(output.status.code(), Some(3));
    check_one_sentence(&output, gone.to_str().unwrap());

    let output = run(relay(&[]), b"");
    assert_eq!(output.status.code(), Some(3));
    check_one_sentence(&output, "SIDERAIL_SOCKET is not set");

    let mut no_token = engine.relay(&[]);
    no_token.env_remove("SIDERAIL_TOKEN");
    check_one_sentence(&run(no_token, b""), "SIDERAIL_TOKEN is not set");
}

#[test]
fn an_engine_that_never_closes_does_not_keep_the_relay_of_an_agent_that_left() {
    let engine = Engine::start();
    let child = engine.relay(&[]).spawn().unwrap();
    let (_, _stream) = engine.accept();
    let left = Instant::now();
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
    assert!(
        left.elapsed() < Duration::from_secs(4),
        "{:?}",
        left.elapsed()
    );
}

#[test]
fn an_agent_that_closes_its_side_of_the_output_ends_the_relay() {
    let engine = Engine::start();
    let mut child = engine.relay(&[]).spawn().unwrap();
    let _stdin = child.stdin.take();
    drop(child.stdout.take());
    let (_, mut stream) = engine.accept();
    stream.write_all(b"for nobody").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
#[cfg(target_os = "linux")]
fn a_waiting_relay_is_small() {
    let engine = Engine::start();
    let mut child = engine.relay(&[]).spawn().unwrap();
    let _stdin = child.stdin.take();
    let _connected = engine.accept();
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    let kilobytes: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(kilobytes < 4_096, "{line}");
}

#[test]
fn wrong_options_are_refused_with_the_usage() {
    for wrong in [&["--nonsense"][..], &["--socket"], &["mcp"]] {
        let output = run(relay(wrong), b"");
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
        assert!(
            String::from_utf8(output.stderr).unwrap().contains("usage:"),
            "{wrong:?}"
        );
    }
    let output = run(relay(&["--help"]), b"");
    assert!(output.status.success() && output.stdout.starts_with(b"usage:"));
}

/// Plays the engine for one hook: what it got, after it has answered with `answer`.
fn hook(
    engine: &Engine,
    args: &[&str],
    payload: &[u8],
    answer: &[u8],
) -> (String, Vec<u8>, Output) {
    let mut child = engine.relay(args).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let payload = payload.to_vec();
    let writing = thread::spawn(move || stdin.write_all(&payload));
    let (hello, mut stream) = engine.accept();
    let mut received = Vec::new();
    stream.read_to_end(&mut received).unwrap();
    stream.write_all(answer).unwrap();
    let output = child.wait_with_output().unwrap();
    writing.join().unwrap().unwrap();
    // The relay is done with the connection: all was read, and it is closed.
    assert_eq!(stream.read(&mut [0]).unwrap(), 0);
    (hello, received, output)
}

#[test]
fn a_hook_prints_what_the_engine_decides_and_ends_as_it_says() {
    let engine = Engine::start();
    let answer = b"{\"exit\":2,\"stdout\":\"{\\\"decision\\\":\\\"deny\\\"}\\n\"}\n";
    let payload = noise(500_000);
    let (hello, received, output) =
        hook(&engine, &["hook", "qwen", "PreToolUse"], &payload, answer);
    assert_eq!(
        hello,
        format!(r#"{{"v":1,"role":"hook","agent":"qwen","event":"PreToolUse","token":"{TOKEN}""#)
    );
    assert!(received == payload);
    assert_eq!(output.stdout, b"{\"decision\":\"deny\"}\n");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn an_answer_that_makes_no_sense_is_no_decision() {
    let engine = Engine::start();
    for answer in [
        &b""[..],
        b"\n",
        b"deny",
        b"{\"exit\":0}\n",
        b"{\"exit\":999,\"stdout\":\"x\"}\n",
        b"\xff\n",
    ] {
        let mut child = engine.relay(&["hook", "claude"]).spawn().unwrap();
        drop(child.stdin.take());
        let (_, mut stream) = engine.accept();
        let _ = stream.write_all(answer);
        drop(stream);
        check_no_decision(&child.wait_with_output().unwrap(), "{}\n");
    }
}

fn check_no_decision(output: &Output, expected: &str) {
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stderr, b"");
}

#[test]
fn without_an_engine_every_agent_goes_on_as_if_there_were_no_hook() {
    let engine = Engine::start();
    let allow = "{\"decision\":\"allow\"}\n";
    for (words, expected) in [
        (&["hook", "claude"][..], "{}\n"),
        (&["hook", "openhands"], "{}\n"),
        (&["hook", "qwen", "PreToolUse"], "{}\n"),
        (&["hook", "mine", "--no-decision", "allow"], allow),
        (
            &["hook", "mine", "--no-decision", "allow", "pre_tool"],
            allow,
        ),
        (
            &["hook", "--no-decision", "allow", "--nonsense", "mine"],
            allow,
        ),
        (&["hook", "--no-decision", "allow"], allow),
        (&["hook", "mine", "--no-decision"], "{}\n"),
        (&["hook", "mine", "--no-decision", "nonsense"], "{}\n"),
    ] {
        check_no_decision(&run(relay(words), b"{}"), expected);
        let mut gone = engine.relay(words);
        gone.env("SIDERAIL_SOCKET", engine.folder.join("gone"));
        check_no_decision(&run(gone, b"{}"), expected);
    }
    check_no_decision(&run(relay(&["hook"]), b"{}"), "{}\n");
    check_no_decision(
        &run(relay(&["hook", "--nonsense", "claude"]), b"{}"),
        "{}\n",
    );
}

/// The time that a hook takes, and its end; `stdin` stays open meanwhile.
fn time(child: Child, stdin: Option<ChildStdin>) -> (Duration, Output) {
    let started = Instant::now();
    let output = child.wait_with_output().unwrap();
    let taken = started.elapsed();
    drop(stdin);
    (taken, output)
}

#[test]
fn a_slow_engine_and_an_agent_that_leaves_the_input_open_cost_two_seconds_at_most() {
    let engine = Engine::start();
    let words = ["hook", "vibe", "--no-decision", "allow"];
    let mut child = engine.relay(&words).spawn().unwrap();
    drop(child.stdin.take());
    let (_, _unanswered) = engine.accept();
    let (taken, output) = time(child, None);
    check_no_decision(&output, "{\"decision\":\"allow\"}\n");
    assert!(taken < Duration::from_millis(2_500), "{taken:?}");

    let mut child = engine.relay(&["hook", "claude"]).spawn().unwrap();
    let stdin = child.stdin.take();
    let (taken, output) = time(child, stdin);
    check_no_decision(&output, "{}\n");
    assert!(taken < Duration::from_millis(2_500), "{taken:?}");
}

#[test]
fn a_payload_over_the_limit_is_read_to_its_end_and_not_decided() {
    let engine = Engine::start();
    let mut child = engine.relay(&["hook", "claude"]).spawn().unwrap();
    let written = child
        .stdin
        .take()
        .unwrap()
        .write_all(&vec![b'x'; (16 << 20) + 100_000]);
    check_no_decision(&child.wait_with_output().unwrap(), "{}\n");
    assert!(written.is_ok(), "the agent's write does not break");
    engine.listener.set_nonblocking(true).unwrap();
    assert!(
        engine.listener.accept().is_err(),
        "the engine is not bothered"
    );
}

#[test]
fn the_engine_sees_whether_its_answer_was_printed() {
    let engine = Engine::start();
    let mut child = engine.relay(&["hook", "claude"]).spawn().unwrap();
    drop(child.stdin.take());
    let (_, mut stream) = engine.accept();
    stream
        .write_all(b"{\"exit\":0,\"stdout\":\"{}\"}\n")
        .unwrap();
    let status: ExitStatus = child.wait().unwrap();
    assert!(status.success());
    // Closing with our bytes unread would have reset the connection instead.
    assert_eq!(stream.read(&mut [0]).unwrap(), 0);
}
