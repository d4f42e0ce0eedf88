//! The engine's answer to a hook: one flat JSON object, read without a JSON library.
//!
//! Only what the engine writes is understood: members `exit` (0 to 255) and `stdout` (a string).
//! Anything else is not an answer at all, so that a misread byte can never become a decision.

use std::iter::Peekable;
use std::str::Chars;

/// What the hook is to print, and the status to end with.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) exit: u8,
    pub(crate) stdout: String,
}

/// Reads `{"exit":0,"stdout":"…"}` with members in any order and white space around it.
pub(crate) fn parse(text: &str) -> Option<Answer> {
    let mut cursor = Cursor {
        rest: text.chars().peekable(),
    };
    let (mut exit, mut stdout) = (None, None);
    cursor.symbol('{')?;
    loop {
        let key = cursor.string()?;
        cursor.symbol(':')?;
        match key.as_str() {
            "exit" if exit.is_none() => exit = Some(cursor.status()?),
            "stdout" if stdout.is_none() => stdout = Some(cursor.string()?),
            _ => return None,
        }
        match cursor.after_space()? {
            ',' => {}
            '}' => break,
            _ => return None,
        }
    }
    match cursor.after_space() {
        None => Some(Answer {
            exit: exit?,
            stdout: stdout?,
        }),
        Some(_) => None,
    }
}

struct Cursor<'a> {
    rest: Peekable<Chars<'a>>,
}

impl Cursor<'_> {
    fn after_space(&mut self) -> Option<char> {
        self.rest
            .find(|character| !matches!(character, ' ' | '\t' | '\r' | '\n'))
    }

    fn symbol(&mut self, wanted: char) -> Option<()> {
        (self.after_space()? == wanted).then_some(())
    }

    fn status(&mut self) -> Option<u8> {
        let mut digits = String::from(self.after_space()?);
        while let Some(digit) = self.rest.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        let plain = digits.starts_with(|first: char| first.is_ascii_digit());
        plain.then(|| digits.parse().ok())?
    }

    fn string(&mut self) -> Option<String> {
        self.symbol('"')?;
        let mut text = String::new();
        loop {
            match self.rest.next()? {
                '"' => return Some(text),
                '\\' => text.push(self.escape()?),
                '\0'..='\u{1f}' => return None,
                character => text.push(character),
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        Some(match self.rest.next()? {
            character @ ('"' | '\\' | '/') => character,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => return self.unicode_escape(),
            _ => return None,
        })
    }

    /// RFC 8259 section 7: characters beyond the basic plane come as two escapes.
    fn unicode_escape(&mut self) -> Option<char> {
        let first = self.hex4()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first);
        }
        if self.rest.next()? != '\\' || self.rest.next()? != 'u' {
            return None;
        }
        let second = self
            .hex4()?
            .checked_sub(0xdc00)
            .filter(|low| *low < 0x400)?;
        char::from_u32(0x10000 + ((first - 0xd800) << 10) + second)
    }

    fn hex4(&mut self) -> Option<u32> {
        (0..4).try_fold(0, |value, _| {
            Some(value * 16 + self.rest.next()?.to_digit(16)?)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Answer, parse};

    fn check(text: &str, expected: Option<(u8, &str)>) {
        let expected = expected.map(|(exit, stdout)| Answer {
            exit,
            stdout: stdout.to_owned(),
        });
        assert_eq!(parse(text), expected, "{text}");
    }

    #[test]
    fn the_engine_decides_in_either_member_order() {
        check(r#"{"exit":0,"stdout":"{}"}"#, Some((0, "{}")));
        check(" { \"stdout\" : \"x\" , \"exit\" : 2 }\r\n", Some((2, "x")));
    }

    #[test]
    fn guidance_text_survives_every_escape() {
        check(
            r#"{"exit":0,"stdout":"{\"reason\":\"a\\nb\"}\n\t\/\u00e9\ud83d\ude00é"}"#,
            Some((0, "{\"reason\":\"a\\nb\"}\n\t/é😀é")),
        );
    }

    #[test]
    fn anything_else_is_no_answer_so_that_no_decision_is_made() {
        for text in [
            "",
            "{}",
            "null",
            r#"{"exit":0}"#,
            r#"{"stdout":"x"}"#,
            r#"{"exit":-1,"stdout":"x"}"#,
            r#"{"exit":+1,"stdout":"x"}"#,
            r#"{"exit":256,"stdout":"x"}"#,
            r#"{"exit":0.5,"stdout":"x"}"#,
            r#"{"exit":0,"exit":1,"stdout":"x"}"#,
            r#"{"exit":0,"stdout":"x","more":1}"#,
            r#"{"exit":0,"stdout":"x"} y"#,
            r#"{"exit":0,"stdout":"\ud83d"}"#,
            r#"{"exit":0,"stdout":"\ud83dA"}"#,
            r#"{"exit":0,"stdout":"\x"}"#,
            r#"{"exit":0,"stdout":"x"#,
            "{\"exit\":0,\"stdout\":\"a\nb\"}",
        ] {
            check(text, None);
        }
    }
}
