//! A bounded parser for the statements of PowerShell.
//!
//! Expressions are kept only as far as they hold text, run something or call a method; a call of a method or
//! of a static member becomes a command named `.name` or `[type]::name`.

mod compound;
mod expressions;
mod marks;
mod statements;
mod strings;

use super::cursor::Cursor;
use super::tree::{Parsed, Trouble};

/// Methods that are about what they are called on, which the parser hands over as the first argument.
pub const OF_OBJECT: [&str; 9] = [
    ".delete",
    ".opentext",
    ".openread",
    ".openwrite",
    ".createtext",
    ".appendtext",
    ".open",
    ".foreach",
    ".where",
];

/// Stands between the elements in the text of the argument.
pub const LIST_SEPARATOR: char = '\u{1f}';

type Result<T> = std::result::Result<T, Trouble>;

/// Parses a whole text. `depth` is how deep it is nested already.
pub fn parse(text: &str, depth: u32, limit: u32) -> Parsed {
    let text = &*marks::plain(text);
    let mut parser = Parser::new(text, depth, limit, PowerShell);
    // PowerShell reads the whole text first and runs none of it where it is wrong.
    Parsed::all_or_nothing(parser.statements(None))
}

/// Marks the parser; there is nothing that it keeps.
struct PowerShell;

type Parser<'s> = Cursor<'s, PowerShell>;

impl<'s> Parser<'s> {
    /// Blanks, continued lines and comments between brackets.
    fn skip_blanks(&mut self) -> Result<()> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r') => self.position += 1,
                Some(b'`') if self.peek_at(1) == Some(b'\n') => self.position += 2,
                Some(b'`') if self.starts_with("`\r\n") => self.position += 3,
                Some(b'<') if self.peek_at(1) == Some(b'#') => {
                    let Some(end) = self.text[self.position..].find("#>") else {
                        return Err(Trouble::Syntax("a comment that never ends"));
                    };
                    self.position += end + 2;
                }
                _ => return Ok(()),
            }
        }
    }

    /// The same with newlines, `;` and comments to the end of the line.
    fn skip_to_statement(&mut self) -> Result<()> {
        loop {
            self.skip_lines()?;
            if self.peek() != Some(b';') {
                return Ok(());
            }
            self.position += 1;
        }
    }

    fn skip_lines(&mut self) -> Result<()> {
        loop {
            self.skip_blanks()?;
            match self.peek() {
                Some(b'\n') => self.position += 1,
                Some(b'#') => self.skip_comment(),
                _ => return Ok(()),
            }
        }
    }

    fn expect(&mut self, byte: u8, trouble: &'static str) -> Result<()> {
        if self.peek() != Some(byte) {
            return Err(Trouble::Syntax(trouble));
        }
        self.position += 1;
        Ok(())
    }

    /// The letters of a word here, which is not consumed.
    fn letters(&self) -> &'s str {
        let rest = &self.bytes[self.position..];
        let end = rest
            .iter()
            .take(64)
            .position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
        &self.text[self.position..self.position + end.unwrap_or(rest.len().min(64))]
    }
}
