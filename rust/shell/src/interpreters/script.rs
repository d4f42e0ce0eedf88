//! A script that is being followed: its tokens, what its names hold, and which brackets and objects belong together.
//!
//! It knows neither which calls matter nor what they do.

use super::scan::{Language, Token};
use crate::ir::{Origin, UNKNOWN};
use std::cell::OnceCell;
use std::collections::HashMap;

/// How many tokens of one call's arguments are looked at.
pub(super) const ARGUMENTS_LIMIT: usize = 80;

/// What a script can ask for.
pub(super) struct Surroundings<'a> {
    pub(super) args: &'a [&'a str],
    pub(super) temporary: &'a str,
    pub(super) home: &'a str,
}

/// A script and what is known of it so far.
pub(super) struct Script<'s> {
    pub(super) tokens: &'s [Token],
    pub(super) language: Language,
    pub(super) around: &'s Surroundings<'s>,
    /// Variables that hold a text, or a path made of one.
    pub(super) values: HashMap<String, String>,
    /// How much deeper code in its texts is followed.
    pub(super) depth: u32,
    /// Names that are mentioned, of those that a rule asks for.
    pub(super) mentioned: Vec<&'static str>,
    /// Paths that are objects are mentioned.
    pub(super) mentions_paths: bool,
    /// Found out when it is asked for.
    pub(super) code_origin: OnceCell<Origin>,
}

impl Script<'_> {
    /// Whether a name belongs to what comes before it.
    pub(super) fn is_member(&self, index: usize) -> bool {
        let Some(before) = index.checked_sub(1).map(|at| &self.tokens[at]) else {
            return false;
        };
        let arrow = before.is('>') && index > 1 && self.tokens[index - 2].is('-');
        let other = self.language == Language::Other;
        let scope = before.is(':') && index > 1 && (other || self.tokens[index - 2].is(':'));
        before.is('.') || arrow || scope
    }

    /// The name of the object in front of a member, also when it is called: `Path("x").open`.
    pub(super) fn object(&self, index: usize) -> Option<&str> {
        let mut at = index.checked_sub(2)?;
        if self.tokens[at].is(':') {
            at = at.checked_sub(1)?;
        }
        if self.tokens[at].is('-') {
            at = at.checked_sub(1)?;
        }
        if self.tokens[at].is(')') {
            at = self.opening(at)?.checked_sub(1)?;
            // `Pathname.new(…).read`
            if self.tokens[at].name() == Some("new") && self.is_member(at) {
                return self.object(at);
            }
        }
        self.tokens[at].name()
    }

    /// The bracket that opens what closes here, if it is near.
    pub(super) fn opening(&self, close: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for at in (close.saturating_sub(ARGUMENTS_LIMIT)..=close).rev() {
            if self.tokens[at].is(')') {
                depth += 1;
            } else if self.tokens[at].is('(') {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
        }
        None
    }
}

pub(super) fn unknown() -> String {
    UNKNOWN.to_string()
}
