//! What an awk program does besides printing: files and commands behind `>`, `|`, getline and system.

use super::effects::Effects;
use crate::ir::UNKNOWN;
use siderail_syntax::escapes;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Name(String),
    Text(String),
    Mark(u8),
}

pub(crate) fn effects(program: &str) -> Effects {
    let tokens = tokens(program);
    let mut effects = Effects::default();
    // Whether the statement prints, and how deep in brackets it is.
    let (mut prints, mut depth) = (false, 0_i32);
    for (index, token) in tokens.iter().enumerate() {
        let next = tokens.get(index + 1);
        match token {
            Token::Name(name) if name == "print" || name == "printf" => (prints, depth) = (true, 0),
            Token::Name(name) if name == "system" => {
                effects.commands.extend(text_behind(&tokens, index + 2));
            }
            Token::Name(name) if name == "getline" => read_line(&tokens, index, &mut effects),
            Token::Mark(b';' | b'{' | b'}' | b'\n') => prints = false,
            Token::Mark(b'(') => depth += 1,
            Token::Mark(b')') => depth -= 1,
            Token::Mark(b'>') if prints && depth <= 0 => {
                let at = index + 1 + usize::from(next == Some(&Token::Mark(b'>')));
                if tokens.get(index.wrapping_sub(1)) != Some(&Token::Mark(b'>')) {
                    effects.writes.extend(text_behind(&tokens, at));
                }
            }
            Token::Mark(b'|') if prints && depth <= 0 => {
                effects.fed.extend(text_behind(&tokens, index + 1));
            }
            _ => {}
        }
    }
    effects
}

/// `getline < "file"` and `"command" | getline`.
fn read_line(tokens: &[Token], index: usize, effects: &mut Effects) {
    if index >= 2 && tokens[index - 1] == Token::Mark(b'|') {
        let mut at = index - 1;
        while at > 0
            && matches!(
                &tokens[at - 1],
                Token::Text(_) | Token::Name(_) | Token::Mark(b'(' | b')')
            )
        {
            at -= 1;
        }
        // What comes before it may be the condition of a loop.
        let at = tokens[at..index]
            .iter()
            .position(|token| matches!(token, Token::Text(_)))
            .map(|first| at + first);
        effects
            .commands
            .extend(at.and_then(|at| text_behind(tokens, at)));
        return;
    }
    let variable = matches!(tokens.get(index + 1), Some(Token::Name(_)));
    let at = index + 1 + usize::from(variable);
    if tokens.get(at) == Some(&Token::Mark(b'<')) {
        effects.reads.extend(text_behind(tokens, at + 1));
    }
}

/// The text that an expression begins with; unknown for anything else.
fn text_behind(tokens: &[Token], mut at: usize) -> Option<String> {
    while tokens.get(at) == Some(&Token::Mark(b'(')) {
        at += 1;
    }
    let mut text = String::new();
    for token in tokens.get(at..)?.iter().take(16) {
        match token {
            Token::Text(piece) => text.push_str(piece),
            Token::Name(_) => text.push(UNKNOWN),
            Token::Mark(b';' | b'}' | b')' | b'\n' | b'|' | b',') => break,
            Token::Mark(_) => {}
        }
    }
    (!text.is_empty()).then_some(text)
}

/// Whether the program is nothing but BEGIN blocks and so reads no file.
pub(crate) fn only_begins(program: &str) -> bool {
    let tokens = tokens(program);
    let mut depth = 0_i32;
    let mut begins = false;
    for token in &tokens {
        match token {
            Token::Mark(b'{') => {
                if depth == 0 && !begins {
                    return false;
                }
                depth += 1;
            }
            Token::Mark(b'}') => {
                depth -= 1;
                begins &= depth > 0;
            }
            Token::Mark(b';' | b'\n') => {}
            Token::Name(name) if depth == 0 && name == "BEGIN" => begins = true,
            _ if depth == 0 => return false,
            _ => {}
        }
    }
    !tokens.is_empty()
}

fn tokens(program: &str) -> Vec<Token> {
    let bytes = program.as_bytes();
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b' ' | b'\t' | b'\r' => at += 1,
            b'#' => at = skip(bytes, at, |byte| byte != b'\n'),
            b'"' => {
                let end = quoted_end(bytes, at + 1, b'"');
                tokens.push(Token::Text(escapes::decode(&program[at + 1..end])));
                at = (end + 1).min(bytes.len());
            }
            b'/' if !matches!(
                tokens.last(),
                Some(Token::Name(_) | Token::Text(_) | Token::Mark(b')' | b']'))
            ) =>
            {
                at = (quoted_end(bytes, at + 1, b'/') + 1).min(bytes.len());
                tokens.push(Token::Mark(b'/'));
            }
            byte if byte.is_ascii_alphanumeric() || byte == b'_' => {
                let end = skip(bytes, at, |byte| {
                    byte.is_ascii_alphanumeric() || byte == b'_'
                });
                tokens.push(Token::Name(program[at..end].to_owned()));
                at = end;
            }
            byte if byte.is_ascii() => {
                tokens.push(Token::Mark(byte));
                at += 1;
            }
            _ => at += 1,
        }
    }
    tokens
}

fn skip(bytes: &[u8], from: usize, goes_on: fn(u8) -> bool) -> usize {
    bytes[from..]
        .iter()
        .position(|byte| !goes_on(*byte))
        .map_or(bytes.len(), |end| from + end)
}

/// The closing quote, or the end; never inside of a letter, since quotes are ASCII.
fn quoted_end(bytes: &[u8], from: usize, quote: u8) -> usize {
    let mut at = from;
    while let Some(&byte) = bytes.get(at) {
        if byte == quote || (quote == b'/' && byte == b'\n') {
            return at;
        }
        at += if byte == b'\\' { 2 } else { 1 };
    }
    bytes.len()
}
