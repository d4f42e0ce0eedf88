//! The text that the server sends beside its tools (`instructions` of MCP).
//!
//! At most 2,000 characters, since agents cut longer ones, and nothing that is not also in the tool
//! descriptions: four of ten agents never show it. It names offered tools only.

use siderail_guard::Tool;
use siderail_guard::guidance::Surroundings;
use siderail_mcp::Limits;

/// What a tool is for, in the words of somebody who looks for it.
const USES: [(Tool, &str); 13] = [
    (Tool::ReadFile, "see what a file contains, whole or in part"),
    (
        Tool::WriteFile,
        "create, replace or edit a file; no read is needed before",
    ),
    (Tool::SearchText, "find text in files"),
    (Tool::ListProjectFiles, "list folders, find files by name"),
    (Tool::MoveFile, "move or rename"),
    (Tool::DeleteFile, "delete"),
    (Tool::RunTests, "run tests"),
    (Tool::GitStatus, "see what is changed"),
    (Tool::GitCommit, "commit"),
    (Tool::HttpRequest, "ask a server"),
    (Tool::RunCommand, "builds and other programs"),
    (Tool::GetProjectInfo, "learn what the project is"),
    (Tool::AskUser, "ask the person"),
];

/// Tools that are named with another one.
const ALSO: [(Tool, [Tool; 3]); 2] = [
    (
        Tool::GitStatus,
        [Tool::GitDiff, Tool::GitLog, Tool::GitShow],
    ),
    (
        Tool::GitCommit,
        [Tool::GitStage, Tool::GitBranch, Tool::GitStash],
    ),
];

/// The instructions for a server that offers these tools, with this behind them.
pub fn instructions(offered: &[Tool], surroundings: Surroundings) -> String {
    let mut text = String::from(match surroundings {
        Surroundings::Ide => {
            "This server is the IDE of the project that you work in. Its tools see unsaved changes, \
             keep the editor in step and can be undone by the user; prefer them for all work on \
             project files. Files of content roots outside of the project's folder have absolute paths.\n"
        }
        Surroundings::Files => {
            "This server holds the tools of the project that you work in. They keep line ends, charset and \
             rights of files and show the user every change; prefer them for all work on project \
             files.\n"
        }
    });
    for (tool, purpose) in USES {
        if offered.contains(&tool) {
            text.push_str(&format!("- {purpose}{}: {tool}\n", also(tool, offered)));
        }
    }
    text.push_str(&format!(
        "Calls may be made side by side, up to {}; those that change the same file, or the repository, \
         run one after the other.\n",
        Limits::default().calls
    ));
    text.push_str(
        "Paths are relative to the project, absolute inside it, or file://. Answers name paths \
         relative to the project. Where an answer is cut, its last line is the exact call for \
         the rest. A search without matches is complete: searching again by other means finds \
         nothing more. Errors begin with a code and say what to do. When another tool was refused \
         with a hint at one of these, use that one with the same intent and go on.\n",
    );
    text
}

/// What else is offered beside a tool.
fn also(tool: Tool, offered: &[Tool]) -> String {
    let others = ALSO.iter().filter(|(first, _)| *first == tool);
    let others = others.flat_map(|(_, others)| others);
    let names: Vec<&str> = others
        .filter(|other| offered.contains(other))
        .map(|other| other.name())
        .collect();
    match names.is_empty() {
        true => String::new(),
        false => format!("; {} too", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::MOST_RUNNING;
    use crate::definitions::{all, definitions};
    use crate::system_prompt;
    use siderail_guard::guidance::NameForm;

    /// What a host of plain files can offer.
    const ALL_OF_FILES: [Tool; 11] = [
        Tool::ReadFile,
        Tool::WriteFile,
        Tool::SearchText,
        Tool::ListProjectFiles,
        Tool::MoveFile,
        Tool::DeleteFile,
        Tool::RunTests,
        Tool::GetTestResults,
        Tool::RunCommand,
        Tool::GetProjectInfo,
        Tool::AskUser,
    ];

    #[test]
    fn the_text_is_short_and_names_offered_tools_only() {
        let whole = instructions(Tool::ALL, Surroundings::Ide);
        assert!(whole.chars().count() <= 2_000, "{}", whole.len());
        for (tool, _) in USES {
            assert!(whole.contains(tool.name()), "{tool}");
        }
        let some = instructions(&[Tool::ReadFile], Surroundings::Ide);
        assert!(
            some.contains("intellij_read_file") && !some.contains("run_tests"),
            "{some}"
        );
        let git = instructions(&[Tool::GitCommit, Tool::GitStage], Surroundings::Ide);
        assert!(
            git.contains("- commit; git_stage too: git_commit\n"),
            "{git}"
        );
        assert!(
            whole.contains("- see what is changed; git_diff, git_log, git_show too: git_status\n")
        );
    }

    #[test]
    fn a_model_is_told_what_becomes_of_calls_side_by_side() {
        let text = instructions(&ALL_OF_FILES, Surroundings::Files);
        assert!(text.contains("side by side, up to 64;"), "{text}");
        let tools = all();
        let command = tools.iter().find(|tool| tool.name == "run_command");
        let most = format!("At most {MOST_RUNNING} commands and test runs");
        let told = |tool: &siderail_mcp::ToolDefinition| tool.description.contains(&most);
        assert!(command.is_some_and(told), "{most}");
    }

    #[test]
    fn a_host_of_plain_files_promises_no_editor_and_no_undo() {
        let tools = definitions(&ALL_OF_FILES, Surroundings::Files);
        let form = NameForm::new("{tool}", "s").backed_by(Surroundings::Files);
        let mut texts: Vec<String> = tools.into_iter().map(|tool| tool.description).collect();
        texts.push(instructions(&ALL_OF_FILES, Surroundings::Files));
        texts.push(system_prompt(&form, &ALL_OF_FILES));
        for text in texts {
            for word in ["IDE", "editor", "unsaved", "undone"] {
                assert!(!text.contains(word), "{word}: {text}");
            }
        }
    }
}
