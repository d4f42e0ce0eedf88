//! Cuts a script into names, texts and marks, in one pass.

use crate::ir::UNKNOWN;
use siderail_syntax::escapes;

/// The languages of inline scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Python,
    JavaScript,
    Perl,
    Ruby,
    Php,
    Lua,
    /// A quote is no text, and names have dashes.
    Lisp,
    /// Whatever else looks like most languages.
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Name(String),
    /// A text constant; what is put into it when it runs is unknown.
    Text(String),
    /// A text in backticks of a language that runs these.
    Command(String),
    Number,
    Mark(char),
    NewLine,
}

impl Token {
    pub(super) fn is(&self, mark: char) -> bool {
        *self == Self::Mark(mark)
    }

    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            _ => None,
        }
    }
}

pub(super) fn tokens(code: &str, language: Language) -> Vec<Token> {
    let mut scanner = Scanner {
        code,
        bytes: code.as_bytes(),
        at: 0,
        language,
    };
    let mut tokens = Vec::new();
    while let Some(&byte) = scanner.bytes.get(scanner.at) {
        if let Some(token) = scanner.token(byte, tokens.last()) {
            tokens.push(token);
        }
    }
    tokens
}

struct Scanner<'c> {
    code: &'c str,
    bytes: &'c [u8],
    at: usize,
    language: Language,
}

impl Scanner<'_> {
    /// The next token, or nothing where something was skipped.
    fn token(&mut self, byte: u8, last: Option<&Token>) -> Option<Token> {
        let script = self.language == Language::JavaScript;
        match byte {
            b'\n' => {
                self.at += 1;
                Some(Token::NewLine)
            }
            b' ' | b'\t' | b'\r' => {
                self.at += 1;
                None
            }
            b'\\' => {
                self.at += 2;
                self.at = self.boundary(self.at);
                None
            }
            b'#' if !script && !matches!(self.language, Language::Lua | Language::Lisp) => {
                self.skip_line();
                None
            }
            b'/' if matches!(self.language, Language::JavaScript | Language::Php)
                && self.begins(b"//") =>
            {
                self.skip_line();
                None
            }
            b'/' if self.begins(b"/*") => {
                let end = self.code[self.at..].find("*/");
                self.at = end.map_or(self.bytes.len(), |end| self.at + end + 2);
                None
            }
            b'-' if self.language == Language::Lua && self.begins(b"--") => {
                self.skip_line();
                None
            }
            b'\'' | b'`' if self.language == Language::Lisp => {
                self.at += 1;
                None
            }
            b'%' if self.language == Language::Ruby && self.is_command() => {
                self.at += 2;
                let open = self.bytes[self.at];
                Some(Token::Command(self.bracketed(open)))
            }
            b'\'' | b'"' => Some(Token::Text(self.text(byte, last))),
            b'`' if script => Some(Token::Text(self.text(byte, last))),
            b'`' => Some(Token::Command(self.text(byte, last))),
            b'$' | b'@'
                if matches!(
                    self.language,
                    Language::Perl | Language::Php | Language::Ruby
                ) =>
            {
                self.at += 1;
                None
            }
            byte if byte.is_ascii_digit() => {
                self.skip_while(|byte| byte.is_ascii_alphanumeric() || byte == b'.');
                Some(Token::Number)
            }
            byte if byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' => Some(self.name()),
            _ => {
                let mark = self.code[self.at..].chars().next().unwrap_or(' ');
                self.at += mark.len_utf8();
                Some(Token::Mark(mark))
            }
        }
    }

    fn name(&mut self) -> Token {
        let start = self.at;
        let dashed = self.language == Language::Lisp;
        self.skip_while(|byte| {
            byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || (dashed && byte == b'-')
        });
        let name = &self.code[start..self.at];
        // A name that warns of what it does.
        if self.language == Language::Other && self.begins(b"!(") {
            self.at += 1;
        }
        match (self.language, name, self.bytes.get(self.at)) {
            // Prefixes of Python's texts.
            (Language::Python, prefix, Some(quote @ (b'\'' | b'"'))) if is_prefix(prefix) => {
                let last = Token::Name(prefix.to_ascii_lowercase());
                Token::Text(self.text(*quote, Some(&last)))
            }
            (Language::Perl, "q" | "qq" | "qw", Some(open)) if is_bracket(*open) => {
                Token::Text(self.bracketed(*open))
            }
            (Language::Perl, "qx", Some(open)) if is_bracket(*open) => {
                Token::Command(self.bracketed(*open))
            }
            _ => Token::Name(name.to_owned()),
        }
    }

    fn bracketed(&mut self, open: u8) -> String {
        let close = match open {
            b'(' => b')',
            b'{' => b'}',
            b'[' => b']',
            b'<' => b'>',
            other => other,
        };
        let start = self.at + 1;
        self.at = start;
        self.skip_while(|byte| byte != close);
        let text = self.code[start..self.at].to_owned();
        self.at = (self.at + 1).min(self.bytes.len());
        text
    }

    /// A text constant from its opening quote on.
    fn text(&mut self, quote: u8, last: Option<&Token>) -> String {
        let prefix = last
            .and_then(Token::name)
            .filter(|_| self.language == Language::Python);
        let has = |letter: char| {
            prefix.is_some_and(|prefix| is_prefix(prefix) && prefix.contains(letter))
        };
        let triple = self.language == Language::Python
            && self.bytes[self.at..].starts_with(&[quote, quote, quote]);
        let width = if triple { 3 } else { 1 };
        let start = self.at + width;
        self.at = start;
        while let Some(&byte) = self.bytes.get(self.at) {
            let closes = byte == quote
                && (!triple || self.bytes[self.at..].starts_with(&[quote, quote, quote]));
            if closes {
                break;
            }
            self.at += if byte == b'\\' { 2 } else { 1 };
        }
        let end = self.boundary(self.at).min(self.bytes.len());
        let raw = &self.code[start.min(end)..end];
        self.at = (end + width).min(self.bytes.len());
        let text = if has('r') {
            raw.to_owned()
        } else {
            escapes::decode(raw)
        };
        self.interpolated(text, quote, has('f'))
    }

    /// Marks what is put into a text when it runs.
    fn interpolated(&self, text: String, quote: u8, formatted: bool) -> String {
        let (open, close) = match (self.language, quote) {
            (Language::Python, _) if formatted => ("{", Some('}')),
            (Language::JavaScript, b'`') => ("${", Some('}')),
            (Language::Ruby, b'"' | b'`') => ("#{", Some('}')),
            (Language::Perl | Language::Php, b'"' | b'`') => ("$", None),
            _ => return text,
        };
        if !text.contains(open) {
            return text;
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(at) = rest.find(open) {
            out.push_str(&rest[..at]);
            out.push(UNKNOWN);
            let behind = &rest[at + open.len()..];
            rest = match close {
                Some(close) => behind
                    .find(close)
                    .map_or("", |end| &behind[end + close.len_utf8()..]),
                None => behind.trim_start_matches(|c: char| {
                    c.is_alphanumeric() || c == '_' || c == '{' || c == '}'
                }),
            };
        }
        out.push_str(rest);
        out
    }

    /// `%x(…)`, which is no remainder.
    fn is_command(&self) -> bool {
        let open = self.bytes.get(self.at + 2);
        self.begins(b"%x") && open.is_some_and(|open| b"({[<|!/".contains(open))
    }

    fn begins(&self, text: &[u8]) -> bool {
        self.bytes[self.at..].starts_with(text)
    }

    fn skip_line(&mut self) {
        self.skip_while(|byte| byte != b'\n');
    }

    fn skip_while(&mut self, goes_on: impl Fn(u8) -> bool) {
        while self.bytes.get(self.at).is_some_and(|byte| goes_on(*byte)) {
            self.at += 1;
        }
    }

    /// The next place that does not cut a letter in two.
    fn boundary(&self, mut at: usize) -> usize {
        while at < self.bytes.len() && !self.code.is_char_boundary(at) {
            at += 1;
        }
        at
    }
}

fn is_prefix(name: &str) -> bool {
    name.len() <= 2 && !name.is_empty() && name.bytes().all(|byte| b"rRbBfFuU".contains(&byte))
}

fn is_bracket(byte: u8) -> bool {
    byte.is_ascii_punctuation() && byte != b',' && byte != b';' && byte != b'='
}

/// Arguments up to the closing bracket or the end of the statement.
pub(super) fn split(tokens: &[Token]) -> Vec<&[Token]> {
    let mut parts = Vec::new();
    let (mut depth, mut from) = (0_usize, 0);
    let mut end = tokens.len();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Mark('(' | '[' | '{') => depth += 1,
            Token::Mark(')' | ']' | '}' | ';') if depth == 0 => {
                end = at;
                break;
            }
            Token::Mark(')' | ']' | '}') => depth -= 1,
            Token::Mark(',') if depth == 0 => {
                parts.push(&tokens[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&tokens[from..end]);
    parts
        .into_iter()
        .map(trimmed)
        .filter(|part| !part.is_empty())
        .collect()
}

fn trimmed(tokens: &[Token]) -> &[Token] {
    let start = tokens.iter().position(|token| *token != Token::NewLine);
    &tokens[start.unwrap_or(tokens.len())..]
}
