//! What went wrong with git, in the words that a model can act on.

use std::path::Path;

use super::program::Output;
use super::repository::Repository;
use siderail_workspace::outcome::{ToolErrorCode, ToolFailure};

/// Bytes of git's own words in a failure.
const COMPLAINT: usize = 1_500;

/// What git's words point to, and what to do then. Messages of git 2.20 to 2.50 in English.
const ADVICE: [(&str, &str); 17] = [
    (
        ".lock': File exists",
        "another git program works here, or one was ended in the middle; call again, and if it stays, \
         ask the user to remove the lock file",
    ),
    (
        "dubious ownership",
        "the repository belongs to another user of this machine; ask the user to allow it",
    ),
    (
        "unknown revision",
        "there is no such branch, tag or commit; git_branch {\"action\":\"list\"} and git_log show what \
         there is",
    ),
    (
        "bad revision",
        "there is no such branch, tag or commit; git_branch {\"action\":\"list\"} and git_log show what \
         there is",
    ),
    (
        "invalid reference",
        "there is no such branch; git_branch {\"action\":\"list\"} lists them",
    ),
    (
        "invalid object name",
        "there is no such commit or file in it; git_log shows commits",
    ),
    (
        "exists on disk, but not in",
        "the file is not part of that commit; git_log with its path shows in which it is",
    ),
    (
        "does not exist in",
        "the file is not part of that commit; git_log with its path shows in which it is",
    ),
    (
        "tell me who you are",
        "git does not know the author: ask the user to set user.name and user.email",
    ),
    (
        "empty ident name",
        "git does not know the author: ask the user to set user.name and user.email",
    ),
    (
        "auto-detect email",
        "git does not know the author: ask the user to set user.name and user.email",
    ),
    (
        "would be overwritten",
        "local changes are in the way: git_commit them, or git_stage and git_stash them, then call again",
    ),
    (
        "unmerged",
        "files are in conflict: resolve them with intellij_write_file, git_stage them, then call again",
    ),
    (
        "ignored by one of your .gitignore",
        "the path is ignored on purpose; leave it out, or change .gitignore",
    ),
    ("is in submodule", "name files of one repository per call"),
    (
        "not fully merged",
        "its commits are in no other branch, so that they would be lost; merge it first, or let the \
         user delete it",
    ),
    (
        "gpg failed to sign",
        "the commit could not be signed: ask the user, their signing program may need a password",
    ),
];

/// A command that failed.
pub(super) async fn failed(output: &Output, repository: &Repository) -> ToolFailure {
    let words = output.all();
    let mut text = format!("git {}", output.exit);
    let advice = ADVICE
        .iter()
        .find(|(words_of_git, _)| words.contains(words_of_git));
    if let Some((_, advice)) = advice {
        text.push_str(&format!("; {advice}"));
    }
    if let Some(under_way) = repository.under_way().await {
        text.push_str(&format!(
            "; {} is under way: {}",
            under_way.name(),
            under_way.how_on()
        ));
    }
    text.push_str(&format!(". It said:\n{}", end_of(&words)));
    ToolFailure::new(ToolErrorCode::GitCommandFailed, text)
}

/// A command that was not even tried.
pub(super) fn refused(text: impl Into<String>) -> ToolFailure {
    ToolFailure::new(ToolErrorCode::GitCommandFailed, text)
}

/// The folder is in no repository that git can use.
pub(super) fn no_repository(output: &Output, folder: &Path) -> ToolFailure {
    let complaint = output.complaint();
    let text = if complaint.contains("not a git repository") {
        format!(
            "{} is not in a git repository; `git init` creates one, if the user wants that",
            folder.display()
        )
    } else {
        let advice = ADVICE.iter().find(|(words, _)| complaint.contains(words));
        let advice = advice.map_or("ask the user to repair it", |(_, advice)| *advice);
        format!(
            "the repository of {} cannot be used: {advice}. git said:\n{}",
            folder.display(),
            end_of(&complaint)
        )
    };
    ToolFailure::new(ToolErrorCode::GitCommandFailed, text)
}

/// The end of a long text, where programs say what matters.
pub(super) fn end_of(text: &str) -> &str {
    let text = text.trim();
    let start = text.len().saturating_sub(COMPLAINT);
    &text[text.ceil_char_boundary(start)..]
}
