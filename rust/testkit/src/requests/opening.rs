//! Opening a session: its hide lists, hooks and MCP servers.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use siderail_wire::{RequestId, codes};

use super::{Requests, lock};
use crate::hide::Hidden;
use crate::hook::{self, Sources};
use crate::mcp_client::{McpServer, ServerConfig};
use crate::model_log::Shown;
use crate::session::Session;
use crate::template::{Vars, fill, fill_text};

impl Requests {
    /// Methods of the agent's own succeed; those that a person carries out in a terminal must never be asked for.
    pub(super) fn log_in(&self, id: &RequestId, params: &Value) {
        let methods = self.agent.shape.initialize["authMethods"].as_array();
        let mut methods = methods.into_iter().flatten();
        let method = methods.find(|method| method["id"] == params["methodId"]);
        let in_terminal = method.is_some_and(|method| {
            let meta = &method["_meta"];
            let kind = [&method["type"], &meta["type"]];
            meta.get("terminal-auth").is_some() || kind.contains(&&json!("terminal"))
        });
        if method.is_none() || in_terminal {
            let error = json!({"code": codes::INVALID_PARAMS, "message": "not a method to authenticate by"});
            return self.agent.peer.respond(id, Err(&error));
        }
        self.authenticated.store(true, Ordering::SeqCst);
        if let Some(file) = &self.agent.args.logged_in
            && let Err(error) = std::fs::write(file, "")
        {
            eprintln!("scripted agent: {}: {error}", file.display());
        }
        self.agent.peer.respond(id, Ok(&json!({})));
    }

    pub(super) fn open_session(&self, id: &RequestId, params: &Value) {
        let missing =
            self.agent.shape.authenticate.is_some() && !self.authenticated.load(Ordering::SeqCst);
        let logged_in = self.agent.args.logged_in.as_ref();
        let logged_out = logged_in.is_some_and(|file| !file.exists());
        if missing || logged_out || self.agent.peer.with_faults(|faults| faults.wants_login()) {
            let error = json!({"code": codes::AUTH_REQUIRED, "message": "Authentication required"});
            return self.agent.peer.respond(id, Err(&error));
        }
        let cwd = PathBuf::from(params["cwd"].as_str().unwrap_or("."));
        let session = self.new_session(params, &cwd);
        let mut vars = Vars::default();
        vars.set("session", session.id.as_str())
            .set("cwd", cwd.to_string_lossy());
        if let Some(mode) = &session.state().mode {
            vars.set("mode", mode.as_str());
        }
        let answer = fill(&self.agent.shape.new_session, &vars).unwrap_or_default();
        let session_id = session.id.clone();
        lock(&self.sessions).insert(session_id.clone(), Arc::new(session));
        self.agent.messages(
            &session_id,
            &self.agent.shape.around_new_session.before,
            &vars,
        );
        let early = self.agent.peer.with_faults(|faults| faults.early_updates());
        for number in 1..=early {
            let text = format!("early {number}");
            vars.set("text", text);
            self.agent.messages(
                &session_id,
                std::slice::from_ref(&self.agent.shape.message),
                &vars,
            );
        }
        self.agent.peer.respond(id, Ok(&answer));
        self.agent.messages(
            &session_id,
            &self.agent.shape.around_new_session.after,
            &vars,
        );
    }

    /// Opens a session of another process, and replays it by so many updates.
    pub(super) fn open_again(&self, id: &RequestId, params: &Value, told: usize) {
        if self.agent.script.forgetful {
            let error = json!({"code": -32002, "message": "Resource not found"});
            return self.agent.peer.respond(id, Err(&error));
        }
        let session = params["sessionId"].as_str().unwrap_or_default();
        for n in 0..told {
            let text = |text: &str| json!({"type": "text", "text": format!("{text} {n}")});
            let call = |title: &str, kind: &str, status: &str| {
                json!({"sessionUpdate": "tool_call", "toolCallId": format!("old_{n}"), "title": title, "kind": kind,
                    "status": status, "rawInput": {"path": "a.txt", "command": "cat a.txt"},
                    "content": [{"type": "content", "content": {"type": "text", "text": "permission denied"}}]})
            };
            let update = match n % 4 {
                0 => json!({"sessionUpdate": "user_message_chunk", "content": text("asked")}),
                1 => json!({"sessionUpdate": "agent_message_chunk", "content": text("said")}),
                2 => call("Edit a.txt", "edit", "completed"),
                _ => call("cat a.txt", "execute", "failed"),
            };
            self.agent.peer.update(session, update, None);
        }
        self.open_session(id, params);
    }

    fn new_session(&self, params: &Value, cwd: &Path) -> Session {
        let mut vars = Vars::default();
        vars.set("uuid", self.agent.peer.uuid())
            .set("hex", self.agent.peer.uuid().replace('-', ""));
        let id = match params["sessionId"].as_str() {
            Some(id) => id.to_owned(),
            None => fill_text(&self.agent.shape.session_id, &vars),
        };
        let variable = self.agent.shape.initial_mode_env.as_ref();
        let mode = variable.and_then(|variable| std::env::var(variable).ok());
        let mode = mode.or_else(|| self.agent.shape.initial_mode.clone());
        let mut session = Session::new(id, cwd.to_owned(), mode);
        let shape = self.agent.shape.name.as_str();
        session.hidden = Hidden::read(shape, &self.agent.args, params);
        session.hooks = hook::find(&Sources {
            shape,
            args: &self.agent.args,
            new_session: params,
            cwd,
        });
        for config in self.server_configs(params) {
            for _ in 0..self.agent.shape.mcp_starts {
                match McpServer::start(&config, cwd) {
                    Ok(server) => {
                        self.note_server(&session.id, &server);
                        session.servers.push(server);
                    }
                    Err(why) => eprintln!("scripted agent: {why}"),
                }
            }
        }
        session
    }

    fn server_configs(&self, params: &Value) -> Vec<ServerConfig> {
        let mut configs = Vec::new();
        if self.agent.shape.mcp_from_session {
            let entries = params["mcpServers"].as_array().into_iter().flatten();
            configs.extend(entries.filter_map(ServerConfig::from_acp));
        }
        for value in self.agent.args.agent_values("--additional-mcp-config") {
            let text = match value.strip_prefix('@') {
                Some(file) => std::fs::read_to_string(file).unwrap_or_else(|error| {
                    eprintln!("scripted agent: {file}: {error}");
                    String::new()
                }),
                None => value,
            };
            configs.extend(ServerConfig::from_map(
                &serde_json::from_str(&text).unwrap_or_default(),
            ));
        }
        configs
    }

    fn note_server(&self, session: &str, server: &McpServer) {
        let names: Vec<&str> = server
            .tools
            .iter()
            .filter_map(|tool| tool["name"].as_str())
            .collect();
        let note = |source, text: &str| {
            self.agent.log.note(&Shown {
                session,
                turn: 0,
                source,
                tool: None,
                text,
            });
        };
        note("tools", &names.join(" "));
        let by_flag = "--allow-all-mcp-server-instructions";
        let shown = self.agent.shape.mcp_instructions
            || self.agent.args.agent.iter().any(|word| word == by_flag);
        if shown && !server.instructions.is_empty() {
            note("instructions", &server.instructions);
        }
    }

    pub(super) fn set_mode(&self, id: &RequestId, method: &str, params: &Value) {
        if self.agent.script.refuse_mode {
            let error = json!({"code": -32603, "message": "modes are locked"});
            return self.agent.peer.respond(id, Err(&error));
        }
        let session_id = params["sessionId"].as_str().unwrap_or_default();
        let is_mode = method == "session/set_mode";
        let mode = match is_mode {
            true => &params["modeId"],
            false if params["configId"] == "mode" => &params["value"],
            false => &Value::Null,
        };
        let mut vars = Vars::default();
        vars.set("session", session_id);
        let session = self.session(session_id);
        if let (Some(session), Some(mode)) = (&session, mode.as_str()) {
            session.state().mode = Some(mode.to_owned());
            vars.set("mode", mode);
            self.agent
                .messages(session_id, &self.agent.shape.mode_set, &vars);
        }
        let option = params["configId"].as_str().filter(|id| *id != "mode");
        let mut chosen = Vec::new();
        if let Some(session) = &session {
            let mut state = session.state();
            if let Some(option) = option {
                let value = params["value"].clone();
                state.options.insert(option.to_owned(), value);
            }
            if let Some(mode) = state.mode.as_deref() {
                vars.set("mode", mode);
            }
            chosen.extend(state.options.clone());
        }
        let options = || {
            let mut options = fill(&self.agent.shape.new_session["configOptions"], &vars)?;
            for option in options.as_array_mut().into_iter().flatten() {
                let id = option["id"].as_str().map(str::to_owned);
                let is_it = |(name, _): &&(String, Value)| Some(name) == id.as_ref();
                if let Some((_, value)) = chosen.iter().find(is_it) {
                    option["currentValue"] = value.clone();
                }
            }
            Some(options)
        };
        let result = if is_mode {
            json!({})
        } else {
            json!({"configOptions": options()})
        };
        self.agent.peer.respond(id, Ok(&result));
    }
}
