//! The ACP client behind a host that is an agent itself: when its session is opened, and what passes between the two.
//!
//! It gets the agent's own answers. Nothing here judges an action: permissions, files and terminals are the engine's,
//! as with any other host. `outer_client` knows what is open between the two, and how requests are rewritten.

use std::time::Instant;

use serde_json::Value;
use siderail_acp::initialize::AgentCapabilities;
use siderail_acp::requests;
use siderail_acp::wire::{RequestId, message};

use crate::acp_client::{Outcome, Passed, PassedRequest};
use crate::event::ErrorKind;
use crate::session::effect::Effect;
use crate::session::lifecycle::STARTUP;
use crate::session::modes::note_setting;
use crate::session::outer_client::Opened;
use crate::session::outer_client::requests_to_agent::{OpeningRequest, opens, setting};
use crate::session::{Session, Tag};
use crate::shared::Shared;

impl Session {
    /// What the client says to the agent.
    pub(crate) fn passed(&mut self, passed: Passed, shared: &mut Shared) {
        if self.is_closing() {
            return;
        }
        match passed {
            Passed::Request(request) if opens(&request.method) => self.open_passed(request, shared),
            Passed::Request(request) => self.pass_request(request, shared),
            Passed::Notification { method, params } => {
                self.send(message::notification(&method, &params), shared);
            }
            Passed::Answer { id, outcome } => {
                self.forget_client_wait(&id);
                let connection = &mut self.wire.connection;
                let line = match outcome {
                    Ok(result) => connection.answer(&id, &result),
                    Err(error) => connection.answer_error(&id, &error),
                };
                self.send_some(line, shared);
            }
        }
    }

    fn open_passed(&mut self, request: PassedRequest, shared: &mut Shared) {
        let is_open = self.lifecycle.peers.acp.is_some();
        let client = self.lifecycle.peers.client.as_mut();
        if client.is_some_and(|client| client.wants_session(request, is_open)) {
            self.open_session(shared);
        }
    }

    fn pass_request(&mut self, request: PassedRequest, shared: &mut Shared) {
        let PassedRequest {
            method,
            params,
            reply,
        } = request;
        let is_there = self.wire.agent.is_some();
        if let Some(client) = self.lifecycle.peers.client.as_mut().filter(|_| is_there) {
            let number = client.pass(reply, setting(&method, &params));
            self.request(&method, &params, Tag::Passed(number), shared);
        }
    }

    pub(super) fn passed_answered(&mut self, number: u64, outcome: Outcome, shared: &mut Shared) {
        let client = self.lifecycle.peers.client.as_mut();
        if let Some((setting, result)) = client.and_then(|c| c.answered(number, outcome)) {
            if let Some(acp) = &mut self.lifecycle.peers.acp {
                note_setting(acp, &setting, &result);
            }
            self.tell_options(shared);
        }
    }

    /// The agent is ready to open a session; without a wish of the client's for one it waits, as long as it takes.
    pub(in crate::session) fn open_for_client(
        &mut self,
        capabilities: &AgentCapabilities,
        shared: &mut Shared,
    ) {
        let Some(client) = &mut self.lifecycle.peers.client else {
            return;
        };
        let Some(request) = client.wish_to_open() else {
            return self.lifecycle.suspend_handshake();
        };
        let Some(setup) = self.setup(capabilities, shared) else {
            return;
        };
        let mcp = &self.agent_facts.profile.mcp;
        let opening = OpeningRequest::new(&request, &setup, capabilities, mcp);
        self.apply(opening.told.into_iter().map(Effect::Notice), shared);
        if let Some(client) = &mut self.lifecycle.peers.client {
            client.opens(opening.named, request.reply);
        }
        self.lifecycle.await_handshake(Instant::now() + STARTUP);
        self.request(&request.method, &opening.params, Tag::OpenPassed, shared);
    }

    /// The agent has opened the client's session, or has not: then the client may ask again.
    pub(in crate::session) fn opened_for_client(&mut self, outcome: Outcome, shared: &mut Shared) {
        let client = self.lifecycle.peers.client.as_mut();
        match client.and_then(|client| client.opened(outcome)) {
            Some(Opened::Session(opened)) => self.opened(&opened, shared),
            Some(Opened::Unclear(error)) => self.fail(ErrorKind::Protocol, error, None, shared),
            Some(Opened::Refused) => {
                self.lifecycle.suspend_handshake();
                if let Some(starting) = self.lifecycle.starting() {
                    starting.early.clear();
                }
            }
            None => {}
        }
    }

    /// A request of the agent, which was judged where that is needed, is for the client.
    pub(super) fn ask_client(
        &mut self,
        id: RequestId,
        method: &str,
        params: &Value,
        shared: &mut Shared,
    ) {
        shared
            .host
            .ask_client(self.carried.number, &id, method, params);
        self.lifecycle.peers.wait_for_client(id);
    }

    pub(super) fn forget_client_wait(&mut self, id: &RequestId) {
        if let Some(client) = &mut self.lifecycle.peers.client {
            client.asked.remove(id);
            // The agent was not silent: it waited.
            self.wire.heard = Instant::now();
        }
    }

    /// The agent waits no more for what the client was asked, and what it runs there is to end.
    pub(super) fn close_client_requests(&mut self, shared: &Shared) {
        if let Some(client) = &mut self.lifecycle.peers.client {
            client.asked.clear();
            shared.host.close_client_requests(self.carried.number);
        }
    }

    pub(in crate::session) fn tell_client_initialized(&self, shared: &Shared) {
        if let (Some(_), Some(result)) = (
            &self.lifecycle.peers.client,
            &self.lifecycle.peers.initialized,
        ) {
            let outcome = Ok(result.raw.clone());
            let host = &shared.host;
            host.agent_answered(self.carried.number, requests::INITIALIZE, &outcome);
        }
    }

    pub(super) fn tell_client_prompt_answered(&self, outcome: &Outcome, shared: &Shared) {
        if self.lifecycle.peers.client.is_some() && self.lifecycle.is_ready() {
            let host = &shared.host;
            host.agent_answered(self.carried.number, requests::PROMPT, outcome);
        }
    }
}
