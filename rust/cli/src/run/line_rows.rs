//! A typed line as rows of a terminal. Plain data: it decides where each character goes, and prints nothing.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::style::harmless;

/// Columns before the text, in the first row for the prompt's sign.
pub(super) const INDENT: usize = 2;
/// Columns of a tab.
const TAB: &str = "    ";

/// The rows of a text, and the cursor's position in them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rows {
    /// Without the indent.
    pub(super) rows: Vec<String>,
    pub(super) row: usize,
    /// Without the indent.
    pub(super) column: usize,
}

/// Lays a text out in rows of less than `width` columns, so that no row ends in the last one: terminals differ in
/// what comes after that.
pub(super) fn lay_out(text: &str, cursor: usize, width: usize) -> Rows {
    let room = width.saturating_sub(INDENT + 1).max(2);
    let (mut rows, mut row, mut column) = (vec![String::new()], 0, 0);
    let mut used = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        if at == cursor {
            (row, column) = (rows.len() - 1, used);
        }
        if grapheme == "\n" {
            rows.push(String::new());
            used = 0;
            continue;
        }
        let shown = match grapheme {
            "\t" => TAB.into(),
            grapheme => harmless(grapheme),
        };
        let columns = shown.width();
        if used + columns > room {
            rows.push(String::new());
            used = 0;
            if at == cursor {
                (row, column) = (rows.len() - 1, 0);
            }
        }
        used += columns;
        if let Some(last) = rows.last_mut() {
            last.push_str(&shown);
        }
    }
    if cursor >= text.len() {
        (row, column) = (rows.len() - 1, used);
    }
    Rows { rows, row, column }
}

impl Rows {
    /// The part of at most `limit` rows that holds the cursor.
    pub(super) fn part(mut self, limit: usize) -> Self {
        let limit = limit.max(1);
        let first = match self.rows.len() > limit {
            true => (self.row + 1).saturating_sub(limit),
            false => 0,
        };
        self.rows = self.rows.into_iter().skip(first).take(limit).collect();
        self.row -= first;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_never_wider_than_the_terminal_and_hold_the_cursor() {
        let rows = lay_out("abcdefgh", 8, 8);
        assert_eq!(rows.rows, ["abcde", "fgh"]);
        assert_eq!((rows.row, rows.column), (1, 3));
        let rows = lay_out("abcdefgh", 5, 8);
        assert_eq!((rows.row, rows.column), (1, 0));
        let rows = lay_out("日本語x", "日本".len(), 8);
        assert_eq!(rows.rows, ["日本", "語x"], "no wide character is cut");
        assert_eq!((rows.row, rows.column), (1, 0));
        let rows = lay_out("a\n\n\tb", 2, 20);
        assert_eq!(rows.rows, ["a", "", "    b"]);
        assert_eq!((rows.row, rows.column), (1, 0));
    }

    #[test]
    fn a_long_text_is_shown_around_the_cursor_and_steers_nothing() {
        let rows = lay_out("1\n2\n3\n4", 2, 20).part(2);
        assert_eq!((rows.rows, rows.row), (vec!["1".into(), "2".into()], 1));
        assert_eq!(lay_out("a\x1b[2J", 0, 20).rows, ["a␛[2J"]);
    }
}
