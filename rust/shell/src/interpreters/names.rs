//! Calls by another way: modules under other names, modules and members that are named by a text.
//!
//! `__import__("os").system`, `getattr(os, "system")` and `fs["rmSync"]` become the plain calls that the rules
//! know, and so do names that an import, an assignment or a destructuring gives to something else.

use super::scan::{Language, Token};
use std::collections::HashMap;

/// How far a list of imported names is followed.
const LIST_LIMIT: usize = 80;

/// Modules that are there without an import.
const MODULES: [&str; 3] = ["os", "io", "child_process"];

/// The tokens of a script with members and modules in their plain form.
pub(super) fn plain(tokens: Vec<Token>, language: Language) -> Vec<Token> {
    if !matches!(
        language,
        Language::Python | Language::JavaScript | Language::Ruby | Language::Lua
    ) {
        return tokens;
    }
    let aliases = aliases(&tokens);
    let mut out: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += rewritten(&tokens, at, language, &mut out).unwrap_or_else(|| {
            out.push(renamed(token, out.last(), &aliases));
            1
        });
    }
    out
}

/// Puts the plain form of what begins here, and says how many tokens it was.
fn rewritten(
    tokens: &[Token],
    at: usize,
    language: Language,
    out: &mut Vec<Token>,
) -> Option<usize> {
    let is = |offset: usize, mark| {
        tokens
            .get(at + offset)
            .is_some_and(|token: &Token| token.is(mark))
    };
    let text = |offset: usize| match tokens.get(at + offset) {
        Some(Token::Text(text)) => Some(text.clone()),
        _ => None,
    };
    match tokens[at].name() {
        Some("__import__" | "import_module" | "require" | "import") if is(1, '(') && is(3, ')') => {
            let module = text(2)?;
            out.push(Token::Name(module.trim_start_matches("node:").to_owned()));
            return Some(4);
        }
        Some("getattr") if language == Language::Python && is(1, '(') => {
            let comma = (2..LIST_LIMIT).find(|offset| is(*offset, ',') || is(*offset, ';'))?;
            let member = text(comma + 1).filter(|_| is(comma, ',') && is(comma + 2, ')'))?;
            let object = plain(tokens[at + 2..at + comma].to_vec(), language);
            out.extend([object, vec![Token::Mark('.'), Token::Name(member)]].concat());
            return Some(comma + 3);
        }
        Some("__dict__") if is(1, '[') && is(3, ']') => {
            out.push(Token::Name(text(2)?));
            return Some(4);
        }
        // `send(:system, …)`
        Some("send" | "public_send" | "__send__") if is(1, '(') && is(2, ':') => {
            let member = tokens.get(at + 3).and_then(Token::name)?;
            if out.last().is_some_and(|last| last.is('.')) {
                out.truncate(out.len().saturating_sub(2));
            }
            out.extend([Token::Name(member.to_owned()), Token::Mark('(')]);
            return Some(4 + usize::from(is(4, ',')));
        }
        _ => {}
    }
    let behind_value = matches!(out.last(), Some(Token::Name(_) | Token::Mark(')')));
    if language == Language::JavaScript && behind_value && is(0, '[') && is(2, ']') {
        out.extend([Token::Mark('.'), Token::Name(text(1)?)]);
        return Some(3);
    }
    None
}

/// A name in place of the one that the script gives it.
fn renamed(token: &Token, last: Option<&Token>, aliases: &HashMap<String, String>) -> Token {
    let is_member = last.is_some_and(|last| last.is('.'));
    let name = token.name().filter(|_| !is_member);
    match name.and_then(|name| aliases.get(name)) {
        Some(name) => Token::Name(name.clone()),
        None => token.clone(),
    }
}

/// What the names of a script stand for: `import os as o`, `from os import system as s`,
/// `const {execSync: e} = …`, `f = os.system`.
fn aliases(tokens: &[Token]) -> HashMap<String, String> {
    let mut aliases = HashMap::new();
    for (at, token) in tokens.iter().enumerate() {
        let before = |offset: usize| at.checked_sub(offset).map(|at| &tokens[at]);
        let next = |offset: usize| tokens.get(at + offset);
        match token {
            Token::Name(word) if word == "as" => {
                if let (Some(Token::Name(name)), Some(Token::Name(alias))) = (before(1), next(1)) {
                    aliases.insert(alias.clone(), name.clone());
                }
            }
            Token::Mark(':') => {
                let listed = before(2).is_some_and(|token| token.is('{') || token.is(','));
                let ends = next(2).is_some_and(|token| token.is('}') || token.is(','));
                if let (Some(Token::Name(name)), Some(Token::Name(alias)), true) =
                    (before(1), next(1), listed && ends)
                {
                    aliases.insert(alias.clone(), name.clone());
                }
            }
            Token::Mark('=') => {
                if let (Some(Token::Name(alias)), Some(member)) =
                    (before(1), last_member(&tokens[at + 1..]))
                {
                    aliases.insert(alias.clone(), member);
                }
            }
            _ => {}
        }
    }
    aliases
}

/// The member that an assignment takes without calling it: `os.system`, `require("x").execSync`; or a module.
fn last_member(tokens: &[Token]) -> Option<String> {
    let end = tokens
        .iter()
        .take(LIST_LIMIT)
        .position(|token| matches!(token, Token::NewLine | Token::Mark(';' | ',')));
    let value = &tokens[..end.unwrap_or(tokens.len()).min(LIST_LIMIT)];
    match value {
        [Token::Name(module)] if MODULES.contains(&module.as_str()) => Some(module.clone()),
        [.., Token::Mark('.'), Token::Name(member)] => Some(member.clone()),
        [
            Token::Name(import),
            Token::Mark('('),
            Token::Text(module),
            Token::Mark(')'),
        ] if matches!(import.as_str(), "__import__" | "require") => Some(module.clone()),
        _ => None,
    }
}
