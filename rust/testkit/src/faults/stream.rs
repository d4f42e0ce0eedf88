//! Faults in the bytes: what is written around, between and instead of the lines.

use std::io::{self, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;

use super::{Faults, Once};

/// Text of lines that are not messages.
const NOISE: [&[u8]; 8] = [
    b"npm WARN deprecated something@1.0.0: use something else",
    b"{\"jsonrpc\":\"2.0\",\"method\":",
    b"\xff\xfe\x00broken \xc3",
    b"[{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{}}]",
    b"{}",
    b"42",
    b"{\"jsonrpc\":\"2.0\",\"id\":{\"a\":1},\"method\":\"session/update\"}",
    b"\x1b[31mError:\x1b[0m something went wrong",
];
/// How long a child holds stdout.
const HOLD_SECONDS: &str = "30";

impl Faults {
    /// Writes a line with what the spec puts around it.
    ///
    /// # Errors
    /// The writer's.
    pub fn write(&mut self, writer: &mut dyn Write, line: &[u8]) -> io::Result<()> {
        self.lines += 1;
        let due: Vec<Once> = self
            .once
            .iter()
            .filter(|(at, _)| *at == self.lines)
            .map(|(_, once)| once.clone())
            .collect();
        for once in due {
            self.commit(&once, writer)?;
        }
        if self.silent {
            return Ok(());
        }
        if self.settings.contains_key("bom") && !self.bom_sent {
            self.bom_sent = true;
            writer.write_all(b"\xEF\xBB\xBF")?;
        }
        self.noise(writer)?;
        let mut line = line.to_vec();
        if self.settings.contains_key("crlf") && line.ends_with(b"\n") {
            line.insert(line.len() - 1, b'\r');
        }
        if self.happens("split") {
            self.write_in_pieces(writer, &line)
        } else {
            writer.write_all(&line)?;
            writer.flush()
        }
    }

    fn noise(&mut self, writer: &mut dyn Write) -> io::Result<()> {
        if self.happens("garbage") {
            let noise = NOISE[self.rng.below(NOISE.len())];
            writer.write_all(noise)?;
            writer.write_all(b"\n")?;
        }
        if self.happens("blank") {
            writer.write_all([&b"\n"[..], b"\r\n", b"   \n"][self.rng.below(3)])?;
        }
        if self.happens("stray_answers") {
            let id = 1_000_000 + self.rng.below(1000);
            line(
                writer,
                &json!({"jsonrpc": "2.0", "id": id, "result": {"stray": true}}),
            )?;
        }
        if self.happens("unknown_notifications") {
            line(
                writer,
                &json!({"jsonrpc": "2.0", "method": "_weather/changed", "params": [1]}),
            )?;
        }
        let id = format!("fault-{}", self.lines);
        if self.happens("unknown_requests") {
            let request =
                json!({"jsonrpc": "2.0", "id": id, "method": "weather/get", "params": {}});
            line(writer, &request)?;
        }
        if self.happens("unadvertised_fs") {
            let session = self.sessions.first().cloned().unwrap_or_default();
            let params = json!({"sessionId": session, "path": "/etc/hostname"});
            let method = "fs/read_text_file";
            line(
                writer,
                &json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}),
            )?;
        }
        Ok(())
    }

    fn write_in_pieces(&mut self, writer: &mut dyn Write, mut rest: &[u8]) -> io::Result<()> {
        while rest.len() > 1 {
            // Cuts fall anywhere, also inside a character.
            let cut = 1 + self.rng.below(rest.len());
            let (piece, after) = rest.split_at(cut);
            writer.write_all(piece)?;
            writer.flush()?;
            std::thread::sleep(Duration::from_micros(200 + self.rng.below(1500) as u64));
            rest = after;
        }
        writer.write_all(rest)?;
        writer.flush()
    }

    /// Commits what happens once.
    ///
    /// # Errors
    /// The writer's.
    pub(crate) fn commit(&mut self, once: &Once, writer: &mut dyn Write) -> io::Result<()> {
        match once.name.as_str() {
            "huge" => {
                let session = self.sessions.first().cloned().unwrap_or_default();
                let text = "x".repeat(usize::try_from(once.value).unwrap_or(usize::MAX));
                let content = json!({"type": "text", "text": text});
                let update = json!({"sessionUpdate": "agent_message_chunk", "content": content});
                let params = json!({"sessionId": session, "update": update});
                let method = "session/update";
                line(
                    writer,
                    &json!({"jsonrpc": "2.0", "method": method, "params": params}),
                )?;
            }
            "silence" => self.silent = true,
            "exit" => std::process::exit(i32::try_from(once.value).unwrap_or(1)),
            "abort" => std::process::abort(),
            "kill" => kill_self(),
            "hold_stdout" => hold_stdout(),
            "stderr" => flood_stderr(once.value),
            _ => {}
        }
        Ok(())
    }
}

fn line(writer: &mut dyn Write, message: &serde_json::Value) -> io::Result<()> {
    writeln!(writer, "{message}")?;
    writer.flush()
}

/// Ends this very process as the system would end it when memory is short.
fn kill_self() {
    let pid = std::process::id().to_string();
    if let Err(error) = Command::new("kill").args(["-9", &pid]).status() {
        eprintln!("scripted agent: kill not started: {error}");
        std::process::abort();
    }
}

fn hold_stdout() {
    let child = Command::new("sleep")
        .arg(HOLD_SECONDS)
        .stdin(Stdio::null())
        .spawn();
    match child {
        Ok(child) => eprintln!("scripted agent: child {} holds stdout", child.id()),
        Err(error) => eprintln!("scripted agent: sleep not started: {error}"),
    }
}

/// Floods on a thread of its own: a client that does not read stderr must not block the agent here.
fn flood_stderr(bytes: u64) {
    std::thread::spawn(move || {
        let line = format!("{}\n", "stderr ".repeat(16));
        let mut stderr = io::stderr().lock();
        for _ in 0..bytes.div_ceil(line.len() as u64) {
            if stderr.write_all(line.as_bytes()).is_err() {
                break;
            }
        }
    });
}
