//! What the agents' profiles tell the guard, as the engine reads it.

use std::path::Path;

use siderail_guard::normalize::Quirk;

/// The quirks of a built-in agent; none of any other.
pub(crate) fn quirks(agent: &str) -> &'static [Quirk] {
    let file = format!("../agents/profiles/{agent}.toml");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let Ok(text) = std::fs::read_to_string(file) else {
        return &[];
    };
    let profile: toml::Table = toml::from_str(&text).expect("a profile is TOML");
    let words = profile["guard"]
        .get("quirks")
        .and_then(|quirks| quirks.as_array());
    let words = words
        .into_iter()
        .flatten()
        .map(|word| word.as_str().expect("a word"));
    let quirks = words.map(|word| Quirk::parse(word).expect("a quirk"));
    quirks.collect::<Vec<_>>().leak()
}
