//! Separates the code of a Rust source from its comments and literals, line by line.
//!
//! A rule about code must not trip over a word in a text or a comment, nor miss one because of a brace
//! in a character literal. This is a lexer for just that; it knows nothing of syntax.

/// One source text twice, each time with everything else blanked; both have the lines of the original.
pub(super) struct Code {
    /// Without comments and without the content of literals.
    pub(super) code: String,
    /// Only comments.
    pub(super) comments: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Code,
    LineComment,
    /// Nested this deep.
    BlockComment(usize),
    /// With escapes.
    Text,
    /// Ends with a quote and this many hashes.
    RawText(usize),
}

impl Code {
    pub(super) fn of(source: &str) -> Self {
        let chars: Vec<char> = source.chars().collect();
        let mut split = Self {
            code: String::new(),
            comments: String::new(),
        };
        let mut state = State::Code;
        let mut at = 0;
        while at < chars.len() {
            let (next, width) = step(state, &chars, at);
            for &c in &chars[at..at + width] {
                split.push(c, state, next);
            }
            at += width;
            state = next;
        }
        split
    }

    /// Comments keep both of their marks, literals their opening quote only.
    fn push(&mut self, c: char, state: State, next: State) {
        let comment = |s| matches!(s, State::LineComment | State::BlockComment(_));
        let blank = if c == '\n' { '\n' } else { ' ' };
        let commented = comment(state) || comment(next);
        self.code.push(if state == State::Code && !commented {
            c
        } else {
            blank
        });
        self.comments.push(if commented { c } else { blank });
    }
}

/// The state after the next token, and how many characters that token takes.
fn step(state: State, chars: &[char], at: usize) -> (State, usize) {
    let pair = (chars[at], chars.get(at + 1).copied());
    match (state, pair) {
        (State::Code, ('/', Some('/'))) => (State::LineComment, 2),
        (State::Code, ('/', Some('*'))) => (State::BlockComment(1), 2),
        (State::Code, ('"', _)) => (State::Text, 1),
        (State::Code, ('r', _)) if !follows_word(chars, at) => match raw_quote(chars, at) {
            Some(hashes) => (State::RawText(hashes), hashes + 2),
            None => (State::Code, 1),
        },
        (State::Code, ('\'', _)) => (State::Code, character(chars, at)),
        (State::LineComment, ('\n', _)) => (State::Code, 1),
        (State::BlockComment(depth), ('/', Some('*'))) => (State::BlockComment(depth + 1), 2),
        (State::BlockComment(1), ('*', Some('/'))) => (State::Code, 2),
        (State::BlockComment(depth), ('*', Some('/'))) => (State::BlockComment(depth - 1), 2),
        (State::Text, ('\\', Some(_))) => (State::Text, 2),
        (State::Text, ('"', _)) => (State::Code, 1),
        (State::RawText(hashes), ('"', _)) if closes(chars, at, hashes) => {
            (State::Code, hashes + 1)
        }
        _ => (state, 1),
    }
}

/// A letter `r` within a word opens nothing; after `b` or `c` it does.
fn follows_word(chars: &[char], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).map(|i| chars[i]);
    let word = |c: char| c.is_alphanumeric() || c == '_';
    match before(1) {
        Some('b' | 'c') => before(2).is_some_and(word),
        Some(c) => word(c),
        None => false,
    }
}

/// How many hashes are between an `r` and its quote; `None` if it opens no raw text.
fn raw_quote(chars: &[char], at: usize) -> Option<usize> {
    let hashes = chars[at + 1..].iter().take_while(|&&c| c == '#').count();
    (chars.get(at + 1 + hashes) == Some(&'"')).then_some(hashes)
}

fn closes(chars: &[char], at: usize, hashes: usize) -> bool {
    chars.len() > at + hashes && chars[at + 1..=at + hashes].iter().all(|&c| c == '#')
}

/// Width of a character literal; a lifetime's tick is one character.
fn character(chars: &[char], at: usize) -> usize {
    match (chars.get(at + 1), chars.get(at + 2)) {
        (Some('\\'), _) => {
            let rest = chars[at + 2..].iter().skip(1).position(|&c| c == '\'');
            rest.map_or(1, |length| length + 4)
        }
        (Some(_), Some('\'')) => 3,
        _ => 1,
    }
}

/// The name with which a piece of code begins.
pub(super) fn name_at(code: &str) -> &str {
    let end = code.find(|c: char| !c.is_alphanumeric() && c != '_');
    &code[..end.unwrap_or(code.len())]
}

#[cfg(test)]
mod tests {
    use super::Code;

    fn check(source: &str, code: &str, comments: &str) {
        let split = Code::of(source);
        let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(squeeze(&split.code), code, "code of {source:?}");
        assert_eq!(squeeze(&split.comments), comments, "comments of {source:?}");
        assert_eq!(
            split.code.lines().count(),
            source.lines().count(),
            "lines of {source:?}"
        );
    }

    #[test]
    fn words_in_texts_and_comments_are_not_code() {
        check("f(); // unsafe", "f();", "// unsafe");
        check("f(\"unsafe // no\");", "f(\" );", "");
        check("a /* b /* c */ d */ e", "a e", "/* b /* c */ d */");
        check("f(r#\"quote \" in it\"#, g)", "f(r#\" , g)", "");
        check("f(br\"\\\", g)", "f(br\" , g)", "");
    }

    #[test]
    fn a_quote_in_a_character_does_not_open_a_text() {
        check("f('\"'); g()", "f('\"'); g()", "");
        check("f('\\''); g(\"x\")", "f('\\''); g(\" )", "");
        check("f('\\u{22}'); g()", "f('\\u{22}'); g()", "");
        check(
            "fn f<'a>(a: &'a str) {} // x",
            "fn f<'a>(a: &'a str) {}",
            "// x",
        );
    }

    #[test]
    fn an_escaped_quote_does_not_close_a_text() {
        check(r#"f("a\"b // c"); d"#, "f(\" ); d", "");
    }

    #[test]
    fn a_text_over_lines_keeps_the_line_numbers() {
        check("f(\"a\nb\");\ng()", "f(\" ); g()", "");
    }
}
