//! A bounded parser for the lines of cmd.exe.

mod loops;
mod quoting;

use super::cursor::Cursor;
use super::excerpt::Excerpt;
use super::tree::{Node, Parsed, Redirect, Script, Simple, Trouble, Word};

type Result<T> = std::result::Result<T, Trouble>;

/// Parses a whole text. `depth` is how deep it is nested already.
pub fn parse(text: &str, depth: u32, limit: u32) -> Parsed {
    let mut parser = Parser::new(text, depth, limit, Kept::default());
    let mut script = Script::default();
    let trouble = parser.lines(&mut script).err();
    Parsed { script, trouble }
}

#[derive(Default)]
struct Kept {
    /// How many brackets are open: only then a closing one ends a command.
    brackets: u32,
    /// The variables of the loops whose bodies are being read.
    loops: Vec<u8>,
}

type Parser<'s> = Cursor<'s, Kept>;

impl<'s> Parser<'s> {
    /// Lines up to the end; each of them runs before the next one is read.
    fn lines(&mut self, script: &mut Script) -> Result<()> {
        loop {
            self.skip_lines();
            if self.peek().is_none() {
                return Ok(());
            }
            let before = self.position;
            let line = self.chain()?;
            script.nodes.extend(line.nodes);
            if self.position == before {
                return Err(Trouble::Syntax("something that is no command"));
            }
        }
    }

    /// Commands joined by `&`, `&&` and `||` up to the end of the line or of the bracket.
    fn chain(&mut self) -> Result<Script> {
        self.enter()?;
        let mut script = Script::default();
        loop {
            self.skip_blanks();
            match self.peek() {
                None | Some(b'\n') => break,
                Some(b')') if self.kept.brackets > 0 => break,
                Some(b'|') => {
                    return Err(Trouble::Syntax("an operator without a command before it"));
                }
                Some(b'&') => self.position += 1,
                Some(_) => {
                    let before = self.position;
                    script.nodes.push(self.joined()?);
                    if self.position == before {
                        return Err(Trouble::Syntax("something that is no command"));
                    }
                }
            }
        }
        self.leave();
        Ok(script)
    }

    /// Pipelines joined by `&&` and `||`, which bind tighter than `&`.
    fn joined(&mut self) -> Result<Node> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.skip_blanks();
            let Some(joined) = self.take_joined() else {
                break;
            };
            self.skip_blanks();
            let closed = self.kept.brackets > 0 && self.peek() == Some(b')');
            if closed || matches!(self.peek(), None | Some(b'\n')) {
                break;
            }
            rest.push((joined, self.pipeline()?));
        }
        Ok(Node::chain(first, rest))
    }

    fn pipeline(&mut self) -> Result<Node> {
        let mut stages = vec![self.element()?];
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'|') || self.peek_at(1) == Some(b'|') {
                break;
            }
            self.position += 1;
            self.skip_blanks();
            stages.push(self.element()?);
        }
        Ok(if stages.len() == 1 {
            stages.swap_remove(0)
        } else {
            Node::Pipe(stages)
        })
    }

    fn element(&mut self) -> Result<Node> {
        self.enter()?;
        while matches!(self.peek(), Some(b'@' | b' ' | b'\t' | b',' | b';' | b'=')) {
            self.position += 1;
        }
        // Redirections may be in front of a command and of brackets alike.
        let start = self.position;
        let mut redirects = Vec::new();
        self.redirects(&mut redirects)?;
        let word = self.letters().to_ascii_lowercase();
        let node = match word.as_str() {
            _ if self.peek() == Some(b'(') => self.bracket(redirects)?,
            _ if !redirects.is_empty() => self.simple(start, redirects)?,
            // `rem.` is a command that does nothing, but for its redirections.
            "rem" if self.peek_at(word.len()) == Some(b'.') => self.simple(start, redirects)?,
            "if" => self.conditional()?,
            "for" => self.repetition()?,
            "rem" => self.remark(),
            _ if self.peek() == Some(b':') => self.remark(),
            _ => self.simple(start, redirects)?,
        };
        self.leave();
        Ok(node)
    }

    /// A remark or a label: nothing up to the end of the line.
    fn remark(&mut self) -> Node {
        self.skip_comment();
        Node::Evaluated(Vec::new())
    }

    fn bracket(&mut self, mut redirects: Vec<Redirect>) -> Result<Node> {
        let script = self.bracketed()?;
        self.redirects(&mut redirects)?;
        Ok(Node::group(script, redirects))
    }

    fn bracketed(&mut self) -> Result<Script> {
        self.position += 1;
        self.kept.brackets += 1;
        let mut script = Script::default();
        loop {
            self.skip_lines();
            match self.peek() {
                None => return Err(Trouble::Syntax("a bracket that never closes")),
                Some(b')') => break,
                Some(_) => script.nodes.extend(self.chain()?.nodes),
            }
        }
        self.position += 1;
        self.kept.brackets -= 1;
        Ok(script)
    }

    fn redirects(&mut self, redirects: &mut Vec<Redirect>) -> Result<()> {
        loop {
            self.skip_blanks();
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => return Ok(()),
            }
        }
    }

    fn simple(&mut self, start: usize, redirects: Vec<Redirect>) -> Result<Node> {
        let mut simple = Simple {
            redirects,
            ..Simple::new(Excerpt::default())
        };
        loop {
            self.skip_blanks();
            if self.at_end() {
                break;
            }
            if let Some(redirect) = self.redirect()? {
                simple.redirects.push(redirect);
                continue;
            }
            let before = self.position;
            let word = if simple.words.is_empty() {
                self.name()?
            } else {
                self.word()?
            };
            if self.position == before {
                return Err(Trouble::Syntax("something that is no command"));
            }
            simple.words.push(word);
            self.assignment(&mut simple)?;
        }
        simple.text = self.excerpt(start, self.position);
        Ok(Node::Simple(Box::new(simple)))
    }

    fn at_end(&self) -> bool {
        match self.peek() {
            None | Some(b'\n' | b'&' | b'|') => true,
            Some(b')') => self.kept.brackets > 0,
            Some(_) => false,
        }
    }

    fn letters(&self) -> &'s str {
        let rest = &self.bytes[self.position..];
        let end = rest
            .iter()
            .take(32)
            .position(|byte| !byte.is_ascii_alphanumeric());
        &self.text[self.position..self.position + end.unwrap_or(rest.len().min(32))]
    }

    fn skip_blanks(&mut self) {
        self.skip_continued(b'^');
    }

    fn skip_lines(&mut self) {
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'\n') {
                return;
            }
            self.position += 1;
        }
    }

    /// A word that names nothing and is only stepped over.
    fn skip_word(&mut self) -> Result<Word> {
        self.skip_blanks();
        self.word()
    }
}
