//! Which job may start: jobs with the same key one after the other, all others side by side.
//!
//! Agents call tools in parallel; edits of one file must not interleave. The queue only keeps the
//! order. It starts nothing, knows no files, and has no clock.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

/// Jobs waiting for another job of the same key, in order of arrival.
///
/// ```
/// let mut queue = siderail_mcp::EditQueue::new();
/// assert_eq!(queue.enter("a.rs", 1), Some(1));
/// assert_eq!(queue.enter("a.rs", 2), None);
/// assert_eq!(queue.enter("b.rs", 3), Some(3));
/// assert_eq!(queue.finish(&"a.rs"), Some(2));
/// assert_eq!(queue.finish(&"a.rs"), None);
/// ```
#[derive(Debug)]
pub struct EditQueue<K, T> {
    /// An entry per key with a running job: those that wait for it.
    waiting: HashMap<K, VecDeque<T>>,
}

impl<K, T> Default for EditQueue<K, T> {
    fn default() -> Self {
        Self {
            waiting: HashMap::new(),
        }
    }
}

impl<K: Eq + Hash, T> EditQueue<K, T> {
    /// Makes an empty queue.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a job. Gives it back when it may start now; it then runs until [`Self::finish`].
    pub fn enter(&mut self, key: K, job: T) -> Option<T> {
        use std::collections::hash_map::Entry;
        match self.waiting.entry(key) {
            Entry::Vacant(free) => {
                free.insert(VecDeque::new());
                Some(job)
            }
            Entry::Occupied(mut busy) => {
                busy.get_mut().push_back(job);
                None
            }
        }
    }

    /// Ends the running job of `key`, and gives the next one, which starts now.
    pub fn finish(&mut self, key: &K) -> Option<T> {
        let next = self.waiting.get_mut(key)?.pop_front();
        if next.is_none() {
            self.waiting.remove(key);
        }
        next
    }

    /// Takes out waiting jobs that are no longer wanted, in order within each key. Running ones stay.
    pub fn withdraw(&mut self, mut unwanted: impl FnMut(&T) -> bool) -> Vec<T> {
        let mut taken = Vec::new();
        for jobs in self.waiting.values_mut() {
            let (gone, kept): (VecDeque<T>, _) =
                std::mem::take(jobs).into_iter().partition(&mut unwanted);
            taken.extend(gone);
            *jobs = kept;
        }
        taken
    }

    /// Whether no job runs or waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}
