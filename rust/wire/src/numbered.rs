//! Values by number, in the order of the numbers.
//!
//! Each value has a box of its own. A tree that holds values themselves is code of its own for every type of them, five
//! kilobytes each time; trees that hold boxes are the same code for all, which a compiler and a linker fold into one.
//! Names and meanings are those of the standard library's map.

use std::collections::{BTreeMap, btree_map};

/// A table of values by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbered<T>(BTreeMap<u64, Box<T>>);

impl<T> Numbered<T> {
    /// An empty table.
    pub const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// Puts a value in the place of one that had the number before.
    pub fn insert(&mut self, number: u64, value: T) {
        self.0.insert(number, Box::new(value));
    }

    /// Takes a value out.
    pub fn remove(&mut self, number: &u64) -> Option<T> {
        self.0.remove(number).map(|value| *value)
    }

    /// A number's value.
    pub fn get(&self, number: &u64) -> Option<&T> {
        self.0.get(number).map(Box::as_ref)
    }

    /// A number's value, to be changed.
    pub fn get_mut(&mut self, number: &u64) -> Option<&mut T> {
        self.0.get_mut(number).map(Box::as_mut)
    }

    /// Whether a number has a value.
    pub fn contains_key(&self, number: &u64) -> bool {
        self.0.contains_key(number)
    }

    /// The numbers, rising.
    pub fn keys(&self) -> impl Iterator<Item = &u64> + Clone {
        self.0.keys()
    }

    /// All values, in the order of their numbers.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &T> + Clone {
        self.0.values().map(Box::as_ref)
    }

    /// All values, to be changed.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.values_mut().map(Box::as_mut)
    }

    /// All numbers with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&u64, &T)> + Clone {
        self.0.iter().map(|(number, value)| (number, &**value))
    }

    /// Keeps only the values that pass a test.
    pub fn retain(&mut self, mut stays: impl FnMut(&u64, &mut T) -> bool) {
        self.0.retain(|number, value| stays(number, value));
    }

    /// Takes out the values that a test picks.
    pub fn extract(&mut self, mut picks: impl FnMut(&u64, &T) -> bool) -> Vec<(u64, T)> {
        let picked = self.0.extract_if(.., |number, value| picks(number, value));
        picked.map(|(number, value)| (number, *value)).collect()
    }

    /// The numbers, rising; the values go.
    pub fn into_keys(self) -> btree_map::IntoKeys<u64, Box<T>> {
        self.0.into_keys()
    }

    /// The values, in the order of their numbers.
    pub fn into_values(self) -> impl Iterator<Item = T> {
        self.0.into_values().map(|value| *value)
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Extend<(u64, T)> for Numbered<T> {
    fn extend<I: IntoIterator<Item = (u64, T)>>(&mut self, values: I) {
        for (number, value) in values {
            self.insert(number, value);
        }
    }
}

impl<T> IntoIterator for Numbered<T> {
    type Item = (u64, T);
    type IntoIter = Values<T>;

    fn into_iter(self) -> Values<T> {
        Values(self.0.into_iter())
    }
}

/// The values of a table, with their numbers.
#[derive(Debug)]
pub struct Values<T>(btree_map::IntoIter<u64, Box<T>>);

impl<T> Iterator for Values<T> {
    type Item = (u64, T);

    fn next(&mut self) -> Option<(u64, T)> {
        self.0.next().map(|(number, value)| (number, *value))
    }
}
