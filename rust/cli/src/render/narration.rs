//! The permission flow with the events' own words, for the demonstration: each event is a row, with what the model
//! was told below it.

use siderail_engine::event::{CountedOver, EventBody, Receipt};

use super::flow::{LONG_ROW, said_by};
use super::{Renderer, Told};
use crate::style::{Tone, harmless, one_line};

/// Lines of a guidance text that are shown, and their columns.
const SAID_LINES: usize = 12;
const SAID_COLUMNS: usize = 96;

impl Renderer {
    pub(super) fn told_in_words(&mut self, out: &mut String, body: &EventBody) {
        let worded = self
            .asked_in_words(body)
            .or_else(|| aftermath_in_words(body));
        let Some(Worded {
            word,
            tone,
            row,
            said,
        }) = worded
        else {
            return self.told_shortly(out, body);
        };
        let word = self.style.paint(tone, &format!("{word:<22}"));
        let row = format!("{word} {}", one_line(&row, LONG_ROW));
        self.row(out, row.trim_end());
        let said = harmless(said);
        for line in said.lines().flat_map(wrapped).take(SAID_LINES) {
            let line = self.style.paint(Tone::Dim, &format!("    | {line}"));
            self.row(out, line.trim_end());
        }
    }

    fn asked_in_words<'a>(&self, body: &'a EventBody) -> Option<Worded<'a>> {
        let asked = |request_id| self.requests.get(request_id);
        Some(match body {
            EventBody::PermissionRequest {
                request_id,
                channel,
                ..
            } => {
                let label = asked(request_id).map_or("", |asked| asked.label.as_str());
                let row = format!("{label} (asked through {channel})");
                Worded {
                    word: "PERMISSION_REQUEST",
                    tone: Tone::Place,
                    row,
                    said: "",
                }
            }
            EventBody::PreRejectionGuidance {
                request_id, text, ..
            } => {
                let told = asked(request_id).and_then(|asked| asked.told.as_ref());
                let row = told.map(Told::shortly).unwrap_or_default();
                Worded {
                    word: "PRE_REJECTION_GUIDANCE",
                    tone: Tone::Notice,
                    row,
                    said: text,
                }
            }
            EventBody::PermissionDenied { by, text, .. } => {
                let row = said_by(by.as_str(), text);
                Worded {
                    word: "PERMISSION_DENIED",
                    tone: Tone::Bad,
                    row,
                    said: "",
                }
            }
            EventBody::PermissionApproved { tool, by, .. } => {
                let row = format!("{tool} ({})", said_by(by.as_str(), ""));
                Worded {
                    word: "PERMISSION_APPROVED",
                    tone: Tone::Good,
                    row,
                    said: "",
                }
            }
            _ => return None,
        })
    }
}

/// An event under its own word: a row, and a text that the model was given.
struct Worded<'a> {
    word: &'static str,
    tone: Tone,
    row: String,
    said: &'a str,
}

fn aftermath_in_words(body: &EventBody) -> Option<Worded<'_>> {
    let (word, tone, row, said) = match body {
        EventBody::GuidanceReceipt {
            receipt,
            channel,
            text,
            ..
        } => {
            let receipt = receipt_words(*receipt);
            (
                "GUIDANCE_RECEIPT",
                Tone::Dim,
                format!("{receipt} ({channel}) {text}"),
                "",
            )
        }
        EventBody::GuidanceFollowed { tool, .. } => (
            "GUIDANCE_FOLLOWED",
            Tone::Good,
            format!("the model used {tool}"),
            "",
        ),
        EventBody::GuidanceIgnored { tool, .. } => (
            "GUIDANCE_IGNORED",
            Tone::Notice,
            format!("after the denial of {tool}"),
            "",
        ),
        EventBody::AutoRetry { attempt, text } => (
            "AUTO_RETRY",
            Tone::Notice,
            format!("continuation {attempt}"),
            text.as_str(),
        ),
        EventBody::Nudge { denials, text } => (
            "NUDGE",
            Tone::Notice,
            format!("{denials} denials in a row"),
            text.as_str(),
        ),
        EventBody::Escalation {
            tool,
            scope,
            denials,
            text,
        } => (
            "ESCALATION",
            Tone::Notice,
            format!(
                "{tool} denied {denials} times in this {}",
                counted_over(*scope)
            ),
            text.as_str(),
        ),
        _ => return None,
    };
    Some(Worded {
        word,
        tone,
        row,
        said,
    })
}

fn counted_over(scope: CountedOver) -> &'static str {
    match scope {
        CountedOver::Turn => "turn",
        CountedOver::Session => "session",
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
