//! Receives for a session what other tasks report, and carries out what the session's parts want done: here the parts
//! meet, which do not know each other. [`agent_messages`] says who handles a message of the agent.

mod agent_messages;
mod agent_sessions;
mod cancelling;
mod changes;
mod client_files;
mod closing;
mod closing_questions;
mod content_roots;
mod elicitation;
mod guidance;
mod hooks;
mod login;
pub(in crate::session) mod lookups;
mod opening;
mod outer_client;
mod own_calls;
mod permission_requests;
mod planning;
pub(in crate::session) mod preparing;
mod prompts;
mod recipes;
mod restart;
mod restore;
mod startup;
mod steering;
mod terminals;
mod turn_end;

use std::time::Instant;

use serde_json::value::RawValue;
use siderail_acp::transport::Inbound;
use siderail_acp::wire::RpcError;
use siderail_mcp::ListenerEvent;

use crate::event::{AgentLog, EventBody, LogKind};
use crate::host::{HostCall, HostReply};
use crate::session::agent_settings::AgentSettings;
use crate::session::effect::Effect;
use crate::session::host_calls::Waiting;
use crate::session::lifecycle::STARTUP;
use crate::session::modes::Setting;
use crate::session::{Ask, Input, Session, Tag};
use crate::shared::Shared;
use crate::views::commands_of;

impl Session {
    /// Takes what a task reports.
    pub(crate) fn input(&mut self, input: Input, shared: &mut Shared) {
        match input {
            Input::Started { started, .. } => self.process_started(*started, shared),
            Input::Agent { inbound, .. } => {
                self.wire.heard = Instant::now();
                match inbound {
                    Inbound::Line(line) => shared.host.agent_line(self.carried.number, &line),
                    Inbound::Chunks(chunks) => {
                        self.wire.noise.message();
                        shared.host.agent_chunks(self.carried.number, chunks.lines);
                        for update in chunks.updates {
                            self.routed_update(update, shared);
                        }
                    }
                    Inbound::Message(message) => {
                        self.wire.noise.message();
                        self.message(message, shared);
                    }
                    Inbound::Update(update) => {
                        self.wire.noise.message();
                        self.routed_update(*update, shared);
                    }
                    Inbound::TooLong { bytes } => self.line_lost(bytes, shared),
                    Inbound::Noise { text, why } => {
                        self.no_message(&text, &why.to_string(), shared)
                    }
                    Inbound::Closed => self.output_closed(shared),
                }
            }
            Input::Exited { exit, .. } => self.exited(exit, shared),
            Input::Notice { text, .. } => {
                self.notice(&text, shared);
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
            } => {
                let call = Effect::Call(shared.call_number(), request, Waiting::Work(answer));
                self.apply([call], shared);
            }
            Input::HookAnswered {
                request_id,
                delivered,
                ..
            } => {
                self.way_ended(request_id, delivered, shared);
            }
            Input::ApiAnswered {
                request_id,
                id,
                outcome,
                delivered,
                ..
            } => {
                self.way_ended(request_id, delivered, shared);
                self.answer(&id, &outcome, shared);
            }
            Input::TerminalOutput {
                terminal, bytes, ..
            } => self.terminals.put_out(&terminal, &bytes),
            Input::TerminalExited { terminal, exit, .. } => {
                let effects = self.terminals.exited(&terminal, exit);
                self.apply(effects, shared);
            }
            Input::Kept { kept, .. } => self.kept_read(*kept, shared),
            // The engine takes these before they get to a session.
            Input::Plain { .. } | Input::LookedUp { .. } | Input::Listener(_) => {}
        }
    }

    /// The host, or a command of ours, answered. What nobody waits for is ignored.
    pub(crate) fn host_replied(&mut self, call: u64, reply: HostReply, shared: &mut Shared) {
        match self.wire.host_calls.take(call) {
            None => {}
            Some(Waiting::OwnCall) => self.own_call_replied(call, reply, shared),
            Some(Waiting::Work(work)) => {
                // A tool that was cancelled, or was tired of waiting, listens no more.
                let _ = work.send(reply);
            }
            Some(Waiting::File) => self.file_replied(call, &reply, shared),
            Some(Waiting::Question) => {
                let elicitations = &mut self.elicitation;
                let effects = elicitations.replied(call, &reply, || shared.call_number());
                self.apply(effects, shared);
            }
        }
    }

    /// A line over the cap: whatever it was is lost, so a person hears of it.
    fn line_lost(&self, bytes: u64, shared: &mut Shared) {
        let text = format!(
            "the agent sent a message of {} MB, which is too large: it was skipped, and its content is missing here",
            bytes >> 20
        );
        self.notice(&text, shared);
    }

    /// A line that is not a message of the protocol.
    fn no_message(&mut self, line: &str, why: &str, shared: &mut Shared) {
        if self.is_closing() {
            return;
        }
        if let Some(text) = self.wire.noise.line(line, why) {
            let kind = LogKind::Noise;
            self.emit(EventBody::AgentLog(AgentLog { kind, text }), shared);
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
                if let Some(tool) = self.agent_facts.names.own_tool(&tool) {
                    self.turn.expected.arrived(tool, None);
                }
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

impl Session {
    /// Does these things, in their order.
    pub(in crate::session) fn apply(
        &mut self,
        effects: impl IntoIterator<Item = Effect>,
        shared: &mut Shared,
    ) {
        for effect in effects {
            match effect {
                Effect::Emit(body) => self.emit(*body, shared),
                Effect::Notice(text) => self.notice(&text, shared),
                Effect::Request(method, params, tag) => self.request(method, &params, tag, shared),
                Effect::Answer(id, value) => {
                    let line = self.wire.connection.answer(&id, &value);
                    self.send_some(line, shared);
                }
                Effect::Permission(id, outcome) => self.answer(&id, &outcome, shared),
                Effect::TellApi {
                    request_id,
                    call_id,
                    text,
                    id,
                    outcome,
                } => self.tell_api((request_id, call_id, text), id, outcome, shared),
                Effect::Steer(request_id, text) => {
                    self.send_steering(&text, Tag::Steering(request_id), shared);
                }
                Effect::SessionMessage {
                    request_id,
                    tool,
                    text,
                } => self.message_reason(request_id, tool, &text, shared),
                Effect::Refuse(id, error) => {
                    let line = self.wire.connection.answer_error(&id, &error);
                    self.send_some(line, shared);
                }
                Effect::Ask(ask) => self.permissions.ask(*ask),
                Effect::NewUserPrompt => self.new_user_prompt(shared),
                Effect::PromptForPlan(text) => self.prompt_for_plan(text, shared),
                Effect::NextPrompt => self.next_prompt(shared),
                Effect::CancelTurn(why) => self.cancel_turn(why, shared),
                Effect::PlanningOver => {
                    if !self.lifecycle.lacks_login() {
                        self.carried.planning.state.over();
                    }
                }
                Effect::RefuseInText(id, reason) => {
                    let line = self.wire.connection.answer_error_text(&id, &reason);
                    self.send_some(line, shared);
                }
                Effect::AnswerCancelled(id) => {
                    let line = self.wire.connection.answer_cancelled(&id);
                    self.send_some(line, shared);
                }
                Effect::AnswerCall(call, result) => call.complete(result),
                Effect::Call(call, request, waiting) => {
                    self.wire.host_calls.wait(call, waiting);
                    shared.start(HostCall {
                        call,
                        session: self.carried.number,
                        project: self.root().to_owned(),
                        roots: self.folders.further_roots(),
                        request,
                    });
                }
                Effect::CancelCall(call) => {
                    self.wire.host_calls.take(call);
                    shared.host.cancel(call);
                }
                Effect::StopCall(call) => shared.host.cancel(call),
                Effect::CloseQuestion {
                    request_id,
                    by,
                    why,
                } => {
                    if let Some(Ask::Own { requested, .. }) =
                        self.permissions.asks.remove(&request_id)
                    {
                        self.emit(requested.denied_event(by, &why), shared);
                    }
                }
                Effect::Wrote(files) => self.carried.wrote(files),
                Effect::SuspendHandshake => self.lifecycle.suspend_handshake(),
                // A login that is missing is waited for without a limit, unless the agent is at it.
                Effect::AwaitHandshake
                    if self.lifecycle.lacks_login() && !self.wire.is_logging_in() => {}
                Effect::AwaitHandshake => self.lifecycle.await_handshake(Instant::now() + STARTUP),
            }
        }
    }

    /// Shows a person a message.
    pub(in crate::session) fn notice(&self, text: &str, shared: &mut Shared) {
        let kind = LogKind::Notice;
        let text = text.to_owned();
        self.emit(EventBody::AgentLog(AgentLog { kind, text }), shared);
    }

    /// A person wants another mode.
    pub(crate) fn set_mode(&mut self, mode: &str, shared: &mut Shared) {
        let effects = AgentSettings::set_mode(self.session_if_open(), mode);
        self.apply(effects, shared);
    }

    /// A person wants an option changed.
    pub(crate) fn set_option(&mut self, option: &str, value: &str, shared: &mut Shared) {
        let effects = AgentSettings::set_option(self.session_if_open(), option, value);
        self.apply(effects, shared);
    }

    /// The agent's answer to a change; true when it took it.
    pub(in crate::session) fn setting_answered(
        &mut self,
        setting: &Setting,
        outcome: &Result<Box<RawValue>, RpcError>,
        shared: &mut Shared,
    ) -> bool {
        let is_open = self.lifecycle.is_ready();
        let acp = self.lifecycle.peers.acp.as_mut();
        let effects = self.agent_settings.answered(acp, is_open, setting, outcome);
        self.apply(effects, shared);
        outcome.is_ok()
    }

    /// The agent's answer to a person's change.
    pub(in crate::session) fn change_answered(
        &mut self,
        setting: Setting,
        outcome: &Result<Box<RawValue>, RpcError>,
        shared: &mut Shared,
    ) {
        if self.setting_answered(&setting, outcome, shared) {
            self.carried.due.made(setting);
        }
    }

    /// Asks the agent to set something.
    pub(in crate::session) fn send_setting(
        &mut self,
        setting: &Setting,
        tag: Tag,
        shared: &mut Shared,
    ) {
        if let Some(acp) = &self.lifecycle.peers.acp {
            let (method, params) = setting.request(acp.id());
            self.request(method, &params, tag, shared);
        }
    }

    /// Reports what can be set, if that has changed.
    pub(in crate::session) fn tell_options(&mut self, shared: &mut Shared) {
        let is_open = self.lifecycle.is_ready();
        let acp = self.lifecycle.peers.acp.as_ref().filter(|_| is_open);
        let effect = self.agent_settings.tell(acp);
        self.apply(effect, shared);
    }

    /// Reports which slash commands there are; those of a session's start are reported with it.
    pub(in crate::session) fn tell_commands(&mut self, shared: &mut Shared) {
        let acp = self.session_if_open();
        let body = acp.and_then(|acp| commands_of(acp.commands()));
        self.apply(body.map(Effect::emit), shared);
    }

    /// The agent's session, once prompts may be sent.
    fn session_if_open(&self) -> Option<&siderail_acp::Session> {
        let is_open = self.lifecycle.is_ready();
        self.lifecycle.peers.acp.as_ref().filter(|_| is_open)
    }
}
