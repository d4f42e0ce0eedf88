//! Tables of a message in columns; where they do not fit, a record for each row.

use siderail_view::{Inline, Table};

use super::{inline, wrap};
use crate::style::{Style, Tone};

/// Blanks between two columns.
const GAP: usize = 2;

/// The table's rows laid out.
pub(super) fn laid_out(table: &Table, style: Style, columns: usize) -> String {
    let head: Vec<String> = table
        .head
        .iter()
        .map(|column| inline::bold(&column.name, style))
        .collect();
    let is_right: Vec<bool> = table.head.iter().map(|column| column.is_right).collect();
    let cells = |row: &Vec<Vec<Inline>>| -> Vec<String> {
        let cell = |at: usize| row.get(at).map_or(&[][..], Vec::as_slice);
        (0..head.len())
            .map(|at| inline::painted(cell(at), style))
            .collect()
    };
    let body: Vec<Vec<String>> = table.rows.iter().map(cells).collect();
    let all = || std::iter::once(&head).chain(&body);
    let Some(widths) = widths(all(), head.len(), columns) else {
        return records(&head, &body, columns);
    };
    let mut out = String::new();
    let layout = Layout {
        widths: &widths,
        is_right: &is_right,
    };
    layout.row(&head, &mut out);
    let mark = style.mark("─", "-");
    let rules: Vec<String> = widths
        .iter()
        .map(|width| style.paint(Tone::Dim, &mark.repeat(*width)))
        .collect();
    layout.row(&rules, &mut out);
    for row in &body {
        layout.row(row, &mut out);
    }
    out
}

/// Columns of each column; none if they cannot be had without cutting words.
fn widths<'a>(
    rows: impl Iterator<Item = &'a Vec<String>>,
    n_columns: usize,
    columns: usize,
) -> Option<Vec<usize>> {
    let (mut wanted, mut least) = (vec![1; n_columns], vec![1; n_columns]);
    for row in rows {
        for (at, cell) in row.iter().enumerate() {
            wanted[at] = wanted[at].max(wrap::width(cell));
            let longest = cell.split(' ').map(wrap::width).max().unwrap_or(0);
            least[at] = least[at].max(longest);
        }
    }
    let room = columns.checked_sub(GAP * n_columns.saturating_sub(1))?;
    if least.iter().sum::<usize>() > room {
        return None;
    }
    while wanted.iter().sum::<usize>() > room {
        // the widest that can still give one
        let widest = (0..n_columns)
            .filter(|at| wanted[*at] > least[*at])
            .max_by_key(|at| wanted[*at])?;
        wanted[widest] -= 1;
    }
    Some(wanted)
}

struct Layout<'a> {
    widths: &'a [usize],
    is_right: &'a [bool],
}

impl Layout<'_> {
    fn row(&self, cells: &[String], out: &mut String) {
        let columns: Vec<Vec<String>> = cells
            .iter()
            .zip(self.widths)
            .map(|(cell, width)| wrap::rows(cell, *width))
            .collect();
        let height = columns.iter().map(Vec::len).max().unwrap_or(0);
        for line in 0..height {
            let mut row = String::new();
            for (at, column) in columns.iter().enumerate() {
                let text = column.get(line).map_or("", String::as_str);
                let blanks = " ".repeat(self.widths[at].saturating_sub(wrap::width(text)));
                if at > 0 {
                    row.push_str(&" ".repeat(GAP));
                }
                match self.is_right[at] {
                    true => row.extend([blanks.as_str(), text]),
                    false => row.extend([text, blanks.as_str()]),
                }
            }
            out.push_str(row.trim_end());
            out.push('\n');
        }
    }
}

/// A record for each row: the column's name and the cell.
fn records(head: &[String], body: &[Vec<String>], columns: usize) -> String {
    let mut out = String::new();
    for (number, row) in body.iter().enumerate() {
        if number > 0 {
            out.push('\n');
        }
        for (name, cell) in head.iter().zip(row) {
            out.push_str(&wrap::wrapped(&format!("{name}: {cell}"), columns, 2));
            out.push('\n');
        }
    }
    out
}
