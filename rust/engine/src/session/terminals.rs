//! Terminals of the agent (`terminal/*`, ACP schema 1.15): commands that it lets us run.
//!
//! A task owns each process and sends what it puts out ([`life`]); the kept output is bounded and cut from its
//! start at a character. What nobody was asked about is decided here like any other command.

pub(in crate::session) mod command;
mod life;

use std::path::PathBuf;

use serde_json::{Value, json, value::RawValue};
use siderail_acp::client_request::{CreateTerminal, TerminalRequest};
use siderail_acp::process::{CommandLine, Exit, ProcessTree, Streams};
use siderail_acp::wire::{RequestId, RpcError, codes};
use tokio::sync::oneshot;

use crate::session::Session;
use crate::session::client_files::no_such_session;
use crate::session::client_methods::Terminal;
use crate::session::permissions::judge::{Judge, Judged};
use crate::session::permissions::unasked::Unasked;
use crate::session::terminals::command::CommandIn;
use crate::shared::Shared;

use command::TerminalCommand;
use life::Reports;

/// Output that is kept when the agent names no limit.
const OUTPUT: usize = 1 << 20;
/// Terminals of one session.
const TERMINALS: usize = 64;

impl Judge {
    /// The command of a terminal in the folder where it truly starts, and what the guard says of it.
    fn terminal(&self, create: &CreateTerminal) -> (TerminalCommand, Judged) {
        let folder = self.folder_at(create.cwd.as_deref().unwrap_or_default());
        let command = TerminalCommand::new(create, folder);
        let CommandIn { line, folder, env } = &command.of;
        let call = json!({
            "name": "terminal/create",
            "kind": "execute",
            "rawInput": {"command": line, "cwd": folder, "env": env},
        });
        let judged = self.unasked(&call, Unasked::Command);
        (command, judged)
    }
}

impl Session {
    /// Any `terminal/*` request.
    pub(in crate::session) fn terminal_request(
        &mut self,
        id: RequestId,
        method: &str,
        params: &RawValue,
        shared: &mut Shared,
    ) {
        let request = match TerminalRequest::read(method, params) {
            Ok(request) => request,
            Err(error) => return self.terminal_error(&id, &error, shared),
        };
        if self.is_foreign(request.session_id(), "a terminal request", shared) {
            let error = no_such_session(request.session_id());
            return self.terminal_error(&id, &error, shared);
        }
        match request {
            TerminalRequest::Create(create) => self.create_terminal(id, create, shared),
            TerminalRequest::Output(of) => {
                let answer = self
                    .client_methods
                    .terminals
                    .get(&of.terminal_id)
                    .map(output);
                self.terminal_answer(&id, answer, shared);
            }
            TerminalRequest::WaitForExit(of) => {
                match self.client_methods.terminals.get_mut(&of.terminal_id) {
                    Some(Terminal {
                        exit: None,
                        waiting,
                        ..
                    }) => waiting.push(id),
                    found => {
                        let answer = found.and_then(|t| t.exit).map(exit_status);
                        self.terminal_answer(&id, answer, shared);
                    }
                }
            }
            TerminalRequest::Kill(of) => {
                let found = self
                    .client_methods
                    .terminals
                    .get_mut(&of.terminal_id)
                    .map(|t| {
                        t.stop.take();
                        json!({})
                    });
                self.terminal_answer(&id, found, shared);
            }
            TerminalRequest::Release(of) => {
                let found = self.client_methods.terminals.remove(&of.terminal_id);
                for waiting in found.iter().flat_map(|terminal| &terminal.waiting) {
                    self.terminal_answer(waiting, Some(exit_status(Exit::default())), shared);
                }
                self.terminal_answer(&id, found.map(|_| json!({})), shared);
            }
        }
    }

    fn terminal_answer(&mut self, id: &RequestId, answer: Option<Value>, shared: &mut Shared) {
        match answer {
            Some(answer) => {
                let line = self.wire.connection.answer(id, &answer);
                self.send_some(line, shared);
            }
            None => {
                let error = RpcError::new(codes::RESOURCE_NOT_FOUND, "there is no such terminal");
                self.terminal_error(id, &error, shared);
            }
        }
    }

    fn terminal_error(&mut self, id: &RequestId, error: &RpcError, shared: &mut Shared) {
        let line = self.wire.connection.answer_error(id, error);
        self.send_some(line, shared);
    }

    fn create_terminal(&mut self, id: RequestId, create: CreateTerminal, shared: &mut Shared) {
        if self.turn.cancelling.is_some() || self.is_closing() {
            let line = self.wire.connection.answer_cancelled(&id);
            return self.send_some(line, shared);
        }
        let judge = self.judge(shared);
        let wish = create.clone();
        self.look_up(
            shared,
            move |sight| judge.with(sight).terminal(&wish),
            move |session, (command, judged), shared| {
                session.terminal_judged(&id, create, command, judged, shared);
            },
        );
    }

    fn terminal_judged(
        &mut self,
        id: &RequestId,
        create: CreateTerminal,
        command: TerminalCommand,
        judged: Judged,
        shared: &mut Shared,
    ) {
        if let Some(reason) = self.terminal_refused(&command, judged, shared) {
            return self.refuse_with_reason(id, &reason, shared);
        }
        if !self.has_room_for_a_terminal() {
            let text = format!("{TERMINALS} terminals are open; release one first");
            return self.refuse_file(id, codes::INTERNAL_ERROR, &text, shared);
        }
        let limit = create
            .output_byte_limit
            .and_then(|n| usize::try_from(n).ok());
        let line = self.terminal_line(create, command.of.folder, shared);
        let spawned = ProcessTree::spawn(&line, shared.guardian.as_ref(), Streams::OutputOnly);
        let tree = match spawned {
            Ok(tree) => tree,
            Err(error) => {
                return self.refuse_file(id, codes::INTERNAL_ERROR, &error.to_string(), shared);
            }
        };
        let number = shared.request_number();
        let name = format!("t{number}");
        let (stop, stopped) = oneshot::channel::<()>();
        let reports = Reports {
            session: self.number,
            terminal: name.clone(),
            inputs: shared.inputs.clone(),
        };
        tokio::spawn(life::live(tree, stopped, reports));
        let opened = Terminal {
            number,
            output: Vec::new(),
            limit: limit.unwrap_or(OUTPUT).min(OUTPUT),
            truncated: false,
            exit: None,
            waiting: Vec::new(),
            stop: Some(stop),
        };
        self.client_methods.terminals.insert(name.clone(), opened);
        self.terminal_answer(id, Some(json!({"terminalId": name})), shared);
    }

    /// Agents forget to release what has ended: the oldest of that makes room.
    fn has_room_for_a_terminal(&mut self) -> bool {
        if self.client_methods.terminals.len() < TERMINALS {
            return true;
        }
        let ended = self
            .client_methods
            .terminals
            .iter()
            .filter(|(_, t)| t.exit.is_some());
        let oldest = ended.min_by_key(|(_, terminal)| terminal.number);
        let oldest = oldest.map(|(name, _)| name.clone());
        oldest.is_some_and(|name| self.client_methods.terminals.remove(&name).is_some())
    }

    fn terminal_line(
        &self,
        create: CreateTerminal,
        folder: String,
        shared: &Shared,
    ) -> CommandLine {
        let (program, args) = if create.args.is_empty() {
            ("sh".to_owned(), vec!["-c".to_owned(), create.command])
        } else {
            (create.command, create.args)
        };
        let mut env = shared.config.env.clone();
        env.extend(self.options.agent_env.clone());
        env.extend(create.env);
        CommandLine {
            program,
            args: args.into_iter().map(Into::into).collect(),
            env,
            cwd: PathBuf::from(folder),
        }
    }

    /// The reason, if this command may not run: nobody allowed it.
    fn terminal_refused(
        &mut self,
        command: &TerminalCommand,
        judged: Judged,
        shared: &mut Shared,
    ) -> Option<String> {
        if let Some(at) = self
            .turn
            .approved_commands
            .iter()
            .position(|c| command.is(c))
        {
            self.turn.approved_commands.remove(at);
            return None;
        }
        if let Some(text) = self.refused_command(command, shared) {
            return Some(text);
        }
        self.settle_unasked(judged, Unasked::Command, shared)
    }

    /// Ends every command; the terminals can still be read and released.
    pub(in crate::session) fn stop_terminals(&mut self) {
        for terminal in self.client_methods.terminals.values_mut() {
            terminal.stop.take();
        }
    }

    /// True while the agent waits for the end of a command.
    pub(in crate::session) fn terminal_is_awaited(&self) -> bool {
        self.client_methods
            .terminals
            .values()
            .any(|terminal| !terminal.waiting.is_empty())
    }

    /// The agent no longer waits for the end of a command by this request.
    pub(in crate::session) fn forget_wait(&mut self, id: &RequestId) {
        for terminal in self.client_methods.terminals.values_mut() {
            terminal.waiting.retain(|waiting| waiting != id);
        }
    }

    /// A command put something out.
    pub(in crate::session) fn terminal_output(&mut self, terminal: &str, bytes: &[u8]) {
        if let Some(terminal) = self.client_methods.terminals.get_mut(terminal) {
            terminal.push(bytes);
        }
    }

    /// A command ended: whoever waits is answered.
    pub(in crate::session) fn terminal_exited(
        &mut self,
        terminal: &str,
        exit: Exit,
        shared: &mut Shared,
    ) {
        let Some(found) = self.client_methods.terminals.get_mut(terminal) else {
            return;
        };
        found.exit = Some(exit);
        for id in std::mem::take(&mut found.waiting) {
            self.terminal_answer(&id, Some(exit_status(exit)), shared);
        }
    }
}

fn output(terminal: &Terminal) -> Value {
    let mut answer = json!({
        "output": String::from_utf8_lossy(&terminal.output),
        "truncated": terminal.truncated,
    });
    if let Some(exit) = terminal.exit {
        answer["exitStatus"] = exit_status(exit);
    }
    answer
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
mod tests {
    use super::*;

    fn terminal(limit: usize) -> Terminal {
        Terminal {
            number: 1,
            output: Vec::new(),
            limit,
            truncated: false,
            exit: None,
            waiting: Vec::new(),
            stop: None,
        }
    }

    #[test]
    fn output_beyond_the_limit_is_cut_from_its_start_and_never_inside_a_character() {
        let text = "aä€𝄞b".repeat(5);
        for limit in 0..=text.len() {
            for piece in 1..5 {
                let mut terminal = terminal(limit);
                for bytes in text.as_bytes().chunks(piece) {
                    terminal.push(bytes);
                }
                let answer = output(&terminal);
                let kept = answer["output"].as_str().expect("a text");
                assert!(text.ends_with(kept), "{limit}: {kept:?}");
                assert!(kept.len() <= limit && kept.len() + 3 >= limit, "{limit}");
                assert_eq!(answer["truncated"], limit < text.len(), "{limit}");
            }
        }
    }

    #[test]
    fn output_that_is_no_text_is_kept_up_to_the_limit() {
        let mut terminal = terminal(10);
        terminal.push(&[0x80; 100]);
        assert!(terminal.output.len() >= 7);
    }

    #[test]
    fn an_end_is_told_by_code_or_by_the_signals_name() {
        let by_signal = Exit {
            code: None,
            signal: Some(9),
        };
        assert_eq!(
            exit_status(by_signal),
            json!({"exitCode": null, "signal": "SIGKILL"})
        );
    }
}
