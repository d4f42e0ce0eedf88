//! What becomes of several states in which the same thing is walked. Most commands change nothing but how the last one
//! ended, so the states stay where they are until a walk leaves anything else.

use super::state::{State, Status};

#[derive(Debug)]
pub(crate) struct Outcome {
    states: Vec<State>,
    /// What is left of the states walked so far, once that is not these states themselves.
    changed: Option<Vec<State>>,
}

impl Outcome {
    pub(crate) fn of(states: Vec<State>) -> Self {
        Self {
            states,
            changed: None,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    /// The state to be walked next, as it was before.
    pub(crate) fn before(&self, index: usize) -> &State {
        &self.states[index]
    }

    /// Nothing was walked from this state.
    pub(crate) fn skip(&mut self, index: usize) {
        if let Some(changed) = &mut self.changed {
            changed.push(self.states[index].clone());
        }
    }

    /// A walk from this state has left it as it was, but for how its last command ended.
    pub(crate) fn end(&mut self, index: usize, status: Status) {
        self.states[index].status = status;
        self.skip(index);
    }

    /// A walk from this state has left these.
    pub(crate) fn change(&mut self, index: usize, left: impl IntoIterator<Item = State>) {
        let before = &self.states[..index];
        let changed = self.changed.get_or_insert_with(|| before.to_vec());
        changed.extend(left);
    }

    pub(crate) fn finish(self) -> Vec<State> {
        self.changed.unwrap_or(self.states)
    }
}
