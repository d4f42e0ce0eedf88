//! The part of the event loop that a conversation needs: the typed line, between what is shown.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use super::super::chat_input::Line;
use super::super::completion::Offers;
use super::super::input_history::InputHistory;
use super::super::typing::{Typed, Typing};
use super::{EventLoop, FLUSH, Happening, SETTLES};
use crate::keys::Key;
use crate::output::Text;
use crate::render::wrap::wrapped;
use crate::style::{counted, one_line};
use crate::terminal::{self, KeyMode, print_error, read_input};

/// Characters that are shown of what was typed behind an answer.
const BEHIND: usize = 300;

/// Blanks ahead of a continued row.
const ROW_HANG: usize = 4;

/// A terminal with fewer columns is reported.
const NARROW: usize = 20;

/// What is printed between a question and a line that is being typed.
const LINE_FIRST: &str =
    "\nyour line goes first: Enter sends it, Ctrl-U clears it; then press a key\n";

impl EventLoop {
    /// Starts to read what is typed, in a conversation.
    pub(super) fn listen(&mut self) {
        let Some(typing) = &self.typing else { return };
        if typing.by_key() {
            self.take_keys();
        }
        self.input = Some(read_input());
    }

    /// Has keys come one by one.
    fn take_keys(&mut self) {
        if let Some(typing) = &self.typing {
            match KeyMode::keep_typed() {
                Ok(mode) if typing.moves() => self.key_mode = Some(mode.marking_pastes()),
                Ok(mode) => self.key_mode = Some(mode),
                Err(error) => tracing::debug!(%error, "the terminal gives no single keys"),
            }
        }
    }

    /// True while a line is being typed: what would be shown waits for it.
    pub(super) fn is_typing(&self) -> bool {
        self.typing
            .as_ref()
            .is_some_and(|typing| !typing.is_empty())
    }

    /// True where text can be shown above a line that is being typed.
    pub(super) fn shows_above_line(&self) -> bool {
        let moves = self.typing.as_ref().is_some_and(Typing::moves);
        moves && self.manners.shares
    }

    /// Shows what waits above the line that is being typed, up to the last row that is finished.
    pub(super) fn show_finished_rows(&mut self) {
        let mut text = String::new();
        while let Some(Text(held)) = self.held.pop() {
            text += &held;
        }
        let finished = text.rfind('\n').map_or(0, |at| at + 1);
        let rest = text.split_off(finished);
        if !rest.is_empty() {
            self.held.push(Text(rest));
        }
        if !text.is_empty() {
            self.clear();
            self.output.write(text);
            self.output.finish(FLUSH);
            self.row_is_open = false;
            self.printed = Instant::now();
        }
    }

    /// Clears the last row of the screen.
    pub(super) fn clear(&mut self) {
        self.spinner.clear();
        if let Some(typing) = &mut self.typing {
            print_error(&typing.erase());
        }
    }

    /// Puts the line on the screen, where it is there to be seen or somebody is expected to type.
    pub(super) fn show_line(&mut self) {
        let waits = self.state.waits_for_line() || self.is_typing();
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
        } else if self.row_is_open && !self.is_typing() && self.printed.elapsed() < SETTLES {
            // the rest of the row is about to come
            return;
        } else {
            if std::mem::take(&mut self.row_is_open) {
                self.output.write(self.renderer.close_line());
            }
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
            return print_error(&format!(
                "ignored, because it was typed after the answer: {text}\n"
            ));
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
            // The line begins: what is on its row makes room.
            if !typing.moves() {
                typing.erase();
                return self.show_line();
            }
            if self.row_is_open || self.interview.is_on_show() {
                print_error(&typing.erase());
                return self.show_line();
            }
            self.spinner.clear();
        }
        print_error(&shown);
        self.printed = Instant::now();
        for typed in typed {
            match typed {
                Typed::Line(line) => self.line(&line),
                Typed::OpenEditor(text) => self.open_editor(&text),
                Typed::SavePaste(text) => self.save_paste(text),
                Typed::Redraw => self.clear_screen(),
                Typed::End => self.happens(Happening::InputEnded),
            }
        }
    }

    /// Clears the screen, where the cursor can be moved.
    pub(super) fn clear_screen(&mut self) {
        if self.manners.edits && self.manners.asks {
            self.clear();
            self.output.finish(FLUSH);
            print_error("\x1b[H\x1b[2J");
            self.row_is_open = false;
        }
    }

    pub(super) fn line(&mut self, line: &str) {
        let read = self.state.resolve(Line::read(line));
        if let Some(typing) = self.typing.as_mut().filter(|typing| typing.moves()) {
            if read != Line::Empty {
                typing.remember(line);
                self.keep_typed(line);
            }
            // a prompt is shown with its turn
            if !matches!(read, Line::Prompt { .. } | Line::Slash(_) | Line::Empty) {
                self.say(&format!("> {}\n", one_line(line, BEHIND)));
            }
        }
        let steps = self.state.line(read);
        self.follow(steps);
    }

    fn keep_typed(&mut self, line: &str) {
        if let Err(error) = self.typed_lines.add(line) {
            self.say(&format!(
                "note: the input history cannot be saved: {error}\n"
            ));
        }
    }

    /// Takes the lines that were typed in this project before, and what else belongs to a line.
    pub(crate) fn remembering(
        mut self,
        typed_lines: InputHistory,
        project: &Path,
        editor: &str,
    ) -> Self {
        self.editor = editor.to_owned();
        self.saves = typed_lines.is_kept() && !self.json;
        let Some(typing) = self.typing.take() else {
            return self;
        };
        let (history, failed) = match typed_lines.load() {
            Ok(history) => (history, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        self.typing = Some(typing.remembering(history, Offers::of(project)));
        self.typed_lines = typed_lines;
        if let Some(error) = failed {
            print_error(&format!(
                "note: the input history cannot be read: {error}\n"
            ));
        }
        let columns = terminal::size().0;
        if self.manners.asks && !self.manners.edits {
            print_error(
                "note: this terminal cannot move its cursor, so only the end of a line can be edited\n",
            );
        } else if self.manners.asks && columns < NARROW {
            print_error(&format!(
                "note: this terminal is too narrow ({}); use {NARROW} columns or more\n",
                counted(columns as u64, "column", "columns")
            ));
        }
        self
    }

    /// Writes a paste into a new file of the project, which the line then names.
    fn save_paste(&mut self, text: String) {
        let Some(typing) = &mut self.typing else {
            return;
        };
        let project = typing.offers().project().to_owned();
        let written = new_file(&project, &text);
        if let Err(error) = &written {
            let folder = one_line(&project.display().to_string(), BEHIND);
            self.say(&format!("the paste cannot be saved in {folder}: {error}\n"));
        }
        if let Some(typing) = &mut self.typing {
            match written {
                Ok(name) => typing.insert(&format!("@{name} ")),
                Err(_) => typing.not_saved(text),
            }
        }
    }

    /// Opens the line in the user's editor, and takes what was saved there.
    fn open_editor(&mut self, text: &str) {
        let program = self.editor.clone();
        self.clear();
        self.key_mode = None;
        terminal::hold_input(true);
        let edited = edited(&program, text);
        terminal::hold_input(false);
        self.take_keys();
        match edited {
            Ok(text) => {
                if let Some(typing) = &mut self.typing {
                    typing.set(text.trim_end_matches('\n').to_owned());
                }
            }
            Err(why) => self.say(&format!(
                "the editor `{}` {why}; set EDITOR to one that works\n",
                one_line(&program, BEHIND)
            )),
        }
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

    /// Ctrl-C on a line that is being typed while nothing runs clears the line, and nothing else.
    pub(super) fn forgets_line(&mut self) -> bool {
        let forgets = self.is_typing() && self.state.waits_for_line() && self.interview.is_empty();
        if let Some(typing) = self.typing.as_mut().filter(|_| forgets) {
            typing.forget();
            print_error(&typing.erase());
        }
        forgets
    }

    /// Shows what a command prints while it runs.
    pub(super) fn command_prints(&mut self, text: &str) {
        if !self.json {
            let rows = self.renderer.command_prints(text);
            self.show(rows);
        }
    }

    /// Tells the person something that is not an event.
    pub(super) fn say(&mut self, text: &str) {
        if !self.json {
            if self.interview.is_empty() && !self.is_typing() {
                while let Some(Text(held)) = self.held.pop() {
                    self.show(held);
                }
            }
            let open_line = self.renderer.close_line();
            self.show(open_line);
            self.output.finish(FLUSH);
        }
        self.clear();
        print_error(&self.in_rows(text));
    }

    /// A text for standard error in rows of the terminal, where it leads to one.
    pub(super) fn in_rows(&self, text: &str) -> String {
        match self.manners.edits {
            true => wrapped(text, terminal::size().0.saturating_sub(1), ROW_HANG),
            false => text.to_owned(),
        }
    }
}

/// Writes a text into a file of the folder that was not there before; its name.
fn new_file(folder: &Path, text: &str) -> std::io::Result<String> {
    let mut number = 1;
    loop {
        let name = format!("pasted-{number}.txt");
        match File::create_new(folder.join(&name)) {
            Ok(mut file) => return file.write_all(text.as_bytes()).map(|()| name),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
        }
    }
}

/// What the user makes of a text in an editor; the error continues a sentence that begins with its name.
fn edited(program: &str, text: &str) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("cannot be used: {error}");
    let words = crate::command_line::split(program, siderail_os::System::HERE)
        .map_err(|error| format!("cannot be split into words: {error}"))?;
    let Some((first, rest)) = words.split_first() else {
        return Err("is empty".to_owned());
    };
    let mut file = tempfile::Builder::new()
        .prefix("siderail-")
        .suffix(".md")
        .tempfile()
        .map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    let status = Command::new(first)
        .args(rest)
        .arg(file.path())
        .status()
        .map_err(|error| format!("cannot be started: {error}"))?;
    if !status.success() {
        return Err(format!("failed ({status})"));
    }
    std::fs::read_to_string(file.path()).map_err(failed)
}
