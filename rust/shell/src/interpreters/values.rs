//! What the expressions of a script are worth, as far as they are made of constants.

use super::rules::PATHS;
use super::scan::{Token, split};
use super::script::{ARGUMENTS_LIMIT, Script, unknown};
use crate::ir::UNKNOWN;

/// The longest value that is followed, in bytes.
const VALUE_LIMIT: usize = 1 << 16;

impl Script<'_> {
    /// The path that a member is called on.
    pub(super) fn receiver(&self, index: usize) -> Option<String> {
        let mut at = index.checked_sub(2)?;
        if self.tokens[at].is('-') {
            at = at.checked_sub(1)?;
        }
        match &self.tokens[at] {
            Token::Name(name) => self.values.get(name).cloned(),
            Token::Text(text) => Some(text.clone()),
            token if token.is(')') => {
                let open = self.opening(at)?;
                match open
                    .checked_sub(1)
                    .and_then(|before| self.tokens[before].name())
                {
                    Some(name) if PATHS.contains(&name) => self.value(&self.tokens[open - 1..=at]),
                    _ => self.value(&self.tokens[open + 1..at]),
                }
            }
            _ => None,
        }
    }

    /// The text that an expression is; unknown where only a part of it is known, nothing for numbers.
    pub(super) fn value(&self, tokens: &[Token]) -> Option<String> {
        let mut text: Option<String> = None;
        let mut index = 0;
        while let Some(token) = tokens.get(index).filter(|_| index < ARGUMENTS_LIMIT) {
            let ends =
                token.is(',') || token.is(')') || token.is(']') || token.is(';') || token.is('}');
            if ends || (*token == Token::NewLine && text.is_some()) {
                break;
            }
            let piece = self.piece(tokens, &mut index);
            index += 1;
            if let Some(piece) = piece {
                let slash = text.is_some()
                    && matches!(tokens.get(index.wrapping_sub(2)), Some(token) if token.is('/'));
                let text = text.get_or_insert_default();
                // A value of itself twice over, again and again, would fill the memory.
                if text.len() + piece.len() > VALUE_LIMIT {
                    return Some(unknown());
                }
                if slash {
                    text.push('/');
                }
                text.push_str(&piece);
            }
        }
        text
    }

    /// One operand of an expression; moves over what belongs to it.
    fn piece(&self, tokens: &[Token], index: &mut usize) -> Option<String> {
        let at = *index;
        let next = |offset: usize| tokens.get(at + offset);
        match &tokens[at] {
            Token::Text(text) => Some(text.clone()),
            Token::Name(name) if name == "argv" || name == "ARGV" => {
                *index = close(tokens, at + 1);
                Some(self.argument())
            }
            Token::Name(name) => {
                let called = next(1).is_some_and(|token| token.is('('));
                let member = next(1).is_some_and(|token| token.is('.'));
                if called {
                    let end = close(tokens, at + 1);
                    *index = end;
                    let inside = tokens.get(at + 2..end).unwrap_or_default();
                    if matches!(name.as_str(), "glob" | "rglob" | "iglob" | "iterdir") {
                        let names = self.value(inside).unwrap_or_else(unknown);
                        // What it finds is known as far as its folder.
                        let names = match names.split_once('*') {
                            Some((folder, _)) => {
                                let end = folder.rfind('/').map_or(0, |slash| slash + 1);
                                format!("{}{UNKNOWN}", &folder[..end])
                            }
                            None => names,
                        };
                        let of_folder = at >= 2
                            && tokens[at - 1].is('.')
                            && tokens[at - 2].name().is_none_or(|module| module != "glob");
                        return Some(if of_folder {
                            format!("/{names}")
                        } else {
                            names
                        });
                    }
                    return Some(self.call_value(name, inside));
                }
                if member {
                    // A variable in front of a member that makes something of it.
                    let own = at == 0 || !tokens[at - 1].is('.');
                    let folder = self.values.get(name).filter(|_| own);
                    let goes_over = matches!(
                        next(2).and_then(Token::name),
                        Some("glob" | "rglob" | "iterdir")
                    );
                    return folder.filter(|_| goes_over).cloned();
                }
                let own = at == 0 || !tokens[at - 1].is('.');
                Some(
                    self.values
                        .get(name)
                        .filter(|_| own)
                        .cloned()
                        .unwrap_or_else(unknown),
                )
            }
            Token::Mark('[') => {
                *index = close(tokens, at);
                Some(unknown())
            }
            _ => None,
        }
    }

    /// The script's own argument: known where there is only one.
    fn argument(&self) -> String {
        match self.around.args {
            [only] => (*only).to_owned(),
            _ => unknown(),
        }
    }

    /// The text that a call gives, for the few whose arguments say so.
    fn call_value(&self, name: &str, inside: &[Token]) -> String {
        match name {
            "tmpdir" | "gettempdir" | "mkdtemp" | "mkdtempSync" | "mkstemp" => {
                format!("{}/{UNKNOWN}", self.around.temporary)
            }
            "homedir" | "home" => self.around.home.to_owned(),
            "expanduser" => {
                let path = self.value(inside).unwrap_or_else(unknown);
                path.strip_prefix('~')
                    .map_or(path.clone(), |rest| format!("{}{rest}", self.around.home))
            }
            "join" | "resolve" | "Path" | "PosixPath" => {
                let parts: Vec<String> = split(inside)
                    .iter()
                    .map(|part| self.value(part).unwrap_or_else(unknown))
                    .collect();
                parts.join("/")
            }
            "sprintf" | "format" => {
                let text = self.value(inside).unwrap_or_else(unknown);
                text.replace("%s", &unknown()).replace("%d", &unknown())
            }
            // What a text is cut into or rid of leaves it the text that it is.
            "split" | "strip" | "rstrip" | "lstrip" | "encode" | "trim" | "toString" => {
                self.value(inside).unwrap_or_default()
            }
            "str" | "abspath" | "realpath" | "fspath" | "String" => {
                self.value(inside).unwrap_or_else(unknown)
            }
            _ => unknown(),
        }
    }
}

/// The bracket that closes the one at an index, or the end.
fn close(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open).take(ARGUMENTS_LIMIT) {
        match token {
            Token::Mark('(' | '[' | '{') => depth += 1,
            Token::Mark(')' | ']' | '}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    tokens.len()
}
