//! Rows of permissions and guidance: who allowed or denied a call, what the model should use instead, what was lost.
//!
//! A denial and its guidance are one row. For `-v`, `named_events.rs` gives each event a row of its own.

use siderail_engine::event::{
    ActionWord, ApprovedBy, AutoRetry, DeniedBy, EventBody, GuidanceChannel, GuidanceReceipt,
    InactivityTimeout, PermissionRequest, Receipt, RetryExhausted, Unguarded,
};
use siderail_engine::guard::{ActionKind, Tool};
use siderail_engine::tools::SERVER;

use super::{CallItem, ROW, Renderer};
use crate::style::{Tone, counted, names, one_line};

/// Characters of a row that explains.
pub(super) const LONG_ROW: usize = 4 * ROW;

impl Renderer {
    /// An event of permissions or guidance; others show nothing here.
    pub(super) fn permission(&mut self, body: &EventBody, item: Option<CallItem<'_>>) {
        let row = match body {
            EventBody::PermissionRequest(request) => {
                self.requested(request, item);
                None
            }
            EventBody::PermissionDenied(denied) => {
                let asked = self.requests.remove(&denied.request_id);
                let label =
                    asked.unwrap_or_else(|| label(&denied.tool, &denied.kind, "", &denied.paths));
                Some(self.denied(&label, &denied_by(denied.by, &denied.text), item))
            }
            EventBody::PermissionApproved(approved) => {
                let asked = self.requests.remove(&approved.request_id);
                let label = asked.unwrap_or_else(|| label(&approved.tool, &approved.kind, "", &[]));
                self.approved(&label, approved.by)
            }
            body => self.aftermath(body),
        };
        if self.narrate && self.named_row(body) {
            return;
        }
        if let Some(row) = row {
            self.printer.row(&row);
        }
    }

    /// Keeps what is asked for until the answer's row; a question shows its call by itself.
    fn requested(&mut self, request: &PermissionRequest, item: Option<CallItem<'_>>) {
        let tool = Tool::named(&request.tool);
        if request.asks {
            self.shown_in_question(item, !request.diffs.is_empty());
            if tool == Some(Tool::RunCommand) && self.printer.is_terminal() {
                self.seen_commands.insert(request.text.clone());
            }
        }
        let label = self.request_label(request, tool);
        self.requests.insert(request.request_id, label);
    }

    /// What was asked for, in the words that a person would judge by.
    fn request_label(&self, request: &PermissionRequest, tool: Option<Tool>) -> String {
        let text = match tool {
            // its files and its message were asked about
            Some(Tool::GitCommit) => {
                let first = request.text.lines().next().unwrap_or_default();
                first.trim_end_matches(':').to_owned()
            }
            _ => self.joined_lines(&request.text),
        };
        self.near(&label(&request.tool, &request.kind, &text, &request.paths))
    }

    /// A question shows its call, and at a terminal what that changes.
    fn shown_in_question(&mut self, item: Option<CallItem<'_>>, has_changes: bool) {
        let Some(item) = item else {
            return;
        };
        self.printer.drop_waiting_row(item.id);
        if has_changes && self.printer.is_terminal() {
            self.seen_changes.insert(item.id);
        }
    }

    /// The row of a denial: what the model got, else why.
    fn denied(&mut self, label: &str, why: &str, item: Option<CallItem<'_>>) -> String {
        if let Some(item) = item {
            self.printer.drop_waiting_row(item.id);
        }
        let mark = self.style.mark("✗ denied", "denied");
        let mark = self.style.paint(Tone::Bad, mark);
        let denial = item.and_then(|item| item.call.denial.as_ref());
        match denial.filter(|denial| denial.channel.is_some()) {
            Some(denial) => {
                let arrow = self.style.mark("→", "->");
                let instead = use_instead(denial.instead.as_deref());
                format!("{mark} {label} {arrow} {instead}")
            }
            None => format!("{mark} {label} ({why})"),
        }
    }

    /// The row of an approval. What the policy allows is seen when it runs; what a person at the terminal has answered
    /// is shown already.
    fn approved(&mut self, label: &str, by: ApprovedBy) -> Option<String> {
        self.printer.print_waiting_row();
        let is_seen = match by {
            ApprovedBy::Policy => true,
            ApprovedBy::User => self.printer.is_terminal(),
            _ => false,
        };
        let mark = self.style.mark("✓ allowed", "allowed");
        let mark = self.style.paint(Tone::Good, mark);
        (!is_seen).then(|| format!("{mark} {label}"))
    }

    /// The row of the outcome of a denial, or of what the engine did about many.
    fn aftermath(&mut self, body: &EventBody) -> Option<String> {
        let (tone, row) = match body {
            EventBody::GuidanceReceipt(GuidanceReceipt {
                receipt: Receipt::Failed,
                channel,
                text,
                ..
            }) => {
                // once per way and task: the summary counts all of it
                if !self.lost_guidance.insert(format!("{channel} {text}")) {
                    return None;
                }
                let why = why_failed(*channel, text);
                let row = format!("the guidance did not reach the model ({channel}: {why})");
                (Tone::Notice, row)
            }
            EventBody::AutoRetry(AutoRetry { attempt, .. }) => {
                let row = format!("asked the agent to continue (attempt {attempt})");
                (Tone::Dim, row)
            }
            EventBody::RetryExhausted(RetryExhausted { attempts }) => {
                let sent = counted((*attempts).into(), "continuation", "continuations");
                (Tone::Notice, format!("gave up after {sent}"))
            }
            EventBody::Unguarded(Unguarded { text }) => (Tone::Bad, format!("UNGUARDED: {text}")),
            EventBody::InactivityTimeout(InactivityTimeout { seconds, text }) => {
                let row = match text.as_str() {
                    "" => format!("the agent was silent for {seconds} s; its turn is cancelled"),
                    text => text.to_owned(),
                };
                (Tone::Notice, row)
            }
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

/// What a person needs to know of guidance: the tool that the model is to use, by its own name.
fn use_instead(tool: Option<&str>) -> String {
    let Some(tool) = tool else {
        return "told the model why".to_owned();
    };
    let tool = one_line(tool, ROW);
    let bare = tool.split_once(SERVER).map(|(_, name)| name);
    let bare = bare.map(|name| name.trim_start_matches(|c: char| !c.is_alphanumeric()));
    let bare = bare.filter(|name| !name.is_empty());
    format!("use {}", bare.unwrap_or(&tool))
}

/// A tool, and what it was to do as far as that is known.
fn label(tool: &str, kind: &ActionWord, text: &str, paths: &[String]) -> String {
    // what has no name of its own is called by its kind
    let tool = match ActionKind::named(tool) {
        Some(ActionKind::Execute) => "command".to_owned(),
        _ => one_line(tool, ROW),
    };
    let what = match (text.trim(), paths) {
        ("", []) => one_line(kind.as_str(), ROW),
        ("", paths) => one_line(&names(paths), ROW),
        (text, _) => one_line(text, ROW),
    };
    if what.contains(&tool) {
        what
    } else {
        format!("{tool}: {what}")
    }
}

/// Who denied, and why.
pub(super) fn denied_by(by: DeniedBy, text: &str) -> String {
    let who = match by {
        DeniedBy::Policy => "by policy",
        DeniedBy::User => "by the user",
        DeniedBy::Setting => "by a setting",
        DeniedBy::NoTerminal => "nobody could be asked",
        DeniedBy::Timeout => "the time limit passed",
        DeniedBy::Cancel => "the turn was cancelled",
    };
    let text = match (by, text) {
        (DeniedBy::Cancel, "the turn is over") => String::new(),
        (_, text) => one_line(text, ROW),
    };
    let says_who = ["by ", "because "]
        .iter()
        .any(|word| text.starts_with(word));
    if says_who {
        return text;
    }
    if text.is_empty() {
        who.to_owned()
    } else {
        format!("{who}: {text}")
    }
}
