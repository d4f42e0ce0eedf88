//! Blocks of a document in rows of a terminal's width: headings, lists, quotes, code and tables.
//!
//! How words are painted is decided in `inline.rs`, tables are laid out in `table.rs`.

use siderail_view::{Block, BlockKind, Item};

use super::{inline, table, wrap};
use crate::style::{Style, Tone};

/// Columns of the rule that is drawn for `---`.
const RULE: usize = 40;
/// Blanks ahead of code.
const CODE: &str = "  ";
/// Columns that what lies inside of a list or quote needs; where there are fewer, it is not moved in.
const LEAST: usize = 10;

/// What the terminal can show.
#[derive(Clone, Copy)]
pub(super) struct Page {
    pub(super) style: Style,
    pub(super) columns: usize,
}

/// The blocks in rows, each with its line end.
pub(super) fn laid_out(blocks: &[Block], page: Page) -> String {
    let mut out = String::new();
    for block in blocks {
        if block.is_apart {
            out.push('\n');
        }
        match &block.kind {
            BlockKind::Heading { level, text } => {
                let text = match page.style.colour {
                    true => inline::bold(text, page.style),
                    false => {
                        let mark = "#".repeat((*level).into());
                        format!("{mark} {}", inline::painted(text, page.style))
                    }
                };
                rows(&text, page, &mut out);
            }
            BlockKind::Paragraph(text) => rows(&inline::painted(text, page.style), page, &mut out),
            BlockKind::Code { text, .. } => {
                text.lines().for_each(|line| code(line, page, &mut out));
            }
            BlockKind::Quote(inner) => {
                let bar = page.style.mark("│", "|");
                let bar = page.style.paint(Tone::Dim, bar) + " ";
                moved_in(&bar, &bar, inner, page, &mut out);
            }
            BlockKind::List { first, items } => list(*first, items, page, &mut out),
            BlockKind::Table(table) => {
                out += &table::laid_out(table, page.style, page.columns);
            }
            BlockKind::Rule => {
                let rule = page.style.mark("─", "-").repeat(RULE.min(page.columns));
                rows(&page.style.paint(Tone::Dim, &rule), page, &mut out);
            }
        }
    }
    out
}

fn rows(text: &str, page: Page, out: &mut String) {
    out.push_str(&wrap::wrapped(text, page.columns, 0));
    out.push('\n');
}

/// A line of code, unchanged.
fn code(line: &str, page: Page, out: &mut String) {
    let line = format!("{CODE}{line}");
    let indentation = line.len() - line.trim_start().len();
    let painted = page.style.paint(Tone::Place, &line);
    out.push_str(&wrap::wrapped(&painted, page.columns, indentation));
    out.push('\n');
}

fn list(first: Option<u64>, items: &[Item], page: Page, out: &mut String) {
    for (number, item) in (first.unwrap_or_default()..).zip(items) {
        if item.is_apart {
            out.push('\n');
        }
        let mark = match first {
            Some(_) => format!("{number}. "),
            None => page.style.mark("• ", "- ").to_owned(),
        };
        let blanks = " ".repeat(wrap::width(&mark));
        let task = match item.is_done {
            Some(true) => "[x] ",
            Some(false) => "[ ] ",
            None => "",
        };
        moved_in(&(mark + task), &blanks, &item.blocks, page, out);
    }
}

/// Blocks with `first` ahead of their first row, and `rest` ahead of the others.
fn moved_in(first: &str, rest: &str, blocks: &[Block], page: Page, out: &mut String) {
    let columns = page.columns.saturating_sub(wrap::width(first));
    let is_narrow = columns < LEAST;
    let inner = match is_narrow {
        true => laid_out(blocks, page),
        false => laid_out(blocks, Page { columns, ..page }),
    };
    let mut ahead = first;
    for line in inner.lines() {
        let row = format!("{ahead}{line}");
        out.push_str(&wrap::wrapped(row.trim_end(), page.columns, 0));
        out.push('\n');
        ahead = if is_narrow { "" } else { rest };
    }
    if inner.is_empty() {
        out.push_str(first.trim_end());
        out.push('\n');
    }
}
