//! The line that a person types into a conversation, and how it is drawn. Plain data: it reads and prints nothing.
//!
//! At a terminal keys come one by one; through a pipe, lines come as they are.

use crate::keys::{Key, KeyReader, TypedLine};
use crate::style::{Style, Tone};

/// Columns of a long line that are shown, its end.
const SHOWN: usize = 70;

/// What typing has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Typed {
    /// A whole line.
    Line(String),
    /// Nothing more will come.
    End,
}

/// A line on its way.
pub(super) struct Typing {
    /// Keys come one by one.
    by_key: bool,
    keys: KeyReader,
    line: TypedLine,
    piped: Vec<u8>,
    style: Style,
    /// The cursor may be moved.
    motion: bool,
    /// The line stands on the screen.
    drawn: bool,
}

impl Typing {
    pub(super) fn new(by_key: bool, style: Style, motion: bool) -> Self {
        Self {
            by_key,
            keys: KeyReader::default(),
            line: TypedLine::default(),
            piped: Vec::new(),
            style,
            motion,
            drawn: false,
        }
    }

    /// True while keys come one by one.
    pub(super) fn by_key(&self) -> bool {
        self.by_key
    }

    /// True when nothing of a line was typed.
    pub(super) fn is_empty(&self) -> bool {
        !self.by_key || self.line.text().is_empty()
    }

    /// Forgets the line.
    pub(super) fn forget(&mut self) {
        self.line = TypedLine::default();
    }

    /// Takes what was read: what to print at once, and what it came to.
    pub(super) fn bytes(&mut self, bytes: &[u8]) -> (String, Vec<Typed>) {
        if !self.by_key {
            self.piped.extend_from_slice(bytes);
            return (String::new(), self.piped_lines());
        }
        let (mut shown, mut typed) = (String::new(), Vec::new());
        for key in self.keys.keys(bytes) {
            match key {
                Key::Enter => {
                    shown += &self.enter();
                    let line = std::mem::take(&mut self.line);
                    typed.push(Typed::Line(line.text().to_owned()));
                }
                Key::End if self.line.text().is_empty() => typed.push(Typed::End),
                key => {
                    let echo = self.line.key(key);
                    if self.motion {
                        shown = self.draw();
                    } else {
                        shown += &echo;
                    }
                }
            }
        }
        (shown, typed)
    }

    /// The rest of a pipe without its last line end.
    pub(super) fn end(&mut self) -> Option<String> {
        let rest = std::mem::take(&mut self.piped);
        (!rest.is_empty()).then(|| String::from_utf8_lossy(&rest).into_owned())
    }

    /// The line as it is now.
    pub(super) fn draw(&mut self) -> String {
        self.drawn = true;
        let text = self.line.text();
        let n = text.chars().count();
        let tail: String = text.chars().skip(n.saturating_sub(SHOWN)).collect();
        let more = if n > SHOWN {
            self.style.mark("…", "..")
        } else {
            ""
        };
        let sign = self.style.paint(Tone::Strong, "> ");
        let start = if self.motion { "\r\x1b[K" } else { "" };
        format!("{start}{sign}{more}{tail}")
    }

    /// True where the line has to be drawn to be seen.
    pub(super) fn is_hidden(&self) -> bool {
        self.by_key && !self.drawn
    }

    /// Takes the line off the screen, for other text.
    pub(super) fn erase(&mut self) -> &'static str {
        match (std::mem::take(&mut self.drawn), self.motion) {
            (false, _) => "",
            (true, true) => "\r\x1b[K",
            (true, false) => "\n",
        }
    }

    /// The line is done; where the cursor may be moved it goes, since the turn shows it again.
    fn enter(&mut self) -> String {
        match self.motion {
            true => self.erase().to_owned(),
            false => {
                self.drawn = false;
                "\n".to_owned()
            }
        }
    }

    fn piped_lines(&mut self) -> Vec<Typed> {
        let mut lines = Vec::new();
        while let Some(end) = self.piped.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.piped.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line[..end]).into_owned();
            lines.push(Typed::Line(line));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_gives_whole_lines_however_they_are_cut() {
        let mut typing = Typing::new(false, Style::PLAIN, false);
        assert_eq!(typing.bytes(b"on").1, []);
        let lines = typing.bytes(b"e\r\n\ntw").1;
        assert_eq!(
            lines,
            [Typed::Line("one\r".into()), Typed::Line(String::new())]
        );
        assert_eq!(typing.end(), Some("tw".to_owned()));
    }

    #[test]
    fn a_line_that_is_being_typed_survives_what_is_shown_between() {
        let mut typing = Typing::new(true, Style::PLAIN, true);
        typing.bytes(b"hal");
        assert_eq!(typing.erase(), "\r\x1b[K");
        assert!(typing.is_hidden() && !typing.is_empty());
        assert_eq!(typing.draw(), "\r\x1b[K> hal");
        let (_, typed) = typing.bytes(b"lo\r");
        assert_eq!(typed, [Typed::Line("hallo".to_owned())]);
        assert_eq!(typing.bytes(b"\x04").1, [Typed::End]);
    }
}
