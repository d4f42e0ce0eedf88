//! Words of a command line as they are typed into a shell.
//!
//! For people who copy a line and for agents that hand one to a shell. Knows nothing of what the words run.

/// A word as a POSIX shell reads it back.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:@,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A program as the shells of Windows read it back, cmd and Git's bash alike (PowerShell wants `&` ahead of it): in
/// double quotes, with slashes, which no shell takes for an escape. A name on Windows holds no quote.
pub fn windows_program(path: &str) -> String {
    format!("\"{}\"", path.replace('\\', "/"))
}

#[cfg(test)]
mod tests {
    use super::windows_program;

    #[test]
    fn a_program_on_windows_survives_cmd_and_bash() {
        assert_eq!(
            windows_program(r"C:\Program Files\Siderail\siderail-relay.exe"),
            "\"C:/Program Files/Siderail/siderail-relay.exe\""
        );
    }
}
