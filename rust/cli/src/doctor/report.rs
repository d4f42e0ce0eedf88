//! An examination on the screen: in full, as one line, or for programs.

use serde_json::{Value, json};

use super::findings::{Check, Checkup, Finding, State};
use crate::exit::Exit;
use crate::style::{Style, Tone, counted, one_line};

/// Characters of a text on one line.
const LINE: usize = 400;

impl State {
    fn word(self) -> &'static str {
        match self {
            Self::Well => "ok",
            Self::Note => "note",
            Self::Problem => "problem",
        }
    }

    fn tone(self) -> Tone {
        match self {
            Self::Well => Tone::Good,
            Self::Note => Tone::Notice,
            Self::Problem => Tone::Bad,
        }
    }
}

/// One object on a line.
pub(super) fn as_json(checkup: &Checkup) -> String {
    let finding = |found: &Finding| {
        json!({
            "check": found.check.name(),
            "state": found.state.word(),
            "text": found.text,
            "fix": found.fix,
        })
    };
    let findings: Vec<Value> = checkup.findings.iter().map(finding).collect();
    let value = json!({
        "agent": checkup.agent,
        "title": checkup.title,
        "exit": checkup.exit.code(),
        "findings": findings,
    });
    format!("{value}\n")
}

/// Everything that was looked at, and what to do.
pub(super) fn in_full(checkup: &Checkup, style: Style) -> String {
    let widest = checkup
        .findings
        .iter()
        .map(|found| found.check.name().len());
    let width = widest.max().unwrap_or_default();
    let title = one_line(&checkup.title, LINE);
    let title = style.paint(Tone::Strong, &title);
    let mut text = format!("{title}: {}\n", verdict(checkup, style));
    for found in &checkup.findings {
        let state = format!("{:<7}", found.state.word());
        let state = style.paint(found.state.tone(), &state);
        let mut lines = found.text.lines();
        let first = one_line(lines.next().unwrap_or_default(), LINE);
        text += &format!("  {state}  {:<width$}  {first}\n", found.check.name());
        let indent = " ".repeat(width + 13);
        for line in lines {
            text += &format!("{indent}{}\n", one_line(line, LINE));
        }
        if let Some(fix) = &found.fix {
            let fix = style.paint(Tone::Notice, &way_out(fix));
            text += &format!("{indent}{fix}\n");
        }
    }
    text
}

/// All of it in a few words.
fn verdict(checkup: &Checkup, style: Style) -> String {
    let count = |state| checkup.findings.iter().filter(|f| f.state == state).count() as u64;
    let (problems, notes) = (count(State::Problem), count(State::Note));
    let (tone, mut text) = match (checkup.exit, problems) {
        (Exit::NotStarted, _) => (Tone::Bad, "it does not start".to_owned()),
        (Exit::LoginNeeded, _) => (Tone::Bad, "needs a login".to_owned()),
        (_, 0) => (Tone::Good, "all is well".to_owned()),
        (_, n) => (Tone::Bad, counted(n, "problem", "problems")),
    };
    if notes > 0 {
        text += &format!(", {}", counted(notes, "note", "notes"));
    }
    style.paint(tone, &text)
}

/// What to do, said once.
fn way_out(fix: &str) -> String {
    let fix = one_line(fix, LINE);
    match fix.strip_prefix("to install it: ") {
        Some(command) => format!("to install it: {command}"),
        None => format!("to fix: {fix}"),
    }
}

/// A line, and one for each problem.
pub(super) fn in_short(checkup: &Checkup, style: Style) -> String {
    let problems = checkup.findings.iter();
    let problems: Vec<&Finding> = problems.filter(|f| f.state == State::Problem).collect();
    let state = match problems.is_empty() {
        true => State::Well,
        false => State::Problem,
    };
    let version = checkup.findings.iter().find(|f| f.check == Check::Version);
    let version = version.map_or(String::new(), |found| one_line(&found.text, LINE));
    let mut text = format!(
        "{}  {}  {version}\n",
        style.paint(Tone::Strong, &format!("{:<10}", checkup.agent)),
        style.paint(state.tone(), &format!("{:<7}", state.word())),
    );
    for found in problems {
        let first = found.text.lines().next().unwrap_or_default();
        let check = found.check.name();
        text += &format!("{:12}{check}: {}\n", "", one_line(first, LINE));
        if let Some(fix) = &found.fix {
            text += &format!("{:12}{}\n", "", way_out(fix));
        }
    }
    text
}
