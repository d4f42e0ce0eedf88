//! Arithmetic of bash, and what is arithmetic as well: subscripts and slices.
//!
//! Its text is expanded as if it stood in double quotes. Single quotes only hide brackets from the search
//! for the end; substitutions between them run.

use super::{Parser, Result, parse_text};
use crate::tree::{Part, Trouble, Word};
use std::rc::Rc;

/// Where a reading began that may turn out to be the wrong one.
pub(super) struct Attempt {
    position: usize,
    depth: u32,
    n_pending: usize,
}

impl Parser<'_> {
    /// `((…))` here, at the first bracket; `None` where these are brackets of commands.
    pub(super) fn double_brackets(&mut self) -> Result<Option<Word>> {
        if !self.starts_with("((") || self.kept.refused.contains(&self.position) {
            return Ok(None);
        }
        let attempt = self.attempt();
        self.position += 2;
        match self.arithmetic(Some(b'('), b')') {
            Ok(word) if self.peek_at(1) == Some(b')') => {
                self.position += 2;
                return Ok(Some(word));
            }
            Err(Trouble::TooDeep) => return Err(Trouble::TooDeep),
            _ => {}
        }
        self.give_up(attempt)?;
        Ok(None)
    }

    pub(super) fn attempt(&self) -> Attempt {
        Attempt {
            position: self.position,
            depth: self.depth,
            n_pending: self.kept.pending.len(),
        }
    }

    /// Goes back to where a reading began that was the wrong one, and never tries it there again. What was
    /// read in vain is paid for from a budget in proportion to the text.
    pub(super) fn give_up(&mut self, attempt: Attempt) -> Result<()> {
        let read = self.position.saturating_sub(attempt.position);
        self.kept.scans = self.kept.scans.saturating_sub(read);
        if self.kept.scans == 0 {
            return Err(Trouble::TooDeep);
        }
        self.kept.refused.insert(attempt.position);
        self.position = attempt.position;
        self.depth = attempt.depth;
        self.kept.pending.truncate(attempt.n_pending);
        Ok(())
    }

    /// `[…]`, at its bracket.
    pub(super) fn subscript(&mut self) -> Result<Word> {
        self.position += 1;
        let word = self.arithmetic(Some(b'['), b']')?;
        self.position += 1;
        Ok(word)
    }

    /// Text up to the bracket that closes it, which is not consumed.
    pub(super) fn arithmetic(&mut self, open: Option<u8>, close: u8) -> Result<Word> {
        self.enter()?;
        let mut word = Word::default();
        let mut depth = 0_usize;
        loop {
            let Some(byte) = self.peek() else {
                return Err(Trouble::Syntax("arithmetic that never ends"));
            };
            match byte {
                b'\\' => self.arithmetic_escape(&mut word),
                b'\'' => self.transparent_quotes(&mut word)?,
                b'"' => self.double_quoted(&mut word)?,
                b'`' => {
                    let part = self.backticks(true)?;
                    word.parts.push(part);
                }
                b'$' if self.peek_at(1) == Some(b'\'') => self.translated_quotes(&mut word)?,
                b'$' => self.dollar(&mut word, true)?,
                _ if byte == close && depth == 0 => {
                    self.leave();
                    return Ok(word);
                }
                _ => {
                    depth = depth + usize::from(Some(byte) == open) - usize::from(byte == close);
                    self.arithmetic_run(&mut word, open, close);
                }
            }
        }
    }

    /// The byte here and the plain ones behind it.
    fn arithmetic_run(&mut self, word: &mut Word, open: Option<u8>, close: u8) {
        let start = self.position;
        self.position += 1;
        self.skip_while(|byte| !b"\\'\"`$".contains(&byte) && Some(byte) != open && byte != close);
        word.push_quoted(&self.text[start..self.position]);
    }

    fn arithmetic_escape(&mut self, word: &mut Word) {
        let next = self.text[self.position + 1..].chars().next();
        let length = next.map_or(0, char::len_utf8);
        let end = self.position + 1 + length;
        match next {
            Some('\n') => {}
            Some('$' | '`' | '\\' | '"') => word.push_quoted(&self.text[self.position + 1..end]),
            _ => word.push_quoted(&self.text[self.position..end]),
        }
        self.position = end;
    }

    /// `'…'`, whose brackets do not count and whose expansions do.
    fn transparent_quotes(&mut self, word: &mut Word) -> Result<()> {
        let start = self.position;
        self.single_quoted()?;
        let end = self.position;
        let (bytes, text) = (self.bytes, self.text);
        (self.bytes, self.text) = (&bytes[..end], &text[..end]);
        self.position = start;
        let outcome = self.quoted_text(None);
        (self.bytes, self.text) = (bytes, text);
        self.position = end;
        word.parts.extend(outcome?.parts);
        Ok(())
    }

    /// `$'…'`, which is decoded first and expanded then.
    fn translated_quotes(&mut self, word: &mut Word) -> Result<()> {
        self.position += 1;
        let decoded = self.escaped_quotes()?;
        word.push_quoted("'");
        if decoded.contains(['$', '`']) {
            let inner = parse_text(&decoded, self.depth, self.limit)?;
            word.parts.extend(inner.parts);
        } else {
            word.push_quoted(&decoded);
        }
        word.push_quoted("'");
        Ok(())
    }
}

/// What is evaluated and gives an unknown value.
pub(super) fn push_value(word: &mut Word, arithmetic: Word) {
    word.parts.push(Part::Evaluated(Rc::new(arithmetic)));
    word.parts.push(Part::Unknown(Rc::new(Vec::new())));
}
