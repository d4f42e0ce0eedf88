//! Blocks of a document as a window shows them: HTML of few tags.
//!
//! What a model wrote only ever becomes escaped text, or the address of a link that has been looked at: http, https or
//! a file of the project. Images are named, never loaded; no tag, style or script of the model's gets into the page.

use crate::{Block, BlockKind, Inline, Item as ListItem, Table, plain};

/// Precedes a path that a link leads to.
const FILE: &str = "file-ref:";
/// A longer address is shown as text.
const LONGEST_ADDRESS: usize = 2_000;

/// A block in tags.
pub(crate) fn html(block: &Block) -> String {
    let mut out = String::new();
    write(block, &mut out);
    out
}

fn write(block: &Block, out: &mut String) {
    match &block.kind {
        BlockKind::Heading { level, text } => {
            let tag = ["h1", "h2", "h3", "h4"][usize::from(*level).clamp(1, 4) - 1];
            element(out, tag, |out| inlines(text, out, true));
        }
        BlockKind::Paragraph(text) => element(out, "p", |out| inlines(text, out, true)),
        BlockKind::Code { text, .. } => element(out, "pre", |out| escape(text, out)),
        BlockKind::Quote(blocks) => element(out, "blockquote", |out| {
            blocks.iter().for_each(|block| write(block, out));
        }),
        BlockKind::List { first, items } => list(*first, items, out),
        BlockKind::Table(table) => write_table(table, out),
        BlockKind::Rule => out.push_str("<hr>"),
    }
}

fn element(out: &mut String, tag: &str, body: impl FnOnce(&mut String)) {
    out.push('<');
    out.push_str(tag);
    out.push('>');
    body(out);
    out.push_str("</");
    out.push_str(tag);
    out.push('>');
}

fn list(first: Option<u64>, items: &[ListItem], out: &mut String) {
    match first {
        None => out.push_str("<ul>"),
        Some(1) => out.push_str("<ol>"),
        Some(first) => out.push_str(&format!("<ol start=\"{first}\">")),
    }
    for item in items {
        element(out, "li", |out| {
            match item.is_done {
                Some(true) => out.push_str("☑ "),
                Some(false) => out.push_str("☐ "),
                None => {}
            }
            for (at, block) in item.blocks.iter().enumerate() {
                match &block.kind {
                    BlockKind::Paragraph(text) if at == 0 => inlines(text, out, true),
                    _ => write(block, out),
                }
            }
        });
    }
    out.push_str(if first.is_some() { "</ol>" } else { "</ul>" });
}

fn write_table(table: &Table, out: &mut String) {
    out.push_str("<table cellspacing=\"0\" cellpadding=\"0\">");
    element(out, "tr", |out| {
        for column in &table.head {
            element(out, "th", |out| inlines(&column.name, out, true));
        }
    });
    for row in &table.rows {
        element(out, "tr", |out| {
            for cell in row {
                element(out, "td", |out| inlines(cell, out, true));
            }
        });
    }
    out.push_str("</table>");
}

/// `links` is false inside of a link.
fn inlines(text: &[Inline], out: &mut String, links: bool) {
    for inline in text {
        match inline {
            Inline::Text(text) if links => with_addresses(text, out),
            Inline::Text(text) => escape(text, out),
            Inline::Code(code) => element(out, "code", |out| escape(code, out)),
            Inline::Break { is_hard: true } => out.push_str("<br>"),
            Inline::Break { is_hard: false } => out.push(' '),
            Inline::Emphasis(inner) => element(out, "i", |out| inlines(inner, out, links)),
            Inline::Strong(inner) => element(out, "b", |out| inlines(inner, out, links)),
            Inline::Struck(inner) => element(out, "strike", |out| inlines(inner, out, links)),
            Inline::Link { address, text, .. } | Inline::Image { address, text, .. } => {
                link(address, text, out, links);
            }
        }
    }
}

/// A link, or its words alone where its address may not be followed. An image is named and linked the same way.
fn link(address: &str, text: &[Inline], out: &mut String, links: bool) {
    let mut shown = String::new();
    match plain(text).trim() {
        "" => escape(address, &mut shown),
        _ => inlines(text, &mut shown, false),
    }
    match followed(address).filter(|_| links) {
        Some(address) => anchor(&address, &shown, out),
        None => out.push_str(&shown),
    }
}

fn anchor(address: &str, shown: &str, out: &mut String) {
    out.push_str("<a href=\"");
    escape(address, out);
    out.push_str("\">");
    out.push_str(shown);
    out.push_str("</a>");
}

/// Words in which addresses of the web are links.
fn with_addresses(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some((at, end)) = web_address(rest) {
        escape(&rest[..at], out);
        let address = &rest[at..end];
        let mut shown = String::new();
        escape(address, &mut shown);
        match followed(address) {
            Some(address) => anchor(&address, &shown, out),
            None => out.push_str(&shown),
        }
        rest = &rest[end..];
    }
    escape(rest, out);
}

/// Where the first address of the web begins and ends.
fn web_address(text: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    loop {
        let at = from + text[from..].find("http")?;
        from = at + "http".len();
        let begins = text[..at]
            .chars()
            .next_back()
            .is_none_or(|c| !c.is_alphanumeric());
        let scheme = ["https://", "http://"]
            .iter()
            .find(|scheme| text[at..].starts_with(**scheme));
        let Some(scheme) = scheme.filter(|_| begins) else {
            continue;
        };
        let is_in = |c: char| !c.is_whitespace() && !"<>\"`|".contains(c);
        let length = text[at..].find(|c| !is_in(c)).unwrap_or(text.len() - at);
        let address = text[at..at + length].trim_end_matches(|c| ".,;:!?)'*_]".contains(c));
        if address.len() > scheme.len() {
            return Some((at, at + address.len()));
        }
    }
}

/// The address as it may be linked: of the web, or of a file.
fn followed(address: &str) -> Option<String> {
    let address = address.trim();
    let is_harmless = |c: char| c >= '!' && c != '\u{7f}' && !"\"<>\\".contains(c);
    if address.is_empty() || address.len() > LONGEST_ADDRESS || !address.chars().all(is_harmless) {
        return None;
    }
    match scheme(address) {
        Some(scheme)
            if scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https") =>
        {
            Some(address.to_owned())
        }
        Some(_) if !is_file_with_line(address) => None,
        _ if address.starts_with(['#', '&']) || address.starts_with("//") => None,
        _ => Some(format!("{FILE}{address}")),
    }
}

fn scheme(address: &str) -> Option<&str> {
    let (scheme, _) = address.split_once(':')?;
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c));
    is_scheme.then_some(scheme)
}

/// Whether it is a file's name with a line and perhaps a column behind it, which looks like a scheme.
fn is_file_with_line(address: &str) -> bool {
    let mut parts = address.split(':');
    let name = parts.next().unwrap_or_default();
    let is_name = |part: &str| {
        !part.is_empty()
            && part
                .chars()
                .all(|c| c.is_alphanumeric() || "_-.".contains(c))
    };
    let has_ending = name.rsplit_once('.').is_some_and(|(stem, ending)| {
        is_name(stem)
            && !ending.is_empty()
            && ending.chars().all(|c| c.is_alphanumeric() || c == '_')
    });
    let numbers: Vec<&str> = parts.collect();
    let is_number =
        |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    has_ending && matches!(numbers.len(), 1 | 2) && numbers.iter().all(is_number)
}

fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\t' => out.push_str("    "),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests;
