//! The parts of a line: bold, slanted, struck, code, links; and how they are painted.
//!
//! Without colour, the markers are written.

use siderail_view::Inline;

use crate::style::Style;

/// Words for a terminal; a break is a line end.
pub(super) fn painted(text: &[Inline], style: Style) -> String {
    written(text, Look::default(), style)
}

/// Words of which all are bold.
pub(super) fn bold(text: &[Inline], style: Style) -> String {
    let look = Look {
        bold: style.colour,
        ..Look::default()
    };
    written(text, look, style)
}

/// As much of a growing paragraph as is certain: all ahead of a marker that nothing has closed yet, and of a line that
/// may be the head of a table.
pub(super) fn certain(text: &[Inline]) -> Vec<Inline> {
    let mut certain = Vec::new();
    for inline in text {
        match inline {
            Inline::Text(text) => match first_open(text) {
                Some(at) => {
                    certain.push(Inline::Text(text[..at].trim_end().to_owned()));
                    break;
                }
                None => certain.push(inline.clone()),
            },
            other => certain.push(other.clone()),
        }
    }
    let begins = certain
        .iter()
        .rposition(|inline| matches!(inline, Inline::Break { .. }))
        .map_or(0, |at| at + 1);
    if matches!(certain.get(begins), Some(Inline::Text(text)) if text.starts_with('|')) {
        certain.truncate(begins);
    }
    let is_empty = |inline: &Inline| match inline {
        Inline::Text(text) => text.is_empty(),
        inline => matches!(inline, Inline::Break { .. }),
    };
    while certain.last().is_some_and(is_empty) {
        certain.pop();
    }
    certain
}

/// The place of the first marker that something behind it could close.
fn first_open(text: &str) -> Option<usize> {
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let rest = &text[at..];
        let after = rest.chars().nth(1).unwrap_or(' ');
        let is_open = match c {
            '`' => true,
            '*' => !(before.is_whitespace() && after.is_whitespace()),
            '_' => !(before.is_alphanumeric() && after.is_alphanumeric()),
            '~' => after == '~',
            '[' => rest
                .find(']')
                .is_none_or(|end| rest[end + 1..].starts_with('(')),
            _ => false,
        };
        if is_open {
            return Some(at);
        }
        before = c;
    }
    None
}

/// How a span looks.
#[derive(Clone, Copy, Default)]
struct Look {
    bold: bool,
    slanted: bool,
    struck: bool,
    code: bool,
}

impl Look {
    fn paint(self, text: &str, out: &mut String) {
        let looks = [
            (self.bold, "1"),
            (self.slanted, "3"),
            (self.struck, "9"),
            (self.code, "36"),
        ];
        let codes = looks.iter().filter(|(is_so, _)| *is_so);
        let codes: Vec<&str> = codes.map(|(_, code)| *code).collect();
        match (codes.as_slice(), text) {
            (_, "") => {}
            ([], text) => out.push_str(text),
            (codes, text) => out.push_str(&format!("\x1b[{}m{text}\x1b[0m", codes.join(";"))),
        }
    }
}

fn written(text: &[Inline], look: Look, style: Style) -> String {
    let mut out = String::new();
    let marked = |mark: &str, inner: &[Inline], inner_look: Look| match style.colour {
        true => written(inner, inner_look, style),
        false => format!("{mark}{}{mark}", written(inner, look, style)),
    };
    for inline in text {
        match inline {
            Inline::Text(text) => look.paint(text, &mut out),
            Inline::Code(text) if style.colour => Look { code: true, ..look }.paint(text, &mut out),
            Inline::Code(text) => out += &format!("`{text}`"),
            Inline::Break { .. } => out.push('\n'),
            Inline::Emphasis(inner) => {
                let slanted = Look {
                    slanted: true,
                    ..look
                };
                out += &marked("*", inner, slanted);
            }
            Inline::Strong(inner) => out += &marked("**", inner, Look { bold: true, ..look }),
            Inline::Struck(inner) => {
                let struck = Look {
                    struck: true,
                    ..look
                };
                out += &marked("~~", inner, struck);
            }
            // where it leads is always seen
            Inline::Link { address, text, .. } | Inline::Image { address, text, .. } => {
                let is_bare = siderail_view::plain(text) == *address;
                let text = written(text, look, style);
                match (is_bare, style.colour) {
                    (true, _) => out += &text,
                    (false, true) => {
                        out += &text;
                        look.paint(&format!(" ({address})"), &mut out);
                    }
                    (false, false) => out += &format!("[{text}]({address})"),
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use siderail_view::{BlockKind, parse};

    const COLOUR: Style = Style {
        colour: true,
        marks: true,
    };

    fn read(text: &str) -> Vec<Inline> {
        match parse(text).remove(0).kind {
            BlockKind::Paragraph(text) => text,
            other => panic!("{other:?}"),
        }
    }

    fn check(text: &str, expected: &str) {
        let shown = painted(&read(text), COLOUR).replace("\x1b[0m", "</>");
        assert_eq!(shown.replace("\x1b[", "<"), expected);
    }

    #[test]
    fn what_markers_enclose_is_painted_without_them() {
        check("a **b c** d", "a <1mb c</> d");
        check("*x* and _y_", "<3mx</> and <3my</>");
        check("**b `c`**", "<1mb </><1;36mc</>");
        check("``a`b``", "<36ma`b</>");
        check("***x*** ~~y~~", "<1;3mx</> <9my</>");
        check("[it](https://e.org)", "it (https://e.org)");
        check("<https://e.org>", "https://e.org");
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
        ] {
            check(text, text);
        }
        check("\\*x\\*", "*x*");
        assert_eq!(
            painted(&read("**b** `c` [d](e)"), Style::PLAIN),
            "**b** `c` [d](e)"
        );
    }

    #[test]
    fn what_a_marker_may_still_change_is_not_certain() {
        let certain = |text: &str| painted(&certain(&read(text)), Style::PLAIN);
        assert_eq!(certain("a `b` c **d"), "a `b` c");
        assert_eq!(certain("2 * 3 snake_case [b] c"), "2 * 3 snake_case [b] c");
        assert_eq!(certain("see [the"), "see");
        assert_eq!(certain("text\n| a | b"), "text");
    }
}
