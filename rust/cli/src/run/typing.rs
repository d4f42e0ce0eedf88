//! The line that a person types into a conversation, and how it is drawn. It reads no key and prints nothing.
//!
//! At a terminal keys come one by one, and `line_editor` says what they do; if the cursor cannot be moved, only the end
//! of the line can be edited. Through a pipe, lines come as they are.

use std::time::{Duration, Instant};

use unicode_width::UnicodeWidthStr;

use super::completion::Offers;
use super::line_editor::{Edited, LineEditor};
use super::line_rows::{INDENT, lay_out};
use super::paste::{Paste, Wanted};
use crate::keys::{Key, KeyReader, TypedLine};
use crate::style::{Style, Tone, one_line};

/// Rows of choices below the line.
const CHOICES: usize = 6;

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

/// A text of at most so many columns.
fn fitting(text: &str, columns: usize) -> String {
    let mut fitting = String::new();
    for c in text.chars() {
        fitting.push(c);
        if fitting.width() > columns {
            fitting.pop();
            break;
        }
    }
    fitting
}

/// The result of typing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Typed {
    /// A whole line.
    Line(String),
    /// The line is to be edited in an editor of the user's.
    OpenEditor(String),
    /// A paste is wanted as a file that the line names.
    SavePaste(String),
    /// The screen is to be drawn anew.
    Redraw,
    /// Nothing more will come.
    End,
}

/// How a line is shown on the screen.
#[derive(Debug, Default)]
struct Drawn {
    /// Columns of the rows above the cursor's.
    above: Vec<usize>,
    /// Columns before the cursor.
    column: usize,
}

/// A line on its way.
pub(super) struct Typing {
    /// Keys come one by one.
    by_key: bool,
    keys: KeyReader,
    editor: LineEditor,
    paste: Paste,
    /// The line where the cursor cannot be moved.
    line: TypedLine,
    piped: Vec<u8>,
    style: Style,
    /// The cursor may be moved.
    motion: bool,
    /// Columns and rows of the terminal.
    size: fn() -> (usize, usize),
    offers: Offers,
    /// The line is on the screen.
    drawn: Option<Drawn>,
}

impl Typing {
    pub(super) fn new(
        by_key: bool,
        style: Style,
        motion: bool,
        size: fn() -> (usize, usize),
    ) -> Self {
        Self {
            by_key,
            keys: KeyReader::default(),
            editor: LineEditor::default(),
            paste: Paste::default(),
            line: TypedLine::default(),
            piped: Vec::new(),
            style,
            motion,
            size,
            offers: Offers::default(),
            drawn: None,
        }
    }

    /// Takes lines of before, the oldest first, and what completion needs.
    pub(super) fn remembering(mut self, history: Vec<String>, offers: Offers) -> Self {
        self.editor = LineEditor::new(history);
        self.offers = offers;
        self
    }

    /// What completion can offer.
    pub(super) fn offers(&mut self) -> &mut Offers {
        &mut self.offers
    }

    /// True while keys come one by one.
    pub(super) fn by_key(&self) -> bool {
        self.by_key
    }

    /// True where the line can be taken off the screen for other text, and shown again.
    pub(super) fn moves(&self) -> bool {
        self.by_key && self.motion
    }

    /// True when nothing of a line was typed.
    pub(super) fn is_empty(&self) -> bool {
        let is_unused = self.text().is_empty() && self.editor.search().is_none();
        !self.by_key || is_unused && self.paste.is_empty()
    }

    /// True inside of a paste, or where `bytes` begin one.
    pub(super) fn is_pasted(&self, bytes: &[u8]) -> bool {
        const BEGINS: &[u8] = b"\x1b[200~";
        self.keys.is_pasting() || bytes.windows(BEGINS.len()).any(|part| part == BEGINS)
    }

    fn text(&self) -> &str {
        match self.motion {
            true => self.editor.text(),
            false => self.line.text(),
        }
    }

    /// Forgets the line.
    pub(super) fn forget(&mut self) {
        self.line = TypedLine::default();
        self.paste.forget();
        self.editor.forget();
    }

    /// Takes a text for the line.
    pub(super) fn set(&mut self, text: String) {
        self.editor.set(text);
    }

    /// Puts a text where the cursor is.
    pub(super) fn insert(&mut self, text: &str) {
        self.editor.insert(text);
    }

    /// Asks again about a paste that could not be saved.
    pub(super) fn not_saved(&mut self, paste: String) {
        self.paste.ask_again(paste);
    }

    /// Remembers a line that was sent.
    pub(super) fn remember(&mut self, line: &str) {
        self.editor.remember(line);
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
        match self.motion {
            true => self.edit(keys),
            false => self.append(keys),
        }
    }

    fn edit(&mut self, keys: Vec<Key>) -> (String, Vec<Typed>) {
        let (mut typed, mut is_changed) = (Vec::new(), false);
        let asked = self.paste.asks();
        for key in keys {
            if let Key::Pasted(c) = key {
                self.paste.push(c);
                continue;
            }
            is_changed |= self.paste_ended();
            if self.paste.asks() {
                // a key that came with the paste was not meant for the question
                match asked.then(|| self.paste.key(key)).flatten() {
                    Some(Wanted::File(text)) => typed.push(Typed::SavePaste(text)),
                    Some(Wanted::Line(text)) => self.editor.insert(&text),
                    Some(Wanted::Nothing) | None => {}
                }
                is_changed = true;
                continue;
            }
            match self.editor.key(key) {
                Edited::Changed => is_changed = true,
                Edited::Line(line) => {
                    typed.push(Typed::Line(line));
                    is_changed = false;
                }
                Edited::End => typed.push(Typed::End),
                Edited::OpenEditor => {
                    typed.push(Typed::OpenEditor(self.editor.text().to_owned()));
                }
                Edited::Redraw => typed.push(Typed::Redraw),
                Edited::Complete => {
                    let before = &self.editor.text()[..self.editor.cursor()];
                    let (start, choices) = self.offers.complete(before);
                    self.editor.complete(start, choices);
                    is_changed = true;
                }
            }
        }
        if !self.keys.is_pasting() {
            is_changed |= self.paste_ended();
        }
        let mut shown = String::new();
        if !typed.is_empty() {
            shown = self.erase();
        } else if is_changed {
            shown = self.draw();
        }
        (shown, typed)
    }

    /// A paste that is whole goes into the line, or asks; true where there was one.
    fn paste_ended(&mut self) -> bool {
        if self.paste.is_empty() || self.paste.asks() {
            return false;
        }
        if let Some(text) = self.paste.end() {
            match self.editor.search() {
                None => self.editor.insert(&text),
                Some(_) => text.chars().for_each(|c| {
                    self.editor.key(Key::Pasted(c));
                }),
            }
        }
        true
    }

    fn append(&mut self, keys: Vec<Key>) -> (String, Vec<Typed>) {
        let (mut shown, mut typed) = (String::new(), Vec::new());
        for key in keys {
            match key {
                Key::Enter => {
                    self.drawn = None;
                    shown += "\n";
                    let line = std::mem::take(&mut self.line);
                    typed.push(Typed::Line(line.text().to_owned()));
                }
                Key::End if self.line.text().is_empty() => typed.push(Typed::End),
                key => shown += &self.line.key(key),
            }
        }
        (shown, typed)
    }

    /// The rest of a pipe without its last line end.
    pub(super) fn end(&mut self) -> Option<String> {
        let rest = std::mem::take(&mut self.piped);
        (!rest.is_empty()).then(|| String::from_utf8_lossy(&rest).into_owned())
    }

    /// The line as it is now, in place of what is shown.
    pub(super) fn draw(&mut self) -> String {
        let sign = self.style.paint(Tone::Strong, "> ");
        if !self.motion {
            self.drawn = Some(Drawn::default());
            return format!("{sign}{}", self.line.text());
        }
        let mut text = self.erase();
        let (columns, lines) = (self.size)();
        let below = self.below(columns);
        let laid_out = lay_out(self.editor.text(), self.editor.cursor(), columns);
        let laid_out = laid_out.part(lines.saturating_sub(below.len() + 1));
        let above = &laid_out.rows[..laid_out.row];
        let drawn = Drawn {
            above: above.iter().map(|row| INDENT + row.width()).collect(),
            column: INDENT + laid_out.column,
        };
        let n_rows = laid_out.rows.len() + below.len();
        let rows = laid_out.rows.iter().enumerate();
        let rows = rows.map(|(at, row)| {
            let start = if at == 0 { &sign } else { "  " };
            format!("{start}{row}")
        });
        let rows: Vec<String> = rows.chain(below).collect();
        text += &rows.join("\n");
        let up = n_rows - 1 - laid_out.row;
        if up > 0 {
            text += &format!("\x1b[{up}A");
        }
        text += &format!("\r\x1b[{}C", drawn.column);
        self.drawn = Some(drawn);
        text
    }

    /// What is below the line: a search, or choices.
    fn below(&self, columns: usize) -> Vec<String> {
        let room = columns.saturating_sub(1);
        let dim = |text: &str| self.style.paint(Tone::Dim, &fitting(text, room));
        if self.paste.asks() {
            let row = |row: String| self.style.paint(Tone::Notice, &fitting(&row, room));
            return self.paste.question().into_iter().map(row).collect();
        }
        if let Some(search) = self.editor.search() {
            let wanted = one_line(&search.wanted, room);
            return vec![dim(&format!("search: {wanted}   (Ctrl-R older, Esc back)"))];
        }
        let Some(completion) = self.editor.completion() else {
            return Vec::new();
        };
        let first = (completion.chosen + 1).saturating_sub(CHOICES);
        let shown = completion.choices.iter().enumerate().skip(first);
        shown
            .take(CHOICES)
            .map(|(at, choice)| match at == completion.chosen {
                true => self
                    .style
                    .paint(Tone::Strong, &fitting(&format!("> {choice}"), room)),
                false => dim(&format!("  {choice}")),
            })
            .collect()
    }

    /// True where the line has to be drawn to be seen.
    pub(super) fn is_hidden(&self) -> bool {
        self.by_key && self.drawn.is_none()
    }

    /// Takes the line off the screen, for other text. A terminal that has become narrower has wrapped its rows.
    pub(super) fn erase(&mut self) -> String {
        let Some(drawn) = self.drawn.take() else {
            return String::new();
        };
        if !self.motion {
            return "\n".to_owned();
        }
        let columns = (self.size)().0.max(1);
        let rows = drawn
            .above
            .iter()
            .map(|width| width.div_ceil(columns).max(1));
        let up = rows.sum::<usize>() + drawn.column / columns;
        match up {
            0 => "\r\x1b[J".to_owned(),
            up => format!("\x1b[{up}A\r\x1b[J"),
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
        let mut typing = Typing::new(false, Style::PLAIN, false, || (80, 24));
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
        let mut typing = Typing::new(true, Style::PLAIN, true, || (80, 24));
        typing.bytes(b"hal");
        assert_eq!(typing.erase(), "\r\x1b[J");
        assert!(typing.is_hidden() && !typing.is_empty());
        assert_eq!(typing.draw(), "> hal\r\x1b[5C");
        let (_, typed) = typing.bytes(b"lo\r");
        assert_eq!(typed, [Typed::Line("hallo".to_owned())]);
        assert_eq!(typing.bytes(b"\x04").1, [Typed::End]);
    }
}
