//! What commands are reported as: a method for each kind of finding, with its tool.

use super::analysis::Finding;
use super::findings::shown_paths;
use super::ir::Sink;
use super::judge::Judge;
use super::paths::Target;
use siderail_catalog::{ActionKind, Tool};
use std::borrow::Cow;

const LIST: Option<Tool> = Some(Tool::ListProjectFiles);

impl Judge<'_> {
    /// A command prints the text of files.
    pub(super) fn reads(&mut self, text: &str, targets: &[Target]) {
        let inside: Cow<'_, [Target]> = if targets.iter().all(Target::is_inside) {
            targets.into()
        } else {
            targets.iter().filter(|t| t.is_inside()).cloned().collect()
        };
        if inside.is_empty() {
            return;
        }
        let why = "Prints the text of a project file, which the tool shows as it is now.";
        let tool = Some(Tool::ReadFile);
        self.shows(ActionKind::Read, tool, text, why, &inside);
    }

    /// A command prints where a text stands in project files.
    pub(super) fn searches(&mut self, text: &str, targets: &[Target]) {
        let why = "Searches text in project files.";
        let tool = Some(Tool::SearchText);
        self.shows(ActionKind::SearchText, tool, text, why, targets);
    }

    /// A command prints the names of files that it looks for.
    pub(super) fn finds(&mut self, text: &str, targets: &[Target]) {
        let why = "Searches project files by name.";
        self.shows(ActionKind::FindFile, LIST, text, why, targets);
    }

    /// A command prints what stands in folders.
    pub(super) fn lists(&mut self, text: &str, why: &'static str, targets: &[Target]) {
        self.shows(ActionKind::ListFolder, LIST, text, why, targets);
    }

    /// What prints nothing to anybody shows nothing.
    fn shows(
        &mut self,
        kind: ActionKind,
        tool: Option<Tool>,
        text: &str,
        why: &'static str,
        targets: &[Target],
    ) {
        if !targets.is_empty() && !self.is_silent() {
            self.report(kind, tool, text, why, targets);
        }
    }

    /// What the command that is walked prints is thrown away.
    pub(super) fn is_silent(&self) -> bool {
        matches!(self.io.stdout, Sink::Nowhere)
    }

    /// A command writes text of the line into files.
    pub(super) fn writes(&mut self, text: &str, why: &'static str, targets: &[Target]) {
        let tool = Some(Tool::WriteFile);
        self.report(ActionKind::Write, tool, text, why, targets);
    }

    pub(super) fn tests(&mut self, text: &str) {
        let why = "Runs the project's tests.";
        let here = self.around();
        let tool = Some(Tool::RunTests);
        self.report(ActionKind::RunTests, tool, text, why, &[here]);
    }

    /// A command loses work or data.
    pub(super) fn loses(&mut self, text: &str, why: &'static str, targets: &[Target]) {
        self.report(ActionKind::Destructive, None, text, why, targets);
    }

    /// What will run cannot be told.
    pub(super) fn cannot_tell(&mut self, text: &str, why: impl Into<Cow<'static, str>>) {
        if self.has_doubts {
            self.report(ActionKind::Opaque, None, text, why, &[]);
        }
    }

    /// Records a finding.
    pub(super) fn report(
        &mut self,
        kind: ActionKind,
        tool: Option<Tool>,
        text: &str,
        why: impl Into<Cow<'static, str>>,
        targets: &[Target],
    ) {
        let text = siderail_syntax::excerpt::excerpt_of(text);
        if !self.findings.wants(kind, tool, text) {
            return;
        }
        let paths = shown_paths(&self.places, targets);
        let finding = Finding {
            kind,
            tool,
            text: String::new(),
            why: why.into(),
            paths,
        };
        self.findings.add(finding, text, &self.outer);
    }
}
