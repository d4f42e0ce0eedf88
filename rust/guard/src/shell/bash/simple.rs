//! Simple commands of bash: assignments, words and redirections, and the function definition that
//! begins like one.

use super::{Parser, Result};
use crate::shell::syntax::{Assignment, Node, Simple, Trouble, Value, Word, excerpt};

#[rustfmt::skip]
const DECLARATIONS: [&str; 6] = ["export", "declare", "local", "readonly", "typeset", "integer"];

impl Parser<'_> {
    pub(super) fn simple(&mut self) -> Result<Node> {
        let start = self.position;
        let mut simple = Simple::default();
        let mut end = start;
        loop {
            self.skip_blanks();
            if self.peek() == Some(b'#') {
                self.skip_comment();
            }
            if self.at_command_end() {
                break;
            }
            if self.peek() == Some(b'(') {
                return self.function_definition(simple);
            }
            if let Some(redirect) = self.redirect()? {
                simple.redirects.push(redirect);
            } else if let Some(assignment) = self.assignment(&simple)? {
                simple.assignments.push(assignment);
            } else {
                simple.words.push(self.word()?);
            }
            end = self.position;
        }
        if end == start {
            return Err(Trouble::Syntax("an operator without a command before it"));
        }
        simple.text = excerpt(&self.text[start..end]);
        Ok(Node::Simple(Box::new(simple)))
    }

    fn function_definition(&mut self, simple: Simple) -> Result<Node> {
        let lonely = simple.assignments.is_empty() && simple.redirects.is_empty();
        let name = match simple.words.as_slice() {
            [word] if lonely => word.literal(),
            _ => None,
        };
        let Some(name) = name else {
            return Err(Trouble::Syntax("a bracket where a command must end"));
        };
        self.position += 1;
        self.skip_blanks();
        if self.peek() != Some(b')') {
            return Err(Trouble::Syntax("a bracket where a command must end"));
        }
        self.position += 1;
        self.function_body(name)
    }

    /// `name=value` in front of a command or behind a declaration.
    fn assignment(&mut self, simple: &Simple) -> Result<Option<Assignment>> {
        let declares = simple.words.first().and_then(Word::bare);
        if !simple.words.is_empty() && !declares.is_some_and(|word| DECLARATIONS.contains(&word)) {
            return Ok(None);
        }
        let Some(head) = self.assignment_head()? else {
            return Ok(None);
        };
        let name = self.text[self.position..head.name_end].to_owned();
        let index = match head.index {
            Some((from, to)) => Some(self.inside(from, to)?),
            None => None,
        };
        self.position = head.value_start;
        let value = if self.peek() == Some(b'(') {
            self.position += 1;
            Value::List(self.array()?)
        } else if self.at_command_end()
            || self.peek().is_some_and(|byte| b" \t<>\r".contains(&byte))
        {
            Value::Scalar(Word::default())
        } else {
            Value::Scalar(self.word()?)
        };
        Ok(Some(Assignment {
            name,
            index,
            append: head.append,
            value,
        }))
    }

    fn array(&mut self) -> Result<Vec<Word>> {
        let mut words = Vec::new();
        loop {
            self.skip_to_command()?;
            match self.peek() {
                None => return Err(Trouble::Syntax("a list without its end")),
                Some(b')') => {
                    self.position += 1;
                    return Ok(words);
                }
                Some(b'(' | b';' | b'&' | b'|') => {
                    return Err(Trouble::Syntax("an operator inside a list"));
                }
                Some(_) => words.push(self.word()?),
            }
        }
    }
}
