//! The steps of a plan that was written as text, and which of them are done according to what the agent says.

use crate::event::{PlanEntry, PlanEntryPriority, PlanEntryStatus};

/// Steps that are distinguished.
const MOST: usize = 100;
/// Characters of a step.
const TEXT: usize = 500;
/// Characters of a line that are looked at for a step's number.
const HEAD: usize = 60;

/// The steps of a plan: its numbered lines, else its bullets; of those the least indented.
pub(super) fn steps_of(text: &str) -> Vec<PlanEntry> {
    let lines = text.lines().map(|line| {
        let rest = line.trim_start();
        (line.len() - rest.len(), rest)
    });
    let collect = |mark: fn(&str) -> Option<&str>| {
        let found: Vec<(usize, &str)> = lines
            .clone()
            .filter_map(|(indent, line)| Some((indent, mark(line)?)))
            .collect();
        let least = found.iter().map(|(indent, _)| *indent).min();
        found
            .into_iter()
            .filter(|(indent, _)| Some(*indent) == least)
            .map(|(_, step)| entry(step))
            .filter(|step| !step.text.is_empty())
            .take(MOST)
            .collect::<Vec<_>>()
    };
    match collect(numbered) {
        steps if steps.is_empty() => collect(bullet),
        steps => steps,
    }
}

fn numbered(line: &str) -> Option<&str> {
    let line = line.trim_start_matches(['#', '*', ' ']);
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let has_number = rest.len() < line.len() && line.len() - rest.len() <= 3;
    let rest = rest.strip_prefix(['.', ')'])?;
    (has_number && rest.starts_with([' ', '\t'])).then_some(rest)
}

fn bullet(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(['-', '*', '•'])?.strip_prefix(' ')?;
    Some(rest.strip_prefix("[ ]").unwrap_or(rest))
}

fn entry(step: &str) -> PlanEntry {
    let text = step.replace("**", "").replace('`', "");
    PlanEntry {
        text: text.trim().chars().take(TEXT).collect(),
        status: PlanEntryStatus::Pending,
        priority: PlanEntryPriority::Medium,
    }
}

/// How far the steps have come, by lines of the agent's messages that begin with a step's number.
#[derive(Debug)]
pub(super) struct Progress {
    entries: Vec<PlanEntry>,
    /// The head of the line that is being written.
    line: String,
}

impl Progress {
    pub(super) fn new(entries: &[PlanEntry]) -> Self {
        Self {
            entries: entries.to_vec(),
            line: String::new(),
        }
    }

    pub(super) fn entries(&self) -> &[PlanEntry] {
        &self.entries
    }

    /// A piece of a message; all steps where one has begun.
    pub(super) fn hear(&mut self, piece: &str, starts: bool) -> Option<Vec<PlanEntry>> {
        if starts {
            self.line.clear();
        }
        let mut changed = false;
        for letter in piece.chars() {
            if letter == '\n' {
                self.line.clear();
            } else if self.line.len() < HEAD {
                self.line.push(letter);
                // What follows the number ends it: `Step 1` may continue as `Step 12`.
                if let Some(number) = begun(&self.line) {
                    changed |= self.begin(number);
                }
            }
        }
        changed.then(|| self.entries.clone())
    }

    /// The work is over.
    pub(super) fn finish(&mut self) -> Option<Vec<PlanEntry>> {
        let running = self
            .entries
            .iter_mut()
            .filter(|e| e.status == PlanEntryStatus::InProgress);
        let n = running
            .map(|entry| entry.status = PlanEntryStatus::Completed)
            .count();
        (n > 0).then(|| self.entries.clone())
    }

    fn begin(&mut self, number: usize) -> bool {
        let Some(at) = number.checked_sub(1).filter(|at| *at < self.entries.len()) else {
            return false;
        };
        let mut changed = false;
        for (n, entry) in self.entries.iter_mut().enumerate().take(at + 1) {
            let status = if n < at {
                PlanEntryStatus::Completed
            } else {
                PlanEntryStatus::InProgress
            };
            if entry.status != status && entry.status != PlanEntryStatus::Completed {
                entry.status = status;
                changed = true;
            }
        }
        changed
    }
}

/// The number of the step that this line announces, once the number is at its end.
fn begun(line: &str) -> Option<usize> {
    let line = line.trim_start_matches(['#', '*', ' ', '_', '-']);
    let head = line
        .get(..4)
        .filter(|head| head.eq_ignore_ascii_case("step"))?;
    let rest = line[head.len()..].trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, after) = rest.split_at(digits);
    after
        .starts_with([':', '.', ' ', ')', '/', '*'])
        .then(|| number.parse().ok())?
}
