//! Events that are one row by themselves: of the session, of proposed plans, of prompts that wait.
//!
//! What such a row says depends on nothing that came before.

use siderail_engine::event::{
    EventBody, Hidden, PlanRejected, PlanRejectedBy, PlanningStarted, Resumed, ResumedBy, Reverted,
    SessionStarted, Steered,
};

use super::{ROW, Renderer};
use crate::style::{Tone, one_line};

impl Renderer {
    /// The row of such an event; none for any other.
    pub(super) fn session_row(&self, body: &EventBody) -> Option<String> {
        match body {
            EventBody::SessionStarted(SessionStarted {
                agent,
                version,
                policy,
                mode,
                ..
            }) => {
                let agent = one_line(agent, ROW);
                let version = one_line(version.as_deref().unwrap_or_default(), ROW);
                // most agents say their name with the version
                let names_itself = version
                    .get(..agent.len())
                    .is_some_and(|start| start.eq_ignore_ascii_case(&agent));
                let mut row = match (names_itself, version.as_str()) {
                    (true, version) => self.style.paint(Tone::Strong, version),
                    (false, "") => self.style.paint(Tone::Strong, &agent),
                    (false, version) => {
                        format!("{} {version}", self.style.paint(Tone::Strong, &agent))
                    }
                };
                row += &format!(", policy {}", one_line(policy.as_str(), ROW));
                if let Some(mode) = mode {
                    row += &format!(", mode {}", one_line(mode_name(mode), ROW));
                }
                if self.talks && self.printer.is_terminal() {
                    row += &self
                        .style
                        .paint(Tone::Dim, "\n/help lists keys and commands");
                }
                Some(row)
            }
            EventBody::Hidden(Hidden { tools }) if !tools.is_empty() => {
                let row = format!(
                    "hidden from the model: {}",
                    one_line(&tools.join(", "), ROW)
                );
                Some(self.style.paint(Tone::Dim, &row))
            }
            EventBody::PlanningStarted(PlanningStarted { mode, .. }) => {
                let with = match mode {
                    Some(mode) => format!("in the agent's mode `{}`", one_line(mode, ROW)),
                    None => "the agent has no planning mode, so writes are denied".to_owned(),
                };
                let row = format!("making a plan first; {with}");
                Some(self.style.paint(Tone::Dim, &row))
            }
            EventBody::PlanApproved(_) => {
                let mark = self.style.mark("✓ approved", "approved");
                let row = format!("{} the plan", self.style.paint(Tone::Good, mark));
                Some(row)
            }
            EventBody::PlanRejected(PlanRejected { text, by, .. }) => {
                let mark = self.style.mark("✗ not approved", "not approved");
                let mark = self.style.paint(Tone::Bad, mark);
                let said = match (text.as_str(), by) {
                    ("", PlanRejectedBy::NoTerminal) => {
                        " (nobody could be asked; approve it on a terminal or with --answer allow)"
                            .to_owned()
                    }
                    ("", PlanRejectedBy::Setting) => " (by --answer)".to_owned(),
                    ("", _) => String::new(),
                    (text, _) => format!(" ({})", one_line(text, ROW)),
                };
                Some(format!("{mark}: the plan{said}"))
            }
            EventBody::Steered(Steered { text, taken: false }) => {
                let row = format!("queued until the turn ends: {}", one_line(text, ROW));
                Some(self.style.paint(Tone::Dim, &row))
            }
            EventBody::Reverted(Reverted { path, done, text }) => {
                let path = one_line(path, ROW);
                let row = match done {
                    true => format!("reverted {path}"),
                    false => format!("{path} was not reverted: {}", one_line(text, ROW)),
                };
                Some(row)
            }
            EventBody::Resumed(Resumed {
                id, by, omitted, ..
            }) => {
                let knows = match by {
                    ResumedBy::History => "; the model does not remember it",
                    ResumedBy::Load | ResumedBy::Resume => "",
                };
                let more = match omitted {
                    0 => String::new(),
                    n => format!(", without its first {n} entries"),
                };
                let row = format!("resumed conversation {}{knows}{more}", one_line(id, ROW));
                Some(self.style.paint(Tone::Dim, &row))
            }
            _ => None,
        }
    }
}

/// Some agents call their modes by addresses, of which the last word is the name.
fn mode_name(mode: &str) -> &str {
    let is_address = mode.contains("://");
    let last = mode.rsplit(['#', '/']).next();
    last.filter(|last| is_address && !last.is_empty())
        .unwrap_or(mode)
}
