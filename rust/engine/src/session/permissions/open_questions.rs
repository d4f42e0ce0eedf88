//! Questions that a person has not answered: asked, and closed without an answer. Every question gets an answer, wanted
//! or not.
//!
//! A question that is closed is not a denial, since nobody said no. When this happens, and why, is up to the callers.

use siderail_acp::permission::Outcome;
use siderail_acp::wire::RequestId;

use crate::event::{DeniedBy, EventBody, PlanRejected, PlanRejectedBy};
use crate::session::effect::Effect;
use crate::session::permissions::Questions;
use crate::session::question::{Ask, RequestedAction};

/// Why questions are closed that nobody withdrew.
const TURN_OVER: &str = "the turn is over";

impl Questions {
    /// A person is asked.
    pub(in crate::session) fn ask(&mut self, ask: Ask) {
        let number = match &ask {
            Ask::Acp { requested, .. } | Ask::Own { requested, .. } => requested.request_id,
            Ask::Plan { request_id, .. } => *request_id,
        };
        self.asks.insert(number, ask);
    }

    /// Closes every open question: the agent's permission requests with `cancelled`, our own with a refusal.
    pub(in crate::session) fn close_all(&mut self) -> Vec<Effect> {
        let mut effects = self.close_requests();
        let others = std::mem::take(&mut self.asks).into_values();
        effects.extend(others.flat_map(|ask| closed(ask, TURN_OVER)));
        effects
    }

    /// Closes the agent's open permission requests.
    pub(in crate::session) fn close_requests(&mut self) -> Vec<Effect> {
        let is_request = |ask: &Ask| request_of(ask).is_some();
        let requests = self.asks.extract_if(.., |_, ask| is_request(ask));
        let requests = requests.flat_map(|(_, ask)| closed(ask, TURN_OVER));
        requests.collect()
    }

    /// The agent takes a request back, which is answered for that alone.
    pub(in crate::session) fn withdraw(&mut self, id: &RequestId) -> Vec<Effect> {
        let is_it = |ask: &Ask| request_of(ask) == Some(id);
        let mut found = self.asks.extract_if(.., |_, ask| is_it(ask));
        let mut effects = match found.next() {
            Some((_, ask)) => closed(ask, "the agent withdrew the question"),
            None => Vec::new(),
        };
        effects.retain(|effect| !matches!(effect, Effect::Permission(..)));
        effects
    }
}

/// The agent's request that waits for the answer.
fn request_of(ask: &Ask) -> Option<&RequestId> {
    match ask {
        Ask::Acp { request, .. } => Some(&request.id),
        Ask::Plan { request, .. } => Some(&request.as_ref()?.id),
        Ask::Own { .. } => None,
    }
}

fn closed(ask: Ask, why: &str) -> Vec<Effect> {
    let told =
        |requested: &RequestedAction| Effect::emit(requested.denied_event(DeniedBy::Cancel, why));
    let cancelled = |id| Effect::Permission(id, Outcome::Cancelled);
    match ask {
        Ask::Acp { request, requested } => vec![told(&requested), cancelled(request.id)],
        Ask::Own { requested, .. } => vec![told(&requested)],
        Ask::Plan {
            request_id,
            request,
        } => {
            let rejected = Effect::emit(EventBody::PlanRejected(PlanRejected {
                request_id,
                by: PlanRejectedBy::Cancel,
                text: String::new(),
                continues: false,
            }));
            let answer = request.map(|request| cancelled(request.id));
            let over = [rejected, Effect::PlanningOver];
            over.into_iter().chain(answer).collect()
        }
    }
}
