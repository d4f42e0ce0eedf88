//! Collects findings: each once, only those whose tool is offered, with a text that stands in the line.

use super::budget::FINDINGS_LIMIT;
use super::paths::{Places, Target};
use super::{Finding, FindingKind, ShellVerdict};
use std::collections::HashSet;

/// A place in the list of findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Since(usize);

#[derive(Debug)]
pub(super) struct Findings<'a> {
    line: &'a str,
    tools: Option<&'a [&'a str]>,
    found: Vec<Finding>,
    seen: HashSet<(FindingKind, String)>,
}

impl<'a> Findings<'a> {
    pub(super) fn new(line: &'a str, tools: Option<&'a [&'a str]>) -> Self {
        Self {
            line,
            tools,
            found: Vec::new(),
            seen: HashSet::new(),
        }
    }

    /// Adds a finding about a part of the line; `outer` is the part of the line that a text came from
    /// which does not stand in it word for word.
    pub(super) fn add(
        &mut self,
        kind: FindingKind,
        tool: Option<&'static str>,
        (text, outer): (&str, &str),
        why: String,
        paths: Vec<String>,
    ) {
        let offered = |tool: &str| self.tools.is_none_or(|tools| tools.contains(&tool));
        // A line of very many findings keeps one of each kind at least.
        let full = self.found.len() >= FINDINGS_LIMIT
            && self.found.iter().any(|finding| finding.kind == kind);
        if tool.is_some_and(|tool| !offered(tool)) || full {
            return;
        }
        if !self.seen.insert((kind, text.to_owned())) {
            return;
        }
        let text = [text, outer]
            .into_iter()
            .find(|text| self.line.contains(text));
        let text = text.map_or_else(|| super::syntax::excerpt(self.line), Into::into);
        self.found.push(Finding {
            kind,
            tool,
            text: text.to_string(),
            why,
            paths,
        });
    }

    pub(super) fn since(&self) -> Since {
        Since(self.found.len())
    }

    /// Takes back the readings found since then: their text is run and not shown.
    pub(super) fn retract_readings(&mut self, since: Since) {
        let mut index = 0;
        self.found.retain(|finding| {
            index += 1;
            index <= since.0 || finding.kind != FindingKind::ReadFile
        });
        self.seen.retain(|(kind, _)| *kind != FindingKind::ReadFile);
    }

    pub(super) fn any_since(&self, since: Since, kind: FindingKind) -> bool {
        self.found
            .iter()
            .skip(since.0)
            .any(|finding| finding.kind == kind)
    }

    pub(super) fn finish(self) -> (ShellVerdict, Vec<Finding>) {
        let kinds = self.found.iter().map(|finding| finding.kind.verdict());
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
