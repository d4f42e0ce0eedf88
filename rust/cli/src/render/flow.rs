//! Rows of the permission flow: what was asked, what was said to the model, what came of it.
//!
//! Shortly, as for a run: a denial and its guidance are one row, and what comes again and again is told when it has
//! doubled. With the events' own words it is told in `narration.rs`.

use siderail_engine::event::{ApprovedBy, EventBody, GuidanceChannel, Receipt};

use super::narration::counted_over;
use super::{Asked, ROW, Renderer, Told};
use crate::style::{Tone, counted, names, one_line};

/// Characters by which a guidance text is known again.
const TOLD: usize = 60;
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
                ..
            } => {
                let text = lines_told(text, self.style.mark(" ⏎ ", " \\n "));
                let label = self.near(&label(tool, kind, &text, paths));
                let asked = Asked { label, told: None };
                self.requests.insert(*request_id, asked);
            }
            EventBody::PreRejectionGuidance {
                request_id,
                channel,
                instead,
                text,
                ..
            } => {
                let begins: String = text.chars().take(TOLD).collect();
                if !begins.is_empty() && !self.told.contains(&begins) {
                    self.told.push(begins);
                }
                self.requests.entry(*request_id).or_default().told = Some(Told {
                    channel: *channel,
                    instead: instead.as_deref().map(|tool| one_line(tool, ROW)),
                });
            }
            EventBody::PermissionDenied {
                tool_call_id: Some(id),
                ..
            } => {
                self.denied.insert(id.clone());
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

    /// Whether a row has said as much: what comes again and again is told when it has doubled, and guidance that
    /// failed once per way. The summary counts all of it.
    fn is_told_already(&mut self, body: &EventBody) -> bool {
        let (what, times) = match body {
            EventBody::Nudge { denials, .. } => ("nudge".to_owned(), *denials),
            EventBody::Escalation {
                tool,
                scope,
                denials,
                ..
            } => (format!("tone {tool} {scope:?}"), *denials),
            EventBody::GuidanceReceipt {
                receipt: Receipt::Failed,
                channel,
                text,
                ..
            } => (format!("failed {channel} {text}"), 1),
            _ => return false,
        };
        let told = self.repeated.entry(what).or_default();
        let is_new = times >= 2 * *told && (*told == 0 || times > 1);
        if is_new {
            *told = times;
        }
        !is_new
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
                        format!("{mark} {label} {arrow} {}", told.shortly())
                    }
                    None => format!("{mark} {label} ({})", said_by(by.as_str(), text)),
                })
            }
            // what the policy allows is seen when it runs
            EventBody::PermissionApproved {
                request_id,
                tool,
                kind,
                by,
                ..
            } if *by != ApprovedBy::Policy => {
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
                    "the guidance did not reach the model ({channel}: {}); the summary counts how often",
                    why_failed(*channel, text)
                ),
            ),
            EventBody::GuidanceFollowed { tool, .. } => {
                (Tone::Good, format!("the model used {tool} instead"))
            }
            EventBody::GuidanceIgnored { tool, .. } => (
                Tone::Dim,
                format!("the model did not follow the guidance for {tool}"),
            ),
            EventBody::AutoRetry { attempt, .. } => (
                Tone::Dim,
                format!("asked the agent to go on (continuation {attempt})"),
            ),
            EventBody::RetryExhausted { attempts } => {
                let sent = counted((*attempts).into(), "continuation", "continuations");
                (Tone::Notice, format!("gave up after {sent}"))
            }
            EventBody::Nudge { denials, .. } => (
                Tone::Notice,
                format!("reminded the model of the sandbox ({denials} denials in a row)"),
            ),
            EventBody::Escalation {
                tool,
                scope,
                denials,
                ..
            } => (
                Tone::Notice,
                format!(
                    "changed the tone for {tool} (denied {denials} times in this {})",
                    counted_over(*scope)
                ),
            ),
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
            "it goes with the next result of our tools, and none was called"
        }
        ("", GuidanceChannel::Continuation) => "no further prompt was due",
        ("", _) => "the agent took no answer",
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
    pub(super) fn shortly(&self) -> String {
        match &self.instead {
            Some(tool) => format!("told the model to use {tool} ({})", self.channel),
            None => format!("told the model why ({})", self.channel),
        }
    }
}

/// What was asked for, in the words that a person would judge by.
fn label(tool: &str, kind: &str, text: &str, paths: &[String]) -> String {
    let tool = one_line(tool, ROW);
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
        "always" => "as always in this project",
        "no_terminal" => "nobody could be asked",
        "timeout" => "the time ran out",
        "cancel" => "the turn was cancelled",
        other => other,
    };
    let text = one_line(text, ROW);
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
