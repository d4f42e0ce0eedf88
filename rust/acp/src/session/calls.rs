//! The tool calls of a session: by id, in order, and not more of them than somebody may still ask for.

use std::collections::{BTreeMap, HashMap};

use crate::tool_call::{ToolCall, ToolCallFields, ToolCallStatus};

/// How many finished tool calls are remembered, so that a long session stays flat in memory.
const FINISHED_CALLS: usize = 256;

/// How many tool calls are remembered at all; an agent that leaves more open has lost track of them itself.
const ALL_CALLS: usize = 4096;

/// Tool calls by id, in the order in which they were first heard of.
#[derive(Debug, Default)]
pub(super) struct ToolCalls {
    next_place: u64,
    places: HashMap<String, u64>,
    calls: BTreeMap<u64, ToolCall>,
    n_finished: usize,
}

impl ToolCalls {
    pub(super) fn get(&self, id: &str) -> Option<&ToolCall> {
        self.calls.get(self.places.get(id)?)
    }

    /// All remembered calls, oldest first.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &ToolCall> {
        self.calls.values()
    }

    pub(super) fn get_mut(&mut self, id: &str) -> Option<&mut ToolCall> {
        self.calls.get_mut(self.places.get(id)?)
    }

    /// A turn begins: what has ended is past.
    pub(super) fn begin_turn(&mut self) {
        for call in self.calls.values_mut() {
            call.is_past |= !call.is_open();
        }
    }

    /// A call is announced, or announced again. Where a call of this id ended in an earlier turn and this one is open,
    /// it is another one: ids are to be unique, but some agents count anew in each turn.
    pub(super) fn announce(&mut self, fields: ToolCallFields) {
        let is_open = fields
            .status
            .as_ref()
            .is_some_and(|status| !status.is_final());
        if is_open && self.get(&fields.id).is_some_and(|call| call.is_past) {
            let place = self.places.get(&fields.id).copied();
            self.forget(place);
        }
        self.upsert(fields).announced = true;
    }

    pub(super) fn upsert(&mut self, fields: ToolCallFields) -> &mut ToolCall {
        let place = match self.places.get(&fields.id) {
            Some(place) => *place,
            None => self.insert(&fields.id),
        };
        let call = self
            .calls
            .get_mut(&place)
            .expect("places name only calls that are there");
        let was_open = call.is_open();
        call.merge(fields);
        match (was_open, call.is_open()) {
            (true, false) => self.n_finished += 1,
            (false, true) => self.n_finished -= 1,
            _ => {}
        }
        call
    }

    /// Makes room for a call and forgets the oldest that nobody waits for.
    fn insert(&mut self, id: &str) -> u64 {
        if self.n_finished > FINISHED_CALLS {
            let oldest = self
                .calls
                .iter()
                .find(|(_, call)| !call.is_open())
                .map(|(place, _)| *place);
            self.forget(oldest);
        }
        if self.calls.len() >= ALL_CALLS {
            let oldest = self.calls.keys().next().copied();
            self.forget(oldest);
        }
        let place = self.next_place;
        self.next_place += 1;
        self.places.insert(id.to_owned(), place);
        self.calls.insert(place, ToolCall::new(id));
        place
    }

    fn forget(&mut self, place: Option<u64>) {
        if let Some(call) = place.and_then(|place| self.calls.remove(&place)) {
            self.places.remove(&call.id);
            self.n_finished -= usize::from(!call.is_open());
        }
    }

    /// Gives all open calls a final status; their ids, oldest first.
    pub(super) fn finish_open(&mut self, status: &ToolCallStatus) -> Vec<String> {
        let open = self.calls.values_mut().filter(|call| call.is_open());
        let ids = open.map(|call| {
            call.status = status.clone();
            call.id.clone()
        });
        let ids = ids.collect::<Vec<_>>();
        self.n_finished += ids.len();
        ids
    }
}
