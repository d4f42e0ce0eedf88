//! Files that a prompt names with `@`: the agent gets a link to each beside the text.

use serde_json::{Value, json};

use super::Session;

/// Links of one prompt.
const MOST: usize = 20;

impl Session {
    /// A link to each file of the project that the text names as `@path`, once.
    pub(super) fn mentioned(&self, text: &str) -> Vec<Value> {
        let mut names: Vec<&str> = Vec::new();
        for word in text.split_whitespace() {
            let Some(name) = word.strip_prefix('@') else {
                continue;
            };
            let name = name.trim_end_matches(|c: char| ",.;:!?)\"'".contains(c));
            if !name.is_empty() && !names.contains(&name) {
                names.push(name);
            }
        }
        let link = |name: &str| {
            let path = self.root().join(name);
            let file = path.canonicalize().ok()?;
            let is_ours = file.starts_with(self.root()) && file.is_file();
            let uri = address(&file.display().to_string());
            is_ours.then(|| json!({"type": "resource_link", "uri": uri, "name": name}))
        };
        names.into_iter().filter_map(link).take(MOST).collect()
    }
}

/// The address of a file, with everything escaped that is no plain part of one.
fn address(path: &str) -> String {
    let mut out = "file://".to_owned();
    if !path.starts_with('/') {
        out.push('/');
    }
    for byte in path.bytes() {
        match byte {
            b'\\' => out.push('/'),
            b'/' | b':' | b'-' | b'.' | b'_' | b'~' => out.push(byte.into()),
            byte if byte.is_ascii_alphanumeric() => out.push(byte.into()),
            byte => out += &format!("%{byte:02X}"),
        }
    }
    out
}
