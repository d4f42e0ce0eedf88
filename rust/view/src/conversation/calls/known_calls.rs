//! The calls that may still get events, found by the agent's id, by a permission request, or by what they are.
//!
//! Bounded; the oldest are forgotten first. Knows no event.

use super::super::item::Call;

/// Calls that are kept.
const MOST: usize = 2_000;

/// What is known of a call.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) call: Call,
    /// What the agent and its hook call it.
    pub(super) call_ids: Vec<String>,
    /// The number of the call at our server.
    pub(super) own_call: Option<u64>,
    /// The requests about it that may still get events.
    pub(super) requests: Vec<u64>,
    /// When it began, by the engine's clock.
    pub(super) began: Option<f64>,
    /// Of the running turn.
    pub(super) is_recent: bool,
    /// Of an earlier conversation.
    pub(super) is_past: bool,
    /// Another one took its place.
    pub(super) is_replaced: bool,
    /// It took the place of another.
    pub(super) took_a_place: bool,
}

/// The calls, in the order in which they first appeared. A list is enough: the one that an event is about is mostly
/// near its end.
#[derive(Debug, Default)]
pub(super) struct KnownCalls(Vec<(u64, Known)>);

impl KnownCalls {
    pub(super) fn get(&self, id: u64) -> Option<&Known> {
        let at = self.0.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        Some(&self.0[at].1)
    }

    pub(super) fn get_mut(&mut self, id: u64) -> Option<&mut Known> {
        let at = self.0.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        Some(&mut self.0[at].1)
    }

    /// The call of the running turn that the agent calls so.
    pub(super) fn of_call_id(&self, call_id: &str) -> Option<u64> {
        self.last(|known| known.call_ids.iter().any(|id| id == call_id))
    }

    /// The call that a permission request is about.
    pub(super) fn of_request(&self, request_id: u64) -> Option<u64> {
        let mut calls = self.0.iter().rev();
        let asked = calls.find(|(_, known)| known.requests.contains(&request_id));
        asked.map(|(id, _)| *id)
    }

    /// The first call of the running turn that is so.
    pub(super) fn first(&self, is_it: impl Fn(&Known) -> bool) -> Option<u64> {
        let mut calls = self.0.iter();
        let first = calls.find(|(_, known)| known.is_recent && is_it(known));
        first.map(|(id, _)| *id)
    }

    /// The last one.
    pub(super) fn last(&self, is_it: impl Fn(&Known) -> bool) -> Option<u64> {
        let mut calls = self.0.iter().rev();
        let last = calls.find(|(_, known)| known.is_recent && is_it(known));
        last.map(|(id, _)| *id)
    }

    /// Adds a call, whose id is above all others.
    pub(super) fn add(&mut self, id: u64, known: Known) {
        self.0.push((id, known));
        if self.0.len() > MOST {
            // Not one by one, since each moves all others.
            self.0.drain(..MOST / 10);
        }
    }

    /// The calls of the running turn that have not ended.
    pub(super) fn open(&self) -> Vec<u64> {
        let is_open = |known: &Known| known.is_recent && known.call.status.is_open();
        let open = self.0.iter().filter(|(_, known)| is_open(known));
        open.map(|(id, _)| *id).collect()
    }

    /// Another turn begins, in which the agent's ids may name other calls. Calls that will get no more events are
    /// forgotten, except those that are needed.
    pub(super) fn begin_turn(&mut self, is_needed: impl Fn(u64) -> bool) {
        self.0.retain_mut(|(id, known)| {
            known.call_ids.clear();
            known.is_recent = false;
            is_needed(*id) || known.call.denial.is_some() && !known.requests.is_empty()
        });
    }

    /// The numbers of requests mean nothing any more.
    pub(super) fn forget_requests(&mut self) {
        for (_, known) in &mut self.0 {
            known.requests.clear();
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

impl Known {
    /// The agent calls it so, too.
    pub(super) fn name(&mut self, call_id: &str) {
        if !self.call_ids.iter().any(|id| id == call_id) {
            self.call_ids.push(call_id.to_owned());
        }
    }

    /// A request is about it.
    pub(super) fn ask(&mut self, request_id: u64) {
        self.requests.push(request_id);
        self.call.request_ids.push(request_id);
    }
}
