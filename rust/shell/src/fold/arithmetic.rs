//! What bash expands once more when it works out arithmetic: subscripts in its text, and the values of names.

use crate::analysis::Dialect;
use crate::budget::DEPTH_LIMIT;
use crate::judge::Judge;
use crate::scope::Variable;
use siderail_syntax::bash;
use siderail_syntax::tree::Word;

/// How far values of names lead to other names.
const NAMES_LIMIT: usize = 4;

impl Judge<'_> {
    /// Arithmetic as written.
    pub(super) fn evaluate_word(&mut self, word: &Word) {
        let text = self.fold_one(word);
        self.evaluate(&text.text);
    }

    /// Arithmetic after its own expansions.
    pub(crate) fn evaluate(&mut self, text: &str) {
        if self.dialect == Dialect::Bash {
            self.evaluate_names(text, NAMES_LIMIT);
        }
    }

    /// A name that is assigned to or asked for, maybe with a subscript.
    pub(crate) fn evaluate_name(&mut self, text: &str) {
        let rest = text.trim_start_matches(is_name_character);
        if rest.len() < text.len() && rest.starts_with('[') && self.dialect == Dialect::Bash {
            self.evaluate_subscript(rest, NAMES_LIMIT);
        }
    }

    fn evaluate_names(&mut self, text: &str, limit: usize) {
        // Numbers alone are most of it.
        if limit == 0 || !text.contains(is_name_start) || !self.budget.pay(text.len()) {
            return;
        }
        let mut rest = text;
        while let Some(at) = rest.find(is_name_character) {
            let name = &rest[at..];
            rest = name.trim_start_matches(is_name_character);
            let name = &name[..name.len() - rest.len()];
            if rest.starts_with('[') {
                rest = self.evaluate_subscript(rest, limit);
            } else if name.starts_with(is_name_start)
                && let Some(Variable::Scalar(value)) = self.scope.variable(name)
            {
                let value = value.text.clone();
                self.evaluate_names(&value, limit - 1);
            }
        }
    }

    /// `[…]` at the front of a text; gives what follows, which is nothing where it never ends.
    fn evaluate_subscript<'t>(&mut self, text: &'t str, limit: usize) -> &'t str {
        let depth = self.budget.depth();
        let Ok((word, length)) = bash::parse_subscript(text, depth, DEPTH_LIMIT) else {
            return "";
        };
        if self.budget.pay(length) {
            let inner = self.fold_one(&word);
            self.evaluate_names(&inner.text, limit - 1);
        }
        &text[length..]
    }
}

fn is_name_start(character: char) -> bool {
    character.is_ascii_alphabetic() || character == '_'
}

fn is_name_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}
