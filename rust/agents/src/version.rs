//! Whether an agent's version is one that its profile was tried on.
//!
//! Profiles name versions in words for people (`@google/gemini-cli 0.61.0`, `mistral-vibe 3.0.3 (reports
//! 3.0.2)`); every word that looks like a version counts.

/// How an agent's version compares to those that its profile names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// One of them.
    Tested,
    /// By its number it should behave like one of them.
    Near,
    /// Another one.
    Untested,
    /// The agent or the profile names none.
    Unknown,
}

/// Compares what an agent says of itself with its profile.
pub fn standing(tested: &[String], says: Option<&str>) -> Standing {
    let says = says.map(|version| version.trim().trim_start_matches('v'));
    let Some(says) = says.filter(|version| !version.is_empty()) else {
        return Standing::Unknown;
    };
    let known: Vec<&str> = tested.iter().flat_map(|text| versions(text)).collect();
    if known.is_empty() {
        Standing::Unknown
    } else if known.contains(&says) {
        Standing::Tested
    } else if known.iter().any(|known| is_near(known, says)) {
        Standing::Near
    } else {
        Standing::Untested
    }
}

fn versions(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || "(),;".contains(c))
        .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'))
}

/// Up to the first number that is not zero all numbers are the same (Semantic Versioning 2.0, as Cargo
/// reads it).
fn is_near(known: &str, says: &str) -> bool {
    let (known, says) = (numbers(known), numbers(says));
    let significant = known.iter().position(|n| *n != 0);
    let significant = significant.map_or(known.len(), |at| at + 1);
    known.len() >= 2 && says.len() >= significant && known[..significant] == says[..significant]
}

fn numbers(version: &str) -> Vec<u64> {
    let plain = version.split(['-', '+']).next().unwrap_or_default();
    plain.split('.').map_while(|n| n.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tested: &[&str], says: Option<&str>, expected: Standing) {
        let tested: Vec<String> = tested.iter().map(|t| (*t).to_owned()).collect();
        assert_eq!(standing(&tested, says), expected, "{tested:?} {says:?}");
    }

    #[test]
    fn a_version_is_tested_near_or_another() {
        let gemini = ["@google/gemini-cli 0.61.0"];
        check(&gemini, Some("0.61.0"), Standing::Tested);
        check(&gemini, Some("v0.61.0"), Standing::Tested);
        check(&gemini, Some("0.61.9"), Standing::Near);
        check(&gemini, Some("0.62.0"), Standing::Untested);
        check(&gemini, Some("nightly"), Standing::Untested);
        let codex = ["@agentclientprotocol/codex-acp 2.6.0 (codex 0.166.0)"];
        check(&codex, Some("2.7.1"), Standing::Near);
        check(&codex, Some("3.0.0"), Standing::Untested);
        check(
            &["vibe 3.0.3 (reports 3.0.2)"],
            Some("3.0.2"),
            Standing::Tested,
        );
        check(&["x 0.0.3"], Some("0.0.4"), Standing::Untested);
    }

    #[test]
    fn without_a_version_on_either_side_nothing_is_known() {
        check(&["1.0.0"], None, Standing::Unknown);
        check(&["1.0.0"], Some(" "), Standing::Unknown);
        check(&[], Some("1.0.0"), Standing::Unknown);
        check(&["any"], Some("1.0.0"), Standing::Unknown);
    }
}
