//! Counts how the guard's answers compare with labels.

use crate::labelled::{self, Labelled};
use siderail_shell::ShellVerdict;
use std::fmt::Write;

/// What became of some labelled lines.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// How many there are.
    pub lines: u32,
    /// Those that are simply allowed by their label.
    pub benign: u32,
    /// Those with the labelled kinds of finding, no more and no fewer.
    pub exact: u32,
    /// Redirected, and rightly so.
    pub hits: u32,
    /// Not redirected, though labelled so.
    pub misses: u32,
    /// Redirected, though not labelled so.
    pub false_alarms: u32,
    /// Labelled kinds for which a person is asked.
    pub dangers: u32,
    /// Those of them that were not found.
    pub missed_dangers: u32,
    /// The lines that are not exact, for people.
    pub report: String,
}

impl Tally {
    /// Counts lines.
    pub fn of<'l>(lines: impl IntoIterator<Item = &'l Labelled>) -> Self {
        let mut tally = Self::default();
        lines.into_iter().for_each(|line| tally.add(line));
        tally
    }

    fn add(&mut self, line: &Labelled) {
        let analysis = line.analyse();
        let found = labelled::kinds(&analysis);
        self.lines += 1;
        self.benign += u32::from(line.kinds.is_empty());
        match line.complaint(&analysis) {
            None => self.exact += 1,
            // Writing to a String cannot fail.
            Some(complaint) => {
                let _ = writeln!(
                    self.report,
                    "{}: {complaint}\n    {:?}",
                    line.place, line.command
                );
            }
        }
        match (line.expected(), analysis.verdict) {
            (ShellVerdict::Redirect, ShellVerdict::Redirect) => self.hits += 1,
            (ShellVerdict::Redirect, _) => self.misses += 1,
            (_, ShellVerdict::Redirect) => self.false_alarms += 1,
            _ => {}
        }
        let dangers = line.kinds.iter();
        for kind in dangers.filter(|kind| ShellVerdict::of(**kind) == ShellVerdict::Ask) {
            self.dangers += 1;
            self.missed_dangers += u32::from(!found.contains(kind));
        }
    }

    /// How many of the redirected lines are labelled so, from 0 to 1.
    pub fn precision(&self) -> f64 {
        f64::from(self.hits) / f64::from((self.hits + self.false_alarms).max(1))
    }

    /// How many of the lines labelled as redirected are, from 0 to 1.
    pub fn recall(&self) -> f64 {
        f64::from(self.hits) / f64::from((self.hits + self.misses).max(1))
    }
}
