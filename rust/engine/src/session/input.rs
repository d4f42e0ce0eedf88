//! What the engine hears of other tasks: the agent's process, commands, terminals, hooks, MCP connections; and who in
//! a session takes it.

use std::io;
use std::time::Instant;

use serde_json::value::RawValue;
use siderail_acp::permission::Outcome;
use siderail_acp::process::Exit;
use siderail_acp::transport::Inbound;
use siderail_acp::wire::{RequestId, RpcError};
use siderail_mcp::ListenerEvent;
use tokio::sync::oneshot;

use crate::command::SessionOptions;
use crate::event::{EventBody, LogKind};
use crate::history::Conversation;
use crate::host::{HostReply, HostRequest};
use crate::session::Session;
use crate::session::lifecycle::process::{StartFailure, Started};
use crate::shared::Shared;

/// What other tasks tell the engine.
pub(crate) enum Input {
    /// The agent's process was started, or could not be.
    Started {
        session: u64,
        started: Box<Result<Started, StartFailure>>,
    },
    /// A line of the agent.
    Agent { session: u64, inbound: Inbound },
    /// The agent's process ended.
    Exited { session: u64, exit: Exit },
    /// A command of ours ended.
    CommandDone {
        session: u64,
        call: u64,
        reply: HostReply,
    },
    /// A tool that runs in the engine wants something of the host.
    HostWork {
        session: u64,
        request: HostRequest,
        answer: oneshot::Sender<HostReply>,
    },
    /// The answer to a prompt, once the host has finished the turn.
    PromptAnswered {
        session: u64,
        outcome: Result<Box<RawValue>, RpcError>,
    },
    /// A change was taken back, or why not.
    Reverted {
        session: u64,
        path: String,
        outcome: Result<(), String>,
    },
    /// A plain MCP client wants a session without an agent.
    Plain {
        session: u64,
        options: Box<SessionOptions>,
    },
    /// The conversation that a session goes on with, or why it cannot be read.
    Kept {
        session: u64,
        kept: Box<io::Result<Conversation>>,
    },
    /// What was asked about kept conversations.
    Past { session: u64, body: Box<EventBody> },
    /// Something of a plain MCP client's own connection.
    Listener(ListenerEvent),
    /// The agent's own API took a rejection, or did not: now the request is answered.
    ApiAnswered {
        session: u64,
        request_id: u64,
        id: RequestId,
        outcome: Outcome,
        delivered: bool,
    },
    /// Something that a person should know.
    Notice { session: u64, text: String },
    /// A terminal's command put something out.
    TerminalOutput {
        session: u64,
        terminal: String,
        bytes: Vec<u8>,
    },
    /// A terminal's command ended.
    TerminalExited {
        session: u64,
        terminal: String,
        exit: Exit,
    },
    /// A hook's answer was read, or was not.
    HookAnswered {
        session: u64,
        request_id: u64,
        delivered: bool,
    },
}

impl Input {
    pub(crate) fn session(&self) -> u64 {
        match self {
            Self::Started { session, .. }
            | Self::Agent { session, .. }
            | Self::Exited { session, .. }
            | Self::Notice { session, .. }
            | Self::CommandDone { session, .. }
            | Self::HostWork { session, .. }
            | Self::PromptAnswered { session, .. }
            | Self::Reverted { session, .. }
            | Self::ApiAnswered { session, .. }
            | Self::TerminalOutput { session, .. }
            | Self::TerminalExited { session, .. }
            | Self::Plain { session, .. }
            | Self::Kept { session, .. }
            | Self::Past { session, .. }
            | Self::HookAnswered { session, .. } => *session,
            Self::Listener(_) => 0,
        }
    }
}

impl Session {
    /// Takes what a task reports.
    pub(crate) fn input(&mut self, input: Input, shared: &mut Shared) {
        match input {
            Input::Started { started, .. } => self.process_started(*started, shared),
            Input::Agent { inbound, .. } => {
                self.heard = Instant::now();
                match inbound {
                    Inbound::Line(line) => shared.host.agent_line(self.number, &line),
                    Inbound::Message(message) => {
                        self.noise.message();
                        self.message(message, shared);
                    }
                    Inbound::Update(update) => {
                        self.noise.message();
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
            Input::PromptAnswered { outcome, .. } => self.prompt_answered(outcome, shared),
            Input::Reverted { path, outcome, .. } => self.reverted(path, outcome, shared),
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
            Input::Plain { .. } | Input::Past { .. } | Input::Listener(_) => {}
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
        if let Some(text) = self.noise.line(line, why) {
            let kind = LogKind::Noise;
            self.emit(EventBody::AgentLog { kind, text }, shared);
        }
        if self.noise.is_all() {
            self.is_no_agent(shared);
        }
    }

    /// Takes what the listener reports for this session.
    pub(crate) fn listened(&mut self, event: ListenerEvent, shared: &mut Shared) {
        match event {
            ListenerEvent::Call { conn, call, .. } => self.own_call(conn, call, shared),
            ListenerEvent::Refused { tool, .. } => {
                let tool = self.names.own_name(&tool).to_owned();
                self.own_call_arrived(&tool, None);
            }
            ListenerEvent::Cancelled { conn, key, .. } => {
                self.own_call_cancelled(conn, key, shared)
            }
            ListenerEvent::Hook { payload, reply, .. } => self.hook_called(&payload, reply, shared),
            ListenerEvent::Connected { .. } => self.recipes.server_connected = true,
            ListenerEvent::Started { .. } => self.recipes.tools_listed = true,
            ListenerEvent::Closed { .. } => {}
        }
    }
}
