//! What a parser says of a text, in terms that all of them share.

use serde_json::{Value, json};

/// A simple command: its words after folding, `None` for those that are not constant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Seen(pub(crate) Vec<Option<String>>);

impl Seen {
    /// The command itself: tree-sitter takes the reserved words before a pipeline for one.
    pub(crate) fn command(&self) -> &[Option<String>] {
        let mut words = self.0.as_slice();
        while let [Some(first), rest @ ..] = words {
            match first.as_str() {
                "time" if matches!(rest.first(), Some(Some(option)) if option == "-p") => {
                    words = &rest[1..]
                }
                "time" | "!" | "coproc" => words = rest,
                _ => break,
            }
        }
        words
    }

    /// The name of the program, where it is constant and there is one.
    pub(crate) fn name(&self) -> Option<&str> {
        let name = self.command().first()?.as_deref()?;
        name.rsplit('/').next().filter(|name| !name.is_empty())
    }
}

/// What a parser says of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Opinion {
    /// It reads all of it, and sees these commands.
    Seen(Vec<Seen>),
    /// It does not; why, in its terms or those of its gate.
    Refused(String),
}

impl Opinion {
    pub(crate) fn seen(&self) -> Option<&[Seen]> {
        match self {
            Self::Seen(seen) => Some(seen),
            Self::Refused(_) => None,
        }
    }

    /// The names of the commands, sorted.
    pub(crate) fn names(&self) -> Option<Vec<&str>> {
        let mut names: Vec<&str> = self.seen()?.iter().filter_map(Seen::name).collect();
        names.sort_unstable();
        Some(names)
    }

    pub(crate) fn to_json(&self) -> Value {
        match self {
            Self::Seen(seen) => json!(seen.iter().map(|seen| &seen.0).collect::<Vec<_>>()),
            Self::Refused(why) => json!(why),
        }
    }

    pub(crate) fn from_json(value: &Value) -> Self {
        let word = |word: &Value| word.as_str().map(str::to_owned);
        let command =
            |words: &Value| Seen(words.as_array().into_iter().flatten().map(word).collect());
        match value {
            Value::Array(commands) => Self::Seen(commands.iter().map(command).collect()),
            other => Self::Refused(other.as_str().unwrap_or("no answer").to_owned()),
        }
    }
}

/// The text of `$'…'` without its frame; `None` where it is not constant UTF-8.
pub(crate) fn unescape(text: &str) -> Option<String> {
    let mut out = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            continue;
        }
        let escaped = chars.next()?;
        let (radix, most) = match escaped {
            'x' => (16, 2),
            'u' => (16, 4),
            'U' => (16, 8),
            '0'..='7' => (8, 2),
            _ => (0, 0),
        };
        let mut code = escaped.to_digit(8).filter(|_| radix == 8).unwrap_or(0);
        for _ in 0..most {
            let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix)) else {
                break;
            };
            code = code * radix + digit;
            chars.next();
        }
        match escaped {
            'x' | '0'..='7' => out.push(u8::try_from(code & 0xff).ok()?),
            'u' | 'U' => {
                out.extend_from_slice(char::from_u32(code)?.encode_utf8(&mut [0; 4]).as_bytes())
            }
            'n' => out.push(b'\n'),
            't' => out.push(b'\t'),
            'r' => out.push(b'\r'),
            'e' | 'E' => out.push(0x1b),
            'c' => return None,
            other => out.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    String::from_utf8(out).ok()
}
