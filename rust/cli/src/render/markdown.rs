//! A message while it comes: its Markdown is read piece by piece, and shown as far as it is certain.
//!
//! What is printed on a terminal cannot be changed. So words are shown when they are complete and no marker ahead of
//! them may still change them, code by lines, a table when it has ended. `siderail_view` reads documents, `layout.rs`
//! lays out blocks. Takes text that is harmless already and returns what to print.

use siderail_view::{Block, BlockKind, Growing, Item};

use super::inline;
use super::layout::{Page, laid_out};

/// A message that is being shown.
#[derive(Default)]
pub(super) struct Markdown {
    document: Growing,
    /// The word that is not complete.
    word: String,
    /// What the terminal shows of the open blocks.
    printed: String,
    /// The columns for which they are laid out.
    columns: Option<usize>,
    /// The line that is begun was ended by somebody else.
    is_interrupted: bool,
    /// Something has come that is not shown to its end.
    waits: bool,
}

impl Markdown {
    /// Takes a piece of the message: what it adds on the terminal.
    pub(super) fn push(&mut self, text: &str, page: Page) -> String {
        self.waits = true;
        // The word so far has no blank: a long one that comes letter by letter is not searched again for each.
        let n_before = self.word.len();
        self.word.push_str(text);
        let Some(last) = text.rfind([' ', '\n', '\t']) else {
            return String::new();
        };
        let words: String = self.word.drain(..=n_before + last).collect();
        match self.document.push(&words) {
            true => self.show(page, false),
            false => String::new(),
        }
    }

    /// Nothing came for a while: what is certain and not shown yet.
    pub(super) fn catch_up(&mut self, page: Page) -> String {
        if !self.waits {
            return String::new();
        }
        self.read_word();
        self.show(page, false)
    }

    /// The message, or this part of it, is complete: its last rows.
    pub(super) fn end(&mut self, page: Page) -> String {
        self.read_word();
        let shown = self.show(page, true);
        if !self.document.ends_line() {
            self.document.push("\n");
        }
        self.waits = false;
        shown
    }

    /// Something else was printed behind the line that is begun: the rest of it is a line by itself.
    pub(super) fn interrupt(&mut self) {
        self.is_interrupted = !self.printed.is_empty() && !self.printed.ends_with('\n');
    }

    /// True when all that has come is shown.
    pub(super) fn is_empty(&self) -> bool {
        !self.waits
    }

    /// A new message begins.
    pub(super) fn begin(&mut self) {
        *self = Self::default();
    }

    fn read_word(&mut self) {
        self.document.push(&std::mem::take(&mut self.word));
        self.document.read();
    }

    fn show(&mut self, page: Page, whole: bool) -> String {
        let columns = *self.columns.get_or_insert(page.columns);
        let settled = self.document.take_settled();
        let mut out = String::new();
        if !settled.is_empty() {
            out += &self.print(&laid_out(&settled, Page { columns, ..page }), false);
        }
        let open = self.document.open();
        let ends_line = self.document.ends_line();
        let certain = match whole {
            true => open.to_vec(),
            false => certain(open, ends_line),
        };
        let mut text = laid_out(&certain, Page { columns, ..page });
        if !whole {
            let is_all = ends_line && certain == open;
            let is_words = matches!(
                certain.last().map(|block| &block.kind),
                Some(BlockKind::Paragraph(_) | BlockKind::Heading { .. })
            );
            if !is_all {
                // The last line may continue.
                text.truncate(text.trim_end_matches('\n').len());
            } else if is_words && self.document.ends_with_empty_line() {
                text.push('\n');
            }
        }
        out += &self.print(&text, true);
        if self.printed.is_empty() {
            self.columns = None;
        }
        out
    }

    /// What of a text the terminal does not show yet. What of the printed text lies behind it, or all where the text is
    /// that of the open blocks, is remembered.
    fn print(&mut self, text: &str, is_open: bool) -> String {
        let (printed, text_end) = common(&self.printed, text);
        let more = match (printed == self.printed.len(), text_end == text.len()) {
            (true, _) => text[text_end..].to_owned(),
            // less is certain than was
            (false, true) => {
                if !is_open {
                    self.printed.drain(..printed);
                }
                return String::new();
            }
            (false, false) => anew(&self.printed, text, text_end),
        };
        self.printed = if is_open {
            text.to_owned()
        } else {
            String::new()
        };
        match more.is_empty() || !std::mem::take(&mut self.is_interrupted) {
            true => more,
            false => more.trim_start().to_owned(),
        }
    }
}

/// How far two painted texts say the same, in bytes of each.
fn common(printed: &str, text: &str) -> (usize, usize) {
    if text.starts_with(printed) {
        return (printed.len(), printed.len());
    }
    let (mut a, mut b) = (0, 0);
    loop {
        a += colours(&printed[a..]);
        b += colours(&text[b..]);
        match (printed[a..].chars().next(), text[b..].chars().next()) {
            (Some(one), Some(other)) if one == other => {
                a += one.len_utf8();
                b += other.len_utf8();
            }
            _ => return (a, b),
        }
    }
}

/// Bytes of the colours with which a text begins.
fn colours(text: &str) -> usize {
    let mut at = 0;
    while text[at..].starts_with('\x1b') {
        at += text[at..].find('m').map_or(text.len() - at, |end| end + 1);
    }
    at
}

/// The lines of a text that has got another meaning, from the one on in which it says something else.
fn anew(printed: &str, text: &str, differs: usize) -> String {
    let line = text[..differs].rfind('\n').map_or(0, |at| at + 1);
    let rest = &text[line..];
    match printed.is_empty() || printed.ends_with('\n') {
        true => rest.to_owned(),
        false => format!("\n{rest}"),
    }
}

/// What of the open blocks no text that comes changes, but for a line that makes a heading of them.
fn certain(blocks: &[Block], ends_line: bool) -> Vec<Block> {
    let Some((last, ahead)) = blocks.split_last() else {
        return Vec::new();
    };
    let ends_in_table = ahead
        .last()
        .is_some_and(|block| matches!(block.kind, BlockKind::Table(_)));
    if ends_in_table && !ends_line {
        // the line may become a row of it
        return ahead[..ahead.len() - 1].to_vec();
    }
    let mut all = ahead.to_vec();
    let kind = certain_of(&last.kind, ends_line);
    all.extend(kind.map(|kind| Block {
        is_apart: last.is_apart,
        kind,
    }));
    all
}

fn certain_of(kind: &BlockKind, ends_line: bool) -> Option<BlockKind> {
    match kind {
        BlockKind::Heading { .. } | BlockKind::Rule => ends_line.then(|| kind.clone()),
        BlockKind::Paragraph(text) => {
            let text = inline::certain(text);
            (!text.is_empty()).then_some(BlockKind::Paragraph(text))
        }
        BlockKind::Code { info, text } => {
            let lines = match ends_line {
                true => text.as_str(),
                false => text.rsplit_once('\n').map_or("", |(lines, _)| lines),
            };
            let (info, text) = (info.clone(), lines.to_owned());
            (!text.is_empty()).then_some(BlockKind::Code { info, text })
        }
        BlockKind::Quote(inner) => {
            let inner = certain(inner, ends_line);
            (!inner.is_empty()).then_some(BlockKind::Quote(inner))
        }
        BlockKind::List { first, items } => {
            let (last, ahead) = items.split_last()?;
            let mut all = ahead.to_vec();
            let blocks = certain(&last.blocks, ends_line);
            if !blocks.is_empty() {
                all.push(Item { blocks, ..*last });
            }
            let (first, items) = (*first, all);
            (!items.is_empty()).then_some(BlockKind::List { first, items })
        }
        BlockKind::Table(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::wrap;
    use crate::style::Style;

    fn page(colour: bool, columns: usize) -> Page {
        let style = Style {
            colour,
            marks: true,
        };
        Page { style, columns }
    }

    /// What is printed of a text that comes in pieces, with each piece that adds something ending in `¦`.
    fn pieces<'a>(pieces: impl IntoIterator<Item = &'a str>, page: Page) -> String {
        let mut markdown = Markdown::default();
        let mut out = String::new();
        for piece in pieces {
            let more = markdown.push(piece, page);
            out += &more;
            if !more.is_empty() {
                out.push('¦');
            }
        }
        out + &markdown.end(page)
    }

    fn shown(text: &str, columns: usize) -> String {
        let page = page(false, columns);
        let whole = pieces([text], page).replace('¦', "");
        // however it is cut
        let mut cut = [0; 4];
        let mut markdown = Markdown::default();
        let mut out = String::new();
        for c in text.chars() {
            out += &markdown.push(c.encode_utf8(&mut cut), page);
        }
        out += &markdown.end(page);
        assert_eq!(out, whole);
        let fits = |line: &str| wrap::width(line) <= columns;
        assert!(out.lines().all(fits), "{out}");
        out
    }

    #[test]
    fn lists_quotes_and_code_keep_their_shape_in_any_width() {
        let text = "Some words to break.\n\n- one two three four\n  1. five six seven\n> said by somebody else\n\
                    ```rust\nfn main() {\n    - no item **x**\n}\n```\nend";
        assert_eq!(
            shown(text, 16),
            "Some words to\nbreak.\n\n• one two three\n  four\n  1. five six\n     seven\n│ said by\n\
             │ somebody else\n  fn main() {\n      - no item\n      **x**\n  }\nend\n"
        );
        assert_eq!(
            shown(
                "- [x] done\n- [ ] to do\n\n  more\n\n      code\n3. c\n4. d\n\n> - a\n>\n> b",
                30
            ),
            "• [x] done\n• [ ] to do\n\n  more\n\n    code\n3. c\n4. d\n\n│ • a\n│\n│ b\n"
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

    #[test]
    fn words_are_shown_as_they_come_as_far_as_nothing_may_change_them() {
        let text = [
            "One ", "two th", "ree **bo", "ld** wo", "rds\n", "- it", "em x\n", "# h", "ead\n",
        ];
        assert_eq!(
            pieces(text, page(true, 40)),
            "One¦ two¦ three¦ \x1b[1mbold\x1b[0m¦ words\n¦• item x\n¦\x1b[1mhead\x1b[0m\n¦"
        );
        let code = ["```\n", "let ", "x = 1;\n", "``", "`\n", "end"];
        assert_eq!(pieces(code, page(false, 40)), "  let x = 1;\n¦end\n");
    }

    #[test]
    fn what_gets_another_meaning_later_is_neither_lost_nor_said_twice() {
        let heading = ["Title\n", "=====\n", "text ", "more"];
        assert_eq!(
            pieces(heading, page(true, 40)).replace('¦', ""),
            "Title\ntext more\n"
        );
        let table = ["a | b\n", "--|--\n", "1 | 2\n"];
        let shown = pieces(table, page(false, 40)).replace('¦', "");
        assert_eq!(shown, "a | b\na  b\n─  ─\n1  2\n");
    }

    #[test]
    fn a_line_that_was_interrupted_goes_on_below() {
        let page = page(false, 40);
        let mut markdown = Markdown::default();
        let mut out = markdown.push("one two ", page);
        markdown.interrupt();
        out += "\n[row]\n";
        out += &markdown.push("three four ", page);
        out += &markdown.end(page);
        assert_eq!(out, "one two\n[row]\nthree four\n");
        assert!(markdown.is_empty());
        assert_eq!(markdown.push("five ", page), "five", "on a line of its own");
    }

    #[test]
    fn no_word_is_lost_on_the_way_to_the_terminal() {
        let marks = [
            "\n",
            "\n\n",
            " ",
            " ",
            "    ",
            "# ",
            "- ",
            "1. ",
            "> ",
            "```\n",
            "`",
            "*",
            "**",
            "_",
            "[",
            "](",
            ")",
            "|",
            "| a | b |\n|---|--:|\n",
            "---\n",
            "===\n",
            "<b>",
            "[x] ",
            "\\",
            "  \n",
            "日",
        ];
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..600 {
            let mut text = String::new();
            for word in 0..random.usize(1..40) {
                text += random.choice(&marks).expect("marks");
                if random.bool() {
                    text += &format!("word{word}w");
                }
            }
            let page = page(random.bool(), random.usize(20..60));
            let (mut markdown, mut out) = (Markdown::default(), String::new());
            let mut rest: Vec<char> = text.chars().collect();
            while !rest.is_empty() {
                let piece = rest.drain(..random.usize(1..=rest.len().min(9)));
                let piece: String = piece.collect();
                out += &markdown.push(&piece, page);
                if random.usize(0..8) == 0 {
                    out += &markdown.catch_up(page);
                }
                if piece.ends_with(char::is_whitespace) && random.usize(0..8) == 0 {
                    out += &markdown.end(page);
                }
            }
            out += &markdown.end(page);
            let shown: String = siderail_view::parse(&text)
                .iter()
                .map(|block| format!("{block:?}"))
                .collect();
            // a long word is broken, and an address is written twice
            let mut words = out.replace(['\n', ' ', '│'], "");
            while let Some(at) = words.find('\x1b') {
                words.drain(at..at + colours(&words[at..]));
            }
            for word in (0..40).map(|word| format!("word{word}w")) {
                let is_there = shown.contains(&word);
                assert!(
                    !is_there || words.contains(&word),
                    "{word} of {text:?} in {out:?}"
                );
            }
        }
    }
}
