//! The results of a test run, of any tool.

use std::path::Path;

use siderail_workspace::confine::written;

/// Counts and failures. Without counts nothing that could be read was left behind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Results {
    pub(super) counts: Option<Counts>,
    pub(super) failures: Vec<Failure>,
    /// A word about where the results come from, for the model.
    pub(super) note: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) passed: usize,
    pub(super) failed: usize,
    pub(super) skipped: usize,
}

/// One failed test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) name: String,
    /// `file:line`, the file relative to the project where it is known.
    pub(super) location: Option<String>,
    /// What the tool printed about it.
    pub(super) text: String,
}

impl Counts {
    pub(super) fn total(self) -> usize {
        self.passed + self.failed + self.skipped
    }

    pub(super) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl Results {
    /// A report that says nothing, and why.
    pub(super) fn unreadable(report: &Path, root: &Path, why: &str) -> Self {
        let report = report.strip_prefix(root).unwrap_or(report);
        Self {
            note: Some(format!(
                "the report {} cannot be read ({why}); what it would tell is missing here",
                written(report)
            )),
            ..Self::default()
        }
    }

    /// Adds up several reports.
    pub(super) fn add(&mut self, other: Self) {
        if let Some(counts) = other.counts {
            self.counts.get_or_insert_default().add(counts);
        }
        self.failures.extend(other.failures);
        self.note = self.note.take().or(other.note);
    }
}
