//! The end of what is open between an agent, a person and us: every question gets an answer, wanted or not.
//!
//! A question that is closed is no denial, since nobody said no. When this is done, and why, is the callers' business.

use crate::event::DeniedBy;
use siderail_acp::permission::Outcome;

use crate::session::Session;
use crate::session::permissions::question::Ask;
use crate::shared::Shared;

impl Session {
    /// Answers all that the agent still waits for, and ends the work behind it.
    pub(in crate::session) fn close_agent_requests(&mut self, shared: &mut Shared) {
        for (call, _) in self.wire.host_calls.files() {
            shared.host.cancel(call);
        }
        self.forget_elicitations(None, shared);
        self.terminals.stop_all();
        self.close_client_requests(shared);
        for line in self.wire.connection.drain_open() {
            self.send(line, shared);
        }
    }

    /// Answers every open question: the agent's permission requests with `cancelled`, our own with a refusal.
    pub(in crate::session) fn close_questions(&mut self, shared: &mut Shared) {
        self.close_requests(shared);
        for (_, ask) in std::mem::take(&mut self.questions.asks) {
            match ask {
                Ask::Own { requested, .. } => {
                    self.question_closed(&requested, DeniedBy::Cancel, "the turn is over", shared);
                }
                Ask::Plan {
                    request_id,
                    request,
                } => self.plan_closed(request_id, request, shared),
                Ask::Acp { .. } => {}
            }
        }
    }

    /// Answers the agent's open permission requests with `cancelled`.
    pub(in crate::session) fn close_requests(&mut self, shared: &mut Shared) {
        let is_request = |ask: &Ask| match ask {
            Ask::Acp { .. } => true,
            Ask::Plan { request, .. } => request.is_some(),
            Ask::Own { .. } => false,
        };
        let asks = &mut self.questions.asks;
        let requests = asks.extract_if(.., |_, ask| is_request(ask));
        for (_, ask) in requests.collect::<Vec<_>>() {
            match ask {
                Ask::Acp { request, requested } => {
                    self.question_closed(&requested, DeniedBy::Cancel, "the turn is over", shared);
                    self.answer(&request.id, &Outcome::Cancelled, shared);
                }
                Ask::Plan {
                    request_id,
                    request,
                } => self.plan_closed(request_id, request, shared),
                Ask::Own { .. } => {}
            }
        }
    }
}
