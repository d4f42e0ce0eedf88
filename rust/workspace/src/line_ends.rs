//! Line ends of a text that takes the place of another: lines that stay keep theirs, new ones get the file's.
//!
//! Models see no line ends and write LF. In a file whose lines end in more than one way, only what was edited may
//! change.

use std::time::Duration;

use similar::DiffOp;

use crate::diff;
use crate::text_file::{Format, LineEnd};

/// After this the rest counts as replaced: its lines get the file's line end.
const LIMIT: Duration = Duration::from_millis(500);

/// `new` with the line ends that it gets in place of `old`, in a file of this format.
pub(crate) fn kept(old: &str, new: &str, format: Format) -> String {
    let new = format.with_line_ends(new);
    // Lone carriage returns end lines only where nothing else does.
    if format.line_end == LineEnd::Cr || format.with_line_ends(old) == old {
        return new;
    }
    let (old, new): (Vec<Line<'_>>, Vec<Line<'_>>) = (lines(old), lines(&new));
    let (old_texts, new_texts) = (texts(&old), texts(&new));
    let operations = diff::operations(&old_texts, &new_texts, LIMIT);
    let mut result = String::new();
    for operation in operations {
        let lines = &new[operation.new_range()];
        match operation {
            DiffOp::Equal { old_index, len, .. } => {
                for (line, before) in lines.iter().zip(&old[old_index..old_index + len]) {
                    result.push_str(line.text);
                    // A last line without an end stays so, and one that continues needs one.
                    result.push_str(match (line.end.is_empty(), before.end.is_empty()) {
                        (false, false) => before.end,
                        _ => line.end,
                    });
                }
            }
            _ => lines.iter().for_each(|line| {
                result.push_str(line.text);
                result.push_str(line.end);
            }),
        }
    }
    result
}

/// A line and how it ends; the last one may not.
struct Line<'t> {
    text: &'t str,
    end: &'t str,
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let line = |whole: &'_ str| -> usize {
        whole.strip_suffix('\n').map_or(whole.len(), |line| {
            line.strip_suffix('\r').unwrap_or(line).len()
        })
    };
    text.split_inclusive('\n')
        .map(|whole| whole.split_at(line(whole)))
        .map(|(text, end)| Line { text, end })
        .collect()
}

fn texts<'t>(lines: &[Line<'t>]) -> Vec<&'t str> {
    lines.iter().map(|line| line.text).collect()
}
