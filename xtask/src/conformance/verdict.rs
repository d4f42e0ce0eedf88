//! Compares what the suite found with what was expected to fail.
//!
//! Stricter than the suite's own reading of the same list: every entry needs a reason, and one that fits no
//! check at all is stale too.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// Checks that may fail, as `scenario:check`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Expected(BTreeSet<String>);

impl Expected {
    /// Reads the list: the suite's YAML, one `- scenario:check # reason` a line.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut entries = BTreeSet::new();
        for (at, line) in text.lines().enumerate() {
            let Some(entry) = line.trim_start().strip_prefix("- ") else {
                continue;
            };
            let (name, reason) = entry.split_once(" #").unwrap_or((entry, ""));
            if reason.trim().is_empty() {
                return Err(format!("line {}: {name} has no reason", at + 1));
            }
            if !name.contains(':') {
                return Err(format!("line {}: {name} names no check", at + 1));
            }
            entries.insert(name.trim().to_owned());
        }
        Ok(Self(entries))
    }
}

/// Checks of one scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    passed: usize,
    not_offered: usize,
    failed: usize,
}

/// The outcome of one era, or of all.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    scenarios: BTreeMap<String, Tally>,
    /// Lines for the person who has to fix something.
    surprises: Vec<String>,
}

/// Reads the results that the suite left in `folder`.
pub(super) fn judge(folder: &Path, expected: &Expected) -> Result<Verdict, String> {
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    let mut checks = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let file = entry.path().join("checks.json");
        if let Ok(text) = fs::read(&file) {
            let list = serde_json::from_slice(&text);
            let list: Vec<Value> = list.map_err(|e| format!("{}: {e}", file.display()))?;
            let name = scenario(&entry.file_name().to_string_lossy());
            checks.extend(list.into_iter().map(|check| (name.clone(), check)));
        }
    }
    Ok(verdict(&checks, expected))
}

/// A result's folder is `server-SCENARIO-TIME`, where the time is 24 characters.
fn scenario(folder: &str) -> String {
    let name = folder.strip_prefix("server-").unwrap_or(folder);
    let end = name.len().saturating_sub("-2000-01-01T00-00-00-000Z".len());
    name[..end].to_owned()
}

fn verdict(checks: &[(String, Value)], expected: &Expected) -> Verdict {
    let mut verdict = Verdict::default();
    let mut failing = BTreeSet::new();
    for (scenario, check) in checks {
        let id = check["id"].as_str().unwrap_or_default();
        let name = format!("{scenario}:{id}");
        let tally = verdict.scenarios.entry(scenario.clone()).or_default();
        match check["status"].as_str().unwrap_or_default() {
            "SUCCESS" => tally.passed += 1,
            // Said for information, or not applicable; the suite does not count these either.
            "INFO" | "SKIPPED" => {}
            _ if expected.0.contains(&name) => {
                tally.not_offered += 1;
                failing.insert(name);
            }
            _ => {
                tally.failed += 1;
                let why = check["errorMessage"].as_str().unwrap_or_default();
                verdict.surprises.push(format!("failed: {name}: {why}"));
            }
        }
    }
    for entry in expected.0.difference(&failing) {
        let tally = verdict.scenarios.entry("stale entries".to_owned());
        tally.or_default().failed += 1;
        let line = format!("stale: {entry} is listed as not offered and does not fail");
        verdict.surprises.push(line);
    }
    verdict
}

impl Verdict {
    pub(super) fn is_clean(&self) -> bool {
        self.surprises.is_empty()
    }

    pub(super) fn add(&mut self, other: Self) {
        for (name, tally) in other.scenarios {
            let sum = self.scenarios.entry(name).or_default();
            *sum = sum.plus(tally);
        }
        self.surprises.extend(other.surprises);
    }

    fn sum(&self) -> Tally {
        let tallies = self.scenarios.values();
        tallies.fold(Tally::default(), |sum, tally| sum.plus(*tally))
    }

    /// Prints the closing lines.
    pub(super) fn close(self) -> Result<(), String> {
        let Tally {
            passed,
            not_offered,
            failed,
        } = self.sum();
        println!(
            "\n{not_offered} more checks ask for what is not offered; \
             tests/conformance/not-offered has the reason of each"
        );
        println!("{passed} passed, {failed} failed");
        match (passed, self.is_clean()) {
            (0, _) => Err("the suite checked nothing".to_owned()),
            (_, true) => Ok(()),
            (_, false) => Err(format!("{failed} surprises of the conformance suite")),
        }
    }
}

impl Tally {
    fn plus(self, other: Self) -> Self {
        Self {
            passed: self.passed + other.passed,
            not_offered: self.not_offered + other.not_offered,
            failed: self.failed + other.failed,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = |formatter: &mut fmt::Formatter<'_>, name: &str, tally: &Tally| {
            let Tally {
                passed,
                not_offered,
                failed,
            } = tally;
            writeln!(
                formatter,
                "{name:46} {passed:7} {not_offered:12} {failed:7}"
            )
        };
        writeln!(
            formatter,
            "{:46} {:>7} {:>12} {:>7}",
            "scenario", "passed", "not offered", "failed"
        )?;
        for (name, tally) in &self.scenarios {
            row(formatter, name, tally)?;
        }
        row(formatter, "together", &self.sum())?;
        for surprise in &self.surprises {
            writeln!(formatter, "{surprise}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Expected, Tally, scenario, verdict};

    fn expected(text: &str) -> Expected {
        Expected::parse(text).expect("the list is well formed")
    }

    fn check(scenario: &str, id: &str, status: &str) -> (String, Value) {
        (scenario.to_owned(), json!({ "id": id, "status": status }))
    }

    #[test]
    fn an_entry_without_a_reason_or_for_a_whole_scenario_is_refused() {
        let parse = |text| Expected::parse(text).expect_err("it is refused");
        assert!(parse("server:\n  - a:b").contains("line 2: a:b has no reason"));
        assert!(parse("server:\n  - a # why").contains("names no check"));
    }

    #[test]
    fn a_failure_that_is_not_listed_is_a_surprise() {
        let checks = [check("s", "a", "SUCCESS"), check("s", "b", "FAILURE")];
        let found = verdict(&checks, &Expected::default());
        assert!(!found.is_clean());
        assert_eq!(
            found.sum(),
            Tally {
                passed: 1,
                not_offered: 0,
                failed: 1
            }
        );
    }

    #[test]
    fn a_listed_failure_counts_as_not_offered() {
        let checks = [check("s", "a", "INFO"), check("s", "b", "WARNING")];
        let found = verdict(&checks, &expected("- s:b # why"));
        assert!(found.is_clean());
        assert_eq!(
            found.sum(),
            Tally {
                passed: 0,
                not_offered: 1,
                failed: 0
            }
        );
    }

    #[test]
    fn an_entry_that_passes_or_is_not_checked_any_more_is_stale() {
        let checks = [check("s", "a", "SUCCESS")];
        let found = verdict(&checks, &expected("- s:a # why\n- s:gone # why"));
        assert_eq!(found.surprises.len(), 2, "{:?}", found.surprises);
        assert_eq!(found.sum().failed, 2);
    }

    #[test]
    fn a_scenario_is_named_without_time() {
        let folder = "server-server-stateless-2026-11-21T16-50-17-272Z";
        assert_eq!(scenario(folder), "server-stateless");
    }
}
