//! `search_text`: lines with a match, by path and number.
//!
//! Files are looked through on all threads of a walk, by the crates of ripgrep; unlike it, the order of an answer is
//! always that of the paths, so that a page continues where the last one ended. Files that cannot be searched are
//! reported in the answer and never end it.

mod looking;
mod query;

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use siderail_catalog::Tool::{self, ListProjectFiles};

use crate::arguments::{Amount, Arguments};
use crate::call::{Call, Handler, Progress};
use crate::cancel::CancelFlag;
use crate::confine::{Confined, Kind, written};
use crate::failure::{cancelled, io_failure};
use crate::glob::Glob;
use crate::outcome::{ToolErrorCode, ToolFailure, ToolOutcome};
use crate::walk::{Met, Visitor};

use looking::{Looked, Looker, Matches};
use query::Query;

/// Characters of an answer.
const ANSWER: usize = 10_000;
/// Lines of an answer.
pub const LINES: Amount = Amount {
    least: 1,
    most: 500,
    usual: 100,
};
/// Matches that are counted.
const MOST_MATCHES: usize = 50_000;
/// How long a search may take.
const TIME: Duration = Duration::from_secs(30);
/// Files between two words about how far the search is.
const STEP: usize = 1_000;

pub(crate) const HANDLERS: &[Handler] = &[Handler {
    tool: Tool::SearchText,
    ordered_by: &[],
    run: search_text,
}];

fn search_text(call: &Call<'_>, arguments: Arguments<'_>) -> Result<ToolOutcome, ToolFailure> {
    let Call {
        place,
        cancel,
        progress,
        ..
    } = *call;
    let query = Query::new(arguments)?;
    let scopes = place.scopes(arguments.text("path")?)?;
    let scope = &scopes[0];
    let limit = arguments.amount("limit", LINES)?;
    let skipped = arguments.cursor()?;
    let pattern = arguments.text("pattern")?;
    let mut unsaved = HashMap::new();
    for scope in &scopes {
        unsaved.extend(call.primitives.unsaved(&call.target(scope))?);
    }
    let bounds = Bounds {
        unsaved: unsaved
            .into_iter()
            .filter_map(|(path, text)| Some((place.named(&path)?, text)))
            .collect(),
        started: Instant::now(),
        n_shown: skipped.saturating_add(limit),
        n_matches: AtomicUsize::new(0),
        n_files: AtomicUsize::new(0),
        is_cut: AtomicBool::new(false),
        cancel,
        progress,
    };
    let mut found = Found::default();
    for scope in &scopes {
        found.join(found_in(call, scope, &query, pattern, &bounds)?);
    }
    let answer = Answer {
        query: &query,
        scope,
        glob: pattern,
        is_cut: bounds.is_cut.load(Ordering::Relaxed),
        found,
    };
    Ok(ToolOutcome {
        text: answer.text(skipped, limit),
        ..ToolOutcome::default()
    })
}

/// What is found in one folder or file, in order.
fn found_in(
    call: &Call<'_>,
    scope: &Confined,
    query: &Query,
    pattern: Option<&str>,
    bounds: &Bounds<'_>,
) -> Result<Found, ToolFailure> {
    let place = call.place;
    let glob = pattern
        .map(|pattern| Glob::new(place.root_of(&scope.absolute), &scope.absolute, pattern))
        .transpose()?;
    let cannot = |error: io::Error| io_failure("search", &scope.relative, &error);
    let entry = place.hold(scope).map_err(cannot)?;
    let searcher = || Searcher {
        looker: Looker::new(query, bounds.n_shown),
        glob: glob.as_ref(),
        bounds,
        found: Found::default(),
    };
    let searchers = match entry.found().map_err(cannot)?.kind {
        Kind::Folder => call.walk(scope, searcher),
        Kind::File => {
            let mut alone = searcher();
            let named = place.named(&scope.absolute).unwrap_or_default();
            alone.look_into(&named, || entry.file());
            vec![alone]
        }
        Kind::Link | Kind::Other => {
            return Err(ToolFailure::new(
                ToolErrorCode::NotText,
                format!("{} is not text: it is not a regular file", scope.relative),
            ));
        }
    };
    if call.cancel.is_cancelled() {
        return Err(cancelled());
    }
    let mut found = Found::default();
    for searcher in searchers {
        found.join(searcher.found);
    }
    found
        .matching
        .sort_unstable_by(|one, other| one.0.cmp(&other.0));
    found.unsearched.sort_unstable();
    Ok(found)
}

/// How far a search may go, and how far it is: the same for all of its threads.
struct Bounds<'a> {
    /// Texts that are not on disk, by their paths as they are named.
    unsaved: HashMap<PathBuf, String>,
    started: Instant,
    /// Lines of one file that can be shown.
    n_shown: usize,
    n_matches: AtomicUsize,
    n_files: AtomicUsize,
    /// The search was ended early.
    is_cut: AtomicBool,
    cancel: &'a CancelFlag,
    progress: &'a Progress<'a>,
}

/// What was found, by one thread or by all.
#[derive(Default)]
struct Found {
    /// Files with a match, by their paths as they are named.
    matching: Vec<(PathBuf, Matches)>,
    n_searched: usize,
    n_binary: usize,
    /// Files that were there when their folder was listed.
    n_gone: usize,
    unsearched: Vec<String>,
}

impl Found {
    fn join(&mut self, other: Self) {
        self.matching.extend(other.matching);
        self.n_searched += other.n_searched;
        self.n_binary += other.n_binary;
        self.n_gone += other.n_gone;
        self.unsearched.extend(other.unsearched);
    }
}

/// One thread's part of a search.
struct Searcher<'a> {
    looker: Looker<'a>,
    glob: Option<&'a Glob>,
    bounds: &'a Bounds<'a>,
    found: Found,
}

impl Searcher<'_> {
    /// Looks into the text that an editor holds, or else into the file.
    fn look_into(&mut self, named: &Path, open: impl FnOnce() -> io::Result<File>) {
        let looked = match self.bounds.unsaved.get(named) {
            Some(text) => self.looker.look_into_text(text),
            None => match open() {
                Ok(file) => self.looker.look_into(file),
                Err(error) => Looked::unread(&error),
            },
        };
        self.note(looked, named);
    }

    fn note(&mut self, looked: Looked, named: &Path) {
        let found = &mut self.found;
        match looked {
            Looked::Searched(matches) => {
                found.n_searched += 1;
                if matches.n_lines > 0 {
                    let all = &self.bounds.n_matches;
                    all.fetch_add(matches.n_lines, Ordering::Relaxed);
                    found.matching.push((named.to_owned(), matches));
                }
            }
            Looked::Binary => found.n_binary += 1,
            Looked::NotSearched(why) => found.unsearched.push(format!("{}{why}", written(named))),
            Looked::Gone => found.n_gone += 1,
        }
    }
}

impl Visitor for Searcher<'_> {
    fn meet(&mut self, met: &Met<'_>) {
        if !met.is_file() || !self.glob.is_none_or(|glob| glob.matches(&met.path())) {
            return;
        }
        self.look_into(&met.named(), || met.open());
        let n_files = self.bounds.n_files.fetch_add(1, Ordering::Relaxed) + 1;
        if n_files.is_multiple_of(STEP) {
            (self.bounds.progress)(&format!("{n_files} files searched"));
        }
    }

    fn miss(&mut self, problem: String) {
        self.found.unsearched.push(problem);
    }

    fn is_done(&self) -> bool {
        let bounds = self.bounds;
        let is_full = bounds.n_matches.load(Ordering::Relaxed) >= MOST_MATCHES;
        if is_full || bounds.started.elapsed() > TIME {
            bounds.is_cut.store(true, Ordering::Relaxed);
        }
        bounds.is_cut.load(Ordering::Relaxed) || bounds.cancel.is_cancelled()
    }
}

/// What the model reads.
struct Answer<'a> {
    query: &'a Query,
    scope: &'a Confined,
    glob: Option<&'a str>,
    is_cut: bool,
    found: Found,
}

impl Answer<'_> {
    fn text(&self, skipped: usize, limit: usize) -> String {
        let Found {
            matching,
            n_searched,
            n_binary,
            n_gone,
            unsearched,
        } = &self.found;
        let query = &self.query.text;
        let place = match self.scope.relative.as_str() {
            "." => "the project",
            relative => relative,
        };
        let total: usize = matching.iter().map(|(_, matches)| matches.n_lines).sum();
        let at_least = if self.is_cut { "at least " } else { "" };
        let mut text = format!(
            "{at_least}{total} matching lines in {} files for `{query}` in {place} ({n_searched} files searched)\n",
            matching.len()
        );
        let is_complete = !self.is_cut && unsearched.is_empty();
        if total == 0 && is_complete {
            text.push_str(&self.nothing());
            text.push_str(&match n_binary {
                0 => String::new(),
                n_binary => format!(" {n_binary} binary files were left out."),
            });
            text.push_str(" What the project excludes or ignores was not searched.\n");
        }
        if total == 0 && self.query.is_escaped {
            text.push_str(
                "A backslash is literal here; with regex set, \\n is a line break, \\w a letter.\n",
            );
        }
        let (shown, n_shown) = self.shown(skipped, limit);
        text.push_str(&shown);
        if self.is_cut {
            text.push_str(
                "Not complete: the search was ended early; narrow it by path or query.\n",
            );
        }
        for problem in unsearched.iter().take(5) {
            text.push_str(&format!("Not searched: {problem}\n"));
        }
        if unsearched.len() > 5 {
            text.push_str(&format!("Not searched: {} more\n", unsearched.len() - 5));
        }
        if *n_gone > 0 {
            text.push_str(&format!(
                "Not searched: {n_gone} files that vanished meanwhile\n"
            ));
        }
        let end = skipped + n_shown;
        if total > end {
            text.push_str(&format!(
                "Next: the same call with \"cursor\": \"{end}\" ({} lines left)\n",
                total - end
            ));
        }
        text
    }

    /// What it means that nothing was found. A glob that no file fits finds nothing whatever there is.
    fn nothing(&self) -> String {
        match self.glob {
            Some(glob) if self.found.n_searched + self.found.n_binary == 0 => format!(
                "No file matches `{glob}`, so nothing was searched; {ListProjectFiles} \
                 lists the files."
            ),
            _ => "This is complete and final for that scope: searching again by other means finds \
                  nothing more."
                .to_owned(),
        }
    }

    /// The page's lines, and how many they are.
    fn shown(&self, skipped: usize, limit: usize) -> (String, usize) {
        let mut shown = String::new();
        let mut n_shown = 0;
        let mut n_before = 0;
        for (path, matches) in &self.found.matching {
            let from = skipped.saturating_sub(n_before);
            n_before += matches.n_lines;
            if from >= matches.n_lines {
                continue;
            }
            let path = written(path);
            for line in matches.lines.iter().skip(from) {
                if n_shown >= limit || shown.len() >= ANSWER {
                    return (shown, n_shown);
                }
                n_shown += 1;
                shown.push_str(&format!(
                    "{path}:{}:{}: {}\n",
                    line.number, line.column, line.text
                ));
            }
        }
        (shown, n_shown)
    }
}
