//! The end of a run for people: what was denied, whether the model followed, what was written.

use siderail_engine::event::{StopReason, Summary};

use super::ROW;
use crate::style::{Style, Tone, counted, names, one_line};

/// A few rows, each with its line end.
pub(super) fn text(summary: &Summary, style: Style) -> String {
    let mut rows = vec![style.paint(
        Tone::Strong,
        &format!(
            "{}: {} after {}, {:.1} s",
            one_line(&summary.agent, ROW),
            ended(&summary.stop_reason),
            counted(summary.turns.into(), "turn", "turns"),
            summary.duration_s
        ),
    )];
    if !summary.denials.is_empty() {
        let each: Vec<String> = summary
            .denials
            .iter()
            .map(|(tool, n)| format!("{} {n}", one_line(tool, ROW)))
            .collect();
        rows.push(format!("  denied: {}", one_line(&each.join(", "), ROW)));
    }
    let told = summary.escalations;
    if told.turn + told.session > 0 {
        rows.push(format!(
            "  stronger guidance: {} after denials in a turn, {} after denials in the session",
            told.turn, told.session
        ));
    }
    for (channel, counts) in &summary.guidance {
        let mut said = vec![format!("{} delivered", counts.delivered)];
        if counts.no_receipt > 0 {
            said.push(format!("{} without a receipt", counts.no_receipt));
        }
        if counts.failed > 0 {
            said.push(format!("{} failed", counts.failed));
        }
        rows.push(format!("  guidance by {channel}: {}", said.join(", ")));
    }
    if let Some(rate) = summary.redirect_rate {
        rows.push(format!(
            "  redirect rate: {:.0} % ({} followed, {} ignored)",
            rate * 100.0,
            summary.followed,
            summary.ignored
        ));
    }
    if !summary.files_written.is_empty() {
        let files = one_line(&names(&summary.files_written), 4 * ROW);
        rows.push(format!("  written: {files}"));
    }
    if summary.unguarded {
        rows.push(style.paint(
            Tone::Bad,
            "  unguarded: something ran that nobody was asked about",
        ));
    }
    rows.push(String::new());
    rows.join("\n")
}

/// A stop reason in plain words.
fn ended(stop_reason: &StopReason) -> String {
    match stop_reason {
        StopReason::EndTurn => "done".to_owned(),
        other => one_line(&other.as_str().replace('_', " "), ROW),
    }
}
