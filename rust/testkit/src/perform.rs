//! The work of a tool call: on disk, by command, through the client, or at an MCP server.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use siderail_wire::RpcError;

use crate::call_vars;
use crate::outcome::End;
use crate::peer::Reply;
use crate::shape::Operation;
use crate::shell;
use crate::tool_call::ToolCall;

/// How long an MCP call may take.
const MCP_LIMIT: Duration = Duration::from_secs(180);

/// The work of one call.
pub(crate) struct Work<'c, 'a> {
    call: &'c mut ToolCall<'a>,
}

/// Done, or what the model reads instead of a result.
type Done = Result<(), String>;

impl<'c, 'a> Work<'c, 'a> {
    /// The work of `call`.
    pub(crate) fn new(call: &'c mut ToolCall<'a>) -> Self {
        Self { call }
    }

    /// Carries out the operations in order, up to the first that fails.
    ///
    /// # Errors
    /// The outer error ends the turn; the inner is the text of the failure.
    pub(crate) fn operations(&mut self, operations: &[Operation]) -> Result<Done, End> {
        for operation in operations {
            let done = match operation {
                Operation::FsRead => {
                    // An agent that only wants to compare continues without the text.
                    drop(self.fs_read()?);
                    Ok(())
                }
                Operation::FsReadMust => self.fs_read()?,
                Operation::FsWrite => self.fs_write(false)?,
                Operation::DiskThenFsWrite => self.fs_write(true)?,
                Operation::Disk => self.disk(),
                Operation::Run => self.run(),
                Operation::Terminal => self.terminal()?,
                Operation::Mcp => self.mcp()?,
            };
            if done.is_err() {
                return Ok(done);
            }
        }
        Ok(Ok(()))
    }

    fn ask(&self, method: &str, mut params: Value) -> Result<Result<Value, RpcError>, End> {
        let turn = self.call.turn;
        params["sessionId"] = turn.session.id.as_str().into();
        let call = turn.agent.peer.request(&turn.session.id, method, params);
        match turn.agent.peer.wait(&call) {
            Reply::Result(result) => Ok(Ok(result)),
            Reply::Error(error) => Ok(Err(error)),
            Reply::Cancelled => Err(End::Cancelled),
            Reply::Closed | Reply::Feedback(_) => Err(End::Wedged),
        }
    }

    /// What the model reads of an error: Gemini's model gets an error object as "[object Object]".
    fn refusal(&mut self, error: &RpcError) -> String {
        self.call.vars.set("refused", true);
        match self.call.turn.agent.shape.name.as_str() {
            "gemini" if error.code != 0 => "[object Object]".to_owned(),
            _ => error.message.clone(),
        }
    }

    fn fs_read(&mut self) -> Result<Done, End> {
        if !self.call.turn.agent.client().fs_read {
            return Ok(Ok(()));
        }
        let answer = self.ask(
            "fs/read_text_file",
            json!({"path": self.call.vars.text("path")}),
        )?;
        match answer {
            Ok(result) => {
                let before = result["content"].as_str().map(str::to_owned);
                let content = self.call.step.content.as_deref();
                call_vars::set_texts(
                    &mut self.call.vars,
                    self.call.purpose,
                    before.as_deref(),
                    content,
                );
                Ok(Ok(()))
            }
            Err(error) => Ok(Err(format!(
                "Error checking existing file: {}",
                error.message
            ))),
        }
    }

    fn fs_write(&mut self, disk_first: bool) -> Result<Done, End> {
        if disk_first || !self.call.turn.agent.client().fs_write {
            let done = self.disk();
            if done.is_err() || !self.call.turn.agent.client().fs_write {
                return Ok(done);
            }
        }
        let params = json!({
            "path": self.call.vars.text("path"), "content": self.call.vars.text("after"),
        });
        match self.ask("fs/write_text_file", params)? {
            Err(error) if !disk_first => {
                let text = self.refusal(&error);
                Ok(Err(text))
            }
            // The disk is written already; the client was only notified.
            _ => Ok(Ok(())),
        }
    }

    fn really(&self) -> bool {
        self.call
            .step
            .really
            .unwrap_or(self.call.turn.agent.script.really)
    }

    fn disk(&self) -> Done {
        if !self.really() {
            return Ok(());
        }
        let vars = &self.call.vars;
        let path = vars.text("path");
        if vars.get("old").is_some() && !vars.text("before").contains(&vars.text("old")) {
            return Err(format!("No match found in {path}"));
        }
        let write = || {
            if let Some(parent) = Path::new(&path).parent() {
                std::fs::create_dir_all(parent)?;
            }
            std::fs::write(&path, vars.text("after"))
        };
        write().map_err(|error| format!("{path}: {error}"))
    }

    fn run(&mut self) -> Done {
        if !self.really() {
            self.call.vars.set("output", "").set("exit", 0);
            return Ok(());
        }
        let output = shell::command(&self.call.vars.text("command"), false)
            .current_dir(&self.call.turn.session.cwd)
            .stdin(std::process::Stdio::null())
            .output()
            .map_err(|error| error.to_string())?;
        let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.push_str(&String::from_utf8_lossy(&output.stderr));
        self.call
            .vars
            .set("output", text)
            .set("exit", output.status.code().unwrap_or(-1));
        Ok(())
    }

    fn terminal(&mut self) -> Result<Done, End> {
        if !self.call.turn.agent.client().terminal {
            return Ok(self.run());
        }
        let words = self
            .call
            .vars
            .get("words")
            .cloned()
            .unwrap_or_else(|| json!([]));
        let words = words.as_array().cloned().unwrap_or_default();
        let (command, args) = words
            .split_first()
            .map_or((json!(""), vec![]), |(first, rest)| {
                (first.clone(), rest.to_vec())
            });
        let params = json!({"command": command, "args": args, "outputByteLimit": 16000});
        let created = match self.ask("terminal/create", params)? {
            Ok(created) => created,
            Err(error) => {
                let text = self.refusal(&error);
                return Ok(Err(format!("Terminal execution error: {text}")));
            }
        };
        let terminal = json!({"terminalId": created["terminalId"]});
        let ended = self.ask("terminal/wait_for_exit", terminal.clone())?;
        let output = self.ask("terminal/output", terminal.clone())?;
        // Releasing is a courtesy: what the client answers changes nothing.
        drop(self.ask("terminal/release", terminal)?);
        let exit = ended
            .ok()
            .and_then(|ended| ended["exitCode"].as_i64())
            .unwrap_or(-1);
        let output = output
            .ok()
            .map(|output| output["output"].clone())
            .unwrap_or_default();
        self.call.vars.set("output", output).set("exit", exit);
        Ok(Ok(()))
    }

    fn mcp(&mut self) -> Result<Done, End> {
        let Some(server) = self.call.server else {
            return Ok(Err("no such server".to_owned()));
        };
        let session = &self.call.turn.session;
        let arguments = self.call.mcp_arguments();
        let cancelled = || session.is_cancelled();
        let tool = self.call.vars.text("tool");
        let result = match server.call(&tool, &arguments, MCP_LIMIT, &cancelled) {
            Ok(result) => result,
            Err(_) if session.is_cancelled() => return Err(End::Cancelled),
            Err(why) => return Ok(Err(why)),
        };
        self.call
            .vars
            .set("output", result.text.as_str())
            .set("mcp_content", result.content);
        self.call.vars.set("is_error", result.is_error);
        Ok(if result.is_error {
            Err(result.text)
        } else {
            Ok(())
        })
    }
}
