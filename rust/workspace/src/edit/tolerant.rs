//! The tolerant step: the same text but for blanks at line ends, or under another common indent.

use std::ops::Range;

use super::{Edit, Found, Miss, Places, places};
use crate::text_file::{Format, LineEnd};

/// A place in the original text and its replacement.
pub(super) struct Place {
    pub(super) span: Range<usize>,
    pub(super) new: String,
    pub(super) found: Found,
}

/// Finds the one place that fits; `Miss::Nowhere` if there is none.
pub(super) fn find(text: &str, format: Format, edit: &Edit) -> Result<Place, Miss> {
    let old = Folded::new(without_mark(&edit.old), '\n', format);
    if old.text.trim().is_empty() {
        return Err(Miss::Nowhere);
    }
    let folded = Folded::new(text, format.line_end.last_char(), format);
    match apart_from_blanks(&folded, &old, edit) {
        Err(Miss::Nowhere) => reindented(&folded, &old, edit),
        found => found,
    }
}

fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// A text whose lines have lost their trailing blanks and end in LF, with the way back.
struct Folded {
    text: String,
    lines: Vec<FoldedLine>,
    /// Whether the last line ended in a line end; the folded text always does.
    is_terminated: bool,
    /// Whether the last line had trailing blanks.
    has_blank_end: bool,
    original_length: usize,
}

struct FoldedLine {
    /// Where it begins in the folded text.
    folded: usize,
    /// Where it begins in the original.
    original: usize,
    /// Length without trailing blanks.
    length: usize,
    /// Length in the original, trailing blanks included, line end not.
    blank_length: usize,
}

impl Folded {
    fn new(text: &str, separator: char, format: Format) -> Self {
        // In a file of CR lines a model's text may come with any line end.
        let unified;
        let (text, separator) = if separator == '\n' && format.line_end == LineEnd::Cr {
            unified = text.replace("\r\n", "\n").replace('\r', "\n");
            (unified.as_str(), '\n')
        } else {
            (text, separator)
        };
        let mut folded = Self {
            text: String::with_capacity(text.len() + 1),
            lines: Vec::new(),
            is_terminated: text.ends_with(separator),
            has_blank_end: text.ends_with([' ', '\t']),
            original_length: text.len(),
        };
        let mut original = 0;
        for line in text.split_terminator(separator) {
            let kept = line.trim_end_matches([' ', '\t', '\r']);
            let carriage = usize::from(line.ends_with('\r'));
            folded.lines.push(FoldedLine {
                folded: folded.text.len(),
                original,
                length: kept.len(),
                blank_length: line.len() - carriage,
            });
            folded.text.push_str(kept);
            folded.text.push('\n');
            original += line.len() + separator.len_utf8();
        }
        folded
    }

    fn line_at(&self, folded: usize) -> usize {
        self.lines.partition_point(|line| line.folded <= folded) - 1
    }

    fn original(&self, folded: usize) -> usize {
        if folded >= self.text.len() {
            return self.original_length;
        }
        let line = &self.lines[self.line_at(folded)];
        line.original + (folded - line.folded)
    }

    fn content(&self, line: usize) -> &str {
        let line = &self.lines[line];
        &self.text[line.folded..line.folded + line.length]
    }

    fn contents(&self) -> impl Iterator<Item = &str> {
        self.text.split_terminator('\n')
    }
}

fn apart_from_blanks(folded: &Folded, old: &Folded, edit: &Edit) -> Result<Place, Miss> {
    let piece = if old.is_terminated {
        old.text.as_str()
    } else {
        old.text.strip_suffix('\n').unwrap_or(&old.text)
    };
    let mut found = places(&folded.text, piece);
    if old.has_blank_end {
        // The blanks that were ignored must have been at a line's end.
        found.retain(|place| folded.text[place + piece.len()..].starts_with('\n'));
    }
    let place = only_one(&found, |place| folded.line_at(*place) + 1)?;
    let end = place + piece.len();
    let mut span = folded.original(*place)..folded.original(end);
    if old.has_blank_end && !old.is_terminated {
        let line = &folded.lines[folded.line_at(end)];
        span.end = line.original + line.blank_length;
    }
    let runs_past_the_end = end == folded.text.len() && old.is_terminated;
    let new = without_mark(&edit.new);
    Ok(Place {
        span,
        new: if runs_past_the_end && !folded.is_terminated {
            without_line_end(new).to_owned()
        } else {
            new.to_owned()
        },
        found: Found::ApartFromBlanks,
    })
}

fn reindented(folded: &Folded, old: &Folded, edit: &Edit) -> Result<Place, Miss> {
    let framed = |text: &Folded| {
        let mut framed = String::from("\n");
        for line in text.contents() {
            framed.push_str(line.trim_start());
            framed.push('\n');
        }
        framed
    };
    let text = framed(folded);
    let candidates = places(&text, &framed(old));
    let mut first_lines = line_numbers(&text, &candidates);
    first_lines.retain(|first| Shift::between(old, folded, *first).is_some());
    let first = *only_one(&first_lines, |first| first + 1)?;
    let shift = Shift::between(old, folded, first).ok_or(Miss::Nowhere)?;
    let new = without_mark(&edit.new);
    let new = shift.apply(new).ok_or(Miss::Unshiftable(first + 1))?;
    let last = &folded.lines[first + old.lines.len() - 1];
    let end = if old.is_terminated {
        folded.original(last.folded + last.length + 1)
    } else {
        last.original + last.blank_length
    };
    let cut = old.is_terminated && end == folded.original_length && !folded.is_terminated;
    Ok(Place {
        span: folded.lines[first].original..end,
        new: if cut {
            without_line_end(&new).to_owned()
        } else {
            new
        },
        found: Found::Reindented(shift.in_words()),
    })
}

/// The one place, or why there is none.
fn only_one<T>(found: &[T], line: impl Fn(&T) -> usize) -> Result<&T, Miss> {
    match found {
        [] => Err(Miss::Nowhere),
        [place] => Ok(place),
        several => Err(Miss::Ambiguous(Places::new(several, line))),
    }
}

/// Indices of the lines that begin after the given line ends, which rise.
fn line_numbers(text: &str, positions: &[usize]) -> Vec<usize> {
    let mut lines = Vec::with_capacity(positions.len());
    let (mut line, mut counted) = (0, 0);
    for position in positions {
        line += text[counted..*position].matches('\n').count();
        counted = *position;
        lines.push(line);
    }
    lines
}

fn without_line_end(text: &str) -> &str {
    text.strip_suffix("\r\n")
        .or_else(|| text.strip_suffix('\n'))
        .unwrap_or(text)
}

/// What every line of the new text loses and gains at its beginning.
struct Shift {
    remove: String,
    add: String,
}

impl Shift {
    /// The shift from a model's lines to the file's lines from `first` on; none if the lines differ
    /// in more than one common indent.
    fn between(old: &Folded, text: &Folded, first: usize) -> Option<Self> {
        let n_lines = old.lines.len();
        if first + n_lines > text.lines.len() {
            return None;
        }
        let theirs = common_indent(old.contents());
        let ours = common_indent((0..n_lines).map(|index| text.content(first + index)));
        let fits = (0..n_lines).all(|index| {
            let (old_line, line) = (old.content(index), text.content(first + index));
            match (old_line.is_empty(), line.is_empty()) {
                (false, false) => old_line[theirs.len()..] == line[ours.len()..],
                (old_is_blank, is_blank) => old_is_blank == is_blank,
            }
        });
        fits.then(|| {
            let (remove, add) = if let Some(add) = ours.strip_suffix(theirs) {
                ("", add)
            } else if let Some(remove) = theirs.strip_suffix(ours) {
                (remove, "")
            } else {
                (theirs, ours)
            };
            Self {
                remove: remove.to_owned(),
                add: add.to_owned(),
            }
        })
    }

    /// The new text under the file's indent; none if a line has less than is to go.
    fn apply(&self, new: &str) -> Option<String> {
        let mut shifted = String::with_capacity(new.len());
        for line in new.split_inclusive('\n') {
            if line.trim().is_empty() {
                shifted.push_str(line);
            } else {
                shifted.push_str(&self.add);
                shifted.push_str(line.strip_prefix(self.remove.as_str())?);
            }
        }
        Some(shifted)
    }

    fn in_words(&self) -> String {
        match (self.remove.as_str(), self.add.as_str()) {
            ("", add) => format!("{} more", blanks_in_words(add)),
            (remove, "") => format!("{} less", blanks_in_words(remove)),
            (remove, add) => format!(
                "{} in place of {}",
                blanks_in_words(add),
                blanks_in_words(remove)
            ),
        }
    }
}

fn common_indent<'a>(lines: impl Iterator<Item = &'a str>) -> &'a str {
    lines
        .filter(|line| !line.is_empty())
        .map(|line| &line[..line.len() - line.trim_start_matches([' ', '\t']).len()])
        .reduce(|common, indent| {
            let shared = common
                .bytes()
                .zip(indent.bytes())
                .take_while(|(one, other)| one == other)
                .count();
            &common[..shared]
        })
        .unwrap_or("")
}

fn blanks_in_words(blanks: &str) -> String {
    let n_tabs = blanks.matches('\t').count();
    match (blanks.len() - n_tabs, n_tabs) {
        (spaces, 0) => format!("{spaces} spaces"),
        (0, tabs) => format!("{tabs} tabs"),
        (spaces, tabs) => format!("{tabs} tabs and {spaces} spaces"),
    }
}
