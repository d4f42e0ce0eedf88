//! Collects findings: each once, only those whose tool is offered, with a text that is in the line.

use super::analysis::{Finding, ShellVerdict};
use super::budget::FINDINGS_LIMIT;
use super::ir::UNKNOWN;
use super::kinds::{FindingKind, Instead};
use super::paths::{Places, Target};
use memchr::memmem;
use siderail_syntax::excerpt::excerpt_of;
use std::cell::OnceCell;

/// Most lines have no more findings than this.
const SEVERAL: usize = 8;
/// The next finding mostly begins within this many bytes from where the last one does.
const NEAR: usize = 192;

/// Those of many commands, which take so many bytes each, may have as many as this.
const MANY: usize = 64;
const COMMAND: usize = 24;

/// A moment of the walk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Since {
    n_found: usize,
    n_losses: usize,
}

#[derive(Debug)]
pub(super) struct Findings<'a> {
    line: &'a str,
    tools: Option<&'a [Instead]>,
    found: Vec<Finding>,
    /// The text that each of them was found with, where that is not the one that it shows.
    texts: Vec<Option<Box<str>>>,
    /// How often anything was found to lose work, the same more than once with it.
    n_losses: usize,
    /// Where the text of the last one begins: most are found in the order of the line.
    last: usize,
}

impl<'a> Findings<'a> {
    pub(super) fn new(line: &'a str, tools: Option<&'a [Instead]>) -> Self {
        Self {
            line,
            tools,
            found: Vec::new(),
            texts: Vec::new(),
            n_losses: 0,
            last: 0,
        }
    }

    /// Notes that there is a finding. Whether it would be a new one, and is one for a tool that is offered.
    pub(super) fn wants(
        &mut self,
        kind: FindingKind,
        instead: Option<Instead>,
        text: &str,
    ) -> bool {
        self.n_losses += usize::from(kind == FindingKind::Destructive);
        let offered = |tool: Instead| self.tools.is_none_or(|tools| tools.contains(&tool));
        if instead.is_some_and(|tool| !offered(tool)) {
            return false;
        }
        let mut known = self
            .found
            .iter()
            .zip(&self.texts)
            .filter(|(finding, _)| finding.kind == kind);
        // A line of very many findings keeps one of each kind at least.
        if self.found.len() >= FINDINGS_LIMIT {
            return known.next().is_none();
        }
        !known.any(|(finding, known)| known.as_deref().unwrap_or(&finding.text) == text)
    }

    /// Adds a finding about a part of the line; `outer` is the part of the line that a text came from
    /// which is not in it word for word.
    pub(super) fn add(&mut self, mut finding: Finding, text: &str, outer: &str) {
        let shown = [text, outer].into_iter().find(|text| self.holds(text));
        finding.text = shown.map_or_else(|| excerpt_of(self.line).to_owned(), str::to_owned);
        if self.found.is_empty() {
            let several = (self.line.len() / COMMAND).clamp(SEVERAL, MANY);
            self.found.reserve(several);
            self.texts.reserve(several);
        }
        self.texts.push((finding.text != text).then(|| text.into()));
        self.found.push(finding);
    }

    /// Whether a text is in the line.
    fn holds(&mut self, text: &str) -> bool {
        let line = self.line.as_bytes();
        let near = &line[self.last..line.len().min(self.last + NEAR)];
        let [Some(first), Some(last)] = [text.as_bytes().first(), text.as_bytes().last()] else {
            return true;
        };
        // Both ends first: a command often begins like the one before it.
        let may_start =
            |at: &usize| near[*at] == *first && near.get(*at + text.len() - 1) == Some(last);
        let mut starts = (0..near.len()).filter(may_start);
        if let Some(at) = starts.find(|at| near[*at..].starts_with(text.as_bytes())) {
            self.last += at;
            return true;
        }
        let found = memmem::find(line, text.as_bytes());
        self.last = found.unwrap_or(self.last);
        found.is_some()
    }

    /// Whether the line has one of these anywhere.
    pub(super) fn line_has(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.line.contains(word))
    }

    pub(super) fn since(&self) -> Since {
        Since {
            n_found: self.found.len(),
            n_losses: self.n_losses,
        }
    }

    /// Takes back what was found since then, but for the kinds that are kept.
    pub(super) fn keep(&mut self, since: Since, is_kept: impl Fn(FindingKind) -> bool) {
        for index in (since.n_found.min(self.found.len())..self.found.len()).rev() {
            if !is_kept(self.found[index].kind) {
                self.found.remove(index);
                self.texts.remove(index);
            }
        }
    }

    /// Takes back all but the dangers found since then: a command was only noted down for another day.
    pub(super) fn keep_dangers(&mut self, since: Since) {
        self.keep(since, |kind| {
            ShellVerdict::of(kind) != ShellVerdict::Redirect
        });
    }

    /// Whether anything was found since then to lose work, be it known from before or not.
    pub(super) fn loses_since(&self, since: Since) -> bool {
        self.n_losses > since.n_losses
    }

    pub(super) fn finish(self) -> (ShellVerdict, Vec<Finding>) {
        let kinds = self
            .found
            .iter()
            .map(|finding| ShellVerdict::of(finding.kind));
        (kinds.max().unwrap_or(ShellVerdict::Allow), self.found)
    }
}

/// The paths that a finding names.
pub(super) fn shown_paths(places: &Places, targets: &[Target]) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for path in targets
        .iter()
        .take(20)
        .filter_map(|target| places.shown(&target.path))
    {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

/// Paths outside that are kept; more add nothing.
const MOST_OUTSIDE: usize = 8;

/// Places outside of the project that the line writes to, reported beside the findings.
#[derive(Debug, Default)]
pub(super) struct Outside(Vec<Target>);

impl Outside {
    pub(super) fn add(&mut self, target: &Target) {
        let is_new = !self.0.iter().any(|known| known.path == target.path);
        if is_new && self.0.len() < MOST_OUTSIDE {
            self.0.push(target.clone());
        }
    }

    /// The paths as a person would write them.
    pub(super) fn shown(&self, places: &Places) -> Vec<String> {
        let shown = |target: &Target| {
            let written = places.shown(&target.path);
            written.unwrap_or_else(|| target.path.trim_start_matches('/').replace(UNKNOWN, "…"))
        };
        self.0.iter().map(shown).collect()
    }
}

/// Paths that are kept to be looked up; where there are as many, there may be more.
pub const MOST_WRITTEN: usize = 256;

/// Places that the line writes to and that only a link could lead elsewhere.
#[derive(Debug, Default)]
pub(super) struct Written {
    paths: Vec<String>,
}

impl Written {
    pub(super) fn add(&mut self, target: &Target) {
        if self.paths.len() >= MOST_WRITTEN {
            return;
        }
        let path = target.way.as_ref().unwrap_or(&target.path);
        // What comes before the unknown part may be a link.
        let path = match path.split_once(UNKNOWN) {
            Some((before, _)) => before.rsplit_once('/').map_or("", |(folder, _)| folder),
            None => path,
        };
        if !path.is_empty() && !self.paths.iter().any(|known| known == path) {
            self.paths.push(path.to_owned());
        }
    }

    /// The paths as a person would write them.
    pub(super) fn shown(&self, places: &Places) -> Vec<String> {
        let shown = self.paths.iter().filter_map(|path| places.shown(path));
        shown.collect()
    }
}

/// Words that are kept; more add nothing.
const MOST_WORDS: usize = 8;

/// Words of the line that name protected places.
#[derive(Debug, Default)]
pub(super) struct Protected {
    words: Vec<String>,
    pub(super) fits_dots: OnceCell<bool>,
}

impl Protected {
    pub(super) fn add(&mut self, word: &str) {
        let shown = word.replace(UNKNOWN, "…");
        if self.words.len() < MOST_WORDS && !self.words.contains(&shown) {
            self.words.push(shown);
        }
    }

    pub(super) fn shown(self) -> Vec<String> {
        self.words
    }
}
