//! Tools that print the text of files.

use crate::args::Grammar;
use crate::call::Call;
use crate::ir::{Arg, Origin, Stream};
use crate::judge::Judge;
use crate::paths::Target;
use crate::streams::{filtered, is_own_text};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::slice;

/// A program that prints the files it is given, or its input.
pub(crate) struct Reader {
    pub(crate) names: &'static [&'static str],
    /// Which of its options take a value.
    pub(super) grammar: Grammar,
    /// Operands such as `+10` are lines to start at, and not files.
    jumps: bool,
    /// These options make it wait for more, so that it is no mere reading.
    follows: &'static [(&'static str, &'static str)],
    /// These options take a command that it runs.
    pub(super) carries: &'static [(&'static str, &'static str)],
}

const READER: Reader = Reader {
    names: &[],
    grammar: Grammar::gnu("", &[]),
    jumps: false,
    follows: &[],
    carries: &[],
};

/// All there is to say of such a program: a new one is a row here. What asks for help, which programs run what
/// an option says, and what a pattern in place of a name may spell are told by the same rows.
#[rustfmt::skip]
pub(crate) const READERS: &[Reader] = &[
    Reader { names: &["cat"], ..READER },
    Reader { names: &["head"], grammar: HEAD, ..READER },
    Reader {
        names: &["tail"], grammar: HEAD, jumps: true, follows: &[("fF", "follow"), ("", "retry")], ..READER
    },
    Reader { names: &["less", "more"], grammar: PAGER, jumps: true, ..READER },
    Reader { names: &["most"], grammar: PAGER, ..READER },
    Reader {
        names: &["bat", "batcat"],
        grammar: Grammar::gnu(
            "lrHm",
            &[
                "language", "line-range", "highlight-line", "map-syntax", "theme", "style", "tabs", "wrap",
                "paging", "pager", "color", "decorations", "terminal-width", "file-name", "diff-context",
            ],
        ),
        carries: &[("", "pager")],
        ..READER
    },
    Reader {
        names: &["nl"],
        grammar: Grammar::gnu("bdfhilnsvw", &["body-numbering", "number-format", "number-width"]),
        ..READER
    },
    Reader { names: &["tac"], grammar: Grammar::gnu("s", &["separator"]), ..READER },
];

#[rustfmt::skip]
const HEAD: Grammar = Grammar::gnu(
    "ncs",
    &["lines", "bytes", "sleep-interval", "pid", "max-unchanged-stats"],
);
#[rustfmt::skip]
const PAGER: Grammar = Grammar::gnu(
    "bhjkopPtTxyzn",
    &["pattern", "prompt", "tag", "tabs", "window"],
);

impl Reader {
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        READERS.iter().find(|reader| reader.names.contains(&name))
    }
}

impl Judge<'_> {
    pub(crate) fn reader(&mut self, call: Call<'_>) -> Option<Stream> {
        match call.name {
            "sed" => return Some(self.sed(call)),
            "awk" => return Some(self.awk(call)),
            _ => {}
        }
        let reader = Reader::named(call.name)?;
        let options = reader.grammar.split(call.args);
        self.run_carried(call, &options, reader.carries);
        let mut follows = reader.follows.iter();
        if follows.any(|(short, long)| options.has(short, long)) {
            return Some(Stream::printed(Origin::Program));
        }
        let is_file = |arg: &&&Arg| !(reader.jumps && arg.text.starts_with('+'));
        let files = options.files().iter().filter(is_file).copied();
        Some(self.print_files(call, &files.collect::<SmallVec<[&Arg; 4]>>()))
    }

    /// Judges a tool that prints its operands, or its input when it has none.
    pub(crate) fn print_files(&mut self, call: Call<'_>, files: &[&Arg]) -> Stream {
        let inputs: Vec<Stream> = match files {
            [] => vec![self.io.stdin.clone()],
            files => files.iter().map(|file| self.readable(file)).collect(),
        };
        let copies = call.name == "cat";
        let from_files = inputs.iter().any(|input| matches!(input, Stream::File(_)));
        let targets: Cow<'_, [Target]> = match inputs.as_slice() {
            [Stream::File(only)] => slice::from_ref(&**only).into(),
            inputs => inputs.iter().filter_map(as_target).collect(),
        };
        self.reads(call.text, &targets);
        if let (true, [only]) = (copies && !from_files, inputs.as_slice()) {
            return match only {
                // What a person types is text of the line as well.
                Stream::Inherited => Stream::supplied("\0", Some(Origin::Variable)),
                // Nothing that is copied is still what a file then holds.
                Stream::Empty => Stream::supplied("", None),
                other => other.clone(),
            };
        }
        let saved: Vec<Stream> = targets
            .iter()
            .filter_map(|target| self.saved_at(&target.path))
            .collect();
        if let (true, [only]) = (copies && inputs.len() == 1, saved.as_slice()) {
            return only.clone();
        }
        let origin = inputs.iter().chain(&saved).filter_map(Stream::origin).max();
        let supplied = if copies {
            true
        } else {
            inputs.iter().all(is_own_text)
        };
        filtered(origin, supplied)
    }
}

pub(super) fn as_target(stream: &Stream) -> Option<Target> {
    match stream {
        Stream::File(target) => Some(target.as_ref().clone()),
        _ => None,
    }
}
