//! The parts of a word in their order. Nearly every word has one, which is in the word itself: a line has many
//! words, and memory of its own for each of them is what reading a line costs most.

use super::Part;
use std::ops::{Deref, DerefMut};
use std::{iter, option, slice, vec};

/// Parts of a word, one after the other.
#[derive(Clone, Debug)]
pub struct Parts(Held);

#[derive(Clone, Debug)]
enum Held {
    One(Part),
    /// None at all, or several.
    Many(Vec<Part>),
}

impl Parts {
    /// Adds one at the end.
    pub fn push(&mut self, part: Part) {
        match &mut self.0 {
            Held::Many(parts) if parts.is_empty() => self.0 = Held::One(part),
            Held::Many(parts) => parts.push(part),
            Held::One(_) => {
                let first = std::mem::take(self);
                self.0 = Held::Many(first.into_iter().chain([part]).collect());
            }
        }
    }

    /// Puts a part in front of the others.
    pub fn push_front(&mut self, part: Part) {
        let others = std::mem::replace(self, Self(Held::One(part)));
        self.extend(others);
    }
}

impl Default for Parts {
    fn default() -> Self {
        Self(Held::Many(Vec::new()))
    }
}

impl From<[Part; 1]> for Parts {
    fn from([part]: [Part; 1]) -> Self {
        Self(Held::One(part))
    }
}

impl Deref for Parts {
    type Target = [Part];

    fn deref(&self) -> &[Part] {
        match &self.0 {
            Held::One(part) => slice::from_ref(part),
            Held::Many(parts) => parts,
        }
    }
}

impl DerefMut for Parts {
    fn deref_mut(&mut self) -> &mut [Part] {
        match &mut self.0 {
            Held::One(part) => slice::from_mut(part),
            Held::Many(parts) => parts,
        }
    }
}

impl Extend<Part> for Parts {
    fn extend<T: IntoIterator<Item = Part>>(&mut self, parts: T) {
        parts.into_iter().for_each(|part| self.push(part));
    }
}

impl FromIterator<Part> for Parts {
    fn from_iter<T: IntoIterator<Item = Part>>(parts: T) -> Self {
        let mut collected = Self::default();
        collected.extend(parts);
        collected
    }
}

impl IntoIterator for Parts {
    type Item = Part;
    type IntoIter = iter::Chain<option::IntoIter<Part>, vec::IntoIter<Part>>;

    fn into_iter(self) -> Self::IntoIter {
        let (one, many) = match self.0 {
            Held::One(part) => (Some(part), Vec::new()),
            Held::Many(parts) => (None, parts),
        };
        one.into_iter().chain(many)
    }
}

impl<'p> IntoIterator for &'p Parts {
    type Item = &'p Part;
    type IntoIter = slice::Iter<'p, Part>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
