//! What commands are reported as: a method for each kind of finding, with what does the same instead.

use super::analysis::Finding;
use super::findings::shown_paths;
use super::ir::Sink;
use super::judge::Judge;
use super::kinds::{FindingKind, Instead};
use super::paths::Target;
use std::borrow::Cow;

/// Why writing is a finding where the text is in the line.
pub(super) const WHY_TEXT: &str = "Writes text from the command line into a project file.";
/// Why it is one where there is none.
pub(super) const WHY_EMPTIES: &str = "Creates or empties a project file.";

const LIST: Option<Instead> = Some(Instead::ListFiles);

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
        let instead = Some(Instead::ReadFile);
        self.shows(FindingKind::Read, instead, text, why, &inside);
    }

    /// A command prints where a text is in project files.
    pub(super) fn searches(&mut self, text: &str, targets: &[Target]) {
        let why = "Searches text in project files.";
        let instead = Some(Instead::SearchText);
        self.shows(FindingKind::SearchText, instead, text, why, targets);
    }

    /// A command prints the names of files that it looks for.
    pub(super) fn finds(&mut self, text: &str, targets: &[Target]) {
        let why = "Searches project files by name.";
        self.shows(FindingKind::FindFile, LIST, text, why, targets);
    }

    /// A command prints what is in folders.
    pub(super) fn lists(&mut self, text: &str, why: &'static str, targets: &[Target]) {
        self.shows(FindingKind::ListFolder, LIST, text, why, targets);
    }

    /// What prints nothing to anybody shows nothing.
    fn shows(
        &mut self,
        kind: FindingKind,
        instead: Option<Instead>,
        text: &str,
        why: &'static str,
        targets: &[Target],
    ) {
        if !targets.is_empty() && !self.is_silent() {
            self.report(kind, instead, text, why, targets);
        }
    }

    /// What the command that is walked prints is thrown away.
    pub(super) fn is_silent(&self) -> bool {
        matches!(self.io.stdout, Sink::Nowhere)
    }

    /// A command writes text of the line into files.
    pub(super) fn writes(&mut self, text: &str, why: &'static str, targets: &[Target]) {
        let instead = Some(Instead::WriteFile);
        self.report(FindingKind::Write, instead, text, why, targets);
    }

    pub(super) fn tests(&mut self, text: &str) {
        let why = "Runs the project's tests.";
        let here = self.around();
        let instead = Some(Instead::RunTests);
        self.report(FindingKind::RunTests, instead, text, why, &[here]);
    }

    /// A command loses work or data.
    pub(super) fn loses(&mut self, text: &str, why: &'static str, targets: &[Target]) {
        self.report(FindingKind::Destructive, None, text, why, targets);
    }

    /// What will run is unknown.
    pub(super) fn cannot_tell(&mut self, text: &str, why: impl Into<Cow<'static, str>>) {
        if self.has_doubts {
            self.report(FindingKind::Opaque, None, text, why, &[]);
        }
    }

    /// Records a finding.
    pub(super) fn report(
        &mut self,
        kind: FindingKind,
        instead: Option<Instead>,
        text: &str,
        why: impl Into<Cow<'static, str>>,
        targets: &[Target],
    ) {
        let text = siderail_syntax::excerpt::excerpt_of(text);
        if !self.findings.wants(kind, instead, text) {
            return;
        }
        let paths = shown_paths(&self.places, targets);
        let finding = Finding {
            kind,
            instead,
            text: String::new(),
            why: why.into(),
            paths,
        };
        self.findings.add(finding, text, &self.outer);
    }
}
