//! A recorder between client and agent, as `tests/live/tap.py` is one, for agents of systems without Python.
//!
//! `tap LOG COMMAND ARGS…`: bytes pass unchanged, and each line is written down as `{"ts": seconds, "dir": "client" |
//! "agent" | "note", "msg": JSON or text}`.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

/// Lines of both directions in the order in which they passed.
struct Log(Mutex<File>);

impl Log {
    fn write(&self, direction: &str, message: Value) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let line =
            json!({"ts": now.unwrap_or_default().as_secs_f64(), "dir": direction, "msg": message});
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A log that cannot be written must not end the conversation; the reader of the log will miss it.
        let _ = file.write_all(format!("{line}\n").as_bytes());
    }

    fn line(&self, direction: &str, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        let text = text.trim();
        if !text.is_empty() {
            let message = serde_json::from_str(text).unwrap_or_else(|_| text.into());
            self.write(direction, message);
        }
    }
}

/// Copies until the source ends or nobody takes what comes; then the sink is closed.
fn pump(log: &Log, direction: &str, mut source: impl Read, mut sink: impl Write) {
    let (mut buffer, mut rest) = (vec![0; 65_536], Vec::new());
    while let Ok(n @ 1..) = source.read(&mut buffer) {
        rest.extend_from_slice(&buffer[..n]);
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            log.line(direction, &rest[..end]);
            rest.drain(..=end);
        }
        if sink.write_all(&buffer[..n]).is_err() || sink.flush().is_err() {
            break;
        }
    }
    log.line(direction, &rest);
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [log, program, arguments @ ..] = words.as_slice() else {
        eprintln!("usage: tap LOG COMMAND ARGS…");
        return ExitCode::from(2);
    };
    let file = File::options().create(true).append(true).open(log);
    let log = match file {
        Ok(file) => Arc::new(Log(Mutex::new(file))),
        Err(error) => {
            eprintln!("tap: {log}: {error}");
            return ExitCode::from(2);
        }
    };
    log.write("note", json!({"command": words[1..]}));
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped());
    let mut child = match command.stdout(Stdio::piped()).spawn() {
        Ok(child) => child,
        Err(error) => {
            eprintln!("tap: {program}: {error}");
            return ExitCode::from(127);
        }
    };
    let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return ExitCode::from(2);
    };
    let of_client = Arc::clone(&log);
    std::thread::spawn(move || pump(&of_client, "client", std::io::stdin().lock(), input));
    let of_agent = Arc::clone(&log);
    let agent = std::thread::spawn(move || {
        pump(&of_agent, "agent", output, std::io::stdout().lock());
    });
    let status = child.wait();
    // What a grandchild still holds open is waited for no longer.
    let deadline = SystemTime::now() + Duration::from_secs(1);
    while !agent.is_finished() && SystemTime::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    let code = status.ok().and_then(|status| status.code());
    log.write("note", json!({"exit": code}));
    // The thread that reads our own input may block for ever.
    std::process::exit(code.unwrap_or(1))
}
