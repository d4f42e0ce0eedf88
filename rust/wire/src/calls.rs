//! Requests that still wait for an answer, in either direction.
//!
//! Both tables hold the caller's own value beside each open request and know nothing of what it means. An answer closes
//! its request once; a second one, or one that nobody asked for, finds none.

use std::collections::{BTreeMap, HashMap};

use crate::message::RequestId;

/// Our requests that the other side has not answered yet. Ids rise from 1 and are never used twice.
#[derive(Debug)]
pub struct Outgoing<T> {
    last_id: u64,
    open: BTreeMap<u64, T>,
}

impl<T> Default for Outgoing<T> {
    fn default() -> Self {
        Self {
            last_id: 0,
            open: BTreeMap::new(),
        }
    }
}

impl<T> Outgoing<T> {
    /// Remembers a request and gives it its id.
    pub fn register(&mut self, value: T) -> u64 {
        self.last_id += 1;
        self.open.insert(self.last_id, value);
        self.last_id
    }

    /// Takes out the request that a response names; `None` for a late, repeated or foreign one.
    pub fn complete(&mut self, id: &RequestId) -> Option<T> {
        self.open.remove(&id.as_u64()?)
    }

    /// Takes out a request whose answer is no longer wanted; `None` when it was answered already.
    pub fn cancel(&mut self, id: u64) -> Option<T> {
        self.open.remove(&id)
    }

    /// The value of an open request.
    pub fn get(&self, id: u64) -> Option<&T> {
        self.open.get(&id)
    }

    /// Takes out everything that is open, oldest first.
    pub fn drain(&mut self) -> Vec<(u64, T)> {
        std::mem::take(&mut self.open).into_iter().collect()
    }

    /// How many requests are open.
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Whether no request is open.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }
}

/// Requests of the other side that we have not answered yet, in the order in which they came.
#[derive(Debug)]
pub struct Incoming<T> {
    next_place: u64,
    places: HashMap<RequestId, u64>,
    open: BTreeMap<u64, (RequestId, T)>,
}

impl<T> Default for Incoming<T> {
    fn default() -> Self {
        Self {
            next_place: 0,
            places: HashMap::new(),
            open: BTreeMap::new(),
        }
    }
}

impl<T> Incoming<T> {
    /// Remembers a request.
    ///
    /// # Errors
    /// Gives the value back when a request with that id is still open: the peer could not distinguish the answers.
    pub fn register(&mut self, id: RequestId, value: T) -> Result<(), T> {
        if self.places.contains_key(&id) {
            return Err(value);
        }
        self.places.insert(id.clone(), self.next_place);
        self.open.insert(self.next_place, (id, value));
        self.next_place += 1;
        Ok(())
    }

    /// Takes out a request that is about to be answered; `None` when it is not open (any more).
    pub fn complete(&mut self, id: &RequestId) -> Option<T> {
        let place = self.places.remove(id)?;
        self.open.remove(&place).map(|(_, value)| value)
    }

    /// The value of an open request.
    pub fn get(&self, id: &RequestId) -> Option<&T> {
        self.open.get(self.places.get(id)?).map(|(_, value)| value)
    }

    /// The value of an open request, to be changed.
    pub fn get_mut(&mut self, id: &RequestId) -> Option<&mut T> {
        self.open
            .get_mut(self.places.get(id)?)
            .map(|(_, value)| value)
    }

    /// All open requests, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = (&RequestId, &T)> {
        self.open.values().map(|(id, value)| (id, value))
    }

    /// Takes out everything that is open, oldest first.
    pub fn drain(&mut self) -> Vec<(RequestId, T)> {
        self.places.clear();
        std::mem::take(&mut self.open).into_values().collect()
    }

    /// How many requests are open.
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Whether no request is open.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }
}
