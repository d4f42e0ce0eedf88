//! How much of a text that still grows can be written already, so that no secret is cut in two and missed in both halves.

use super::{Redaction, Secret};

/// Ends of words, and of lines, that are looked at.
const TRIED: usize = 8;
/// Placeholders for what comes next: if an assignment is open, some of one of them is hidden. A quote may be closed, a
/// line end behind its value, or a separator come only now.
const NEXT: [&str; 3] = ["zq\" zq' zq", "zq7zq7zq7", "= zq7zq7zq7"];

impl Redaction {
    /// Bytes at the beginning of a growing text that hide the same by themselves, whatever comes after them: up to the
    /// end of a word, behind which neither a known secret nor the value of an assignment may continue.
    pub fn settled(&self, text: &str) -> usize {
        let is_end = |c: char| c.is_whitespace() || "。，、！？".contains(c);
        let words = text.rmatch_indices(is_end).take(TRIED);
        let lines = text.rmatch_indices('\n').take(TRIED);
        let mut ends = words.chain(lines).map(|(at, end)| at + end.len());
        ends.find(|end| self.is_settled(&text[..*end], &text[*end..]))
            .unwrap_or(0)
    }

    fn is_settled(&self, before: &str, after: &str) -> bool {
        let goes_on = |secret: &Secret| {
            let secret = &secret.text;
            let starts = secret.char_indices().map(|(at, _)| at).skip(1);
            let mut halves = starts.map(|at| secret.split_at(at));
            halves.any(|(first, rest)| {
                before.ends_with(first) && (rest.starts_with(after) || after.starts_with(rest))
            })
        };
        if self.secrets.iter().any(goes_on) {
            return false;
        }
        let hidden = self.text(before);
        let mut next = NEXT.into_iter();
        next.all(|next| self.text(&format!("{before}{next}")) == format!("{hidden}{next}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_growing_text_is_settled_up_to_its_last_word_and_never_inside_of_a_secret() {
        let redaction = Redaction::new(["two words\nand lines".to_owned()]);
        for (text, settled) in [
            ("", ""),
            ("unbroken", ""),
            ("one two thr", "one two "),
            ("one\ntw", "one\n"),
            ("一句。二", "一句。"),
            ("send Bearer abc", "send "),
            ("run A_TOKEN= x", "run "),
            ("run A_TOKEN = x", "run "),
            ("run A_TOKEN x y", "run A_TOKEN x "),
            ("it is\npassword: hunt", "it is\n"),
            (
                "it is\npassword: hunter2\nand",
                "it is\npassword: hunter2\n",
            ),
            ("the token: it is sh", "the token: it is "),
            ("so {\"password\": \"my pass phr", "so "),
            (
                "so {\"password\": \"mine\"} is",
                "so {\"password\": \"mine\"} ",
            ),
            ("it is two words\nand li", "it is "),
            (
                "it is two words\nand lines, now",
                "it is two words\nand lines, ",
            ),
            ("it is two words\nalone", "it is two words\n"),
        ] {
            assert_eq!(&text[..redaction.settled(text)], settled, "{text:?}");
        }
    }
}
