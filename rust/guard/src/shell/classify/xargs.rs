//! Commands that are given their arguments by a stream: `xargs`, `parallel`.

use crate::shell::Dialect;
use crate::shell::args::Grammar;
use crate::shell::commands::Call;
use crate::shell::ir::{Arg, Origin, Stream, UNKNOWN};
use crate::shell::judge::Judge;

/// How many constant arguments are taken one by one.
const ITEMS_LIMIT: usize = 16;

impl Judge<'_> {
    pub(super) fn xargs(&mut self, call: Call<'_>) -> Stream {
        let long = &[
            "arg-file",
            "delimiter",
            "eof",
            "max-args",
            "max-procs",
            "max-lines",
            "max-chars",
            "process-slot-var",
        ];
        let grammar = Grammar {
            attached: "eil",
            ..Grammar::wrapper("adEILnPsJRS", long)
        };
        let options = grammar.split(call.args);
        let items = match options.value("a", "arg-file") {
            Some(_) => vec![Arg::unknown(Origin::Program)],
            None => self.input_items(options.has("0", "null")),
        };
        let placeholder = options.value("IJ", "replace").map(|arg| arg.text.clone());
        let implied = options.has("i", "").then(|| "{}".to_owned());
        let (command, quiet) = (
            options.operands,
            std::mem::replace(&mut self.io.stdin, Stream::Empty),
        );
        let output = if command.is_empty() {
            Stream::printed(Origin::Program)
        } else {
            let argv = match placeholder.or(implied) {
                Some(placeholder) => replaced(command, &placeholder, items.first()),
                None => command.iter().cloned().chain(items).collect(),
            };
            self.command(&argv, call.text)
        };
        self.io.stdin = quiet;
        output
    }

    /// The arguments that the input becomes.
    fn input_items(&mut self, whole_lines: bool) -> Vec<Arg> {
        let text = match &self.io.stdin {
            Stream::Text(text) => text.clone(),
            Stream::Empty => return Vec::new(),
            // What a file names may be anything, and is not the file's text.
            Stream::File(_) => return vec![Arg::unknown(Origin::Program)],
            other => return vec![Arg::unknown(other.origin().unwrap_or(Origin::Variable))],
        };
        let origin = match text.unknown {
            Some(Origin::ProjectFile) => Some(Origin::Program),
            origin => origin,
        };
        let separators: &[char] = if whole_lines {
            &['\n']
        } else {
            &[' ', '\t', '\n']
        };
        let pieces = text
            .text
            .split(separators)
            .filter(|piece| !piece.is_empty());
        let items = pieces.take(ITEMS_LIMIT + 1).map(|piece| Arg {
            unknown: origin.filter(|_| piece.contains(UNKNOWN)),
            ..Arg::new(piece.trim_matches(['"', '\'']))
        });
        let items: Vec<Arg> = items.collect();
        if items.len() > ITEMS_LIMIT {
            vec![Arg::unknown(Origin::Program)]
        } else {
            items
        }
    }

    /// GNU parallel: a command, or one text, with `{}` for what it runs over.
    pub(super) fn parallel(&mut self, call: Call<'_>) -> Stream {
        let long = &[
            "jobs", "max-args", "colsep", "delay", "joblog", "results", "retries", "timeout",
            "arg-file",
        ];
        let options = Grammar::wrapper("jnNaCILPSsE", long).split(call.args);
        let words = options.operands;
        let split = words.iter().position(|word| word.text.starts_with(":::"));
        let (command, items) = match split {
            Some(at) => (
                &words[..at],
                words[at..]
                    .iter()
                    .filter(|word| !word.text.starts_with(":::"))
                    .cloned()
                    .collect(),
            ),
            None => (words, self.input_items(true)),
        };
        if split.is_some_and(|at| words[at].text.starts_with("::::")) || items.is_empty() {
            return self.parallel_command(command, &Arg::unknown(Origin::Variable), call);
        }
        let mut output = Stream::Empty;
        for item in items.iter().take(ITEMS_LIMIT) {
            output = self.parallel_command(command, item, call);
        }
        output
    }

    fn parallel_command(&mut self, command: &[Arg], item: &Arg, call: Call<'_>) -> Stream {
        let has_place = command
            .iter()
            .any(|word| word.text.contains("{}") || word.text.contains("{1}"));
        let mut argv = replaced(command, "{1}", Some(item));
        argv = replaced(&argv, "{}", Some(item));
        if !has_place {
            argv.push(item.clone());
        }
        match argv.as_slice() {
            [] => Stream::Empty,
            // It joins its words and has a shell read them.
            [first, ..] if first.text.contains([' ', ';', '|', '&', '>']) => {
                let text = argv
                    .iter()
                    .map(|arg| arg.text.as_str())
                    .collect::<Vec<_>>()
                    .join(" ");
                let unknown = argv.iter().filter_map(|arg| arg.unknown).max();
                self.run_code(&text, unknown, Dialect::Bash, call, false)
            }
            _ => self.command(&argv, call.text),
        }
    }
}

/// A command with a placeholder replaced; without a value by something unknown.
pub(in crate::shell) fn replaced(
    command: &[Arg],
    placeholder: &str,
    value: Option<&Arg>,
) -> Vec<Arg> {
    let unknown = Arg::unknown(Origin::Variable);
    let value = value.unwrap_or(&unknown);
    let replace = |word: &Arg| {
        if placeholder.is_empty() || !word.text.contains(placeholder) {
            return word.clone();
        }
        let text = word.text.replace(placeholder, &value.text);
        let unknown = word.unknown.max(value.unknown);
        Arg {
            text,
            unknown,
            ..word.clone()
        }
    };
    command.iter().map(replace).collect()
}
