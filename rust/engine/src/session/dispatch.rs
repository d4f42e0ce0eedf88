//! Who in a session takes what the engine hears of other tasks.

use std::time::Instant;

use siderail_acp::transport::Inbound;
use siderail_mcp::ListenerEvent;

use crate::event::{EventBody, LogKind};
use crate::session::{Input, Session};
use crate::shared::Shared;

impl Session {
    /// Takes what a task reports.
    pub(crate) fn input(&mut self, input: Input, shared: &mut Shared) {
        match input {
            Input::Started { started, .. } => self.process_started(*started, shared),
            Input::Agent { inbound, .. } => {
                self.lifecycle.heard = Instant::now();
                match inbound {
                    Inbound::Line(line) => shared.host.agent_line(self.number, &line),
                    Inbound::Message(message) => {
                        self.wire.noise.message();
                        self.message(message, shared);
                    }
                    Inbound::Update(update) => {
                        self.wire.noise.message();
                        self.routed_update(*update, shared);
                    }
                    Inbound::TooLong { bytes } => self.line_lost(bytes, shared),
                    Inbound::Noise { text, why } => self.no_message(&text, &why, shared),
                    Inbound::Closed => self.output_closed(shared),
                }
            }
            Input::Exited { exit, .. } => self.exited(exit, shared),
            Input::Notice { text, .. } => {
                let kind = LogKind::Notice;
                self.emit(EventBody::AgentLog { kind, text }, shared);
            }
            Input::CommandDone { call, reply, .. } => self.host_replied(call, reply, shared),
            Input::PromptAnswered { outcome, .. } => self.prompt_finished(outcome, shared),
            Input::Reverted {
                path,
                file,
                outcome,
                ..
            } => self.reverted(path, file, outcome, shared),
            Input::HostWork {
                request, answer, ..
            } => self.start_host_work(request, answer, shared),
            Input::HookAnswered {
                request_id,
                delivered,
                ..
            } => {
                self.hook_answered(request_id, delivered, shared);
            }
            Input::ApiAnswered {
                request_id,
                id,
                outcome,
                delivered,
                ..
            } => {
                self.api_answered(request_id, &id, &outcome, delivered, shared);
            }
            Input::TerminalOutput {
                terminal, bytes, ..
            } => self.terminal_output(&terminal, &bytes),
            Input::TerminalExited { terminal, exit, .. } => {
                self.terminal_exited(&terminal, exit, shared);
            }
            Input::Kept { kept, .. } => self.kept_read(*kept, shared),
            // The engine takes these before they get to a session.
            Input::Plain { .. } | Input::LookedUp { .. } | Input::Listener(_) => {}
        }
    }

    /// A line over the cap: whatever it was is missing from now on, so a person is told.
    fn line_lost(&self, bytes: u64, shared: &mut Shared) {
        let text = format!(
            "the agent wrote a message of {} MB, more than is read: it was skipped, and what it said is missing here",
            bytes >> 20
        );
        self.notice(&text, shared);
    }

    /// A line that is no message of the protocol.
    fn no_message(&mut self, line: &str, why: &str, shared: &mut Shared) {
        if self.is_closing() {
            return;
        }
        if let Some(text) = self.wire.noise.line(line, why) {
            let kind = LogKind::Noise;
            self.emit(EventBody::AgentLog { kind, text }, shared);
        }
        if self.wire.noise.is_all() {
            self.is_no_agent(shared);
        }
    }

    /// Takes what the listener reports for this session.
    pub(crate) fn listened(&mut self, event: ListenerEvent, shared: &mut Shared) {
        match event {
            ListenerEvent::Call { conn, call, .. } => self.own_call(conn, call, shared),
            ListenerEvent::Refused { tool, .. } => {
                let tool = self.facts.names.own_name(&tool).to_owned();
                self.own_call_arrived(&tool, None);
            }
            ListenerEvent::Cancelled { conn, key, .. } => {
                self.own_call_cancelled(conn, key, shared)
            }
            ListenerEvent::Hook { payload, reply, .. } => self.hook_called(&payload, reply, shared),
            ListenerEvent::Connected { .. } => self.guidance.recipes.server_connected = true,
            ListenerEvent::Started { .. } => self.guidance.recipes.tools_listed = true,
            ListenerEvent::Closed { .. } => {}
        }
    }
}
