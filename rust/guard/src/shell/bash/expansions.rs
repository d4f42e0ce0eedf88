//! What follows a `$` in bash, and arithmetic.

use super::words::Within;
use super::{Parser, Result};
use crate::shell::fold::escapes;
use crate::shell::syntax::{Operation, Parameter, Part, Trouble, Word};
use std::rc::Rc;

/// Where the pieces of `name[index]=` and `name+=` stand.
pub(super) struct AssignmentHead {
    pub(super) name_end: usize,
    pub(super) index: Option<(usize, usize)>,
    pub(super) append: bool,
    pub(super) value_start: usize,
}

impl Parser<'_> {
    pub(super) fn dollar(&mut self, word: &mut Word, quoted: bool) -> Result<()> {
        self.position += 1;
        self.skip_continuations();
        let part = match self.peek() {
            Some(b'(') => self.substitution(quoted)?,
            Some(b'{') => {
                self.position += 1;
                self.enter()?;
                let part = self.braced(quoted)?;
                self.leave();
                part
            }
            Some(b'[') => {
                self.position += 1;
                let start = self.position;
                let Some(end) = self.balanced(start, b'[', b']') else {
                    return Err(Trouble::Syntax("arithmetic that never ends"));
                };
                let inner = self.inside(start, end)?;
                self.position = end + 1;
                Part::Unknown(Rc::new(vec![inner]))
            }
            Some(b'\'') if !quoted => self.escaped_quotes()?,
            Some(b'"') if !quoted => return self.double_quoted(word),
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => {
                let name = self.name();
                plain(name, quoted)
            }
            Some(byte) if byte.is_ascii_digit() || b"@*#?-$!".contains(&byte) => {
                self.position += 1;
                plain(char::from(byte).to_string(), quoted)
            }
            _ => Part::Quoted("$".to_owned()),
        };
        word.parts.push(part);
        Ok(())
    }

    fn name(&mut self) -> String {
        let start = self.position;
        while self
            .peek()
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        {
            self.position += 1;
        }
        self.text[start..self.position].to_owned()
    }

    fn substitution(&mut self, quoted: bool) -> Result<Part> {
        self.position += 1;
        if self.peek() == Some(b'(') && self.is_arithmetic(self.position + 1) {
            self.position += 1;
            let word = self.arithmetic_body(2)?;
            return Ok(Part::Unknown(Rc::new(vec![word])));
        }
        let script = Rc::new(self.parenthesised()?);
        Ok(Part::Substitution { script, quoted })
    }

    /// Whether the two brackets opened before `from` are closed by two in a row.
    pub(super) fn is_arithmetic(&mut self, from: usize) -> bool {
        let end = self.balanced(from, b'(', b')');
        end.is_some_and(|end| self.bytes.get(end + 1) == Some(&b')'))
    }

    /// Arithmetic up to its closing brackets: an expression is nothing, its substitutions run.
    pub(super) fn arithmetic_body(&mut self, brackets: usize) -> Result<Word> {
        self.enter()?;
        let mut word = Word::default();
        let mut open = 0_usize;
        loop {
            self.word_parts(&mut word, Within::Arithmetic)?;
            match self.peek() {
                None => return Err(Trouble::Syntax("arithmetic that never ends")),
                Some(b'(') => open += 1,
                Some(b')') if open > 0 => open -= 1,
                Some(b')') => {
                    self.position += brackets;
                    self.leave();
                    word.parts
                        .retain(|part| !matches!(part, Part::Bare(_) | Part::Quoted(_)));
                    return Ok(word);
                }
                Some(_) => {}
            }
            self.position += 1;
        }
    }

    /// A piece of the text as a word of its own.
    pub(super) fn inside(&mut self, from: usize, to: usize) -> Result<Word> {
        let (position, bytes, text) = (self.position, self.bytes, self.text);
        (self.bytes, self.text) = (&bytes[..to], &text[..to]);
        self.position = from;
        self.enter()?;
        let mut word = Word::default();
        let outcome = self.word_parts(&mut word, Within::Piece);
        self.leave();
        (self.position, self.bytes, self.text) = (position, bytes, text);
        outcome.map(|()| word)
    }

    /// `$'…'`
    fn escaped_quotes(&mut self) -> Result<Part> {
        let start = self.position + 1;
        let mut at = start;
        loop {
            match self.bytes.get(at) {
                None => return Err(Trouble::Syntax("a quote that never ends")),
                Some(b'\\') => at += 2,
                Some(b'\'') => break,
                Some(_) => at += 1,
            }
        }
        self.position = at + 1;
        Ok(Part::Quoted(escapes::decode(&self.text[start..at])))
    }

    /// `${…}`, behind the brace.
    fn braced(&mut self, quoted: bool) -> Result<Part> {
        self.skip_continuations();
        let mut operation = Operation::Plain;
        let special = self.peek_at(1).is_some_and(|byte| byte != b'}');
        if special && matches!(self.peek(), Some(b'#' | b'!' | b'^' | b'=' | b'~')) {
            // Its length, its name, and zsh's own forms: no text that could be followed.
            let length =
                self.peek() == Some(b'#') && !b":-+=?%#/".contains(&self.peek_at(1).unwrap_or(0));
            if length || self.peek() != Some(b'#') {
                self.position += 1;
                operation = Operation::Other;
            }
        }
        if self.peek() == Some(b'(') {
            // zsh's flags.
            let end = self.balanced(self.position + 1, b'(', b')');
            let Some(end) = end else {
                return Err(Trouble::Syntax("a brace that never ends"));
            };
            self.position = end + 1;
            operation = Operation::Other;
        }
        let name = match self.peek() {
            Some(byte) if byte.is_ascii_alphanumeric() || byte == b'_' => self.name(),
            Some(byte) if b"@*#?-$!".contains(&byte) => {
                self.position += 1;
                char::from(byte).to_string()
            }
            _ => String::new(),
        };
        let index = self.index()?;
        let empty_is_unset = self.peek() == Some(b':')
            && self.peek_at(1).is_some_and(|byte| b"-=+?".contains(&byte));
        if operation == Operation::Plain {
            operation = self.operation();
        }
        let argument = self.brace_argument(quoted)?;
        let parameter = Parameter {
            name,
            index,
            operation,
            empty_is_unset,
            argument,
            quoted,
        };
        Ok(Part::Parameter(Rc::new(parameter)))
    }

    fn index(&mut self) -> Result<Option<Word>> {
        if self.peek() != Some(b'[') {
            return Ok(None);
        }
        let start = self.position + 1;
        let Some(end) = self.balanced(start, b'[', b']') else {
            return Err(Trouble::Syntax("a brace that never ends"));
        };
        let word = self.inside(start, end)?;
        self.position = end + 1;
        Ok(Some(word))
    }

    fn operation(&mut self) -> Operation {
        const OPERATIONS: [(&str, Operation); 19] = [
            (":-", Operation::Default),
            (":=", Operation::Assign),
            (":+", Operation::Alternative),
            (":?", Operation::Required),
            ("-", Operation::Default),
            ("=", Operation::Assign),
            ("+", Operation::Alternative),
            ("?", Operation::Required),
            ("##", Operation::StripFront),
            ("#", Operation::StripFront),
            ("%%", Operation::StripBack),
            ("%", Operation::StripBack),
            ("//", Operation::ReplaceAll),
            ("/", Operation::ReplaceFirst),
            ("^^", Operation::Upper),
            (",,", Operation::Lower),
            (":", Operation::Slice),
            ("@", Operation::Other),
            ("^", Operation::Other),
        ];
        if self.peek() == Some(b'}') {
            return Operation::Plain;
        }
        let found = OPERATIONS.iter().find(|(text, _)| self.starts_with(text));
        self.position += found.map_or(0, |(text, _)| text.len());
        found.map_or(Operation::Other, |(_, operation)| *operation)
    }

    fn brace_argument(&mut self, quoted: bool) -> Result<Word> {
        let mut word = Word::default();
        loop {
            match self.peek() {
                None => return Err(Trouble::Syntax("a brace that never ends")),
                Some(b'}') => {
                    self.position += 1;
                    return Ok(word);
                }
                Some(b'\'') if quoted => {
                    word.parts.push(Part::Bare("'".to_owned()));
                    self.position += 1;
                }
                Some(_) => {
                    let before = self.position;
                    let within = if quoted {
                        Within::QuotedBraces
                    } else {
                        Within::Braces
                    };
                    self.word_parts(&mut word, within)?;
                    if self.position == before {
                        // A carriage return that is not the end of a word in here.
                        self.position += 1;
                    }
                }
            }
        }
    }

    /// The head of an assignment here, found without parsing it.
    pub(super) fn assignment_head(&mut self) -> Result<Option<AssignmentHead>> {
        let Some(name_end) = self.assigned_name() else {
            return Ok(None);
        };
        let mut at = name_end;
        let mut index = None;
        if self.bytes.get(at) == Some(&b'[') {
            let Some(end) = self.balanced(at + 1, b'[', b']') else {
                return Err(Trouble::Syntax("an index that never ends"));
            };
            index = Some((at + 1, end));
            at = end + 1;
        }
        let append = self.bytes.get(at) == Some(&b'+');
        at += usize::from(append);
        let head = AssignmentHead {
            name_end,
            index,
            append,
            value_start: at + 1,
        };
        Ok((self.bytes.get(at) == Some(&b'=')).then_some(head))
    }

    /// Where a name that could be assigned to ends.
    fn assigned_name(&self) -> Option<usize> {
        let rest = &self.bytes[self.position..];
        let first = *rest.first()?;
        if !first.is_ascii_alphabetic() && first != b'_' {
            return None;
        }
        let length = rest
            .iter()
            .position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')?;
        Some(self.position + length)
    }
}

fn plain(name: String, quoted: bool) -> Part {
    Part::Parameter(Rc::new(Parameter {
        name,
        index: None,
        operation: Operation::Plain,
        empty_is_unset: false,
        argument: Word::default(),
        quoted,
    }))
}
