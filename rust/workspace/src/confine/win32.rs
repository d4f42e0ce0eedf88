//! What Windows makes of a path's text, before it touches any of it.
//!
//! Many names lead to one file there: `App.java.`, `App.java::$DATA` and `NUL` in any folder are none of the names that
//! a folder lists, and a path to another computer, even one that is only looked at, hands out who the user is. So a
//! path is refused by its text unless it is a plain path on a drive, or on the share that the project is on. Texts
//! only; it is compiled and tested on every system, and asked on Windows.

/// A path that is not a plain one, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// It names no file of a folder; a lower-case fragment.
    NoName(&'static str),
    /// It leads to another computer or to a device.
    Away,
}

/// A written path as others of the system write it: without `\\?\` before a drive or a share. `root` is the project's.
pub(super) fn plain(given: &str, root: &str) -> Result<String, Trouble> {
    let slashed = given.replace('/', "\\");
    let (start, rest) = match slashed.strip_prefix(r"\\?\") {
        Some(verbatim) => match verbatim.get(..4) {
            Some(unc) if unc.eq_ignore_ascii_case(r"UNC\") => shared(&verbatim[4..], root)?,
            _ if has_drive(verbatim) => (&verbatim[..2], &verbatim[2..]),
            _ => return Err(Trouble::Away),
        },
        None => match slashed.strip_prefix(r"\\") {
            Some(share) => shared(share, root)?,
            // What the system's own functions begin such a path with.
            None if slashed.starts_with(r"\??\") => return Err(Trouble::Away),
            None if has_drive(&slashed) => (&slashed[..2], &slashed[2..]),
            None => ("", slashed.as_str()),
        },
    };
    if start.ends_with(':') && !rest.starts_with('\\') {
        return Err(Trouble::NoName(
            "a drive without a slash means that drive's current folder",
        ));
    }
    for name in rest.split('\\') {
        if let Some(why) = odd(name) {
            return Err(Trouble::NoName(why));
        }
    }
    let slashes = if start.is_empty() || start.ends_with(':') {
        ""
    } else {
        r"\\"
    };
    Ok(format!("{slashes}{start}{rest}"))
}

/// Splits `server\share\rest` where that is the share that the project is on.
fn shared<'a>(text: &'a str, root: &str) -> Result<(&'a str, &'a str), Trouble> {
    let share = |text: &str| {
        let ends = text.match_indices('\\').map(|(at, _)| at);
        ends.chain([text.len()]).nth(1).unwrap_or(text.len())
    };
    let of_root = root.strip_prefix(r"\\").ok_or(Trouble::Away)?;
    let (mine, other) = (&of_root[..share(of_root)], &text[..share(text)]);
    match mine.to_lowercase() == other.to_lowercase() {
        true => Ok((other, &text[other.len()..])),
        false => Err(Trouble::Away),
    }
}

fn has_drive(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

/// Why a name is not one that a folder lists; nothing for most.
fn odd(name: &str) -> Option<&'static str> {
    if matches!(name, "" | "." | "..") {
        return None;
    }
    if name.contains(':') {
        return Some("a colon in a name leads into a part of the file that no listing shows");
    }
    if name.ends_with(['.', ' ']) {
        return Some("Windows drops dots and blanks at the end of a name, so it is another file's");
    }
    if name.contains(['<', '>', '"', '|', '?', '*']) || name.contains(char::is_control) {
        return Some("Windows has no names with any of < > \" | ? * or control characters");
    }
    let stem = name.split('.').next().unwrap_or(name).trim_end();
    is_device(stem).then_some("Windows keeps that name for a device")
}

/// Devices that exist in every folder, with any ending.
fn is_device(stem: &str) -> bool {
    let stem = stem.to_uppercase();
    let port = stem.strip_prefix("COM").or(stem.strip_prefix("LPT"));
    let is_port = port.is_some_and(|port| {
        let mut letters = port.chars();
        let digit = letters.next();
        letters.next().is_none()
            && digit.is_some_and(|digit| digit.is_ascii_digit() || "¹²³".contains(digit))
    });
    is_port
        || matches!(
            &*stem,
            "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$" | "CLOCK$"
        )
}

#[cfg(test)]
mod tests {
    use super::{Trouble, plain};

    const ROOT: &str = r"C:\code\project";
    const SHARE: &str = r"\\Files\team\project";

    #[test]
    fn plain_paths_stay_and_what_programs_put_before_them_goes() {
        for (given, expected) in [
            ("src/App.java", r"src\App.java"),
            (r"..\a", r"..\a"),
            (r".\.git\config", r".\.git\config"),
            (r"C:\code\project\a", r"C:\code\project\a"),
            ("c:/code/project/a", r"c:\code\project\a"),
            (r"\\?\C:\code\a", r"C:\code\a"),
            (r"\rooted", r"\rooted"),
            ("COM", "COM"),
            ("com10.txt", "com10.txt"),
            ("console.log", "console.log"),
            ("NULL", "NULL"),
            (".gitignore", ".gitignore"),
            ("a b.txt", "a b.txt"),
            ("größe.txt", "größe.txt"),
        ] {
            assert_eq!(plain(given, ROOT).as_deref(), Ok(expected), "{given}");
        }
        assert_eq!(
            plain(r"\\files\TEAM\project\a", SHARE).as_deref(),
            Ok(r"\\files\TEAM\project\a")
        );
        assert_eq!(
            plain("//?/unc/files/team/a", SHARE).as_deref(),
            Ok(r"\\files\team\a")
        );
    }

    #[test]
    fn other_computers_and_devices_are_away() {
        for given in [
            r"\\evil\share\a",
            "//evil/share/a",
            r"\\localhost\c$\work\project\a",
            r"\\127.0.0.1\c$\a",
            r"\\?\UNC\evil\share\a",
            r"\\?\GLOBALROOT\Device\HarddiskVolume1\a",
            r"\\?\Volume{01234567-89ab-cdef-0123-456789abcdef}\a",
            r"\\.\C:\a",
            r"\\.\pipe\siderail",
            r"\\.\PhysicalDrive0",
            "//./C:/a",
            r"\??\C:\a",
            r"\\",
        ] {
            assert_eq!(plain(given, ROOT), Err(Trouble::Away), "{given}");
        }
        for given in [r"\\other\team\a", r"\\files\teams\a", r"\\files", r"\\?\C"] {
            assert_eq!(plain(given, SHARE), Err(Trouble::Away), "{given}");
        }
    }

    #[test]
    fn names_that_no_folder_lists_are_none() {
        for given in [
            "a.txt:stream",
            "a.txt::$DATA",
            ".git::$INDEX_ALLOCATION/config",
            r".git:$I30:$INDEX_ALLOCATION\config",
            ".git./config",
            ".git /config",
            "...",
            ".. /a",
            "a.txt.",
            "a.txt ",
            "NUL",
            "nul.txt",
            "sub/con",
            "aux.tar.gz",
            "COM1",
            "lpt9.log",
            "COM¹",
            "CONIN$",
            "prn .txt",
            "a?b",
            "a|b",
            "a\u{1}b",
            "C:a.txt",
            "C:",
        ] {
            let found = plain(given, ROOT);
            assert!(
                matches!(found, Err(Trouble::NoName(_))),
                "{given}: {found:?}"
            );
        }
    }
}
