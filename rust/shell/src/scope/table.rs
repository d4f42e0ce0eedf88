//! A table by name that is shared until one of its holders changes it.

use ecow::EcoString;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Entries in the order of their names; most lines have none.
#[derive(Clone, Debug)]
pub(super) struct Table<V>(Option<Rc<Entries<V>>>);

type Entries<V> = BTreeMap<EcoString, V>;
type Entry<'t, V> = (&'t EcoString, &'t V);

impl<V> Default for Table<V> {
    fn default() -> Self {
        Self(None)
    }
}

impl<V: Clone> Table<V> {
    fn entries(&self) -> impl Iterator<Item = Entry<'_, V>> {
        self.0.iter().flat_map(|entries| entries.iter())
    }

    fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |entries| entries.len())
    }

    pub(super) fn get(&self, name: &str) -> Option<&V> {
        self.0.as_ref()?.get(name)
    }

    pub(super) fn insert(&mut self, name: &str, value: V) {
        let entries = Rc::make_mut(self.0.get_or_insert_default());
        match entries.get_mut(name) {
            Some(known) => *known = value,
            None => drop(entries.insert(name.into(), value)),
        }
    }

    pub(super) fn remove(&mut self, name: &str) {
        let known = self.0.as_mut().filter(|entries| entries.contains_key(name));
        if let Some(entries) = known {
            Rc::make_mut(entries).remove(name);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The same names with what becomes of their entries, without those of which nothing does.
    pub(super) fn filtered(&self, become_of: impl Fn(&V) -> Option<V>) -> Self {
        if self.is_empty() {
            return self.clone();
        }
        let kept = self.entries();
        let kept = kept.filter_map(|(name, value)| Some((name.clone(), become_of(value)?)));
        Self(Some(Rc::new(kept.collect())))
    }

    /// Whether both hold the same; `alike` is asked where `same` says no. Adds what it cost.
    pub(super) fn is_same(
        &self,
        other: &Self,
        same: impl Fn(&V, &V) -> bool,
        mut alike: impl FnMut(&EcoString, &V, &V) -> bool,
        cost: &mut usize,
    ) -> bool {
        if self.is_shared_with(other) {
            return true;
        }
        if self.len() != other.len() {
            return false;
        }
        *cost += self.len();
        let mut pairs = self.entries().zip(other.entries());
        pairs.all(|((name, one), (other_name, other))| {
            name == other_name && (same(one, other) || alike(name, one, other))
        })
    }

    /// Takes in what another holds: `join` says what becomes of an entry and of its counterpart, if it has one.
    pub(super) fn merge(
        &mut self,
        other: &Self,
        mut join: impl FnMut(&EcoString, &V, Option<&V>) -> V,
        cost: &mut usize,
    ) {
        if self.is_shared_with(other) {
            return;
        }
        *cost += self.len() + other.len();
        let pairs = side_by_side(self.entries(), other.entries());
        let entries = pairs.filter_map(|pair| {
            let (name, joined) = match pair {
                (Some((name, one)), other) => {
                    (name, join(name, one, other.map(|(_, value)| value)))
                }
                (None, Some((name, other))) => (name, join(name, other, None)),
                (None, None) => return None,
            };
            Some((name.clone(), joined))
        });
        self.0 = Some(Rc::new(entries.collect()));
    }

    pub(super) fn has_any(&self, is_one: impl Fn(&V) -> bool) -> bool {
        self.entries().any(|(_, value)| is_one(value))
    }

    /// Whether nobody has changed either since they were one.
    pub(super) fn is_shared_with(&self, other: &Self) -> bool {
        is_shared(&self.0, &other.0)
    }

    /// The other one, changed as this one was since it was as `before`.
    pub(super) fn rebased(
        &self,
        before: &Self,
        other: &Self,
        same: impl Fn(&V, &V) -> bool,
    ) -> Self {
        if self.is_shared_with(before) {
            return other.clone();
        }
        if before.is_shared_with(other) {
            return self.clone();
        }
        let mut rebased = other.clone();
        for pair in side_by_side(self.entries(), before.entries()) {
            match pair {
                (Some((_, value)), Some((_, known))) if same(known, value) => {}
                (Some((name, value)), _) => rebased.insert(name, value.clone()),
                (None, Some((name, _))) => rebased.remove(name),
                (None, None) => break,
            }
        }
        rebased
    }
}

/// The entries of two tables in the order of their names, those of one name together.
fn side_by_side<'t, V: 't>(
    one: impl Iterator<Item = Entry<'t, V>>,
    other: impl Iterator<Item = Entry<'t, V>>,
) -> impl Iterator<Item = (Option<Entry<'t, V>>, Option<Entry<'t, V>>)> {
    let (mut one, mut other) = (one.peekable(), other.peekable());
    std::iter::from_fn(move || {
        let order = match (one.peek(), other.peek()) {
            (None, None) => return None,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((name, _)), Some((known, _))) => name.cmp(known),
        };
        let first = order.is_le().then(|| one.next()).flatten();
        let second = order.is_ge().then(|| other.next()).flatten();
        Some((first, second))
    })
}

/// Whether both are the same one, or none.
pub(super) fn is_shared<T: ?Sized>(one: &Option<Rc<T>>, other: &Option<Rc<T>>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => Rc::ptr_eq(one, other),
        (None, None) => true,
        _ => false,
    }
}
