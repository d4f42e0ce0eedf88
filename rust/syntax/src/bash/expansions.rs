//! What follows a `$` in bash.

use super::arithmetic::push_value;
use super::{Parser, Result, Within};
use crate::escapes;
use crate::tree::{Operation, Parameter, Part, Trouble, Word};
use ecow::EcoString;
use std::rc::Rc;

impl Parser<'_> {
    pub(super) fn dollar(&mut self, word: &mut Word, quoted: bool) -> Result<()> {
        self.position += 1;
        self.skip_continuations();
        let part = match self.peek() {
            Some(b'(') => return self.substitution(word, quoted),
            Some(b'{') => {
                self.position += 1;
                self.enter()?;
                let part = self.braced(quoted)?;
                self.leave();
                part
            }
            Some(b'[') => {
                let inner = self.subscript()?;
                push_value(word, inner);
                return Ok(());
            }
            Some(b'\'') if !quoted => Part::Quoted(self.escaped_quotes()?.into()),
            Some(b'"') if !quoted => return self.double_quoted(word),
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => {
                let name = self.take_name();
                plain(name.into(), quoted)
            }
            Some(byte) if byte.is_ascii_digit() || b"@*#?-$!".contains(&byte) => {
                self.position += 1;
                plain(EcoString::from(char::from(byte)), quoted)
            }
            _ => Part::Quoted("$".into()),
        };
        word.parts.push(part);
        Ok(())
    }

    fn substitution(&mut self, word: &mut Word, quoted: bool) -> Result<()> {
        if let Some(inner) = self.double_brackets()? {
            push_value(word, inner);
            return Ok(());
        }
        self.position += 1;
        let script = Rc::new(self.parenthesised()?);
        word.parts.push(Part::Substitution { script, quoted });
        Ok(())
    }

    /// `$'…'`
    pub(super) fn escaped_quotes(&mut self) -> Result<String> {
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
        Ok(escapes::decode(&self.text[start..at]))
    }

    /// `${…}`, behind the brace.
    fn braced(&mut self, quoted: bool) -> Result<Part> {
        self.skip_continuations();
        let mut operation = self.prefix()?;
        let name = match self.peek() {
            Some(byte) if byte.is_ascii_alphanumeric() || byte == b'_' => self.take_name().into(),
            Some(byte) if b"@*#?-$!".contains(&byte) => {
                self.position += 1;
                EcoString::from(char::from(byte))
            }
            _ => EcoString::new(),
        };
        let index = if self.peek() == Some(b'[') {
            Some(self.subscript()?)
        } else {
            None
        };
        let empty_is_unset = self.peek() == Some(b':')
            && self.peek_at(1).is_some_and(|byte| b"-=+?".contains(&byte));
        if operation == Operation::Plain {
            operation = self.operation();
        }
        if operation == Operation::Indirect && (index.is_some() || self.peek() != Some(b'}')) {
            // Keys of a list, names that begin alike.
            operation = Operation::Other;
        }
        let argument = if operation == Operation::Slice {
            let argument = self.arithmetic(None, b'}')?;
            self.position += 1;
            argument
        } else {
            self.brace_argument(quoted)?
        };
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

    /// What comes before the name.
    fn prefix(&mut self) -> Result<Operation> {
        let mut operation = Operation::Plain;
        let special = self.peek_at(1).is_some_and(|byte| byte != b'}');
        if special && matches!(self.peek(), Some(b'#' | b'!' | b'^' | b'=' | b'~')) {
            // Its length, its name, and zsh's own forms: no text that could be followed.
            let length =
                self.peek() == Some(b'#') && !b":-+=?%#/".contains(&self.peek_at(1).unwrap_or(0));
            if length || self.peek() != Some(b'#') {
                operation = match self.peek() {
                    Some(b'!') => Operation::Indirect,
                    _ => Operation::Other,
                };
                self.position += 1;
            }
        }
        if self.peek() == Some(b'(') {
            // zsh's flags.
            let Some(length) = self.text[self.position..].find(')') else {
                return Err(Trouble::Syntax("a brace that never ends"));
            };
            self.position += length + 1;
            operation = Operation::Other;
        }
        Ok(operation)
    }

    fn operation(&mut self) -> Operation {
        const OPERATIONS: [(&str, Operation); 22] = [
            (":-", Operation::Default),
            (":=", Operation::Assign),
            (":+", Operation::Alternative),
            (":?", Operation::Required),
            ("-", Operation::Default),
            ("=", Operation::Assign),
            ("+", Operation::Alternative),
            ("?", Operation::Required),
            ("##", Operation::StripLongestFront),
            ("#", Operation::StripFront),
            ("%%", Operation::StripLongestBack),
            ("%", Operation::StripBack),
            ("//", Operation::ReplaceAll),
            ("/#", Operation::ReplaceFront),
            ("/%", Operation::ReplaceBack),
            ("/", Operation::ReplaceFirst),
            ("^^", Operation::Upper),
            (",,", Operation::Lower),
            (":", Operation::Slice),
            ("@P", Operation::Prompt),
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
                    word.parts.push(Part::Bare("'".into()));
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
}

fn plain(name: EcoString, quoted: bool) -> Part {
    Part::Parameter(Rc::new(Parameter {
        name,
        index: None,
        operation: Operation::Plain,
        empty_is_unset: false,
        argument: Word::default(),
        quoted,
    }))
}
