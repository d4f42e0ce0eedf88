//! Words what a session waits for: every text about a time limit says who has not answered what, and since when.
//!
//! Limits themselves are set and handled elsewhere; nothing here ends or cancels anything. Plain data.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::event::ErrorKind;
use crate::session::duration_texts::seconds;
use crate::session::wire::Unanswered;

/// Characters of stderr that a text shows.
const TAIL: usize = 2_000;

/// What is open at this moment.
pub(in crate::session) struct Open<'a> {
    /// The agent's program is to run, and does not.
    pub(in crate::session) lacks_program: bool,
    /// Our requests to the agent.
    pub(in crate::session) unanswered: &'a BTreeMap<u64, Unanswered>,
    /// Calls at our server, in words.
    pub(in crate::session) own_calls: Vec<String>,
    /// A person is asked about a call of the agent.
    pub(in crate::session) asks_person: bool,
    /// The agent waits for a command in a terminal.
    pub(in crate::session) awaits_command: bool,
}

impl Open<'_> {
    /// Who has not answered what, at this moment, and since when: sentences' parts, joined by semicolons.
    pub(in crate::session) fn told(self, now: Instant) -> String {
        let mut parts = Vec::new();
        if self.lacks_program {
            parts.push("the agent's program has not started".to_owned());
        }
        parts.extend(self.unanswered.values().map(|open| {
            let waited = seconds(now.saturating_duration_since(open.since));
            format!(
                "the agent has not answered `{}`, sent {waited} ago",
                open.method
            )
        }));
        parts.extend(self.own_calls);
        if self.asks_person {
            parts.push("a person is asked about a call of the agent".to_owned());
        }
        if self.awaits_command {
            parts.push("a command in a terminal is still running".to_owned());
        }
        match parts.is_empty() {
            true => "nothing is pending".to_owned(),
            false => parts.join("; "),
        }
    }
}

/// Whether an error of this kind is shown with the agent's last words on stderr. An agent that needs a login has said
/// so, and one that is configured wrongly has done nothing.
pub(in crate::session) fn shows_last_words(kind: &ErrorKind) -> bool {
    !matches!(kind, ErrorKind::Login | ErrorKind::Setting)
}

/// A text with the end of what the agent said on stderr, where it said anything.
pub(in crate::session) fn with_last_words(text: String, stderr: &str) -> String {
    match last_chars(stderr.trim(), TAIL) {
        "" => text,
        tail => format!("{text}\nthe agent's last words on stderr:\n{tail}"),
    }
}

fn last_chars(text: &str, n: usize) -> &str {
    match text.char_indices().rev().nth(n) {
        Some((at, c)) => &text[at + c.len_utf8()..],
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn everything_that_is_open_is_named_and_nothing_else() {
        let now = Instant::now();
        let none = BTreeMap::new();
        let open = |unanswered| Open {
            lacks_program: false,
            unanswered,
            own_calls: Vec::new(),
            asks_person: false,
            awaits_command: false,
        };
        assert_eq!(open(&none).told(now), "nothing is pending");
        let request = Unanswered {
            method: "session/new".to_owned(),
            since: now,
        };
        let unanswered = BTreeMap::from([(1, request)]);
        let all = Open {
            lacks_program: true,
            own_calls: vec!["x is still running".to_owned()],
            asks_person: true,
            awaits_command: true,
            ..open(&unanswered)
        };
        let told = all.told(now + Duration::from_secs(5));
        let parts: Vec<&str> = told.split("; ").collect();
        assert_eq!(parts.len(), 5, "{told}");
        assert!(parts[0].contains("has not started") && parts[1].contains("`session/new`, sent 5"));
        assert_eq!(parts[2], "x is still running");
    }

    #[test]
    fn the_end_of_stderr_is_shown_where_there_is_one() {
        let told = |stderr: &str| with_last_words("it failed".to_owned(), stderr);
        assert_eq!(told(" \n"), "it failed");
        assert!(told("no key\n").ends_with("on stderr:\nno key"));
        let long = format!("start{}", "ü".repeat(TAIL));
        let shown = told(&long);
        assert!(!shown.contains("start") && shown.ends_with(&"ü".repeat(TAIL)));
        assert!(!shows_last_words(&ErrorKind::Login) && shows_last_words(&ErrorKind::Closed));
    }
}
