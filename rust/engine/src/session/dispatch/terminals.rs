//! Carries out terminal requests: a command is judged, and runs here or at the client behind the host; later requests
//! go to whichever runs it.

use serde_json::{Value, json, value::RawValue};
use siderail_acp::client_request::{CreateTerminal, TerminalRequest, methods};
use siderail_acp::process::ProcessTree;
use siderail_acp::wire::RequestId;
use tokio::sync::oneshot;

use crate::event::Receipt;
use crate::session::Session;
use crate::session::client_files::no_such_session;
use crate::session::effect::Effect;
use crate::session::permissions::judge::Judged;
use crate::session::permissions::unasked::Unasked;
use crate::session::prompt_turn::consent::Consent;
use crate::session::terminal_command::{TerminalCommand, to_run};
use crate::session::terminals::life::{self, Reports};
use crate::session::terminals::start::ToStart;
use crate::session::terminals::{About, for_client};
use crate::shared::Shared;

impl Session {
    /// Any `terminal/*` request.
    pub(super) fn terminal_request(
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
        let written = || serde_json::from_str(params.get()).unwrap_or_default();
        let (terminal, wish) = match About::of(request) {
            About::Create(create) => return self.create_terminal(id, (create, written()), shared),
            About::Terminal(terminal, wish) => (terminal, wish),
        };
        // Those that we have made are ours.
        if self.lifecycle.peers.client_has_terminals() && !self.terminals.knows(&terminal) {
            return self.ask_client(id, method, &written(), shared);
        }
        let effects = self.terminals.wanted(id, &terminal, wish);
        self.apply(effects, shared);
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
        (create, written): (CreateTerminal, Value),
        command: TerminalCommand,
        judged: Judged,
        shared: &mut Shared,
    ) {
        if let Some(reason) = self.terminal_refused(&command, judged, shared) {
            return self.apply([self.agent_facts.refusal(id, &reason)], shared);
        }
        if self.lifecycle.peers.client_has_terminals() {
            let params = for_client(written, &command);
            return self.ask_client(id, methods::CREATE_TERMINAL, &params, shared);
        }
        self.start_terminal(id, create, &command, shared);
    }

    /// Runs a command here; the worker starts it.
    fn start_terminal(
        &mut self,
        id: RequestId,
        create: CreateTerminal,
        command: &TerminalCommand,
        shared: &mut Shared,
    ) {
        if let Err(full) = self.terminals.room() {
            return self.apply([Effect::Refuse(id, full)], shared);
        }
        let limit = create.output_byte_limit;
        let mut env = shared.config.env.clone();
        env.extend(self.carried.options.agent_env.clone());
        let line = to_run(create, &command.of.folder, env);
        let to_start = ToStart::new(line, shared.guardian.clone());
        self.look_up(
            shared,
            move |sight| to_start.start(sight),
            move |session, started, shared| {
                let answer = match started {
                    Ok(tree) => {
                        let terminal = session.terminal_started(tree, limit, shared);
                        Effect::Answer(id, json!({"terminalId": terminal}))
                    }
                    Err(error) => Effect::Refuse(id, error),
                };
                session.apply([answer], shared);
            },
        );
    }

    /// A command runs. The name of its terminal.
    fn terminal_started(
        &mut self,
        tree: ProcessTree,
        limit: Option<u64>,
        shared: &mut Shared,
    ) -> String {
        let (stop, stopped) = oneshot::channel::<()>();
        let terminal = self.terminals.opened(shared.request_number(), limit, stop);
        let reports = Reports {
            session: self.carried.number,
            terminal: terminal.clone(),
            inputs: shared.inputs.clone(),
        };
        tokio::spawn(life::live(tree, stopped, reports));
        terminal
    }

    /// The reason, if this command may not run: nobody allowed it.
    fn terminal_refused(
        &mut self,
        command: &TerminalCommand,
        judged: Judged,
        shared: &mut Shared,
    ) -> Option<String> {
        match self.turn.meet_command(command) {
            Consent::Allowed => None,
            Consent::Refused(request_id, reason) => {
                self.receipt(request_id, Receipt::Delivered, shared);
                Some(reason)
            }
            Consent::Unasked => self.settle_unasked(judged, Unasked::Command, shared),
        }
    }
}
