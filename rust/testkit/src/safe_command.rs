//! Commands that several agents run without asking: they only look.

const SAFE: [&str; 10] = [
    "cat", "head", "tail", "ls", "pwd", "wc", "grep", "find", "echo", "sed",
];

/// True for a single command that only looks at files below the current folder.
#[must_use]
pub(crate) fn is_safe(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let known = words.next().is_some_and(|program| SAFE.contains(&program));
    known
        && !command.contains(['>', '|', ';', '&', '$', '`', '\n'])
        && !words.any(|word| word.starts_with(['/', '~']) || word.contains("..") || word == "-i")
}

#[cfg(test)]
mod tests {
    use super::is_safe;

    #[test]
    fn only_plain_looking_is_safe() {
        for command in ["cat src/App.java", "ls", "sed -n 1,20p a"] {
            assert!(is_safe(command), "{command}");
        }
        for command in [
            "",
            "rm a",
            "cat a > b",
            "cat /etc/passwd",
            "cat ../a",
            "sed -i s/a/b/ c",
        ] {
            assert!(!is_safe(command), "{command}");
        }
    }
}
