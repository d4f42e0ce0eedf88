//! The calls of which more may be told, found by the agent's id, by a permission request, or by what they are.
//!
//! Bounded; the oldest are forgotten first. Knows no event.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::super::item::Call;

/// Calls that are kept.
const MOST: usize = 2_000;

/// What is known of a call.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) call: Call,
    pub(super) call_id: Option<String>,
    /// The number of the call at our server.
    pub(super) own_call: Option<u64>,
    /// The last request about it.
    pub(super) request_id: Option<u64>,
    /// When it began, by the engine's clock.
    pub(super) began: Option<f64>,
    /// Of the running turn.
    pub(super) is_recent: bool,
    /// Another one took its place.
    pub(super) is_replaced: bool,
    /// It took the place of another.
    pub(super) took_a_place: bool,
}

/// The calls, in the order in which they were first told of.
#[derive(Debug, Default)]
pub(super) struct KnownCalls {
    calls: BTreeMap<u64, Known>,
    by_call_id: HashMap<String, u64>,
    by_request: HashMap<u64, u64>,
}

impl KnownCalls {
    pub(super) fn get(&self, id: u64) -> Option<&Known> {
        self.calls.get(&id)
    }

    pub(super) fn get_mut(&mut self, id: u64) -> Option<&mut Known> {
        self.calls.get_mut(&id)
    }

    /// The call of the running turn that the agent calls so.
    pub(super) fn of_call_id(&self, call_id: &str) -> Option<u64> {
        self.by_call_id.get(call_id).copied()
    }

    /// The call that a permission request is about.
    pub(super) fn of_request(&self, request_id: u64) -> Option<u64> {
        self.by_request.get(&request_id).copied()
    }

    /// The first call of the running turn that is so.
    pub(super) fn first(&self, is_it: impl Fn(&Known) -> bool) -> Option<u64> {
        let mut calls = self.calls.iter();
        let first = calls.find(|(_, known)| known.is_recent && is_it(known));
        first.map(|(id, _)| *id)
    }

    /// The last one.
    pub(super) fn last(&self, is_it: impl Fn(&Known) -> bool) -> Option<u64> {
        let mut calls = self.calls.iter().rev();
        let last = calls.find(|(_, known)| known.is_recent && is_it(known));
        last.map(|(id, _)| *id)
    }

    /// Adds a call of the running turn.
    pub(super) fn add(&mut self, id: u64, known: Known) {
        self.calls.insert(id, known);
        while self.calls.len() > MOST {
            if let Some((oldest, known)) = self.calls.pop_first() {
                let call_id = known.call_id.as_deref().unwrap_or_default();
                if self.by_call_id.get(call_id) == Some(&oldest) {
                    self.by_call_id.remove(call_id);
                }
            }
        }
    }

    /// The agent calls it so from now on.
    pub(super) fn name(&mut self, id: u64, call_id: &str) {
        if let Some(known) = self.calls.get_mut(&id)
            && known.call_id.as_deref() != Some(call_id)
        {
            known.call_id = Some(call_id.to_owned());
            self.by_call_id.insert(call_id.to_owned(), id);
        }
    }

    /// A request is about it.
    pub(super) fn ask(&mut self, id: u64, request_id: u64) {
        self.by_request.insert(request_id, id);
        if let Some(known) = self.calls.get_mut(&id) {
            known.request_id = Some(request_id);
            known.call.request_ids.push(request_id);
        }
    }

    /// The calls of the running turn that have not ended.
    pub(super) fn open(&self) -> Vec<u64> {
        let is_open = |known: &Known| known.is_recent && known.call.status.is_open();
        let open = self.calls.iter().filter(|(_, known)| is_open(known));
        open.map(|(id, _)| *id).collect()
    }

    /// Another turn begins, in which the agent's ids may name other calls.
    pub(super) fn begin_turn(&mut self) {
        self.by_call_id.clear();
        for known in self.calls.values_mut() {
            known.call_id = None;
            known.is_recent = false;
        }
    }

    /// The numbers of requests mean nothing any more.
    pub(super) fn forget_requests(&mut self) {
        self.by_request.clear();
    }

    /// Nothing more will be told of calls that neither this turn nor a verdict needs, but for those.
    pub(super) fn forget_all_but(&mut self, needed: impl Fn(u64) -> bool) {
        let asked: HashSet<u64> = self.by_request.values().copied().collect();
        self.calls.retain(|id, known| {
            known.is_recent || needed(*id) || known.call.denial.is_some() && asked.contains(id)
        });
        self.by_request.retain(|_, id| self.calls.contains_key(id));
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.calls.len()
    }
}
