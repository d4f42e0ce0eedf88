//! What a line has set so far: variables, functions, aliases, arguments, the current folder.
//!
//! Where one of two sides runs, both of what they leave behind are kept: a scope is a small set of states, one of
//! which is being walked while the others wait as forks. Tables are shared until somebody changes them, so a state
//! is cheap to keep and to go back to.

mod folders;
mod outcome;
mod shared_walk;
mod state;
mod table;

pub(super) use outcome::Outcome;
pub(super) use shared_walk::{Common, Folders, Left, Walked};
pub(super) use state::{Flow, Function, STATES_LIMIT, State, Status, Variable, unknown_folder};

use super::ir::Arg;
use ecow::EcoString;
use shared_walk::Looks;
use siderail_syntax::tree::Node;
use state::{Alias, Frame};
use std::cell::RefCell;
use std::rc::Rc;
use table::Table;

/// How far names that name other names are followed.
const REFERENCES_LIMIT: usize = 8;

/// A scope to go back to.
#[derive(Debug)]
pub(super) struct Mark {
    state: State,
    forks: Vec<State>,
}

#[derive(Debug)]
pub(super) struct Scope {
    state: State,
    /// The other possibilities that statements have left behind, until whoever walks the next one takes them.
    forks: Vec<State>,
    /// What is looked at, for walks that may be taken for others.
    looks: RefCell<Looks>,
}

impl Scope {
    pub(super) fn new(cwd: &str) -> Self {
        let state = State {
            variables: Table::default(),
            functions: Table::default(),
            aliases: Table::default(),
            arguments: None,
            cwd: cwd.into(),
            previous: unknown_folder(),
            folders: None,
            frames: None,
            ends_on_failure: false,
            status: Status::Unknown,
            flow: Flow::Next,
            is_unlikely: false,
        };
        Self {
            state,
            forks: Vec::new(),
            looks: RefCell::default(),
        }
    }

    /// Where to come back to, from a shell whose changes are lost.
    pub(super) fn mark(&mut self) -> Mark {
        Mark {
            state: self.state.clone(),
            forks: std::mem::take(&mut self.forks),
        }
    }

    /// Takes everything back that was changed since the mark.
    pub(super) fn undo_to(&mut self, mark: Mark) {
        self.state = mark.state;
        self.forks = mark.forks;
    }

    /// The state that is being walked.
    pub(super) fn snapshot(&self) -> State {
        self.state.clone()
    }

    /// Whether there is one state alone, and it continues.
    pub(super) fn is_single(&self) -> bool {
        self.forks.is_empty() && self.state.flow == Flow::Next
    }

    /// Whether there are others beside the one that is being walked.
    pub(super) fn has_forks(&self) -> bool {
        !self.forks.is_empty()
    }

    /// Walks this state next.
    pub(super) fn enter(&mut self, state: State) {
        self.state = state;
        self.forks.clear();
    }

    /// How the last command ended, if nothing else has changed since then.
    pub(super) fn status_as_before(&self, before: &State) -> Option<Status> {
        let is_as_before = self.forks.is_empty() && self.state.is_as_before(before);
        is_as_before.then_some(self.state.status)
    }

    /// All states, the walked one first. One has to be entered, or put back, before anything else is walked.
    pub(super) fn take_all(&mut self) -> Vec<State> {
        let mut all = Vec::with_capacity(1 + self.forks.len());
        all.push(self.state.clone());
        all.append(&mut self.forks);
        all
    }

    /// What happened may also have left this behind.
    pub(super) fn fork(&mut self, state: State) {
        self.forks.push(state);
    }

    /// A statement is over, and with it what is unlikely, where anything else is left.
    pub(super) fn end_statement(&mut self) {
        let drops = |state: &State| state.is_unlikely && state.flow == Flow::Next;
        if self.forks.is_empty() || !(drops(&self.state) || self.forks.iter().any(drops)) {
            return;
        }
        let mut left = self.take_all();
        if left.iter().any(|state| !state.is_unlikely) {
            left.retain(|state| !drops(state));
        }
        self.put_back(left);
    }

    /// Takes these for what there is; those that are alike count once. Says what it cost.
    pub(super) fn put_back(&mut self, states: Vec<State>) -> usize {
        if states.len() == 1 {
            self.put_all_back(states);
            return 0;
        }
        let mut cost = 0;
        let mut seen = Vec::new();
        let mut kept: Vec<State> = Vec::with_capacity(states.len().min(STATES_LIMIT + 1));
        for state in states {
            let alike = kept.iter_mut().find(|known| {
                known.flow == state.flow && state.is_alike(known, &mut cost, &mut seen)
            });
            let Some(known) = alike else {
                kept.push(state);
                continue;
            };
            if known.status != state.status {
                known.status = Status::Unknown;
            }
            if known.previous != state.previous {
                known.previous = unknown_folder();
            }
        }
        if kept.len() > STATES_LIMIT {
            kept = State::merged_by_flow(kept, &mut cost, &mut seen);
        }
        self.put_all_back(kept);
        self.looks.get_mut().add(seen);
        cost
    }

    /// Takes these for what there is, no two of which are alike.
    pub(super) fn put_all_back(&mut self, states: Vec<State>) {
        let mut states = states.into_iter();
        if let Some(first) = states.next() {
            self.state = first;
        }
        self.forks = states.collect();
    }

    /// Makes all states one, in which whatever differs is unknown.
    pub(super) fn settle(&mut self) -> usize {
        if self.forks.is_empty() {
            return 0;
        }
        let mut cost = 0;
        let all = self.take_all();
        self.state = self.merged(all, &mut cost);
        cost
    }

    /// One state for all of these; whatever differs is unknown. There has to be one at least.
    pub(super) fn merged(&mut self, states: Vec<State>, cost: &mut usize) -> State {
        let mut seen = Vec::new();
        let merged = State::merged(states, cost, &mut seen);
        self.looks.get_mut().add(seen);
        merged
    }

    /// Whether one of these is the same as a state.
    pub(super) fn is_among(&mut self, state: &State, known: &[State], cost: &mut usize) -> bool {
        let mut seen = Vec::new();
        let is_known = known
            .iter()
            .any(|known| state.is_same(known, cost, &mut seen));
        self.looks.get_mut().add(seen);
        is_known
    }

    fn each(&mut self, mut change: impl FnMut(&mut State)) {
        change(&mut self.state);
        self.forks.iter_mut().for_each(change);
    }

    /// How the command that was just walked ended, in every state that it has left.
    pub(super) fn set_status(&mut self, status: Status) {
        self.each(|state| state.status = status);
    }

    /// How it ended in the state that is being walked.
    pub(super) fn set_own_status(&mut self, status: Status) {
        self.state.status = status;
    }

    pub(super) fn negate_status(&mut self) {
        self.each(|state| state.status = state.status.negated());
    }

    pub(super) fn set_flow(&mut self, flow: Flow) {
        self.state.flow = flow;
    }

    pub(super) fn end_on_failure(&mut self, ends: bool) {
        self.state.ends_on_failure = ends;
    }

    /// A command outside of any condition has ended: under `set -e` those that failed go no further.
    pub(super) fn leave_command(&mut self) {
        self.each(|state| {
            if state.ends_on_failure && state.status == Status::Failed && state.flow == Flow::Next {
                state.flow = Flow::Exit;
            }
        });
    }

    /// Begins a function or a block with variables of its own.
    pub(super) fn enter_frame(&mut self, is_function: bool) {
        Rc::make_mut(self.state.frames.get_or_insert_default()).push(Frame {
            saved: Vec::new(),
            is_function,
        });
    }

    /// Ends it: variables of its own are gone.
    pub(super) fn leave_frame(&mut self) {
        self.each(|state| {
            let frames = state.frames.as_mut().map(Rc::make_mut);
            let Some(frame) = frames.and_then(Vec::pop) else {
                return;
            };
            for (name, old) in frame.saved.into_iter().rev() {
                match old {
                    Some(old) => state.variables.insert(&name, old),
                    None => state.variables.remove(&name),
                };
            }
            if state.frames().is_empty() {
                state.frames = None;
            }
            if frame.is_function && state.flow == Flow::Return {
                state.flow = Flow::Next;
            }
        });
    }

    pub(super) fn is_in_function(&self) -> bool {
        self.state.frames().iter().any(|frame| frame.is_function)
    }

    /// The variable is one of the function's own, or of the innermost block's.
    pub(super) fn make_local(&mut self, name: &str, of_function: bool) {
        let mut frames = self.state.frames().iter();
        let found = frames.rposition(|frame| frame.is_function || !of_function);
        let Some(at) = found else {
            return;
        };
        if self.state.frames()[at]
            .saved
            .iter()
            .any(|(saved, _)| **saved == *name)
        {
            return;
        }
        let old = self.own_value(name).cloned();
        let frames = Rc::make_mut(self.state.frames.get_or_insert_default());
        frames[at].saved.push((name.into(), old));
    }

    pub(super) fn variable(&self, name: &str) -> Option<&Variable> {
        let mut variable = self.own_value(name)?;
        for _ in 0..REFERENCES_LIMIT {
            let Variable::Reference(target) = &**variable else {
                break;
            };
            variable = self.own_value(target)?;
        }
        Some(variable)
    }

    /// The value of this very variable, which may be a reference to another.
    fn own_value(&self, name: &str) -> Option<&Rc<Variable>> {
        let value = self.state.variables.get(name);
        self.looks.borrow_mut().variable(name, value);
        value
    }

    pub(super) fn set(&mut self, name: &str, value: Variable) {
        self.set_shared(name, Rc::new(value));
    }

    fn set_shared(&mut self, name: &str, value: Rc<Variable>) {
        let mut name: EcoString = name.into();
        for _ in 0..REFERENCES_LIMIT {
            match self.state.variables.get(&name).map(|variable| &**variable) {
                Some(Variable::Reference(target)) if !target.is_empty() => {
                    name = target.clone();
                }
                _ => break,
            }
        }
        self.state.variables.insert(&name, value);
    }

    /// These states, in each of which a variable has a value.
    pub(super) fn with_variable(
        &mut self,
        states: Vec<State>,
        name: &str,
        value: Variable,
    ) -> Vec<State> {
        let value = Rc::new(value);
        let set = |state: State| {
            self.state = state;
            self.set_shared(name, Rc::clone(&value));
            self.state.clone()
        };
        states.into_iter().map(set).collect()
    }

    /// `declare -n`: the variable is the one that its value names from now on.
    pub(super) fn refer(&mut self, name: &str) {
        if let Some(Variable::Scalar(target)) = self.own_value(name).map(|value| &**value)
            && let Some(target) = target.known().filter(|target| *target != name)
        {
            let reference = Variable::Reference(target.into());
            self.state.variables.insert(name, Rc::new(reference));
        }
    }

    pub(super) fn unset(&mut self, name: &str) {
        self.state.variables.remove(name);
    }

    pub(super) fn function(&self, name: &str) -> Option<Function> {
        self.state.functions.get(name).cloned()
    }

    pub(super) fn define(&mut self, name: &str, body: Rc<Node>) {
        let function = Function {
            body,
            others: None,
            is_exported: false,
            is_doubtful: false,
        };
        self.state.functions.insert(name, function);
    }

    /// `unset -f`
    pub(super) fn undefine(&mut self, name: &str) {
        self.state.functions.remove(name);
    }

    /// `export -f`
    pub(super) fn export_function(&mut self, name: &str) {
        if let Some(mut function) = self.function(name) {
            function.is_exported = true;
            self.state.functions.insert(name, function);
        }
    }

    /// Some shells know a function no more.
    pub(super) fn doubt_function(&mut self, name: &str) {
        if let Some(mut function) = self.function(name) {
            function.is_doubtful = true;
            self.state.functions.insert(name, function);
        }
    }

    /// A new shell knows no alias, and only those functions that are exported, if it is a bash.
    pub(super) fn start_shell(&mut self) {
        self.state.aliases = Table::default();
        self.state.functions = self.state.functions.filtered(|function| {
            function.is_exported.then(|| Function {
                is_doubtful: true,
                ..function.clone()
            })
        });
    }

    /// The text behind an alias, in a text that is read as the `reading`th.
    pub(super) fn alias(&self, name: &str, reading: u32) -> Option<&str> {
        let alias = self.state.aliases.get(name)?;
        if alias.defined == Some(reading) {
            return alias.earlier.as_deref();
        }
        let is_kept = alias.removed.is_none_or(|removed| removed == reading);
        is_kept.then_some(&*alias.text)
    }

    pub(super) fn has_aliases(&self) -> bool {
        !self.state.aliases.is_empty()
    }

    /// `defined` is the text that was read last, or none for an alias that counts at once.
    pub(super) fn set_alias(&mut self, name: &str, text: &str, defined: Option<u32>) {
        let earlier = defined.and_then(|reading| self.alias(name, reading));
        let alias = Alias {
            text: text.into(),
            defined,
            removed: None,
            earlier: earlier.map(Rc::from),
        };
        self.state.aliases.insert(name, alias);
    }

    /// `unalias`: from the next text on.
    pub(super) fn remove_alias(&mut self, name: &str, reading: Option<u32>) {
        if let Some(mut alias) = self.state.aliases.get(name).cloned() {
            alias.removed = Some(reading.unwrap_or(u32::MAX));
            self.state.aliases.insert(name, alias);
        }
    }

    /// `unalias -a`
    pub(super) fn remove_aliases(&mut self, reading: Option<u32>) {
        let removed = Some(reading.unwrap_or(u32::MAX));
        self.state.aliases = self.state.aliases.filtered(|alias| {
            Some(Alias {
                removed,
                ..alias.clone()
            })
        });
    }

    pub(super) fn arguments(&self) -> Option<Rc<[Arg]>> {
        self.state.arguments.clone()
    }

    pub(super) fn set_arguments(&mut self, arguments: Option<Rc<[Arg]>>) {
        self.state.arguments = arguments;
    }

    /// Gives back the arguments of before, in every state that a call has left.
    pub(super) fn restore_arguments(&mut self, arguments: Option<Rc<[Arg]>>) {
        self.each(|state| state.arguments.clone_from(&arguments));
    }
}
