//! Words of bash: quotes, escapes, and where a word ends.

use super::{Parser, Result, Stop, Within, parse};
use crate::tree::{Operation, Parameter, Part, Script, Trouble, Word};
use std::rc::Rc;

impl Parser<'_> {
    /// The word here; it is an error if there is none.
    pub(super) fn word(&mut self) -> Result<Word> {
        let mut word = Word::default();
        self.word_into(&mut word)?;
        Ok(word)
    }

    /// The same, read in its place: to move a word that was just made costs as much as to make it.
    pub(super) fn word_into(&mut self, word: &mut Word) -> Result<()> {
        let start = self.position;
        self.word_parts(word, Within::Command)?;
        if self.position == start {
            return Err(Trouble::Syntax("an operator without its word"));
        }
        Ok(())
    }

    /// Parts up to an unquoted byte that ends the word, or the end of the text.
    pub(super) fn word_parts(&mut self, word: &mut Word, within: Within) -> Result<()> {
        loop {
            let Some(byte) = self.peek() else {
                return Ok(());
            };
            match byte {
                b'<' | b'>' if within.has_patterns() && self.peek_at(1) == Some(b'(') => {
                    self.process(word, byte)?;
                }
                b'(' if within.has_patterns() && self.after_pattern_letter() => {
                    self.pattern_group(word)?;
                }
                b'\r' if self.peek_at(1) == Some(b'\n') => return Ok(()),
                _ if within.ends_at(byte) => return Ok(()),
                b'\\' => self.escape(word),
                b'\'' => {
                    let text = self.single_quoted()?;
                    word.parts.push(Part::Quoted(text.into()));
                }
                b'"' => self.double_quoted(word)?,
                b'`' => {
                    let part = self.backticks(false)?;
                    word.parts.push(part);
                }
                b'$' => self.dollar(word, false)?,
                _ => self.plain_run(word, within),
            }
        }
    }

    fn plain_run(&mut self, word: &mut Word, within: Within) {
        let start = self.position;
        self.position += 1;
        let is_live = |byte| {
            matches!(
                byte,
                b'\\' | b'\'' | b'"' | b'`' | b'$' | b'<' | b'>' | b'(' | b'\r'
            )
        };
        self.skip_while(|byte| !is_live(byte) && !within.ends_at(byte));
        let run = &self.text[start..self.position];
        word.push_bare(run);
    }

    /// A backslash outside of quotes.
    fn escape(&mut self, word: &mut Word) {
        self.position += 1;
        let Some(character) = self.text[self.position..].chars().next() else {
            word.parts.push(Part::Quoted("\\".into()));
            return;
        };
        self.position += character.len_utf8();
        if character != '\n' {
            word.push_quoted(character.encode_utf8(&mut [0; 4]));
        }
    }

    pub(super) fn single_quoted(&mut self) -> Result<String> {
        let start = self.position + 1;
        let Some(length) = self.text[start..].find('\'') else {
            return Err(Trouble::Syntax("a quote that never ends"));
        };
        self.position = start + length + 1;
        Ok(self.text[start..start + length].to_owned())
    }

    pub(super) fn double_quoted(&mut self, word: &mut Word) -> Result<()> {
        self.enter()?;
        self.position += 1;
        let inner = self.quoted_text(Some(b'"'))?;
        self.leave();
        if inner.parts.is_empty() {
            word.parts.push(Part::Quoted("".into()));
        }
        word.parts.extend(inner.parts);
        Ok(())
    }

    /// Text in which only expansions are live, up to its closing quote or the end of the text.
    pub(super) fn quoted_text(&mut self, close: Option<u8>) -> Result<Word> {
        let mut word = Word::default();
        loop {
            let Some(byte) = self.peek() else {
                return match close {
                    None => Ok(word),
                    Some(_) => Err(Trouble::Syntax("a quote that never ends")),
                };
            };
            match byte {
                _ if Some(byte) == close => {
                    self.position += 1;
                    return Ok(word);
                }
                b'\\' => self.quoted_escape(&mut word, close),
                b'$' => self.dollar(&mut word, true)?,
                b'`' => {
                    let part = self.backticks(true)?;
                    word.parts.push(part);
                }
                _ => {
                    let start = self.position;
                    self.skip_while(|byte| !matches!(byte, b'\\' | b'$' | b'`' | b'"'));
                    // A quote inside a here-document is a letter like any other.
                    self.position += usize::from(self.position == start);
                    word.push_quoted(&self.text[start..self.position]);
                }
            }
        }
    }

    fn quoted_escape(&mut self, word: &mut Word, close: Option<u8>) {
        match self.peek_at(1) {
            Some(b'\n') => self.position += 2,
            Some(byte) if b"$`\\".contains(&byte) || Some(byte) == close => {
                word.push_quoted(&self.text[self.position + 1..self.position + 2]);
                self.position += 2;
            }
            _ => {
                word.push_quoted("\\");
                self.position += 1;
            }
        }
    }

    /// The script between backticks, with one level of escapes taken away.
    pub(super) fn backticks(&mut self, quoted: bool) -> Result<Part> {
        self.position += 1;
        let mut text = String::new();
        let mut start = self.position;
        loop {
            match self.peek() {
                None => return Err(Trouble::Syntax("a backtick that never ends")),
                Some(b'`') => break,
                Some(b'\\') => {
                    text.push_str(&self.text[start..self.position]);
                    let next = self.peek_at(1);
                    let goes = next
                        .is_some_and(|byte| b"`\\$".contains(&byte) || (quoted && byte == b'"'));
                    start = self.position + usize::from(goes);
                    self.position += if next.is_some_and(|byte| byte.is_ascii()) {
                        2
                    } else {
                        1
                    };
                }
                Some(_) => self.position += 1,
            }
        }
        text.push_str(&self.text[start.min(self.position)..self.position]);
        self.position += 1;
        let parsed = parse(&text, self.depth + 1, self.limit);
        match parsed.trouble {
            Some(trouble) => Err(trouble),
            None if self.depth >= self.limit => Err(Trouble::TooDeep),
            None => Ok(Part::Substitution {
                script: Rc::new(parsed.script),
                quoted,
            }),
        }
    }

    fn process(&mut self, word: &mut Word, byte: u8) -> Result<()> {
        self.position += 2;
        let script = Rc::new(self.parenthesised()?);
        word.parts.push(Part::Process {
            script,
            input: byte == b'<',
        });
        Ok(())
    }

    /// A list up to its closing bracket, which may hold nothing.
    pub(super) fn parenthesised(&mut self) -> Result<Script> {
        // Here-documents of the line around it begin behind that line, not inside of this.
        let outer = std::mem::take(&mut self.kept.pending);
        let script = self.possible_list();
        let unread = std::mem::replace(&mut self.kept.pending, outer);
        self.kept.pending.extend(unread);
        script
    }

    fn possible_list(&mut self) -> Result<Script> {
        self.skip_to_command()?;
        let script = if self.peek() == Some(b')') {
            Script::default()
        } else {
            self.list(Stop::Parenthesis)?
        };
        self.position += 1;
        Ok(script)
    }

    /// Whether a bracket here begins a pattern group, as in `+(a|b)` or zsh's `*(.)`.
    fn after_pattern_letter(&self) -> bool {
        let before = self
            .position
            .checked_sub(1)
            .and_then(|at| self.bytes.get(at));
        before.is_some_and(|byte| b"?*+@!".contains(byte))
    }

    fn pattern_group(&mut self, word: &mut Word) -> Result<()> {
        self.enter()?;
        let mut inner = Word::default();
        let mut open = 0_usize;
        loop {
            match self.peek() {
                None => return Err(Trouble::Syntax("a pattern that never ends")),
                Some(b'(') => open += 1,
                Some(b')') => open -= 1,
                Some(_) => {}
            }
            self.position += 1;
            if open == 0 {
                break;
            }
            self.word_parts(&mut inner, Within::Pattern)?;
        }
        self.leave();
        // What it matches is not followed: any text, as `*` is. What it expands runs.
        if let Some(Part::Bare(text)) = word.parts.last_mut() {
            // The letter in front belongs to the group.
            text.pop();
        }
        word.push_bare("*");
        inner.parts = inner
            .parts
            .into_iter()
            .filter(|part| !matches!(part, Part::Bare(_) | Part::Quoted(_)))
            .collect();
        if !inner.parts.is_empty() {
            word.parts.push(Part::Unknown(Rc::new(vec![inner])));
        }
        Ok(())
    }

    /// `"$@"`
    pub(super) fn arguments_word(&self) -> Word {
        let parameter = Parameter {
            name: "@".into(),
            index: None,
            operation: Operation::Plain,
            empty_is_unset: false,
            argument: Word::default(),
            quoted: true,
        };
        Word {
            parts: [Part::Parameter(Rc::new(parameter))].into(),
        }
    }
}
