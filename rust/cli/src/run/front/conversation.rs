//! The part of a front that a conversation needs: the typed line, between what is shown.

use std::time::Instant;

use super::super::talk::Line;
use super::super::typing::{Typed, Typing};
use super::{FLUSH, Front, Happening};
use crate::keys::Key;
use crate::style::one_line;
use crate::terminal::{KeyMode, print_error, read_input};

/// Characters of what is told that was typed behind an answer.
const BEHIND: usize = 300;

/// What stands between a question and a line that is being typed.
const LINE_FIRST: &str =
    "\nyour line goes first: Enter sends it, Ctrl-U empties it; then a key answers\n";

impl Front {
    /// Starts to read what is typed, in a conversation.
    pub(super) fn listen(&mut self) {
        let Some(typing) = &self.typing else { return };
        if typing.by_key() {
            match KeyMode::keep_typed() {
                Ok(mode) => self.key_mode = Some(mode),
                Err(error) => tracing::debug!(%error, "the terminal gives no single keys"),
            }
        }
        self.input = Some(read_input());
    }

    /// True while a line is being typed: what would be shown waits for it.
    pub(super) fn is_typing(&self) -> bool {
        self.typing
            .as_ref()
            .is_some_and(|typing| !typing.is_empty())
    }

    /// Takes what stands on the last row of the screen away.
    pub(super) fn clear(&mut self) {
        self.spinner.clear();
        if let Some(typing) = &mut self.typing {
            print_error(typing.erase());
        }
    }

    /// Puts the line on the screen, where it is there to be seen or somebody is expected to type.
    pub(super) fn show_line(&mut self) {
        let waits = self.course.waits_for_line() || self.is_typing();
        let asks = self.interview.is_on_show();
        let free = (self.interview.is_empty() || asks && self.is_typing()) && !self.over;
        let Some(typing) = self.typing.as_ref().filter(|typing| typing.is_hidden()) else {
            return;
        };
        if !waits || !free || !typing.by_key() {
            return;
        }
        if asks {
            print_error(LINE_FIRST);
        } else {
            self.output.write(self.renderer.close_line());
            self.output.finish(FLUSH);
        }
        self.spinner.clear();
        if let Some(typing) = &mut self.typing {
            print_error(&typing.draw());
        }
    }

    pub(super) fn typed_line(&mut self, bytes: &[u8]) {
        self.edit_line(|typing| typing.bytes(bytes));
    }

    /// Takes keys that came behind one that answered a question.
    pub(super) fn typed_behind(&mut self, keys: Vec<Key>) {
        let text = |key: &Key| match key {
            Key::Char(c) => Some(*c),
            _ => None,
        };
        let text: String = keys.iter().filter_map(text).collect();
        if text.is_empty() {
            return;
        }
        if self.typing.is_none() {
            let text = one_line(&text, BEHIND);
            return print_error(&format!("typed behind the answer, and not taken: {text}\n"));
        }
        let reader = std::mem::take(&mut self.keys);
        self.edit_line(|typing| typing.keys(keys, reader));
    }

    fn edit_line(&mut self, edit: impl FnOnce(&mut Typing) -> (String, Vec<Typed>)) {
        let was_empty = !self.is_typing();
        let Some(typing) = &mut self.typing else {
            return;
        };
        let (shown, typed) = edit(typing);
        self.rhythm.typed(Instant::now());
        if was_empty && typed.is_empty() && !shown.is_empty() {
            // the line begins: what stands on its row makes room
            typing.erase();
            return self.show_line();
        }
        print_error(&shown);
        self.printed = Instant::now();
        for typed in typed {
            match typed {
                Typed::Line(line) => self.line(&line),
                Typed::End => self.happens(Happening::InputEnded),
            }
        }
    }

    fn line(&mut self, line: &str) {
        let steps = self.course.line(Line::read(line));
        self.follow(steps);
    }

    /// Nothing more is typed.
    pub(super) fn line_ended(&mut self) {
        let Some(rest) = self.typing.as_mut().map(Typing::end) else {
            return;
        };
        if let Some(line) = rest {
            self.line(&line);
        }
        self.happens(Happening::InputEnded);
    }

    /// Ctrl-C on a line that is being typed while nothing goes on takes the line away, and nothing else.
    pub(super) fn forgets_line(&mut self) -> bool {
        let forgets = self.is_typing() && self.course.waits_for_line() && self.interview.is_empty();
        if let Some(typing) = self.typing.as_mut().filter(|_| forgets) {
            typing.forget();
            print_error(typing.erase());
        }
        forgets
    }

    /// Tells the person something that is no event.
    pub(super) fn say(&mut self, text: &str) {
        if !self.json {
            let open_line = self.renderer.close_line();
            self.show(open_line);
            self.output.finish(FLUSH);
        }
        self.clear();
        print_error(text);
    }
}
