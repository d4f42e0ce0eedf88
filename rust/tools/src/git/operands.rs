//! What a call names: paths inside the project, refs, names of branches. Nothing of it can be an option.

use serde_json::Value;
use std::path::PathBuf;

use siderail_workspace::Place;
use siderail_workspace::confine::Confined;
use siderail_workspace::outcome::ToolFailure;

/// Characters of a ref; git's own limit is that of a path.
const MOST_REF: usize = 1_000;

/// What `git_show` is to show.
pub(super) enum Shown<'a> {
    /// A commit or tag.
    Commit(&'a str),
    /// A file as it was in a commit.
    File { commit: &'a str, path: &'a str },
}

/// A path inside the project, there or not: git also knows files that were deleted. A link is the
/// thing itself.
pub(super) fn path(place: &Place, given: &str) -> Result<Confined, ToolFailure> {
    if given.contains(['\0', '\n']) {
        return Err(ToolFailure::invalid("a path must not contain line breaks"));
    }
    place.entry(given)
}

/// The folder inside the project whose repository holds all these paths: the nearest one with a
/// repository of its own (a submodule, a worktree), else the project's.
pub(super) fn home_of(place: &Place, paths: &[Confined]) -> Result<PathBuf, ToolFailure> {
    let home = |path: &Confined| {
        path.absolute
            .ancestors()
            // A submodule's own folder belongs to the repository around it.
            .skip(1)
            .take_while(|folder| folder.starts_with(place.root()) && *folder != place.root())
            .find(|folder| folder.join(".git").symlink_metadata().is_ok())
            .unwrap_or(place.root())
            .to_owned()
    };
    let mut homes: Vec<PathBuf> = paths.iter().map(home).collect();
    homes.sort();
    homes.dedup();
    match homes.as_slice() {
        [] => Ok(place.root().to_owned()),
        [one] => Ok(one.clone()),
        [one, other, ..] => Err(ToolFailure::invalid(format!(
            "the paths are in several repositories ({} and {}); make a call for each",
            one.display(),
            other.display()
        ))),
    }
}

/// A ref, range or commit as given, which git cannot take for an option or for a path.
pub(super) fn commit<'a>(name: &str, given: &'a str) -> Result<&'a str, ToolFailure> {
    if given.starts_with('-') {
        return Err(ToolFailure::invalid(format!(
            "`{name}` is a branch, tag or commit, not an option (`{given}`)"
        )));
    }
    if given.len() > MOST_REF || given.contains(|letter: char| letter.is_control()) {
        return Err(ToolFailure::invalid(format!(
            "`{name}` is not a branch, tag or commit"
        )));
    }
    Ok(given)
}

/// As [`commit`], where a file in a commit has no place.
pub(super) fn only_commit<'a>(name: &str, given: &'a str) -> Result<&'a str, ToolFailure> {
    match shown(given)? {
        Shown::Commit(given) => commit(name, given),
        Shown::File { .. } => Err(ToolFailure::invalid(format!(
            "`{name}` names a file; give the commit as {name} and the file as path"
        ))),
    }
}

/// Tells `HEAD~2` from `HEAD~2:src/a.rs`.
pub(super) fn shown(given: &str) -> Result<Shown<'_>, ToolFailure> {
    let given = commit("ref", given)?;
    // `:/text` finds a commit by its message, and `^{/text}` may hold a colon.
    let colon = given
        .char_indices()
        .scan(0_i32, |depth, (at, letter)| {
            *depth += match letter {
                '{' => 1,
                '}' => -1,
                _ => 0,
            };
            Some((at, letter, *depth))
        })
        .find(|(_, letter, depth)| *letter == ':' && *depth == 0)
        .map(|(at, ..)| at);
    match colon {
        Some(at) if !(at == 0 && given[1..].starts_with('/')) => {
            let path = &given[at + 1..];
            if path.is_empty() {
                return Err(ToolFailure::invalid(
                    "`ref` ends in a colon; name the file behind it",
                ));
            }
            Ok(Shown::File {
                commit: &given[..at],
                path,
            })
        }
        _ => Ok(Shown::Commit(given)),
    }
}

/// The name of a branch.
pub(super) fn branch_name(given: Option<&str>) -> Result<&str, ToolFailure> {
    let given = given.ok_or_else(|| ToolFailure::missing("name"))?;
    let is_bad = given.starts_with(['-', '/', '.'])
        || given.ends_with(['/', '.'])
        || given.ends_with(".lock")
        || given == "@"
        || ["..", "//", "@{", "/."]
            .iter()
            .any(|part| given.contains(part))
        || given.len() > MOST_REF
        || given.contains(|letter: char| letter.is_control() || " ~^:?*[\\".contains(letter));
    if is_bad {
        return Err(ToolFailure::invalid(format!(
            "`{given}` is not a valid branch name"
        )));
    }
    Ok(given)
}
/// Whether all members of a call's arguments are among these: what a question does not know it must not leave out.
pub(super) fn has_only(arguments: &Value, known: &[&str]) -> bool {
    let mut members = arguments.as_object().into_iter().flatten();
    members.all(|(name, _)| known.contains(&name.as_str()))
}
