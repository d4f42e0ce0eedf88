//! Statements of PowerShell: pipelines, commands, assignments.

use super::compound::repetition;
use super::{Parser, Result};
use crate::excerpt::Excerpt;
use crate::tree::{
    Assignment, Node, Operator, Part, Redirect, Script, Simple, Trouble, Value, Word,
};
use std::rc::Rc;

impl Parser<'_> {
    /// Statements up to a closing bracket, which is not consumed, or to the end.
    pub(super) fn statements(&mut self, close: Option<u8>) -> Result<Script> {
        self.enter()?;
        let mut script = Script::default();
        loop {
            self.skip_to_statement()?;
            match self.peek() {
                None if close.is_none() => break,
                None => return Err(Trouble::Syntax("a bracket that never closes")),
                byte if byte == close => break,
                Some(b')' | b'}' | b']') => {
                    return Err(Trouble::Syntax("a bracket that was never opened"));
                }
                Some(b'|') => {
                    return Err(Trouble::Syntax("an operator without a command before it"));
                }
                Some(_) => {
                    let before = self.position;
                    let node = self.statement()?;
                    script.nodes.push(node);
                    if self.position == before {
                        return Err(Trouble::Syntax("something that is no statement"));
                    }
                }
            }
        }
        self.leave();
        Ok(script)
    }

    pub(super) fn block(&mut self) -> Result<Script> {
        self.skip_lines()?;
        self.expect(b'{', "a statement without its block")?;
        let script = self.statements(Some(b'}'))?;
        self.position += 1;
        Ok(script)
    }

    pub(super) fn parenthesised(&mut self) -> Result<Script> {
        self.skip_lines()?;
        self.expect(b'(', "a statement without its condition")?;
        let script = self.statements(Some(b')'))?;
        self.position += 1;
        Ok(script)
    }

    pub(super) fn statement(&mut self) -> Result<Node> {
        let word = self.letters().to_ascii_lowercase();
        let start = self.position;
        self.position += word.len();
        self.skip_blanks()?;
        let next = self.peek();
        let node = match (word.as_str(), next) {
            ("if", Some(b'(')) => Some(self.conditional()?),
            ("foreach", Some(b'(')) => Some(self.foreach()?),
            ("for" | "while", Some(b'(')) => {
                let condition = self.parenthesised()?;
                let body = self.block()?;
                Some(repetition(None, condition, body))
            }
            ("do", Some(b'{' | b'\n')) => Some(self.do_loop()?),
            ("switch", _) => Some(self.switch()?),
            ("try", Some(b'{' | b'\n')) => Some(self.attempt()?),
            ("function" | "filter", _) => Some(self.function()?),
            ("param", Some(b'(')) => {
                self.skip_balanced(b'(', b')')?;
                Some(Node::Evaluated(Vec::new()))
            }
            ("begin" | "process" | "end" | "dynamicparam" | "trap" | "data", Some(b'{')) => {
                Some(Node::group(self.block()?, Vec::new()))
            }
            ("class" | "enum", _) => {
                while self
                    .peek()
                    .is_some_and(|byte| byte != b'{' && byte != b'\n')
                {
                    self.position += 1;
                }
                self.skip_lines()?;
                self.skip_balanced(b'{', b'}')?;
                Some(Node::Evaluated(Vec::new()))
            }
            ("using", _) => {
                self.skip_while(|byte| byte != b'\n' && byte != b';');
                Some(Node::Evaluated(Vec::new()))
            }
            ("return" | "throw" | "exit" | "break" | "continue", _) if self.at_end() => {
                Some(Node::Evaluated(Vec::new()))
            }
            ("return" | "throw" | "exit", _) => Some(self.chain()?),
            _ => None,
        };
        if let Some(node) = node {
            return Ok(node);
        }
        self.position = start;
        self.chain()
    }

    /// Pipelines joined by `&&` and `||`, perhaps sent to the background.
    fn chain(&mut self) -> Result<Node> {
        let mut nodes = Vec::new();
        let mut first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.skip_blanks()?;
            if let Some(joined) = self.take_joined() {
                self.skip_lines()?;
                rest.push((joined, self.pipeline()?));
            } else if self.peek() == Some(b'&') {
                // In the background; another command may follow on the line.
                self.position += 1;
                self.skip_blanks()?;
                if !self.at_end() {
                    nodes.push(Node::chain(first, std::mem::take(&mut rest)));
                    first = self.pipeline()?;
                }
            } else if self.at_end() {
                break;
            } else {
                return Err(Trouble::Syntax("a word where a statement must end"));
            }
        }
        nodes.push(Node::chain(first, rest));
        Ok(if nodes.len() == 1 {
            nodes.swap_remove(0)
        } else {
            Node::group(Script { nodes }, Vec::new())
        })
    }

    /// Whether a statement ends here.
    fn at_end(&self) -> bool {
        self.peek().is_none_or(|byte| b"\n;)}]#".contains(&byte))
    }

    fn pipeline(&mut self) -> Result<Node> {
        if let Some(node) = self.assignment()? {
            return Ok(node);
        }
        let mut stages = vec![self.element()?];
        loop {
            let here = self.position;
            // A pipe may begin the next line as well.
            self.skip_lines()?;
            if self.peek() != Some(b'|') || self.peek_at(1) == Some(b'|') {
                self.position = here;
                break;
            }
            self.position += 1;
            self.skip_lines()?;
            stages.push(self.element()?);
        }
        Ok(if stages.len() == 1 {
            stages.swap_remove(0)
        } else {
            Node::Pipe(stages)
        })
    }

    /// `$name = …`, `[type]$name += …`, `$env:NAME = …`
    fn assignment(&mut self) -> Result<Option<Node>> {
        let Some((name, behind)) = self.assignment_head() else {
            return Ok(None);
        };
        let start = self.position;
        self.position = behind;
        self.enter()?;
        self.skip_lines()?;
        let value = self.statement()?;
        self.leave();
        let block = match &value {
            Node::Simple(simple) if simple.is_expression => simple.words.first().cloned(),
            _ => None,
        };
        let block = block.filter(|word| matches!(&word.parts[..], [Part::Block(_)]));
        let script = Rc::new(Script { nodes: vec![value] });
        let substitution = Word {
            parts: [Part::Substitution {
                script,
                quoted: true,
            }]
            .into(),
        };
        // A block that is assigned does not run yet.
        let word = block.unwrap_or(substitution);
        let assignment = Assignment {
            name: name.into(),
            index: None,
            append: false,
            value: Value::Scalar(word),
        };
        let simple = Simple {
            assignments: vec![assignment],
            text: self.excerpt(start, self.position),
            ..Simple::default()
        };
        Ok(Some(Node::Simple(Box::new(simple))))
    }

    /// The name that is assigned to and the place behind the sign, found without parsing.
    fn assignment_head(&self) -> Option<(String, usize)> {
        // What comes before the sign is short; a longer one is an expression for us.
        let rest = &self.bytes[self.position..self.bytes.len().min(self.position + 200)];
        let mut at = 0;
        if rest.first() == Some(&b'[') {
            at = rest.iter().position(|byte| *byte == b']')? + 1;
            while rest.get(at) == Some(&b' ') {
                at += 1;
            }
        }
        if rest.get(at) != Some(&b'$') {
            return None;
        }
        at += 1;
        let length = rest[at..].iter().position(|byte| !is_name(*byte))?;
        let name = String::from_utf8_lossy(&rest[at..at + length])
            .trim_matches(['{', '}'])
            .to_ascii_lowercase();
        at += length;
        // A member or an element: the variable stays what it is.
        let mut depth = 0;
        while let Some(&byte) = rest.get(at) {
            match byte {
                b'[' => depth += 1,
                b']' if depth > 0 => depth -= 1,
                b'.' if depth == 0 => {}
                b' ' | b'\t' if depth == 0 => break,
                byte if depth == 0 && !byte.is_ascii_alphanumeric() && byte != b'_' => break,
                b'\n' => return None,
                _ => {}
            }
            at += 1;
        }
        while matches!(rest.get(at), Some(b' ' | b'\t')) {
            at += 1;
        }
        let signs: [&[u8]; 6] = [b"=", b"+=", b"-=", b"*=", b"/=", b"??="];
        let sign = signs.iter().find(|sign| rest[at..].starts_with(sign))?;
        let behind = at + sign.len();
        (rest.get(behind) != Some(&b'=')).then_some((name, self.position + behind))
    }

    /// One stage of a pipeline: a command or an expression.
    fn element(&mut self) -> Result<Node> {
        self.enter()?;
        self.skip_blanks()?;
        let start = self.position;
        let mut simple = Simple::new(Excerpt::default());
        let calls = match self.peek() {
            Some(b'&') => true,
            Some(b'.') => self
                .peek_at(1)
                .is_some_and(|byte| b" \t\"'$({".contains(&byte)),
            _ => false,
        };
        if calls {
            self.position += 1;
            self.command(&mut simple)?;
        } else if self.begins_expression() {
            simple.is_expression = true;
            let word = self.expression()?;
            simple.words.push(word);
            self.redirects(&mut simple)?;
        } else {
            self.command(&mut simple)?;
        }
        if simple.words.is_empty() && simple.redirects.is_empty() {
            return Err(Trouble::Syntax("an operator without a command"));
        }
        simple.text = self.excerpt(start, self.position);
        self.leave();
        Ok(Node::Simple(Box::new(simple)))
    }

    fn begins_expression(&self) -> bool {
        match self.peek() {
            Some(b'$' | b'"' | b'\'' | b'(' | b'[' | b'{' | b'!' | b'0'..=b'9' | b',') => true,
            Some(b'@') => self.peek_at(1).is_some_and(|byte| b"({'\"".contains(&byte)),
            Some(b'-') => true,
            Some(b'+') => true,
            _ => false,
        }
    }

    fn command(&mut self, simple: &mut Simple) -> Result<()> {
        loop {
            self.skip_blanks()?;
            let ends = self.at_end() || matches!(self.peek(), Some(b'|' | b'&'));
            if ends {
                return Ok(());
            }
            if self.redirect(simple)? {
                continue;
            }
            if self.starts_with("--%") {
                self.verbatim(simple);
                return Ok(());
            }
            let before = self.position;
            let word = self.argument()?;
            if self.position == before {
                return Err(Trouble::Syntax("something that is no argument"));
            }
            simple.words.push(word);
        }
    }

    /// Behind `--%` nothing is expanded up to the end of the pipeline's stage.
    fn verbatim(&mut self, simple: &mut Simple) {
        let rest = &self.text[self.position + 3..];
        let end = rest.find(['\n', '|']).unwrap_or(rest.len());
        let words = rest[..end].split_whitespace();
        simple
            .words
            .extend(words.map(|word| Word::quoted(word.trim_matches('"'))));
        self.position += 3 + end;
    }

    fn redirects(&mut self, simple: &mut Simple) -> Result<()> {
        loop {
            self.skip_blanks()?;
            if !self.redirect(simple)? {
                return Ok(());
            }
        }
    }

    /// `>`, `2>>`, `*>`, `2>&1`
    fn redirect(&mut self, simple: &mut Simple) -> Result<bool> {
        let stream = match (self.peek(), self.peek_at(1)) {
            (Some(b'>'), _) => Some(1),
            (Some(b'*'), Some(b'>')) => Some(u8::MAX),
            (Some(digit @ b'1'..=b'6'), Some(b'>')) => Some(digit - b'0'),
            _ => None,
        };
        let Some(stream) = stream else {
            return Ok(false);
        };
        self.position += usize::from(self.peek() != Some(b'>'));
        self.position += if self.starts_with(">>") { 2 } else { 1 };
        if self.peek() == Some(b'&') {
            self.position += 1;
            self.position += usize::from(self.peek().is_some_and(|byte| byte.is_ascii_digit()));
            return Ok(true);
        }
        self.skip_blanks()?;
        let before = self.position;
        let target = self.argument()?;
        if self.position == before {
            return Err(Trouble::Syntax("a redirection without its file"));
        }
        let operator = if stream == u8::MAX {
            Operator::WriteBoth
        } else {
            Operator::Write
        };
        simple.redirects.push(Redirect {
            variable: None,
            fd: Some(stream),
            operator,
            target,
        });
        Ok(true)
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_:{}".contains(&byte)
}
