//! The client's sessions: each has a process of its own, and an id that no other has.
//!
//! Assigns processes to sessions, answers the client once one is open, and settles all that waits for one that is gone.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use siderail_engine::acp::requests;
use siderail_engine::acp::wire::{RequestId, RpcError, codes};
use siderail_engine::acp_client::Outcome;
use siderail_engine::command::Command;

use super::agent_side::{Effect, FORK, Face, Pending, Purpose};
use super::process::Process;

impl Face {
    /// Starts a process of the agent.
    pub(super) fn start(&mut self, folder: PathBuf) -> u64 {
        self.last_session += 1;
        let session = self.last_session;
        self.processes.insert(session, Process::new(folder.clone()));
        if let Some(client) = &self.client {
            self.effects.push(Effect::Start {
                session,
                folder,
                client: Arc::clone(client),
            });
        }
        session
    }

    /// A session of the client's: each has a process of its own.
    pub(super) fn open(&mut self, id: RequestId, method: &str, mut params: Value) {
        let folder = match params["cwd"].as_str().map(Path::new) {
            Some(folder) if folder.is_absolute() => folder.canonicalize(),
            _ => {
                let error = RpcError::invalid_params("cwd is no absolute path");
                return self.refuse(&id, &error);
            }
        };
        let folder = match folder {
            Ok(folder) if folder.is_dir() => folder,
            Ok(_) => return self.refuse(&id, &RpcError::invalid_params("cwd is not a folder")),
            Err(error) => {
                let error = RpcError::invalid_params(format!("cwd cannot be used: {error}"));
                return self.refuse(&id, &error);
            }
        };
        if !matches!(params["mcpServers"], Value::Null | Value::Array(_)) {
            return self.refuse(&id, &RpcError::invalid_params("mcpServers is not a list"));
        }
        let named = params["sessionId"].as_str().map(str::to_owned);
        if method != requests::NEW_SESSION && named.is_none() {
            return self.refuse(&id, &RpcError::invalid_params("sessionId is missing"));
        }
        let mut names = None;
        if let Some(client_id) = named {
            let there = self.session_named(&client_id);
            let agent_id = there.and_then(|there| self.processes[&there].agent_id.clone());
            let agent_id = agent_id.unwrap_or_else(|| client_id.clone());
            params["sessionId"] = json!(agent_id);
            if method != FORK {
                // What a client opens again it has no open any more.
                if let Some(there) = there {
                    self.forget_names(there);
                    self.command(Command::EndSession {
                        session: there,
                        why: None,
                    });
                }
                names = Some((agent_id, client_id));
            }
        }
        let mut free = self.processes.iter();
        let free = free.find(|(_, process)| !process.is_taken && process.folder == folder);
        let session = match free.map(|(session, _)| *session) {
            Some(session) => session,
            None => self.start(folder),
        };
        if let Some(process) = self.processes.get_mut(&session) {
            process.is_taken = true;
            (process.agent_id, process.client_id) = names.unzip();
        }
        let pending = Pending {
            id,
            session,
            purpose: Purpose::Open,
        };
        self.effects.push(Effect::Request {
            session,
            method: method.to_owned(),
            params,
            pending,
        });
    }

    fn forget_names(&mut self, session: u64) {
        if let Some(process) = self.processes.get_mut(&session) {
            process.client_id = None;
            process.agent_id = None;
        }
    }

    pub(super) fn close(&mut self, id: RequestId, params: &Value) {
        match self.process_of(params) {
            Ok(session) => {
                if let Some(process) = self.processes.get_mut(&session) {
                    process.closing = Some(id);
                }
                self.command(Command::EndSession { session, why: None });
            }
            Err(error) => self.refuse(&id, &error),
        }
    }

    /// The agent's answer to a request of the client.
    pub(super) fn replied(&mut self, pending: &Pending, outcome: Outcome) {
        let Pending {
            id,
            session,
            purpose,
        } = pending;
        let outcome = match (outcome, self.ended.get(session)) {
            (Err(error), Some(why)) if error.code == codes::INTERNAL_ERROR => {
                Err(RpcError::new(error.code, why.as_str()))
            }
            (outcome, _) => outcome,
        };
        match outcome {
            outcome if *purpose == Purpose::List => self.listed(id, *session, outcome),
            Ok(result) if *purpose == Purpose::Open => {
                let mut result: Value = serde_json::from_str(result.get()).unwrap_or_default();
                self.opened(*session, &mut result);
                self.answer(id, &result);
            }
            Ok(result) => self.answer(id, &result),
            Err(error) => {
                if let Some(process) = self
                    .processes
                    .get_mut(session)
                    .filter(|_| *purpose == Purpose::Open)
                {
                    process.is_taken = false;
                    process.agent_id = None;
                    process.client_id = None;
                }
                self.refuse(id, &error);
            }
        }
    }

    /// The agent has opened a session: the client knows it by an id that no other has.
    fn opened(&mut self, session: u64, result: &mut Value) {
        if let Some(agent_id) = result["sessionId"].as_str().map(str::to_owned) {
            let client_id = match self.session_named(&agent_id) {
                Some(other) if other != session => format!("{agent_id}~{session}"),
                _ => agent_id.clone(),
            };
            result["sessionId"] = json!(client_id);
            if let Some(process) = self.processes.get_mut(&session) {
                process.agent_id = Some(agent_id);
                process.client_id = Some(client_id);
            }
        }
        if let Some(process) = self.processes.get_mut(&session) {
            let mode = result["modes"]["currentModeId"].as_str();
            process.mode = mode.map(str::to_owned);
        }
    }

    /// A process could not even be started.
    pub(super) fn not_started(&mut self, session: u64, why: String) {
        if let Some(process) = self.processes.get_mut(&session) {
            process.error = Some(why);
        }
        self.process_ended(session);
    }

    /// A process is gone: all that waits for it is answered.
    pub(super) fn process_ended(&mut self, session: u64) {
        self.end_terminals(session);
        let Some(process) = self.processes.remove(&session) else {
            return;
        };
        let why = process
            .error
            .unwrap_or_else(|| "the agent's session has ended; open it again".to_owned());
        let error = RpcError::new(codes::INTERNAL_ERROR, why.as_str());
        self.ended.insert(session, why);
        if let Some((id, _)) = self.hello.take_if(|(_, of)| *of == session) {
            self.client = None;
            self.refuse(&id, &error);
        }
        let early = process.early.into_iter().map(|prompt| prompt.id);
        for id in process.prompts.into_iter().chain(early) {
            self.refuse(&id, &error);
        }
        self.close_questions_of(session);
        if let Some(id) = process.closing {
            self.answer(&id, &json!({}));
        }
    }
}
