//! Expressions of PowerShell, kept as one word: texts, variables, and what runs inside of them.

use super::OF_OBJECT;
use super::{Parser, Result};
use crate::tree::{Node, Part, Script, Simple, Trouble, Word};
use std::rc::Rc;

/// Members that name the same thing as the object they belong to.
const SAME: [&str; 6] = ["fullname", "path", "name", "pspath", "value", "content"];

/// Members that take a script block without brackets around it.
const TAKES_BLOCK: [&str; 2] = [".foreach", ".where"];

impl Parser<'_> {
    /// An expression up to the end of its pipeline's stage.
    pub(super) fn expression(&mut self) -> Result<Word> {
        self.enter()?;
        let mut word = Word::default();
        loop {
            self.skip_blanks()?;
            let Some(byte) = self.peek() else { break };
            match byte {
                b'\n' | b';' | b')' | b'}' | b']' | b'#' | b'>' => break,
                b'|' | b'&' => break,
                b',' => {
                    self.position += 1;
                    self.skip_lines()?;
                    word.parts.push(Part::Quoted("\n".into()));
                }
                b'+' if self.peek_at(1) != Some(b'+') => {
                    // Texts that are added stand one behind the other.
                    self.position += 1;
                    self.skip_lines()?;
                }
                b'1'..=b'6' | b'*' if self.peek_at(1) == Some(b'>') => break,
                _ if self.begins_operand() => self.operand(&mut word)?,
                _ => self.operator(&mut word)?,
            }
        }
        self.leave();
        Ok(word)
    }

    fn begins_operand(&self) -> bool {
        match self.peek() {
            Some(b'$' | b'"' | b'\'' | b'(' | b'[' | b'{' | b'0'..=b'9') => true,
            Some(b'@') => self.peek_at(1).is_some_and(|byte| b"({'\"".contains(&byte)),
            _ => false,
        }
    }

    /// `-replace`, `..`, `!`, `*`: what they give is unknown.
    fn operator(&mut self, word: &mut Word) -> Result<()> {
        let Some(character) = self.text[self.position..].chars().next() else {
            return Ok(());
        };
        self.position += character.len_utf8();
        if character == '-' || character.is_ascii_alphabetic() {
            self.position += self.letters().len();
        }
        word.parts.push(Part::Unknown(Rc::new(Vec::new())));
        self.skip_lines()
    }

    /// One operand and the members, calls and elements behind it.
    pub(super) fn operand(&mut self, word: &mut Word) -> Result<()> {
        match self.peek() {
            Some(b'\'' | b'"') => {
                let string = self.string()?;
                word.parts.extend(string.parts);
            }
            Some(b'@') if self.peek_at(1).is_some_and(|byte| b"'\"".contains(&byte)) => {
                let string = self.here_string()?;
                word.parts.extend(string.parts);
            }
            Some(b'@') if self.peek_at(1) == Some(b'{') => {
                self.position += 1;
                self.hash_table(word)?;
            }
            Some(b'@' | b'$') if self.peek_at(1) == Some(b'(') => {
                self.position += 1;
                let script = Rc::new(self.parenthesised()?);
                word.parts.push(Part::Substitution {
                    script,
                    quoted: false,
                });
            }
            Some(b'$') => {
                let part = self.variable();
                word.parts.push(part);
            }
            Some(b'(') => {
                let script = Rc::new(self.parenthesised()?);
                word.parts.push(Part::Substitution {
                    script,
                    quoted: true,
                });
            }
            Some(b'{') => {
                let script = Rc::new(self.block()?);
                word.parts.push(Part::Block(script));
            }
            Some(b'[') => return self.type_literal(word),
            _ => {
                let start = self.position;
                self.skip_while(|byte| byte.is_ascii_alphanumeric());
                word.parts
                    .push(Part::Bare(self.text[start..self.position].into()));
            }
        }
        self.members(word)
    }

    /// `.name`, `.name(…)`, `[…]` directly behind an operand.
    fn members(&mut self, word: &mut Word) -> Result<()> {
        loop {
            match (self.peek(), self.peek_at(1)) {
                (Some(b'.'), Some(byte)) if byte.is_ascii_alphabetic() || byte == b'_' => {
                    let start = self.position;
                    self.position += 1;
                    let name = self.letters().to_ascii_lowercase();
                    self.position += name.len();
                    self.member(&format!(".{name}"), start, word)?;
                }
                (Some(b'['), _) => {
                    self.position += 1;
                    let script = Rc::new(self.statements(Some(b']'))?);
                    self.position += 1;
                    let inner = Word {
                        parts: [Part::Substitution {
                            script,
                            quoted: true,
                        }]
                        .into(),
                    };
                    word.parts.push(Part::Unknown(Rc::new(vec![inner])));
                }
                _ => return Ok(()),
            }
        }
    }

    /// A member that is called, or a property. Its text begins at `start`.
    fn member(&mut self, name: &str, start: usize, word: &mut Word) -> Result<()> {
        let takes_block = self.peek() == Some(b'{') && TAKES_BLOCK.contains(&name);
        if self.peek() != Some(b'(') && !takes_block {
            if !SAME.contains(&name.trim_start_matches('.')) {
                word.parts.push(Part::Unknown(Rc::new(Vec::new())));
            }
            return Ok(());
        }
        let mut words = vec![Word::quoted(name)];
        if OF_OBJECT.contains(&name) {
            // It is about what it is called on, which is one thing.
            words.push(as_one(std::mem::take(word)));
        }
        if takes_block {
            let block = Part::Block(Rc::new(self.block()?));
            words.push(Word {
                parts: [block].into(),
            });
        } else {
            words.extend(self.call_arguments()?);
        }
        let text = self.excerpt(start, self.position);
        let simple = Simple {
            words,
            text,
            ..Simple::default()
        };
        let script = Rc::new(Script {
            nodes: vec![Node::Simple(Box::new(simple))],
        });
        word.parts.push(Part::Substitution {
            script,
            quoted: true,
        });
        Ok(())
    }

    fn call_arguments(&mut self) -> Result<Vec<Word>> {
        self.position += 1;
        let mut words = Vec::new();
        loop {
            self.skip_lines()?;
            match self.peek() {
                None => return Err(Trouble::Syntax("a bracket that never closes")),
                Some(b')') => {
                    self.position += 1;
                    return Ok(words);
                }
                Some(b',') => self.position += 1,
                Some(_) => {
                    let before = self.position;
                    let word = self.call_argument()?;
                    if self.position == before {
                        return Err(Trouble::Syntax("something that is no argument"));
                    }
                    words.push(word);
                }
            }
        }
    }

    /// An expression up to a comma or the closing bracket.
    fn call_argument(&mut self) -> Result<Word> {
        self.enter()?;
        let mut word = Word::default();
        loop {
            self.skip_lines()?;
            match self.peek() {
                None | Some(b')' | b',' | b'}' | b']' | b';') => break,
                Some(b'+') => self.position += 1,
                Some(_) if self.begins_operand() => self.operand(&mut word)?,
                Some(_) => self.operator(&mut word)?,
            }
        }
        self.leave();
        Ok(word)
    }

    /// `[type]` in front of a value, or `[type]::member`.
    fn type_literal(&mut self, word: &mut Word) -> Result<()> {
        let start = self.position;
        let rest = &self.bytes[start..self.bytes.len().min(start + 200)];
        let Some(end) = rest.iter().position(|byte| *byte == b']') else {
            return Err(Trouble::Syntax("a bracket that never closes"));
        };
        let mut behind = start + end + 1;
        while self.bytes.get(behind) == Some(&b']') {
            behind += 1;
        }
        let name = self
            .text
            .get(start..behind)
            .unwrap_or_default()
            .to_ascii_lowercase();
        self.position = behind;
        if !self.starts_with("::") {
            // A cast: the value behind it is what counts.
            return Ok(());
        }
        self.position += 2;
        let member = self.letters().to_ascii_lowercase();
        self.position += member.len();
        let name = name.replace("[system.", "[");
        let is_choice = ["filemode]", "fileaccess]"]
            .iter()
            .any(|kind| name.ends_with(kind));
        if is_choice && self.peek() != Some(b'(') {
            // What a file is opened for is known by its name.
            word.parts.push(Part::Quoted(member.into()));
            return Ok(());
        }
        self.member(&format!("{name}::{member}"), start, word)?;
        self.members(word)
    }

    /// `@{ name = value; … }`: the values run.
    fn hash_table(&mut self, word: &mut Word) -> Result<()> {
        self.enter()?;
        self.position += 1;
        let mut values = Vec::new();
        loop {
            self.skip_to_statement()?;
            match self.peek() {
                None => return Err(Trouble::Syntax("a bracket that never closes")),
                Some(b'}') => break,
                Some(_) => {
                    while self.peek().is_some_and(|byte| !b"=\n}".contains(&byte)) {
                        self.position += 1;
                    }
                    self.expect(b'=', "a table without a value")?;
                    self.skip_lines()?;
                    values.push(self.expression_or_command()?);
                }
            }
        }
        self.position += 1;
        self.leave();
        word.parts.push(Part::Unknown(Rc::new(values)));
        Ok(())
    }

    fn expression_or_command(&mut self) -> Result<Word> {
        let nodes = vec![self.statement()?];
        let script = Rc::new(Script { nodes });
        Ok(Word {
            parts: [Part::Substitution {
                script,
                quoted: true,
            }]
            .into(),
        })
    }
}

/// The same word, whose lists are no longer words of their own.
fn as_one(mut word: Word) -> Word {
    for part in word.parts.iter_mut() {
        if let Part::Substitution { quoted, .. } = part {
            *quoted = true;
        }
    }
    word
}
