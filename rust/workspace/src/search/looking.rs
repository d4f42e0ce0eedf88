//! Looks for a query in one file after another. Knows neither paths nor what an answer looks like.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, ErrorKind, Read as _};

use grep_matcher::{LineTerminator, Match, Matcher as _};
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, SearcherBuilder, Sink, SinkMatch};

use crate::text_file::{self, looks_binary};

use super::query::Query;

/// Characters of a line's text, around the match.
const LINE: usize = 250;
const BEFORE_MATCH: usize = 80;
/// Larger files are named as not searched.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// The outcome of looking into a file.
pub(super) enum Looked {
    Searched(Matches),
    Binary,
    /// Why, as the end of a sentence that begins with the file's path.
    NotSearched(String),
    Gone,
}

impl Looked {
    pub(super) fn unread(error: &io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound => Self::Gone,
            _ => Self::NotSearched(format!(": {error}")),
        }
    }
}

/// Lines of a file with a match.
#[derive(Default)]
pub(super) struct Matches {
    pub(super) n_lines: usize,
    /// The first of them, as many as can be shown.
    pub(super) lines: Vec<Line>,
}

pub(super) struct Line {
    /// From 1.
    pub(super) number: u64,
    /// In characters, from 1.
    pub(super) column: usize,
    /// Around the match, short enough to show.
    pub(super) text: String,
}

/// Looks into files, with buffers of its own.
pub(super) struct Looker<'a> {
    query: &'a Query,
    searcher: Searcher,
    most_lines: usize,
    bytes: Vec<u8>,
}

impl<'a> Looker<'a> {
    /// Keeps the text of at most `most_lines` lines of each file.
    pub(super) fn new(query: &'a Query, most_lines: usize) -> Self {
        Self {
            query,
            searcher: SearcherBuilder::new()
                .line_terminator(LineTerminator::crlf())
                .line_number(true)
                .build(),
            most_lines,
            bytes: Vec::new(),
        }
    }

    pub(super) fn look_into(&mut self, mut file: File) -> Looked {
        match self.read(&mut file) {
            Ok(None) => {}
            Ok(Some(looked)) => return looked,
            Err(error) => return Looked::unread(&error),
        }
        if looks_binary(&self.bytes) {
            return Looked::Binary;
        }
        let bytes = std::mem::take(&mut self.bytes);
        let looked = match text_file::text_of(&bytes) {
            Ok(text) => self.find_in(text),
            Err(_) => Looked::Binary,
        };
        self.bytes = bytes;
        looked
    }

    /// Looks into a text that is not on disk.
    pub(super) fn look_into_text(&mut self, text: &str) -> Looked {
        self.find_in(Cow::Borrowed(text))
    }

    fn find_in(&mut self, text: Cow<'_, str>) -> Looked {
        let mut noted = Noted {
            matcher: &self.query.matcher,
            most_lines: self.most_lines,
            matches: Matches::default(),
        };
        match self.query.spans_lines {
            true => noted.whole(&text),
            false => {
                // With `\r` alone at the ends of lines it is one line to the searcher.
                let text = match text.contains('\r') && !text.contains('\n') {
                    true => Cow::Owned(text.replace('\r', "\n")),
                    false => text,
                };
                let matcher = &self.query.matcher;
                if let Err(error) = self
                    .searcher
                    .search_slice(matcher, text.as_bytes(), &mut noted)
                {
                    return Looked::NotSearched(format!(": {error}"));
                }
            }
        }
        Looked::Searched(noted.matches)
    }

    /// Reads the file, unless there is something else to say of it.
    fn read(&mut self, file: &mut File) -> io::Result<Option<Looked>> {
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Ok(Some(Looked::NotSearched(" is no longer a file".to_owned())));
        }
        let size = metadata.len();
        if size > MOST_BYTES {
            let why = format!(" has {size} bytes, too many");
            return Ok(Some(Looked::NotSearched(why)));
        }
        self.bytes.clear();
        self.bytes
            .reserve(usize::try_from(size).unwrap_or_default() + 1);
        // A file of the kernel's has no size and may have no end.
        file.take(MOST_BYTES).read_to_end(&mut self.bytes)?;
        Ok(None)
    }
}

/// Notes what is found in one file.
struct Noted<'a> {
    matcher: &'a RegexMatcher,
    most_lines: usize,
    matches: Matches,
}

impl Noted<'_> {
    fn add(&mut self, number: u64, line: &str, start: usize) {
        self.matches.n_lines += 1;
        if self.matches.lines.len() < self.most_lines {
            self.matches.lines.push(Line {
                number,
                column: line[..start].chars().count() + 1,
                text: around(line, start),
            });
        }
    }

    /// Matches that may go over lines, each by the line where it begins.
    fn whole(&mut self, text: &str) {
        let text = match text.contains("\r\n") {
            true => Cow::Owned(text.replace("\r\n", "\n")),
            false => Cow::Borrowed(text),
        };
        let mut found: Vec<Match> = Vec::new();
        // The matcher's errors have no values.
        let _ = self.matcher.find_iter(text.as_bytes(), |one| {
            found.push(one);
            true
        });
        let (mut number, mut counted) = (1, 0);
        for one in found {
            let start = one.start();
            number += text[counted..start].matches('\n').count() as u64;
            counted = start;
            let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
            let line = text[line_start..].split('\n').next().unwrap_or_default();
            self.add(number, line, (start - line_start).min(line.len()));
        }
    }
}

impl Sink for &mut Noted<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let number = found.line_number().unwrap_or_default();
        let bytes = found.bytes();
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        // What is searched was text as a whole.
        let line = String::from_utf8_lossy(bytes);
        let first = self.matcher.find(bytes).ok().flatten();
        self.add(number, &line, first.map_or(0, |first| first.start()));
        Ok(true)
    }
}

/// A line's text around the match, short enough to show.
fn around(line: &str, start: usize) -> String {
    let n_before = line[..start].chars().count();
    let n_skipped = if n_before > LINE / 2 {
        n_before - BEFORE_MATCH
    } else {
        0
    };
    let lead = if n_skipped > 0 { "…" } else { "" };
    let mut letters = line.chars().skip(n_skipped);
    let shown: String = letters.by_ref().take(LINE).collect();
    let tail = if letters.next().is_some() { "…" } else { "" };
    format!("{lead}{}{tail}", shown.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ides_answer_cuts_a_line_alike() {
        // The plugin's test reads the same file.
        let file = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../tests/boundary/rule.line_excerpts.json"
        );
        let cases = std::fs::read_to_string(file).expect("the rule");
        let cases: Vec<serde_json::Value> = serde_json::from_str(&cases).expect("JSON");
        for case in cases {
            let line = case["line"].as_str().expect("a line");
            let start = line.find("needle").expect("the match");
            assert_eq!(around(line, start), case["shown"].as_str().expect("a text"));
        }
    }
}
