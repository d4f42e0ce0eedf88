//! A change at a glance: a few of its lines with their signs, how many there are, and which lines became which. Pure.
//!
//! Lines are safe to show: what a screen would obey, or show as nothing, is written out.

use siderail_event::{ChangeKind, ChangedFile, FileDiff};
use siderail_workspace::diff::{self, Part};
use siderail_workspace::escape::visible_code;

/// Lines around a part.
const CONTEXT: usize = 2;
/// Lines that are shown.
const SHOWN: usize = 60;

/// A change for a glance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Glance {
    /// Its first lines, each behind `+`, `-` or a blank.
    pub(crate) lines: Vec<String>,
    /// So many lines it has in all.
    pub(crate) n_lines: usize,
    pub(crate) added: usize,
    pub(crate) removed: usize,
}

impl Glance {
    /// Of changes whose texts are known.
    pub(crate) fn of(diffs: &[FileDiff]) -> Self {
        let mut glance = Self::default();
        for diff in diffs {
            glance.file(diff.old_text.as_deref().unwrap_or_default(), &diff.new_text);
        }
        glance
    }

    /// Of a unified diff, and what it says of the texts before and after. What is between hunks is left out.
    pub(crate) fn of_unified(unified: &str) -> (Self, String, String) {
        let mut glance = Self::default();
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let (mut n_old, mut n_new) = (0, 0);
        for line in unified.split('\n') {
            if n_old == 0 && n_new == 0 {
                (n_old, n_new) = lengths(line).unwrap_or_default();
                continue;
            }
            let (sign, text) = match line.split_at_checked(1) {
                Some(("\\", _)) => continue,
                Some(("+", text)) => ('+', text),
                Some(("-", text)) => ('-', text),
                Some((_, text)) => (' ', text),
                None => (' ', ""),
            };
            let text = text.strip_suffix('\r').unwrap_or(text);
            if sign != '+' {
                before.push(text);
                n_old = n_old.saturating_sub(1);
            }
            if sign != '-' {
                after.push(text);
                n_new = n_new.saturating_sub(1);
            }
            glance.line(sign, text);
        }
        (glance, before.join("\n"), after.join("\n"))
    }

    fn file<'t>(&mut self, old: &'t str, new: &'t str) {
        let (mut old, mut new) = (lines(old), lines(new));
        // Where the line ends are the same on both sides, nobody has to see them.
        let mut all = old.iter().chain(&new).rev().skip(1);
        let hides_returns = all.all(|line| line.ends_with('\r'));
        let shown = |line: &mut &'t str| {
            let plain = line.strip_suffix('\r').filter(|_| hides_returns);
            *line = plain.unwrap_or(line);
        };
        old.iter_mut().for_each(shown);
        new.iter_mut().for_each(shown);
        let parts = diff::parts(&old, &new);
        let mut at = 0;
        for (n, part) in parts.iter().enumerate() {
            let ahead = part.new.start.saturating_sub(CONTEXT).max(at)..part.new.start;
            let next = parts.get(n + 1).map_or(new.len(), |next| next.new.start);
            at = next.min(part.new.end + CONTEXT);
            self.lines(' ', &new[ahead]);
            self.lines('-', &old[part.old.clone()]);
            self.lines('+', &new[part.new.clone()]);
            self.lines(' ', &new[part.new.end..at]);
        }
    }

    fn lines(&mut self, sign: char, lines: &[&str]) {
        lines.iter().for_each(|line| self.line(sign, line));
    }

    fn line(&mut self, sign: char, text: &str) {
        self.n_lines += 1;
        self.added += usize::from(sign == '+');
        self.removed += usize::from(sign == '-');
        if self.lines.len() < SHOWN {
            self.lines.push(format!("{sign}{}", visible_code(text)));
        }
    }
}

/// An empty text has no lines, not an empty one. A carriage return that ends no line is a part of its line.
fn lines(text: &str) -> Vec<&str> {
    match text {
        "" => Vec::new(),
        text => text.trim_end_matches('\n').split('\n').collect(),
    }
}

/// How many lines a hunk has before and after, by its head.
fn lengths(head: &str) -> Option<(usize, usize)> {
    let (old, new) = head.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = new.split_once(" @@")?;
    let length = |span: &str| {
        let (start, length) = span.split_once(',').unwrap_or((span, "1"));
        start.parse::<usize>().and(length.parse::<usize>()).ok()
    };
    Some((length(old)?, length(new)?))
}

/// The parts of a file's change; none if a side is not known. Line ends and a byte order mark do not count: editors
/// show neither.
pub(crate) fn parts(file: &ChangedFile) -> Option<Vec<Part>> {
    let (old, new) = match file.kind {
        ChangeKind::Created => (Some(""), file.new_text.as_deref()),
        ChangeKind::Deleted => (file.old_text.as_deref(), Some("")),
        ChangeKind::Changed => (file.old_text.as_deref(), file.new_text.as_deref()),
    };
    let plain = |text: &str| diff::unify(text.strip_prefix('\u{feff}').unwrap_or(text));
    let (old, new) = (plain(old?), plain(new?));
    Some(diff::parts(&diff::lines(&old), &diff::lines(&new)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(old: &str, new: &str) -> Glance {
        Glance::of(&[FileDiff {
            path: "x".to_owned(),
            old_text: Some(old.to_owned()),
            new_text: new.to_owned(),
        }])
    }

    #[test]
    fn a_change_is_its_parts_with_two_lines_around_each() {
        let glance = of("a\nb\nc\nd\ne\nf\ng\nh\n", "a\nb\nc\nD\ne\nf\ng\nh\ni\n");
        let lines = [" b", " c", "-d", "+D", " e", " f", " g", " h", "+i"];
        assert_eq!(glance.lines, lines);
        assert_eq!((glance.n_lines, glance.added, glance.removed), (9, 2, 1));
        let long: String = (0..100).map(|n| format!("{n}\n")).collect();
        let glance = of("", &long);
        assert_eq!(
            (glance.lines.len(), glance.n_lines, glance.added),
            (60, 100, 100)
        );
    }

    #[test]
    fn a_carriage_return_makes_no_added_line_a_part_of_a_removed_one() {
        assert_eq!(
            of("ok\r", "ok\nrm -rf src\n").lines,
            ["-ok␍", "+ok", "+rm -rf src"]
        );
        assert_eq!(of("a\r\n", "b\r\n").lines, ["-a", "+b"]);
        assert_eq!(
            Glance::of_unified("@@ -1 +1 @@\n-a\n+a\rb\n").0.lines,
            ["-a", "+a␍b"]
        );
    }

    #[test]
    fn unified_diffs_are_read_hunk_by_hunk() {
        let diff = "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n@@ -10 +10,2 @@\n-++ odd\n+--- odder\n+new\n\\ No newline at end of file\n";
        let (glance, before, after) = Glance::of_unified(diff);
        let lines = [" a", "-b", "+B", " c", "-++ odd", "+--- odder", "+new"];
        assert_eq!(glance.lines, lines);
        assert_eq!((glance.added, glance.removed), (3, 2));
        assert_eq!(
            (before.as_str(), after.as_str()),
            ("a\nb\nc\n++ odd", "a\nB\nc\n--- odder\nnew")
        );
    }

    #[test]
    fn the_parts_of_a_file_are_those_that_an_editor_shows() {
        let file = |kind, old: Option<&str>, new: Option<&str>| ChangedFile {
            path: "x".to_owned(),
            kind,
            old_text: old.map(str::to_owned),
            new_text: new.map(str::to_owned),
        };
        let changed = file(
            ChangeKind::Changed,
            Some("\u{feff}a\r\nb"),
            Some("\u{feff}a\r\nc\n"),
        );
        assert_eq!(
            parts(&changed),
            Some(vec![Part {
                old: 1..2,
                new: 1..2
            }])
        );
        let created = file(ChangeKind::Created, None, Some("a\n"));
        assert_eq!(
            parts(&created),
            Some(vec![Part {
                old: 0..0,
                new: 0..1
            }])
        );
        assert_eq!(parts(&file(ChangeKind::Changed, None, Some("a\n"))), None);
    }
}
