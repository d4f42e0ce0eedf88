//! Compares what a line did with what the guard says of it, and counts.

use super::exceptions::{is_build_output, may_be_emptied};
use super::line::Line;
use super::project::ROOT;
use super::sandbox::{Effect, Outcome};
use crate::labelled::Setting;
use siderail_shell::{Analysis, FindingKind};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};

/// What is to be said of a line.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// Effects that the policy counts.
    pub effects: Vec<(Effect, String)>,
    /// There is no finding.
    pub allowed: bool,
    /// There is a finding that the line cannot be read.
    pub opaque: bool,
    /// It is known to change nothing.
    pub looks: bool,
    /// It is known to change nothing, and has changed something.
    pub changed_all_the_same: bool,
    invalid: bool,
    timed_out: bool,
}

impl Judgement {
    /// Asks the guard, and leaves out the effects that an exception covers.
    pub fn of(line: &Line, outcome: &Outcome) -> Self {
        let setting = Setting {
            root: ROOT.to_owned(),
            cwd: ROOT.to_owned(),
            home: Some("/home".to_owned()),
            ..Setting::of(line.dialect())
        };
        let analysis: Analysis = setting.analyse(line.text.as_bytes());
        let counts = |(effect, path): &&(Effect, String)| {
            line.exception.is_none()
                && (*effect == Effect::Printed || !is_build_output(path))
                && !(*effect == Effect::Emptied && may_be_emptied(line, outcome.missing))
        };
        let looks = analysis.only_looks;
        // No ruling allows a change to a line that is known to make none.
        let is_change = |(effect, _): &&(Effect, String)| looks && *effect != Effect::Printed;
        let of_note = |effect: &&(Effect, String)| counts(effect) || is_change(effect);
        let effects: Vec<_> = outcome.effects.iter().filter(of_note).cloned().collect();
        Self {
            allowed: analysis.findings.is_empty(),
            changed_all_the_same: effects.iter().any(|effect| is_change(&effect)),
            effects,
            looks,
            opaque: analysis
                .findings
                .iter()
                .any(|finding| finding.kind == FindingKind::Opaque),
            invalid: outcome.invalid,
            timed_out: outcome.timed_out,
        }
    }

    /// It has an effect and no finding, or one that it is known not to have.
    pub fn is_miss(&self) -> bool {
        self.changed_all_the_same || self.allowed && !self.effects.is_empty()
    }
}

/// A line whose effect the guard missed.
#[derive(Clone, Debug)]
pub struct Miss {
    /// Its number in the run.
    pub index: u64,
    /// The line.
    pub line: Line,
    /// What it did.
    pub effects: Vec<(Effect, String)>,
    /// How, by its system calls; of a few only.
    pub calls: Vec<String>,
}

/// What a run found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Lines that ran.
    pub n_lines: usize,
    /// Lines with an effect that counts.
    pub n_effects: usize,
    /// Lines of benign commands, without an effect that counts.
    pub n_benign: usize,
    /// Benign lines that no shell can read either.
    pub n_invalid: usize,
    /// Lines that did not end in time.
    pub n_late: usize,
    /// Lines that are known to change nothing.
    pub n_looking: usize,
    /// Benign lines that the guard cannot read.
    pub opaque: Vec<(u64, Line)>,
    /// Lines with an effect and without a finding.
    pub misses: Vec<Miss>,
    /// Programs that are missing, whose productions were left out.
    pub left_out: BTreeSet<String>,
}

impl Report {
    /// Counts a line.
    pub fn note(&mut self, index: u64, line: Line, judgement: Judgement, calls: Vec<String>) {
        self.n_lines += 1;
        self.n_late += usize::from(judgement.timed_out);
        self.n_looking += usize::from(judgement.looks);
        if judgement.is_miss() {
            self.n_effects += 1;
            self.misses.push(Miss {
                index,
                line,
                effects: judgement.effects,
                calls,
            });
        } else if !judgement.effects.is_empty() {
            self.n_effects += 1;
        } else if line.benign && judgement.invalid {
            // To say that nobody can read it is right.
            self.n_invalid += 1;
        } else if line.benign {
            self.n_benign += 1;
            if judgement.opaque {
                self.opaque.push((index, line));
            }
        }
    }

    /// Adds what another worker found.
    pub fn add(&mut self, other: Self) {
        self.n_lines += other.n_lines;
        self.n_effects += other.n_effects;
        self.n_benign += other.n_benign;
        self.n_late += other.n_late;
        self.n_looking += other.n_looking;
        self.n_invalid += other.n_invalid;
        self.opaque.extend(other.opaque);
        self.misses.extend(other.misses);
        self.left_out.extend(other.left_out);
    }

    /// Whether at most 2 % of the benign lines cannot be read.
    pub fn opacity_is_bearable(&self) -> bool {
        self.opaque.len() * 50 <= self.n_benign
    }

    /// The constructs and commands that explain the misses: the one that most of them hold, then the one that most of
    /// the others hold, and so on.
    pub fn classes(&self) -> Vec<(usize, &'static str)> {
        let mut left: Vec<_> = self.misses.iter().map(|miss| &miss.line.parts).collect();
        let mut classes = Vec::new();
        loop {
            let mut counts = BTreeMap::new();
            for part in left.iter().flat_map(|parts| parts.iter()) {
                *counts.entry(*part).or_insert(0) += 1;
            }
            let Some((part, count)) = counts.into_iter().max_by_key(|(_, count)| *count) else {
                return classes;
            };
            classes.push((count, part));
            left.retain(|parts| !parts.contains(&part));
        }
    }
}

impl Display for Report {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            out,
            "{} lines, {} with an effect, {} of them missed; {} that only look; {} benign, {} of them opaque; {} more that no \
             shell can read; {} not ended in time",
            self.n_lines,
            self.n_effects,
            self.misses.len(),
            self.n_looking,
            self.n_benign,
            self.opaque.len(),
            self.n_invalid,
            self.n_late
        )?;
        if !self.left_out.is_empty() {
            writeln!(
                out,
                "left out, since it is missing here: {:?}",
                self.left_out
            )?;
        }
        for miss in &self.misses {
            writeln!(
                out,
                "--- {}: {:?}, allowed, {}\n{}",
                miss.index, miss.effects, miss.line.shell, miss.line.text
            )?;
            for call in &miss.calls {
                writeln!(out, "    {call}")?;
            }
        }
        for (index, line) in &self.opaque {
            writeln!(
                out,
                "--- {index}: benign but opaque, {}\n{}",
                line.shell, line.text
            )?;
        }
        Ok(())
    }
}
