//! TOML that people write: its values as JSON, and where in the text something is.
//!
//! Knows nothing of what a file is for.

use std::ops::Range;

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// A member of a file's table.
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Value,
    /// Where the value begins.
    pub at: usize,
}

/// A file as far as it is TOML.
pub struct Text {
    /// Its members.
    pub members: Vec<Member>,
    /// What is not TOML: where, and why. Its line is left out.
    pub broken: Vec<(usize, String)>,
}

/// Broken lines after which nothing of a file counts.
const MOST_BROKEN: usize = 20;

/// Reads what can be read: the lines but those in which TOML is broken.
pub fn read(text: &str) -> Text {
    let mut broken = Vec::new();
    let mut whole = text.to_owned();
    loop {
        let error = match DeTable::parse(&whole) {
            Ok(table) => {
                let members = table.into_inner().into_iter();
                let member =
                    |(name, value): (Spanned<DeString<'_>>, Spanned<DeValue<'_>>)| Member {
                        name: name.into_inner().into_owned(),
                        at: value.span().start,
                        value: json(value.into_inner()),
                    };
                let members = members.map(member).collect();
                return Text { members, broken };
            }
            Err(error) => error,
        };
        let at = error.span().map_or(0, |span| span.start);
        broken.push((at, error.message().to_owned()));
        let line = line_to_leave_out(&whole, at).filter(|_| broken.len() < MOST_BROKEN);
        let Some(line) = line else {
            let members = Vec::new();
            return Text { members, broken };
        };
        // Blanks keep every other place where it is.
        whole.replace_range(line.clone(), &" ".repeat(line.len()));
    }
}

/// The line of a place, or the last one before it that holds something: what is not closed is noticed at the end.
fn line_to_leave_out(text: &str, at: usize) -> Option<Range<usize>> {
    let mut end = at;
    loop {
        let start = text
            .get(..end)?
            .rfind('\n')
            .map_or(0, |newline| newline + 1);
        let stop = text
            .get(end..)?
            .find('\n')
            .map_or(text.len(), |newline| end + newline);
        if !text.get(start..stop)?.trim().is_empty() {
            return Some(start..stop);
        }
        end = start.checked_sub(1)?;
    }
}

/// Line and column of a place, both from 1; the column in characters.
pub fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let column = before.rsplit('\n').next().unwrap_or_default();
    (line(text, at), column.chars().count() + 1)
}

fn line(text: &str, at: usize) -> usize {
    let before = text.as_bytes().iter().take(at);
    before.filter(|byte| **byte == b'\n').count() + 1
}

fn json(value: DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::from(text.into_owned()),
        DeValue::Integer(number) => {
            let number = i64::from_str_radix(number.as_str(), number.radix());
            number.map_or(Value::Null, Value::from)
        }
        DeValue::Float(number) => {
            let number: Option<f64> = number.as_str().parse().ok();
            number.map_or(Value::Null, Value::from)
        }
        DeValue::Boolean(is) => Value::from(is),
        DeValue::Datetime(time) => Value::from(time.to_string()),
        DeValue::Array(items) => items
            .into_iter()
            .map(|item| json(item.into_inner()))
            .collect(),
        DeValue::Table(members) => members
            .into_iter()
            .map(|(name, value)| (name.into_inner().into_owned(), json(value.into_inner())))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let members = read(text).members.into_iter();
        members.map(|member| member.name).collect()
    }

    #[test]
    fn what_is_no_toml_takes_only_its_own_line_along() {
        for broken in [
            "hide = ",
            "hide true",
            "= 1",
            "b = 2",
            "\"hide",
            "hide = 'x",
            "hide = [1,]]",
            "[hide",
        ] {
            let text = format!("a = 1\nb = true\n{broken}\nc = \"x\"\n");
            let read = read(&text);
            assert_eq!(names(&text), ["a", "b", "c"], "{broken}");
            assert_eq!(read.members[1].value, true, "{broken}");
            assert_eq!(read.broken.len(), 1, "{broken}");
            assert_eq!(place(&text, read.broken[0].0).0, 3, "{broken}");
        }
    }

    #[test]
    fn what_is_not_closed_takes_the_lines_after_it_along() {
        assert_eq!(names("a = 1\nhide = [1,\nc = 2\n"), ["a"]);
        assert_eq!(names("a = 1\nhide = \"\"\"\nc = 2\n"), ["a"]);
    }

    #[test]
    fn a_file_of_something_else_is_given_up() {
        let read = read(&"what is this?\n".repeat(1_000));
        assert!(read.members.is_empty());
        assert_eq!(read.broken.len(), MOST_BROKEN);
    }

    #[test]
    fn a_column_counts_characters() {
        assert_eq!(place("a\nüb = 1", 5), (2, 3));
        assert_eq!(place("", 0), (1, 1));
    }
}
