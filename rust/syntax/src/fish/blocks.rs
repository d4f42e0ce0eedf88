//! Blocks of fish: everything that is closed by `end`.

use super::{Parser, Result};
use crate::tree::{Arm, Joined, Loop, Node, Script, Trouble, Word};
use std::rc::Rc;

impl Parser<'_> {
    pub(super) fn conditional(&mut self) -> Result<Node> {
        let mut arms = Vec::new();
        self.position += 2;
        loop {
            let condition = self.condition()?;
            arms.push(Arm::when(condition, self.statements()?));
            if self.keyword() != "else" {
                break;
            }
            self.position += 4;
            self.skip_blanks();
            if self.keyword() != "if" {
                arms.push(Arm::otherwise(self.statements()?));
                break;
            }
            self.position += 2;
        }
        self.end()?;
        Ok(Node::conditional(arms, self.redirects()?))
    }

    /// What `if` asks: `and` and `or` behind it belong to it.
    fn condition(&mut self) -> Result<Script> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.skip_to_statement();
            let joined = match self.keyword() {
                "and" => Joined::IfSucceeded,
                "or" => Joined::IfFailed,
                _ => break,
            };
            rest.push((joined, self.pipeline()?));
        }
        Ok(Script {
            nodes: vec![Node::chain(first, rest)],
        })
    }

    pub(super) fn iteration(&mut self) -> Result<Node> {
        self.position += 3;
        self.skip_blanks();
        let name = self.word()?.literal().unwrap_or_default();
        self.skip_blanks();
        if self.keyword() != "in" {
            return Err(Trouble::Syntax("a loop without what it runs over"));
        }
        self.position += 2;
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            if self.at_end() {
                break;
            }
            words.push(self.word()?);
        }
        let body = self.statements()?;
        self.repetition(Some((name, words)), Script::default(), body)
    }

    pub(super) fn repetition(
        &mut self,
        variable: Option<(String, Vec<Word>)>,
        condition: Script,
        body: Script,
    ) -> Result<Node> {
        self.end()?;
        let redirects = self.redirects()?;
        Ok(Node::Loop(Box::new(Loop {
            variable,
            condition,
            is_until: false,
            body,
            redirects,
        })))
    }

    pub(super) fn switch(&mut self) -> Result<Node> {
        self.position += "switch".len();
        self.skip_blanks();
        let words = vec![self.word()?];
        let mut patterns = Vec::new();
        let mut arms = Vec::new();
        self.skip_to_statement();
        while self.keyword() == "case" {
            self.position += 4;
            loop {
                self.skip_blanks();
                if self.at_end() {
                    break;
                }
                patterns.push(self.word()?);
            }
            arms.push(Arm::otherwise(self.statements()?));
            self.skip_to_statement();
        }
        self.end()?;
        // Between quotes as well, or files would stand for it.
        let fits_all = |pattern: &Word| pattern.literal().as_deref() == Some("*");
        let redirects = self.redirects()?;
        Ok(Node::case(words, patterns, arms, fits_all, redirects))
    }

    pub(super) fn function(&mut self) -> Result<Node> {
        self.position += "function".len();
        self.skip_blanks();
        let name = self.word()?.literal().unwrap_or_default();
        loop {
            self.skip_blanks();
            if self.at_end() {
                break;
            }
            self.word()?;
        }
        let body = self.statements()?;
        self.end()?;
        Ok(Node::Function {
            name,
            body: Rc::new(Node::group(body, Vec::new())),
        })
    }

    pub(super) fn end(&mut self) -> Result<()> {
        self.skip_to_statement();
        if self.keyword() != "end" {
            return Err(Trouble::Syntax("a block without its end"));
        }
        self.position += 3;
        Ok(())
    }
}
