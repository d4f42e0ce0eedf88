//! The terminals of an agent: the output of each, how it ended, and who waits for that. It knows no session and no
//! process.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use siderail_acp::process::Exit;
use siderail_acp::wire::{RequestId, RpcError, codes};
use tokio::sync::oneshot;

use crate::session::effect::Effect;

/// Output that is kept when the agent names no limit.
const MOST_KEPT: usize = 1 << 20;
/// Terminals of one session.
const MOST: usize = 64;

/// What an agent wants of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::session) enum Wish {
    Output,
    WaitForExit,
    Kill,
    Release,
}

/// All of a session, by name.
#[derive(Default)]
pub(in crate::session) struct Terminals(BTreeMap<String, Terminal>);

/// One command of the agent.
struct Terminal {
    /// Rises from terminal to terminal.
    number: u64,
    output: Vec<u8>,
    limit: usize,
    truncated: bool,
    exit: Option<Exit>,
    /// Requests that wait for the end.
    waiting: Vec<RequestId>,
    /// Dropping it ends the command.
    stop: Option<oneshot::Sender<()>>,
}

impl Terminals {
    /// A command runs. Its name.
    pub(in crate::session) fn opened(
        &mut self,
        number: u64,
        limit: Option<u64>,
        stop: oneshot::Sender<()>,
    ) -> String {
        let limit = limit.and_then(|limit| usize::try_from(limit).ok());
        let name = format!("t{number}");
        let opened = Terminal {
            number,
            output: Vec::new(),
            limit: limit.unwrap_or(MOST_KEPT).min(MOST_KEPT),
            truncated: false,
            exit: None,
            waiting: Vec::new(),
            stop: Some(stop),
        };
        self.0.insert(name.clone(), opened);
        name
    }

    /// Whether it is one of ours.
    pub(in crate::session) fn knows(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Whether another may be opened, or the error that says why not. Agents forget to release what has ended: the oldest
    /// of that makes room.
    pub(in crate::session) fn room(&mut self) -> Result<(), RpcError> {
        if self.0.len() < MOST {
            return Ok(());
        }
        let ended = self
            .0
            .iter()
            .filter(|(_, terminal)| terminal.exit.is_some());
        let oldest = ended.min_by_key(|(_, terminal)| terminal.number);
        let oldest = oldest.map(|(name, _)| name.clone());
        match oldest.and_then(|name| self.0.remove(&name)) {
            Some(_) => Ok(()),
            None => {
                let text = format!("{MOST} terminals are open; release one first");
                Err(RpcError::new(codes::INTERNAL_ERROR, text))
            }
        }
    }

    /// The agent wants something of a terminal.
    pub(in crate::session) fn wanted(
        &mut self,
        id: RequestId,
        name: &str,
        wish: Wish,
    ) -> Vec<Effect> {
        let Some(terminal) = self.0.get_mut(name) else {
            let error = RpcError::new(codes::RESOURCE_NOT_FOUND, "there is no such terminal");
            return vec![Effect::Refuse(id, error)];
        };
        match wish {
            Wish::Output => vec![Effect::Answer(id, terminal.output())],
            Wish::WaitForExit => match terminal.exit {
                Some(exit) => vec![Effect::Answer(id, exit_status(exit))],
                None => {
                    terminal.waiting.push(id);
                    Vec::new()
                }
            },
            Wish::Kill => {
                terminal.stop.take();
                vec![Effect::Answer(id, json!({}))]
            }
            Wish::Release => {
                let mut effects = terminal.ended(Exit::default());
                self.0.remove(name);
                effects.push(Effect::Answer(id, json!({})));
                effects
            }
        }
    }

    /// A command put something out.
    pub(in crate::session) fn put_out(&mut self, name: &str, bytes: &[u8]) {
        if let Some(terminal) = self.0.get_mut(name) {
            terminal.push(bytes);
        }
    }

    /// A command ended: those who wait are answered.
    pub(in crate::session) fn exited(&mut self, name: &str, exit: Exit) -> Vec<Effect> {
        let Some(terminal) = self.0.get_mut(name) else {
            return Vec::new();
        };
        terminal.exit = Some(exit);
        terminal.ended(exit)
    }

    /// Ends every command; the terminals can still be read and released.
    pub(in crate::session) fn stop_all(&mut self) {
        for terminal in self.0.values_mut() {
            terminal.stop.take();
        }
    }

    /// True while the agent waits for the end of a command.
    pub(in crate::session) fn is_awaited(&self) -> bool {
        self.0.values().any(|terminal| !terminal.waiting.is_empty())
    }

    /// The agent no longer waits for the end of a command by this request.
    pub(in crate::session) fn forget_wait(&mut self, id: &RequestId) {
        for terminal in self.0.values_mut() {
            terminal.waiting.retain(|waiting| waiting != id);
        }
    }

    /// The names.
    #[cfg(test)]
    pub(in crate::session) fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }
}

impl Terminal {
    fn ended(&mut self, exit: Exit) -> Vec<Effect> {
        let waiting = std::mem::take(&mut self.waiting).into_iter();
        waiting
            .map(|id| Effect::Answer(id, exit_status(exit)))
            .collect()
    }

    fn push(&mut self, bytes: &[u8]) {
        self.output.extend_from_slice(bytes);
        if self.output.len() > self.limit {
            self.output.drain(..self.output.len() - self.limit);
            self.truncated = true;
        }
        if self.truncated {
            // The rest of a character that was cut, which may also come in a later piece. It has three bytes at most;
            // more of the kind are not text.
            let rest = self.output.iter().take(3);
            let n_cut = rest.take_while(|byte| *byte & 0xc0 == 0x80).count();
            self.output.drain(..n_cut);
        }
    }

    fn output(&self) -> Value {
        let mut answer = json!({
            "output": String::from_utf8_lossy(&self.output),
            "truncated": self.truncated,
        });
        if let Some(exit) = self.exit {
            answer["exitStatus"] = exit_status(exit);
        }
        answer
    }
}

fn exit_status(exit: Exit) -> Value {
    json!({"exitCode": exit.code, "signal": exit.signal.map(signal_name)})
}

/// As shells and other agents' clients name it; a number where it is a rare one.
fn signal_name(number: i32) -> String {
    let name = match number {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        6 => "SIGABRT",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        15 => "SIGTERM",
        _ => return number.to_string(),
    };
    name.to_owned()
}

#[cfg(test)]
mod tests;
