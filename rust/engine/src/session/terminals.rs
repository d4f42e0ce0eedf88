//! Terminals of the agent (`terminal/*`, ACP schema 1.15): commands that it lets us run.
//!
//! A task owns each process and sends what it puts out; the kept output is bounded and cut from its start at
//! a character. What nobody was asked about is decided here like any other command.

use serde_json::{Value, json, value::RawValue};
use siderail_acp::client_request::{CreateTerminal, TerminalRequest};
use siderail_acp::process::{CommandLine, Exit, Grace, ProcessTree, Streams};
use siderail_acp::wire::{RequestId, RpcError, codes};
use siderail_guard::decision::Verdict;
use siderail_guard::normalize;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::sync::{mpsc, oneshot};

use super::ladder::Way;
use super::{Input, Session};
use crate::engine::Shelf;
use crate::event::Receipt;
use crate::launch::shell_word;

/// Output that is kept when the agent names no limit.
const OUTPUT: usize = 1 << 20;
/// Terminals of one session.
const TERMINALS: usize = 64;

/// One command of the agent.
pub(crate) struct Terminal {
    output: Vec<u8>,
    limit: usize,
    truncated: bool,
    exit: Option<Exit>,
    /// Requests that wait for the end.
    waiting: Vec<RequestId>,
    stop: Option<oneshot::Sender<()>>,
}

impl Terminal {
    fn push(&mut self, bytes: &[u8]) {
        self.output.extend_from_slice(bytes);
        if self.output.len() > self.limit {
            let mut from = self.output.len() - self.limit;
            while self
                .output
                .get(from)
                .is_some_and(|byte| byte & 0xc0 == 0x80)
            {
                from += 1;
            }
            self.output.drain(..from);
            self.truncated = true;
        }
    }
}

impl Session {
    /// Any `terminal/*` request.
    pub(super) fn terminal_request(
        &mut self,
        id: RequestId,
        method: &str,
        params: &RawValue,
        shelf: &mut Shelf,
    ) {
        let request = match TerminalRequest::read(method, params) {
            Ok(request) => request,
            Err(error) => return self.terminal_error(&id, &error, shelf),
        };
        match request {
            TerminalRequest::Create(create) => self.create_terminal(&id, create, shelf),
            TerminalRequest::Output(of) => {
                let answer = self.terminals.get(&of.terminal_id).map(output);
                self.terminal_answer(&id, answer, shelf);
            }
            TerminalRequest::WaitForExit(of) => match self.terminals.get_mut(&of.terminal_id) {
                Some(Terminal {
                    exit: None,
                    waiting,
                    ..
                }) => waiting.push(id),
                found => {
                    let answer = found.and_then(|t| t.exit).map(exit_status);
                    self.terminal_answer(&id, answer, shelf);
                }
            },
            TerminalRequest::Kill(of) => {
                let found = self.terminals.get_mut(&of.terminal_id).map(|t| {
                    t.stop.take();
                    json!({})
                });
                self.terminal_answer(&id, found, shelf);
            }
            TerminalRequest::Release(of) => {
                let found = self.terminals.remove(&of.terminal_id);
                for waiting in found.iter().flat_map(|terminal| &terminal.waiting) {
                    self.terminal_answer(waiting, Some(exit_status(Exit::default())), shelf);
                }
                self.terminal_answer(&id, found.map(|_| json!({})), shelf);
            }
        }
    }

    fn terminal_answer(&mut self, id: &RequestId, answer: Option<Value>, shelf: &mut Shelf) {
        match answer {
            Some(answer) => {
                let line = self.connection.answer(id, &answer);
                self.send_some(line, shelf);
            }
            None => {
                let error = RpcError::new(codes::RESOURCE_NOT_FOUND, "there is no such terminal");
                self.terminal_error(id, &error, shelf);
            }
        }
    }

    fn terminal_error(&mut self, id: &RequestId, error: &RpcError, shelf: &mut Shelf) {
        let line = self.connection.answer_error(id, error);
        self.send_some(line, shelf);
    }

    fn create_terminal(&mut self, id: &RequestId, create: CreateTerminal, shelf: &mut Shelf) {
        if self.cancelling.is_some() || self.is_closing() {
            let line = self.connection.answer_cancelled(id);
            return self.send_some(line, shelf);
        }
        let command = command_text(&create);
        if let Some(reason) = self.terminal_refused(&command, create.cwd.as_deref(), shelf) {
            return self.refuse_with_reason(id, &reason, shelf);
        }
        if self.terminals.len() >= TERMINALS {
            let text = format!("{TERMINALS} terminals are open; release one first");
            return self.refuse_file(id, codes::INTERNAL_ERROR, &text, shelf);
        }
        let limit = create
            .output_byte_limit
            .and_then(|n| usize::try_from(n).ok());
        let line = self.terminal_line(create, shelf);
        let spawned = ProcessTree::spawn(&line, shelf.guardian.as_ref(), Streams::OutputOnly);
        let mut tree = match spawned {
            Ok(tree) => tree,
            Err(error) => {
                return self.refuse_file(id, codes::INTERNAL_ERROR, &error.to_string(), shelf);
            }
        };
        let name = format!("t{}", shelf.request_number());
        let (stop, stopped) = oneshot::channel::<()>();
        let (session, inputs) = (self.number, shelf.inputs.clone());
        let (stdout, stderr) = (tree.stdout.take(), tree.stderr.take());
        let terminal = name.clone();
        tokio::spawn(async move {
            let out = pump(stdout, session, &terminal, &inputs);
            let err = pump(stderr, session, &terminal, &inputs);
            let run = async { tokio::join!(out, err) };
            tokio::select! {
                _ = run => {}
                _ = stopped => {}
            }
            let grace = Grace {
                eof: std::time::Duration::from_millis(200),
                ..Grace::default()
            };
            let exit = tree.stop(grace).await;
            // The engine outlives its sessions' tasks; without it nobody waits.
            let _ = inputs
                .send(Input::TerminalExited {
                    session,
                    terminal,
                    exit,
                })
                .await;
        });
        let limit = limit.unwrap_or(OUTPUT).min(OUTPUT);
        let opened = Terminal {
            output: Vec::new(),
            limit,
            truncated: false,
            exit: None,
            waiting: Vec::new(),
            stop: Some(stop),
        };
        self.terminals.insert(name.clone(), opened);
        self.terminal_answer(id, Some(json!({"terminalId": name})), shelf);
    }

    fn terminal_line(&self, create: CreateTerminal, shelf: &Shelf) -> CommandLine {
        let (program, args) = if create.args.is_empty() {
            ("sh".to_owned(), vec!["-c".to_owned(), create.command])
        } else {
            (create.command, create.args)
        };
        let mut env = shelf.config.env.clone();
        env.extend(self.options.agent_env.clone());
        env.extend(create.env);
        let cwd = create
            .cwd
            .map_or_else(|| self.root().to_owned(), std::path::PathBuf::from);
        CommandLine {
            program,
            args,
            env,
            cwd,
        }
    }

    /// The reason, if this command may not run: nobody allowed it.
    fn terminal_refused(
        &mut self,
        command: &str,
        cwd: Option<&str>,
        shelf: &mut Shelf,
    ) -> Option<String> {
        if let Some(at) = self.approved_commands.iter().position(|c| c == command) {
            self.approved_commands.remove(at);
            return None;
        }
        if let Some(text) = self.refused_command(shelf) {
            return Some(text);
        }
        let call = json!({"name": "terminal/create", "kind": "execute", "rawInput": {"command": command, "cwd": cwd}});
        let cwd = self.root_text();
        let action = normalize::update(&call, &cwd, &self.agent_names(&shelf.offered));
        let decision = self.decide(&action, shelf);
        let subject = self.subject(&action, &decision, None, "terminal", shelf);
        self.requested(&subject, &[], false, shelf);
        match (decision.verdict, self.options.answer) {
            (Verdict::Allow, _) | (Verdict::Ask, Some(true)) => {
                self.approved(&subject, "policy", shelf);
                None
            }
            (Verdict::Deny, _) => {
                let text = self.deny_with_guidance(&subject, &decision, Way::Refusal, shelf);
                self.receipt(subject.request_id, Receipt::Delivered, shelf);
                Some(text)
            }
            (Verdict::Ask, _) => {
                let text = "a command that nobody was asked about is not run";
                self.denied_event(&subject, "policy", text, shelf);
                Some(format!("{text}; ask for permission first"))
            }
        }
    }

    /// A command put something out.
    pub(super) fn terminal_output(&mut self, terminal: &str, bytes: &[u8]) {
        if let Some(terminal) = self.terminals.get_mut(terminal) {
            terminal.push(bytes);
        }
    }

    /// A command ended: whoever waits is answered.
    pub(super) fn terminal_exited(&mut self, terminal: &str, exit: Exit, shelf: &mut Shelf) {
        let Some(found) = self.terminals.get_mut(terminal) else {
            return;
        };
        found.exit = Some(exit);
        for id in std::mem::take(&mut found.waiting) {
            self.terminal_answer(&id, Some(exit_status(exit)), shelf);
        }
    }
}

async fn pump(
    stream: Option<impl AsyncRead + Unpin>,
    session: u64,
    terminal: &str,
    inputs: &mpsc::Sender<Input>,
) {
    let Some(mut stream) = stream else { return };
    let mut chunk = vec![0; 16 * 1024];
    while let Ok(n @ 1..) = stream.read(&mut chunk).await {
        let (terminal, bytes) = (terminal.to_owned(), chunk[..n].to_vec());
        if inputs
            .send(Input::TerminalOutput {
                session,
                terminal,
                bytes,
            })
            .await
            .is_err()
        {
            break;
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
    json!({"exitCode": exit.code, "signal": exit.signal.map(|n| n.to_string())})
}

/// The command line that is run: what a shell is given with `-c`, else all words.
fn command_text(create: &CreateTerminal) -> String {
    let shell = ["sh", "bash", "/bin/sh", "/bin/bash"].contains(&create.command.as_str());
    match create.args.as_slice() {
        [flag, line] if shell && (flag == "-c" || flag == "-lc") => line.clone(),
        // A command without arguments is a line for the shell.
        [] => create.command.clone(),
        args => {
            let words = std::iter::once(&create.command).chain(args);
            words
                .map(|word| shell_word(word))
                .collect::<Vec<_>>()
                .join(" ")
        }
    }
}
