//! One walk for several states: what a walk looked at, and what it has left behind.
//!
//! Most states of a line differ in something that a statement never asks for. A walk from one of them notes which
//! variables it looks at and whether it matters where it runs; a state that agrees in these needs no walk of its own.
//! Where a walk only asks which files of the project it reads, any other folder of the project will do as well. What the
//! line has saved in files matters only to walks that ask for it.

use super::outcome::Outcome;
use super::state::{Seen, State, Status, Variable};
use super::table::is_shared;
use crate::scope::Scope;
use ecow::EcoString;
use std::rc::Rc;

/// A walk that looks at more variables is not taken for another.
const SEEN_LIMIT: usize = 64;
/// More paths than these are looked at as though the folder itself mattered.
const BELOW_LIMIT: usize = 16;

/// What the walks that are going on have looked at so far.
#[derive(Debug, Default)]
pub(super) struct Looks {
    /// How many of these walks there are.
    n_watches: u32,
    variables: Vec<Seen>,
    /// Where it runs.
    place: bool,
    /// Paths seen from that folder, of which only counts that they are the project's.
    below: Vec<EcoString>,
    /// What files hold that the line has saved.
    saved: bool,
    /// Where the looks of the innermost walk begin.
    own: Begin,
}

/// Where the looks of a walk begin: an outer walk may have looked at the same before.
#[derive(Clone, Copy, Debug, Default)]
struct Begin {
    variables: usize,
    below: usize,
}

/// A walk that is being watched.
#[derive(Debug)]
pub(crate) struct Watch {
    common: Common,
    place_before: bool,
    saved_before: bool,
    /// The walk around it.
    outer: Begin,
}

/// What all states have in common, by how often it has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Common {
    /// Files with what they hold.
    pub(crate) n_saved: usize,
    /// Folders that were made.
    pub(crate) n_made: usize,
    pub(crate) n_links: usize,
    /// Redirections of the shell itself.
    pub(crate) n_lasting: usize,
}

/// How a folder compares with that of a walk, as far as the walk has looked at paths from there.
pub(crate) struct Folders<'w> {
    pub(crate) walked: &'w str,
    pub(crate) other: &'w str,
    /// Whether the walk asked for what the line has saved.
    pub(crate) asks_saved: bool,
}

/// A walk that is over.
#[derive(Debug)]
pub(crate) struct Walked {
    /// What the states had in common when it began.
    common: Common,
    before: State,
    left: Left,
    variables: Vec<Seen>,
    place: bool,
    below: Vec<EcoString>,
    saved: bool,
}

/// What a walk has left behind.
#[derive(Debug)]
pub(crate) enum Left {
    /// The state that it began in, with this status.
    AsBefore(Status),
    Changed(Vec<State>),
}

impl Scope {
    /// Watches a walk.
    pub(crate) fn watch(&mut self, common: Common) -> Watch {
        self.looks.get_mut().watch(common)
    }

    /// A watched walk from a state is over and has left this. Gives what can be taken for a walk from another state.
    pub(crate) fn end_watch(&mut self, watch: Watch, before: State, left: Left) -> Option<Walked> {
        self.looks.get_mut().end(watch, before, left)
    }

    /// The walk looks at what the line has saved in files.
    pub(crate) fn look_at_saved(&self) {
        self.looks.borrow_mut().saved = true;
    }

    /// Takes a walk for one from this state.
    pub(crate) fn repeat(&mut self, walked: &Walked, state: &State) {
        self.looks.get_mut().repeat(walked, state);
    }
}

impl Looks {
    pub(super) fn watch(&mut self, common: Common) -> Watch {
        self.n_watches += 1;
        let own = Begin {
            variables: self.variables.len(),
            below: self.below.len(),
        };
        Watch {
            common,
            place_before: std::mem::take(&mut self.place),
            saved_before: std::mem::take(&mut self.saved),
            outer: std::mem::replace(&mut self.own, own),
        }
    }

    /// The end of a watched walk. None where it looked at too much.
    pub(super) fn end(&mut self, watch: Watch, before: State, left: Left) -> Option<Walked> {
        let Watch {
            common,
            place_before,
            saved_before,
            outer,
        } = watch;
        self.n_watches -= 1;
        let own = std::mem::replace(&mut self.own, outer);
        let (place, saved) = (self.place, self.saved);
        let below = self.below[own.below..].to_vec();
        self.place |= place_before;
        self.saved |= saved_before;
        let found = &self.variables[own.variables..];
        // What the walk has set itself does not count.
        let is_from_before = |(name, value): &&Seen| is_value(before.variables.get(name), value);
        let variables = (found.len() <= SEEN_LIMIT)
            .then(|| found.iter().filter(is_from_before).cloned().collect());
        if self.n_watches == 0 {
            self.variables.clear();
            self.below.clear();
            self.place = false;
            self.saved = false;
        }
        variables.map(|variables| Walked {
            common,
            left,
            before,
            variables,
            place,
            below,
            saved,
        })
    }

    pub(super) fn variable(&mut self, name: &str, value: Option<&Rc<Variable>>) {
        if self.n_watches == 0 || self.knows(name, value) {
            return;
        }
        self.variables.push((name.into(), value.cloned()));
    }

    /// Whether it was one of the last that the innermost walk looked at.
    fn knows(&self, name: &str, value: Option<&Rc<Variable>>) -> bool {
        let mut last = self.variables[self.own.variables..].iter().rev().take(4);
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

    pub(super) fn is_watched(&self) -> bool {
        self.n_watches > 0
    }

    /// A path below the current folder is looked at, and all that counts is that it is the project's.
    pub(super) fn below(&mut self, path: &str) {
        let own = &self.below[self.own.below..];
        if self.n_watches == 0 || self.place || own.iter().any(|known| known == path) {
            return;
        }
        if own.len() < BELOW_LIMIT {
            self.below.push(path.into());
        } else {
            self.place = true;
        }
    }

    /// A walk is taken for one from this state: what it looked at was looked at here.
    pub(super) fn repeat(&mut self, walked: &Walked, state: &State) {
        for (name, _) in &walked.variables {
            self.variable(name, state.variables.get(name));
        }
        self.place |= walked.place;
        self.saved |= walked.saved;
        for path in &walked.below {
            self.below(path);
        }
    }
}

impl Walked {
    /// Whether a walk from this state would find and leave the same, as things are; `is_alike` says whether a path leads
    /// to the same from another folder.
    pub(crate) fn speaks_for(
        &self,
        state: &State,
        common: Common,
        is_alike: impl Fn(&Folders<'_>, &str) -> bool,
    ) -> bool {
        let before = &self.before;
        let n_saved = match self.saved {
            true => self.common.n_saved,
            false => common.n_saved,
        };
        let folders = Folders {
            walked: &before.cwd,
            other: &state.cwd,
            asks_saved: self.saved,
        };
        let same_value = |(name, seen): &Seen| match (seen, state.variables.get(name)) {
            (Some(seen), Some(value)) => Rc::ptr_eq(seen, value) || seen.is_same(value),
            (None, None) => true,
            _ => false,
        };
        let same_common = Common {
            n_saved,
            ..self.common
        } == common;
        same_common
            && before.flow == state.flow
            && before.is_unlikely == state.is_unlikely
            && before.ends_on_failure == state.ends_on_failure
            && before.has_same_arguments(state)
            && (before.is_at_same_place(state)
                || !self.place && self.below.iter().all(|path| is_alike(&folders, path)))
            && self.variables.iter().all(same_value)
            && before.has_same_frames(state)
            && before.knows_same_commands(state)
            && !self.sets_reference(state)
    }

    /// Whether what the walk set would go to another variable here.
    fn sets_reference(&self, state: &State) -> bool {
        let Left::Changed(left) = &self.left else {
            return false;
        };
        let is_reference = |value: &Rc<Variable>| matches!(**value, Variable::Reference(_));
        let before = &self.before.variables;
        state.variables.has_any(is_reference)
            && left
                .iter()
                .any(|left| !left.variables.is_shared_with(before))
    }

    /// Whether it leaves behind anything but what it finds.
    pub(crate) fn changes(&self) -> bool {
        matches!(self.left, Left::Changed(_))
    }

    /// Notes what it would leave behind from one of these states.
    pub(crate) fn leave(&self, outcome: &mut Outcome, index: usize) {
        let before = &self.before;
        let state = outcome.before(index);
        match &self.left {
            Left::AsBefore(status) => outcome.end(index, state.status_after(*status, before)),
            Left::Changed(all) => {
                let rebased: Vec<State> =
                    all.iter().map(|one| one.rebased(before, state)).collect();
                outcome.change(index, rebased);
            }
        }
    }
}

impl State {
    /// How a walk from here ends that ended so elsewhere. Where it may have left that alone, nobody knows.
    fn status_after(&self, status: Status, before: &Self) -> Status {
        if status != before.status || before.status == self.status {
            status
        } else {
            Status::Unknown
        }
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
        Self {
            variables,
            cwd: chosen(&self.cwd, &before.cwd, &state.cwd),
            previous: chosen(&self.previous, &before.previous, &state.previous),
            folders: if is_shared(&self.folders, &before.folders) {
                state.folders.clone()
            } else {
                self.folders.clone()
            },
            status: state.status_after(self.status, before),
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
