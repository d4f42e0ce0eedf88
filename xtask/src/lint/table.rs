//! Tables in Markdown, as far as the lint reads them: found by their first header cell.

/// A row with its line number, from 1.
pub(super) struct Row {
    pub(super) line: usize,
    pub(super) cells: Vec<String>,
}

/// The rows below the first table whose header begins with this cell; none if there is no such table.
pub(super) fn rows(markdown: &str, header: &str) -> Option<Vec<Row>> {
    let mut lines = markdown.lines().enumerate();
    lines.find(|(_, line)| cells(line).first().is_some_and(|cell| cell == header))?;
    let rows = lines
        .skip(1)
        .take_while(|(_, line)| line.starts_with('|'))
        .map(|(at, line)| Row {
            line: at + 1,
            cells: cells(line),
        });
    Some(rows.collect())
}

fn cells(line: &str) -> Vec<String> {
    let Some(line) = line.trim().strip_prefix('|') else {
        return Vec::new();
    };
    line.trim_end_matches('|')
        .split('|')
        .map(|cell| cell.trim().to_owned())
        .collect()
}

/// The words in backticks.
pub(super) fn quoted(text: &str) -> Vec<String> {
    text.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{quoted, rows};

    #[test]
    fn a_table_ends_with_its_last_row() {
        let text = "# x\n\n| a | b |\n|---|---|\n| `1` | 2 |\n| 3 | `4`, `5` |\n\nafter | it\n";
        let found = rows(text, "a").unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!((found[1].line, found[1].cells[0].as_str()), (6, "3"));
        assert_eq!(quoted(&found[1].cells[1]), ["4", "5"]);
        assert!(rows(text, "b").is_none());
    }
}
