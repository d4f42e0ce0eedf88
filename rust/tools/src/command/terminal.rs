//! A command in a terminal of the person's own client, where that offers some (ACP `terminal/*`): it is seen there while it
//! runs, and can be stopped there.
//!
//! Requests go by [`ClientTerminals`]; who answers them is not known here. Every wait has a limit. A command that may have
//! begun at the client is begun nowhere else: a terminal that the client names too late is ended there.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use siderail_acp::process::Exit;
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::log::{ENDING, LogWriter};

/// What a request of a client's takes, but for the one that waits for a command's end.
const ANSWER: Duration = Duration::from_secs(10);
/// Bytes of output that the client is asked to keep.
const MOST_KEPT: usize = 1 << 20;
/// Bytes at the end of known output by which it is found again in output that was cut.
const MARK: usize = 4 << 10;

/// A client's terminals.
pub trait ClientTerminals: Send + Sync {
    /// Sends a request; its result, or why it has none. The receiver fails when nobody will answer.
    fn ask(&self, method: &str, params: Value) -> oneshot::Receiver<Result<Value, String>>;
    /// A command is shown in a terminal.
    fn shown(&self, terminal: &str, command: &str);
    /// It has ended.
    fn ended(&self, terminal: &str, exit: Option<Exit>);
}

/// A terminal in which a command runs.
pub(super) struct Terminal {
    client: Arc<dyn ClientTerminals>,
    id: String,
    output: Output,
}

/// Why a command has no terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoTerminal {
    /// The client does not say whether it runs, and would cost the next command as much time.
    Unknown,
    /// It starts no such command, which may run elsewhere.
    Refused,
}

/// What a terminal shows of its command.
pub(super) enum Look {
    /// It runs.
    Running,
    /// It has ended.
    Ended(Exit),
    /// The client does not say.
    Unknown,
}

/// The output of a terminal, as far as it has been read.
#[derive(Default)]
struct Output {
    /// Bytes that have been read.
    n_seen: usize,
    /// The last of them.
    end: String,
}

impl Terminal {
    /// Starts a line for a shell.
    pub(super) async fn open(
        client: &Arc<dyn ClientTerminals>,
        (shell, line): (&str, &str),
        env: &BTreeMap<String, String>,
        folder: &Path,
    ) -> Result<Self, NoTerminal> {
        let env = env
            .iter()
            .map(|(name, value)| json!({"name": name, "value": value}));
        let params = json!({
            "command": shell,
            "args": ["-c", line],
            "env": env.collect::<Vec<_>>(),
            "cwd": folder,
            "outputByteLimit": MOST_KEPT,
        });
        let answer = client.ask("terminal/create", params);
        let (opened, opening) = oneshot::channel();
        let client = Arc::clone(client);
        let line = line.to_owned();
        // A task of its own: an answer counts however late it is.
        tokio::spawn(async move {
            let terminal = created(client, answer).await;
            if let Err(Ok(unwanted)) = opened.send(terminal) {
                unwanted.give_up().await;
            }
        });
        let opened = timeout(ANSWER, opening).await;
        let terminal = opened
            .map_err(|_late| NoTerminal::Unknown)?
            .unwrap_or(Err(NoTerminal::Unknown))?;
        terminal.client.shown(&terminal.id, &line);
        Ok(terminal)
    }

    /// Waits for the command's end, however long that takes. None: the client does not say.
    pub(super) fn end(&self) -> impl Future<Output = Option<Exit>> + use<> {
        let ended = self.ask("terminal/wait_for_exit");
        async move { Some(exit_of(&ended.await.ok()?.ok()?).unwrap_or_default()) }
    }

    /// Adds what came since the last time to the log.
    pub(super) async fn read(&mut self, log: &mut LogWriter) -> Look {
        let answer = answered(self.ask("terminal/output")).await;
        let answer = answer.unwrap_or_default();
        let Some(output) = answer["output"].as_str() else {
            return Look::Unknown;
        };
        let is_cut = answer["truncated"] == true;
        let news = self.output.news(output, is_cut);
        // What the disk does not take is counted, and the command's end is still seen.
        let _ = timeout(ENDING, log.write(news.as_bytes())).await;
        exit_of(&answer["exitStatus"]).map_or(Look::Running, Look::Ended)
    }

    /// Ends the command.
    pub(super) async fn kill(&self) {
        let _ = answered(self.ask("terminal/kill")).await;
    }

    /// The client may forget it.
    pub(super) async fn release(self, exit: Option<Exit>) {
        self.client.ended(&self.id, exit);
        let _ = answered(self.ask("terminal/release")).await;
    }

    /// Ends a command that nobody will follow.
    pub(super) async fn give_up(self) {
        self.kill().await;
        self.release(None).await;
    }

    fn ask(&self, method: &str) -> oneshot::Receiver<Result<Value, String>> {
        self.client.ask(method, json!({"terminalId": self.id}))
    }
}

/// The terminal that the client made.
async fn created(
    client: Arc<dyn ClientTerminals>,
    answer: oneshot::Receiver<Result<Value, String>>,
) -> Result<Terminal, NoTerminal> {
    let created = answer.await.map_err(|_lost| NoTerminal::Unknown)?;
    let created = created.map_err(|_refused| NoTerminal::Refused)?;
    let id = created["terminalId"].as_str();
    Ok(Terminal {
        id: id.ok_or(NoTerminal::Unknown)?.to_owned(),
        client,
        output: Output::default(),
    })
}

async fn answered(answer: oneshot::Receiver<Result<Value, String>>) -> Option<Value> {
    timeout(ANSWER, answer).await.ok()?.ok()?.ok()
}

/// `exitCode` and `signal`; `None` if neither is given.
fn exit_of(status: &Value) -> Option<Exit> {
    let code = status["exitCode"].as_i64();
    let exit = Exit {
        code: code.and_then(|code| i32::try_from(code).ok()),
        signal: status["signal"].as_str().and_then(signal_of),
    };
    (exit.code.is_some() || exit.signal.is_some() || status["signal"].is_string()).then_some(exit)
}

fn signal_of(name: &str) -> Option<i32> {
    let number = match name.trim_start_matches("SIG") {
        "HUP" => 1,
        "INT" => 2,
        "QUIT" => 3,
        "ABRT" => 6,
        "KILL" => 9,
        "SEGV" => 11,
        "PIPE" => 13,
        "TERM" => 15,
        number => return number.parse().ok(),
    };
    Some(number)
}

impl Output {
    /// What of a terminal's whole output has not been seen before. `is_cut`: its start is missing.
    fn news<'a>(&mut self, output: &'a str, is_cut: bool) -> &'a str {
        let from = match is_cut {
            false => Some(self.n_seen),
            // Repeated output is better shown twice than lost.
            true => output.find(&self.end).map(|at| at + self.end.len()),
        };
        // None: more came at once than the client keeps.
        let news = from.and_then(|from| output.get(from..)).unwrap_or(output);
        self.n_seen += news.len();
        self.end.push_str(news);
        let mut surplus = self.end.len().saturating_sub(MARK);
        while !self.end.is_char_boundary(surplus) {
            surplus += 1;
        }
        self.end.drain(..surplus);
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_shows_again_and_again_is_read_once() {
        let whole: String = (0..3_000).map(|n| format!("line {n} ü\n")).collect();
        for (piece, kept) in [(1, 30_000), (100, 8_000), (1_000, 10_000)] {
            let (mut output, mut read, mut there) =
                (Output::default(), String::new(), String::new());
            for line in whole
                .split_inclusive('\n')
                .collect::<Vec<_>>()
                .chunks(piece)
            {
                there.push_str(&line.concat());
                let mut from = there.len().saturating_sub(kept);
                while !there.is_char_boundary(from) {
                    from += 1;
                }
                read.push_str(output.news(&there[from..], from > 0));
            }
            let is_whole = read == whole;
            assert_eq!(
                is_whole,
                piece * 12 < kept,
                "{piece} {kept}: {}",
                read.len()
            );
        }
    }

    #[test]
    fn an_end_is_read_by_code_or_by_the_signals_name() {
        let exit = |status: Value| exit_of(&status).map(|exit| (exit.code, exit.signal));
        assert_eq!(exit(json!({"exitCode": 3})), Some((Some(3), None)));
        let killed = json!({"exitCode": null, "signal": "SIGKILL"});
        assert_eq!(exit(killed), Some((None, Some(9))));
        assert_eq!(exit(json!({"signal": "odd"})), Some((None, None)));
        assert_eq!(exit(json!({"exitCode": null, "signal": null})), None);
        assert_eq!(exit(json!({})), None);
    }
}
