//! Tools that print the text of files.

use super::options::{BAT, CAT, HEAD, NL, PAGER, TAC};
use crate::args::Options;
use crate::commands::Call;
use crate::ir::{Arg, Origin, Stream, Text};
use crate::judge::Judge;
use crate::paths::Target;

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
        let mut inputs = Vec::new();
        for file in files {
            inputs.push(self.readable(file));
        }
        if files.is_empty() {
            inputs.push(self.io.stdin.clone());
        }
        let copies = call.name == "cat";
        let from_files = inputs.iter().any(|input| matches!(input, Stream::File(_)));
        let targets: Vec<Target> = inputs.iter().filter_map(as_target).collect();
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

/// What a stream of unknown but traceable text looks like behind a tool.
pub(crate) fn filtered(origin: Option<Origin>, supplied: bool) -> Stream {
    // Constant text is none any more once a tool has changed it.
    let unknown = Some(origin.unwrap_or(Origin::Program).max(Origin::Program));
    let unknown = match origin {
        Some(Origin::Elsewhere) => Some(Origin::Elsewhere),
        _ => unknown,
    };
    Stream::Text(Text {
        supplied,
        ..Text::new("\0", unknown)
    })
}

/// Text that the line supplies and no file or program.
pub(crate) fn is_own_text(stream: &Stream) -> bool {
    stream.is_supplied()
        && !matches!(
            stream.origin(),
            Some(Origin::ProjectFile | Origin::Elsewhere)
        )
}

pub(super) fn as_target(stream: &Stream) -> Option<Target> {
    match stream {
        Stream::File(target) => Some(target.clone()),
        _ => None,
    }
}

/// The operands that are files: `+10` is a line for pagers and tail.
fn plain_operands<'a>(options: &Options<'a>, name: &str) -> Vec<&'a Arg> {
    let jumps =
        |arg: &&&Arg| !(matches!(name, "less" | "more" | "tail") && arg.text.starts_with('+'));
    options.files().iter().filter(jumps).copied().collect()
}
