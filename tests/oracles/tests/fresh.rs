//! Command lines labelled from the policy's text by somebody who had not seen the guard's answers.

use siderail_guard::shell::{FindingKind, ShellVerdict};
use siderail_oracles::labelled::{self, Labelled};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

#[derive(Debug, Default)]
struct Tally {
    lines: u32,
    benign: u32,
    exact: u32,
    hits: u32,
    misses: u32,
    false_alarms: u32,
    dangers: u32,
    missed_dangers: u32,
}

impl Tally {
    fn precision(&self) -> f64 {
        f64::from(self.hits) / f64::from((self.hits + self.false_alarms).max(1))
    }

    fn recall(&self) -> f64 {
        f64::from(self.hits) / f64::from((self.hits + self.misses).max(1))
    }
}

fn names(kinds: &BTreeSet<FindingKind>) -> String {
    let names: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
    if names.is_empty() {
        "-".to_owned()
    } else {
        names.join(",")
    }
}

fn tally(lines: &[Labelled], report: &mut String) -> BTreeMap<&'static str, Tally> {
    let mut tallies: BTreeMap<&'static str, Tally> = BTreeMap::new();
    for line in lines {
        let analysis = line.analyse();
        let found = labelled::kinds(&analysis);
        let tally = tallies.entry(shell(line)).or_default();
        tally.lines += 1;
        tally.benign += u32::from(line.kinds.is_empty());
        if found == line.kinds {
            tally.exact += 1;
        } else {
            let (expected, found) = (names(&line.kinds), names(&found));
            let _ = writeln!(
                report,
                "{}: {expected} but is {found}\n    {:?}",
                line.place, line.command
            );
        }
        match (line.expected(), analysis.verdict) {
            (ShellVerdict::Redirect, ShellVerdict::Redirect) => tally.hits += 1,
            (ShellVerdict::Redirect, _) => tally.misses += 1,
            (_, ShellVerdict::Redirect) => tally.false_alarms += 1,
            _ => {}
        }
        let dangers = line
            .kinds
            .iter()
            .filter(|kind| kind.verdict() == ShellVerdict::Ask);
        for kind in dangers {
            tally.dangers += 1;
            tally.missed_dangers += u32::from(!found.contains(kind));
        }
    }
    tallies
}

fn shell(line: &Labelled) -> &'static str {
    use siderail_guard::shell::Dialect;
    match line.setting.dialect {
        Dialect::Bash => "bash",
        Dialect::Fish => "fish",
        Dialect::PowerShell => "powershell",
        Dialect::Cmd => "cmd",
    }
}

#[test]
fn lines_that_nobody_worked_towards_are_judged_as_the_policy_says() {
    let mut report = String::new();
    let tallies = tally(&labelled::read(&labelled::fresh()), &mut report);
    for (shell, tally) in &tallies {
        println!(
            "{shell}: {} lines ({} benign), {} exact; redirect precision {:.4}, recall {:.4}; {} of {} dangers missed",
            tally.lines,
            tally.benign,
            tally.exact,
            tally.precision(),
            tally.recall(),
            tally.missed_dangers,
            tally.dangers
        );
    }
    let n_lines: u32 = tallies.values().map(|tally| tally.lines).sum();
    assert!(n_lines > 900, "the lines are gone");
    for (shell, tally) in &tallies {
        assert!(
            tally.precision() >= 0.98 && tally.recall() >= 0.98,
            "{shell}:\n{report}"
        );
        assert_eq!(tally.missed_dangers, 0, "{shell}:\n{report}");
    }
}
