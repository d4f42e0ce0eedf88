//! Painted text in rows that fit a terminal, broken between words.
//!
//! Colour that is open at a break is closed ahead of it and opened again behind it. Knows no terminal: the width is
//! the caller's.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// What a tab becomes.
const TAB: &str = "    ";
/// Ends every colour.
const RESET: &str = "\x1b[0m";
/// Widths below this are not kept to: there is no room for words.
const NARROWEST: usize = 10;

/// The text with each line in rows of at most `columns`; rows behind a break begin with `hang` blanks. The line ends
/// of the text stay.
pub(crate) fn wrapped(text: &str, columns: usize, hang: usize) -> String {
    let columns = columns.max(NARROWEST);
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    for line in text.split_inclusive('\n') {
        let (line, end) = match line.strip_suffix('\n') {
            Some(line) => (line, "\n"),
            None => (line, ""),
        };
        let line = line.replace('\t', TAB);
        let mut rows = Rows {
            out: &mut out,
            columns,
            hang: hang.min(columns / 2),
            column: 0,
            begins: true,
            open: None,
        };
        rows.line(&line);
        out.push_str(end);
    }
    out
}

/// The rows of one line, however few the columns are.
pub(super) fn rows(line: &str, columns: usize) -> Vec<String> {
    let mut out = String::new();
    let mut rows = Rows {
        out: &mut out,
        columns: columns.max(2),
        hang: 0,
        column: 0,
        begins: true,
        open: None,
    };
    rows.line(line);
    out.split('\n').map(str::to_owned).collect()
}

/// Columns that a painted text takes.
pub(crate) fn width(painted: &str) -> usize {
    if is_plain(painted) {
        return painted.len();
    }
    let text = pieces(painted).filter(|piece| !piece.starts_with('\x1b'));
    text.map(UnicodeWidthStr::width).sum()
}

/// One column a byte.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

struct Rows<'a> {
    out: &'a mut String,
    columns: usize,
    hang: usize,
    column: usize,
    /// This row has no word yet.
    begins: bool,
    /// The colour that is open.
    open: Option<String>,
}

impl Rows<'_> {
    fn line(&mut self, line: &str) {
        let mut rest = line;
        while !rest.is_empty() {
            let word_at = rest.find(|c| c != ' ').unwrap_or(rest.len());
            let (gap, behind) = rest.split_at(word_at);
            let word_end = behind.find(' ').unwrap_or(behind.len());
            let (word, behind) = behind.split_at(word_end);
            rest = behind;
            if word.is_empty() {
                if self.column + gap.len() <= self.columns {
                    self.out.push_str(gap);
                }
                break;
            }
            let needed = width(word);
            if self.column + gap.len() + needed > self.columns && !self.begins {
                self.break_row();
            } else {
                let room = self.columns.saturating_sub(1);
                let gap = &gap[..gap.len().min(room)];
                self.out.push_str(gap);
                self.column += gap.len();
            }
            self.word(word);
        }
    }

    /// Puts a word down; one that is longer than a row continues in the next.
    fn word(&mut self, word: &str) {
        for piece in pieces(word) {
            if piece.starts_with('\x1b') {
                if piece.ends_with('m') {
                    self.open = (piece != RESET).then(|| piece.to_owned());
                }
                self.out.push_str(piece);
                continue;
            }
            // most words are: the rest of this loop is for the others
            if is_plain(piece) && self.column + piece.len() <= self.columns {
                self.out.push_str(piece);
                self.column += piece.len();
                self.begins = false;
                continue;
            }
            for sign in piece.graphemes(true) {
                let needed = sign.width();
                if self.column + needed > self.columns {
                    self.break_row();
                }
                self.out.push_str(sign);
                self.column += needed;
                self.begins = false;
            }
        }
    }

    fn break_row(&mut self) {
        if self.open.is_some() {
            self.out.push_str(RESET);
        }
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n(' ', self.hang));
        self.out.extend(self.open.as_deref());
        self.column = self.hang;
        self.begins = true;
    }
}

/// Bytes of the sequence that steers a terminal, at the text's beginning.
fn sequence(text: &str) -> usize {
    let ends = |c: char| ('@'..='~').contains(&c) && c != '[';
    text.find(ends).map_or(text.len(), |at| at + 1)
}

/// The terminal's control sequences, and the text between them.
fn pieces(painted: &str) -> impl Iterator<Item = &str> {
    let mut rest = painted;
    std::iter::from_fn(move || {
        let end = match (rest.starts_with('\x1b'), rest.is_empty()) {
            (_, true) => return None,
            (true, _) => sequence(rest),
            (false, _) => rest.find('\x1b').unwrap_or(rest.len()),
        };
        let (piece, behind) = rest.split_at(end);
        rest = behind;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_break_between_words_and_keep_their_indentation() {
        assert_eq!(
            wrapped("✓ one two three four\n", 12, 2),
            "✓ one two\n  three four\n"
        );
        assert_eq!(
            wrapped("    indented line", 13, 4),
            "    indented\n    line"
        );
        assert_eq!(wrapped("a\n\nb\n", 12, 0), "a\n\nb\n");
    }

    #[test]
    fn a_word_longer_than_a_row_and_wide_signs_stay_inside() {
        assert_eq!(wrapped("abcdefghijklm", 10, 2), "abcdefghij\n  klm");
        assert_eq!(wrapped("日本語日本語", 11, 0), "日本語日本\n語");
    }

    #[test]
    fn colour_is_closed_at_a_break_and_goes_on_behind_it() {
        assert_eq!(
            wrapped("\x1b[1mone two three\x1b[0m four", 11, 0),
            "\x1b[1mone two\x1b[0m\n\x1b[1mthree\x1b[0m four"
        );
        assert_eq!(width("\x1b[1mab\x1b[0m日"), 4);
    }
}
