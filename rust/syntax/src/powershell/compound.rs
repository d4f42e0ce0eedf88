//! Compound statements of PowerShell.

use super::{Parser, Result};
use crate::tree::{Arm, Branch, Loop, Node, Part, Script, Trouble, Word};
use std::rc::Rc;

impl Parser<'_> {
    pub(super) fn conditional(&mut self) -> Result<Node> {
        let condition = self.parenthesised()?;
        let mut arms = vec![Arm::when(condition, self.block()?)];
        loop {
            let before = self.position;
            self.skip_lines()?;
            match self.letters().to_ascii_lowercase().as_str() {
                "elseif" => {
                    self.position += "elseif".len();
                    let condition = self.parenthesised()?;
                    arms.push(Arm::when(condition, self.block()?));
                }
                "else" => {
                    self.position += "else".len();
                    arms.push(Arm::otherwise(self.block()?));
                    break;
                }
                _ => {
                    self.position = before;
                    break;
                }
            }
        }
        Ok(Node::conditional(arms, Vec::new()))
    }

    /// `foreach ($x in …) { … }`
    pub(super) fn foreach(&mut self) -> Result<Node> {
        self.position += 1;
        self.skip_lines()?;
        self.expect(b'$', "a loop without its variable")?;
        let name = self.letters().to_ascii_lowercase();
        self.position += name.len();
        self.skip_lines()?;
        if !self.letters().eq_ignore_ascii_case("in") {
            return Err(Trouble::Syntax("a loop without what it runs over"));
        }
        self.position += 2;
        let items = Rc::new(self.statements(Some(b')'))?);
        self.position += 1;
        let body = self.block()?;
        let words = vec![Word {
            parts: [Part::Substitution {
                script: items,
                quoted: false,
            }]
            .into(),
        }];
        Ok(repetition(Some((name, words)), Script::default(), body))
    }

    pub(super) fn do_loop(&mut self) -> Result<Node> {
        let body = self.block()?;
        self.skip_lines()?;
        let word = self.letters();
        if !word.eq_ignore_ascii_case("while") && !word.eq_ignore_ascii_case("until") {
            return Err(Trouble::Syntax("a loop without its condition"));
        }
        self.position += word.len();
        let condition = self.parenthesised()?;
        Ok(repetition(None, condition, body))
    }

    pub(super) fn switch(&mut self) -> Result<Node> {
        while self
            .peek()
            .is_some_and(|byte| byte != b'(' && byte != b'{' && byte != b'\n')
        {
            self.position += 1;
        }
        let head = if self.peek() == Some(b'(') {
            self.parenthesised()?
        } else {
            Script::default()
        };
        self.skip_lines()?;
        self.expect(b'{', "a switch without its block")?;
        let mut arms = Vec::new();
        let mut is_exhaustive = false;
        loop {
            self.skip_to_statement()?;
            match self.peek() {
                None => return Err(Trouble::Syntax("a bracket that never closes")),
                Some(b'}') => break,
                Some(b'{') => arms.push(Arm::otherwise(self.block()?)),
                Some(_) => {
                    let before = self.position;
                    is_exhaustive |= self.letters().eq_ignore_ascii_case("default");
                    self.argument()?;
                    if self.position == before {
                        return Err(Trouble::Syntax("a switch without its cases"));
                    }
                }
            }
        }
        self.position += 1;
        Ok(branch(head, arms, is_exhaustive))
    }

    pub(super) fn attempt(&mut self) -> Result<Node> {
        let head = self.block()?;
        let mut arms = Vec::new();
        loop {
            let before = self.position;
            self.skip_lines()?;
            let word = self.letters().to_ascii_lowercase();
            if word != "catch" && word != "finally" {
                self.position = before;
                break;
            }
            self.position += word.len();
            while self.peek().is_some_and(|byte| byte != b'{') {
                self.position += 1;
            }
            arms.push(Arm::otherwise(self.block()?));
        }
        Ok(branch(head, arms, false))
    }

    pub(super) fn function(&mut self) -> Result<Node> {
        let start = self.position;
        while self
            .peek()
            .is_some_and(|byte| !b" \t\r\n({".contains(&byte))
        {
            self.position += 1;
        }
        let name = self.text[start..self.position].to_ascii_lowercase();
        self.skip_lines()?;
        if self.peek() == Some(b'(') {
            self.skip_balanced(b'(', b')')?;
        }
        let body = Rc::new(Node::group(self.block()?, Vec::new()));
        Ok(Node::Function { name, body })
    }

    /// Steps over brackets whose content does not run here.
    pub(super) fn skip_balanced(&mut self, open: u8, close: u8) -> Result<()> {
        let mut depth = 0_usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'\'' | b'"' => {
                    self.string()?;
                    continue;
                }
                b'#' => self.skip_comment(),
                _ if byte == open => depth += 1,
                _ if byte == close => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        self.position += 1;
                        return Ok(());
                    }
                }
                _ => {}
            }
            self.position += usize::from(self.peek().is_some());
        }
        Err(Trouble::Syntax("a bracket that never closes"))
    }
}

fn branch(head: Script, arms: Vec<Arm>, is_exhaustive: bool) -> Node {
    Node::Branch(Box::new(Branch {
        words: Vec::new(),
        head,
        arms,
        is_exhaustive,
        redirects: Vec::new(),
    }))
}

pub(super) fn repetition(
    variable: Option<(String, Vec<Word>)>,
    condition: Script,
    body: Script,
) -> Node {
    Node::Loop(Box::new(Loop {
        variable,
        condition,
        is_until: false,
        body,
        redirects: Vec::new(),
    }))
}
