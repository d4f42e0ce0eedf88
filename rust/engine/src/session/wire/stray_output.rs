//! What an agent writes to its output outside of the protocol: banners, stray prints, or nothing else at all.
//!
//! Plain data. Some agents print a little, which is reported and does no harm. A flood is folded, and a program that
//! has written many lines and not one message is not an agent.

/// Lines that are reported one by one.
const TOLD: u64 = 20;
/// Lines without a single message after which a program counts as none that speaks the protocol.
const MOST_AHEAD: u64 = 200;

/// The lines that were no messages.
#[derive(Debug, Default)]
pub(in crate::session) struct Noise {
    n_lines: u64,
    first: String,
    last: String,
    /// How often the last line came again.
    again: u64,
    n_told: u64,
    has_spoken: bool,
}

impl Noise {
    /// A message of the protocol came.
    pub(in crate::session) fn message(&mut self) {
        self.has_spoken = true;
    }

    /// A line that is not a message, and why; returns what to report of it.
    pub(in crate::session) fn line(&mut self, line: &str, why: &str) -> Option<String> {
        self.n_lines += 1;
        if self.n_lines == 1 {
            line.clone_into(&mut self.first);
        } else if line == self.last {
            self.again += 1;
            return None;
        }
        let again = std::mem::take(&mut self.again);
        line.clone_into(&mut self.last);
        self.n_told += 1;
        if self.n_told <= TOLD {
            let more = match again {
                0 => String::new(),
                n => format!(" (the line before it came {n} times more)"),
            };
            return Some(format!("{why}: {line}{more}"));
        }
        let n = self.n_lines;
        // Ever rarer, so that a flood of any length is a few lines.
        let worth_a_word = self.n_told.is_power_of_two();
        worth_a_word.then(|| format!("{n} lines so far were not messages, the last: {line}"))
    }

    /// True when waiting for a message makes no sense any more.
    pub(in crate::session) fn is_all(&self) -> bool {
        !self.has_spoken && self.n_lines >= MOST_AHEAD
    }

    /// What to say of a program that has written lines and never a message.
    pub(in crate::session) fn no_agent(&self) -> Option<(String, String)> {
        if self.has_spoken || self.n_lines == 0 {
            return None;
        }
        let (n, lines) = match self.n_lines {
            1 => (1, "line"),
            n => (n, "lines"),
        };
        let text = format!(
            "this program does not speak ACP: it wrote {n} {lines} and no message of the protocol; the first \
             is `{}`",
            self.first
        );
        let hint = "start the agent in its ACP mode, often by a flag such as --acp or a \
                    word such as acp, and make sure nothing else writes to its standard output";
        Some((text, hint.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_lines_is_a_few_words_whether_they_are_the_same_or_not() {
        let mut same = Noise::default();
        let told: Vec<_> = (0..10_000)
            .filter_map(|_| same.line("y", "no JSON"))
            .collect();
        assert_eq!(told, ["no JSON: y"]);
        assert_eq!(
            same.line("n", "no JSON").as_deref(),
            Some("no JSON: n (the line before it came 9999 times more)")
        );
        let mut other = Noise::default();
        let told = (0..1_000_000).filter_map(|n| other.line(&n.to_string(), "no JSON"));
        assert!(told.count() < 40);
    }

    #[test]
    fn only_a_program_that_never_spoke_is_no_agent() {
        let mut noise = Noise::default();
        assert_eq!(noise.no_agent(), None, "it has said nothing at all");
        for _ in 0..MOST_AHEAD {
            assert!(!noise.is_all());
            noise.line("banner", "no JSON");
        }
        assert!(noise.is_all());
        let (text, _) = noise.no_agent().unwrap();
        assert!(text.contains("does not speak ACP") && text.contains("`banner`"));
        noise.message();
        assert!(!noise.is_all() && noise.no_agent().is_none());
    }
}
