//! Terminals of the agent (`terminal/*`, ACP schema 1.15): commands that it lets us run.
//!
//! A task owns each process and sends what it puts out ([`life`]); what is kept of it and who waits is in [`table`].
//! What nobody was asked about is decided here like any other command. Where an ACP client that has terminals
//! is behind the host, what may run runs there ([`crate::session::outer_client`]).

pub(in crate::session) mod command;
mod life;
pub(in crate::session) mod table;

use serde_json::{Value, json, value::RawValue};
use siderail_acp::client_request::{CreateTerminal, TerminalRequest, methods};
use siderail_acp::process::{ProcessTree, Streams};
use siderail_acp::wire::{RequestId, RpcError, codes};
use tokio::sync::oneshot;

use crate::session::Session;
use crate::session::client_files::no_such_session;
use crate::session::effect::Effect;
use crate::session::permissions::judge::{Judge, Judged};
use crate::session::permissions::unasked::Unasked;
use crate::session::terminals::command::CommandIn;
use crate::shared::Shared;

use command::{TerminalCommand, to_run};
use life::Reports;
use table::{MOST, Wish};

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
            Err(error) => return self.apply([Effect::Refuse(id, error)], shared),
        };
        if self.is_foreign(request.session_id(), "a terminal request", shared) {
            let error = no_such_session(request.session_id());
            return self.apply([Effect::Refuse(id, error)], shared);
        }
        let (of, wish) = match request {
            TerminalRequest::Create(create) => {
                let raw = serde_json::from_str(params.get()).unwrap_or_default();
                return self.create_terminal(id, (create, raw), shared);
            }
            TerminalRequest::Output(of) => (of, Wish::Output),
            TerminalRequest::WaitForExit(of) => (of, Wish::WaitForExit),
            TerminalRequest::Kill(of) => (of, Wish::Kill),
            TerminalRequest::Release(of) => (of, Wish::Release),
        };
        if self.is_terminal_of_client(&of.terminal_id) {
            let params = serde_json::from_str(params.get()).unwrap_or_default();
            return self.ask_client(id, method, &params, shared);
        }
        let effects = self.terminals.wanted(id, &of.terminal_id, wish);
        self.apply(effects, shared);
    }

    /// Whether a terminal is the client's affair: those that we have made are not.
    fn is_terminal_of_client(&self, terminal: &str) -> bool {
        self.lifecycle.handshake.client_has_terminals() && !self.terminals.knows(terminal)
    }

    /// `created`: what is wanted, and the same as the agent wrote it.
    fn create_terminal(
        &mut self,
        id: RequestId,
        created: (CreateTerminal, Value),
        shared: &mut Shared,
    ) {
        if self.is_stopping() {
            return self.apply([Effect::AnswerCancelled(id)], shared);
        }
        let judge = self.judge(shared);
        let wish = created.0.clone();
        self.look_up(
            shared,
            move |sight| judge.with(sight).terminal(&wish),
            move |session, (command, judged), shared| {
                session.terminal_judged(id, created, command, judged, shared);
            },
        );
    }

    fn terminal_judged(
        &mut self,
        id: RequestId,
        (create, mut raw): (CreateTerminal, Value),
        command: TerminalCommand,
        judged: Judged,
        shared: &mut Shared,
    ) {
        if let Some(reason) = self.terminal_refused(&command, judged, shared) {
            return self.apply([self.facts.refusal(id, &reason)], shared);
        }
        if self.lifecycle.handshake.client_has_terminals() {
            // Where it was judged to run, however the agent has written that.
            raw["cwd"] = json!(command.of.folder);
            return self.ask_client(id, methods::CREATE_TERMINAL, &raw, shared);
        }
        if !self.terminals.has_room() {
            let text = format!("{MOST} terminals are open; release one first");
            let error = RpcError::new(codes::INTERNAL_ERROR, text);
            return self.apply([Effect::Refuse(id, error)], shared);
        }
        let limit = create.output_byte_limit;
        let mut env = shared.config.env.clone();
        env.extend(self.carried.options.agent_env.clone());
        let line = to_run(create, &command.of.folder, env);
        let spawned = ProcessTree::spawn(&line, shared.guardian.as_ref(), Streams::OutputOnly);
        let tree = match spawned {
            Ok(tree) => tree,
            Err(error) => {
                let error = RpcError::new(codes::INTERNAL_ERROR, error.to_string());
                return self.apply([Effect::Refuse(id, error)], shared);
            }
        };
        let (stop, stopped) = oneshot::channel::<()>();
        let name = self.terminals.opened(shared.request_number(), limit, stop);
        let reports = Reports {
            session: self.carried.number,
            terminal: name.clone(),
            inputs: shared.inputs.clone(),
        };
        tokio::spawn(life::live(tree, stopped, reports));
        let opened = Effect::Answer(id, json!({"terminalId": name}));
        self.apply([opened], shared);
    }

    /// The reason, if this command may not run: nobody allowed it.
    fn terminal_refused(
        &mut self,
        command: &TerminalCommand,
        judged: Judged,
        shared: &mut Shared,
    ) -> Option<String> {
        if self.turn.use_up_approved(command) {
            return None;
        }
        let refused = &mut self.turn.denials.refused;
        let told = refused.meet_command(|asked| command.is(asked));
        if let Some(text) = self.refused_with(told, shared) {
            return Some(text);
        }
        self.settle_unasked(judged, Unasked::Command, shared)
    }
}
