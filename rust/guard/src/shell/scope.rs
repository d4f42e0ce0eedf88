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

/// A function of the line.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) body: Rc<Node>,
    /// `export -f`: a bash that is started later knows it.
    is_exported: bool,
    /// Not every shell that the line may be for knows it by now: the program of that name may run as well.
    pub(super) is_doubtful: bool,
}

/// Another name for a command.
#[derive(Clone, Debug)]
struct Alias {
    text: String,
    /// The text that was read when it was defined and when it was removed: what has been read already does not change.
    defined: Option<u32>,
    removed: Option<u32>,
}

#[derive(Debug)]
enum Change {
    Variable(String, Option<Variable>),
    Function(String, Option<Function>),
    Alias(String, Option<Alias>),
    /// A new shell was started, which knows none of them.
    Shell(BTreeMap<String, Function>, BTreeMap<String, Alias>),
    Arguments(Option<Rc<[Arg]>>),
    Folder {
        cwd: Rc<str>,
        previous: Rc<str>,
    },
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
    functions: BTreeMap<String, Function>,
    aliases: BTreeMap<String, Alias>,
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
                Some(Change::Shell(functions, aliases)) => {
                    self.functions = functions;
                    self.aliases = aliases;
                }
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

    pub(super) fn function(&self, name: &str) -> Option<Function> {
        self.functions.get(name).cloned()
    }

    pub(super) fn define(&mut self, name: &str, body: Rc<Node>) {
        let function = Function {
            body,
            is_exported: false,
            is_doubtful: false,
        };
        self.put_function(name, Some(function));
    }

    /// `unset -f`
    pub(super) fn undefine(&mut self, name: &str) {
        self.put_function(name, None);
    }

    /// `export -f`
    pub(super) fn export_function(&mut self, name: &str) {
        if let Some(function) = self.function(name) {
            let is_exported = true;
            self.put_function(
                name,
                Some(Function {
                    is_exported,
                    ..function
                }),
            );
        }
    }

    /// Some shells know a function no more.
    pub(super) fn doubt_function(&mut self, name: &str) {
        if let Some(function) = self.function(name) {
            let is_doubtful = true;
            self.put_function(
                name,
                Some(Function {
                    is_doubtful,
                    ..function
                }),
            );
        }
    }

    fn put_function(&mut self, name: &str, function: Option<Function>) {
        let old = match function {
            Some(function) => self.functions.insert(name.to_owned(), function),
            None => self.functions.remove(name),
        };
        self.journal.push(Change::Function(name.to_owned(), old));
    }

    /// A new shell knows no alias, and only those functions that are exported, if it is a bash.
    pub(super) fn start_shell(&mut self) {
        if self.functions.is_empty() && self.aliases.is_empty() {
            return;
        }
        let exported = self
            .functions
            .iter()
            .filter(|(_, function)| function.is_exported);
        let exported = exported.map(|(name, function)| {
            let is_doubtful = true;
            (
                name.clone(),
                Function {
                    is_doubtful,
                    ..function.clone()
                },
            )
        });
        let exported = exported.collect();
        let functions = std::mem::replace(&mut self.functions, exported);
        let aliases = std::mem::take(&mut self.aliases);
        self.journal.push(Change::Shell(functions, aliases));
    }

    /// The text behind an alias, in a text that is read as the `reading`th.
    pub(super) fn alias(&self, name: &str, reading: u32) -> Option<&str> {
        let alias = self.aliases.get(name)?;
        let is_known = alias.defined != Some(reading);
        let is_kept = alias.removed.is_none_or(|removed| removed == reading);
        (is_known && is_kept).then_some(alias.text.as_str())
    }

    pub(super) fn has_aliases(&self) -> bool {
        !self.aliases.is_empty()
    }

    /// `defined` is the text that was read last, or none for an alias that counts at once.
    pub(super) fn set_alias(&mut self, name: &str, text: &str, defined: Option<u32>) {
        let alias = Alias {
            text: text.to_owned(),
            defined,
            removed: None,
        };
        self.put_alias(name, alias);
    }

    /// `unalias`: from the next text on.
    pub(super) fn remove_alias(&mut self, name: &str, reading: Option<u32>) {
        if let Some(alias) = self.aliases.get(name).cloned() {
            let removed = Some(reading.unwrap_or(u32::MAX));
            self.put_alias(name, Alias { removed, ..alias });
        }
    }

    /// `unalias -a`
    pub(super) fn remove_aliases(&mut self, reading: Option<u32>) {
        let names: Vec<String> = self.aliases.keys().cloned().collect();
        for name in names {
            self.remove_alias(&name, reading);
        }
    }

    fn put_alias(&mut self, name: &str, alias: Alias) {
        let old = self.aliases.insert(name.to_owned(), alias);
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
