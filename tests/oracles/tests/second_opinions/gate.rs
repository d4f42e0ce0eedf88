//! What brush-parser 0.4 must not be given: texts on which it hangs, takes exponential time, overflows its stack, or
//! takes a subshell for arithmetic. Refusing one is no verdict on the text.

/// Why a text is not given to brush.
pub(crate) fn refuses(text: &str) -> Option<&'static str> {
    if text.len() > 16_384 {
        return Some("length");
    }
    if text.chars().any(is_invisible) {
        return Some("character");
    }
    if depth(text, |c| "({".contains(c), |c| ")}".contains(c)) > 24 {
        return Some("depth");
    }
    if run_of_brackets(text) > 4 || is_like_arithmetic(text) {
        return Some("brackets");
    }
    if text.matches('`').count() > 32 {
        return Some("backticks");
    }
    let keyword =
        |word: &&str| matches!(*word, "if" | "while" | "until" | "for" | "case" | "select");
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    if words.filter(keyword).count() > 40 {
        return Some("keywords");
    }
    (!documents_are_plain(text)).then_some("document")
}

fn is_invisible(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

fn depth(text: &str, opens: impl Fn(char) -> bool, closes: impl Fn(char) -> bool) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for c in text.chars() {
        if opens(c) {
            depth += 1;
            deepest = deepest.max(depth);
        } else if closes(c) {
            depth = depth.saturating_sub(1);
        }
    }
    deepest
}

fn run_of_brackets(text: &str) -> usize {
    let (mut run, mut longest) = (0, 0);
    for c in text.chars().filter(|c| !c.is_whitespace()) {
        run = if c == '(' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// Two brackets with blanks between them, which brush takes for arithmetic without a word.
fn is_like_arithmetic(text: &str) -> bool {
    let mut last = None;
    let mut blanks = false;
    for c in text.chars() {
        if c.is_whitespace() {
            blanks = true;
            continue;
        }
        if blanks && last == Some(c) && (c == '(' || c == ')') {
            return true;
        }
        last = Some(c);
        blanks = false;
    }
    false
}

/// Each `<<` is followed by a plain tag whose line comes later.
fn documents_are_plain(text: &str) -> bool {
    let mut from = 0;
    while let Some(found) = text[from..].find("<<") {
        let behind = &text[from + found + 2..];
        from += found + 2;
        if let Some(rest) = behind.strip_prefix('<') {
            from = text.len() - rest.len();
            continue;
        }
        let behind = behind
            .strip_prefix('-')
            .unwrap_or(behind)
            .trim_start_matches([' ', '\t']);
        let quote = behind.chars().next().filter(|c| matches!(c, '\'' | '"'));
        let behind = quote.map_or(behind, |quote| behind.trim_start_matches(quote));
        let end = behind
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(behind.len());
        let (tag, rest) = behind.split_at(end);
        let closed = quote.is_none_or(|quote| rest.starts_with(quote));
        if tag.is_empty()
            || !closed
            || !rest
                .lines()
                .skip(1)
                .any(|line| line.trim_start_matches('\t') == tag)
        {
            return false;
        }
    }
    true
}
