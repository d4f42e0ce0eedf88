//! The parser for bash, and for what sh, zsh, dash and ksh share with it.
//!
//! Recursive descent over bytes with an explicit bound on depth; every byte is read once, and a second
//! time at most per level of nesting. It accepts what `bash -n` accepts, up to zsh's own glob forms.

mod arithmetic;
mod commands;
mod expansions;
mod quoting;
mod redirects;
mod simple;

use super::cursor::Cursor;
use super::tree::{Node, Parsed, Script, Trouble, Word};
use std::cell::OnceCell;
use std::collections::HashSet;
use std::rc::Rc;

type Result<T> = std::result::Result<T, Trouble>;

/// Parses a whole text. `depth` is how deep it is nested already.
pub fn parse(text: &str, depth: u32, limit: u32) -> Parsed {
    let mut lines = Lines::of(text, depth, limit);
    let mut parsed = Parsed::default();
    let mut script = Script::default();
    loop {
        match lines.next_complete(&mut script) {
            Ok(true) => parsed.script.nodes.append(&mut script.nodes),
            Ok(false) => return parsed,
            Err(trouble) => {
                parsed.trouble = Some(trouble);
                return parsed;
            }
        }
    }
}

/// A text that is parsed as bash reads it: it runs the lines before the one that it cannot read, and nothing of that
/// one. Whoever walks them at once holds little of the text's tree at a time.
pub struct Lines<'s>(Parser<'s>);

impl<'s> Lines<'s> {
    /// `depth` is how deep the text is nested already.
    pub fn of(text: &'s str, depth: u32, limit: u32) -> Self {
        Self(Parser::bash(text, depth, limit))
    }

    /// Reads the next lines that are a whole, and says whether there were any.
    pub fn next_complete(&mut self, script: &mut Script) -> std::result::Result<bool, Trouble> {
        script.nodes.clear();
        self.0.complete_lines(script)?;
        Ok(!script.nodes.is_empty())
    }
}

/// Parses the text of a here-document or of a prompt: only expansions are live in it.
pub fn parse_text(text: &str, depth: u32, limit: u32) -> std::result::Result<Word, Trouble> {
    let mut parser = Parser::bash(text, depth, limit);
    parser.enter()?;
    parser.quoted_text(None)
}

/// Parses `[…]` at the front of a text, and says how long it is.
pub fn parse_subscript(
    text: &str,
    depth: u32,
    limit: u32,
) -> std::result::Result<(Word, usize), Trouble> {
    let mut parser = Parser::bash(text, depth, limit);
    let word = parser.subscript()?;
    Ok((word, parser.position))
}

/// What the parser keeps besides its place.
struct Kept {
    /// Here-documents whose text begins behind the next newline.
    pending: Vec<PendingDocument>,
    /// Where something began that turned out to be something else.
    refused: HashSet<usize>,
    /// Bytes that may still be read in vain, to see what something is.
    scans: usize,
}

type Parser<'s> = Cursor<'s, Kept>;

/// How often, on average, a byte may be read in vain.
const SCANS_PER_BYTE: usize = 64;

struct PendingDocument {
    tag: String,
    quoted: bool,
    strips_tabs: bool,
    slot: Rc<OnceCell<Word>>,
}

/// What a word is in, which decides where it ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Command,
    /// The brackets of `+(…)`.
    Pattern,
    /// Behind the operator of `${…}`.
    Braces,
    /// The same inside double quotes, where a single quote is a letter.
    QuotedBraces,
}

impl Within {
    #[inline]
    fn ends_at(self, byte: u8) -> bool {
        match self {
            Self::Command => matches!(
                byte,
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>'
            ),
            Self::Pattern => matches!(byte, b'(' | b')'),
            Self::Braces => byte == b'}',
            Self::QuotedBraces => matches!(byte, b'}' | b'\''),
        }
    }

    /// Whether `<(…)` and `+(…)` have a meaning here.
    fn has_patterns(self) -> bool {
        self == Self::Command
    }
}

/// What ends a list of commands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    End,
    Parenthesis,
    /// One of these reserved words.
    Words(&'static [&'static str]),
    /// `;;` or `esac`
    CaseItem,
}

impl<'s> Parser<'s> {
    fn bash(text: &'s str, depth: u32, limit: u32) -> Self {
        let kept = Kept {
            pending: Vec::new(),
            refused: HashSet::new(),
            scans: text.len() * SCANS_PER_BYTE + 1_024,
        };
        Self::new(text, depth, limit, kept)
    }

    /// Statements up to the end of a line with which all of them are complete.
    fn complete_lines(&mut self, script: &mut Script) -> Result<()> {
        loop {
            let before = self.position;
            self.skip_to_command()?;
            let passed = self.bytes[before..self.position].contains(&b'\n');
            if passed && self.kept.pending.is_empty() && !script.nodes.is_empty() {
                return Ok(());
            }
            if self.kept.scans == 0 {
                return Err(Trouble::TooDeep);
            }
            if self.peek().is_none() {
                break;
            }
            let node = self.and_or()?;
            if script.nodes.is_empty() {
                script.nodes.reserve_exact(1);
            }
            script.nodes.push(node);
            self.separator(script, Stop::End)?;
        }
        if !self.kept.pending.is_empty() {
            return Err(Trouble::Syntax("a here-document without its end"));
        }
        Ok(())
    }

    /// A list up to its stop, which is not consumed. Empty lists are errors, as they are in bash.
    fn list(&mut self, stop: Stop) -> Result<Script> {
        self.enter()?;
        let mut script = Script::default();
        loop {
            self.skip_to_command()?;
            if self.at_stop(stop) {
                break;
            }
            if self.peek().is_none() {
                return Err(Trouble::Syntax("a construct that never ends"));
            }
            let node = self.and_or()?;
            script.nodes.push(node);
            self.skip_blanks();
            if self.at_short_body(stop) {
                break;
            }
            self.separator(&mut script, stop)?;
        }
        self.leave();
        if script.nodes.is_empty() && stop != Stop::CaseItem {
            return Err(Trouble::Syntax("a construct without commands"));
        }
        Ok(script)
    }

    /// Whether the braces behind a condition hold what it decides about, as zsh has it.
    fn at_short_body(&self, stop: Stop) -> bool {
        matches!(stop, Stop::Words(["then"] | ["do"])) && self.reserved() == Some("{")
    }

    /// What comes between commands; `&` puts the last one into a shell of its own.
    fn separator(&mut self, script: &mut Script, stop: Stop) -> Result<()> {
        self.skip_blanks();
        if self.peek() == Some(b'#') {
            self.skip_comment();
        }
        match self.peek() {
            None | Some(b'\n') => Ok(()),
            Some(b';') if self.at_stop(stop) => Ok(()),
            Some(b';') => {
                self.position += 1;
                self.no_empty_command()
            }
            Some(b'&') if self.peek_at(1) != Some(b'&') => {
                self.position += 1;
                // zsh's way to disown.
                if matches!(self.peek(), Some(b'!' | b'|')) {
                    self.position += 1;
                }
                if let Some(node) = script.nodes.pop() {
                    script.nodes.push(in_background(node));
                }
                self.no_empty_command()
            }
            Some(b')') if stop == Stop::Parenthesis => Ok(()),
            Some(_) if self.at_stop(stop) => Ok(()),
            Some(_) => Err(Trouble::Syntax("a word where a command must end")),
        }
    }

    /// Refuses `;;`, `; &` and the like outside of a case.
    fn no_empty_command(&mut self) -> Result<()> {
        self.skip_blanks();
        match self.peek() {
            Some(b';') if self.peek_at(1) == Some(b';') || self.peek_at(1) == Some(b'&') => Ok(()),
            Some(b';' | b'&' | b'|') if !self.at_both_redirect() => {
                Err(Trouble::Syntax("an operator without a command before it"))
            }
            _ => Ok(()),
        }
    }

    fn at_stop(&self, stop: Stop) -> bool {
        match stop {
            Stop::End => self.peek().is_none(),
            Stop::Parenthesis => self.peek() == Some(b')'),
            Stop::Words(words) => self.reserved().is_some_and(|word| words.contains(&word)),
            Stop::CaseItem => {
                let two = (self.peek(), self.peek_at(1));
                matches!(two, (Some(b';'), Some(b';' | b'&'))) || self.reserved() == Some("esac")
            }
        }
    }

    /// The unquoted word here, if it is nothing but letters or brackets and ends here.
    fn reserved(&self) -> Option<&'s str> {
        let rest = &self.bytes[self.position..];
        let end = rest
            .iter()
            .take(10)
            .position(|byte| !matches!(byte, b'a'..=b'z' | b'{' | b'}' | b'[' | b']' | b'!'))
            .unwrap_or(rest.len().min(10));
        let ends = rest
            .get(end)
            .is_none_or(|byte| *byte == b'\r' || Within::Command.ends_at(*byte));
        (end > 0 && ends).then(|| &self.text[self.position..self.position + end])
    }

    fn take_reserved(&mut self, word: &str) -> bool {
        let found = self.starts_with(word) && self.reserved() == Some(word);
        if found {
            self.position += word.len();
        }
        found
    }

    fn expect_reserved(&mut self, word: &str, trouble: &'static str) -> Result<()> {
        if self.take_reserved(word) {
            Ok(())
        } else {
            Err(Trouble::Syntax(trouble))
        }
    }

    fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.position += 1,
                Some(b'\r') if self.peek_at(1) == Some(b'\n') => self.position += 1,
                Some(b'\\') if self.peek_at(1) == Some(b'\n') => self.position += 2,
                Some(b'\\') if self.starts_with("\\\r\n") => self.position += 3,
                _ => break,
            }
        }
    }

    fn skip_continuations(&mut self) {
        while self.starts_with("\\\n") {
            self.position += 2;
        }
    }

    /// Blanks, comments and newlines, with the here-documents that begin behind these.
    fn skip_to_command(&mut self) -> Result<()> {
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(b'#') => self.skip_comment(),
                Some(b'\n') => {
                    self.position += 1;
                    self.read_documents()?;
                }
                _ => return Ok(()),
            }
        }
    }
}

/// What comes before `&`. bash and dash give all of it a shell of its own, zsh the last command of a list alone: what
/// the others set may be kept.
fn in_background(node: Node) -> Node {
    let apart = |node| Node::subshell(Script { nodes: vec![node] }, Vec::new());
    match node {
        Node::Chain(mut chain) => {
            if let Some((joined, last)) = chain.rest.pop() {
                chain.rest.push((joined, apart(last)));
            }
            let nodes = vec![Node::Chain(chain)];
            Node::maybe(Script { nodes })
        }
        node => apart(node),
    }
}
