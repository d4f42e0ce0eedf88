//! Why a person is asked about something that cannot be allowed for good: which part of a command it is, which paths
//! are meant, what is lost.
//!
//! Only words for people: the decision is made elsewhere, and the model never reads this.

use serde_json::Value;
use siderail_guard::decision::{Decision, Reason, Verdict};
use siderail_guard::shell::{Finding, ShellVerdict};
use siderail_guard::{Action, Tool};

use crate::confine::on_one_line;
use crate::session::permissions::judge::Judge;
use crate::views::text_of;

/// Parts of a command, and paths of each, that are named.
const MOST_PARTS: usize = 6;
const MOST_PATHS: usize = 6;
/// Characters of a part that are shown; the whole command is shown above.
const MOST_CHARS: usize = 200;

/// What a change of the repository runs beside git.
const HOOKS: &str =
    "git also runs the hooks, filters and signing programs of this repository and of yours";
/// Why a person is asked about what is allowed elsewhere.
const FILTERS: &str =
    "git also runs the filter programs that the repository's own configuration names (.git/config)";

impl Judge {
    /// The reasons for asking about an action of the agent, a line each; none if nothing stands out.
    pub(in crate::session) fn reasons(
        &self,
        action: &Action,
        decision: &Decision,
    ) -> Option<String> {
        self.reasons_told(action.command.as_deref(), decision, &action.paths)
    }

    /// The same for a call of one of our tools.
    pub(in crate::session) fn reasons_of_call(
        &self,
        tool: Tool,
        arguments: &Value,
        decision: &Decision,
        paths: &[String],
    ) -> Option<String> {
        let told = self.reasons_told(text_of(arguments, "command"), decision, paths);
        let named = match tool {
            Tool::GitCommit => Some(HOOKS),
            Tool::GitBranch | Tool::GitStash => (decision.verdict == Verdict::Ask).then_some(HOOKS),
            tool => self.runs_filter(tool, paths).then_some(FILTERS),
        };
        match (told, named) {
            (Some(told), Some(named)) => Some(format!("{told}\n{named}")),
            (told, named) => told.or_else(|| named.map(str::to_owned)),
        }
    }

    fn reasons_told(
        &self,
        line: Option<&str>,
        decision: &Decision,
        paths: &[String],
    ) -> Option<String> {
        if decision.verdict != Verdict::Ask {
            return None;
        }
        let mut told: Vec<String> = decision
            .findings
            .iter()
            .filter(|finding| ShellVerdict::of(finding.kind) == ShellVerdict::Ask)
            .map(|finding| self.part(finding))
            .collect();
        if !decision.outside.is_empty() {
            let outside = names(decision.outside.clone());
            told.push(format!("Writes outside of the project: {outside}"));
        }
        if decision.reason == Reason::ProtectedPath {
            told.push(self.protected(decision, line, paths));
        }
        let left = told.len().saturating_sub(MOST_PARTS);
        told.truncate(MOST_PARTS);
        if left > 0 {
            told.push(format!("… and {left} more such parts"));
        }
        (!told.is_empty()).then(|| told.join("\n"))
    }

    /// A part of a command, why it matters, and what it is about.
    fn part(&self, finding: &Finding) -> String {
        let mut part: String = on_one_line(&finding.text)
            .chars()
            .take(MOST_CHARS)
            .collect();
        if part.chars().count() < finding.text.chars().count() {
            part.push('…');
        }
        let why = finding.why.trim_end_matches('.');
        let paths = self.relative_paths(&finding.paths);
        match paths.is_empty() {
            true => format!("{part}: {why}"),
            false => format!("{part}: {why} ({})", names(paths)),
        }
    }

    fn protected(&self, decision: &Decision, line: Option<&str>, paths: &[String]) -> String {
        let touched = decision.findings.iter().flat_map(|finding| &finding.paths);
        let touched = touched.chain(paths);
        let mut found: Vec<String> = touched
            .filter(|path| self.is_protected_file(path))
            .cloned()
            .collect();
        found.dedup();
        let mut found = self.relative_paths(&found);
        // A pattern or a piece of a script is shown as it is meant, not as a path.
        let is_new = |word: &&String| !found.contains(word);
        let words: Vec<String> = decision.protected.iter().filter(is_new).cloned().collect();
        found.extend(words);
        let what = match found.is_empty() {
            true => "A protected place is named".to_owned(),
            false => format!("Protected: {}", names(found.clone())),
        };
        let mut places = found.iter().map(String::as_str).chain(line);
        let is_run =
            places.any(|place| place.contains(".git/hooks") || place.contains(".git/config"));
        let why = match is_run {
            true => "git runs what is in there without asking",
            false => "it decides how git, the IDE, an agent or Siderail itself works here",
        };
        format!("{what}: {why}")
    }
}

/// The first of many, on one line.
fn names(paths: Vec<String>) -> String {
    let left = paths.len().saturating_sub(MOST_PATHS);
    let shown = paths.iter().take(MOST_PATHS);
    let shown: Vec<String> = shown.map(|path| on_one_line(path)).collect();
    match left {
        0 => shown.join(", "),
        left => format!("{} and {left} more", shown.join(", ")),
    }
}
