//! What the agents' profiles tell the guard, as the engine reads it.

use std::path::Path;

use siderail_guard::normalize::Quirk;

/// The quirks of a built-in agent; none of any other.
pub(crate) fn quirks(agent: &str) -> &'static [Quirk] {
    let words = words(agent, "quirks");
    let quirks = words
        .iter()
        .map(|word| Quirk::parse(word).expect("a quirk"));
    quirks.collect::<Vec<_>>().leak()
}

/// Where a built-in agent names the tool of a call; nowhere of any other.
pub(crate) fn tool_name_in_meta(agent: &str) -> &'static [String] {
    words(agent, "tool_name_in_meta").leak()
}

/// A list in the profile's part for the guard.
fn words(agent: &str, member: &str) -> Vec<String> {
    let file = format!("../agents/profiles/{agent}.toml");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let Ok(text) = std::fs::read_to_string(file) else {
        return Vec::new();
    };
    let profile: toml::Table = toml::from_str(&text).expect("a profile is TOML");
    let words = profile["guard"]
        .get(member)
        .and_then(|list| list.as_array());
    let words = words.into_iter().flatten();
    words
        .map(|word| word.as_str().expect("a word").to_owned())
        .collect()
}
