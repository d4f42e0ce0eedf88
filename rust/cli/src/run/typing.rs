//! The line that a person types into a conversation, and how it is drawn. Plain data: it reads and prints nothing.
//!
//! At a terminal keys come one by one; through a pipe, lines come as they are.

use std::time::{Duration, Instant};

use crate::keys::{Key, KeyReader, TypedLine};
use crate::style::{Style, Tone};

/// Columns of a long line that are shown, its end.
const SHOWN: usize = 70;

/// Somebody whose last key is no older than this when a question appears is still typing.
const STILL_TYPING: Duration = Duration::from_secs(1);
/// So long such a person's keys go into the line, counted anew from each key: nobody has read a question by then.
const PAUSE: Duration = Duration::from_millis(700);

/// Whether keys are meant for the line or for a question that has appeared under the person's hands.
#[derive(Default)]
pub(super) struct Rhythm {
    typed_at: Option<Instant>,
    line_until: Option<Instant>,
}

impl Rhythm {
    /// Keys have gone into the line.
    pub(super) fn typed(&mut self, now: Instant) {
        self.typed_at = Some(now);
        self.line_until = now.checked_add(PAUSE);
    }

    /// A question appears.
    pub(super) fn asked(&mut self, now: Instant) {
        let still = |at: Instant| now.saturating_duration_since(at) < STILL_TYPING;
        let typing = self.typed_at.is_some_and(still);
        self.line_until = now.checked_add(PAUSE).filter(|_| typing);
    }

    /// True while keys are meant for the line, even for an empty one.
    pub(super) fn is_of_line(&self, now: Instant) -> bool {
        self.line_until.is_some_and(|until| now < until)
    }
}

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
        let keys = self.keys.keys(bytes);
        self.take(keys)
    }

    /// Takes keys that were read elsewhere, and what reads on where they end: a character may be cut there.
    pub(super) fn keys(&mut self, keys: Vec<Key>, reader: KeyReader) -> (String, Vec<Typed>) {
        self.keys = reader;
        self.take(keys)
    }

    fn take(&mut self, keys: Vec<Key>) -> (String, Vec<Typed>) {
        let (mut shown, mut typed) = (String::new(), Vec::new());
        for key in keys {
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
    fn keys_are_an_answer_at_once_but_not_from_somebody_who_was_just_typing() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut rhythm = Rhythm::default();
        rhythm.asked(at(0));
        assert!(!rhythm.is_of_line(at(0)), "nobody was typing");
        rhythm.typed(at(1_000));
        rhythm.asked(at(1_900));
        assert!(rhythm.is_of_line(at(2_500)));
        rhythm.typed(at(2_500));
        assert!(rhythm.is_of_line(at(3_100)), "the typing goes on");
        assert!(!rhythm.is_of_line(at(3_300)), "a question can be answered");
        rhythm.asked(at(3_600));
        assert!(!rhythm.is_of_line(at(3_600)), "it was long ago");
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
