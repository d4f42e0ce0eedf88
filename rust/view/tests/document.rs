//! Documents of texts as models write them, of hostile ones, and of texts that nobody thought of.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use siderail_view::{Block, BlockKind, Growing, Inline, parse};

/// A document in a few words, for comparing.
fn told(text: &str) -> String {
    blocks(&parse(text))
}

fn blocks(some: &[Block]) -> String {
    let each = some.iter().map(|block| {
        let apart = if block.is_apart { "/ " } else { "" };
        apart.to_owned()
            + &match &block.kind {
                BlockKind::Heading { level, text } => format!("h{level}({})", inlines(text)),
                BlockKind::Paragraph(text) => format!("p({})", inlines(text)),
                BlockKind::Code { info, text } => format!("code[{info}]({text})"),
                BlockKind::Quote(inner) => format!("quote({})", blocks(inner)),
                BlockKind::List { first, items } => {
                    let items = items.iter().map(|item| {
                        let apart = if item.is_apart { "/ " } else { "" };
                        let task = match item.is_done {
                            Some(true) => "done ",
                            Some(false) => "open ",
                            None => "",
                        };
                        format!("{apart}{task}{}", blocks(&item.blocks))
                    });
                    let first = first.map(|first| first.to_string()).unwrap_or_default();
                    format!("list{first}({})", items.collect::<Vec<_>>().join("; "))
                }
                BlockKind::Table(table) => {
                    let column = |is_right: bool| if is_right { ">" } else { "" };
                    let head = table.head.iter();
                    let head: Vec<String> = head
                        .map(|one| column(one.is_right).to_owned() + &inlines(&one.name))
                        .collect();
                    let rows = table.rows.iter().map(|row| {
                        let cells = row.iter().map(|cell| inlines(cell));
                        cells.collect::<Vec<_>>().join(", ")
                    });
                    let rows: Vec<String> = rows.collect();
                    format!("table({}; {})", head.join(", "), rows.join("; "))
                }
                BlockKind::Rule => "rule".to_owned(),
            }
    });
    each.collect::<Vec<_>>().join(" ")
}

fn inlines(some: &[Inline]) -> String {
    let each = some.iter().map(|inline| match inline {
        Inline::Text(text) => text.clone(),
        Inline::Code(text) => format!("`{text}`"),
        Inline::Break { is_hard: false } => "⏎".to_owned(),
        Inline::Break { is_hard: true } => "⏎⏎".to_owned(),
        Inline::Emphasis(inner) => format!("<i {}>", inlines(inner)),
        Inline::Strong(inner) => format!("<b {}>", inlines(inner)),
        Inline::Struck(inner) => format!("<s {}>", inlines(inner)),
        Inline::Link {
            address,
            title,
            text,
        } => {
            format!("<a {} {address} {title}>", inlines(text))
        }
        Inline::Image {
            address,
            title,
            text,
        } => {
            format!("<img {} {address} {title}>", inlines(text))
        }
    });
    each.collect()
}

#[test]
fn what_models_write_is_read() {
    assert_eq!(
        told("# Why\n\nIt *is* **so**: `a|b` ~~no~~ ~5~\nnext  \nlast"),
        "h1(Why) / p(It <i is> <b so>: `a|b` <s no> ~5~⏎next⏎⏎last)"
    );
    assert_eq!(
        told(
            "Do:\n- [x] one\n- [ ] two\n  1. alone\n\n- three\n\n```rust x\nfn a() {\n\n}\n```\nend"
        ),
        "p(Do:) list(done p(one); open p(two) list1(p(alone)); / p(three)) / code[rust x](fn a() {\n\n}) p(end)"
    );
    assert_eq!(
        told("> said\n> > twice\n\n| a | n |\n|---|--:|\n| `x` | 1 | too much |\n| y |\n\n---\n"),
        "quote(p(said) quote(p(twice))) / table(a, >n; `x`, 1 | too much; y) / rule"
    );
    assert_eq!(
        told("[the guide](https://e.org/a \"more\") ![shot](x.png) <https://e.org>"),
        "p(<a the guide https://e.org/a more> <img shot x.png > <a https://e.org https://e.org >)"
    );
}

#[test]
fn html_and_definitions_are_shown_as_text() {
    assert_eq!(
        told("<script>alert(1)</script>\n**x** <b>y</b>\n<!-- hidden\n\n# h"),
        "p(<script>alert(1)</script>⏎<b x> <b>y</b>⏎<!-- hidden) / h1(h)"
    );
    assert_eq!(
        told("[a]: https://e.org\n\nsee [a] and [b][a]\n\n[c]: x 'y'"),
        "p([a]: https://e.org) / p(see [a] and [b][a]) / p([c]: x 'y')"
    );
    assert_eq!(
        told("```\n<b>\n[a]: x\n```\n<http://[::1]:80/>"),
        "code[](<b>\n[a]: x) p(<a http://[::1]:80/ http://[::1]:80/ >)"
    );
}

#[test]
fn what_a_screen_would_obey_is_written_out() {
    assert_eq!(
        told("a\x1b[2J `\u{202e}b`\r\n\rc\u{fdd0}"),
        "p(a␛[2J `\\u{202e}b`⏎␍c\\u{fdd0})"
    );
    let mut growing = Growing::default();
    growing.push("a\r");
    growing.push("\nb\r");
    assert_eq!(blocks(&growing.finish()), "p(a⏎b␍)");
}

#[test]
fn hostile_texts_are_read_in_bounded_depth_and_time() {
    let n = 8_000;
    let texts = [
        "> ".repeat(n),
        ">".repeat(n) + "\nx\n",
        "- ".repeat(n) + "x",
        "*a ".repeat(n) + &"b* ".repeat(n),
        "**_".repeat(n),
        "[".repeat(n) + &"](x)".repeat(n),
        "![".repeat(n),
        "`".repeat(n) + "a" + &" ``".repeat(n),
        "|a".repeat(n / 4) + "\n" + &"|-".repeat(n / 4) + "\n" + &"|\n".repeat(n / 4),
        "<a ".repeat(n),
        "<!--".repeat(n),
        "\n\n\n".repeat(n),
        "```\n~~~\n".repeat(n),
        "&".repeat(n) + "amp;",
        "a\\".repeat(n),
        "1. ".repeat(n),
    ];
    for text in texts {
        let began = Instant::now();
        let _depth_of_a_stack = blocks(&parse(&text)).len();
        let mut growing = Growing::default();
        for piece in text.as_bytes().chunks(1_000) {
            growing.push(&String::from_utf8_lossy(piece));
        }
        growing.finish();
        let start: String = text.chars().take(20).collect();
        assert!(began.elapsed() < Duration::from_secs(60), "{start}");
    }
}

/// Pieces of Markdown, many of which open what others close.
fn markdown() -> impl Strategy<Value = String> {
    let marks = [
        "\n",
        "\n",
        "\n\n",
        " ",
        " ",
        "  ",
        "    ",
        "\t",
        "# ",
        "## ",
        "- ",
        "* ",
        "1. ",
        "2) ",
        "> ",
        "```",
        "```rust\n",
        "~~~",
        "`",
        "``",
        "*",
        "**",
        "_",
        "~~",
        "~",
        "[",
        "]",
        "(",
        ")",
        "](",
        "]: ",
        "![",
        "<",
        ">",
        "<b>",
        "</b>",
        "<div>",
        "<!--",
        "-->",
        "<script>",
        "|",
        "|-|-|\n",
        "| a | b |\n|---|--:|\n",
        "|\n",
        "---",
        "===",
        "-",
        "=",
        "\\",
        "&amp;",
        "[x] ",
        "[ ] ",
        "  \n",
        "\r\n",
        "\r",
        ":",
        "http://e.org",
        "<http://e.org>",
        "é",
        "日",
        "\u{200b}",
        "\u{fdd0}",
        "[^1]: ",
        "$$",
        "+++\n",
    ];
    let piece = prop_oneof![
        3 => proptest::sample::select(marks.to_vec()).prop_map(str::to_owned),
        1 => Just("WORD".to_owned()),
    ];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| {
        let mut text = String::new();
        let mut n_words = 0;
        for piece in pieces {
            match piece.as_str() {
                "WORD" => {
                    text += &format!("word{n_words}w");
                    n_words += 1;
                }
                mark => text += mark,
            }
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_text_is_the_same_document_however_it_is_cut(text in markdown(), cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..12)) {
        let whole = blocks(&parse(&text));
        let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
        ends.retain(|end| text.is_char_boundary(*end));
        ends.push(text.len());
        ends.sort_unstable();
        let (mut growing, mut begin) = (Growing::default(), 0);
        let mut taken = Vec::new();
        for end in ends {
            growing.push(&text[begin..end]);
            growing.read();
            taken.extend(growing.take_settled());
            begin = end;
        }
        taken.extend(growing.finish());
        prop_assert_eq!(blocks(&taken), whole);
    }

    #[test]
    fn no_word_is_lost_and_each_is_told_once(text in markdown()) {
        let told = told(&text);
        let shown = told.replace("<http://e.org http://e.org >", "");
        let mut n_words = 0;
        while text.contains(&format!("word{n_words}w")) {
            let word = format!("word{n_words}w");
            prop_assert!(shown.contains(&word), "{word} of {text:?} in {told:?}");
            n_words += 1;
        }
        prop_assert!(!told.contains(|c: char| c.is_control() && c != '\n' && c != '\t'), "{told:?}");
    }
}
