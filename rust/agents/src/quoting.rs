//! Words of a command line as they are typed into a shell.
//!
//! For people who copy a line and for agents that hand one to a shell. Knows nothing of what the words run.

use std::path::Path;

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

/// A program that PowerShell and cmd start alike, since it needs no quotes: by `short`, its short name, where its own has
/// blanks or such. Where that has, too, it is PowerShell's line, which is what most people have.
pub fn bare_windows_program(path: &str, short: &Path) -> String {
    let is_bare = |path: &str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || r"\:._-~".contains(c);
        !path.is_empty() && path.chars().all(plain)
    };
    let backslashed = |path: &str| path.replace('/', r"\");
    let (own, short) = (backslashed(path), backslashed(&short.to_string_lossy()));
    match [own, short].into_iter().find(|path| is_bare(path)) {
        Some(bare) => bare,
        None => format!("& {}", windows_program(path)),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{bare_windows_program, windows_program};

    #[test]
    fn a_program_that_needs_no_quotes_goes_by_its_short_name_where_its_own_needs_some() {
        let bare = |path: &str, short: &str| bare_windows_program(path, Path::new(short));
        assert_eq!(bare("C:/a/b.exe", "C:/a/b.exe"), r"C:\a\b.exe");
        assert_eq!(bare(r"C:\A B\c.exe", r"C:\AB~1\c.exe"), r"C:\AB~1\c.exe");
        assert_eq!(bare(r"C:\A B\c.exe", r"C:\A B\c.exe"), "& \"C:/A B/c.exe\"");
    }

    #[test]
    fn a_program_on_windows_survives_cmd_and_bash() {
        assert_eq!(
            windows_program(r"C:\Program Files\Siderail\siderail-relay.exe"),
            "\"C:/Program Files/Siderail/siderail-relay.exe\""
        );
    }
}
