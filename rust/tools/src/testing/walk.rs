//! Files below a folder, without links, in no order that matters. What is unreadable is skipped.

use std::fs::{self, DirEntry};
use std::path::Path;

/// Files that are not more than `depth` folders deep, in folders that are to be walked by their names.
pub(super) fn files(
    folder: &Path,
    depth: usize,
    is_walked: impl Fn(&str) -> bool,
) -> impl Iterator<Item = DirEntry> {
    let mut open = vec![(folder.to_owned(), depth)];
    let mut found: Vec<DirEntry> = Vec::new();
    std::iter::from_fn(move || {
        loop {
            if let Some(file) = found.pop() {
                return Some(file);
            }
            let (folder, depth) = open.pop()?;
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let Ok(kind) = entry.file_type() else {
                    continue;
                };
                if kind.is_file() {
                    found.push(entry);
                } else if kind.is_dir()
                    && depth > 1
                    && is_walked(&entry.file_name().to_string_lossy())
                {
                    open.push((entry.path(), depth - 1));
                }
            }
        }
    })
}
