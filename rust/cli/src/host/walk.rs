//! Walks a folder of the project as a person sees it: ignore files respected, nothing of git's own.

use std::path::Path;

use ignore::{DirEntry, Error, Walk, WalkBuilder};

use super::atomic_file::UNFINISHED;

/// The entries below `folder` in the order of their names, folders too. Links are not followed.
/// Ignore files count from the project's root down, none above it. A folder that is itself
/// excluded was named on purpose and is walked on its own.
pub(super) fn entries(
    root: &Path,
    folder: &Path,
) -> Box<dyn Iterator<Item = Result<DirEntry, Error>>> {
    if folder == root {
        return Box::new(builder(root).build().skip(1));
    }
    let mut chain = towards(root, folder, Some(depth(root, folder)));
    if chain.any(|entry| entry.is_ok_and(|entry| entry.path() == folder)) {
        let folder = folder.to_owned();
        Box::new(
            towards(root, &folder, None).filter(move |entry| match entry {
                Ok(entry) => entry.path() != folder && entry.path().starts_with(&folder),
                Err(_) => true,
            }),
        )
    } else {
        Box::new(builder(folder).build().skip(1))
    }
}

/// Whether an entry is a regular file: neither folder nor link nor device.
pub(super) fn is_file(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_file())
}

fn builder(folder: &Path) -> WalkBuilder {
    let mut builder = WalkBuilder::new(folder);
    builder
        .hidden(false)
        .parents(false)
        .require_git(false)
        .follow_links(false)
        .filter_entry(is_shown)
        .sort_by_file_name(Ord::cmp);
    builder
}

/// A walk that goes down to `folder` and nowhere else.
fn towards(root: &Path, folder: &Path, depth: Option<usize>) -> Walk {
    let folder = folder.to_owned();
    builder(root)
        .max_depth(depth)
        .filter_entry(move |entry| {
            let path = entry.path();
            (path.starts_with(&folder) || folder.starts_with(path)) && is_shown(entry)
        })
        .build()
}

fn depth(root: &Path, folder: &Path) -> usize {
    folder.components().count() - root.components().count()
}

fn is_shown(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    !matches!(name.as_ref(), ".git" | ".hg" | ".svn") && !name.starts_with(UNFINISHED)
}
