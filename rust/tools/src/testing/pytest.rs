//! What pytest prints with `-ra --tb=short`: a block per failure, a short summary, one line of counts.

use std::path::{Component, Path, PathBuf};

use super::pattern::regex;
use super::results::{Counts, Failure, Results};

/// `folder`: where pytest ran, from which it names files; `root`: the project's.
pub(super) fn results(log: &str, folder: &Path, root: &Path) -> Results {
    Results {
        counts: counts(log),
        failures: failures(log, folder, root),
        note: None,
    }
}

/// `==== 1 failed, 2 passed, 1 skipped in 0.12s ====`
fn counts(log: &str) -> Option<Counts> {
    let summary = regex(r"^=*\s*(no tests ran|\d.*) in [\d.]+s(?: \([\d:]+\))?\s*=*$");
    let line = log.lines().rev().find_map(|line| summary.captures(line))?;
    let mut counts = Counts::default();
    for part in line[1].split(", ") {
        let Some((number, word)) = part.split_once(' ') else {
            continue;
        };
        let number: usize = number.parse().unwrap_or(0);
        match word {
            "passed" | "xpassed" => counts.passed += number,
            "failed" | "error" | "errors" => counts.failed += number,
            "skipped" | "xfailed" => counts.skipped += number,
            _ => {}
        }
    }
    Some(counts)
}

fn failures(log: &str, folder: &Path, root: &Path) -> Vec<Failure> {
    let head = regex(r"^_{3,} (?:ERROR (?:at \w+ of|collecting) )?(\S.*?) _{3,}$");
    let frame = regex(r"^(\S.*?\.py|<[^>]+>):(\d+): ");
    let unreadable = regex(r#"^E +File "([^"]+)", line (\d+)"#);
    let mut failures: Vec<Failure> = Vec::new();
    let mut open: Option<Failure> = None;
    let mut in_library = false;
    for line in log.lines() {
        if let Some(found) = head.captures(line) {
            failures.extend(open.take());
            in_library = false;
            open = Some(Failure {
                name: found[1].to_owned(),
                ..Failure::default()
            });
        } else if line.starts_with("=====") {
            failures.extend(open.take());
        } else if let Some(failure) = &mut open {
            let found = frame.captures(line);
            in_library = match &found {
                Some(found) => own(&found[1], folder, root).is_none(),
                None => in_library && !line.starts_with("E "),
            };
            if in_library {
                continue;
            }
            // The last place in the project's own code is the nearest to the cause. For a file that Python cannot
            // read, no frame is in that.
            if let Some(found) = found.or_else(|| unreadable.captures(line))
                && let Some(file) = own(&found[1], folder, root)
            {
                failure.location = Some(format!("{}:{}", file.display(), &found[2]));
            }
            failure.text.push_str(line);
            failure.text.push('\n');
        }
    }
    failures.extend(open);
    failures
}

/// The whole path of a file that is the project's. pytest names files near where it ran from there, with `..` also
/// those of an interpreter that is installed beside the project.
fn own(file: &str, folder: &Path, root: &Path) -> Option<PathBuf> {
    let is_foreign = ["site-packages", "dist-packages"]
        .iter()
        .any(|folder| file.contains(folder));
    if file.starts_with('<') || is_foreign {
        return None;
    }
    let mut whole = PathBuf::new();
    for step in folder.join(file).components() {
        match step {
            Component::ParentDir => drop(whole.pop()),
            step => whole.push(step),
        }
    }
    whole.starts_with(root).then_some(whole)
}
