//! Globs as people write them: without a slash at any depth, with one from the folder or the project.

use std::borrow::Cow;
use std::path::Path;

use siderail_os::System;

use crate::outcome::ToolFailure;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

pub(crate) struct Glob {
    from_root: Gitignore,
    from_folder: Gitignore,
}

impl Glob {
    pub(crate) fn new(root: &Path, folder: &Path, pattern: &str) -> Result<Self, ToolFailure> {
        let pattern = &*slashed(pattern);
        let root_before = format!("{}/", slashed(&root.to_string_lossy()));
        let pattern = pattern
            .strip_prefix(&*root_before)
            .or_else(|| pattern.strip_prefix("./"))
            .unwrap_or(pattern);
        if let Some(problem) = unclosed(pattern) {
            return Err(ToolFailure::invalid(format!(
                "`pattern` is not a valid glob: {problem}"
            )));
        }
        let matcher = |base: &Path| {
            let mut builder = GitignoreBuilder::new(base);
            // `!` and `#` mean something else at the beginning of an ignore line only.
            let line = match pattern.chars().next() {
                Some('!' | '#') => format!("\\{pattern}"),
                _ => pattern.to_owned(),
            };
            builder
                .add_line(None, &line)
                .and_then(|builder| builder.build())
                .map_err(|error| {
                    ToolFailure::invalid(format!("`pattern` is not a valid glob: {error}"))
                })
        };
        Ok(Self {
            from_root: matcher(root)?,
            from_folder: matcher(folder)?,
        })
    }

    /// Whether the pattern fits a file, or a folder that contains it.
    pub(crate) fn matches(&self, file: &Path) -> bool {
        [&self.from_root, &self.from_folder]
            .iter()
            .any(|matcher| matcher.matched_path_or_any_parents(file, false).is_ignore())
    }
}

/// On Windows, where no name has a backslash, one separates folders and takes no meaning from the letter behind it.
fn slashed(pattern: &str) -> Cow<'_, str> {
    match System::HERE.is_windows() && pattern.contains('\\') {
        true => pattern.replace('\\', "/").into(),
        false => pattern.into(),
    }
}

/// A class without its end, which ignore files take for letters and which a model did not mean.
fn unclosed(pattern: &str) -> Option<&'static str> {
    let mut letters = pattern.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            '[' => {
                letters.next_if(|letter| matches!(letter, '!' | '^'));
                // A bracket that comes first belongs to the class.
                letters.next_if_eq(&']');
                if !letters.any(|letter| letter == ']') {
                    return Some(match System::HERE.is_windows() {
                        true => "`[` begins a class that no `]` ends; write `[[]` for the letter",
                        false => "`[` begins a class that no `]` ends; write `\\[` for the letter",
                    });
                }
            }
            _ => {}
        }
    }
    None
}
