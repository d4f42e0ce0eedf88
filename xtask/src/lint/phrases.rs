//! Phrases that people stumbled over, kept out of what they read: string literals of the command, help texts,
//! documents, the plugin's texts. A list grows; what is on it was replaced everywhere first.

use super::finding::Finding;

/// What nobody should read, and what to write instead.
const PHRASES: [(&str, &str); 31] = [
    ("is answered with those", "lists the available ones"),
    ("those there are", "the available ones"),
    ("is no TOML", "is not valid TOML"),
    ("is no UTF-8", "is not valid UTF-8"),
    ("it is no file", "it is not a file"),
    ("is no recording", "is not a recording"),
    ("is no choice", "press …"),
    ("no login is missing", "already logged in"),
    ("turned down", "denied"),
    ("is forgotten", "was removed"),
    ("cannot be told it", "…"),
    ("is for `policy` one of", "valid values:"),
    ("is no JSON", "is not JSON"),
    ("is no object", "is not an object"),
    ("is no list", "is not a list"),
    ("is no number", "is not a number"),
    ("wants a login", "needs you to log in"),
    ("passed over", "skipped"),
    ("put back", "restored"),
    ("taken back", "revoked"),
    ("is not believed", "is not trusted"),
    ("is answered no", "is rejected"),
    ("may be given again", "repeatable"),
    ("out of its package", "from its package"),
    ("no build makes again", "no build recreates"),
    ("not known to git", "untracked"),
    ("can be written down in", "can be saved in"),
    ("about which a person is asked", "so you are asked"),
    ("is gone through by hand", "check it by hand"),
    ("the answer breaks off", "the answer ends early"),
    ("it is unknown how", "unknown status"),
];

/// The phrases of a Rust file that are in what its program says: literals and the comments that become help texts.
pub(super) fn rust(path: &str, text: &str) -> Vec<Finding> {
    if !is_product(path) {
        return Vec::new();
    }
    let is_help = path.starts_with("rust/cli/src/args");
    let told = |line: &str| -> String {
        match line.trim_start().strip_prefix("///") {
            Some(help) if is_help => help.to_owned(),
            _ => literals(line),
        }
    };
    let product = text
        .lines()
        .take_while(|line| !line.starts_with("#[cfg(test)]"));
    found(path, product.map(told))
}

/// Code whose literals people or models may read.
pub(crate) fn is_product(path: &str) -> bool {
    let is_source = path.starts_with("rust/") && path.contains("/src/") && path.ends_with(".rs");
    is_source && !path.contains("/tests") && !path.starts_with("rust/testkit/")
}

/// The phrases of a document or a bundle of texts.
pub(super) fn prose(path: &str, text: &str) -> Vec<Finding> {
    found(path, text.lines().map(str::to_owned))
}

fn found(path: &str, lines: impl Iterator<Item = String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (at, line) in lines.enumerate() {
        for (phrase, better) in PHRASES {
            if line.contains(phrase) {
                let text = format!("`{phrase}` reads badly; for example `{better}`");
                findings.push(Finding::new(path, at + 1, text));
            }
        }
    }
    findings
}

/// What is in quotes in a line of code, or the whole line if a literal continues from the one before.
pub(crate) fn literals(line: &str) -> String {
    let trimmed = line.trim_start();
    if trimmed.starts_with("//") {
        return String::new();
    }
    let mut out = String::new();
    let (mut inside, mut escaped) = (false, false);
    for c in line.chars() {
        match c {
            '"' if !escaped => {
                inside = !inside;
                out.push(' ');
            }
            c if inside => out.push(c),
            _ => {}
        }
        escaped = c == '\\' && !escaped;
    }
    match out.is_empty() {
        true => line.split(" // ").next().unwrap_or_default().to_owned(),
        false => out,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stilted_phrase_is_found_in_what_people_read_and_nowhere_else() {
        let code = "let is_no_file = 1; // it is no file\nlet what = \"it is no file\";\n#[cfg(test)]\n\"it is no file\"\n";
        let findings = rust("rust/cli/src/x.rs", code);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].line, 2);
        assert!(rust("rust/cli/src/x/tests.rs", code).is_empty());
        assert_eq!(rust("rust/engine/src/x.rs", code).len(), 1);
        let help = "    /// Set a mode; an unknown one is answered with those\n";
        assert_eq!(rust("rust/cli/src/args.rs", help).len(), 1);
        assert!(rust("rust/cli/src/run.rs", help).is_empty());
        assert_eq!(prose("README.md", "a\na plan was turned down\n").len(), 1);
    }
}
