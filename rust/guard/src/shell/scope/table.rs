//! A table by name that is shared until one of its holders changes it.

use std::rc::Rc;

/// Entries in the order of their names.
#[derive(Clone, Debug)]
pub(super) struct Table<V>(Rc<Vec<(Rc<str>, V)>>);

impl<V> Default for Table<V> {
    fn default() -> Self {
        Self(Rc::default())
    }
}

impl<V: Clone> Table<V> {
    fn find(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| (**known).cmp(name))
    }

    pub(super) fn get(&self, name: &str) -> Option<&V> {
        if self.0.is_empty() {
            return None;
        }
        self.find(name).ok().map(|at| &self.0[at].1)
    }

    pub(super) fn insert(&mut self, name: &str, value: V) {
        let found = self.find(name);
        let entries = Rc::make_mut(&mut self.0);
        match found {
            Ok(at) => entries[at].1 = value,
            Err(at) => entries.insert(at, (name.into(), value)),
        }
    }

    pub(super) fn remove(&mut self, name: &str) {
        if let Ok(at) = self.find(name) {
            Rc::make_mut(&mut self.0).remove(at);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The same names with what becomes of their entries, without those of which nothing does.
    pub(super) fn filtered(&self, become_of: impl Fn(&V) -> Option<V>) -> Self {
        if self.0.is_empty() {
            return self.clone();
        }
        let kept = self.0.iter();
        let kept = kept.filter_map(|(name, value)| Some((Rc::clone(name), become_of(value)?)));
        Self(Rc::new(kept.collect()))
    }

    /// Whether both hold the same; `alike` is asked where `same` says no. Adds what it cost.
    pub(super) fn is_same(
        &self,
        other: &Self,
        same: impl Fn(&V, &V) -> bool,
        mut alike: impl FnMut(&Rc<str>, &V, &V) -> bool,
        cost: &mut usize,
    ) -> bool {
        if Rc::ptr_eq(&self.0, &other.0) {
            return true;
        }
        if self.0.len() != other.0.len() {
            return false;
        }
        *cost += self.0.len();
        let mut pairs = self.0.iter().zip(other.0.iter());
        pairs.all(|((name, one), (other_name, other))| {
            name == other_name && (same(one, other) || alike(name, one, other))
        })
    }

    /// Takes in what another holds: `join` says what becomes of an entry and of its counterpart, if it has one.
    pub(super) fn merge(
        &mut self,
        other: &Self,
        mut join: impl FnMut(&Rc<str>, &V, Option<&V>) -> V,
        cost: &mut usize,
    ) {
        if Rc::ptr_eq(&self.0, &other.0) {
            return;
        }
        *cost += self.0.len() + other.0.len();
        let mut entries = Vec::with_capacity(self.0.len().max(other.0.len()));
        for (name, value) in self.0.iter() {
            entries.push((Rc::clone(name), join(name, value, other.get(name))));
        }
        for (name, value) in other.0.iter() {
            if self.find(name).is_err() {
                entries.push((Rc::clone(name), join(name, value, None)));
            }
        }
        entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        self.0 = Rc::new(entries);
    }

    pub(super) fn has_any(&self, is_one: impl Fn(&V) -> bool) -> bool {
        self.0.iter().any(|(_, value)| is_one(value))
    }

    /// Whether nobody has changed either since they were one.
    pub(super) fn is_shared_with(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// The other one, changed as this one was since it was as `before`.
    pub(super) fn rebased(
        &self,
        before: &Self,
        other: &Self,
        same: impl Fn(&V, &V) -> bool,
    ) -> Self {
        if Rc::ptr_eq(&self.0, &before.0) {
            return other.clone();
        }
        if Rc::ptr_eq(&before.0, &other.0) {
            return self.clone();
        }
        let mut rebased = other.clone();
        for (name, value) in self.0.iter() {
            if !before.get(name).is_some_and(|known| same(known, value)) {
                rebased.insert(name, value.clone());
            }
        }
        for (name, _) in before.0.iter() {
            if self.get(name).is_none() {
                rebased.remove(name);
            }
        }
        rebased
    }
}
