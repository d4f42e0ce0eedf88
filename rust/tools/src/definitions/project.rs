//! Tools about the project as a whole, and the question to the person.

use serde_json::json;

use siderail_guard::Tool;
use siderail_mcp::{Annotations, ToolDefinition};
use siderail_workspace::questions::QuestionKind;

use super::schema::{READS, flag, one_of, schema, text, tool};

pub(super) fn definitions() -> Vec<ToolDefinition> {
    vec![project_info(), ask_user()]
}

fn project_info() -> ToolDefinition {
    tool(
        Tool::GetProjectInfo,
        "Get project info",
        READS,
        "Tells what the project is: folder, build systems, modules, how its tests are run, \
         languages, git branch. A good first call in an unknown project.",
        schema([]),
    )
}

fn ask_user() -> ToolDefinition {
    tool(
        Tool::AskUser,
        "Ask the user",
        Annotations {
            idempotent: false,
            ..READS
        },
        "Asks the user and waits for the answer. Use it when a decision is theirs: unclear \
         requirements, a risky step, a choice between ways, a file only they can name. Where \
         nobody can answer it says so at once. If it says that it is still waiting, call it again \
         with the same arguments.",
        schema([
            (
                "question_type!",
                one_of(
                    QuestionKind::WORDS,
                    "clarification: free answer to an open question. confirmation: yes or no. \
                     input: one value. choice: one of options. file_selection: a project file.",
                ),
            ),
            ("question!", text("What to ask, in one or two sentences.")),
            (
                "options",
                json!({
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "Texts to choose from, 2 to 20; needed for choice.",
                }),
            ),
            ("default", text("Answer that is offered first.")),
            (
                "optional",
                flag("True when the user may skip the question."),
            ),
        ]),
    )
}
