//! `search_text`.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::cancel::CancelFlag;
use crate::confine::{Confined, Folder, Kind, written};
use crate::outcome::{ToolErrorCode, ToolFailure, ToolOutcome};
use regex::{Regex, RegexBuilder};

use crate::arguments::Arguments;
use crate::failure::{cancelled, io_failure};
use crate::glob::Glob;
use crate::place::Place;
use crate::text_file::{LineEnd, TextFile, lines, looks_binary};
use crate::walk;

/// Characters of an answer.
const ANSWER: usize = 10_000;
/// Characters of a line's text, around the match.
const LINE: usize = 250;
const BEFORE_MATCH: usize = 80;
/// Larger files are named as not searched.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
/// Matches that are counted.
const MOST_MATCHES: usize = 50_000;
/// What models write for a line break, a blank and so on, and means that in a regular expression only.
const ESCAPES: [&str; 7] = ["\\n", "\\r", "\\t", "\\s", "\\d", "\\w", "\\b"];
/// How long a search may take.
const TIME: Duration = Duration::from_secs(30);

pub(crate) fn search_text(
    place: &Place,
    arguments: Arguments<'_>,
    cancel: &CancelFlag,
    progress: &crate::tools::Progress<'_>,
) -> Result<ToolOutcome, ToolFailure> {
    let query = Query::new(arguments)?;
    let scope = place.existing(arguments.text("path")?.unwrap_or("."))?;
    let limit = arguments.amount("limit", 1, 500)?.unwrap_or(100);
    let skipped = arguments.cursor()?;
    let glob = arguments
        .text("pattern")?
        .map(|pattern| Glob::new(place.root(), &scope.absolute, pattern))
        .transpose()?;
    let cannot = |error: io::Error| io_failure("search", &scope.relative, &error);
    let root = place.folder().map_err(cannot)?;
    let found = place.hold(&scope).and_then(|entry| entry.found());
    let kind = found.map_err(cannot)?.kind;
    if !matches!(kind, Kind::File | Kind::Folder) {
        return Err(ToolFailure::new(
            ToolErrorCode::NotText,
            format!("{} is not text: it is no regular file", scope.relative),
        ));
    }
    let mut search = Search::new(&query, skipped, limit);
    let started = Instant::now();
    for (index, file) in files(place, &scope, kind, glob).enumerate() {
        if cancel.is_cancelled() {
            return Err(cancelled());
        }
        if started.elapsed() > TIME || search.total >= MOST_MATCHES {
            search.is_cut = true;
            break;
        }
        match file {
            Ok(path) => search.look_into(&root, &place.below(&path)),
            Err(problem) => search.unsearched.push(problem),
        }
        if (index + 1).is_multiple_of(1_000) {
            progress(&format!("{} files searched", index + 1));
        }
    }
    Ok(ToolOutcome {
        text: search.answer(&scope),
        ..ToolOutcome::default()
    })
}

/// The files of the scope, in order.
fn files(
    place: &Place,
    scope: &Confined,
    kind: Kind,
    glob: Option<Glob>,
) -> Box<dyn Iterator<Item = Result<PathBuf, String>>> {
    if kind == Kind::File {
        return Box::new(std::iter::once(Ok(scope.absolute.clone())));
    }
    let entries = walk::entries(place, &scope.absolute);
    Box::new(entries.filter_map(move |entry| {
        match entry {
            Ok(entry) if !entry.is_file() => None,
            Ok(entry) => glob
                .as_ref()
                .is_none_or(|glob| glob.matches(&entry.path))
                .then_some(Ok(entry.path)),
            Err(problem) => Some(Err(problem)),
        }
    }))
}

/// What is looked for.
struct Query {
    text: String,
    regex: Regex,
    /// Plain text that is written as only a regular expression is.
    is_escaped: bool,
    /// Matches may go over lines.
    spans_lines: bool,
    /// Whether a text without a match has no line with one.
    tells_whole_files: bool,
}

impl Query {
    fn new(arguments: Arguments<'_>) -> Result<Self, ToolFailure> {
        let text = arguments.required_text("query")?;
        if text.is_empty() {
            return Err(ToolFailure::invalid(
                "`query` is empty; name the text to find",
            ));
        }
        let is_regex = arguments.flag("regex")?;
        let pattern = if is_regex {
            text.to_owned()
        } else {
            regex::escape(&text.replace("\r\n", "\n"))
        };
        let regex = RegexBuilder::new(&pattern)
            .case_insensitive(!arguments.flag("case_sensitive")?)
            .multi_line(true)
            .crlf(true)
            .build()
            .map_err(|error| {
                ToolFailure::invalid(format!(
                    "`query` is no usable regular expression: {error}; to find it as plain text, \
                     leave out `regex`"
                ))
            })?;
        Ok(Self {
            text: text.to_owned(),
            regex,
            is_escaped: !is_regex && ESCAPES.iter().any(|escape| text.contains(escape)),
            spans_lines: pattern.contains('\n') || is_regex && pattern.contains("\\n"),
            tells_whole_files: !pattern.contains("\\A") && !pattern.contains("\\z"),
        })
    }
}

struct Search<'a> {
    query: &'a Query,
    skipped: usize,
    limit: usize,
    total: usize,
    n_files: usize,
    n_matching_files: usize,
    n_binary: usize,
    unsearched: Vec<String>,
    shown: String,
    n_shown: usize,
    /// The search was ended early.
    is_cut: bool,
}

impl<'a> Search<'a> {
    fn new(query: &'a Query, skipped: usize, limit: usize) -> Self {
        Self {
            query,
            skipped,
            limit,
            total: 0,
            n_files: 0,
            n_matching_files: 0,
            n_binary: 0,
            unsearched: Vec::new(),
            shown: String::new(),
            n_shown: 0,
            is_cut: false,
        }
    }

    fn look_into(&mut self, root: &Folder, below: &Path) {
        let relative = written(below);
        let bytes = match bytes_of(root, below) {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(size)) => {
                self.unsearched
                    .push(format!("{relative} has {size} bytes, too many"));
                return;
            }
            Err(error) => {
                self.unsearched.push(format!("{relative}: {error}"));
                return;
            }
        };
        let file = if looks_binary(&bytes) {
            None
        } else {
            TextFile::decode(&bytes).ok()
        };
        let Some(file) = file else {
            self.n_binary += 1;
            return;
        };
        self.n_files += 1;
        let before = self.total;
        if self.query.spans_lines {
            self.look_at_whole(&relative, &file.text);
        } else if !self.query.tells_whole_files || self.query.regex.is_match(&file.text) {
            for (index, line) in file.lines().enumerate() {
                if let Some(found) = self.query.regex.find(line) {
                    self.add(&relative, index + 1, line, found.start());
                }
            }
        }
        self.n_matching_files += usize::from(self.total > before);
    }

    fn look_at_whole(&mut self, path: &str, text: &str) {
        let text = text.replace("\r\n", "\n");
        let (mut line, mut counted) = (1, 0);
        for found in self.query.regex.find_iter(&text) {
            line += text[counted..found.start()].matches('\n').count();
            counted = found.start();
            let start = text[..counted].rfind('\n').map_or(0, |newline| newline + 1);
            let first = lines(&text[start..], LineEnd::Lf)
                .next()
                .unwrap_or_default();
            self.add(path, line, first, (counted - start).min(first.len()));
        }
    }

    fn add(&mut self, path: &str, number: usize, line: &str, start: usize) {
        self.total += 1;
        let is_full = self.n_shown >= self.limit || self.shown.len() >= ANSWER;
        if self.total <= self.skipped || is_full {
            return;
        }
        self.n_shown += 1;
        let column = line[..start].chars().count() + 1;
        let shown = around(line, start);
        self.shown
            .push_str(&format!("{path}:{number}:{column}: {shown}\n"));
    }

    fn answer(&self, scope: &Confined) -> String {
        let query = &self.query.text;
        let place = match scope.relative.as_str() {
            "." => "the project",
            relative => relative,
        };
        let at_least = if self.is_cut { "at least " } else { "" };
        let mut text = format!(
            "{at_least}{} matching lines in {} files for `{query}` in {place} ({} files searched)\n",
            self.total, self.n_matching_files, self.n_files
        );
        let is_complete = !self.is_cut && self.unsearched.is_empty();
        if self.total == 0 && is_complete {
            text.push_str(
                "This is complete and final for that scope: searching again by other means finds \
                 nothing more.",
            );
            text.push_str(&match self.n_binary {
                0 => String::new(),
                n_binary => format!(" {n_binary} binary files were left out."),
            });
            text.push_str(" What the ignore files exclude was not searched.\n");
        }
        if self.total == 0 && self.query.is_escaped {
            text.push_str(
                "A backslash stands for itself here; with regex set, \\n is a line break, \\w a letter.\n",
            );
        }
        text.push_str(&self.shown);
        if self.is_cut {
            text.push_str(
                "Not complete: the search was ended early; narrow it by path or query.\n",
            );
        }
        for problem in self.unsearched.iter().take(5) {
            text.push_str(&format!("Not searched: {problem}\n"));
        }
        let end = self.skipped + self.n_shown;
        if self.total > end {
            text.push_str(&format!(
                "Next: the same call with \"cursor\": \"{end}\" ({} lines left)\n",
                self.total - end
            ));
        }
        text
    }
}

/// The bytes of a file, or how many there are where they are too many.
fn bytes_of(root: &Folder, below: &Path) -> io::Result<Result<Vec<u8>, u64>> {
    let file = root.file(below)?;
    let size = file.metadata()?.len();
    if size > MOST_BYTES {
        return Ok(Err(size));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    // A file of the kernel's has no size and may have no end.
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(Ok(bytes))
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
