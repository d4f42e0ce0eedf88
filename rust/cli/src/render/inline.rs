//! Markdown inside of a line: bold, slanted, code, links; and how that is painted.
//!
//! Markers that open nothing stay as they are. Where there is no colour all of them stay.

use crate::style::Style;

/// A line of Markdown for a terminal.
pub(super) fn painted(text: &str, style: Style) -> String {
    match style.colour {
        true => {
            let mut out = String::with_capacity(text.len() + 16);
            spans(text, Look::default(), &mut out);
            out
        }
        false => text.to_owned(),
    }
}

/// A line of which everything is bold.
pub(super) fn bold(text: &str, style: Style) -> String {
    let mut out = String::new();
    let look = Look {
        bold: true,
        ..Look::default()
    };
    match style.colour {
        true => spans(text, look, &mut out),
        false => out.push_str(text),
    }
    out
}

/// How much of a line that goes on can be painted already: all ahead of a marker that nothing has closed yet.
pub(super) fn settled(text: &str) -> usize {
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        match Span::at(rest, text[..at].chars().next_back()) {
            Some(span) if at + span.length < text.len() => at += span.length,
            Some(_) => return at,
            None if matches!(c, '`' | '*' | '_' | '[' | '!' | '\\') => return at,
            None => at += c.len_utf8(),
        }
    }
    at
}

/// How a span looks.
#[derive(Clone, Copy, Default)]
struct Look {
    bold: bool,
    slanted: bool,
    code: bool,
}

impl Look {
    fn paint(self, text: &str, out: &mut String) {
        let codes: Vec<&str> = [(self.bold, "1"), (self.slanted, "3"), (self.code, "36")]
            .iter()
            .filter(|(is_so, _)| *is_so)
            .map(|(_, code)| *code)
            .collect();
        match (codes.as_slice(), text) {
            (_, "") => {}
            ([], text) => out.push_str(text),
            (codes, text) => out.push_str(&format!("\x1b[{}m{text}\x1b[0m", codes.join(";"))),
        }
    }
}

fn spans(text: &str, look: Look, out: &mut String) {
    let mut plain = String::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let before = text[..at].chars().next_back();
        if let Some(span) = Span::at(rest, before) {
            look.paint(&std::mem::take(&mut plain), out);
            span.paint(look, out);
            at += span.length;
            continue;
        }
        // a marker that opens nothing is passed whole
        let run = match c {
            '\\' if rest[1..].starts_with(|c: char| c.is_ascii_punctuation()) => {
                at += 1;
                1
            }
            '`' | '*' | '_' => rest.len() - rest.trim_start_matches(c).len(),
            c => c.len_utf8(),
        };
        plain.push_str(&text[at..at + run]);
        at += run;
    }
    look.paint(&plain, out);
}

/// Something that a marker opens and another closes.
struct Span<'a> {
    kind: Kind<'a>,
    inside: &'a str,
    /// Bytes with its markers.
    length: usize,
}

enum Kind<'a> {
    Code,
    Bold,
    Slanted,
    Link(&'a str),
}

impl<'a> Span<'a> {
    /// The span that begins here.
    fn at(rest: &'a str, before: Option<char>) -> Option<Self> {
        match rest.chars().next()? {
            '`' => Self::code(rest),
            marker @ ('*' | '_') => Self::emphasis(rest, marker, before),
            '[' => Self::link(rest, 0),
            '!' if rest[1..].starts_with('[') => Self::link(rest, 1),
            _ => None,
        }
    }

    fn code(rest: &'a str) -> Option<Self> {
        let n_marks = rest.len() - rest.trim_start_matches('`').len();
        let (mark, behind) = rest.split_at(n_marks);
        let mut from = 0;
        let end = loop {
            let found = from + behind[from..].find(mark)?;
            let run = behind[found..].len() - behind[found..].trim_start_matches('`').len();
            if run == n_marks {
                break found;
            }
            from = found + run;
        };
        let inside = &behind[..end];
        let trimmed = inside
            .strip_prefix(' ')
            .and_then(|inside| inside.strip_suffix(' '));
        Some(Self {
            kind: Kind::Code,
            inside: trimmed.filter(|text| !text.is_empty()).unwrap_or(inside),
            length: end + 2 * n_marks,
        })
    }

    fn emphasis(rest: &'a str, marker: char, before: Option<char>) -> Option<Self> {
        let n_marks = rest.len() - rest.trim_start_matches(marker).len();
        let (n_marks, kind) = match n_marks {
            1 => (1, Kind::Slanted),
            2 => (2, Kind::Bold),
            _ => return None,
        };
        let (mark, behind) = rest.split_at(n_marks);
        let in_word = marker == '_' && before.is_some_and(char::is_alphanumeric);
        if in_word || behind.starts_with(char::is_whitespace) {
            return None;
        }
        let mut from = 0;
        loop {
            let end = from + behind[from..].find(mark)?;
            let run = behind[end..].len() - behind[end..].trim_start_matches(marker).len();
            let (inside, after) = (&behind[..end], &behind[end + run..]);
            let goes_on = marker == '_' && after.starts_with(char::is_alphanumeric);
            let is_open =
                inside.is_empty() || inside.ends_with(|c: char| c.is_whitespace() || c == '\\');
            if run == n_marks && !goes_on && !is_open {
                return Some(Self {
                    kind,
                    inside,
                    length: end + 2 * n_marks,
                });
            }
            from = end + run;
        }
    }

    fn link(rest: &'a str, skipped: usize) -> Option<Self> {
        let name_end = rest.find("](")?;
        let name = &rest[skipped + 1..name_end];
        if name.contains(['[', ']']) {
            return None;
        }
        let address = &rest[name_end + 2..];
        let end = address.find(')')?;
        let address = &address[..end];
        if address.is_empty() || address.contains(char::is_whitespace) {
            return None;
        }
        Some(Self {
            kind: Kind::Link(address),
            inside: name,
            length: name_end + 2 + end + 1,
        })
    }

    fn paint(&self, look: Look, out: &mut String) {
        match self.kind {
            Kind::Code => Look { code: true, ..look }.paint(self.inside, out),
            Kind::Bold => spans(self.inside, Look { bold: true, ..look }, out),
            Kind::Slanted => spans(
                self.inside,
                Look {
                    slanted: true,
                    ..look
                },
                out,
            ),
            // where it leads is always seen
            Kind::Link(address) if address == self.inside => look.paint(address, out),
            Kind::Link(address) => {
                spans(self.inside, look, out);
                look.paint(&format!(" ({address})"), out);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLOUR: Style = Style {
        colour: true,
        marks: true,
    };

    fn check(text: &str, expected: &str) {
        let shown = painted(text, COLOUR).replace("\x1b[0m", "</>");
        assert_eq!(shown.replace("\x1b[", "<"), expected);
    }

    #[test]
    fn what_markers_enclose_is_painted_without_them() {
        check("a **b c** d", "a <1mb c</> d");
        check("*x* and _y_", "<3mx</> and <3my</>");
        check("**b `c`**", "<1mb </><1;36mc</>");
        check("``a`b``", "<36ma`b</>");
        check("[it](https://e.org)", "it (https://e.org)");
    }

    #[test]
    fn what_opens_nothing_stays_as_it_is() {
        for text in [
            "2 * 3 * 4",
            "snake_case_name",
            "a ** b",
            "**",
            "`open",
            "a [b] (c)",
            "***x***",
        ] {
            check(text, text);
        }
        assert_eq!(settled("a `b` c **d"), 8);
        assert_eq!(settled("a *b*"), 2, "it may become a bold one");
        check("\\*x\\*", "*x*");
        assert_eq!(painted("**b**", Style::PLAIN), "**b**");
    }
}
