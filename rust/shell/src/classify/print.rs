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
        let flags = rest[at + 1..].trim_start_matches(|c: char| "-+ #0".contains(c));
        // Blanks in front or behind are nothing to whoever splits what is printed.
        let (_, behind) = number(flags, values);
        let (length, behind) = match behind.strip_prefix('.') {
            Some(precision) => {
                let (length, behind) = number(precision, values);
                (Some(length), behind)
            }
            None => (None, behind),
        };
        let mut letters = behind.chars();
        let Some(conversion) = letters.next() else {
            return;
        };
        rest = letters.as_str();
        if conversion == '%' {
            out.push('%');
            continue;
        }
        let value = values.next().map_or("", |arg| arg.text.as_str());
        match (conversion, length) {
            ('c', _) => out.extend(value.chars().next()),
            ('d' | 'i' | 'u', _) => out.push_str(value),
            ('s' | 'q', None) => out.push_str(value),
            ('b', None) => out.push_str(&keeping_unknown(value, escapes::decode_echo)),
            ('s', Some(Some(length))) if !value.contains(UNKNOWN) => {
                out.extend(value.chars().take(length));
            }
            _ => out.push(UNKNOWN),
        }
    }
    out.push_str(&keeping_unknown(rest, escapes::decode));
}

/// A width or a precision, which may be the next value, and what follows it.
fn number<'f>(format: &'f str, values: &mut std::slice::Iter<'_, Arg>) -> (Option<usize>, &'f str) {
    if let Some(behind) = format.strip_prefix('*') {
        let value = values.next().and_then(Arg::known);
        return (value.and_then(|value| value.parse().ok()), behind);
    }
    let behind = format.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = &format[..format.len() - behind.len()];
    let number = match digits {
        "" => Some(0),
        digits => digits.parse().ok(),
    };
    (number, behind)
}
