//! Permissions and guidance event by event, for `-v` and the demonstration: each is a row under its own name, with the
//! text that the model got below it.

use siderail_engine::event::{
    ApprovedBy, AutoRetry, Escalation, EventBody, GuidanceFollowed, GuidanceIgnored,
    GuidanceReceipt, Nudge, PermissionApproved, PermissionDenied, PermissionRequest,
    PreRejectionGuidance, Receipt,
};

use super::permissions::{LONG_ROW, denied_by};
use super::{ROW, Renderer};
use crate::style::{Tone, harmless, one_line};

/// Lines of a guidance text that are shown, and their columns.
const SAID_LINES: usize = 12;
const SAID_COLUMNS: usize = 96;

impl Renderer {
    /// Prints the event under its own name; false where it has none here.
    pub(super) fn named_row(&mut self, body: &EventBody) -> bool {
        let Some((name, tone)) = name(body) else {
            return false;
        };
        let name = self.style.paint(tone, &format!("{name:<22}"));
        let row = format!("{name} {}", one_line(&self.row_behind_name(body), LONG_ROW));
        self.printer.row(row.trim_end());
        let said = harmless(said_to_model(body));
        for line in said.lines().flat_map(wrapped).take(SAID_LINES) {
            let line = self.style.paint(Tone::Dim, &format!("    | {line}"));
            self.printer.row(line.trim_end());
        }
        true
    }

    fn row_behind_name(&self, body: &EventBody) -> String {
        match body {
            EventBody::PermissionRequest(PermissionRequest {
                request_id,
                channel,
                ..
            }) => {
                let label = self.requests.get(request_id).map_or("", String::as_str);
                format!("{label} (asked through {channel})")
            }
            EventBody::PreRejectionGuidance(PreRejectionGuidance {
                channel, instead, ..
            }) => match instead {
                Some(tool) => {
                    let tool = one_line(tool, ROW);
                    format!("told the model to use {tool} ({channel})")
                }
                None => format!("told the model why ({channel})"),
            },
            EventBody::PermissionDenied(PermissionDenied { by, text, .. }) => denied_by(*by, text),
            EventBody::PermissionApproved(PermissionApproved { tool, by, .. }) => {
                let by = match by {
                    ApprovedBy::Policy => "by policy",
                    ApprovedBy::User => "by the user",
                    ApprovedBy::Setting => "by a setting",
                    ApprovedBy::Always => "always allowed in this project",
                };
                format!("{tool} ({by})")
            }
            EventBody::GuidanceReceipt(GuidanceReceipt {
                receipt,
                channel,
                text,
                ..
            }) => format!("{} ({channel}) {text}", receipt_words(*receipt)),
            EventBody::GuidanceFollowed(GuidanceFollowed { tool, .. }) => {
                format!("the model used {tool}")
            }
            EventBody::GuidanceIgnored(GuidanceIgnored { tool, .. }) => {
                format!("after the denial of {tool}")
            }
            EventBody::AutoRetry(AutoRetry { attempt, .. }) => format!("continuation {attempt}"),
            EventBody::Nudge(Nudge { denials, .. }) => format!("{denials} denials in a row"),
            EventBody::Escalation(Escalation {
                tool,
                scope,
                denials,
                ..
            }) => format!("{tool} denied {denials} times in this {scope}"),
            _ => String::new(),
        }
    }
}

fn name(body: &EventBody) -> Option<(&'static str, Tone)> {
    Some(match body {
        EventBody::PermissionRequest(_) => ("PERMISSION_REQUEST", Tone::Place),
        EventBody::PreRejectionGuidance(_) => ("PRE_REJECTION_GUIDANCE", Tone::Notice),
        EventBody::PermissionDenied(_) => ("PERMISSION_DENIED", Tone::Bad),
        EventBody::PermissionApproved(_) => ("PERMISSION_APPROVED", Tone::Good),
        EventBody::GuidanceReceipt(_) => ("GUIDANCE_RECEIPT", Tone::Dim),
        EventBody::GuidanceFollowed(_) => ("GUIDANCE_FOLLOWED", Tone::Good),
        EventBody::GuidanceIgnored(_) => ("GUIDANCE_IGNORED", Tone::Notice),
        EventBody::AutoRetry(_) => ("AUTO_RETRY", Tone::Notice),
        EventBody::Nudge(_) => ("NUDGE", Tone::Notice),
        EventBody::Escalation(_) => ("ESCALATION", Tone::Notice),
        _ => return None,
    })
}

/// A text that the model was given.
fn said_to_model(body: &EventBody) -> &str {
    match body {
        EventBody::PreRejectionGuidance(PreRejectionGuidance { text, .. })
        | EventBody::AutoRetry(AutoRetry { text, .. })
        | EventBody::Nudge(Nudge { text, .. })
        | EventBody::Escalation(Escalation { text, .. }) => text,
        _ => "",
    }
}

fn receipt_words(receipt: Receipt) -> &'static str {
    match receipt {
        Receipt::Delivered => "delivered",
        Receipt::NoReceipt => "sent, not confirmed",
        Receipt::Failed => "failed",
    }
}

/// The line in pieces that a terminal shows whole, broken between words.
fn wrapped(line: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut length = 0;
    for word in line.split(' ') {
        let more = word.chars().count() + 1;
        if length > 0 && length + more > SAID_COLUMNS {
            pieces.push(String::new());
            length = 0;
        }
        if let Some(piece) = pieces.last_mut() {
            if length > 0 {
                piece.push(' ');
            }
            piece.push_str(word);
        }
        length += more;
    }
    pieces
}
