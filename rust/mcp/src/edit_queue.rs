//! Which job may start: jobs with a key in common one after the other, all others side by side.
//!
//! Agents call tools in parallel; edits of one file must not interleave, and a move is an edit of two. A job
//! starts when no earlier one has a key of its, so that nobody is overtaken and no two wait for each other. The
//! queue only keeps the order. It starts nothing, knows no files, and has no clock.

/// Jobs in the order of their arrival, until they are done.
///
/// ```
/// let mut queue = siderail_mcp::EditQueue::new();
/// assert!(queue.enter(["a.rs"], 1));
/// assert!(!queue.enter(["a.rs", "b.rs"], 2));
/// assert!(!queue.enter(["b.rs"], 3));
/// assert!(queue.enter(["c.rs"], 4));
/// assert_eq!(queue.remove(&1), [2]);
/// assert_eq!(queue.remove(&2), [3]);
/// ```
#[derive(Debug)]
pub struct EditQueue<K, T> {
    places: Vec<Place<K, T>>,
}

#[derive(Debug)]
struct Place<K, T> {
    keys: Vec<K>,
    job: T,
    runs: bool,
}

impl<K, T> Default for EditQueue<K, T> {
    fn default() -> Self {
        Self { places: Vec::new() }
    }
}

impl<K: PartialEq, T: Clone + PartialEq> EditQueue<K, T> {
    /// Makes an empty queue.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a job. True when it may start now; it then runs until [`Self::remove`].
    pub fn enter(&mut self, keys: impl IntoIterator<Item = K>, job: T) -> bool {
        let keys: Vec<K> = keys.into_iter().collect();
        let runs = is_free(&self.places, &keys);
        self.places.push(Place { keys, job, runs });
        runs
    }

    /// Takes a job out, because it is done or no longer wanted, and gives those that start now, in order.
    pub fn remove(&mut self, job: &T) -> Vec<T> {
        self.places.retain(|place| place.job != *job);
        let mut started = Vec::new();
        for at in 0..self.places.len() {
            let (before, rest) = self.places.split_at_mut(at);
            let Some(place) = rest.first_mut().filter(|place| !place.runs) else {
                continue;
            };
            if is_free(before, &place.keys) {
                place.runs = true;
                started.push(place.job.clone());
            }
        }
        started
    }

    /// Takes out all jobs that wait. Running ones stay.
    pub fn clear_waiting(&mut self) {
        self.places.retain(|place| place.runs);
    }

    /// Whether no job runs or waits.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }
}

/// True when none of these jobs, running or waiting, has one of the keys.
fn is_free<K: PartialEq, T>(places: &[Place<K, T>], keys: &[K]) -> bool {
    places
        .iter()
        .all(|place| !keys.iter().any(|key| place.keys.contains(key)))
}
