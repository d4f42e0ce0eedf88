//! Labelled command lines are judged as their labels say.
//!
//! The open two thirds of the guard's corpus and the lines met later must be exact, and each failure is shown. Of the
//! third that is kept apart only totals are shown, and they are held against the aims, as those of the lines are
//! that were labelled by somebody who had not seen the guard's answers.

use siderail_oracles::labelled::{self, Labelled};
use siderail_oracles::tally::Tally;
use siderail_shell::Dialect;

fn meets_the_aims(name: &str, tally: &Tally, report: &str) {
    let (precision, recall) = (tally.precision(), tally.recall());
    println!(
        "{name}: {} lines ({} benign), {} exact; redirect precision {precision:.4}, recall {recall:.4}; \
         {} of {} dangers missed",
        tally.lines, tally.benign, tally.exact, tally.missed_dangers, tally.dangers
    );
    assert!(precision >= 0.98 && recall >= 0.98, "{name}\n{report}");
    assert_eq!(tally.missed_dangers, 0, "{name}\n{report}");
}

#[test]
fn every_open_line_is_judged_exactly_as_labelled() {
    let mut lines = labelled::read(&labelled::corpus());
    lines.retain(|line| !line.is_kept_apart());
    lines.extend(labelled::read(&labelled::later()));
    let tally = Tally::of(&lines);
    assert!(
        tally.lines > 3_000,
        "the corpus is gone: {} lines",
        tally.lines
    );
    assert!(
        tally.exact == tally.lines,
        "{} of {} lines are misjudged\n{}",
        tally.lines - tally.exact,
        tally.lines,
        tally.report
    );
}

#[test]
fn the_third_kept_apart_meets_the_aims() {
    let mut lines = labelled::read(&labelled::corpus());
    lines.retain(Labelled::is_kept_apart);
    let tally = Tally::of(&lines);
    assert!(
        tally.lines > 500,
        "the corpus is gone: {} lines",
        tally.lines
    );
    // Which lines fail is not shown, so that nobody works towards them.
    meets_the_aims("kept apart", &tally, "");
}

#[test]
fn lines_that_nobody_worked_towards_are_judged_as_the_policy_says() {
    let lines = labelled::read(&labelled::fresh());
    assert!(lines.len() > 1_300, "the lines are gone: {}", lines.len());
    for (shell, dialect) in [
        ("bash", Dialect::Bash),
        ("fish", Dialect::Fish),
        ("PowerShell", Dialect::PowerShell),
        ("cmd", Dialect::Cmd),
    ] {
        let of_shell = lines.iter().filter(|line| line.setting.dialect == dialect);
        let tally = Tally::of(of_shell);
        meets_the_aims(shell, &tally, &tally.report);
    }
}
