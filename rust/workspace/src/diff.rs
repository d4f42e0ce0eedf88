//! Which lines of a text became which lines of another; and unified diffs with three lines of context, for the model and
//! for the person.
//!
//! Lines are compared as numbers: each type that is compared would bring an eighth of a megabyte of its own into the
//! library that an IDE loads.

use std::collections::HashMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use similar::DiffOp;
use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::group_diff_ops;

use crate::escape;

/// After this the rest is shown as replaced; only the diff is coarser then.
const LIMIT: Duration = Duration::from_millis(500);
/// Lines of context around a change.
const CONTEXT: usize = 3;
/// Characters of a diff for the person.
const MOST_FOR_PEOPLE: usize = 200_000;
/// Texts above this are not compared.
const MOST_COMPARED: usize = 8 * 1024 * 1024;

/// A part of a change: lines that became other lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Those of the text before, from 0.
    pub old: Range<usize>,
    /// Those of the text after.
    pub new: Range<usize>,
}

/// The parts of a change, in their order; no two of them touch.
pub fn parts(old: &[&str], new: &[&str]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let changes = operations(old, new, LIMIT).into_iter();
    for change in changes.filter(|found| !matches!(found, DiffOp::Equal { .. })) {
        let (old, new) = (change.old_range(), change.new_range());
        match parts.last_mut() {
            Some(last) if last.old.end == old.start && last.new.end == new.start => {
                (last.old.end, last.new.end) = (old.end, new.end);
            }
            _ => parts.push(Part { old, new }),
        }
    }
    parts
}

/// The change of one file; an absent side does not exist. Line ends are not compared. Empty where
/// nothing differs, and for texts too large to compare.
pub fn unified(path: &str, old: Option<&str>, new: Option<&str>) -> String {
    // A line end in a name would make lines of its own.
    let path = escape::name(path);
    let name = |side: &str, text: Option<&str>| match text {
        Some(_) => format!("{side}/{path}"),
        None => "/dev/null".to_owned(),
    };
    let (old_text, new_text) = (unify(old.unwrap_or("")), unify(new.unwrap_or("")));
    if old_text.len() + new_text.len() > MOST_COMPARED {
        return String::new();
    }
    let (old_lines, new_lines) = (lines(&old_text), lines(&new_text));
    let operations = operations(&old_lines, &new_lines, LIMIT);
    let mut diff = String::new();
    for hunk in group_diff_ops(operations, CONTEXT) {
        let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else {
            continue;
        };
        if diff.is_empty() {
            diff = format!("--- {}\n+++ {}\n", name("a", old), name("b", new));
        }
        let before = first.old_range().start..last.old_range().end;
        let after = first.new_range().start..last.new_range().end;
        diff += &format!("@@ -{} +{} @@\n", span(before), span(after));
        for operation in &hunk {
            let (old, new) = (operation.old_range(), operation.new_range());
            match operation {
                DiffOp::Equal { .. } => put(&mut diff, ' ', &old_lines[old]),
                _ => {
                    put(&mut diff, '-', &old_lines[old]);
                    put(&mut diff, '+', &new_lines[new]);
                }
            }
        }
    }
    diff
}

/// A text whose lines all end in LF.
pub fn unify(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// The lines of a text with their ends, so that a last line without one is another line.
pub fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Where a hunk is: its first line from 1, or the line ahead of it where it has none, and how many they are.
fn span(lines: Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        n => format!("{},{n}", lines.start + 1),
    }
}

fn put(diff: &mut String, sign: char, lines: &[&str]) {
    for line in lines {
        diff.push(sign);
        diff.push_str(line);
        if !line.ends_with('\n') {
            diff.push_str("\n\\ No newline at end of file\n");
        }
    }
}

/// What makes one text of the other. After `limit` the rest counts as replaced.
pub(crate) fn operations<'t>(old: &[&'t str], new: &[&'t str], limit: Duration) -> Vec<DiffOp> {
    let mut numbers = HashMap::new();
    let (old, new) = (numbered(old, &mut numbers), numbered(new, &mut numbers));
    let (old, new) = (old.as_slice(), new.as_slice());
    let mut found = Compact::new(Replace::new(Capture::new()), old, new);
    let deadline = Instant::now() + limit;
    let done = myers::diff_deadline(
        &mut found,
        old,
        0..old.len(),
        new,
        0..new.len(),
        Some(deadline),
    );
    done.expect("what only writes down cannot fail");
    found.into_inner().into_inner().into_ops()
}

/// The lines as numbers; the same line has the same.
fn numbered<'t>(lines: &[&'t str], numbers: &mut HashMap<&'t str, u32>) -> Vec<u32> {
    let mut number = |line: &&'t str| {
        let next = numbers.len() as u32;
        *numbers.entry(*line).or_insert(next)
    };
    lines.iter().map(&mut number).collect()
}

/// A diff as it is kept for the person.
pub fn for_people(diff: &str) -> Option<String> {
    (!diff.is_empty()).then(|| cut(diff, MOST_FOR_PEOPLE))
}

/// At most `most` bytes of whole lines, with a word about the rest.
pub fn cut(diff: &str, most: usize) -> String {
    if diff.len() <= most {
        return diff.to_owned();
    }
    let end = diff.floor_char_boundary(most);
    let end = diff[..end].rfind('\n').map_or(end, |newline| newline + 1);
    let n_left = diff[end..].lines().count();
    format!("{}[{n_left} more lines of the diff]\n", &diff[..end])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text() -> impl Strategy<Value = String> {
        let line = prop_oneof![
            Just("a\n"),
            Just("b\n"),
            Just("\n"),
            Just("c\n"),
            Just("end")
        ];
        proptest::collection::vec(line, 0..30).prop_map(|lines| lines.concat())
    }

    proptest! {
        #[test]
        fn parts_make_one_text_of_the_other_and_do_not_touch(old in text(), new in text()) {
            let (old, new) = (lines(&old), lines(&new));
            let (mut made, mut at) = (Vec::<&str>::new(), 0);
            for (n, part) in parts(&old, &new).into_iter().enumerate() {
                prop_assert!(n == 0 || part.old.start > at);
                made.extend(&old[at..part.old.start]);
                made.extend(&new[part.new.clone()]);
                at = part.old.end;
            }
            made.extend(&old[at..]);
            prop_assert_eq!(made, new);
        }

        #[test]
        fn a_diff_is_the_one_that_the_library_writes(old in text(), new in text()) {
            let expected = similar::TextDiff::from_lines(&old, &new)
                .unified_diff()
                .context_radius(CONTEXT)
                .header("a/x", "b/x")
                .to_string();
            prop_assert_eq!(unified("x", Some(&old), Some(&new)), expected);
        }
    }
}
