//! Words of fish: quotes, escapes, variables with elements, and substitutions.

use super::{Parser, Result};
use crate::escapes;
use crate::tree::{Assignment, Node, Operation, Parameter, Part, Simple, Trouble, Value, Word};
use ecow::EcoString;
use std::rc::Rc;

impl Parser<'_> {
    pub(super) fn word(&mut self) -> Result<Word> {
        let start = self.position;
        let mut word = Word::default();
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' | b')' | b'<' | b'>' => break,
                b'\'' => self.single_quoted(&mut word)?,
                b'"' => self.double_quoted(&mut word)?,
                b'\\' => self.escape(&mut word),
                b'$' => self.variable(&mut word, false)?,
                b'(' => {
                    let part = self.substitution(false)?;
                    word.parts.push(part);
                }
                _ => {
                    let from = self.position;
                    self.position += 1;
                    self.skip_while(|byte| !b" \t\r\n;&|()<>'\"\\$".contains(&byte));
                    word.push_bare(&self.text[from..self.position]);
                }
            }
        }
        if self.position == start {
            return Err(Trouble::Syntax("an operator without its word"));
        }
        Ok(word)
    }

    fn single_quoted(&mut self, word: &mut Word) -> Result<()> {
        self.position += 1;
        word.push_quoted("");
        loop {
            let rest = &self.text[self.position..];
            let Some(end) = rest.find(['\'', '\\']) else {
                return Err(Trouble::Syntax("a quote that never ends"));
            };
            word.push_quoted(&rest[..end]);
            self.position += end + 1;
            if rest.as_bytes()[end] == b'\'' {
                return Ok(());
            }
            match self.peek() {
                Some(byte @ (b'\'' | b'\\')) => {
                    word.push_quoted(if byte == b'\'' { "'" } else { "\\" });
                    self.position += 1;
                }
                _ => word.push_quoted("\\"),
            }
        }
    }

    fn double_quoted(&mut self, word: &mut Word) -> Result<()> {
        self.enter()?;
        self.position += 1;
        word.push_quoted("");
        loop {
            match self.peek() {
                None => return Err(Trouble::Syntax("a quote that never ends")),
                Some(b'"') => {
                    self.position += 1;
                    self.leave();
                    return Ok(());
                }
                Some(b'$') => self.variable(word, true)?,
                Some(b'\\') => {
                    match self.peek_at(1) {
                        Some(b'\n') => {}
                        Some(byte @ (b'"' | b'$' | b'\\')) => {
                            word.push_quoted(char::from(byte).encode_utf8(&mut [0; 4]));
                        }
                        _ => {
                            word.push_quoted("\\");
                            self.position += 1;
                            continue;
                        }
                    }
                    self.position += 2;
                }
                Some(_) => {
                    let from = self.position;
                    self.skip_while(|byte| !b"\"$\\".contains(&byte));
                    word.push_quoted(&self.text[from..self.position]);
                }
            }
        }
    }

    /// A backslash outside of quotes: a letter, or a code such as `\x63`.
    fn escape(&mut self, word: &mut Word) {
        let rest = &self.text[self.position..];
        let Some(letter) = rest.chars().nth(1) else {
            self.position += 1;
            return;
        };
        let coded = "xXuU01234567ntrabefv".contains(letter);
        let digits = rest
            .bytes()
            .skip(2)
            .take(8)
            .take_while(u8::is_ascii_hexdigit)
            .count();
        let width = match letter {
            'x' | 'X' => digits.min(2),
            'u' => digits.min(4),
            'U' => digits,
            '0'..='7' => digits.min(2),
            _ => 0,
        };
        let end = 1 + letter.len_utf8() + width;
        if letter == '\n' {
            // A continued line.
        } else if coded {
            word.push_quoted(&escapes::decode(&rest[..end].replacen("\\X", "\\x", 1)));
        } else {
            word.push_quoted(letter.encode_utf8(&mut [0; 4]));
        }
        self.position += end;
    }

    /// `$name`, `$name[1]`, `$(…)`; a name that is itself a variable has an unknown value.
    fn variable(&mut self, word: &mut Word, quoted: bool) -> Result<()> {
        self.position += 1;
        if self.peek() == Some(b'(') {
            let part = self.substitution(quoted)?;
            word.parts.push(part);
            return Ok(());
        }
        let name = self.take_name();
        let name = EcoString::from(name);
        if name.is_empty() {
            word.parts.push(Part::Unknown(Rc::new(Vec::new())));
            return Ok(());
        }
        let index = if self.peek() == Some(b'[') {
            Some(self.index()?)
        } else {
            None
        };
        word.parts.push(Part::Parameter(Rc::new(Parameter {
            name,
            index,
            operation: Operation::Plain,
            empty_is_unset: false,
            argument: Word::default(),
            quoted,
        })));
        Ok(())
    }

    fn index(&mut self) -> Result<Word> {
        self.enter()?;
        self.position += 1;
        let mut word = Word::default();
        loop {
            match self.peek() {
                None | Some(b'\n') => return Err(Trouble::Syntax("a bracket that never closes")),
                Some(b']') => break,
                Some(b'$') => self.variable(&mut word, true)?,
                Some(b'(') => {
                    let part = self.substitution(true)?;
                    word.parts.push(part);
                }
                Some(_) => {
                    let letter = self.text[self.position..].chars().next().unwrap_or(' ');
                    word.push_bare(letter.encode_utf8(&mut [0; 4]));
                    self.position += letter.len_utf8();
                }
            }
        }
        self.position += 1;
        self.leave();
        Ok(word)
    }

    /// `( … )`; with `psub` at its end it is a file that can be read.
    fn substitution(&mut self, quoted: bool) -> Result<Part> {
        self.position += 1;
        let mut script = self.statements()?;
        if self.peek() != Some(b')') {
            return Err(Trouble::Syntax("a bracket that never closes"));
        }
        self.position += 1;
        if let Some(Node::Pipe(stages)) = script.nodes.last_mut()
            && matches!(stages.last(), Some(Node::Simple(simple)) if is_psub(simple))
        {
            stages.pop();
            return Ok(Part::Process {
                script: Rc::new(script),
                input: true,
            });
        }
        Ok(Part::Substitution {
            script: Rc::new(script),
            quoted,
        })
    }

    /// `NAME=value` in front of a command.
    pub(super) fn assignment(&mut self, simple: &Simple) -> Result<Option<Assignment>> {
        let rest = &self.bytes[self.position..];
        let length = rest
            .iter()
            .position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
        let length = length
            .filter(|length| *length > 0 && rest[*length] == b'=' && !rest[0].is_ascii_digit());
        let Some(length) = length.filter(|_| simple.words.is_empty()) else {
            return Ok(None);
        };
        let name = EcoString::from(&self.text[self.position..self.position + length]);
        self.position += length + 1;
        let empty = self.at_end() || self.peek().is_some_and(|byte| b" \t\r".contains(&byte));
        let value = if empty { Word::default() } else { self.word()? };
        Ok(Some(Assignment {
            name,
            index: None,
            append: false,
            value: Value::Scalar(value),
        }))
    }
}

fn is_psub(simple: &Simple) -> bool {
    simple.words.first().and_then(Word::bare) == Some("psub")
}
