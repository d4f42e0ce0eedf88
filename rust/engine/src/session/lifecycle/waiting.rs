//! What a session waits for, in words: every text about a time limit says who has not answered what, and since when.
//!
//! Limits themselves are set and dealt with where they belong; nothing here ends or cancels anything.

use std::time::Instant;

use crate::session::Session;
use crate::session::time_spans::seconds;

/// Characters of stderr that a text shows.
const TAIL: usize = 2_000;

impl Session {
    /// Who has not answered what, at this moment, and since when: sentences' parts, joined by semicolons.
    pub(in crate::session) fn waits_for(&self, now: Instant) -> String {
        let mut parts = Vec::new();
        if self.lifecycle.is_starting() && self.wire.agent.is_none() {
            parts.push("the agent's program has not started".to_owned());
        }
        parts.extend(self.wire.unanswered.values().map(|open| {
            let waited = seconds(now.saturating_duration_since(open.since));
            format!(
                "the agent has not answered `{}`, sent {waited} ago",
                open.method
            )
        }));
        parts.extend(self.own.table.waits_for());
        if self
            .questions
            .asks
            .values()
            .any(|ask| matches!(ask, crate::session::Ask::Acp { .. }))
        {
            parts.push("a person is asked about a call of the agent".to_owned());
        }
        if self.terminals.is_awaited() {
            parts.push("a command in a terminal is still running".to_owned());
        }
        match parts.is_empty() {
            true => "nothing is pending".to_owned(),
            false => parts.join("; "),
        }
    }

    /// A text with the end of what the agent said on stderr, where it said anything.
    pub(in crate::session) fn with_last_words(&self, text: String) -> String {
        let tail = self.wire.agent.as_ref().map(|agent| agent.stderr.text());
        let tail = tail.unwrap_or_default();
        match last_chars(tail.trim(), TAIL) {
            "" => text,
            tail => format!("{text}\nthe agent's last words on stderr:\n{tail}"),
        }
    }
}

fn last_chars(text: &str, n: usize) -> &str {
    match text.char_indices().rev().nth(n) {
        Some((at, c)) => &text[at + c.len_utf8()..],
        None => text,
    }
}
