//! Tables of a message in columns; where they do not fit, a record for each row.

use super::markdown::Page;
use super::{inline, wrap};
use crate::style::Tone;

/// Blanks between two columns.
const GAP: usize = 2;

/// The table's rows laid out; none where they are no table.
pub(super) fn laid_out(rows: &[String], page: Page) -> Option<String> {
    let cells: Vec<Vec<String>> = rows.iter().map(|row| cells(row)).collect();
    let (head, rule, body) = match cells.as_slice() {
        [head, rule, body @ ..] if rule.iter().all(|cell| is_rule(cell)) => (head, rule, body),
        _ => return None,
    };
    let n_columns = head.len();
    let is_right: Vec<bool> = (0..n_columns)
        .map(|at| {
            rule.get(at)
                .is_some_and(|cell| cell.ends_with(':') && !cell.starts_with(':'))
        })
        .collect();
    let painted = |row: &Vec<String>, is_head: bool| -> Vec<String> {
        let cell = |at: usize| row.get(at).map_or("", String::as_str);
        (0..n_columns)
            .map(|at| match is_head {
                true => inline::bold(cell(at), page.style),
                false => inline::painted(cell(at), page.style),
            })
            .collect()
    };
    let head = painted(head, true);
    let body: Vec<Vec<String>> = body.iter().map(|row| painted(row, false)).collect();
    let all = || std::iter::once(&head).chain(&body);
    let Some(widths) = widths(all(), n_columns, page.columns) else {
        return Some(records(&head, &body, page));
    };
    let mut out = String::new();
    let layout = Layout {
        widths: &widths,
        is_right: &is_right,
    };
    layout.row(&head, &mut out);
    let mark = page.style.mark("─", "-");
    let rules: Vec<String> = widths
        .iter()
        .map(|width| page.style.paint(Tone::Dim, &mark.repeat(*width)))
        .collect();
    layout.row(&rules, &mut out);
    for row in &body {
        layout.row(row, &mut out);
    }
    Some(out)
}

/// The cells of a row.
fn cells(row: &str) -> Vec<String> {
    let row = row.trim().strip_prefix('|').unwrap_or(row);
    let row = match row.strip_suffix('|') {
        Some(inner) if !inner.ends_with('\\') => inner,
        _ => row,
    };
    let mut cells = vec![String::new()];
    let (mut in_code, mut escaped) = (false, false);
    for c in row.chars() {
        let last = cells.len() - 1;
        match c {
            '|' if escaped => {
                cells[last].pop();
                cells[last].push('|');
            }
            '|' if !in_code => cells.push(String::new()),
            c => {
                in_code ^= c == '`';
                cells[last].push(c);
            }
        }
        escaped = c == '\\';
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

fn is_rule(cell: &str) -> bool {
    let dashes = cell.trim_matches(':');
    !dashes.is_empty() && dashes.bytes().all(|byte| byte == b'-')
}

/// Columns of each column; none where they cannot be had without cutting words.
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
fn records(head: &[String], body: &[Vec<String>], page: Page) -> String {
    let mut out = String::new();
    for (number, row) in body.iter().enumerate() {
        if number > 0 {
            out.push('\n');
        }
        for (name, cell) in head.iter().zip(row) {
            out.push_str(&wrap::wrapped(&format!("{name}: {cell}"), page.columns, 2));
            out.push('\n');
        }
    }
    out
}
