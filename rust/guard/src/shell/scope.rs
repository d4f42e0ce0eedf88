//! What a line has set so far: variables, functions, aliases, arguments, the current folder, files.
//!
//! Changes are journalled, so that leaving a subshell takes them back in time proportional to their
//! number, and leaving a branch turns what it changed into something that cannot be told.

use super::ir::{Arg, Origin, Stream, UNKNOWN};
use super::syntax::Node;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A file and what was written into it, or a folder all of whose files came from elsewhere.
#[derive(Debug)]
pub(super) struct Saved {
    pub(super) path: String,
    pub(super) is_folder: bool,
    pub(super) stream: Stream,
}

impl Saved {
    pub(super) fn holds(&self, path: &str) -> bool {
        let rest = path.strip_prefix(self.path.as_str());
        rest.is_some_and(|rest| rest.is_empty() || (self.is_folder && rest.starts_with('/')))
    }
}

/// The value of a variable.
#[derive(Clone, Debug)]
pub(super) enum Variable {
    Scalar(Arg),
    List(Rc<[Arg]>),
}

#[derive(Debug)]
enum Change {
    Variable(String, Option<Variable>),
    Function(String, Option<Rc<Node>>),
    Alias(String, Option<String>),
    Arguments(Option<Rc<[Arg]>>),
    Folder { cwd: Rc<str>, previous: Rc<str> },
    Folders(Rc<[Rc<str>]>),
}

/// The longest path of a current folder that is followed.
const FOLDER_LIMIT: usize = 1_024;

/// How far the journal was at some time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark(usize);

/// What some statements have changed.
#[derive(Debug, Default)]
pub(super) struct Changes {
    variables: BTreeSet<String>,
    folder: bool,
    arguments: bool,
}

impl Changes {
    pub(super) fn and(mut self, other: Self) -> Self {
        self.variables.extend(other.variables);
        self.folder |= other.folder;
        self.arguments |= other.arguments;
        self
    }
}

#[derive(Debug)]
pub(super) struct Scope {
    variables: BTreeMap<String, Variable>,
    functions: BTreeMap<String, Rc<Node>>,
    aliases: BTreeMap<String, String>,
    /// The positional parameters, where the line sets them.
    arguments: Option<Rc<[Arg]>>,
    cwd: Rc<str>,
    previous: Rc<str>,
    folders: Rc<[Rc<str>]>,
    journal: Vec<Change>,
}

impl Scope {
    pub(super) fn new(cwd: &str) -> Self {
        Self {
            variables: BTreeMap::new(),
            functions: BTreeMap::new(),
            aliases: BTreeMap::new(),
            arguments: None,
            cwd: cwd.into(),
            previous: unknown_folder(),
            folders: Rc::new([]),
            journal: Vec::new(),
        }
    }

    pub(super) fn mark(&self) -> Mark {
        Mark(self.journal.len())
    }

    /// Takes everything back that was changed since the mark.
    pub(super) fn undo_to(&mut self, mark: Mark) {
        while self.journal.len() > mark.0 {
            match self.journal.pop() {
                Some(Change::Variable(name, old)) => restore(&mut self.variables, name, old),
                Some(Change::Function(name, old)) => restore(&mut self.functions, name, old),
                Some(Change::Alias(name, old)) => restore(&mut self.aliases, name, old),
                Some(Change::Arguments(old)) => self.arguments = old,
                Some(Change::Folder { cwd, previous }) => {
                    self.cwd = cwd;
                    self.previous = previous;
                }
                Some(Change::Folders(old)) => self.folders = old,
                None => break,
            }
        }
    }

    /// What was changed since the mark may or may not have been: it cannot be told any more.
    pub(super) fn doubt_since(&mut self, mark: Mark) {
        let changes = self.changes_since(mark);
        self.doubt(changes);
    }

    /// Takes everything back that was changed since the mark, and says what it was.
    pub(super) fn take_back(&mut self, mark: Mark) -> Changes {
        let changes = self.changes_since(mark);
        self.undo_to(mark);
        changes
    }

    fn changes_since(&self, mark: Mark) -> Changes {
        let mut changes = Changes::default();
        for change in &self.journal[mark.0..] {
            match change {
                // A set, so that branches inside branches do not double their changes at each level.
                Change::Variable(name, _) => {
                    changes.variables.insert(name.clone());
                }
                Change::Folder { .. } => changes.folder = true,
                Change::Arguments(_) => changes.arguments = true,
                _ => {}
            }
        }
        changes
    }

    /// Whatever was changed cannot be told any more.
    pub(super) fn doubt(&mut self, changes: Changes) {
        for name in changes.variables {
            self.set(&name, Variable::Scalar(Arg::unknown(Origin::Variable)));
        }
        if changes.folder {
            self.enter_folder(unknown_folder());
        }
        if changes.arguments {
            self.set_arguments(None);
        }
    }

    pub(super) fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.get(name)
    }

    pub(super) fn set(&mut self, name: &str, value: Variable) {
        let old = self.variables.insert(name.to_owned(), value);
        self.journal.push(Change::Variable(name.to_owned(), old));
    }

    pub(super) fn unset(&mut self, name: &str) {
        if let Some(old) = self.variables.remove(name) {
            self.journal
                .push(Change::Variable(name.to_owned(), Some(old)));
        }
    }

    pub(super) fn function(&self, name: &str) -> Option<Rc<Node>> {
        self.functions.get(name).cloned()
    }

    pub(super) fn define(&mut self, name: &str, body: Rc<Node>) {
        let old = self.functions.insert(name.to_owned(), body);
        self.journal.push(Change::Function(name.to_owned(), old));
    }

    pub(super) fn alias(&self, name: &str) -> Option<&str> {
        self.aliases.get(name).map(String::as_str)
    }

    pub(super) fn set_alias(&mut self, name: &str, text: &str) {
        let old = self.aliases.insert(name.to_owned(), text.to_owned());
        self.journal.push(Change::Alias(name.to_owned(), old));
    }

    pub(super) fn arguments(&self) -> Option<Rc<[Arg]>> {
        self.arguments.clone()
    }

    pub(super) fn set_arguments(&mut self, arguments: Option<Rc<[Arg]>>) {
        let old = std::mem::replace(&mut self.arguments, arguments);
        self.journal.push(Change::Arguments(old));
    }

    pub(super) fn cwd(&self) -> &Rc<str> {
        &self.cwd
    }

    pub(super) fn previous(&self) -> &Rc<str> {
        &self.previous
    }

    pub(super) fn enter_folder(&mut self, folder: impl Into<Rc<str>>) {
        let folder = folder.into();
        if folder == self.cwd {
            return;
        }
        // A path that grows with each step is not worth its letters.
        let folder = if folder.len() > FOLDER_LIMIT {
            unknown_folder()
        } else {
            folder
        };
        let cwd = std::mem::replace(&mut self.cwd, folder);
        let previous = std::mem::replace(&mut self.previous, Rc::clone(&cwd));
        self.journal.push(Change::Folder { cwd, previous });
    }

    /// `pushd`; only the last few folders are kept.
    pub(super) fn push_folder(&mut self) {
        let kept = self.folders.iter().rev().take(15).rev().cloned();
        let folders = kept.chain([Rc::clone(&self.cwd)]).collect();
        let old = std::mem::replace(&mut self.folders, folders);
        self.journal.push(Change::Folders(old));
    }

    /// `popd`: the folder to go back to.
    pub(super) fn pop_folder(&mut self) -> Rc<str> {
        let Some((last, rest)) = self.folders.split_last() else {
            return unknown_folder();
        };
        let (last, rest) = (Rc::clone(last), rest.iter().cloned().collect());
        let old = std::mem::replace(&mut self.folders, rest);
        self.journal.push(Change::Folders(old));
        last
    }
}

fn restore<V>(table: &mut BTreeMap<String, V>, name: String, old: Option<V>) {
    match old {
        Some(old) => table.insert(name, old),
        None => table.remove(&name),
    };
}

/// A current folder that cannot be told.
pub(super) fn unknown_folder() -> Rc<str> {
    UNKNOWN.to_string().into()
}
