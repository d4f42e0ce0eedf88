//! `echo`, `printf` and the like: what they print is text of the line.

use crate::ir::{Arg, Origin, Stream, UNKNOWN};
use crate::judge::Judge;
use crate::program::Call;
use crate::scope::Variable;
use siderail_syntax::escapes;

impl Judge<'_> {
    pub(crate) fn echo(&mut self, call: Call<'_>, decodes: bool) -> Stream {
        self.expanded_names(call.args, call.text);
        let is_option = |arg: &&Arg| {
            let letters = arg.text.strip_prefix('-').unwrap_or("");
            !letters.is_empty() && letters.bytes().all(|byte| b"neErR".contains(&byte))
        };
        let n_options = call.args.iter().take_while(is_option).count();
        let (options, words) = call.args.split_at(n_options);
        let has = |letter: char| options.iter().any(|arg| arg.text.contains(letter));
        let mut text = Arg::default();
        for (index, word) in words.iter().enumerate() {
            if index > 0 {
                text.text.push(' ');
            }
            text.join(word);
        }
        if decodes || has('e') {
            text.text = keeping_unknown(&text.text, escapes::decode_echo).into();
        }
        if !has('n') {
            text.text.push('\n');
        }
        Stream::supplied(text.text, text.unknown)
    }

    pub(crate) fn printf(&mut self, call: Call<'_>) -> Stream {
        self.expanded_names(call.args, call.text);
        let (variable, rest) = match call.args {
            [flag, name, rest @ ..] if flag.is("-v") => (Some(name), rest),
            [dashes, rest @ ..] if dashes.is("--") => (None, rest),
            rest => (None, rest),
        };
        let Some((format, values)) = rest.split_first() else {
            return Stream::Empty;
        };
        let unknown = rest.iter().filter_map(|arg| arg.unknown).max();
        let text = formatted(&format.text, values);
        self.budget.pay(text.len() / 4);
        let unknown = if text.contains(UNKNOWN) {
            unknown.or(Some(Origin::Variable))
        } else {
            None
        };
        if let Some(name) = variable {
            self.evaluate_name(&name.text);
            let value = Arg::partly(text, unknown);
            self.scope.set(&name.text, Variable::Scalar(value));
            return Stream::Empty;
        }
        Stream::supplied(text, unknown)
    }
}

/// Decodes text in which the marks of unknown parts must stay.
fn keeping_unknown(text: &str, decode: fn(&str) -> String) -> String {
    let pieces: Vec<String> = text.split(UNKNOWN).map(decode).collect();
    pieces.join(&UNKNOWN.to_string())
}

/// The longest text that a format is followed to.
const FORMATTED_LIMIT: usize = 1 << 18;

/// What printf prints: the format again and again until the values are used up.
fn formatted(format: &str, values: &[Arg]) -> String {
    let mut out = String::new();
    let mut values = values.iter();
    loop {
        let before = values.len();
        format_once(format, &mut values, &mut out);
        if values.len() == 0 || values.len() == before {
            return out;
        }
        if out.len() > FORMATTED_LIMIT {
            out.push(UNKNOWN);
            return out;
        }
    }
}

fn format_once(format: &str, values: &mut std::slice::Iter<'_, Arg>, out: &mut String) {
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        out.push_str(&keeping_unknown(&rest[..at], escapes::decode));
        rest = &rest[at + 1..];
        let width = rest.find(|c: char| !c.is_ascii_digit() && !"-+ #.*".contains(c));
        let Some(width) = width else { return };
        let mut letters = rest[width..].chars();
        let conversion = letters.next();
        rest = letters.as_str();
        match conversion {
            Some('%') => out.push('%'),
            Some('s' | 'c' | 'd' | 'i' | 'u') => {
                out.push_str(values.next().map_or("", |arg| arg.text.as_str()));
            }
            Some('b') => {
                let value = values.next().map_or("", |arg| arg.text.as_str());
                out.push_str(&keeping_unknown(value, escapes::decode_echo));
            }
            Some('q') => {
                out.push_str(values.next().map_or("", |arg| arg.text.as_str()));
            }
            _ => {
                values.next();
                out.push(UNKNOWN);
            }
        }
    }
    out.push_str(&keeping_unknown(rest, escapes::decode));
}
