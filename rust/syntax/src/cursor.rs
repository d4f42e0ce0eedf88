//! Where a parser is in its text, and how deep: what the parsers of all shells are built on.

use super::excerpt::Excerpt;
use super::tree::{Joined, Trouble};
use std::cell::OnceCell;
use std::rc::Rc;

/// A place in a text that is read byte by byte, and what a shell's parser keeps besides.
#[derive(Debug)]
pub(crate) struct Cursor<'s, Kept> {
    pub(crate) text: &'s str,
    pub(crate) bytes: &'s [u8],
    pub(crate) position: usize,
    pub(crate) depth: u32,
    pub(crate) limit: u32,
    /// All of the text, once a piece of it is kept.
    source: OnceCell<Rc<str>>,
    whole: &'s str,
    pub(crate) kept: Kept,
}

impl<'s, Kept> Cursor<'s, Kept> {
    /// At the front of a text that is nested as deep as `depth` already.
    pub(crate) fn new(text: &'s str, depth: u32, limit: u32, kept: Kept) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            position: 0,
            depth,
            limit,
            source: OnceCell::new(),
            whole: text,
            kept,
        }
    }

    /// The piece of the text between two places.
    pub(crate) fn excerpt(&self, start: usize, end: usize) -> Excerpt {
        Excerpt::of(self.source.get_or_init(|| self.whole.into()), start, end)
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.position).copied()
    }

    pub(crate) fn peek_at(&self, offset: usize) -> Option<u8> {
        self.bytes.get(self.position + offset).copied()
    }

    pub(crate) fn starts_with(&self, text: &str) -> bool {
        self.bytes[self.position..].starts_with(text.as_bytes())
    }

    /// The `&&` or `||` here, if there is one.
    pub(crate) fn take_joined(&mut self) -> Option<Joined> {
        let joined = match (self.peek()?, self.peek_at(1)?) {
            (b'&', b'&') => Joined::IfSucceeded,
            (b'|', b'|') => Joined::IfFailed,
            _ => return None,
        };
        self.position += 2;
        Some(joined)
    }

    /// Goes on while the bytes are like that. It may begin and end inside of a character.
    pub(crate) fn skip_while(&mut self, is_like: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&is_like) {
            self.position += 1;
        }
    }

    /// The letters, digits and underscores here.
    pub(crate) fn take_name(&mut self) -> &'s str {
        let start = self.position;
        self.skip_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        &self.text[start..self.position]
    }

    /// Blanks, and ends of lines behind the byte that escapes them.
    pub(crate) fn skip_continued(&mut self, escape: u8) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r') => self.position += 1,
                Some(byte) if byte == escape && self.peek_at(1) == Some(b'\n') => {
                    self.position += 2
                }
                _ => return,
            }
        }
    }

    /// Goes to the end of the line.
    pub(crate) fn skip_comment(&mut self) {
        self.skip_while(|byte| byte != b'\n');
    }

    /// One level deeper; every success is paired with [`Self::leave`].
    pub(crate) fn enter(&mut self) -> Result<(), Trouble> {
        self.depth += 1;
        if self.depth > self.limit {
            Err(Trouble::TooDeep)
        } else {
            Ok(())
        }
    }

    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }
}
