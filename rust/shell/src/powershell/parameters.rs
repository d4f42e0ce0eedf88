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
    /// `-?`: every cmdlet shows its help, and does nothing else.
    pub(super) asks: bool,
    /// A word with which programs are asked for help, in the place of an operand.
    pub(super) has_help_word: bool,
}

impl Parameters {
    pub(super) fn of(args: &[Arg]) -> Self {
        let mut parameters = Self::default();
        let mut index = 0;
        let mut only_operands = false;
        while let Some(arg) = args.get(index) {
            index += 1;
            let may_be_name = !arg.quoted && !only_operands;
            if may_be_name && arg.is("--") {
                only_operands = true;
                continue;
            }
            parameters.asks |= may_be_name && arg.is("-?");
            parameters.has_help_word |= may_be_name && (arg.is("--help") || arg.is("--version"));
            let name = arg.text.strip_prefix('-');
            let Some(name) = name.filter(|name| may_be_name && is_name(name)) else {
                parameters.positional.push(arg.clone());
                continue;
            };
            if let Some((name, value)) = name.split_once(':') {
                let attached = (!value.is_empty()).then(|| arg.with_text(value));
                index += usize::from(attached.is_none());
                let value = attached.or_else(|| args.get(index - 1).cloned());
                parameters.named.push((name.to_ascii_lowercase(), value));
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

    /// Whether a switch may be on: it is given, and its value does not say that it is off.
    pub(super) fn may_have(&self, name: &str) -> bool {
        self.switch(name, |value| value.is_none_or(|value| !is_false(value)))
    }

    /// Whether a switch is on, whatever the value is that it may have.
    pub(super) fn has(&self, name: &str) -> bool {
        self.switch(name, |value| value.is_none_or(is_true))
    }

    fn switch(&self, name: &str, is_on: impl Fn(Option<&Arg>) -> bool) -> bool {
        let is_it = |given: &str| name.starts_with(given);
        let mut named = self.named.iter();
        named.any(|(given, value)| is_it(given) && is_on(value.as_ref()))
    }

    pub(super) fn value(&self, name: &str) -> Option<&Arg> {
        let found = self
            .named
            .iter()
            .find(|(given, value)| value.is_some() && name.starts_with(given.as_str()));
        found.and_then(|(_, value)| value.as_ref())
    }

    fn named_paths(&self) -> Option<&Arg> {
        let names = ["path", "literalpath", "pspath", "lp", "filepath"];
        names.iter().find_map(|name| self.value(name))
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
    pub(super) fn behind_paths(&self) -> Option<&Arg> {
        let at = usize::from(self.named_paths().is_none());
        self.positional.get(at)
    }

    /// The same, or the first of the list that it is.
    pub(super) fn after_paths(&self) -> Option<Arg> {
        self.behind_paths()
            .and_then(|arg| elements(arg).into_iter().next())
    }

    /// The paths of a cmdlet whose other positional arguments are something else: one, or a list.
    pub(super) fn first_paths(&self) -> Vec<Arg> {
        let paths = self.named_paths().or_else(|| self.positional.first());
        paths.map(elements).unwrap_or_default()
    }
}

/// Whether the value of a switch says that it is on.
fn is_true(value: &Arg) -> bool {
    let is_number = |text: &str| text.parse::<f64>().is_ok_and(|number| number != 0.0);
    let is_it = |text: &str| text.eq_ignore_ascii_case("true") || is_number(text);
    value.known().is_some_and(is_it)
}

/// Whether it says that it is off.
fn is_false(value: &Arg) -> bool {
    let is_number = |text: &str| text.parse::<f64>().is_ok_and(|number| number == 0.0);
    let is_it = |text: &str| text.eq_ignore_ascii_case("false") || is_number(text);
    value.known().is_some_and(is_it)
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
