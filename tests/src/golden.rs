//! Texts that are checked in, and what a run made of them today.
//!
//! `UPDATE_GOLDEN=1` writes the files instead of comparing; a person then reads the difference.

use std::path::{Path, PathBuf};

/// The checked-in text of that name.
pub fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("golden")
        .join(format!("{name}.txt"))
}

/// Compares with the file, or writes it where that was asked for.
///
/// # Errors
/// Where they part, for people.
///
/// # Panics
/// The file cannot be written.
pub fn check(name: &str, text: &str) -> Result<(), String> {
    let path = path(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, text).expect("a golden file");
        return Ok(());
    }
    let golden = std::fs::read_to_string(&path)
        .map_err(|error| format!("{name}: {error}; UPDATE_GOLDEN=1 writes it"))?;
    match first_difference(&golden, text) {
        Some((line, golden, now)) => Err(format!(
            "{name} line {line}: the file says {golden:?}, now it is {now:?}; \
             UPDATE_GOLDEN=1 takes it over"
        )),
        None => Ok(()),
    }
}

/// True where the text is what the file says, whatever the environment asks for.
pub fn is_same(name: &str, text: &str) -> bool {
    std::fs::read_to_string(path(name)).is_ok_and(|golden| golden == text)
}

fn first_difference<'t>(golden: &'t str, now: &'t str) -> Option<(usize, &'t str, &'t str)> {
    const END: &str = "(the end)";
    let (mut golden, mut now) = (golden.lines(), now.lines());
    for line in 1.. {
        match (golden.next(), now.next()) {
            (None, None) => return None,
            (a, b) if a != b => return Some((line, a.unwrap_or(END), b.unwrap_or(END))),
            _ => {}
        }
    }
    None
}
