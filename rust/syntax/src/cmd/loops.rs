//! `if` and `for` of cmd.exe.

use super::{Parser, Result};
use crate::tree::{Arm, Loop, Node, Part, Script, Simple, Trouble, Word};
use std::rc::Rc;

impl Parser<'_> {
    /// `if [/i] [not] condition command [else command]`
    pub(super) fn conditional(&mut self) -> Result<Node> {
        self.position += 2;
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            let word = self.letters().to_ascii_lowercase();
            match word.as_str() {
                "not" => self.position += word.len(),
                "exist" | "defined" | "errorlevel" | "cmdextversion" => {
                    self.position += word.len();
                    words.push(self.skip_word()?);
                    break;
                }
                _ if self.peek() == Some(b'/') => {
                    self.skip_word()?;
                }
                _ => {
                    self.comparison(&mut words)?;
                    break;
                }
            }
        }
        let condition = Script {
            nodes: vec![Node::Evaluated(words)],
        };
        let mut arms = vec![Arm::when(condition, self.one_command()?)];
        let before = self.position;
        self.skip_blanks();
        if self.letters().eq_ignore_ascii_case("else") {
            self.position += 4;
            arms.push(Arm::otherwise(self.one_command()?));
        } else {
            self.position = before;
        }
        Ok(Node::conditional(arms, Vec::new()))
    }

    /// `a==b`, `a == b`, `a EQU b`
    fn comparison(&mut self, words: &mut Vec<Word>) -> Result<()> {
        let start = self.position;
        words.push(self.skip_word()?);
        let first = &self.text[start..self.position];
        if first.contains("==") && !first.ends_with("==") {
            return Ok(());
        }
        words.push(self.skip_word()?);
        let second = &self.text[start + first.len()..self.position];
        let second = second.trim();
        let joined = first.ends_with("==") || (second.starts_with("==") && second.len() > 2);
        if !joined {
            words.push(self.skip_word()?);
        }
        Ok(())
    }

    fn one_command(&mut self) -> Result<Script> {
        self.skip_blanks();
        if self.at_end() {
            return Err(Trouble::Syntax("a condition without its command"));
        }
        Ok(Script {
            nodes: vec![self.element()?],
        })
    }

    /// `for [/f "options"] %i in (set) do command`
    pub(super) fn repetition(&mut self) -> Result<Node> {
        self.position += 3;
        let mut switch = None;
        let mut folder = None;
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(b'/') => {
                    let word = self.skip_word()?.literal().unwrap_or_default();
                    switch = word
                        .chars()
                        .nth(1)
                        .map(|letter| letter.to_ascii_lowercase());
                }
                Some(b'%') => break,
                None | Some(b'\n') => return Err(Trouble::Syntax("a loop without its variable")),
                Some(_) => {
                    let before = self.position;
                    folder = Some(self.skip_word()?);
                    if self.position == before {
                        return Err(Trouble::Syntax("a loop without its variable"));
                    }
                }
            }
        }
        let name = self.loop_variable()?;
        self.skip_blanks();
        if !self.letters().eq_ignore_ascii_case("in") {
            return Err(Trouble::Syntax("a loop without what it runs over"));
        }
        self.position += 2;
        self.skip_blanks();
        if self.peek() != Some(b'(') {
            return Err(Trouble::Syntax("a loop without what it runs over"));
        }
        let words = self.loop_items(switch, folder)?;
        self.skip_blanks();
        if !self.letters().eq_ignore_ascii_case("do") {
            return Err(Trouble::Syntax("a loop without its body"));
        }
        self.position += 2;
        self.kept.loops.extend(name.as_bytes().get(1));
        let body = self.chain()?;
        self.kept.loops.pop();
        let condition = Script::default();
        let redirects = Vec::new();
        Ok(Node::Loop(Box::new(Loop {
            variable: Some((name, words)),
            condition,
            is_until: false,
            body,
            redirects,
        })))
    }

    /// What is in the brackets of a loop, by its switch.
    fn loop_items(&mut self, switch: Option<char>, folder: Option<Word>) -> Result<Vec<Word>> {
        Ok(match switch {
            Some('f') => self.lines_of()?,
            Some('l') => {
                self.items()?;
                vec![unknown()]
            }
            Some('r') => {
                let mut word = folder
                    .filter(|word| !word.parts.is_empty())
                    .unwrap_or_default();
                self.items()?;
                if !word.parts.is_empty() {
                    word.parts.push(Part::Quoted("\\".into()));
                }
                word.parts.push(Part::Unknown(Rc::new(Vec::new())));
                vec![word]
            }
            _ => self.items()?,
        })
    }

    fn loop_variable(&mut self) -> Result<String> {
        while self.peek() == Some(b'%') {
            self.position += 1;
        }
        let letter = self.text[self.position..].chars().next();
        let Some(letter) = letter.filter(|letter| !letter.is_whitespace()) else {
            return Err(Trouble::Syntax("a loop without its variable"));
        };
        self.position += letter.len_utf8();
        Ok(format!("%{letter}"))
    }

    /// `(a b *.c)`
    fn items(&mut self) -> Result<Vec<Word>> {
        self.position += 1;
        self.kept.brackets += 1;
        let mut words = Vec::new();
        loop {
            while matches!(
                self.peek(),
                Some(b' ' | b'\t' | b',' | b';' | b'=' | b'\r' | b'\n')
            ) {
                self.position += 1;
            }
            match self.peek() {
                None => return Err(Trouble::Syntax("a bracket that never closes")),
                Some(b')') => break,
                Some(_) => {
                    let before = self.position;
                    words.push(self.text_until(|byte| b" \t\r\n,;=&|<>".contains(&byte))?);
                    self.position += usize::from(self.position == before);
                }
            }
        }
        self.position += 1;
        self.kept.brackets -= 1;
        Ok(words)
    }

    /// What `for /f` runs over: the output of a command, a text, or the lines of files.
    fn lines_of(&mut self) -> Result<Vec<Word>> {
        let inside = self.position + 1;
        let rest = self.text[inside..].trim_start();
        let quote = rest
            .bytes()
            .next()
            .filter(|byte| *byte == b'\'' || *byte == b'`');
        let Some(quote) = quote else {
            self.items()?;
            return Ok(vec![unknown()]);
        };
        let start = self.text.len() - rest.len() + 1;
        let end = self.bytes[start..]
            .iter()
            .position(|byte| *byte == quote)
            .map(|end| start + end);
        let Some(end) = end else {
            return Err(Trouble::Syntax("a quote that never ends"));
        };
        if self.text[start..end].contains('^') {
            // Another cmd runs it, once this one has taken the signs away.
            let line = unescaped(&self.text[start..end]);
            self.position = end + 1;
            self.skip_blanks();
            if self.peek() != Some(b')') {
                return Err(Trouble::Syntax("a bracket that never closes"));
            }
            self.position += 1;
            let simple = Simple {
                words: ["cmd", "/c", &line].map(Word::quoted).into(),
                text: self.excerpt(start, end),
                ..Simple::default()
            };
            let script = Rc::new(Script {
                nodes: vec![Node::Simple(Box::new(simple))],
            });
            return Ok(vec![substituted(script)]);
        }
        let (bytes, text, brackets) = (self.bytes, self.text, self.kept.brackets);
        (self.bytes, self.text, self.kept.brackets) = (&bytes[..end], &text[..end], 0);
        self.position = start;
        let script = self.chain();
        (self.bytes, self.text, self.kept.brackets) = (bytes, text, brackets);
        self.position = end + 1;
        self.skip_blanks();
        if self.peek() != Some(b')') {
            return Err(Trouble::Syntax("a bracket that never closes"));
        }
        self.position += 1;
        Ok(vec![substituted(Rc::new(script?))])
    }
}

fn substituted(script: Rc<Script>) -> Word {
    Word {
        parts: [Part::Substitution {
            script,
            quoted: true,
        }]
        .into(),
    }
}

/// Text without the signs that take away the meaning of the letter behind them.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars();
    let mut quoted = false;
    while let Some(letter) = letters.next() {
        quoted ^= letter == '"';
        if letter == '^' && !quoted {
            out.extend(letters.next());
        } else {
            out.push(letter);
        }
    }
    out
}

fn unknown() -> Word {
    Word {
        parts: [Part::Unknown(Rc::new(Vec::new()))].into(),
    }
}
