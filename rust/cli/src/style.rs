//! How text may look on a person's terminal: colour, marks, and untrusted text made harmless.
//!
//! What an agent or a file says is never trusted with the terminal: control characters, direction overrides and
//! characters without width are written out before anything is shown. Nothing here writes.

use std::borrow::Cow;

use siderail_engine::escape::{picture, visible};

pub(crate) use siderail_engine::escape::name;

/// What the receiving stream can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    /// Colours and weights may be used.
    pub(crate) colour: bool,
    /// Marks outside of ASCII may be used.
    pub(crate) marks: bool,
}

/// What a piece of text is about; the style decides how that looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Less important.
    Dim,
    /// More important.
    Strong,
    /// Went well, or was added.
    Good,
    /// Went wrong, or was removed.
    Bad,
    /// Wants attention.
    Notice,
    /// A place: a hunk, a file, a name.
    Place,
}

impl Style {
    /// Neither colour nor marks.
    #[cfg(test)]
    pub(crate) const PLAIN: Self = Self {
        colour: false,
        marks: false,
    };

    /// `text` in a tone. Colour is closed on each line, so that a cut line never colours the rest.
    pub(crate) fn paint(self, tone: Tone, text: &str) -> String {
        if !self.colour || text.is_empty() {
            return text.to_owned();
        }
        let code = match tone {
            Tone::Dim => "2",
            Tone::Strong => "1",
            Tone::Good => "32",
            Tone::Bad => "31",
            Tone::Notice => "33",
            Tone::Place => "36",
        };
        let mut painted = String::with_capacity(text.len() + 16);
        for line in text.split_inclusive('\n') {
            let (line, end) = match line.strip_suffix('\n') {
                Some(line) => (line, "\n"),
                None => (line, ""),
            };
            if !line.is_empty() {
                painted.push_str(&format!("\x1b[{code}m{line}\x1b[0m"));
            }
            painted.push_str(end);
        }
        painted
    }

    /// The mark where it can be shown, else its replacement in ASCII.
    pub(crate) fn mark(self, mark: &'static str, ascii: &'static str) -> &'static str {
        if self.marks { mark } else { ascii }
    }
}

/// Text with what could steer a terminal, or take no room in it, written out. Line ends and tabs stay.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    visible(text)
}

/// The names of files, one behind the other.
pub(crate) fn names(files: &[String]) -> String {
    let files: Vec<String> = files.iter().map(|file| name(file)).collect();
    files.join(", ")
}

/// One harmless line of at most `limit` characters; a cut is shown by an ellipsis.
pub(crate) fn one_line(text: &str, limit: usize) -> String {
    on_one_line(text, limit, false)
}

/// The same of a line whose every character counts, as a command's.
pub(crate) fn one_line_of_code(text: &str, limit: usize) -> String {
    on_one_line(text, limit, true)
}

fn on_one_line(text: &str, limit: usize, is_code: bool) -> String {
    let is_blank = |c: char| matches!(c, ' ' | '\t' | '\n');
    let mut line = String::new();
    let mut length = 0;
    let mut gap = false;
    let mut chars = text.trim_matches(is_blank).chars().peekable();
    while let Some(c) = chars.next() {
        let ends_line = c == '\r' && !is_code && matches!(chars.peek(), None | Some('\n'));
        if is_blank(c) || ends_line {
            gap = true;
            continue;
        }
        let shown = picture(c, is_code).unwrap_or_else(|| c.to_string());
        let needed = shown.chars().count() + usize::from(gap);
        if length + needed > limit {
            line.push('…');
            return line;
        }
        if gap {
            line.push(' ');
        }
        line.push_str(&shown);
        length += needed;
        gap = false;
    }
    line
}

/// `1 file`, `2 files`.
pub(crate) fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agents_text_cannot_steer_the_terminal() {
        assert_eq!(
            harmless("a\x1b]0;title\x07b\u{9b}2J\u{202e}\u{61c}c\r\n\td"),
            "a␛]0;title␇b\\u{9b}2J\\u{202e}\\u{61c}c\n\td"
        );
        assert_eq!(one_line("rm\x1b[2K -rf\r\n  x", 80), "rm␛[2K -rf x");
        assert_eq!(one_line("rm -rf src\recho ok", 80), "rm -rf src␍echo ok");
        let code = one_line_of_code("rm\u{200d} a\u{a0}b\r", 80);
        assert_eq!(code, "rm\\u{200d} a\\u{a0}b␍");
    }

    #[test]
    fn a_files_name_cannot_pass_for_a_row() {
        assert_eq!(
            name("a\n✓ done\x1b[2K\t\u{202e}ä"),
            "a\\n✓ done\\u{1b}[2K\\t\\u{202e}ä"
        );
        assert_eq!(names(&["a b".to_owned(), "c\r".to_owned()]), "a b, c\\r");
    }

    #[test]
    fn a_long_line_is_cut_by_characters() {
        assert_eq!(one_line("äöüß", 4), "äöüß");
        assert_eq!(one_line("äöüß", 3), "äöü…");
        assert_eq!(one_line("ab cd", 3), "ab…");
    }

    #[test]
    fn colour_never_crosses_a_line_end() {
        let style = Style {
            colour: true,
            marks: true,
        };
        assert_eq!(
            style.paint(Tone::Bad, "a\n\nb"),
            "\x1b[31ma\x1b[0m\n\n\x1b[31mb\x1b[0m"
        );
        assert_eq!(Style::PLAIN.paint(Tone::Bad, "a\nb"), "a\nb");
    }
}
