//! Handles: numbers that name open engines and can be checked.
//!
//! A handle is an index with a generation. One that is closed, invented or zero is detected, so that misuse from the
//! other side of the boundary is an error and never a wild pointer.

use std::sync::Arc;

use parking_lot::RwLock;

/// A table of values behind handles.
#[derive(Debug)]
pub(crate) struct HandleTable<T>(RwLock<Slots<T>>);

#[derive(Debug)]
struct Slots<T> {
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
}

#[derive(Debug)]
struct Slot<T> {
    generation: u32,
    value: Option<Arc<T>>,
}

impl<T> HandleTable<T> {
    /// An empty table.
    pub(crate) const fn new() -> Self {
        Self(RwLock::new(Slots {
            slots: Vec::new(),
            free: Vec::new(),
        }))
    }

    /// Puts a value in and names it. The name is never 0 and not that of any value before.
    pub(crate) fn insert(&self, value: T) -> u64 {
        let mut table = self.0.write();
        let index = table.free.pop().unwrap_or_else(|| {
            table.slots.push(Slot {
                generation: 0,
                value: None,
            });
            u32::try_from(table.slots.len() - 1).expect("fewer than four billion engines")
        });
        let slot = &mut table.slots[index as usize];
        // A generation of 31 bits keeps handles positive where they are signed. 0 is never one.
        slot.generation = (slot.generation % (u32::MAX >> 1)) + 1;
        slot.value = Some(Arc::new(value));
        (u64::from(slot.generation) << 32) | u64::from(index)
    }

    /// The value of a handle.
    pub(crate) fn get(&self, handle: u64) -> Option<Arc<T>> {
        let table = self.0.read();
        let slot = table.slots.get(index(handle))?;
        slot.value
            .clone()
            .filter(|_| slot.generation == generation(handle))
    }

    /// Takes the value out; the handle is of no use from here on.
    pub(crate) fn remove(&self, handle: u64) -> Option<Arc<T>> {
        let mut table = self.0.write();
        let slot = table.slots.get_mut(index(handle))?;
        if slot.generation != generation(handle) {
            return None;
        }
        let value = slot.value.take()?;
        table.free.push(handle as u32);
        Some(value)
    }
}

fn index(handle: u64) -> usize {
    handle as u32 as usize
}

fn generation(handle: u64) -> u32 {
    (handle >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::HandleTable;

    #[test]
    fn a_handle_that_is_not_open_names_nothing() {
        let table = HandleTable::new();
        assert!(table.get(0).is_none() && table.remove(0).is_none());
        let first = table.insert("first");
        assert_eq!(table.get(first).as_deref(), Some(&"first"));
        assert!(table.remove(first).is_some());
        assert!(table.remove(first).is_none(), "it can be closed once");
        let second = table.insert("second");
        assert_ne!(first, second, "the place is used again, the name is not");
        assert!(table.get(first).is_none());
        assert!(table.remove(first).is_none(), "nor does it close another");
        assert_eq!(table.get(second).as_deref(), Some(&"second"));
        for made_up in [1, u64::MAX, second + 1, second + (1 << 32)] {
            assert!(table.get(made_up).is_none(), "{made_up}");
        }
    }
}
