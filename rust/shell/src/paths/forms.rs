//! Forms of paths: those that are no file's, such as devices and the drives of PowerShell's other providers, and longer
//! ones of a file's.
//!
//! It knows neither the project nor the current folder.

use super::{UNKNOWN, has_odd_parts, parts};

/// The path behind what only says that it is one: `\\?\C:\x`, `FileSystem::C:\x`.
pub(super) fn of_file(text: &str) -> &str {
    let is_slash = |byte: &u8| matches!(byte, b'\\' | b'/');
    // Without a slash behind it, a drive is the whole volume.
    if let [one, two, b'?' | b'.', three, letter, b':', four, ..] = text.as_bytes()
        && [one, two, three, four].into_iter().all(is_slash)
        && letter.is_ascii_alphabetic()
    {
        return &text[4..];
    }
    let colon = text.bytes().position(|byte| byte == b':');
    let Some(colon) = colon.filter(|colon| text[*colon..].starts_with("::")) else {
        return text;
    };
    let provider = &text[..colon];
    let name = provider.rsplit('\\').next().unwrap_or(provider);
    match name.eq_ignore_ascii_case("FileSystem") {
        true => &text[colon + 2..],
        false => text,
    }
}

/// Whether the current folder is one of another provider of PowerShell, such as the registry's.
pub(super) fn is_elsewhere_than_files(cwd: &str, is_windows: bool) -> bool {
    let is_file_path = cwd.starts_with(['/', UNKNOWN]) || cwd.as_bytes().get(1) == Some(&b':');
    !is_file_path && is_special(cwd, is_windows)
}

/// Whether a path is a device, or belongs to another provider of PowerShell than the file system.
pub(super) fn is_special(text: &str, is_windows: bool) -> bool {
    let colon = text.bytes().position(|byte| byte == b':');
    if is_windows {
        let name = text.trim_end_matches(':');
        let devices = ["nul", "con", "prn", "aux"];
        let is_device = devices
            .iter()
            .any(|device| name.eq_ignore_ascii_case(device));
        let has_drive = colon.is_some_and(|colon| colon > 1) && !text.contains("://");
        let is_raw = text.starts_with("\\\\.\\");
        return is_device || has_drive || is_raw || is_unix_device(text);
    }
    // PowerShell's drives have names; a letter is a drive of Windows.
    let has_drive = colon.is_some_and(|colon| {
        let name = &text[..colon];
        let drives = ["env", "hklm", "hkcu", "alias", "variable", "function"];
        drives.iter().any(|drive| name.eq_ignore_ascii_case(drive))
    });
    is_unix_device(text) || has_drive
}

/// Whether a path stays below the folder of devices, whatever `..` is in it.
fn is_unix_device(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("/dev/") else {
        return false;
    };
    let mut depth = 0_usize;
    !has_odd_parts(text)
        || parts(rest).all(|part| {
            match part {
                "" | "." => {}
                ".." if depth == 0 => return false,
                ".." => depth -= 1,
                _ => depth += 1,
            }
            true
        })
}
