//! What a line has set so far: variables, functions, aliases, arguments, the current folder.
//!
//! Where one of two sides runs, both of what they leave behind are kept: a scope is a small set of states, one of
//! which is being walked while the others wait as forks. Tables are shared until somebody changes them, so a state
//! is cheap to keep and to go back to.

use super::ir::{Arg, Origin, UNKNOWN};
use super::syntax::Node;
use std::rc::Rc;

mod table;

use table::Table;

/// States that are kept side by side; more become one in which whatever differs cannot be told.
const STATES_LIMIT: usize = 8;

/// The longest path of a current folder that is followed.
const FOLDER_LIMIT: usize = 1_024;

/// Names that name other names are followed this far.
const REFERENCES_LIMIT: usize = 8;

/// The value of a variable.
#[derive(Clone, Debug)]
pub(super) enum Variable {
    Scalar(Arg),
    List(Rc<[Arg]>),
    /// `declare -n`: another name for the variable of this name.
    Reference(Rc<str>),
}

impl Variable {
    fn is_same(&self, other: &Self) -> bool {
        let same = |one: &Arg, other: &Arg| {
            one.text == other.text
                && one.unknown == other.unknown
                && one.pattern == other.pattern
                && one.more.is_none()
                && other.more.is_none()
        };
        match (self, other) {
            (Self::Scalar(one), Self::Scalar(other)) => same(one, other),
            (Self::List(one), Self::List(other)) => {
                Rc::ptr_eq(one, other)
                    || one.len() == other.len()
                        && one.iter().zip(other.iter()).all(|(a, b)| same(a, b))
            }
            (Self::Reference(one), Self::Reference(other)) => one == other,
            _ => false,
        }
    }
}

/// What a name of a function runs.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) body: Rc<Node>,
    /// Other bodies that it may have instead.
    pub(super) others: Option<Rc<[Rc<Node>]>>,
    /// `export -f`: a bash that is started later knows it.
    is_exported: bool,
    /// Not every shell that the line may be for knows it by now: the program of that name may run as well.
    pub(super) is_doubtful: bool,
}

/// Another name for a command.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Alias {
    text: Rc<str>,
    /// The text that was read when it was defined and when it was removed: what has been read already does not change.
    defined: Option<u32>,
    removed: Option<u32>,
}

impl Function {
    fn is_same(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.body, &other.body)
            && self.is_exported == other.is_exported
            && self.is_doubtful == other.is_doubtful
            && self.others.as_ref().map(|others| others.len())
                == other.others.as_ref().map(|others| others.len())
    }

    fn bodies(&self) -> impl Iterator<Item = &Rc<Node>> {
        std::iter::once(&self.body).chain(self.others.iter().flat_map(|others| others.iter()))
    }
}

/// How the last command ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Status {
    #[default]
    Unknown,
    /// It has succeeded, as far as anybody has ever seen: what follows it by `||` is looked at all the same.
    Expected,
    /// There is another state in which it has failed.
    Succeeded,
    Failed,
}

impl Status {
    pub(super) fn negated(self) -> Self {
        match self {
            Self::Unknown | Self::Expected => Self::Unknown,
            Self::Succeeded => Self::Failed,
            Self::Failed => Self::Succeeded,
        }
    }
}

/// Where a state goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Flow {
    /// With the next statement.
    #[default]
    Next,
    /// With the next round of the loop.
    Continue,
    /// Behind this many loops.
    Break(u8),
    /// Behind the call of the function.
    Return,
    /// Nowhere: the shell has ended.
    Exit,
}

/// Variables that get their old values back when a function or a block ends.
#[derive(Clone, Debug)]
struct Frame {
    saved: Vec<(Rc<str>, Option<Rc<Variable>>)>,
    is_function: bool,
}

/// One possibility.
#[derive(Clone, Debug)]
pub(super) struct State {
    variables: Table<Rc<Variable>>,
    functions: Table<Function>,
    aliases: Table<Alias>,
    /// The positional parameters, where the line sets them.
    arguments: Option<Rc<[Arg]>>,
    cwd: Rc<str>,
    previous: Rc<str>,
    folders: Rc<[Rc<str>]>,
    frames: Rc<Vec<Frame>>,
    /// `set -e`
    ends_on_failure: bool,
    pub(super) status: Status,
    pub(super) flow: Flow,
    /// It counts within its statement alone: an honest line does not reckon with it.
    pub(super) is_unlikely: bool,
}

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
            folders: Rc::new([]),
            frames: Rc::default(),
            ends_on_failure: false,
            status: Status::Unknown,
            flow: Flow::Next,
            is_unlikely: false,
        };
        Self {
            state,
            forks: Vec::new(),
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

    /// Whether there is one state alone, and it goes on.
    pub(super) fn is_single(&self) -> bool {
        self.forks.is_empty() && self.state.flow == Flow::Next
    }

    /// Walks this state next.
    pub(super) fn enter(&mut self, state: State) {
        self.state = state;
        self.forks.clear();
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
        let mut cost = 0;
        let mut kept: Vec<State> = Vec::with_capacity(states.len().min(STATES_LIMIT + 1));
        for state in states {
            let known = kept
                .iter()
                .any(|known| known.flow == state.flow && state.is_same(known, &mut cost));
            if known {
                // How the last command ended differs, then.
                for known in &mut kept {
                    if known.flow == state.flow
                        && known.status != state.status
                        && state.is_same(known, &mut cost)
                    {
                        known.status = Status::Unknown;
                    }
                }
            } else {
                kept.push(state);
            }
        }
        if kept.len() > STATES_LIMIT {
            kept = State::merged_by_flow(kept, &mut cost);
        }
        let mut kept = kept.into_iter();
        if let Some(first) = kept.next() {
            self.state = first;
        }
        self.forks = kept.collect();
        cost
    }

    /// Makes all states one, in which whatever differs cannot be told.
    pub(super) fn settle(&mut self) -> usize {
        if self.forks.is_empty() {
            return 0;
        }
        let mut cost = 0;
        let all = self.take_all();
        self.state = State::merged(all, &mut cost);
        cost
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
        Rc::make_mut(&mut self.state.frames).push(Frame {
            saved: Vec::new(),
            is_function,
        });
    }

    /// Ends it: variables of its own are gone.
    pub(super) fn leave_frame(&mut self) {
        self.each(|state| {
            let Some(frame) = Rc::make_mut(&mut state.frames).pop() else {
                return;
            };
            for (name, old) in frame.saved.into_iter().rev() {
                match old {
                    Some(old) => state.variables.insert(&name, old),
                    None => state.variables.remove(&name),
                };
            }
            if frame.is_function && state.flow == Flow::Return {
                state.flow = Flow::Next;
            }
        });
    }

    pub(super) fn is_in_function(&self) -> bool {
        self.state.frames.iter().any(|frame| frame.is_function)
    }

    /// The variable is one of the function's own, or of the innermost block's.
    pub(super) fn make_local(&mut self, name: &str, of_function: bool) {
        let mut frames = self.state.frames.iter();
        let found = frames.rposition(|frame| frame.is_function || !of_function);
        let Some(at) = found else {
            return;
        };
        if self.state.frames[at]
            .saved
            .iter()
            .any(|(saved, _)| **saved == *name)
        {
            return;
        }
        let old = self.state.variables.get(name).cloned();
        let frames = Rc::make_mut(&mut self.state.frames);
        frames[at].saved.push((name.into(), old));
    }

    pub(super) fn variable(&self, name: &str) -> Option<&Variable> {
        let mut variable = self.state.variables.get(name)?;
        for _ in 0..REFERENCES_LIMIT {
            let Variable::Reference(target) = &**variable else {
                break;
            };
            variable = self.state.variables.get(target)?;
        }
        Some(variable)
    }

    pub(super) fn set(&mut self, name: &str, value: Variable) {
        let mut name: Rc<str> = name.into();
        for _ in 0..REFERENCES_LIMIT {
            match self.state.variables.get(&name).map(|variable| &**variable) {
                Some(Variable::Reference(target)) if !target.is_empty() => {
                    name = Rc::clone(target);
                }
                _ => break,
            }
        }
        self.state.variables.insert(&name, Rc::new(value));
    }

    /// `declare -n`: the variable is the one that its value names from now on.
    pub(super) fn refer(&mut self, name: &str) {
        if let Some(Variable::Scalar(target)) = self.state.variables.get(name).map(|value| &**value)
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
        let is_known = alias.defined != Some(reading);
        let is_kept = alias.removed.is_none_or(|removed| removed == reading);
        (is_known && is_kept).then_some(&*alias.text)
    }

    pub(super) fn has_aliases(&self) -> bool {
        !self.state.aliases.is_empty()
    }

    /// `defined` is the text that was read last, or none for an alias that counts at once.
    pub(super) fn set_alias(&mut self, name: &str, text: &str, defined: Option<u32>) {
        let alias = Alias {
            text: text.into(),
            defined,
            removed: None,
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

    pub(super) fn cwd(&self) -> &Rc<str> {
        &self.state.cwd
    }

    pub(super) fn previous(&self) -> &Rc<str> {
        &self.state.previous
    }

    pub(super) fn enter_folder(&mut self, folder: impl Into<Rc<str>>) {
        let folder = folder.into();
        if folder == self.state.cwd {
            return;
        }
        // A path that grows with each step is not worth its letters.
        let folder = if folder.len() > FOLDER_LIMIT {
            unknown_folder()
        } else {
            folder
        };
        let cwd = std::mem::replace(&mut self.state.cwd, folder);
        self.state.previous = cwd;
    }

    /// `pushd`; only the last few folders are kept.
    pub(super) fn push_folder(&mut self) {
        let kept = self.state.folders.iter().rev().take(15).rev().cloned();
        self.state.folders = kept.chain([Rc::clone(&self.state.cwd)]).collect();
    }

    /// `popd`: the folder to go back to.
    pub(super) fn pop_folder(&mut self) -> Rc<str> {
        let Some((last, rest)) = self.state.folders.split_last() else {
            return unknown_folder();
        };
        let (last, rest) = (Rc::clone(last), rest.iter().cloned().collect());
        self.state.folders = rest;
        last
    }
}

impl State {
    /// This one, if the last command ended so.
    pub(super) fn ended(self, status: Status) -> Self {
        Self { status, ..self }
    }

    fn is_same(&self, other: &Self, cost: &mut usize) -> bool {
        let same_arguments = match (&self.arguments, &other.arguments) {
            (None, None) => true,
            (Some(one), Some(other)) => Rc::ptr_eq(one, other),
            _ => false,
        };
        self.cwd == other.cwd
            && self.is_unlikely == other.is_unlikely
            && same_arguments
            && self.ends_on_failure == other.ends_on_failure
            && (Rc::ptr_eq(&self.folders, &other.folders) || self.folders == other.folders)
            && self.previous == other.previous
            && self
                .variables
                .is_same(&other.variables, Rc::ptr_eq, |a, b| a.is_same(b), cost)
            && self
                .functions
                .is_same(&other.functions, |_, _| false, Function::is_same, cost)
            && self
                .aliases
                .is_same(&other.aliases, |_, _| false, |a, b| a == b, cost)
    }

    fn merged_by_flow(states: Vec<Self>, cost: &mut usize) -> Vec<Self> {
        let mut flows: Vec<Flow> = Vec::new();
        for state in &states {
            if !flows.contains(&state.flow) {
                flows.push(state.flow);
            }
        }
        let of_flow = |flow| states.iter().filter(move |state| state.flow == flow);
        let merged = flows.into_iter().map(|flow| {
            let alike: Vec<Self> = of_flow(flow).cloned().collect();
            Self::merged(alike, cost)
        });
        merged.collect()
    }

    /// One state for all of these; whatever differs cannot be told. There has to be one at least.
    pub(super) fn merged(states: Vec<Self>, cost: &mut usize) -> Self {
        let mut states = states.into_iter();
        let mut all = states.next().expect("at least one state is merged");
        for state in states {
            all.merge(&state, cost);
        }
        all
    }

    fn merge(&mut self, other: &Self, cost: &mut usize) {
        let unknown = || Rc::new(Variable::Scalar(Arg::unknown(Origin::Variable)));
        self.variables.merge(
            &other.variables,
            |one, other| match other {
                Some(other) if Rc::ptr_eq(one, other) || one.is_same(other) => Rc::clone(one),
                _ => unknown(),
            },
            cost,
        );
        self.functions
            .merge(&other.functions, Function::either, cost);
        self.aliases
            .merge(&other.aliases, |one, _| one.clone(), cost);
        if self.cwd != other.cwd {
            self.cwd = unknown_folder();
        }
        if self.previous != other.previous {
            self.previous = unknown_folder();
        }
        if self.folders != other.folders {
            self.folders = Rc::new([]);
        }
        let same_arguments = match (&self.arguments, &other.arguments) {
            (Some(one), Some(other)) => Rc::ptr_eq(one, other),
            (None, None) => true,
            _ => false,
        };
        if !same_arguments {
            self.arguments = None;
        }
        self.ends_on_failure &= other.ends_on_failure;
        self.is_unlikely &= other.is_unlikely;
        if self.status != other.status {
            self.status = Status::Unknown;
        }
    }
}

impl Function {
    /// One that has the bodies of both.
    fn either(&self, other: Option<&Self>) -> Self {
        let Some(other) = other else {
            return Self {
                is_doubtful: true,
                ..self.clone()
            };
        };
        if self.is_same(other) {
            return self.clone();
        }
        let mut others: Vec<Rc<Node>> =
            self.others.iter().flat_map(|o| o.iter()).cloned().collect();
        for body in other.bodies() {
            let known =
                Rc::ptr_eq(body, &self.body) || others.iter().any(|known| Rc::ptr_eq(known, body));
            if !known && others.len() < STATES_LIMIT {
                others.push(Rc::clone(body));
            }
        }
        Self {
            body: Rc::clone(&self.body),
            others: (!others.is_empty()).then(|| others.into()),
            is_exported: self.is_exported || other.is_exported,
            is_doubtful: self.is_doubtful || other.is_doubtful,
        }
    }
}

/// A current folder that cannot be told.
pub(super) fn unknown_folder() -> Rc<str> {
    UNKNOWN.to_string().into()
}
