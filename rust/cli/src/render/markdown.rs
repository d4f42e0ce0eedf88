//! Markdown as a terminal shows it: headings, lists, quotes, code and tables, in rows of its width.
//!
//! A message comes in pieces; words are shown as they come, a table when it has ended. It takes text that is
//! harmless already and answers what to print; how a line is painted is decided in `inline.rs`, tables are laid out in
//! `table.rs`.

use super::{inline, table, wrap};
use crate::style::{Style, Tone};

/// Columns of the rule that stands for `---`.
const RULE: usize = 40;
/// Blanks ahead of code.
const CODE: &str = "  ";
/// Blanks ahead of a list's mark that are kept.
const DEEPEST: usize = 12;

/// A message on its way to the terminal.
#[derive(Default)]
pub(super) struct Markdown {
    /// The line that is not complete.
    line: String,
    /// What of it stands on the terminal: so many bytes, and how they were shown.
    begun: (usize, String),
    /// What closes the code that is open.
    fence: Option<String>,
    /// Rows of a table that has not ended.
    table: Vec<String>,
}

/// What the terminal can show.
#[derive(Clone, Copy)]
pub(super) struct Page {
    pub(super) style: Style,
    pub(super) columns: usize,
}

impl Markdown {
    /// Takes a piece of the message: what it adds on the terminal.
    pub(super) fn push(&mut self, text: &str, page: Page) -> String {
        self.line.push_str(text);
        let mut out = String::new();
        while let Some(end) = self.line.find('\n') {
            let line: String = self.line.drain(..=end).collect();
            self.complete_line(line.trim_end(), page, &mut out);
        }
        let last_word = self.line.rfind(' ').unwrap_or(0);
        out + &self.begin_line(last_word, page)
    }

    /// Nothing came for a while: what of the last line is not shown yet.
    pub(super) fn catch_up(&mut self, page: Page) -> String {
        self.begin_line(self.line.len(), page)
    }

    /// The message, or this part of it, is complete: its last rows.
    pub(super) fn end(&mut self, page: Page) -> String {
        let mut out = String::new();
        let line = std::mem::take(&mut self.line);
        if !line.trim().is_empty() || self.begun.0 > 0 {
            self.complete_line(line.trim_end(), page, &mut out);
        }
        self.end_table(page, &mut out);
        out
    }

    /// Something else was printed behind the line that is begun: the rest of it is a line by itself.
    pub(super) fn interrupt(&mut self) {
        let (n_shown, _) = std::mem::take(&mut self.begun);
        self.line.drain(..n_shown);
    }

    /// Shows the words of the line up to here, where what comes behind them does not change them.
    fn begin_line(&mut self, up_to: usize, page: Page) -> String {
        let line = &self.line[..up_to];
        let trimmed = line.trim_start();
        let is_text = trimmed.starts_with(|c: char| !matches!(c, '|' | '`' | '~' | '#' | '>'));
        // the mark of a list is one with the blank behind it
        let is_mark = !trimmed.contains(' ') && !trimmed.starts_with(char::is_alphabetic);
        if self.fence.is_some() || !is_text || is_mark || is_rule(trimmed) {
            return String::new();
        }
        let mark = line.len() - trimmed.len() + item(trimmed).0.len();
        let settled = mark + inline::settled(&line[mark..]);
        let line = line[..settled].trim_end().to_owned();
        if line.len() <= self.begun.0 || line.len() <= mark {
            return String::new();
        }
        let mut out = String::new();
        self.end_table(page, &mut out);
        let mut shown = String::new();
        paragraph(&line, page, &mut shown);
        let shown = shown.trim_end_matches('\n').to_owned();
        if let Some(more) = shown.strip_prefix(&self.begun.1) {
            out.push_str(more);
            self.begun = (line.len(), shown);
        }
        out
    }

    fn complete_line(&mut self, line: &str, page: Page, out: &mut String) {
        let (n_shown, shown) = std::mem::take(&mut self.begun);
        let mut text = String::new();
        self.line(line, page, &mut text);
        match text.strip_prefix(&shown) {
            Some(more) => out.push_str(more),
            // its beginning has got another meaning
            None => {
                out.push('\n');
                self.line(line[n_shown.min(line.len())..].trim_start(), page, out);
            }
        }
    }

    /// True when nothing waits to be complete.
    pub(super) fn is_empty(&self) -> bool {
        self.line.is_empty() && self.table.is_empty()
    }

    /// A new message begins: no code of the last one goes on.
    pub(super) fn begin(&mut self) {
        self.fence = None;
    }

    fn line(&mut self, line: &str, page: Page, out: &mut String) {
        let trimmed = line.trim_start();
        if let Some(fence) = &self.fence {
            if trimmed.starts_with(fence.as_str()) && trimmed.trim_matches(['`', '~']).is_empty() {
                self.fence = None;
            } else {
                code(line, page, out);
            }
            return;
        }
        if trimmed.starts_with('|') {
            return self.table.push(trimmed.to_owned());
        }
        self.end_table(page, out);
        if let Some(fence) = opens_fence(trimmed) {
            self.fence = Some(fence);
            return;
        }
        paragraph(line, page, out);
    }

    fn end_table(&mut self, page: Page, out: &mut String) {
        let rows = std::mem::take(&mut self.table);
        if rows.is_empty() {
            return;
        }
        match table::laid_out(&rows, page) {
            Some(text) => out.push_str(&text),
            None => rows.iter().for_each(|row| paragraph(row, page, out)),
        }
    }
}

/// What closes the code that a line opens.
fn opens_fence(line: &str) -> Option<String> {
    let marker = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = line.trim_start_matches(marker);
    let n_marks = line.len() - rest.len();
    (n_marks >= 3 && !rest.contains('`')).then(|| marker.to_string().repeat(n_marks))
}

/// A line of code, as it stands.
fn code(line: &str, page: Page, out: &mut String) {
    let line = format!("{CODE}{line}");
    let indentation = line.len() - line.trim_start().len();
    let painted = page.style.paint(Tone::Place, &line);
    out.push_str(&wrap::wrapped(&painted, page.columns, indentation));
    out.push('\n');
}

/// A line that is neither code nor a row of a table.
fn paragraph(line: &str, page: Page, out: &mut String) {
    let trimmed = line.trim_start();
    let indentation = (line.len() - trimmed.len()).min(DEEPEST);
    let blanks = " ".repeat(indentation);
    let mut row = |first: &str, text: &str, hang: usize| {
        let text = format!("{blanks}{first}{text}");
        out.push_str(&wrap::wrapped(&text, page.columns, indentation + hang));
        out.push('\n');
    };
    if let Some(text) = heading(trimmed).filter(|_| page.style.colour) {
        return row("", &inline::bold(text, page.style), 0);
    }
    if is_rule(trimmed) {
        let rule = page.style.mark("─", "-").repeat(RULE.min(page.columns));
        return row("", &page.style.paint(Tone::Dim, &rule), 0);
    }
    if let Some(text) = trimmed.strip_prefix('>') {
        let bar = format!("{} ", page.style.mark("│", "|"));
        let text = inline::painted(text.trim_start(), page.style);
        let room = page.columns.saturating_sub(indentation + 2);
        for text in wrap::wrapped(&text, room, 0).split('\n') {
            row(&page.style.paint(Tone::Dim, &bar), text, 2);
        }
        return;
    }
    let (mark, text) = item(trimmed);
    let mark = match mark {
        "- " | "* " | "+ " => page.style.mark("• ", "- "),
        number => number,
    };
    row(
        mark,
        &inline::painted(text, page.style),
        mark.chars().count(),
    );
}

/// The words of a heading.
fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    let is_heading = (1..=6).contains(&level) && text.starts_with(' ');
    is_heading.then(|| text.trim().trim_end_matches('#').trim_end())
}

fn is_rule(line: &str) -> bool {
    let marks: String = line.chars().filter(|c| *c != ' ').collect();
    marks.len() >= 3
        && ['-', '*', '_']
            .iter()
            .any(|mark| marks.trim_matches(*mark).is_empty())
}

/// The mark of a list's item with the blank behind it, which is empty for any other line; and the rest.
fn item(line: &str) -> (&str, &str) {
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let end = match line.as_bytes() {
        [b'-' | b'*' | b'+', b' ', ..] => 2,
        bytes if (1..=9).contains(&digits) => match bytes.get(digits..digits + 2) {
            Some([b'.' | b')', b' ']) => digits + 2,
            _ => 0,
        },
        _ => 0,
    };
    let (mark, text) = line.split_at(end);
    (mark, if end > 0 { text.trim_start() } else { text })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, columns: usize) -> String {
        let style = Style {
            colour: false,
            marks: true,
        };
        let page = Page { style, columns };
        let mut markdown = Markdown::default();
        let mut out = String::new();
        // however it is cut
        for c in text.chars() {
            out += &markdown.push(&c.to_string(), page);
        }
        out += &markdown.end(page);
        assert!(
            out.lines().all(|line| wrap::width(line) <= columns),
            "{out}"
        );
        out
    }

    #[test]
    fn lists_quotes_and_code_keep_their_shape_in_any_width() {
        let text = "Some words to break.\n\n- one two three four\n  1. five six seven\n> said by somebody else\n\
                    ```rust\nfn main() {\n    - no item **x**\n}\n```\nend";
        assert_eq!(
            shown(text, 16),
            "Some words to\nbreak.\n\n• one two three\n  four\n  1. five six\n     seven\n│ said by\n│ somebody else\n  \
             fn main() {\n      - no item\n      **x**\n  }\nend\n"
        );
    }

    #[test]
    fn a_table_is_laid_out_and_one_that_is_too_wide_becomes_records() {
        let text = "| Name | What it does |\n|---|--:|\n| `a` | reads |\n| b | writes a lot |\n";
        assert_eq!(
            shown(text, 40),
            "Name  What it does\n────  ────────────\n`a`          reads\nb     writes a lot\n"
        );
        assert_eq!(
            shown(text, 16),
            "Name     What it\n            does\n────  ──────────\n`a`        reads\nb       writes a\n             lot\n"
        );
        assert_eq!(
            shown("| Name | Explanation |\n|-|-|\n| overwhelmingly | x |", 20),
            "Name: overwhelmingly\nExplanation: x\n"
        );
        assert_eq!(shown("| no table\n", 20), "| no table\n");
    }
}
