//! Differences between two texts as people read them: a unified diff, coloured if possible.

use similar::TextDiff;

use siderail_engine::escape::visible_code;

use crate::style::{Style, Tone, name};

/// Texts above this many bytes are not compared.
const COMPARE_LIMIT: usize = 1 << 20;
/// Lines of one diff that are shown.
const SHOWN_LINES: usize = 200;

/// A unified diff of one file; `old` is `None` for a new file.
pub(crate) fn unified(path: &str, old: Option<&str>, new: &str) -> String {
    let path = name(path);
    let path = path.as_str();
    let before = old.unwrap_or_default();
    if before.len() + new.len() > COMPARE_LIMIT {
        let lines = new.lines().count();
        return format!("--- a/{path}\n+++ b/{path}\n(too large for a diff; now {lines} lines)\n");
    }
    let (from, to) = match path.starts_with('/') {
        true => (path.to_owned(), path.to_owned()),
        false => (format!("a/{path}"), format!("b/{path}")),
    };
    let from = if old.is_some() { &from } else { "/dev/null" };
    // of a piece of a file it says nothing that neither ends with a line end
    let is_ended = |text: &str| text.is_empty() || text.ends_with('\n');
    let marks_end = is_ended(before) != is_ended(new);
    // One that does not end a line does not count: what follows it must not look like a part of the line before.
    let is_mixed = [before, new].concat().replace("\r\n", "").contains('\n');
    let (before, new) = (
        returns_shown(before, is_mixed),
        returns_shown(new, is_mixed),
    );
    TextDiff::from_lines(before.as_str(), new.as_str())
        .unified_diff()
        .context_radius(3)
        .missing_newline_hint(marks_end)
        .header(from, &to)
        .to_string()
}

/// A text whose carriage returns are shown: those that end no line, and the others too where line ends are mixed.
fn returns_shown(text: &str, is_mixed: bool) -> String {
    match is_mixed {
        true => text.replace('\r', "␍"),
        false => text.replace("\r\n", "\n").replace('\r', "␍"),
    }
}

/// A unified diff, made harmless, indented, cut to a readable length and coloured.
pub(crate) fn show(diff: &str, style: Style) -> String {
    show_lines(diff, SHOWN_LINES, style)
}

/// As [`show`], cut to so many lines; what is left out is counted.
pub(crate) fn show_lines(diff: &str, most: usize, style: Style) -> String {
    let mut shown = String::new();
    let mut lines = diff.lines();
    for line in lines.by_ref().take(most) {
        let line = visible_code(line);
        let tone = match line.as_bytes() {
            [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] => Some(Tone::Strong),
            [b'@', ..] => Some(Tone::Place),
            [b'+', ..] => Some(Tone::Good),
            [b'-', ..] => Some(Tone::Bad),
            _ => None,
        };
        shown.push_str("    ");
        match tone {
            Some(tone) => shown.push_str(&style.paint(tone, &line)),
            None => shown.push_str(&line),
        }
        shown.push('\n');
    }
    let left = lines.count();
    if left > 0 {
        shown.push_str(&style.paint(Tone::Dim, &format!("    ({left} more lines)\n")));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_shown_as_a_coloured_unified_diff() {
        let diff = unified("src/App.java", Some("a\nb\nc\n"), "a\nB\nc\n");
        assert_eq!(
            show(&diff, Style::PLAIN),
            "    --- a/src/App.java\n    +++ b/src/App.java\n    @@ -1,3 +1,3 @@\n     a\n    -b\n    +B\n     c\n"
        );
        let coloured = show(
            &diff,
            Style {
                colour: true,
                marks: true,
            },
        );
        assert!(coloured.contains("    \x1b[31m-b\x1b[0m\n    \x1b[32m+B\x1b[0m\n"));
    }

    #[test]
    fn a_carriage_return_makes_no_added_line_a_part_of_a_removed_one() {
        let diff = unified("x", Some("ok\r"), "ok\nrm -rf src\n");
        let shown = show(&diff, Style::PLAIN);
        assert!(shown.contains("    -ok␍\n"), "{shown}");
        assert!(shown.contains("    +ok\n    +rm -rf src\n"), "{shown}");
        let shown = show(&unified("x", Some("a\n"), "a\rb\u{200b}\n"), Style::PLAIN);
        assert!(shown.contains("    -a\n    +a␍b\\u{200b}\n"), "{shown}");
        let shown = show(&unified("x", Some("a\n"), "a\r\n"), Style::PLAIN);
        assert!(shown.contains("    -a\n    +a␍\n"), "{shown}");
        let shown = show(&unified("x", Some("a\r\n"), "b\r\n"), Style::PLAIN);
        assert!(shown.contains("    -a\n    +b\n"), "{shown}");
    }

    #[test]
    fn a_new_file_comes_from_nowhere() {
        assert!(unified("x", None, "a\n").starts_with("--- /dev/null\n+++ b/x\n"));
    }

    #[test]
    fn a_missing_line_end_is_told_once_and_only_where_it_is_a_change() {
        let marker = "\\ No newline at end of file";
        let count = |old, new| unified("x", Some(old), new).matches(marker).count();
        assert_eq!(count("a", "b"), 0);
        assert_eq!(count("a\n", "b\n"), 0);
        assert_eq!(count("a\n", "a"), 1);
        assert_eq!(count("a", "b\n"), 1);
        assert!(unified("x", Some("a\n"), "a").ends_with(&format!("+a\n{marker}\n")));
        assert!(unified("x", Some("a"), "b").ends_with("-a\n+b\n"));
    }

    #[test]
    fn a_name_with_line_ends_makes_no_lines() {
        let shown = show(&unified("x\n+rm -rf /\n\x1b[2K", None, "a\n"), Style::PLAIN);
        assert_eq!(
            shown,
            "    --- /dev/null\n    +++ b/x\\n+rm -rf /\\n\\u{1b}[2K\n    @@ -0,0 +1 @@\n    +a\n"
        );
    }

    #[test]
    fn an_endless_diff_is_cut_and_says_so() {
        let new: String = (0..1000).map(|n| format!("{n}\n")).collect();
        let shown = show(&unified("x", None, &new), Style::PLAIN);
        assert_eq!(shown.lines().count(), SHOWN_LINES + 1);
        assert!(shown.ends_with("    (803 more lines)\n"), "{shown}");
        let huge = "x\n".repeat(COMPARE_LIMIT);
        assert!(unified("x", Some(""), &huge).contains("too large for a diff"));
    }
}
