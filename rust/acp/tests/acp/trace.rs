//! The traffic log keeps everything but secrets, and its troubles to itself.

use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use siderail_acp::redact::Redaction;
use siderail_acp::trace::TrafficLog;
use siderail_acp::transport::Direction;

fn read(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).expect("a log");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON lines"))
        .collect()
}

/// Direction and message of each line.
fn said(lines: &[Value]) -> Vec<(&str, &Value)> {
    lines
        .iter()
        .map(|line| (line["dir"].as_str().expect("a direction"), &line["msg"]))
        .collect()
}

#[test]
fn a_log_holds_all_lines_in_order_and_no_secret() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("traffic.jsonl");
    let log = TrafficLog::create(
        &path,
        Redaction::new(["0123456789abcdef".to_owned()]),
        |failure| panic!("{failure}"),
    )
    .expect("a log");
    let tap = log.tap();
    log.note(json!({"agent": "x", "env": {"HOME": "/home/me"}}));
    tap(Direction::ClientToAgent, br#"{"id":1,"params":{"mcpServers":[{"env":[{"name":"SIDERAIL_TOKEN","value":"0123456789abcdef"}]}]}}"#);
    tap(
        Direction::AgentToClient,
        br#"{"id":1,"result":{"said":"my token is 0123456789abcdef","n":1.50}}"#,
    );
    tap(Direction::AgentStderr, b"OPENAI_API_KEY=sk-123 failed");
    log.finish();
    tap(Direction::AgentToClient, b"after the end");

    let lines = read(&path);
    let expected = [
        ("note", json!({"agent": "x", "env": {"HOME": "[hidden]"}})),
        (
            "client->agent",
            json!({"id": 1, "params": {"mcpServers": [{"env": [{"name": "SIDERAIL_TOKEN", "value": "[hidden]"}]}]}}),
        ),
        (
            "agent->client",
            json!({"id": 1, "result": {"said": "my token is [hidden]", "n": 1.5}}),
        ),
        ("agent-stderr", json!("OPENAI_API_KEY=[hidden] failed")),
    ];
    let expected = expected
        .iter()
        .map(|(direction, message)| (*direction, message))
        .collect::<Vec<_>>();
    assert_eq!(said(&lines), expected);
    assert!(lines.iter().all(|line| line["t"].is_f64()));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&path)
            .expect("a log")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "for its owner only");
    }
}

/// Writes that succeed until they do not.
struct Failing {
    left: usize,
}

impl Write for Failing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "disk full"));
        }
        self.left -= 1;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_reported_once_and_stops_nobody() {
    let (failed, failures) = channel();
    let log = TrafficLog::start(Failing { left: 1 }, Redaction::default(), move |failure| {
        failed.send(failure.to_string()).expect("listened to");
    });
    let log = log.expect("a log");
    let tap = log.tap();
    let line = vec![b'x'; 20_000];
    for _ in 0..50 {
        tap(Direction::AgentToClient, &line);
    }
    assert_eq!(
        failures.recv_timeout(Duration::from_secs(30)),
        Ok("disk full".to_owned())
    );
    for _ in 0..50 {
        tap(Direction::AgentToClient, &line);
    }
    log.finish();
    assert!(failures.recv().is_err(), "reported once");
}

/// Blocks each write until it is told to continue, and keeps what was written.
struct Slow {
    started: Sender<()>,
    gate: Arc<Mutex<()>>,
    written: Arc<Mutex<Vec<u8>>>,
}

impl Write for Slow {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.started.send(()).ok();
        let _open = self.gate.lock().expect("no panic");
        self.written
            .lock()
            .expect("no panic")
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A log whose writes wait for the gate; what says that one has begun, and what is written.
fn log_on_slow_disk(gate: &Arc<Mutex<()>>) -> (TrafficLog, Receiver<()>, Arc<Mutex<Vec<u8>>>) {
    let (started, starts) = channel();
    let written = Arc::default();
    let sink = Slow {
        started,
        gate: Arc::clone(gate),
        written: Arc::clone(&written),
    };
    let log = TrafficLog::start(sink, Redaction::default(), |failure| panic!("{failure}"));
    (log.expect("a log"), starts, written)
}

#[test]
fn a_slow_disk_holds_nobody_up_and_what_is_left_out_is_counted() {
    let gate = Arc::new(Mutex::new(()));
    let closed = gate.lock().expect("no panic");
    let (log, starts, written) = log_on_slow_disk(&gate);
    let tap = log.tap();
    let line = vec![b'x'; 1 << 20];
    tap(Direction::AgentToClient, &line);
    starts
        .recv_timeout(Duration::from_secs(30))
        .expect("the first write hangs");
    let begun = Instant::now();
    for _ in 0..100 {
        tap(Direction::AgentToClient, &line);
    }
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "nobody waits for the disk"
    );
    drop(closed);
    // One more line, once there is room, tells how many were left out.
    let told = Instant::now();
    loop {
        tap(Direction::AgentToClient, b"{}");
        let text = String::from_utf8_lossy(&written.lock().expect("no panic")).into_owned();
        if let Some(note) = text.lines().find(|line| line.contains("not_logged")) {
            let note = serde_json::from_str::<Value>(note).expect("JSON");
            assert_eq!(note["dir"], "note");
            let n_lost = note["msg"]["not_logged"].as_u64().expect("a number");
            assert!((30..=60).contains(&n_lost), "{n_lost}");
            break;
        }
        assert!(
            told.elapsed() < Duration::from_secs(30),
            "the count is written"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    log.finish();
}

#[test]
fn a_log_is_dropped_without_waiting_and_written_all_the_same() {
    let gate = Arc::new(Mutex::new(()));
    let closed = gate.lock().expect("no panic");
    let (log, starts, written) = log_on_slow_disk(&gate);
    log.note(json!({"n": 1}));
    starts
        .recv_timeout(Duration::from_secs(30))
        .expect("the first write hangs");
    log.note(json!({"n": 2}));
    let begun = Instant::now();
    drop(log);
    assert!(
        begun.elapsed() < Duration::from_secs(1),
        "nobody waits for the disk"
    );
    drop(closed);
    // The sink goes with the thread, and its end of the channel with it.
    while starts.recv().is_ok() {}
    let text = String::from_utf8_lossy(&written.lock().expect("no panic")).into_owned();
    assert!(
        text.contains(r#""n":1"#) && text.contains(r#""n":2"#),
        "{text}"
    );
}
