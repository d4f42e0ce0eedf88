//! Rows of the permission flow: what was asked, what was said to the model, what came of it.
//!
//! A denial and its guidance are one row. What came of it, and each event by its own word, is for those who ask:
//! `narration.rs`.

use siderail_engine::event::{ApprovedBy, EventBody, GuidanceChannel, Receipt};

use super::calls::RUNS_COMMANDS;
use super::{Asked, ROW, Renderer, Told};
use crate::style::{Tone, counted, names, one_line};

/// How agents name the server of our tools ahead of a tool.
const SERVER: &str = "intellij-code-tools";
/// Characters of a row that explains.
pub(super) const LONG_ROW: usize = 4 * ROW;

impl Renderer {
    pub(super) fn flow(&mut self, out: &mut String, body: &EventBody) {
        self.remember(body);
        if self.narrate {
            self.told_in_words(out, body);
        } else {
            self.told_shortly(out, body);
        }
        if let EventBody::PermissionDenied { request_id, .. }
        | EventBody::PermissionApproved { request_id, .. } = body
        {
            self.requests.remove(request_id);
        }
    }

    fn remember(&mut self, body: &EventBody) {
        match body {
            EventBody::PermissionRequest {
                request_id,
                tool,
                kind,
                text,
                paths,
                tool_call_id,
                diffs,
                asks,
                ..
            } => {
                // at a terminal the question shows the change
                if *asks && !diffs.is_empty() && self.columns.is_some() {
                    self.seen_changes.extend(tool_call_id.clone());
                }
                if *asks && tool == RUNS_COMMANDS && self.columns.is_some() {
                    self.seen_commands.insert(text.clone());
                }
                let text = match tool.as_str() {
                    // its files and its message were asked about
                    "git_commit" => text
                        .lines()
                        .next()
                        .unwrap_or_default()
                        .trim_end_matches(':')
                        .to_owned(),
                    _ => lines_told(text, self.style.mark(" ⏎ ", " \\n ")),
                };
                let label = self.near(&label(tool, kind, &text, paths));
                let asked = Asked {
                    label,
                    tool_call_id: tool_call_id.clone(),
                    told: None,
                };
                self.requests.insert(*request_id, asked);
            }
            EventBody::PreRejectionGuidance {
                request_id,
                channel,
                instead,
                ..
            } => {
                self.requests.entry(*request_id).or_default().told = Some(Told {
                    channel: *channel,
                    instead: instead.as_deref().map(|tool| one_line(tool, ROW)),
                });
            }
            _ => {}
        }
    }

    pub(super) fn told_shortly(&mut self, out: &mut String, body: &EventBody) {
        if self.is_told_already(body) {
            return;
        }
        if let Some(row) = self.verdict(body).or_else(|| self.aftermath(body)) {
            self.row(out, &row);
        }
    }

    /// Guidance that did not arrive is told once per way and task. The summary counts all of it.
    fn is_told_already(&mut self, body: &EventBody) -> bool {
        match body {
            EventBody::GuidanceReceipt {
                receipt: Receipt::Failed,
                channel,
                text,
                ..
            } => !self.lost.insert(format!("{channel} {text}")),
            _ => false,
        }
    }

    /// The row of a denial with what the model was told, or of a person's approval.
    fn verdict(&self, body: &EventBody) -> Option<String> {
        let style = self.style;
        let labelled = |request_id: &u64, tool: &str, kind: &str, paths: &[String]| {
            let asked = self.requests.get(request_id);
            let asked = asked
                .map(|asked| asked.label.clone())
                .filter(|label| !label.is_empty());
            asked.unwrap_or_else(|| label(tool, kind, "", paths))
        };
        match body {
            EventBody::PermissionDenied {
                request_id,
                tool,
                kind,
                by,
                text,
                paths,
                ..
            } => {
                let label = labelled(request_id, tool, kind, paths);
                let mark = style.paint(Tone::Bad, style.mark("✗ denied", "denied"));
                let told = self
                    .requests
                    .get(request_id)
                    .and_then(|asked| asked.told.as_ref());
                Some(match told {
                    Some(told) => {
                        let arrow = style.mark("→", "->");
                        format!("{mark} {label} {arrow} {}", told.for_people())
                    }
                    None => format!("{mark} {label} ({})", said_by(by.as_str(), text)),
                })
            }
            // what the policy allows is seen when it runs; what a person at the terminal has answered stands there
            EventBody::PermissionApproved {
                request_id,
                tool,
                kind,
                by,
                ..
            } if *by != ApprovedBy::Policy
                && !(*by == ApprovedBy::User && self.columns.is_some()) =>
            {
                let label = labelled(request_id, tool, kind, &[]);
                let mark = style.paint(Tone::Good, style.mark("✓ allowed", "allowed"));
                Some(format!("{mark} {label}"))
            }
            _ => None,
        }
    }

    /// The row of what came of a denial, or of what the engine did about many.
    fn aftermath(&self, body: &EventBody) -> Option<String> {
        let (tone, row) = match body {
            EventBody::GuidanceReceipt {
                receipt: Receipt::Failed,
                channel,
                text,
                ..
            } => (
                Tone::Notice,
                format!(
                    "the guidance did not reach the model ({channel}: {})",
                    why_failed(*channel, text)
                ),
            ),
            EventBody::AutoRetry { attempt, .. } => (
                Tone::Dim,
                format!("asked the agent to continue (attempt {attempt})"),
            ),
            EventBody::RetryExhausted { attempts } => {
                let sent = counted((*attempts).into(), "continuation", "continuations");
                (Tone::Notice, format!("gave up after {sent}"))
            }
            EventBody::Unguarded { text } => (Tone::Bad, format!("UNGUARDED: {text}")),
            EventBody::InactivityTimeout { seconds, text } if text.is_empty() => (
                Tone::Notice,
                format!("the agent was silent for {seconds} s; its turn is cancelled"),
            ),
            EventBody::InactivityTimeout { text, .. } => (Tone::Notice, text.clone()),
            _ => return None,
        };
        Some(self.style.paint(tone, &one_line(&row, LONG_ROW)))
    }
}

/// Why guidance did not arrive, where the event does not say it.
fn why_failed(channel: GuidanceChannel, text: &str) -> &str {
    match (text, channel) {
        ("", GuidanceChannel::Notice) => {
            "it was for the next result of our tools, but none was called"
        }
        ("", GuidanceChannel::Continuation) => "there was no further prompt",
        ("", _) => "the agent accepted no answer",
        (text, _) => text,
    }
}

/// A text of several lines on one, with a mark where a line ends: run as one line it would be another command.
pub(super) fn lines_told(text: &str, mark: &str) -> String {
    let lines = text.lines().map(str::trim);
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    lines.join(mark)
}

impl Told {
    /// What a person needs to know: the tool that the model is to use, by its own name.
    fn for_people(&self) -> String {
        let Some(tool) = &self.instead else {
            return "told the model why".to_owned();
        };
        let bare = tool.split_once(SERVER).map(|(_, name)| name);
        let bare = bare.map(|name| name.trim_start_matches(|c: char| !c.is_alphanumeric()));
        let bare = bare.filter(|name| !name.is_empty());
        format!("use {}", bare.unwrap_or(tool))
    }

    pub(super) fn shortly(&self) -> String {
        match &self.instead {
            Some(tool) => format!("told the model to use {tool} ({})", self.channel),
            None => format!("told the model why ({})", self.channel),
        }
    }
}

/// What was asked for, in the words that a person would judge by.
fn label(tool: &str, kind: &str, text: &str, paths: &[String]) -> String {
    let tool = match tool {
        // what has no name of its own is called by its kind
        "execute" => "command".to_owned(),
        tool => one_line(tool, ROW),
    };
    let what = match (text.trim(), paths) {
        ("", []) => one_line(kind, ROW),
        ("", paths) => one_line(&names(paths), ROW),
        (text, _) => one_line(text, ROW),
    };
    if what.contains(&tool) {
        what
    } else {
        format!("{tool}: {what}")
    }
}

pub(super) fn said_by(by: &str, text: &str) -> String {
    let who = match by {
        "policy" => "by policy",
        "user" => "by the user",
        "setting" => "by a setting",
        "always" => "always denied in this project",
        "no_terminal" => "nobody could be asked",
        "timeout" => "the time limit passed",
        "cancel" => "the turn was cancelled",
        other => other,
    };
    let text = match (by, text) {
        ("cancel", "the turn is over") => String::new(),
        (_, text) => one_line(text, ROW),
    };
    let says_who = ["by ", "because "]
        .iter()
        .any(|word| text.starts_with(word));
    if says_who {
        return text;
    }
    if text.is_empty() {
        one_line(who, ROW)
    } else {
        format!("{}: {text}", one_line(who, ROW))
    }
}
