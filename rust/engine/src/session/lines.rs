//! Command lines with what only the file system knows of them: the links on the way of their paths.
//!
//! The guard reads no file. It says which paths a line is about, these are looked up here, and it judges the line again
//! with the links that are there.

use serde_json::Value;
use siderail_guard::path::PathFact;
use siderail_guard::shell::{self, Analysis, Dialect, Link, ShellInput, fits_pattern};
use siderail_guard::{Action, Identity, command_folder};

use super::Session;
use super::dialect::dialect_of;
use super::updates::text_of;

/// A command line as it would be run.
pub(super) struct Line<'a> {
    pub(super) text: &'a str,
    dialect: Dialect,
    folder: String,
}

/// What was looked up on disk for a decision.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) places: Vec<PathFact>,
    pub(super) links: Vec<Link>,
}

/// Links of one line that are told; those that lead out of the project come first.
const MOST_LINKS: usize = 64;

impl Session {
    /// The command line of an action, if it has one.
    pub(super) fn line_of<'a>(&self, action: &'a Action) -> Option<Line<'a>> {
        Some(Line {
            text: action.command.as_deref()?,
            dialect: dialect_of(&action.identity),
            folder: action.run_folder(&self.root_text()),
        })
    }

    /// The same for a call of one of our tools.
    pub(super) fn line_of_call<'a>(&self, tool: &str, arguments: &'a Value) -> Option<Line<'a>> {
        Some(Line {
            text: text_of(arguments, "command")?,
            dialect: dialect_of(&Identity::OwnTool(tool.to_owned())),
            folder: command_folder(arguments, &self.root_text()),
        })
    }

    /// The links on the way of what a line writes, reads and takes away.
    pub(super) fn links_of(&self, line: &Line<'_>) -> Vec<Link> {
        let analysis = self.judged_line(line, &[]);
        let named = analysis.findings.iter().flat_map(|finding| &finding.paths);
        let mut links: Vec<Link> = Vec::new();
        for path in analysis.written.iter().chain(named) {
            for found in self.confinement.links_on(path, fits_pattern) {
                let link = Link {
                    path: found.path.to_string_lossy().into_owned(),
                    to: found.to.to_string_lossy().into_owned(),
                };
                if !links.contains(&link) {
                    links.push(link);
                }
            }
        }
        let root = self.root();
        links.sort_by_key(|link| std::path::Path::new(&link.to).starts_with(root));
        links.truncate(MOST_LINKS);
        links
    }

    /// What the guard says of a line, links followed, whatever tools are offered.
    pub(super) fn analysed(&self, line: &Line<'_>) -> Analysis {
        self.judged_line(line, &self.links_of(line))
    }

    fn judged_line(&self, line: &Line<'_>, links: &[Link]) -> Analysis {
        let root = self.root_text();
        let input = ShellInput {
            command: line.text.as_bytes(),
            dialect: line.dialect,
            root: &root,
            cwd: &line.folder,
            home: self.home(),
            tools: None,
        };
        shell::analyse_following(&input, links)
    }
}
