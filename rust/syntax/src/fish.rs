//! The front end for fish: a bounded parser for its statements. Its commands are those of any Unix shell.

mod blocks;
mod quoting;

use super::cursor::Cursor;
use super::excerpt::Excerpt;
use super::tree::{Joined, Node, Operator, Parsed, Redirect, Script, Simple, Trouble};

type Result<T> = std::result::Result<T, Trouble>;

/// Parses a whole text. `depth` is how deep it is nested already.
pub fn parse(text: &str, depth: u32, limit: u32) -> Parsed {
    let mut parser = Parser::new(text, depth, limit, Fish);
    // fish reads the whole text first and runs none of it where it is wrong.
    Parsed::all_or_nothing(parser.whole())
}

/// Marks the parser; there is nothing that it keeps.
struct Fish;

type Parser<'s> = Cursor<'s, Fish>;

/// Words that end a block, at the place of a command.
const ENDS: [&str; 3] = ["end", "else", "case"];

impl<'s> Parser<'s> {
    fn whole(&mut self) -> Result<Script> {
        let script = self.statements()?;
        match self.peek() {
            None => Ok(script),
            Some(_) => Err(Trouble::Syntax("the end of a block that was never opened")),
        }
    }

    /// Statements up to the end of the block, of the bracket or of the text, which is not consumed.
    fn statements(&mut self) -> Result<Script> {
        self.enter()?;
        let mut script = Script::default();
        loop {
            self.skip_to_statement();
            if self.peek().is_none_or(|byte| byte == b')') || ENDS.contains(&self.keyword()) {
                break;
            }
            let before = self.position;
            // `and` and `or` ask how the statement before them ended.
            let joined = match self.keyword() {
                "and" => Some(Joined::IfSucceeded),
                "or" => Some(Joined::IfFailed),
                _ => None,
            };
            let node = self.joined()?;
            self.skip_blanks();
            if self.peek() == Some(b'&') {
                self.position += 1;
                script
                    .nodes
                    .push(Node::subshell(Script { nodes: vec![node] }, Vec::new()));
            } else {
                match (joined, script.nodes.pop()) {
                    (Some(joined), Some(Node::Chain(mut chain))) => {
                        chain.rest.push((joined, node));
                        script.nodes.push(Node::Chain(chain));
                    }
                    (Some(joined), Some(first)) => {
                        script.nodes.push(Node::chain(first, vec![(joined, node)]));
                    }
                    (_, last) => script.nodes.extend(last.into_iter().chain([node])),
                }
            }
            if self.position == before {
                return Err(Trouble::Syntax("something that is no command"));
            }
        }
        self.leave();
        Ok(script)
    }

    /// Pipelines joined by `&&` and `||`.
    fn joined(&mut self) -> Result<Node> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.skip_blanks();
            let Some(joined) = self.take_joined() else {
                break;
            };
            self.skip_lines();
            if self.at_end() {
                return Err(Trouble::Syntax("an operator without its command"));
            }
            rest.push((joined, self.pipeline()?));
        }
        Ok(Node::chain(first, rest))
    }

    fn pipeline(&mut self) -> Result<Node> {
        let mut is_negated = false;
        loop {
            self.skip_blanks();
            match self.keyword() {
                word @ ("and" | "or" | "time") => self.position += word.len(),
                word @ ("not" | "!") => {
                    is_negated = !is_negated;
                    self.position += word.len();
                }
                _ => break,
            }
        }
        let node = self.stages()?;
        Ok(if is_negated {
            Node::Negated(Box::new(node))
        } else {
            node
        })
    }

    /// Commands joined by pipes.
    fn stages(&mut self) -> Result<Node> {
        let mut stages = vec![self.command()?];
        loop {
            self.skip_blanks();
            let width = match (self.peek(), self.peek_at(1)) {
                (Some(b'|'), Some(b'|')) => break,
                (Some(b'|'), _) => 1,
                (Some(b'&'), Some(b'|')) => 2,
                _ => break,
            };
            self.position += width;
            self.skip_lines();
            stages.push(self.command()?);
        }
        Ok(if stages.len() == 1 {
            stages.swap_remove(0)
        } else {
            Node::Pipe(stages)
        })
    }

    fn command(&mut self) -> Result<Node> {
        self.enter()?;
        self.skip_blanks();
        let word = self.keyword();
        let node = match word {
            "if" => self.conditional()?,
            "while" => {
                self.position += word.len();
                let condition = Script {
                    nodes: vec![self.pipeline()?],
                };
                let body = self.statements()?;
                self.repetition(None, condition, body)?
            }
            "for" => self.iteration()?,
            "switch" => self.switch()?,
            "begin" => {
                self.position += word.len();
                let body = self.statements()?;
                self.end()?;
                Node::group(body, self.redirects()?)
            }
            "function" => self.function()?,
            "end" | "else" | "case" => {
                return Err(Trouble::Syntax("the end of a block that was never opened"));
            }
            _ => self.simple()?,
        };
        self.leave();
        Ok(node)
    }

    fn simple(&mut self) -> Result<Node> {
        let start = self.position;
        let mut simple = Simple::new(Excerpt::default());
        let mut end = start;
        loop {
            self.skip_blanks();
            if self.at_end() {
                break;
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
        simple.text = self.excerpt(start, end);
        Ok(Node::Simple(Box::new(simple)))
    }

    fn redirects(&mut self) -> Result<Vec<Redirect>> {
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => return Ok(redirects),
            }
        }
    }

    fn redirect(&mut self) -> Result<Option<Redirect>> {
        const OPERATORS: [(&str, Operator); 9] = [
            ("&>>", Operator::WriteBoth),
            ("&>", Operator::WriteBoth),
            (">>", Operator::Write),
            (">?", Operator::Write),
            (">&", Operator::DuplicateOut),
            (">", Operator::Write),
            ("<&", Operator::DuplicateIn),
            ("<?", Operator::Read),
            ("<", Operator::Read),
        ];
        let digits = self.bytes[self.position..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let rest = &self.text[self.position + digits..];
        let Some((text, operator)) = OPERATORS.iter().find(|(text, _)| rest.starts_with(text))
        else {
            return Ok(None);
        };
        let fd = self.text[self.position..self.position + digits]
            .parse()
            .ok();
        self.position += digits + text.len();
        self.skip_blanks();
        let target = self.word()?;
        Ok(Some(Redirect {
            variable: None,
            fd,
            operator: *operator,
            target,
        }))
    }

    /// Whether a command ends here.
    fn at_end(&self) -> bool {
        match self.peek() {
            None | Some(b'\n' | b';' | b'|' | b')' | b'#') => true,
            Some(b'&') => !self.starts_with("&>"),
            Some(_) => false,
        }
    }

    /// The unquoted word here, if it could be a keyword.
    fn keyword(&self) -> &'s str {
        let rest = &self.bytes[self.position..];
        let end = rest
            .iter()
            .take(12)
            .position(|byte| !byte.is_ascii_lowercase() && *byte != b'!');
        let end = end.unwrap_or(rest.len().min(12));
        let ends = rest
            .get(end)
            .is_none_or(|byte| b" \t\r\n;&|()<>".contains(byte));
        if ends {
            &self.text[self.position..self.position + end]
        } else {
            ""
        }
    }

    fn skip_blanks(&mut self) {
        self.skip_continued(b'\\');
    }

    fn skip_lines(&mut self) {
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(b'\n') => self.position += 1,
                Some(b'#') => self.skip_comment(),
                _ => return,
            }
        }
    }

    fn skip_to_statement(&mut self) {
        loop {
            self.skip_lines();
            if self.peek() != Some(b';') {
                return;
            }
            self.position += 1;
        }
    }
}
