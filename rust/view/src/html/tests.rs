//! What becomes of Markdown in a window, also of hostile Markdown.

use super::*;
use crate::parse;

fn check(markdown: &str, expected: &str) {
    assert_eq!(page(markdown), expected, "{markdown}");
}

fn page(markdown: &str) -> String {
    parse(markdown).iter().map(html).collect()
}

#[test]
fn what_agents_write_reads_as_it_does_elsewhere() {
    check("# Title #", "<h1>Title</h1>");
    check("###### Deep", "<h4>Deep</h4>");
    check("one\ntwo", "<p>one two</p>");
    check("one  \ntwo", "<p>one<br>two</p>");
    check(
        "**bold** and *soft* and `code`",
        "<p><b>bold</b> and <i>soft</i> and <code>code</code></p>",
    );
    check(
        "snake_case_name and 2 * 3 * 4",
        "<p>snake_case_name and 2 * 3 * 4</p>",
    );
    check("~~gone~~", "<p><strike>gone</strike></p>");
    check("`` a ` b ``", "<p><code>a ` b</code></p>");
    check(
        "- a\n- b\n  - c\n\nafter",
        "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul><p>after</p>",
    );
    check("3. c\n4. d", "<ol start=\"3\"><li>c</li><li>d</li></ol>");
    check(
        "- [x] done\n- [ ] open",
        "<ul><li>☑ done</li><li>☐ open</li></ul>",
    );
    check(
        "> quoted\n> on",
        "<blockquote><p>quoted on</p></blockquote>",
    );
    check("a\n\n---\n\nb", "<p>a</p><hr><p>b</p>");
    check(
        "| a | b |\n|---|---|\n| 1 | x\\|y |",
        "<table cellspacing=\"0\" cellpadding=\"0\"><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>x|y</td></tr></table>",
    );
    check(
        "> ```\n> a <b>\n> ```",
        "<blockquote><pre>a &lt;b&gt;</pre></blockquote>",
    );
}

#[test]
fn links_lead_to_the_web_and_to_files() {
    check(
        "[site](https://example.org/a?b=1&c=2)",
        "<p><a href=\"https://example.org/a?b=1&amp;c=2\">site</a></p>",
    );
    check(
        "see https://example.org.",
        "<p>see <a href=\"https://example.org\">https://example.org</a>.</p>",
    );
    check(
        "(https://a.example/x) and http:// and xhttps://b.example",
        "<p>(<a href=\"https://a.example/x\">https://a.example/x</a>) and http:// and xhttps://b.example</p>",
    );
    check(
        "[`App.java`](src/App.java:12)",
        "<p><a href=\"file-ref:src/App.java:12\"><code>App.java</code></a></p>",
    );
    check(
        "[x](App.java:12:3)",
        "<p><a href=\"file-ref:App.java:12:3\">x</a></p>",
    );
    check(
        "![pixel](http://evil.example/p.png)",
        "<p><a href=\"http://evil.example/p.png\">pixel</a></p>",
    );
    check(
        "[](https://example.org)",
        "<p><a href=\"https://example.org\">https://example.org</a></p>",
    );
    let long = format!("[x](https://example.org/{})", "y".repeat(LONGEST_ADDRESS));
    check(&long, "<p>x</p>");
}

#[test]
fn nothing_of_a_models_becomes_a_tag_an_address_or_a_script() {
    let hostile = [
        "<img src=\"http://evil.example/pixel\">",
        "<script>alert(1)</script>",
        "<a href='javascript:x'>y</a>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](data:text/html,y)",
        "[x](file:///etc/passwd)",
        "[x](&#106;avascript:alert(1))",
        "[x](//evil.example)",
        "[x](#here)",
        "[x](\" onclick=\"y)",
        "`<img src=x>`",
        "| <img src=x> |\n|---|\n| <object data=x> |",
        "# <iframe src=x>",
        "- <link rel=stylesheet href=x>",
        "&lt;img src=x&gt;",
        "**<style>body{background:url(x)}</style>**",
        "[<img src=x>](https://example.org)",
        "https://example.org/\"onmouseover=\"x",
        "```<img>\n<img src=x>\n```",
        "\\<img src=x>",
        "[a https://b.example](https://c.example)",
    ];
    for markdown in hostile {
        let page = page(markdown);
        assert_eq!(without_known_tags(&page), None, "{markdown} became {page}");
    }
    assert_eq!(page("rm \u{202e}-rf"), "<p>rm \\u{202e}-rf</p>");
}

/// What is left of a page once every tag that may be there is taken out, where it still holds markup.
fn without_known_tags(page: &str) -> Option<String> {
    let mut rest = page.to_owned();
    let tags = [
        "h1",
        "h2",
        "h3",
        "h4",
        "p",
        "pre",
        "blockquote",
        "ul",
        "ol",
        "li",
        "tr",
        "th",
        "td",
        "hr",
        "b",
        "i",
        "strike",
        "code",
        "br",
        "table",
    ];
    for tag in tags {
        rest = rest
            .replace(&format!("<{tag}>"), "")
            .replace(&format!("</{tag}>"), "");
    }
    rest = rest.replace("<table cellspacing=\"0\" cellpadding=\"0\">", "");
    for scheme in ["https://", "http://", FILE] {
        while let Some((before, after)) = rest.split_once(&format!("<a href=\"{scheme}")) {
            let (_, after) = after.split_once("\">")?;
            let (shown, after) = after.split_once("</a>")?;
            rest = format!("{before}{shown}{after}");
        }
    }
    rest.contains(['<', '>', '"']).then_some(rest)
}
