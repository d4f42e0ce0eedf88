//! fish's `string`: what it prints is its operands or its input, as they are or changed.

use crate::analysis::Dialect;
use crate::args::Grammar;
use crate::ir::{Arg, Stream};
use crate::judge::Judge;
use crate::program::Call;
use crate::streams::{filtered, is_own_text};

/// Which letters of an action's options take a value.
fn grammar(action: &str) -> Grammar {
    let short = match action {
        "match" | "replace" => "m",
        "split" | "split0" => "fm",
        "repeat" => "nm",
        "sub" => "sle",
        "trim" | "pad" | "shorten" => "cmw",
        _ => "",
    };
    Grammar::of(short, &LONG)
}

#[rustfmt::skip]
const LONG: [&str; 10] = [
    "char", "chars", "count", "end", "fields", "length", "max", "start", "style", "width",
];

impl Judge<'_> {
    pub(crate) fn fish_string(&mut self, call: Call<'_>) -> Option<Stream> {
        if self.dialect != Dialect::Fish {
            return None;
        }
        let (action, args) = call.args.split_first()?;
        let options = grammar(&action.text).split(args);
        if options.has("q", "quiet") {
            return Some(Stream::Empty);
        }
        // Separators, patterns and replacements come first.
        let n_own = match action.text.as_str() {
            "join" | "split" | "match" => 1,
            "replace" => 2,
            _ => 0,
        };
        let operands = options.files();
        let (own, values) = operands.split_at(n_own.min(operands.len()));
        let given = if values.is_empty() {
            self.io.stdin.clone()
        } else {
            let separator = own.first().filter(|_| action.is("join"));
            joined(values, separator.map_or("\n", |arg| &arg.text))
        };
        let keeps = match action.text.as_str() {
            "collect" => true,
            "join" => !values.is_empty(),
            _ => false,
        };
        Some(if keeps {
            given
        } else {
            filtered(given.origin(), is_own_text(&given))
        })
    }
}

/// Operands one after the other.
fn joined(values: &[&Arg], separator: &str) -> Stream {
    let texts: Vec<&str> = values.iter().map(|arg| arg.text.as_str()).collect();
    let unknown = values.iter().filter_map(|arg| arg.unknown).max();
    Stream::supplied(format!("{}\n", texts.join(separator)), unknown)
}
