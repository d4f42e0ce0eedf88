//! Which git subcommands lose work, and which uses of branch and stash have an IDE tool.

use super::danger::is_forced;
use crate::args::Options;
use crate::ir::{Arg, UNKNOWN};

/// Why a subcommand loses work or history, if it does.
pub(super) fn loses(subcommand: &str, args: &[Arg], options: &Options<'_>) -> Option<&'static str> {
    let letters = |letters: &str| options.has(letters, "");
    let either = |letters: &str, long: &str| options.holds(letters, long);
    let word = args.first().map_or("", |arg| arg.text.as_str());
    let lost = match subcommand {
        "reset" => either("", "hard") || either("", "merge"),
        "checkout" => checkout_loses(options),
        "switch" => either("f", "force") || either("", "discard-changes"),
        "restore" => either("W", "worktree") || !either("S", "staged"),
        "clean" => either("f", "force") && !either("n", "dry-run"),
        "push" => push_loses(options),
        "branch" => letters("D") || (either("d", "delete") && either("f", "force")),
        "stash" => matches!(word, "drop" | "clear"),
        "rm" => !(either("", "cached") || either("n", "dry-run")),
        "reflog" => matches!(word, "expire" | "delete"),
        "checkout-index" => either("f", "force"),
        "read-tree" => either("", "reset"),
        "update-ref" => letters("d"),
        "filter-branch" | "filter-repo" => true,
        "worktree" => word == "remove" && either("f", "force"),
        "submodule" => word == "deinit" && args.iter().any(is_forced),
        _ => false,
    };
    lost.then_some("May lose work or history that git cannot restore.")
}

/// Subcommands that show something and do nothing else.
#[rustfmt::skip]
pub(crate) const SHOWS: [&str; 9] = [
    "blame", "describe", "diff", "log", "ls-files", "rev-parse", "shortlog", "show", "status",
];

/// Whether a subcommand only shows something as it is used here.
pub(super) fn only_looks(subcommand: &str, args: &[Arg], options: &Options<'_>) -> bool {
    match subcommand {
        "branch" => options.files().is_empty() || options.has("l", "list"),
        "stash" => args
            .first()
            .is_some_and(|word| word.is("list") || word.is("show")),
        _ => SHOWS.contains(&subcommand),
    }
}

fn push_loses(options: &Options<'_>) -> bool {
    let forced = options
        .flags
        .iter()
        .any(|flag| flag.name.starts_with("force") && flag.name.len() > 1);
    let gone = ["delete", "mirror", "prune"]
        .iter()
        .any(|long| options.holds("", long));
    let mut refs = options.files().iter().skip(1).map(|arg| &arg.text);
    let refspec =
        refs.any(|word| word.starts_with('+') || (word.starts_with(':') && word.len() > 1));
    forced || options.has("fd", "force") || gone || refspec
}

fn checkout_loses(options: &Options<'_>) -> bool {
    let has = |longs: &[&str]| longs.iter().any(|long| options.holds("", long));
    let creates = options.has("bBt", "") || has(&["orphan", "track", "detach"]);
    if options.has("fp", "") || has(&["force", "ours", "theirs", "patch"]) {
        return true;
    }
    let operands = options.files();
    if let Some(n_before) = options.n_before_dashes {
        return operands.len() > n_before;
    }
    if options.has("", "pathspec-from-file") {
        return true;
    }
    if creates {
        return false;
    }
    match operands {
        [] => false,
        [one] => !is_branch_form(&one.text),
        // A commit and paths.
        _ => true,
    }
}

/// Whether a word can only be meant as a branch, a tag or a commit.
fn is_branch_form(word: &str) -> bool {
    if word == "-" || !word.contains(['.', '/', '\\', '*']) {
        return true;
    }
    // Only names of commits hold these letters.
    if word.contains(['~', '^', '@']) {
        return true;
    }
    if word.starts_with(['.', '/']) || word.ends_with('/') || word.contains('*') {
        return false;
    }
    let last = word.rsplit('/').next().unwrap_or(word);
    match word.split_once('/') {
        Some((first, _)) if is_branch_folder(first) => true,
        Some((first, _)) => {
            may_be_branch_folder(first) && (!has_extension(last) || is_version(last))
        }
        None => is_version(word),
    }
}

/// Names in front of a slash that only branches, tags and remotes have.
fn is_branch_folder(name: &str) -> bool {
    matches!(
        name,
        "feature"
            | "features"
            | "feat"
            | "fix"
            | "fixes"
            | "bugfix"
            | "hotfix"
            | "release"
            | "releases"
            | "chore"
            | "refactor"
            | "origin"
            | "upstream"
            | "fork"
            | "remotes"
            | "refs"
            | "heads"
            | "tags"
            | "dependabot"
            | "renovate"
            | "revert"
            | "wip"
            | "topic"
            | "backport"
            | "cherry-pick"
    )
}

/// Names that folders have as well.
fn may_be_branch_folder(name: &str) -> bool {
    matches!(
        name,
        "bug"
            | "perf"
            | "task"
            | "issue"
            | "issues"
            | "user"
            | "users"
            | "dev"
            | "experiment"
            | "support"
            | "pr"
            | "pull"
            | "spike"
            | "style"
            | "ci"
            | "doc"
            | "test"
            | "build"
            | "merge"
            | "main"
            | "master"
    )
}

/// `v1.2.3`, `2.0`, `1.0-rc.1`
fn is_version(word: &str) -> bool {
    let digits =
        word.trim_start_matches(|letter: char| letter.is_ascii_alphabetic() || letter == '-');
    let first = digits.split(['.', '-', '+']).next().unwrap_or_default();
    let named = word.len() - digits.len() <= 12;
    named
        && !first.is_empty()
        && first
            .chars()
            .all(|letter| letter.is_ascii_digit() || letter == UNKNOWN)
        && !(word.contains(UNKNOWN) && has_extension(word))
}

fn has_extension(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, extension)| {
        let letters =
            extension.len() <= 8 && extension.starts_with(|c: char| c.is_ascii_alphabetic());
        !stem.is_empty() && letters
    })
}

/// Listing and creating branches.
pub(super) fn is_branch_tool(options: &Options<'_>) -> bool {
    #[rustfmt::skip]
    let changes = [
        "delete", "move", "copy", "set-upstream-to", "unset-upstream", "edit-description",
    ];
    !options.has("dDmMcCu", "") && !changes.iter().any(|long| options.has("", long))
}

/// Pushing, listing, showing and taking back.
pub(super) fn is_stash_tool(args: &[Arg]) -> bool {
    match args.first() {
        None => true,
        Some(word) if word.text.starts_with('-') => true,
        Some(word) => {
            let words = ["push", "save", "list", "pop", "apply", "show"];
            words.contains(&word.text.as_str())
        }
    }
}
