//! A search's query, compiled.

use grep_regex::{RegexMatcher, RegexMatcherBuilder};

use crate::arguments::Arguments;
use crate::outcome::ToolFailure;

/// A longer query is not a query, and would take long to compile.
const MOST_BYTES: usize = 64 << 10;
/// What models write for a line break, a blank and so on, and means that in a regular expression only.
const ESCAPES: [&str; 7] = ["\\n", "\\r", "\\t", "\\s", "\\d", "\\w", "\\b"];

pub(super) struct Query {
    pub(super) text: String,
    pub(super) matcher: RegexMatcher,
    /// Plain text that is written as only a regular expression is.
    pub(super) is_escaped: bool,
    /// Matches may go over lines.
    pub(super) spans_lines: bool,
}

impl Query {
    pub(super) fn new(arguments: Arguments<'_>) -> Result<Self, ToolFailure> {
        let text = arguments.required_text("query")?;
        if text.is_empty() {
            return Err(ToolFailure::invalid(
                "`query` is empty; name the text to find",
            ));
        }
        if text.len() > MOST_BYTES {
            return Err(ToolFailure::invalid(format!(
                "`query` has {} bytes, more than {MOST_BYTES}; search for a part of it",
                text.len()
            )));
        }
        let is_regex = arguments.flag("regex")?;
        let pattern = match is_regex {
            true => text.to_owned(),
            false => text.replace("\r\n", "\n"),
        };
        let spans_lines = pattern.contains('\n') || is_regex && pattern.contains("\\n");
        let matcher = RegexMatcherBuilder::new()
            .case_insensitive(!arguments.flag("case_sensitive")?)
            .multi_line(true)
            // With line ends in mind, matches are looked for line by line.
            .crlf(!spans_lines)
            .fixed_strings(!is_regex)
            .build(&pattern)
            .map_err(|error| {
                ToolFailure::invalid(format!(
                    "`query` is not a valid regular expression: {error}; to find it as plain text, \
                     leave out `regex`"
                ))
            })?;
        Ok(Self {
            text: text.to_owned(),
            matcher,
            is_escaped: !is_regex && ESCAPES.iter().any(|escape| text.contains(escape)),
            spans_lines,
        })
    }
}
