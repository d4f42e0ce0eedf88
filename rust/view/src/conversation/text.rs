//! How much of a text an item keeps: the beginning and the end, if it is too long.

use siderail_event::FileDiff;

/// Characters of an output, a command or guidance.
pub(super) const TEXT: usize = 20_000;
/// The same of a side of a change, and of a diff.
pub(super) const DIFF: usize = 100_000;
/// The same of a title.
pub(super) const TITLE: usize = 1_000;

pub(super) fn shortened(diff: &FileDiff) -> FileDiff {
    FileDiff {
        path: diff.path.clone(),
        old_text: diff.old_text.as_deref().map(|text| capped(text, DIFF)),
        new_text: capped(&diff.new_text, DIFF),
    }
}

/// A text that is too long without its middle, and how much that was.
pub(super) fn capped(text: &str, most: usize) -> String {
    let half = most / 2;
    // A text has no more characters than bytes.
    if text.len() <= most {
        return text.to_owned();
    }
    let n = text.chars().count();
    if n <= most {
        return text.to_owned();
    }
    let at = |nth| {
        text.char_indices()
            .nth(nth)
            .map_or(text.len(), |(at, _)| at)
    };
    let (head, tail) = (&text[..at(half)], &text[at(n - half)..]);
    format!("{head}\n… {} …\n{tail}", n - 2 * half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_keeps_its_beginning_and_its_end() {
        // The plugin's test reads the same file.
        let file = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../tests/boundary/rule.capped.json"
        );
        let cases = std::fs::read_to_string(file).expect("the rule");
        let cases: serde_json::Value = serde_json::from_str(&cases).expect("JSON");
        let cases = cases.as_array().expect("cases");
        assert!(cases.len() > 5, "{}", cases.len());
        for case in cases {
            let text = case["text"].as_str().expect("a text");
            let most = case["most"].as_u64().expect("a number");
            let most = usize::try_from(most).expect("a small one");
            assert_eq!(capped(text, most), case["capped"], "{case}");
        }
    }
}
