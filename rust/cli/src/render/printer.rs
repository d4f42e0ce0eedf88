//! What a terminal or a pipe has got, and what comes next: rows, messages as they grow, empty lines between them.
//!
//! A printed row cannot be changed. So the row of a call waits for a moment, since the next event may say it better,
//! and a message is shown as far as it is certain. Knows no event; writes nothing, its caller takes the text.

use super::layout::Page;
use super::markdown::Markdown;
use super::wrap;
use crate::style::{Style, Tone, harmless};

/// What has been printed so far, as far as it matters for what comes next.
pub(super) struct Printer {
    style: Style,
    /// The terminal's columns, where there is a terminal.
    columns: Option<fn() -> usize>,
    /// Printed, and not taken yet.
    out: String,
    /// Line ends at the end of what was printed, counted up to two.
    line_ends: u8,
    block: Block,
    /// What the model says at the moment: a message or a thought.
    speech: Block,
    /// Something of it has been printed.
    has_begun: bool,
    /// The part of it that a terminal does not show yet.
    markdown: Markdown,
    /// A call and its row, which waits for a moment.
    waiting: Option<(u64, String)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    Apart,
    Rows,
    Message,
    Thought,
}

impl Printer {
    pub(super) fn new(style: Style) -> Self {
        Self {
            style,
            columns: None,
            out: String::new(),
            line_ends: 2,
            block: Block::Apart,
            speech: Block::Message,
            has_begun: false,
            markdown: Markdown::default(),
            waiting: None,
        }
    }

    /// Prints to a terminal of so many columns: messages are laid out, and words are not cut.
    pub(super) fn within(&mut self, columns: fn() -> usize) {
        self.columns = Some(columns);
    }

    pub(super) fn is_terminal(&self) -> bool {
        self.columns.is_some()
    }

    /// What was printed since the last time.
    pub(super) fn take(&mut self) -> String {
        std::mem::take(&mut self.out)
    }

    /// True when the next text begins on a line of its own.
    pub(super) fn at_line_start(&self) -> bool {
        self.line_ends > 0
    }

    /// Prints a row.
    pub(super) fn row(&mut self, row: &str) {
        self.enter(Block::Rows);
        self.push_wrapped(row, 2);
        self.push("\n");
    }

    /// Prints lines below a row, which end with a line end; those behind a break begin with `hang` blanks.
    pub(super) fn lines(&mut self, text: &str, hang: usize) {
        if !text.is_empty() {
            self.enter(Block::Rows);
            self.push_wrapped(text, hang);
        }
    }

    /// The same, with an empty line above and below.
    pub(super) fn lines_apart(&mut self, text: &str, hang: usize) {
        self.enter(Block::Apart);
        self.push_wrapped(text, hang);
    }

    /// Prints a row of a call when something comes behind it, or nothing for a while.
    pub(super) fn row_later(&mut self, call: u64, row: String) {
        self.waiting = Some((call, row));
    }

    /// Drops the row of a call where it still waits: something else says the same.
    pub(super) fn drop_waiting_row(&mut self, call: u64) {
        self.waiting.take_if(|(of, _)| *of == call);
    }

    /// Prints the row that waits, where it is not of this call: it will not be said better.
    pub(super) fn print_row_of_another(&mut self, call: u64) {
        if self.waiting.as_ref().is_some_and(|(of, _)| *of != call) {
            self.print_waiting_row();
        }
    }

    pub(super) fn print_waiting_row(&mut self) {
        if let Some((_, row)) = self.waiting.take() {
            self.row(&row);
        }
    }

    /// Another message or thought begins.
    pub(super) fn begin_message(&mut self, is_thought: bool) {
        self.has_begun = false;
        self.speech = match is_thought {
            true => Block::Thought,
            false => Block::Message,
        };
    }

    /// Prints more of the message that has begun.
    pub(super) fn extend_message(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.print_waiting_row();
        }
        let harmless = harmless(text);
        let goes_on = self.has_begun && self.block == self.speech;
        let text = match goes_on {
            true => harmless.as_ref(),
            false => harmless.trim_start_matches('\n'),
        };
        if text.is_empty() {
            return;
        }
        let begins_to_think = self.speech == Block::Thought && self.block != self.speech;
        if !goes_on {
            self.has_begun = true;
            self.begin(self.speech);
        }
        if let Some(page) = self.page() {
            let text = self.markdown.push(text, page);
            return self.push_message(&text);
        }
        if begins_to_think && !self.style.colour {
            self.push("(thinking) ");
        }
        self.push_message(text);
    }

    /// Prints what is left of a message that is laid out line by line: nothing more of it comes.
    pub(super) fn end_message(&mut self) {
        if let Some(page) = self.page().filter(|_| !self.markdown.is_empty()) {
            let text = self.markdown.end(page);
            self.push_message(&text);
        }
    }

    /// Prints what waits: nothing comes for a while.
    pub(super) fn catch_up(&mut self) {
        self.print_waiting_row();
        if let Some(page) = self.page() {
            let text = self.markdown.catch_up(page);
            self.push_message(&text);
        }
    }

    /// Ends an open line, and prints the row that waits.
    pub(super) fn end_turn(&mut self) {
        self.print_waiting_row();
        self.need_line_ends(1);
    }

    /// Ends an open line, for text that somebody else prints.
    pub(super) fn interrupt(&mut self) {
        self.markdown.interrupt();
        self.need_line_ends(1);
    }

    /// What the terminal can show. Its last column stays free: a character there makes some terminals begin a row.
    fn page(&self) -> Option<Page> {
        let columns = self.columns?().saturating_sub(1);
        Some(Page {
            style: self.style,
            columns,
        })
    }

    fn enter(&mut self, block: Block) {
        self.print_waiting_row();
        if self.block != block {
            self.begin(block);
        }
    }

    /// Puts an empty line between what was printed and a new block.
    fn begin(&mut self, block: Block) {
        self.end_message();
        self.need_line_ends(2);
        self.markdown.begin();
        self.block = block;
    }

    fn need_line_ends(&mut self, n: u8) {
        while self.line_ends < n {
            self.push("\n");
        }
    }

    fn push_message(&mut self, text: &str) {
        match self.block {
            Block::Thought => self.out += &self.style.paint(Tone::Dim, text),
            _ => self.out += text,
        }
        self.count_line_ends(text);
    }

    /// Text in rows of the terminal's width.
    fn push_wrapped(&mut self, text: &str, hang: usize) {
        match self.page() {
            Some(page) => self.push(&wrap::wrapped(text, page.columns, hang)),
            None => self.push(text),
        }
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
        self.count_line_ends(text);
    }

    fn count_line_ends(&mut self, text: &str) {
        let is_end = |byte: &u8| *byte == b'\n';
        let ends = text.bytes().rev().take(2).take_while(is_end).count();
        if ends == text.len() {
            self.line_ends = (self.line_ends + ends as u8).min(2);
        } else {
            self.line_ends = ends as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_told_apart_by_one_empty_line() {
        let mut printer = Printer::new(Style::PLAIN);
        printer.begin_message(false);
        printer.extend_message("\n\none\n");
        printer.begin_message(false);
        printer.extend_message("\n\ntwo");
        printer.row("row");
        printer.lines("    below\n", 4);
        printer.extend_message("more");
        assert_eq!(printer.take(), "one\n\ntwo\n\nrow\n    below\n\nmore");
        printer.interrupt();
        assert_eq!(printer.take(), "\n");
    }

    #[test]
    fn a_row_waits_until_something_else_is_printed() {
        let mut printer = Printer::new(Style::PLAIN);
        printer.row_later(1, "one".to_owned());
        printer.row_later(1, "one: make".to_owned());
        printer.extend_message(" \n");
        printer.print_row_of_another(1);
        assert_eq!(printer.take().trim(), "", "nothing that is seen");
        printer.print_row_of_another(2);
        printer.row_later(2, "two".to_owned());
        assert_eq!(printer.take().trim(), "one: make");
        printer.drop_waiting_row(1);
        printer.catch_up();
        assert_eq!(printer.take(), "two\n");
        printer.row_later(3, "three".to_owned());
        printer.drop_waiting_row(3);
        printer.catch_up();
        assert_eq!(printer.take(), "");
    }
}
