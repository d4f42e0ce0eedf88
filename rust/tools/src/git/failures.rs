//! What went wrong with git, in the words that a model can act on.

use std::path::Path;

use super::program::Output;
use super::repository::Repository;
use siderail_guard::Tool::{GitBranch, GitCommit, GitLog, GitStage, GitStash, WriteFile};
use siderail_workspace::outcome::{ToolErrorCode, ToolFailure};

/// Bytes of git's own words in a failure.
const COMPLAINT: usize = 1_500;

/// Words of git's, and what to do where it says one of them.
type Advice = (&'static [&'static str], fn() -> String);

/// What git's words point to, and what to do then. Messages of git 2.20 to 2.50 in English.
const ADVICE: [Advice; 13] = [
    (&[".lock': File exists"], || {
        "another git program works here, or one was ended in the middle; call again, and if it \
         stays, ask the user to remove the lock file"
            .to_owned()
    }),
    (&["dubious ownership"], || {
        "the repository belongs to another user of this machine; ask the user to allow it"
            .to_owned()
    }),
    (&["unknown revision", "bad revision"], || {
        format!(
            "there is no such branch, tag or commit; {GitBranch} {{\"action\":\"list\"}} and {GitLog} \
             show what there is"
        )
    }),
    (&["invalid reference"], || {
        format!("there is no such branch; {GitBranch} {{\"action\":\"list\"}} lists them")
    }),
    (&["invalid object name"], || {
        format!("there is no such commit or file in it; {GitLog} shows commits")
    }),
    (&["exists on disk, but not in", "does not exist in"], || {
        format!("the file is not part of that commit; {GitLog} with its path shows in which it is")
    }),
    (
        &[
            "tell me who you are",
            "empty ident name",
            "auto-detect email",
        ],
        || "git does not know the author: ask the user to set user.name and user.email".to_owned(),
    ),
    (&["would be overwritten"], || {
        format!(
            "local changes are in the way: {GitCommit} them, or {GitStage} and {GitStash} them, then \
             call again"
        )
    }),
    (&["unmerged"], || {
        format!(
            "files are in conflict: resolve them with {WriteFile}, {GitStage} them, then call again"
        )
    }),
    (&["ignored by one of your .gitignore"], || {
        "the path is ignored on purpose; leave it out, or change .gitignore".to_owned()
    }),
    (&["is in submodule"], || {
        "name files of one repository per call".to_owned()
    }),
    (&["not fully merged"], || {
        "its commits are in no other branch, so that they would be lost; merge it first, or let the \
         user delete it"
            .to_owned()
    }),
    (&["gpg failed to sign"], || {
        "the commit could not be signed: ask the user, their signing program may need a password"
            .to_owned()
    }),
];

fn advice(said: &str) -> Option<String> {
    let mut rows = ADVICE.iter();
    let (_, advice) = rows.find(|(words, _)| words.iter().any(|words| said.contains(words)))?;
    Some(advice())
}

/// A command that failed.
pub(super) async fn failed(output: &Output, repository: &Repository) -> ToolFailure {
    let words = output.all();
    let mut text = format!("git {}", output.exit);
    if let Some(advice) = advice(&words) {
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
        let advice = advice(&complaint);
        let advice = advice.as_deref().unwrap_or("ask the user to repair it");
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
