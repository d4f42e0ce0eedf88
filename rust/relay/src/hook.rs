//! The hook role: an agent's own pre-tool hook, answered by the engine within two seconds.
//!
//! It passes the payload on unread and prints what the engine says. Whatever goes wrong, it prints "no decision" and
//! succeeds, because several agents treat a failing hook as a denial and would stop working when the engine is gone.
//! How that agent writes "no decision" is part of the hook's command; no agent is known here by name.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::answer::{self, Answer};
use crate::channel::{Channel, HALF_CLOSES};
use crate::endpoint::{Endpoint, Options};

/// Everything from start to printing; the promise to the agent is two seconds.
const LIMIT: Duration = Duration::from_millis(1_850);
/// Larger payloads are not worth a decision. The engine holds the same limit.
const PAYLOAD_CAP: u64 = 16 * 1024 * 1024;
/// Guidance is at most some kilobytes.
const ANSWER_CAP: u64 = 1024 * 1024;

/// What to print, the status, and what must stay open until it is printed.
struct Outcome {
    exit: u8,
    stdout: String,
    until_printed: Option<Channel>,
}

/// Asks the engine and prints the answer; never waits longer than the limit, even when the agent
/// leaves our standard input open.
pub(crate) fn run(
    args: impl Iterator<Item = OsString>,
    env: &dyn Fn(&str) -> Option<OsString>,
) -> ExitCode {
    let (undecided, args) = NoDecision::of(args);
    let outcome = ask(undecided, args.into_iter(), env);

    let mut stdout = io::stdout().lock();
    let _ = stdout.write_all(outcome.stdout.as_bytes());
    let _ = stdout.flush();
    if let Some(channel) = outcome.until_printed {
        channel.printed();
    }
    ExitCode::from(outcome.exit)
}

/// The answer on which an agent continues as if there were no hook.
#[derive(Clone, Copy)]
enum NoDecision {
    /// An object that says nothing.
    Empty,
    /// A decision: agents that insist on one take this for "carry on", not for an approval of anything else.
    Allow,
}

impl NoDecision {
    /// Takes `--no-decision` out of the arguments. Whatever else is wrong with them, this answer holds.
    fn of(mut args: impl Iterator<Item = OsString>) -> (Self, Vec<OsString>) {
        let mut found = Self::Empty;
        let mut others = Vec::new();
        while let Some(arg) = args.next() {
            if arg == "--no-decision" {
                match args.next() {
                    Some(word) if word == "allow" => found = Self::Allow,
                    Some(_) | None => {}
                }
            } else {
                others.push(arg);
            }
        }
        (found, others)
    }

    fn text(self) -> &'static str {
        match self {
            Self::Empty => "{}\n",
            Self::Allow => "{\"decision\":\"allow\"}\n",
        }
    }
}

fn ask(
    no_decision: NoDecision,
    args: impl Iterator<Item = OsString>,
    env: &dyn Fn(&str) -> Option<OsString>,
) -> Outcome {
    let started = Instant::now();
    let Ok(options) = Options::parse(args) else {
        return undecided(no_decision);
    };
    let mut operands = options
        .operands
        .iter()
        .map(|word| word.to_string_lossy().into_owned());
    let Some(agent) = operands.next() else {
        return undecided(no_decision);
    };
    let event = operands.next();

    let endpoint = options.endpoint(env).ok();
    let (sender, answers) = mpsc::channel();
    let asked = agent.clone();
    let ask = move || sender.send(exchange(endpoint, &asked, event.as_deref()));
    let answered = thread::Builder::new().spawn(ask).ok().and_then(|_thread| {
        answers
            .recv_timeout(LIMIT.saturating_sub(started.elapsed()))
            .ok()
            .flatten()
    });
    match answered {
        Some((Answer { exit, stdout }, stream)) => Outcome {
            exit,
            stdout,
            until_printed: Some(stream),
        },
        None => undecided(no_decision),
    }
}

fn undecided(no_decision: NoDecision) -> Outcome {
    Outcome {
        exit: 0,
        stdout: no_decision.text().to_owned(),
        until_printed: None,
    }
}

/// Sends the payload and reads the answer. May block for ever: the caller holds the clock.
///
/// The payload is read to its end even when nobody wants it: a program that is still writing
/// to a hook that has already gone may take the broken pipe badly.
fn exchange(
    endpoint: Option<Endpoint>,
    agent: &str,
    event: Option<&str>,
) -> Option<(Answer, Channel)> {
    let mut payload = Vec::new();
    let mut stdin = io::stdin().lock();
    stdin
        .by_ref()
        .take(PAYLOAD_CAP + 1)
        .read_to_end(&mut payload)
        .ok()?;
    if payload.len() as u64 > PAYLOAD_CAP {
        io::copy(&mut stdin, &mut io::sink()).ok()?;
        return None;
    }
    let mut stream = endpoint?
        .connect("hook", Some(agent), event, Some(payload.len()))
        .ok()?;
    stream.write_all(&payload).ok()?;
    // Elsewhere the hello said how long it is.
    if HALF_CLOSES {
        stream.end_input().ok()?;
    }
    let mut line = Vec::new();
    BufReader::new(&mut stream)
        .take(ANSWER_CAP)
        .read_until(b'\n', &mut line)
        .ok()?;
    Some((answer::parse(std::str::from_utf8(&line).ok()?)?, stream))
}
