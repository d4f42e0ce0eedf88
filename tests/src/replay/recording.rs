//! A recording as lines, and what its client did: prompts, cancels, and what it answered when it was asked.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// A recording of `fixtures/recordings`, possibly with lines taken out or swapped.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The agent's name, which is its folder's.
    pub agent: String,
    /// The scenario's name.
    pub scenario: String,
    /// All lines, notes included.
    pub lines: Vec<Value>,
}

/// What the recorded client did.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// Number of its prompts.
    pub(super) prompts: usize,
    /// What it did at each permission request, in the order of the requests.
    pub(super) asked: Vec<Asked>,
}

/// What the recorded client did at a permission request.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Asked {
    /// A prompt that was sent while the request was open.
    pub(super) prompts: usize,
    /// The turn was cancelled while the request was open.
    pub(super) cancels: bool,
    /// An option that allows was chosen, or another one.
    pub(super) allows: bool,
    /// The turn ended before the request was answered.
    pub(super) late: bool,
}

/// The folder of all recordings.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/recordings")
}

/// Agent and scenario of all recordings, sorted.
///
/// # Panics
/// The recordings are not there.
pub fn all() -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = crate::place::paths_below(&folder())
        .iter()
        .filter_map(|path| {
            let scenario = path.file_name()?.to_str()?.strip_suffix(".acp.jsonl")?;
            let agent = path.parent()?.file_name()?.to_str()?;
            Some((agent.to_owned(), scenario.to_owned()))
        })
        .collect();
    found.sort();
    assert!(!found.is_empty(), "no recordings in {}", folder().display());
    found
}

impl Recording {
    /// Reads a recording.
    ///
    /// # Panics
    /// There is no such recording, or a line of it is not JSON.
    pub fn load(agent: &str, scenario: &str) -> Self {
        let path = folder().join(agent).join(format!("{scenario}.acp.jsonl"));
        let text = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let line = |line| serde_json::from_str(line).expect("a line of a recording is JSON");
        Self {
            agent: agent.to_owned(),
            scenario: scenario.to_owned(),
            lines: text.lines().map(line).collect(),
        }
    }

    /// As it is read by the replaying agent.
    pub(super) fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }

    /// Numbers of the agent's lines.
    pub fn agent_lines(&self) -> Vec<usize> {
        let is_agents = |index: &usize| self.lines[*index]["dir"] == "agent->client";
        (0..self.lines.len()).filter(is_agents).collect()
    }

    /// Without one line.
    pub fn without(&self, line: usize) -> Self {
        let mut changed = self.clone();
        changed.lines.remove(line);
        changed
    }

    /// With two lines in each other's place.
    pub fn with_swapped(&self, one: usize, other: usize) -> Self {
        let mut changed = self.clone();
        changed.lines.swap(one, other);
        changed
    }

    /// What the client did.
    pub(super) fn plan(&self) -> Plan {
        let mut plan = Plan::default();
        // Open permission requests: id, place in the plan, options.
        let mut open: Vec<(&Value, usize, &Value)> = Vec::new();
        for line in &self.lines {
            let message = &line["msg"];
            let last = open.last().map(|(_, place, _)| *place);
            match (line["dir"].as_str(), message["method"].as_str()) {
                (Some("agent->client"), Some("session/request_permission")) => {
                    open.push((
                        &message["id"],
                        plan.asked.len(),
                        &message["params"]["options"],
                    ));
                    plan.asked.push(Asked::default());
                }
                (Some("agent->client"), None) if message["result"]["stopReason"].is_string() => {
                    for (_, place, _) in &open {
                        plan.asked[*place].late = true;
                    }
                }
                (Some("client->agent"), Some("session/prompt")) => {
                    plan.prompts += 1;
                    if let Some(place) = last {
                        plan.asked[place].prompts += 1;
                    }
                }
                (Some("client->agent"), Some("session/cancel")) => {
                    if let Some(place) = last {
                        plan.asked[place].cancels = true;
                    }
                }
                (Some("client->agent"), None) => {
                    if let Some(at) = open.iter().position(|(id, _, _)| **id == message["id"]) {
                        let (_, place, options) = open.remove(at);
                        let chosen = &message["result"]["outcome"]["optionId"];
                        plan.asked[place].allows = allows(options, chosen);
                    }
                }
                _ => {}
            }
        }
        plan
    }
}

fn allows(options: &Value, chosen: &Value) -> bool {
    let option = options
        .as_array()
        .into_iter()
        .flatten()
        .find(|option| option["optionId"] == *chosen);
    option
        .and_then(|option| option["kind"].as_str())
        .is_some_and(|kind| kind.starts_with("allow"))
}

#[cfg(test)]
mod tests {
    use super::{Asked, Recording};

    fn asked(agent: &str, scenario: &str) -> (usize, Vec<Asked>) {
        let plan = Recording::load(agent, scenario).plan();
        (plan.prompts, plan.asked)
    }

    #[test]
    fn the_recorded_client_is_understood() {
        let (allowed, denied) = (
            || Asked {
                allows: true,
                ..Asked::default()
            },
            Asked::default,
        );
        let cancelled = Asked {
            cancels: true,
            late: true,
            ..Asked::default()
        };
        let prompted = Asked {
            prompts: 1,
            ..Asked::default()
        };
        assert_eq!(asked("claude", "cancel"), (2, vec![cancelled]));
        assert_eq!(
            asked("vibe", "deny"),
            (1, vec![denied(), denied(), denied()])
        );
        assert_eq!(asked("gemini", "mcp_http"), (1, vec![allowed(), allowed()]));
        assert_eq!(
            asked("claude", "prompt2_before"),
            (2, vec![prompted, allowed()])
        );
    }
}
