//! Strings, variables and arguments of PowerShell.

use super::LIST_SEPARATOR;
use super::{Parser, Result};
use crate::tree::{Operation, Parameter, Part, Trouble, Word};
use std::rc::Rc;

impl Parser<'_> {
    /// One argument of a command; several with commas between them are one list.
    pub(super) fn argument(&mut self) -> Result<Word> {
        let mut word = Word::default();
        loop {
            self.argument_element(&mut word)?;
            let here = self.position;
            self.skip_blanks()?;
            if self.peek() != Some(b',') {
                self.position = here;
                return Ok(word);
            }
            self.position += 1;
            self.skip_lines()?;
            word.parts.push(Part::Quoted(LIST_SEPARATOR.into()));
        }
    }

    fn argument_element(&mut self, word: &mut Word) -> Result<()> {
        let start = self.position;
        loop {
            let Some(byte) = self.peek() else {
                return Ok(());
            };
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' | b';' | b',' | b'|' | b'&' | b')' | b'}' | b'>' => {
                    return Ok(());
                }
                b'<' | b'#' if self.position == start => return Ok(()),
                b'\'' | b'"' => {
                    let string = self.string()?;
                    word.parts.extend(string.parts);
                }
                b'@' if self.position == start => self.splat(word)?,
                b'$' => self.operand(word)?,
                // Behind a word a bracket begins the next argument, behind `-Path:` it is the value.
                b'(' if self.position > start && self.bytes[start] != b'-' => return Ok(()),
                b'(' => self.operand(word)?,
                b'{' if self.position == start => self.operand(word)?,
                b'`' => self.escape(word),
                _ => self.bare(word),
            }
        }
    }

    fn bare(&mut self, word: &mut Word) {
        let start = self.position;
        self.position += 1;
        let stops = b" \t\r\n;,|&)}>'\"$(`";
        self.skip_while(|byte| !stops.contains(&byte));
        let run = &self.text[start..self.position];
        match word.parts.last_mut() {
            Some(Part::Bare(text)) => text.push_str(run),
            _ => word.parts.push(Part::Bare(run.into())),
        }
    }

    fn escape(&mut self, word: &mut Word) {
        self.position += 1;
        let Some(character) = self.text[self.position..].chars().next() else {
            return;
        };
        self.position += character.len_utf8();
        match word.parts.last_mut() {
            Some(Part::Bare(text)) => text.push(character),
            _ => word.parts.push(Part::Bare(character.into())),
        }
    }

    /// `@(…)`, `@{…}`, `@'…'@` or the variable whose elements become arguments.
    fn splat(&mut self, word: &mut Word) -> Result<()> {
        if self.peek_at(1).is_some_and(|byte| b"({'\"".contains(&byte)) {
            return self.operand(word);
        }
        self.position += 1;
        let name = self.letters().len();
        self.position += name;
        if name == 0 {
            // `@scope/package` is a word.
            word.parts.push(Part::Bare("@".into()));
        } else if matches!(self.peek(), Some(b'/')) {
            let text = format!("@{}", &self.text[self.position - name..self.position]);
            word.parts.push(Part::Bare(text.into()));
        } else if self.text[self.position - name..self.position].eq_ignore_ascii_case("args") {
            // The arguments of the function, each of them as it is.
            word.parts.push(Part::Parameter(Rc::new(Parameter {
                name: "args".into(),
                index: Some(Word::quoted("@")),
                operation: Operation::Plain,
                empty_is_unset: false,
                argument: Word::default(),
                quoted: true,
            })));
        } else {
            word.parts.push(Part::Unknown(Rc::new(Vec::new())));
        }
        Ok(())
    }

    /// A string in quotes, or a here-string.
    pub(super) fn string(&mut self) -> Result<Word> {
        let quote = self.peek().unwrap_or(b'\'');
        self.position += 1;
        let mut word = Word::default();
        if quote == b'\'' {
            let text = self.single_quoted()?;
            word.parts.push(Part::Quoted(text.into()));
            return Ok(word);
        }
        word.parts.push(Part::Quoted("".into()));
        self.enter()?;
        loop {
            match self.peek() {
                None => return Err(Trouble::Syntax("a string that never ends")),
                Some(b'"') if self.peek_at(1) == Some(b'"') => {
                    word.push_quoted("\"");
                    self.position += 2;
                }
                Some(b'"') => {
                    self.position += 1;
                    self.leave();
                    return Ok(word);
                }
                Some(_) => self.live_text(&mut word, b'"')?,
            }
        }
    }

    fn single_quoted(&mut self) -> Result<String> {
        let mut text = String::new();
        loop {
            let rest = &self.text[self.position..];
            let Some(end) = rest.find('\'') else {
                return Err(Trouble::Syntax("a string that never ends"));
            };
            text.push_str(&rest[..end]);
            self.position += end + 1;
            if self.peek() != Some(b'\'') {
                return Ok(text);
            }
            text.push('\'');
            self.position += 1;
        }
    }

    /// `@'` … newline `'@`
    pub(super) fn here_string(&mut self) -> Result<Word> {
        let quote = self.peek_at(1).unwrap_or(b'\'');
        self.position += 2;
        self.skip_while(|byte| byte != b'\n');
        let start = (self.position + 1).min(self.bytes.len());
        let end_mark = format!("\n{}@", char::from(quote));
        // An empty text ends on the line behind its beginning.
        let from = self.position.min(self.bytes.len());
        let Some(end) = self.text[from..].find(&end_mark) else {
            return Err(Trouble::Syntax("a string that never ends"));
        };
        let end = from + end;
        let behind = end + end_mark.len();
        if quote == b'\'' {
            self.position = behind;
            return Ok(Word::quoted(&self.text[start.min(end)..end]));
        }
        let (bytes, text) = (self.bytes, self.text);
        (self.bytes, self.text) = (&bytes[..end], &text[..end]);
        self.position = start.min(end);
        let mut word = Word::quoted("");
        self.enter()?;
        while self.peek().is_some() {
            self.live_text(&mut word, 0)?;
        }
        self.leave();
        (self.bytes, self.text) = (bytes, text);
        self.position = behind;
        Ok(word)
    }

    /// Text in which variables and `$(…)` are live, up to a quote or something live.
    fn live_text(&mut self, word: &mut Word, quote: u8) -> Result<()> {
        match self.peek() {
            Some(b'`') => {
                let letter = self.text[self.position + 1..].chars().next();
                self.position += 1 + letter.map_or(0, char::len_utf8);
                match letter {
                    Some('n') => word.push_quoted("\n"),
                    Some('t') => word.push_quoted("\t"),
                    Some('r' | '0' | '\n') | None => {}
                    Some(letter) => word.push_quoted(letter.encode_utf8(&mut [0; 4])),
                }
            }
            Some(b'$') if self.peek_at(1) == Some(b'(') => {
                self.position += 1;
                let script = Rc::new(self.parenthesised()?);
                word.parts.push(Part::Substitution {
                    script,
                    quoted: true,
                });
            }
            Some(b'$') if self.begins_variable() => {
                let part = self.variable();
                word.parts.push(part);
            }
            _ => {
                let start = self.position;
                self.position += 1;
                self.skip_while(|byte| byte != quote && byte != b'`' && byte != b'$');
                word.push_quoted(&self.text[start..self.position]);
            }
        }
        Ok(())
    }

    fn begins_variable(&self) -> bool {
        self.peek_at(1)
            .is_some_and(|byte| byte.is_ascii_alphabetic() || b"_{".contains(&byte))
    }

    /// `$name`, `$scope:name`, `${any name}`; names have no case.
    pub(super) fn variable(&mut self) -> Part {
        self.position += 1;
        let name = if self.peek() == Some(b'{') {
            let rest = &self.text[self.position + 1..];
            let end = rest.find('}').unwrap_or(rest.len());
            self.position = (self.position + end + 2).min(self.bytes.len());
            rest[..end].to_owned()
        } else if self.peek().is_some_and(|byte| b"?$^".contains(&byte)) {
            self.position += 1;
            "?".to_owned()
        } else {
            let start = self.position;
            self.position += self.letters().len();
            let scoped = self.peek() == Some(b':')
                && self
                    .peek_at(1)
                    .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
            if scoped {
                self.position += 1;
                self.position += self.letters().len();
            }
            self.text[start..self.position].to_owned()
        };
        let name = name.to_ascii_lowercase();
        let scopes = [
            "global:",
            "script:",
            "local:",
            "private:",
            "using:",
            "variable:",
        ];
        let plain = scopes
            .iter()
            .find_map(|scope| name.strip_prefix(scope))
            .unwrap_or(&name);
        Part::Parameter(Rc::new(Parameter {
            name: plain.into(),
            index: None,
            operation: Operation::Plain,
            empty_is_unset: false,
            argument: Word::default(),
            quoted: true,
        }))
    }
}
