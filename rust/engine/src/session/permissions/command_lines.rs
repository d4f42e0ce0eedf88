//! Adds to command lines what only the file system knows: the links on the way of their paths.
//!
//! The guard reads no file. It says which paths a line is about, these are looked up here, and it judges the line again
//! with the links that are there.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use serde_json::Value;
use siderail_guard::path::PathFact;
use siderail_guard::shell::{
    self, Analysis, Dialect, Link, MOST_WRITTEN, ShellInput, fits_pattern,
};
use siderail_guard::{Action, Identity, Tool, command_folder};

use crate::confine::{Confinement, FoundLink, Looks};
use crate::session::permissions::judge::Judge;
use crate::session::permissions::shell_language::dialect_of;
use crate::session::worker::Sight;
use crate::views::text_of;

/// A command line as it would be run.
pub(in crate::session) struct Line<'a> {
    pub(in crate::session) text: &'a str,
    dialect: Dialect,
    folder: String,
}

/// What was looked up on disk for a decision.
#[derive(Debug, Default)]
pub(in crate::session) struct Facts {
    pub(in crate::session) places: Vec<PathFact>,
    pub(in crate::session) followed: Followed,
}

/// The links on the way of a line's paths.
#[derive(Debug, Default)]
pub(in crate::session) struct Followed {
    pub(in crate::session) links: Vec<Link>,
    /// Places that the line writes to of which nobody knows where they lead.
    pub(in crate::session) untold: Vec<String>,
}

/// How many links of one line are passed on, and the bytes of both paths of one; the guard remembers no more.
const MOST_LINKS: usize = 64;
const MOST_BYTES: usize = 1024;

impl Judge {
    /// The command line of an action, if it has one.
    pub(in crate::session) fn line_of<'a>(&self, action: &'a Action) -> Option<Line<'a>> {
        Some(Line {
            text: action.command.as_deref()?,
            dialect: dialect_of(&action.identity),
            folder: action.run_folder(&self.of.root),
        })
    }

    /// The same for a call of one of our tools.
    pub(in crate::session) fn line_of_call<'a>(
        &self,
        tool: Tool,
        arguments: &'a Value,
    ) -> Option<Line<'a>> {
        Some(Line {
            text: text_of(arguments, "command")?,
            dialect: dialect_of(&Identity::OwnTool(tool)),
            folder: command_folder(arguments, &self.of.root),
        })
    }

    /// The links on the way of what a line writes and reads in the project.
    pub(in crate::session) fn follow(&self, line: &Line<'_>) -> Followed {
        let analysis = self.first_judged(line);
        let named = analysis.findings.into_iter().flat_map(|found| found.paths);
        let is_below_root = |path: &String| self.of.confinement.unquoted(Path::new(path)).is_some();
        let read: Vec<String> = named.filter(is_below_root).collect();
        let written = analysis.written;
        if written.is_empty() && read.is_empty() {
            return Followed::default();
        }
        match self.sight {
            Sight::Clear => looked_up(&self.of.confinement, written, read),
            Sight::Blind => Followed {
                links: Vec::new(),
                untold: written,
            },
        }
    }

    /// What a tool of the engine is seen to write in the project: paths without patterns, a folder in place of a
    /// pattern in it. None where it is too much to be named.
    pub(in crate::session) fn seen_written(
        &self,
        tool: Tool,
        arguments: &Value,
    ) -> Option<Vec<PathBuf>> {
        if tool.is_git() {
            return Some(vec![self.root().join(".git")]);
        }
        let Some(line) = self.line_of_call(tool, arguments) else {
            return Some(Vec::new());
        };
        let written = self.first_judged(&line).written;
        let named = written.iter().map(|path| without_pattern(path));
        let below = named.filter(|path| self.of.confinement.root_of(path).is_some());
        (written.len() < MOST_WRITTEN).then(|| below.collect())
    }

    /// What the guard says of a line before anything is looked up.
    fn first_judged(&self, line: &Line<'_>) -> Analysis {
        let root = &self.of.root;
        shell::analyse(&ShellInput {
            command: line.text.as_bytes(),
            dialect: line.dialect,
            root,
            roots: &self.of.roots,
            cwd: &line.folder,
            home: self.of.home.as_deref(),
            tools: None,
            protected_places: &self.of.protected_places,
        })
    }
}

/// The path up to the first part that is a pattern.
fn without_pattern(path: &str) -> PathBuf {
    let is_plain = |part: &Component<'_>| {
        let part = part.as_os_str().to_string_lossy();
        !part.contains(['*', '?', '[', '{'])
    };
    let parts = Path::new(path).components();
    parts.take_while(is_plain).collect()
}

/// Follows what is written first: only for that it matters when there is too much to look at.
fn looked_up(confinement: &Confinement, written: Vec<String>, read: Vec<String>) -> Followed {
    let mut looks = Looks::default();
    let mut known = HashSet::new();
    let mut followed = Followed::default();
    // Beyond its bound the guard reports no further path.
    let is_whole = written.len() < MOST_WRITTEN;
    let last = written.last().filter(|_| !is_whole).cloned();
    followed.untold.extend(last);
    for path in written {
        let found = confinement.links_on(&path, fits_pattern, &mut looks);
        match found.and_then(|found| add(found, &mut known, &mut followed.links)) {
            Some(()) => {}
            None => followed.untold.push(path),
        }
    }
    for path in read {
        let found = confinement.links_on(&path, fits_pattern, &mut looks);
        let added = found.and_then(|found| add(found, &mut known, &mut followed.links));
        if added.is_none() {
            break;
        }
    }
    followed
}

/// Notes links that are new; `None` if one of them could not be passed on.
fn add(found: Vec<FoundLink>, known: &mut HashSet<PathBuf>, links: &mut Vec<Link>) -> Option<()> {
    for link in found {
        if known.contains(&link.path) {
            continue;
        }
        let told = Link {
            path: link.path.to_string_lossy().into_owned(),
            to: link.to.to_string_lossy().into_owned(),
        };
        if links.len() >= MOST_LINKS || told.path.len() + told.to.len() > MOST_BYTES {
            return None;
        }
        known.insert(link.path);
        links.push(told);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_stands_for_its_folder() {
        for (path, plain) in [
            ("/p/a.rs", "/p/a.rs"),
            ("/p/gen/*.rs", "/p/gen"),
            ("/p/*/a", "/p"),
        ] {
            assert_eq!(without_pattern(path), Path::new(plain), "{path}");
        }
    }
}
