//! The end of what is open between an agent, a person and us: every question gets an answer, wanted or not.
//!
//! A question that is closed is no denial, since nobody said no. When this is done, and why, is the callers' business.

use crate::event::DeniedBy;
use siderail_acp::permission::Outcome;

use super::Session;
use super::arbiter::Ask;
use crate::shelf::Shelf;

impl Session {
    /// Answers all that the agent still waits for, and ends the work behind it.
    pub(super) fn close_agent_requests(&mut self, shelf: &mut Shelf) {
        for call in self.open_files.keys() {
            shelf.host.cancel(*call);
        }
        self.forget_elicitations(None, shelf);
        self.stop_terminals();
        for line in self.connection.drain_open() {
            self.send(line, shelf);
        }
    }

    /// Answers every open question: the agent's permission requests with `cancelled`, our own with a refusal.
    pub(super) fn close_questions(&mut self, shelf: &mut Shelf) {
        self.close_requests(shelf);
        for (_, ask) in std::mem::take(&mut self.asks) {
            match ask {
                Ask::Own { subject, .. } => {
                    self.question_closed(&subject, DeniedBy::Cancel, "the turn is over", shelf);
                }
                Ask::Plan {
                    request_id,
                    request,
                } => self.plan_closed(request_id, request, shelf),
                Ask::Acp { .. } => {}
            }
        }
    }

    /// Answers the agent's open permission requests with `cancelled`.
    pub(super) fn close_requests(&mut self, shelf: &mut Shelf) {
        let is_request = |ask: &Ask| match ask {
            Ask::Acp { .. } => true,
            Ask::Plan { request, .. } => request.is_some(),
            Ask::Own { .. } => false,
        };
        for (_, ask) in self.asks.extract(|_, ask| is_request(ask)) {
            match ask {
                Ask::Acp { request, subject } => {
                    self.question_closed(&subject, DeniedBy::Cancel, "the turn is over", shelf);
                    self.answer(&request.id, &Outcome::Cancelled, shelf);
                }
                Ask::Plan {
                    request_id,
                    request,
                } => self.plan_closed(request_id, request, shelf),
                Ask::Own { .. } => {}
            }
        }
    }
}
