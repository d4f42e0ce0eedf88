//! One possibility of what a line has set so far, and what becomes of several where they are made one.

use super::table::{Table, is_shared};
use crate::ir::{Arg, Origin, UNKNOWN_TEXT};
use ecow::EcoString;
use siderail_syntax::tree::Node;
use std::rc::Rc;

/// States that are kept side by side; more become one in which whatever differs is unknown.
pub(crate) const STATES_LIMIT: usize = 8;

/// The value of a variable.
#[derive(Clone, Debug)]
pub(crate) enum Variable {
    Scalar(Arg),
    List(Rc<[Arg]>),
    /// `declare -n`: another name for the variable of this name.
    Reference(EcoString),
}

/// A variable that was looked at, and what it was.
pub(super) type Seen = (EcoString, Option<Rc<Variable>>);

impl Variable {
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Scalar(one), Self::Scalar(other)) => is_same_arg(one, other),
            (Self::List(one), Self::List(other)) => are_same(one, other),
            (Self::Reference(one), Self::Reference(other)) => one == other,
            _ => false,
        }
    }
}

fn is_same_arg(one: &Arg, other: &Arg) -> bool {
    one.text == other.text
        && one.unknown == other.unknown
        && one.pattern == other.pattern
        && one.more.is_none()
        && other.more.is_none()
}

fn are_same(one: &Rc<[Arg]>, other: &Rc<[Arg]>) -> bool {
    let all = || one.iter().zip(other.iter()).all(|(a, b)| is_same_arg(a, b));
    Rc::ptr_eq(one, other) || one.len() == other.len() && all()
}

/// What a name of a function runs.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) body: Rc<Node>,
    /// Other bodies that it may have instead.
    pub(crate) others: Option<Rc<[Rc<Node>]>>,
    /// `export -f`: a bash that is started later knows it.
    pub(super) is_exported: bool,
    /// Not every shell that the line may be for knows it by now: the program of that name may run as well.
    pub(crate) is_doubtful: bool,
}

/// Another name for a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Alias {
    pub(super) text: Rc<str>,
    /// The text that was read when it was defined and when it was removed: what has been read already does not change.
    pub(super) defined: Option<u32>,
    pub(super) removed: Option<u32>,
    /// What the text in which it was defined still means by the name: it was read before.
    pub(super) earlier: Option<Rc<str>>,
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
pub(crate) enum Status {
    #[default]
    Unknown,
    /// It has succeeded, as far as anybody has ever seen: what follows it by `||` is looked at all the same.
    Expected,
    /// There is another state in which it has failed.
    Succeeded,
    Failed,
}

impl Status {
    pub(crate) fn negated(self) -> Self {
        match self {
            Self::Unknown | Self::Expected => Self::Unknown,
            Self::Succeeded => Self::Failed,
            Self::Failed => Self::Succeeded,
        }
    }
}

/// Where a state continues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Flow {
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
pub(super) struct Frame {
    pub(super) saved: Vec<(EcoString, Option<Rc<Variable>>)>,
    pub(super) is_function: bool,
}

/// One possibility.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(super) variables: Table<Rc<Variable>>,
    pub(super) functions: Table<Function>,
    pub(super) aliases: Table<Alias>,
    /// The positional parameters, where the line sets them.
    pub(super) arguments: Option<Rc<[Arg]>>,
    pub(super) cwd: Rc<str>,
    pub(super) previous: Rc<str>,
    /// What `pushd` has left, if it was called.
    pub(super) folders: Option<Rc<[Rc<str>]>>,
    pub(super) frames: Option<Rc<Vec<Frame>>>,
    /// `set -e`
    pub(super) ends_on_failure: bool,
    pub(crate) status: Status,
    pub(crate) flow: Flow,
    /// It counts within its statement alone: an honest line does not reckon with it.
    pub(crate) is_unlikely: bool,
}

impl State {
    pub(super) fn frames(&self) -> &[Frame] {
        self.frames.as_deref().map_or(&[], Vec::as_slice)
    }

    /// Whether nothing but how the last command ended has changed since then.
    pub(crate) fn is_as_before(&self, before: &Self) -> bool {
        self.variables.is_shared_with(&before.variables)
            && self.functions.is_shared_with(&before.functions)
            && self.aliases.is_shared_with(&before.aliases)
            && self.has_same_arguments(before)
            && Rc::ptr_eq(&self.cwd, &before.cwd)
            && Rc::ptr_eq(&self.previous, &before.previous)
            && is_shared(&self.folders, &before.folders)
            && is_shared(&self.frames, &before.frames)
            && self.ends_on_failure == before.ends_on_failure
            && self.is_unlikely == before.is_unlikely
            && self.flow == before.flow
    }

    /// Whether both are in the same folder, and would go back to the same ones.
    pub(super) fn is_at_same_place(&self, other: &Self) -> bool {
        self.previous == other.previous && self.has_same_folders(other)
    }

    /// The same but for the folder of `cd -`.
    fn has_same_folders(&self, other: &Self) -> bool {
        self.cwd == other.cwd
            && (is_shared(&self.folders, &other.folders) || self.folders == other.folders)
    }

    pub(super) fn has_same_arguments(&self, other: &Self) -> bool {
        match (&self.arguments, &other.arguments) {
            (Some(one), Some(other)) => are_same(one, other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }

    pub(super) fn has_same_frames(&self, other: &Self) -> bool {
        let is_empty = |state: &Self| state.frames().is_empty();
        is_shared(&self.frames, &other.frames) || is_empty(self) && is_empty(other)
    }

    /// Whether a name of a command means the same here and there.
    pub(super) fn knows_same_commands(&self, other: &Self) -> bool {
        let same_functions = self.functions.is_same(
            &other.functions,
            |_, _| false,
            |_, a, b| a.is_same(b),
            &mut 0,
        );
        same_functions
            && self
                .aliases
                .is_same(&other.aliases, |_, _| false, |_, a, b| a == b, &mut 0)
    }

    /// This one, if the last command ended so.
    pub(crate) fn ended(self, status: Status) -> Self {
        Self { status, ..self }
    }

    /// Whether both are the same in all but how the last command ended. Adds what it cost, and the variables that
    /// were set here and there to the same.
    pub(super) fn is_same(&self, other: &Self, cost: &mut usize, seen: &mut Vec<Seen>) -> bool {
        self.previous == other.previous && self.is_alike(other, cost, seen)
    }

    /// The same, where `cd -` may lead elsewhere as well: few lines ever ask.
    pub(super) fn is_alike(&self, other: &Self, cost: &mut usize, seen: &mut Vec<Seen>) -> bool {
        self.has_same_folders(other)
            && self.is_unlikely == other.is_unlikely
            && self.has_same_arguments(other)
            && self.ends_on_failure == other.ends_on_failure
            && self.variables.is_same(
                &other.variables,
                Rc::ptr_eq,
                |name, a, b| {
                    let is_same = a.is_same(b);
                    if is_same {
                        seen.push((name.clone(), Some(Rc::clone(a))));
                        seen.push((name.clone(), Some(Rc::clone(b))));
                    }
                    is_same
                },
                cost,
            )
            && self
                .functions
                .is_same(&other.functions, |_, _| false, |_, a, b| a.is_same(b), cost)
            && self
                .aliases
                .is_same(&other.aliases, |_, _| false, |_, a, b| a == b, cost)
    }

    pub(super) fn merged_by_flow(
        states: Vec<Self>,
        cost: &mut usize,
        seen: &mut Vec<Seen>,
    ) -> Vec<Self> {
        let mut flows: Vec<Flow> = Vec::new();
        for state in &states {
            if !flows.contains(&state.flow) {
                flows.push(state.flow);
            }
        }
        let of_flow = |flow| states.iter().filter(move |state| state.flow == flow);
        let merged = flows.into_iter().map(|flow| {
            let alike: Vec<Self> = of_flow(flow).cloned().collect();
            Self::merged(alike, cost, seen)
        });
        merged.collect()
    }

    /// One state for all of these; whatever differs is unknown. There has to be one at least.
    pub(super) fn merged(states: Vec<Self>, cost: &mut usize, seen: &mut Vec<Seen>) -> Self {
        let mut states = states.into_iter();
        let mut all = states.next().expect("at least one state is merged");
        for state in states {
            all.merge(&state, cost, seen);
        }
        all
    }

    fn merge(&mut self, other: &Self, cost: &mut usize, seen: &mut Vec<Seen>) {
        let unknown = || Rc::new(Variable::Scalar(Arg::unknown(Origin::Variable)));
        self.variables.merge(
            &other.variables,
            |name, one, other| match other {
                Some(other) if Rc::ptr_eq(one, other) => Rc::clone(one),
                Some(other) if one.is_same(other) => {
                    seen.push((name.clone(), Some(Rc::clone(one))));
                    seen.push((name.clone(), Some(Rc::clone(other))));
                    Rc::clone(one)
                }
                _ => unknown(),
            },
            cost,
        );
        self.functions
            .merge(&other.functions, |_, one, other| one.either(other), cost);
        self.aliases
            .merge(&other.aliases, |_, one, _| one.clone(), cost);
        if self.cwd != other.cwd {
            self.cwd = unknown_folder();
        }
        if self.previous != other.previous {
            self.previous = unknown_folder();
        }
        if self.folders != other.folders {
            self.folders = None;
        }
        if !self.has_same_arguments(other) {
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

/// An unknown current folder.
pub(crate) fn unknown_folder() -> Rc<str> {
    UNKNOWN_TEXT.into()
}
