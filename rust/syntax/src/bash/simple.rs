//! Simple commands of bash: assignments, words and redirections, and the function definition that
//! begins like one.

use super::{Parser, Result, Within};
use crate::excerpt::Excerpt;
use crate::tree::{Assignment, Node, Part, Simple, Trouble, Value, Word};
use ecow::EcoString;

#[rustfmt::skip]
const DECLARATIONS: [&str; 6] = ["export", "declare", "local", "readonly", "typeset", "integer"];

impl Parser<'_> {
    pub(super) fn simple(&mut self) -> Result<Node> {
        let start = self.position;
        let mut simple = Box::new(Simple::new(Excerpt::default()));
        let mut declares = false;
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
                return self.function_definition(&simple);
            }
            if let Some(redirect) = self.redirect()? {
                simple.redirects.push(redirect);
            } else {
                self.assignment_or_word(&mut simple, declares)?;
                if let [word] = simple.words.as_slice() {
                    declares = word.bare().is_some_and(|word| DECLARATIONS.contains(&word));
                }
            }
            end = self.position;
        }
        if end == start {
            return Err(Trouble::Syntax("an operator without a command before it"));
        }
        simple.text = self.excerpt(start, end);
        Ok(Node::Simple(simple))
    }

    fn function_definition(&mut self, simple: &Simple) -> Result<Node> {
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

    /// `name=value` in front of a command or behind a declaration, else a word.
    fn assignment_or_word(&mut self, simple: &mut Simple, declares: bool) -> Result<()> {
        let may_assign =
            (declares || simple.words.is_empty()) && !self.kept.refused.contains(&self.position);
        if let Some(name) = may_assign.then(|| self.assigned_name()).flatten() {
            let attempt = self.attempt();
            match self.assignment(name) {
                Ok(Some(assignment)) => {
                    simple.assignments.push(assignment);
                    return Ok(());
                }
                // Behind a declaration a bracket that never closes is a letter.
                Err(Trouble::Syntax(_)) if declares => {}
                Err(trouble) => return Err(trouble),
                Ok(None) => {}
            }
            self.give_up(attempt)?;
        }
        if simple.words.is_empty() {
            simple.words = Vec::with_capacity(4);
        }
        simple.words.push(Word::default());
        match simple.words.last_mut() {
            Some(word) => self.word_into(word),
            None => Ok(()),
        }
    }

    /// What follows a name, if it is an assignment to it.
    fn assignment(&mut self, name: EcoString) -> Result<Option<Assignment>> {
        self.position += name.len();
        let index = if self.peek() == Some(b'[') {
            Some(self.subscript()?)
        } else {
            None
        };
        let append = self.peek() == Some(b'+');
        self.position += usize::from(append);
        if self.peek() != Some(b'=') {
            return Ok(None);
        }
        self.position += 1;
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
            index: index.map(Word::evaluated),
            append,
            value,
        }))
    }

    /// The name here that may be assigned to: `name=`, `name+=`, `name[`.
    fn assigned_name(&self) -> Option<EcoString> {
        let rest = &self.bytes[self.position..];
        if !rest
            .first()
            .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
        {
            return None;
        }
        let length = rest
            .iter()
            .position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')?;
        let behind = &rest[length..];
        let assigns = matches!(behind[0], b'=' | b'[') || behind.starts_with(b"+=");
        assigns.then(|| self.text[self.position..self.position + length].into())
    }

    pub(super) fn array(&mut self) -> Result<Vec<Word>> {
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
                Some(_) => words.push(self.element()?),
            }
        }
    }

    /// `value` or `[subscript]=value`.
    fn element(&mut self) -> Result<Word> {
        let attempt = self.attempt();
        if self.peek() != Some(b'[') || self.kept.refused.contains(&self.position) {
            return self.word();
        }
        let subscript = self.subscript();
        self.position += usize::from(self.peek() == Some(b'+'));
        match subscript {
            Ok(subscript) if self.peek() == Some(b'=') => {
                self.position += 1;
                let mut word = expanded_twice(subscript).evaluated();
                self.word_parts(&mut word, Within::Command)?;
                Ok(word)
            }
            Err(Trouble::TooDeep) => Err(Trouble::TooDeep),
            _ => {
                self.give_up(attempt)?;
                self.word()
            }
        }
    }
}

/// The subscript of an element in a list: bash expands the list, and what has become of the subscript once more.
fn expanded_twice(subscript: Word) -> Word {
    let mut word = Word::quoted("x[");
    word.parts.extend(subscript.parts);
    word.parts.push(Part::Quoted("]".into()));
    word
}
