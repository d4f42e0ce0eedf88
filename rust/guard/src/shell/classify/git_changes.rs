//! Which git subcommands lose work, and which uses of branch and stash have an IDE tool.

use crate::shell::ir::{Arg, UNKNOWN};

/// Why a subcommand loses work or history, if it does.
pub(super) fn loses(subcommand: &str, args: &[Arg]) -> Option<&'static str> {
    let words: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
    if words.iter().any(|word| matches!(*word, "--help" | "-h")) {
        return None;
    }
    let letters = |letters: &str| has_letter(&words, letters);
    let long = |long: &str| has_long(&words, long);
    let lost = match subcommand {
        "reset" => long("hard") || long("merge"),
        "checkout" => checkout_loses(&words),
        "switch" => letters("f") || long("force") || long("discard-changes"),
        "restore" => letters("W") || long("worktree") || !(letters("S") || long("staged")),
        "clean" => (letters("f") || long("force")) && !(letters("n") || long("dry-run")),
        "push" => push_loses(&words),
        "branch" => {
            letters("D") || ((letters("d") || long("delete")) && (letters("f") || long("force")))
        }
        "stash" => matches!(words.first(), Some(&("drop" | "clear"))),
        "rm" => !(long("cached") || letters("n") || long("dry-run")),
        "reflog" => matches!(words.first(), Some(&("expire" | "delete"))),
        "checkout-index" => letters("f") || long("force"),
        "read-tree" => long("reset"),
        "update-ref" => letters("d"),
        "filter-branch" | "filter-repo" => true,
        "worktree" => words.first() == Some(&"remove") && (letters("f") || long("force")),
        "submodule" => words.first() == Some(&"deinit") && (letters("f") || long("force")),
        _ => false,
    };
    lost.then_some("Loses work or history that git may not bring back.")
}

/// Subcommands that only show something.
pub(super) fn only_looks(subcommand: &str, args: &[Arg]) -> bool {
    match subcommand {
        "status" | "diff" | "log" | "show" | "blame" | "branch" => true,
        "stash" => args
            .first()
            .is_some_and(|word| word.is("list") || word.is("show")),
        _ => false,
    }
}

/// Letters in bundles in front of `--`.
fn has_letter(words: &[&str], letters: &str) -> bool {
    let options = words.iter().take_while(|word| **word != "--");
    let mut bundles = options.filter(|word| word.starts_with('-') && !word.starts_with("--"));
    bundles.any(|word| word[1..].contains(|letter| letters.contains(letter)))
}

/// A long option, which git allows to abbreviate.
fn has_long(words: &[&str], long: &str) -> bool {
    let mut options = words.iter().take_while(|word| **word != "--");
    options.any(|word| {
        let name = word
            .strip_prefix("--")
            .and_then(|name| name.split('=').next());
        name.is_some_and(|name| name == long || (name.len() >= 3 && long.starts_with(name)))
    })
}

fn push_loses(words: &[&str]) -> bool {
    let forced = words.iter().any(|word| word.starts_with("--force"));
    let options = ["delete", "mirror", "prune"]
        .iter()
        .any(|long| has_long(words, long));
    let mut refs = words.iter().filter(|word| !word.starts_with('-')).skip(1);
    let refspec =
        refs.any(|word| word.starts_with('+') || (word.starts_with(':') && word.len() > 1));
    forced || has_long(words, "force") || has_letter(words, "fd") || options || refspec
}

fn checkout_loses(words: &[&str]) -> bool {
    let creates = has_letter(words, "bBt")
        || ["orphan", "track", "detach"]
            .iter()
            .any(|l| has_long(words, l));
    if has_letter(words, "fp")
        || ["force", "ours", "theirs", "patch"]
            .iter()
            .any(|l| has_long(words, l))
    {
        return true;
    }
    if let Some(dashes) = words.iter().position(|word| *word == "--") {
        return dashes + 1 < words.len();
    }
    if has_long(words, "pathspec-from-file") {
        return true;
    }
    if creates {
        return false;
    }
    let operands: Vec<&&str> = words
        .iter()
        .filter(|word| !word.starts_with('-') || **word == "-")
        .collect();
    match operands.as_slice() {
        [] => false,
        [one] => !is_branch_form(one),
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
pub(super) fn is_branch_tool(words: &[&str]) -> bool {
    let changes = [
        "delete",
        "move",
        "copy",
        "set-upstream-to",
        "unset-upstream",
        "edit-description",
    ];
    !has_letter(words, "dDmMcCu") && !changes.iter().any(|long| has_long(words, long))
}

/// Pushing, listing, showing and taking back.
pub(super) fn is_stash_tool(words: &[&str]) -> bool {
    match words.first() {
        None => true,
        Some(word) if word.starts_with('-') => true,
        Some(word) => matches!(*word, "push" | "save" | "list" | "pop" | "apply" | "show"),
    }
}
