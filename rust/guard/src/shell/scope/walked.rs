//! One walk for several states: what a walk looked at, and what it has left behind.
//!
//! Most states of a line differ in something that a statement never asks for. A walk from one of them notes which
//! variables it looks at and whether it matters where it runs; a state that agrees in these needs no walk of its own.

use super::state::{Seen, State, Status, Variable};
use std::rc::Rc;

/// A walk that looks at more variables is not taken for another.
const SEEN_LIMIT: usize = 64;

/// What the walks that are going on have looked at so far.
#[derive(Debug, Default)]
pub(super) struct Looks {
    /// How many of these walks there are.
    n_watches: u32,
    variables: Vec<Seen>,
    place: bool,
}

/// A walk that is being watched.
#[derive(Debug)]
pub(in crate::shell) struct Watch {
    before: State,
    n_before: usize,
    place_before: bool,
}

/// A walk that is over.
#[derive(Debug)]
pub(in crate::shell) struct Walked {
    before: State,
    left: Vec<State>,
    variables: Vec<Seen>,
    place: bool,
}

impl Looks {
    pub(super) fn watch(&mut self, state: &State) -> Watch {
        self.n_watches += 1;
        Watch {
            before: state.clone(),
            n_before: self.variables.len(),
            place_before: std::mem::take(&mut self.place),
        }
    }

    /// The end of a watched walk, which left these states behind. None where it looked at too much.
    pub(super) fn end(&mut self, watch: Watch, left: &[State]) -> Option<Walked> {
        let Watch {
            before,
            n_before,
            place_before,
        } = watch;
        self.n_watches -= 1;
        let place = self.place;
        self.place |= place_before;
        let found = &self.variables[n_before..];
        // What the walk has set itself does not count.
        let is_from_before = |(name, value): &&Seen| is_value(before.variables.get(name), value);
        let variables = (found.len() <= SEEN_LIMIT)
            .then(|| found.iter().filter(is_from_before).cloned().collect());
        if self.n_watches == 0 {
            self.variables.clear();
            self.place = false;
        }
        variables.map(|variables| Walked {
            before,
            left: left.to_vec(),
            variables,
            place,
        })
    }

    pub(super) fn variable(&mut self, name: &str, value: Option<&Rc<Variable>>) {
        if self.n_watches == 0 || self.knows(name, value) {
            return;
        }
        self.variables.push((name.into(), value.cloned()));
    }

    /// Whether it was one of the last to be looked at.
    fn knows(&self, name: &str, value: Option<&Rc<Variable>>) -> bool {
        let mut last = self.variables.iter().rev().take(4);
        last.any(|(known, seen)| is_value(value, seen) && **known == *name)
    }

    /// Adds what was found equal where two states were made one.
    pub(super) fn add(&mut self, seen: Vec<Seen>) {
        if self.n_watches > 0 {
            self.variables.extend(seen);
        }
    }

    pub(super) fn place(&mut self) {
        self.place = true;
    }

    /// A walk is taken for one from this state: what it looked at was looked at here.
    pub(super) fn repeat(&mut self, walked: &Walked, state: &State) {
        for (name, _) in &walked.variables {
            self.variable(name, state.variables.get(name));
        }
        self.place |= walked.place;
    }
}

impl Walked {
    /// Whether a walk from this state would find and leave the same.
    pub(in crate::shell) fn speaks_for(&self, state: &State) -> bool {
        let before = &self.before;
        let same_value = |(name, seen): &Seen| match (seen, state.variables.get(name)) {
            (Some(seen), Some(value)) => Rc::ptr_eq(seen, value) || seen.is_same(value),
            (None, None) => true,
            _ => false,
        };
        before.flow == state.flow
            && before.is_unlikely == state.is_unlikely
            && before.ends_on_failure == state.ends_on_failure
            && before.has_same_arguments(state)
            && (!self.place || before.is_at_same_place(state))
            && self.variables.iter().all(same_value)
            && before.has_same_frames(state)
            && before.knows_same_commands(state)
            && !self
                .left
                .iter()
                .any(|left| left.sets_reference(before, state))
    }

    /// What it would leave behind from this state.
    pub(in crate::shell) fn left_from(&self, state: &State) -> impl Iterator<Item = State> {
        self.left
            .iter()
            .map(|left| left.rebased(&self.before, state))
    }
}

impl State {
    /// Whether what was set since then would go to another variable here.
    fn sets_reference(&self, before: &Self, state: &Self) -> bool {
        state
            .variables
            .has_any(|value| matches!(**value, Variable::Reference(_)))
            && !self.variables.is_shared_with(&before.variables)
    }

    /// The state that a walk has left, had it begun elsewhere.
    fn rebased(&self, before: &Self, state: &Self) -> Self {
        let chosen = |left: &Rc<str>, before: &Rc<str>, state: &Rc<str>| {
            Rc::clone(if Rc::ptr_eq(left, before) {
                state
            } else {
                left
            })
        };
        let variables = self
            .variables
            .rebased(&before.variables, &state.variables, Rc::ptr_eq);
        let status = if self.status != before.status || before.status == state.status {
            self.status
        } else {
            Status::Unknown
        };
        Self {
            variables,
            cwd: chosen(&self.cwd, &before.cwd, &state.cwd),
            previous: chosen(&self.previous, &before.previous, &state.previous),
            folders: if Rc::ptr_eq(&self.folders, &before.folders) {
                Rc::clone(&state.folders)
            } else {
                Rc::clone(&self.folders)
            },
            status,
            ..self.clone()
        }
    }
}

/// Whether this very value was seen.
fn is_value(value: Option<&Rc<Variable>>, seen: &Option<Rc<Variable>>) -> bool {
    match (value, seen) {
        (Some(value), Some(seen)) => Rc::ptr_eq(value, seen),
        (None, None) => true,
        _ => false,
    }
}
