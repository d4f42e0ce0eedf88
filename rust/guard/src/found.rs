//! The findings of a command line in the guard's terms: the kind of action that a part of it is, and which tool of ours
//! does the same. `shell` has enums of its own because it knows nothing of ours; both translations name every member,
//! so the compiler asks for the counterpart of a new one.

use crate::action::ActionKind;
use crate::shell::{FindingKind, Instead};
use crate::tool::Tool;

/// The kind of action that a part of a command line is.
pub(crate) fn kind(found: FindingKind) -> ActionKind {
    match found {
        FindingKind::Read => ActionKind::Read,
        FindingKind::Write => ActionKind::Write,
        FindingKind::SearchText => ActionKind::SearchText,
        FindingKind::FindFile => ActionKind::FindFile,
        FindingKind::ListFolder => ActionKind::ListFolder,
        FindingKind::RunTests => ActionKind::RunTests,
        FindingKind::Git => ActionKind::Git,
        FindingKind::Destructive => ActionKind::Destructive,
        FindingKind::RemoteCode => ActionKind::RemoteCode,
        FindingKind::Opaque => ActionKind::Opaque,
    }
}

/// Our tool that does the same as a part of a command line.
pub fn tool(instead: Instead) -> Tool {
    match instead {
        Instead::ReadFile => Tool::ReadFile,
        Instead::WriteFile => Tool::WriteFile,
        Instead::SearchText => Tool::SearchText,
        Instead::ListFiles => Tool::ListProjectFiles,
        Instead::RunTests => Tool::RunTests,
        Instead::GitStatus => Tool::GitStatus,
        Instead::GitDiff => Tool::GitDiff,
        Instead::GitLog => Tool::GitLog,
        Instead::GitBlame => Tool::GitBlame,
        Instead::GitShow => Tool::GitShow,
        Instead::GitStage => Tool::GitStage,
        Instead::GitUnstage => Tool::GitUnstage,
        Instead::GitCommit => Tool::GitCommit,
        Instead::GitBranch => Tool::GitBranch,
        Instead::GitStash => Tool::GitStash,
    }
}

/// What these tools do in place of commands.
pub fn offered(tools: &[Tool]) -> Vec<Instead> {
    let is_offered = |instead: &Instead| tools.contains(&tool(*instead));
    Instead::ALL.iter().copied().filter(is_offered).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_the_same_word_and_no_two_parts_of_a_line_have_the_same_tool() {
        for found in FindingKind::ALL {
            assert_eq!(kind(*found).as_str(), found.as_str());
        }
        for instead in Instead::ALL {
            assert_eq!(offered(&[tool(*instead)]), [*instead]);
        }
        assert_eq!(
            offered(&[Tool::DeleteFile, Tool::ReadFile]),
            [Instead::ReadFile]
        );
    }
}
