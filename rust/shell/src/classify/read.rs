//! Tools that print the text of files.

use super::options::{BAT, CAT, HEAD, NL, PAGER, TAC};
use crate::args::Options;
use crate::call::Call;
use crate::ir::{Arg, Origin, Stream};
use crate::judge::Judge;
use crate::paths::Target;
use crate::streams::{filtered, is_own_text};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::slice;

/// The programs of this family.
#[rustfmt::skip]
pub(super) const NAMES: &[&str] = &[
    "cat", "tac", "nl", "head", "tail", "less", "more", "most", "bat", "batcat", "sed", "awk",
];

impl Judge<'_> {
    pub(super) fn reader(&mut self, call: Call<'_>) -> Option<Stream> {
        let grammar = match call.name {
            "cat" => CAT,
            "tac" => TAC,
            "nl" => NL,
            "head" | "tail" => HEAD,
            "less" | "more" | "most" => PAGER,
            "bat" | "batcat" => {
                self.carried_commands(call);
                BAT
            }
            "sed" => return Some(self.sed(call)),
            "awk" => return Some(self.awk(call)),
            _ => return None,
        };
        let options = grammar.split(call.args);
        let follows = options
            .flags
            .iter()
            .any(|flag| flag.is("fF", "follow") || flag.is("", "retry"));
        if call.name == "tail" && follows {
            return Some(Stream::printed(Origin::Program));
        }
        Some(self.print_files(call, &plain_operands(&options, call.name)))
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

/// The operands that are files: `+10` is a line for pagers and tail.
fn plain_operands<'a>(options: &Options<'a>, name: &str) -> SmallVec<[&'a Arg; 4]> {
    let jumps =
        |arg: &&&Arg| !(matches!(name, "less" | "more" | "tail") && arg.text.starts_with('+'));
    options.files().iter().filter(jumps).copied().collect()
}
