//! The hook role: an agent's own pre-tool hook, answered by the engine within two seconds.
//!
//! It passes the payload on unread and prints what the engine says. Whatever goes wrong, it prints
//! that agent's "no decision" and succeeds, because several agents treat a failing hook as a denial
//! and would stop working when the engine is gone.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

/// What to print, the status, and what must stay open until it is printed.
struct Outcome {
    exit: u8,
    stdout: String,
    #[cfg(unix)]
    until_printed: Option<std::os::unix::net::UnixStream>,
}

/// Asks the engine and prints the answer; never waits longer than the limit, even when the agent
/// leaves our standard input open.
pub(crate) fn run(
    args: impl Iterator<Item = OsString>,
    env: &dyn Fn(&str) -> Option<OsString>,
) -> ExitCode {
    #[cfg(unix)]
    let outcome = client::ask(args, env);
    #[cfg(not(unix))]
    let outcome = {
        let _ = env;
        let agent = args
            .last()
            .map(|agent| agent.to_string_lossy().into_owned());
        Outcome {
            exit: 0,
            stdout: no_decision(agent.as_deref().unwrap_or_default()),
        }
    };

    let mut stdout = io::stdout().lock();
    let _ = stdout.write_all(outcome.stdout.as_bytes());
    let _ = stdout.flush();
    // Closing the socket tells the engine that the answer was read and printed, not only sent.
    #[cfg(unix)]
    drop(outcome.until_printed);
    ExitCode::from(outcome.exit)
}

/// The answer by which this agent goes on as if there were no hook.
fn no_decision(agent: &str) -> String {
    let answer = match agent {
        // These two want a decision; theirs for "carry on" is not an approval of anything else.
        "vibe" | "openhands" => r#"{"decision":"allow"}"#,
        _ => "{}",
    };
    format!("{answer}\n")
}

#[cfg(unix)]
mod client {
    use std::ffi::OsString;
    use std::io::{self, BufRead, BufReader, Read, Write};
    use std::net::Shutdown;
    use std::os::unix::net::UnixStream;
    use std::sync::mpsc;
    use std::thread;
    use std::time::{Duration, Instant};

    use super::{Outcome, no_decision};
    use crate::answer::{self, Answer};
    use crate::endpoint::{Endpoint, Options};

    /// Everything from start to printing; the promise to the agent is two seconds.
    const LIMIT: Duration = Duration::from_millis(1_850);
    /// Larger payloads are not worth a decision. The engine holds the same limit.
    const PAYLOAD_CAP: u64 = 16 * 1024 * 1024;
    /// Guidance is at most some kilobytes.
    const ANSWER_CAP: u64 = 1024 * 1024;

    pub(super) fn ask(
        args: impl Iterator<Item = OsString>,
        env: &dyn Fn(&str) -> Option<OsString>,
    ) -> Outcome {
        let started = Instant::now();
        let Ok(options) = Options::parse(args) else {
            return undecided("");
        };
        let mut operands = options
            .operands
            .iter()
            .map(|word| word.to_string_lossy().into_owned());
        let Some(agent) = operands.next() else {
            return undecided("");
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
            None => undecided(&agent),
        }
    }

    fn undecided(agent: &str) -> Outcome {
        Outcome {
            exit: 0,
            stdout: no_decision(agent),
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
    ) -> Option<(Answer, UnixStream)> {
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
        let mut stream = endpoint?.connect("hook", Some(agent), event).ok()?;
        stream.write_all(&payload).ok()?;
        stream.shutdown(Shutdown::Write).ok()?;
        let mut line = Vec::new();
        BufReader::new(&stream)
            .take(ANSWER_CAP)
            .read_until(b'\n', &mut line)
            .ok()?;
        Some((answer::parse(std::str::from_utf8(&line).ok()?)?, stream))
    }
}
