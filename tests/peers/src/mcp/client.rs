//! The one client for all servers: lines over pipes, no SDK, so that the server is what is measured.

use std::collections::HashSet;
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use crate::Failure;

/// Of the text that goes there and back.
const TEXT_BYTES: usize = 200;

pub(crate) struct Client {
    process: Child,
    input: ChildStdin,
    output: ChildStdout,
    /// Read, and not yet taken as lines.
    buffer: Vec<u8>,
    last_id: u64,
    text: String,
}

impl Client {
    /// Starts a server, or a relay to one, and agrees with it on a version that all servers here know.
    pub(crate) fn start(command: &mut Command) -> Result<Self, Failure> {
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = process.stdin.take().ok_or("stdin is piped")?;
        let output = process.stdout.take().ok_or("stdout is piped")?;
        let mut client = Self {
            process,
            input,
            output,
            buffer: Vec::new(),
            last_id: 0,
            text: "x".repeat(TEXT_BYTES),
        };
        client.input.write_all(
            b"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\
              \"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\
              \"clientInfo\":{\"name\":\"peers\",\"version\":\"1\"}}}\n",
        )?;
        client.read_lines(|line| {
            let is_answer = line.contains("2025-06-18");
            is_answer
                .then_some(())
                .ok_or_else(|| format!("the server says {line}").into())
        })?;
        client
            .input
            .write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")?;
        Ok(client)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Calls one after the other; what each took, in microseconds.
    pub(crate) fn alone(&mut self, n_calls: usize) -> Result<Vec<f64>, Failure> {
        let mut times = Vec::with_capacity(n_calls);
        let mut line = Vec::new();
        for _ in 0..n_calls {
            line.clear();
            let id = self.call(&mut line);
            let started = Instant::now();
            self.input.write_all(&line)?;
            let n_lines = self.read_lines(|answer| expect(id, answer))?;
            times.push(started.elapsed().as_secs_f64() * 1e6);
            if n_lines != 1 {
                return Err(format!("{n_lines} answers to one call").into());
            }
        }
        Ok(times)
    }

    /// Calls with so many open at any time; calls per second.
    pub(crate) fn together(&mut self, n_calls: usize, in_flight: usize) -> Result<f64, Failure> {
        let started = Instant::now();
        let mut open = HashSet::new();
        let mut lines = Vec::new();
        let (mut n_sent, mut n_answered) = (0, 0);
        while n_answered < n_calls {
            lines.clear();
            while n_sent < n_calls && open.len() < in_flight {
                open.insert(self.call(&mut lines));
                n_sent += 1;
            }
            self.input.write_all(&lines)?;
            n_answered += self.read_lines(|answer| {
                let id = id(answer).filter(|id| open.remove(id));
                expect(id.ok_or("an answer to no call")?, answer)
            })?;
        }
        Ok(n_calls as f64 / started.elapsed().as_secs_f64())
    }

    /// Appends the line of a call.
    fn call(&mut self, lines: &mut Vec<u8>) -> u64 {
        self.last_id += 1;
        let (id, text) = (self.last_id, &self.text);
        lines.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
        lines.extend_from_slice(id.to_string().as_bytes());
        lines.extend_from_slice(
            b",\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{\"text\":\"",
        );
        lines.extend_from_slice(text.as_bytes());
        lines.extend_from_slice(b"\"}}}\n");
        id
    }

    /// Reads until there is at least one line, and takes all lines that are there.
    fn read_lines(
        &mut self,
        mut take: impl FnMut(&str) -> Result<(), Failure>,
    ) -> Result<usize, Failure> {
        let mut chunk = [0; 64 * 1024];
        loop {
            let n_read = self.output.read(&mut chunk)?;
            if n_read == 0 {
                return Err("the server hung up".into());
            }
            self.buffer.extend_from_slice(&chunk[..n_read]);
            let Some(end) = self.buffer.iter().rposition(|byte| *byte == b'\n') else {
                continue;
            };
            let mut n_lines = 0;
            for line in std::str::from_utf8(&self.buffer[..end])?.split('\n') {
                take(line)?;
                n_lines += 1;
            }
            self.buffer.drain(..=end);
            return Ok(n_lines);
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// An answer has the call's id, and is long enough for the text to be in it.
fn expect(expected: u64, answer: &str) -> Result<(), Failure> {
    if id(answer) == Some(expected) && answer.len() > TEXT_BYTES {
        return Ok(());
    }
    Err(format!("not an answer to call {expected}: {answer}").into())
}

fn id(answer: &str) -> Option<u64> {
    let rest = &answer[answer.find("\"id\":")? + 5..];
    let end = rest.find([',', '}'])?;
    rest[..end].parse().ok()
}
