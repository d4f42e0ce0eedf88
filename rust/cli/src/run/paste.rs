//! A paste on its way into the line, as plain data: one that is too large for a prompt waits for the person's decision.
//!
//! It draws nothing and writes no file. Pasted text answers no question, its own included.

use crate::keys::Key;

/// A larger paste is better read by the agent from a file.
const LARGE: usize = 1_000_000;

/// What becomes of a large paste.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// A file for it, named in the line.
    File(String),
    /// It goes into the line.
    Line(String),
    /// Nothing.
    Nothing,
}

/// What was pasted so far, and whether it waits for an answer.
#[derive(Debug, Default)]
pub(super) struct Paste {
    text: String,
    asks: bool,
}

impl Paste {
    /// True when nothing is on its way.
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// True while the person is asked about it.
    pub(super) fn asks(&self) -> bool {
        self.asks
    }

    /// Takes a character. One that comes while the person is asked is dropped.
    pub(super) fn push(&mut self, c: char) {
        if !self.asks {
            self.text.push(c);
        }
    }

    /// The paste is whole: what goes into the line at once.
    pub(super) fn end(&mut self) -> Option<String> {
        if self.asks || self.text.is_empty() {
            return None;
        }
        self.asks = self.text.len() > LARGE;
        (!self.asks).then(|| std::mem::take(&mut self.text))
    }

    /// Asks again, about a text that could not be saved.
    pub(super) fn ask_again(&mut self, text: String) {
        *self = Self { text, asks: true };
    }

    /// Forgets it.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Takes a key of the person who is asked; none if it is not an answer.
    pub(super) fn key(&mut self, key: Key) -> Option<Wanted> {
        let text = |paste: &mut Self| std::mem::take(paste).text;
        Some(match key {
            Key::Char('y' | 'Y') => Wanted::File(text(self)),
            Key::Char('n' | 'N') => Wanted::Line(text(self)),
            Key::Escape | Key::EraseLine => {
                self.forget();
                Wanted::Nothing
            }
            _ => return None,
        })
    }

    /// The question, in rows.
    pub(super) fn question(&self) -> Vec<String> {
        let tenths = self.text.len() / 100_000;
        vec![
            format!("This paste has {}.{} MB.", tenths / 10, tenths % 10),
            "  y    save it as a file to refer to".to_owned(),
            "  n    put it into the prompt".to_owned(),
            "  Esc  discard it".to_owned(),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pasted(text: &str) -> Paste {
        let mut paste = Paste::default();
        text.chars().for_each(|c| paste.push(c));
        paste
    }

    #[test]
    fn a_paste_goes_into_the_line_unless_it_is_large() {
        assert_eq!(pasted("a\nb").end().as_deref(), Some("a\nb"));
        let exact = "x".repeat(LARGE);
        assert_eq!(pasted(&exact).end(), Some(exact));
        let large = "x".repeat(LARGE + 1);
        for (key, wanted) in [
            (Key::Char('y'), Wanted::File(large.clone())),
            (Key::Char('n'), Wanted::Line(large.clone())),
            (Key::Escape, Wanted::Nothing),
        ] {
            let mut paste = pasted(&large);
            assert_eq!(paste.end(), None);
            assert_eq!(paste.question()[0], "This paste has 1.0 MB.");
            paste.push('y');
            assert_eq!(paste.end(), None, "it still asks");
            for no_answer in [Key::Enter, Key::Char('x'), Key::Pause] {
                assert_eq!(paste.key(no_answer), None);
            }
            assert_eq!(paste.key(key), Some(wanted));
            assert!(paste.is_empty() && !paste.asks());
        }
    }
}
