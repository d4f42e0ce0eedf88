//! A piece of a text, as a finding shows it. Pieces of one text share it, since every command is one.

use std::ops::Deref;
use std::rc::Rc;

/// The longest piece of source kept as a command's text.
const TEXT_LIMIT: usize = 300;

/// A piece of source: no surrounding blanks, bounded length.
#[derive(Clone, Debug, Default)]
pub struct Excerpt {
    /// None where there is no text yet.
    source: Option<Rc<str>>,
    start: usize,
    end: usize,
}

impl Excerpt {
    /// The piece of a text between two places of it.
    pub fn of(source: &Rc<str>, start: usize, end: usize) -> Self {
        let piece = &source[start..end];
        let start = start + piece.len() - piece.trim_start().len();
        Self {
            source: Some(Rc::clone(source)),
            start,
            end: start + excerpt_of(piece).len(),
        }
    }

    /// Where it begins in its source.
    pub fn start(&self) -> usize {
        self.start
    }
}

impl Deref for Excerpt {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.source {
            Some(source) => &source[self.start..self.end],
            None => "",
        }
    }
}

impl From<&str> for Excerpt {
    fn from(text: &str) -> Self {
        let text = excerpt_of(text);
        Self {
            source: Some(text.into()),
            start: 0,
            end: text.len(),
        }
    }
}

/// The piece of a text that is kept.
pub fn excerpt_of(text: &str) -> &str {
    let text = text.trim();
    if text.len() <= TEXT_LIMIT {
        return text;
    }
    let end = (0..=TEXT_LIMIT)
        .rev()
        .find(|&end| text.is_char_boundary(end))
        .unwrap_or(0);
    text[..end].trim_end()
}
