//! The end of a conversation, as far as it may become one item: calls in a row, and the group ahead of them.

/// So many calls in a row that only looked are one item.
const GROUP: usize = 3;
/// Calls that may still become one item.
const LONGEST: usize = 500;

/// The calls with which a conversation ends.
#[derive(Debug, Default)]
pub(super) struct Tail {
    group: Option<u64>,
    calls: Vec<u64>,
}

impl Tail {
    /// A call is at the end.
    pub(super) fn push(&mut self, id: u64) {
        self.calls.push(id);
        if self.calls.len() > LONGEST {
            self.calls.remove(0);
            // What is left does not follow the group any more.
            self.group = None;
        }
    }

    /// Something else is at the end.
    pub(super) fn end(&mut self) {
        *self = Self::default();
    }

    /// A call has lost its place.
    pub(super) fn remove(&mut self, id: u64) {
        self.calls.retain(|other| *other != id);
    }

    pub(super) fn contains(&self, id: u64) -> bool {
        self.calls.contains(&id)
    }

    /// Takes the calls at the end that only looked, where they belong into the group ahead of them or are enough for a
    /// new one.
    pub(super) fn take_looks(&mut self, is_quiet: impl Fn(u64) -> bool) -> Option<Vec<u64>> {
        let n = self
            .calls
            .iter()
            .rev()
            .take_while(|id| is_quiet(**id))
            .count();
        let from = self.calls.len() - n;
        self.group = self.group.filter(|_| from == 0);
        if n == 0 || self.group.is_none() && n < GROUP {
            return None;
        }
        let looks = self.calls.split_off(from);
        self.calls.clear();
        Some(looks)
    }

    /// The group that those belong into; none if they need a new one.
    pub(super) fn group(&self) -> Option<u64> {
        self.group
    }

    /// A new group is at the end.
    pub(super) fn begin_group(&mut self, id: u64) {
        self.group = Some(id);
    }
}
