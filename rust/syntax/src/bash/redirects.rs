//! Redirections and here-documents of bash.

use super::{Parser, PendingDocument, Result, parse_text};
use crate::tree::{Operator, Part, Redirect, Trouble, Word};
use std::cell::OnceCell;
use std::rc::Rc;

/// A descriptor that the shell chooses, which is none of those that are followed here.
const CHOSEN: u8 = u8::MAX;

impl Parser<'_> {
    pub(super) fn redirects(&mut self) -> Result<Vec<Redirect>> {
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => return Ok(redirects),
            }
        }
    }

    /// The redirection here, if there is one.
    pub(super) fn redirect(&mut self) -> Result<Option<Redirect>> {
        let begins = |byte| matches!(byte, b'<' | b'>' | b'&' | b'{' | b'0'..=b'9');
        if !self.peek().is_some_and(begins) {
            return Ok(None);
        }
        let start = self.position;
        let element = self.element_descriptor()?;
        let (fd, variable) = match element {
            Some(_) => (Some(CHOSEN), None),
            None => self.descriptor(),
        };
        let rest = &self.bytes[self.position..];
        let process = rest.starts_with(b"<(") || rest.starts_with(b">(");
        let both = start == self.position && rest.starts_with(b"&>");
        if process || !(both || rest.starts_with(b"<") || rest.starts_with(b">")) {
            self.position = start;
            return Ok(None);
        }
        const OPERATORS: [(&str, Operator); 13] = [
            ("&>>", Operator::WriteBoth),
            ("&>", Operator::WriteBoth),
            ("<<<", Operator::Text),
            ("<<-", Operator::Text),
            ("<<", Operator::Text),
            ("<&", Operator::DuplicateIn),
            ("<>", Operator::ReadWrite),
            ("<", Operator::Read),
            (">>", Operator::Write),
            (">&", Operator::DuplicateOut),
            (">|", Operator::Write),
            (">!", Operator::Write),
            (">", Operator::Write),
        ];
        let found = OPERATORS.iter().find(|(text, _)| self.starts_with(text));
        let Some(&(text, operator)) = found else {
            return Ok(None);
        };
        self.position += text.len();
        if text == "<<" || text == "<<-" {
            let mut document = self.document(fd, text == "<<-")?;
            if let Some(element) = element {
                document.target.parts.push_front(element);
            }
            document.variable = variable;
            return Ok(Some(document));
        }
        self.skip_blanks();
        if self.peek() == Some(b'#') && self.bytes[self.position - 1].is_ascii_whitespace() {
            return Err(Trouble::Syntax("an operator without its word"));
        }
        let mut target = self.word()?;
        if operator == Operator::Text {
            target.parts.push(Part::Quoted("\n".into()));
        }
        if let Some(element) = element {
            target.parts.push_front(element);
        }
        Ok(Some(Redirect {
            variable,
            fd,
            operator,
            target,
        }))
    }

    /// Digits or `{name}` in front of an operator; stays put when there is none behind.
    fn descriptor(&mut self) -> (Option<u8>, Option<String>) {
        let start = self.position;
        let (mut fd, mut named) = (None, None);
        if self.peek() == Some(b'{') {
            self.position += 1;
            self.take_name();
            if self.peek() == Some(b'}') {
                named = Some(self.text[start + 1..self.position].to_owned());
            }
            self.position += 1;
        } else {
            self.skip_while(|byte| byte.is_ascii_digit());
            fd = self
                .text
                .get(start..self.position)
                .and_then(|digits| digits.parse().ok());
        }
        let operator = matches!(self.peek(), Some(b'<' | b'>'));
        if self.position > start && operator && (named.is_some() || fd.is_some()) {
            return (fd.or(Some(CHOSEN)), named);
        }
        self.position = start;
        (None, None)
    }

    /// `{name[subscript]}` in front of an operator: the element of a list that is to hold the descriptor. Its
    /// subscript is arithmetic, whatever quotes are in it.
    fn element_descriptor(&mut self) -> Result<Option<Part>> {
        let start = self.position;
        if self.peek() != Some(b'{') || self.kept.refused.contains(&start) {
            return Ok(None);
        }
        self.position += 1;
        self.take_name();
        let is_element = self.position > start + 1 && self.peek() == Some(b'[');
        self.position = start;
        if !is_element {
            return Ok(None);
        }
        let attempt = self.attempt();
        let word = self.word()?;
        let ends = self.text[start..self.position].ends_with("]}");
        if ends && matches!(self.peek(), Some(b'<' | b'>')) {
            return Ok(Some(Part::Evaluated(Rc::new(word))));
        }
        self.give_up(attempt)?;
        Ok(None)
    }

    fn document(&mut self, fd: Option<u8>, strips_tabs: bool) -> Result<Redirect> {
        self.skip_blanks();
        let word = self.word()?;
        let quoted = word.parts.iter().any(|part| !matches!(part, Part::Bare(_)));
        let Some(tag) = word.literal() else {
            return Err(Trouble::Syntax("a here-document whose end cannot be told"));
        };
        let slot = Rc::new(OnceCell::new());
        self.kept.pending.push(PendingDocument {
            tag,
            quoted,
            strips_tabs,
            slot: Rc::clone(&slot),
        });
        let target = Word {
            parts: [Part::Later(slot)].into(),
        };
        Ok(Redirect {
            variable: None,
            fd,
            operator: Operator::Text,
            target,
        })
    }

    /// Reads the here-documents whose text begins here, behind a newline.
    pub(super) fn read_documents(&mut self) -> Result<()> {
        for document in std::mem::take(&mut self.kept.pending) {
            let body = self.document_body(&document)?;
            let live = !document.quoted && body.contains(['$', '`', '\\']);
            let word = if live {
                parse_text(&body, self.depth, self.limit)?
            } else {
                Word::quoted(body)
            };
            // The slot was made by `document` and is filled here alone.
            let _ = document.slot.set(word);
        }
        Ok(())
    }

    fn document_body(&mut self, document: &PendingDocument) -> Result<String> {
        let mut body = String::new();
        while self.position < self.bytes.len() {
            let rest = &self.text[self.position..];
            let (line, next) = match rest.find('\n') {
                Some(end) => (&rest[..end], end + 1),
                None => (rest, rest.len()),
            };
            self.position += next;
            let line = if document.strips_tabs {
                line.trim_start_matches('\t')
            } else {
                line
            };
            if line.strip_suffix('\r').unwrap_or(line) == document.tag {
                return Ok(body);
            }
            body.push_str(line);
            body.push('\n');
        }
        Err(Trouble::Syntax("a here-document without its end"))
    }
}
