//! Parameters of cmdlets: `-Name value`, `-Name:value`, switches, unique beginnings, lists.

use super::lists::elements;
use crate::ir::Arg;

/// Parameters without a value.
#[rustfmt::skip]
const SWITCHES: &[&str] = &[
    "recurse", "force", "raw", "wait", "append", "quiet", "casesensitive", "simplematch",
    "notmatch", "allmatches", "list", "directory", "file", "hidden", "system", "readonly",
    "nonewline", "noclobber", "passthru", "whatif", "confirm", "verbose", "debug", "asbytestream",
    "usebasicparsing", "followsymlink", "leaf", "noemphasis", "resolve", "parent", "asjob",
    "nonewwindow", "isvalid", "unique", "descending",
];

/// Parameters with one, as far as their beginnings could be taken for a switch.
#[rustfmt::skip]
const VALUED: &[&str] = &[
    "path", "literalpath", "filter", "include", "exclude", "depth", "value", "encoding", "pattern",
    "totalcount", "first", "head", "tail", "last", "readcount", "delimiter", "stream", "itemtype",
    "type", "destination", "newname", "filepath", "inputobject", "outfile", "uri", "context",
    "width", "culture", "scriptblock", "argumentlist", "process", "command", "name", "property",
    "method", "headers", "body", "attributes", "erroraction", "ea", "errorvariable", "outvariable",
    "expandproperty", "skip", "index",
];

/// The arguments of a cmdlet by name and by position.
#[derive(Debug, Default)]
pub(super) struct Parameters {
    named: Vec<(String, Option<Arg>)>,
    pub(super) positional: Vec<Arg>,
}

impl Parameters {
    pub(super) fn of(args: &[Arg]) -> Self {
        let mut parameters = Self::default();
        let mut index = 0;
        while let Some(arg) = args.get(index) {
            index += 1;
            let name = arg
                .text
                .strip_prefix('-')
                .filter(|name| !arg.quoted && is_name(name));
            let Some(name) = name else {
                parameters.positional.push(arg.clone());
                continue;
            };
            if let Some((name, value)) = name.split_once(':') {
                let value = arg.with_text(value);
                parameters
                    .named
                    .push((name.to_ascii_lowercase(), Some(value)));
                continue;
            }
            let name = name.to_ascii_lowercase();
            let value = if is_switch(&name) {
                None
            } else {
                args.get(index).cloned()
            };
            index += usize::from(value.is_some());
            parameters.named.push((name, value));
        }
        parameters
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.named
            .iter()
            .any(|(given, _)| name.starts_with(given.as_str()))
    }

    pub(super) fn value(&self, name: &str) -> Option<&Arg> {
        let found = self
            .named
            .iter()
            .find(|(given, value)| value.is_some() && name.starts_with(given.as_str()));
        found.and_then(|(_, value)| value.as_ref())
    }

    fn named_paths(&self) -> Option<&Arg> {
        self.value("path")
            .or_else(|| self.value("literalpath"))
            .or_else(|| self.value("filepath"))
    }

    /// The paths that are named, or else the positional ones from an index on.
    pub(super) fn paths(&self, from: usize) -> Vec<Arg> {
        let positional = || self.positional.get(from..).unwrap_or_default();
        match self.named_paths() {
            Some(paths) => elements(paths),
            None => positional().iter().flat_map(elements).collect(),
        }
    }

    /// The positional argument behind the paths.
    pub(super) fn after_paths(&self) -> Option<Arg> {
        let at = usize::from(self.named_paths().is_none());
        self.positional
            .get(at)
            .and_then(|arg| elements(arg).into_iter().next())
    }

    /// The paths of a cmdlet whose other positional arguments are something else: one, or a list.
    pub(super) fn first_paths(&self) -> Vec<Arg> {
        let paths = self.named_paths().or_else(|| self.positional.first());
        paths.map(elements).unwrap_or_default()
    }
}

fn is_name(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_ascii_alphabetic())
}

fn is_switch(name: &str) -> bool {
    if SWITCHES.contains(&name) {
        return true;
    }
    // What was meant for a Unix tool, such as `rm -rf` and `ls -la`.
    let unix = name.len() <= 4 && name.bytes().all(|byte| b"rfalhtRi1".contains(&byte));
    let begins = |names: &[&str]| names.iter().any(|known| known.starts_with(name));
    begins(SWITCHES) && (name.len() == 1 || !begins(VALUED)) || (unix && !begins(VALUED))
}
