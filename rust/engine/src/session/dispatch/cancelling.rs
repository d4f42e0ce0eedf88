//! Cancels a turn: what is open is answered, own calls end, the agent is notified, and ended if it does not stop. An
//! agent that is silent for too long is cancelled the same way.

use std::time::Instant;

use serde_json::json;
use siderail_acp::requests;
use siderail_acp::tool_call::ToolCall;
use siderail_acp::wire::message;

use crate::event::{EventBody, InactivityTimeout, StopReason};
use crate::session::prompt_turn::silence::{Awaited, cancel_ignored, silent_for};
use crate::session::{CANCEL, Session};
use crate::shared::Shared;

impl Session {
    /// The user cancels: every open question is answered, own calls end, the agent is notified.
    pub(crate) fn cancel(&mut self, shared: &mut Shared) {
        self.carried.queue.clear();
        self.turn.cancelled_by_user();
        self.cancel_turn(StopReason::Cancelled, shared);
    }

    pub(in crate::session) fn cancel_turn(&mut self, why: StopReason, shared: &mut Shared) {
        if self.turn.running.cancelling.is_some() {
            return;
        }
        if self.lifecycle.ends_by_cancel(self.carried.sends_again) {
            return self.end(Some(why), shared);
        }
        self.drop_waiting(shared);
        self.close_questions(shared);
        self.cancel_unsent(&why, shared);
        if self.is_prompting() {
            return self.cancel_running(why, shared);
        }
        // What agents do in the background has no turn to be cancelled.
        if !self.own_calls.table.is_empty() {
            self.stop_own_calls(shared);
        }
        self.close_agent_requests(shared);
    }

    /// Ends a turn that is not over yet, but whose prompt is in no agent's hands: it waits for a login or a setting.
    fn cancel_unsent(&mut self, why: &StopReason, shared: &mut Shared) {
        let lacks_login = self.lifecycle.lacks_login();
        if lacks_login {
            self.lifecycle.login_ended();
            let line = self.wire.abandon_login();
            self.send_some(line, shared);
        }
        let gave_up = lacks_login || std::mem::take(&mut self.carried.sends_again);
        if self.agent_settings.pending.take().is_some() || gave_up {
            self.carried.planning.state.over();
            let told = self.turn.ends_unsent(why.clone());
            self.apply([told], shared);
        }
    }

    /// Asks the agent to end its turn, which it has some time for.
    fn cancel_running(&mut self, why: StopReason, shared: &mut Shared) {
        self.turn.running.cancelling = Some(why);
        self.lifecycle.await_end_of_turn(Instant::now() + CANCEL);
        self.stop_own_calls(shared);
        let Some(acp) = &mut self.lifecycle.peers.acp else {
            return;
        };
        let line = message::notification(requests::CANCEL, &json!({"sessionId": acp.id()}));
        let is_open = |call: &&ToolCall| call.is_open();
        let open = acp.tool_calls().filter(is_open).map(|call| call.id.clone());
        let open: Vec<String> = open.collect();
        acp.cancel();
        self.send(line, shared);
        self.close_agent_requests(shared);
        for call in open {
            self.tool_call_changed(&call, shared);
        }
    }

    /// The agent did not end its cancelled turn: it is ended without it.
    pub(in crate::session) fn cancel_overdue(&mut self, now: Instant, shared: &mut Shared) {
        let why = (self.turn.running.cancelling.clone()).unwrap_or(StopReason::Cancelled);
        let text = self.with_last_words(cancel_ignored(&self.waits_for(now)));
        self.notice(&text, shared);
        self.end(Some(why), shared);
    }

    /// When the agent has been silent for too long; none while somebody else is awaited.
    pub(in crate::session) fn inactivity_deadline(&self) -> Option<Instant> {
        let awaited = Awaited {
            agent: self.is_prompting(),
            others: !self.permissions.asks.is_empty()
                || !self.elicitation.is_empty()
                || self.lifecycle.peers.waits_for_client()
                || !self.own_calls.table.is_answered()
                || self.terminals.is_awaited(),
        };
        let patience = self.carried.options.settings.inactivity;
        self.turn.silent_until(awaited, self.wire.heard, patience)
    }

    pub(in crate::session) fn inactive(&mut self, now: Instant, shared: &mut Shared) {
        let patience = self.carried.options.settings.inactivity;
        let text = silent_for(patience, &self.waits_for(now));
        let body = EventBody::InactivityTimeout(InactivityTimeout {
            seconds: patience.as_secs(),
            text: self.with_last_words(text),
        });
        self.emit(body, shared);
        self.cancel_turn(StopReason::Inactivity, shared);
    }
}
