//! The MCP role: standard input and output on one side, the engine's socket on the other.
//!
//! Bytes pass unread in both directions, each in its own thread, so that a slow reader on one side
//! never delays the other. The agent ends the connection by closing our standard input.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::process::ExitCode;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Duration;

use crate::channel::{Channel, standard_streams};
use crate::endpoint::Options;
use crate::{EXIT_ENGINE_GONE, usage_error};

/// How long answers may still come after the agent closed our standard input. Agents expect a
/// server to be gone within a few seconds of that.
const DRAIN: Duration = Duration::from_secs(3);
/// One read: larger than a pipe's default capacity gains nothing.
const CHUNK: usize = 64 * 1024;
/// A thread here holds one chunk and little else; the default of 2 MiB would be most of our memory.
const STACK: usize = CHUNK + 64 * 1024;

/// Why a direction stopped.
enum End {
    /// The agent closed our standard input; what it sent has been passed on.
    InputClosed,
    /// The agent closed our standard output: nobody is left to talk to.
    OutputClosed,
    /// The engine stopped reading; what it said before may still be on its way to the agent.
    EngineDeaf,
    /// The engine closed the socket, and all it sent has been passed on.
    EngineClosed,
}

/// Connects, then copies until one side ends.
pub(crate) fn run(
    args: impl Iterator<Item = OsString>,
    env: &dyn Fn(&str) -> Option<OsString>,
) -> ExitCode {
    let options = match Options::parse(args) {
        Ok(options) if options.operands.is_empty() => options,
        Ok(options) => {
            return usage_error(&format!("unknown command {:?}", options.operands[0]));
        }
        Err(what) => return usage_error(&what),
    };
    let joined = options
        .endpoint(env)
        .and_then(|endpoint| endpoint.connect("mcp", options.agent.as_deref(), None, None))
        .and_then(|socket| join(socket).map_err(|error| format!("cannot copy: {error}")));
    match joined {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("siderail-relay: the engine closed the connection; its session has ended");
            ExitCode::from(EXIT_ENGINE_GONE)
        }
        Err(what) => {
            eprintln!("siderail-relay: {what}");
            ExitCode::from(EXIT_ENGINE_GONE)
        }
    }
}

/// Copies both ways; true when the agent ended the connection, false when the engine did.
fn join(socket: Channel) -> io::Result<bool> {
    let (input, output) = standard_streams()?;
    let (upward, downward) = (socket.try_clone()?, socket);
    let (ended, ends) = mpsc::channel();
    let down_ended = ended.clone();
    spawn(move || up(input, upward, &ended))?;
    spawn(move || down(downward, output, &down_ended))?;

    Ok(match ends.recv() {
        Ok(End::InputClosed) => {
            let _ = ends.recv_timeout(DRAIN);
            true
        }
        Ok(End::OutputClosed) => true,
        Ok(End::EngineDeaf) => {
            let _ = ends.recv_timeout(DRAIN);
            false
        }
        Ok(End::EngineClosed) | Err(mpsc::RecvError) => false,
    })
}

fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new()
        .stack_size(STACK)
        .spawn(work)
        .map(drop)
}

fn up(mut input: File, mut socket: Channel, ended: &Sender<End>) {
    match copy(&mut input, &mut socket) {
        Stopped::Source => {
            // Said first: the engine answers the half-close by closing, and that must not look as if it
            // had left by itself.
            let _ = ended.send(End::InputClosed);
            let _ = socket.end_input();
        }
        Stopped::Sink => drop(ended.send(End::EngineDeaf)),
    }
}

fn down(mut socket: Channel, mut output: File, ended: &Sender<End>) {
    let end = match copy(&mut socket, &mut output) {
        Stopped::Source => End::EngineClosed,
        Stopped::Sink => End::OutputClosed,
    };
    let _ = ended.send(end);
}

/// Which side of a copy stopped first.
enum Stopped {
    Source,
    Sink,
}

fn copy(source: &mut impl Read, sink: &mut impl Write) -> Stopped {
    let mut chunk = [0; CHUNK];
    loop {
        match source.read(&mut chunk) {
            Ok(0) => return Stopped::Source,
            Ok(n_bytes) => {
                if sink.write_all(&chunk[..n_bytes]).is_err() {
                    return Stopped::Sink;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Stopped::Source,
        }
    }
}
