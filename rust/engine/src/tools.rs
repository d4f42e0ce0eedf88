//! The tools that agents are offered, and those of them that the engine runs itself.
//!
//! `definitions` is the table that `tools/list` shows, `instructions` the text beside it, `command`
//! runs shell commands and other programs, `cancel` is how a call is told to stop. What a tool does
//! to files is the host's; whether a call is allowed is decided before it gets here.

use siderail_guard::guidance::{NameForm, Surroundings};

pub mod cancel;
pub mod command;
pub mod definitions;
pub mod instructions;

pub use cancel::CancelFlag;
pub use definitions::definitions;
pub use instructions::instructions;

/// Name of our MCP server, the same for every agent.
pub const SERVER: &str = "intellij-code-tools";

/// Tools that the engine runs itself, whatever the host.
pub const ENGINE_TOOLS: [&str; 1] = ["run_command"];

/// What is added to the system prompt of an agent that takes additions (ladder step 2).
///
/// Tool names are written as that agent's model sees them.
pub(crate) fn system_prompt(names: &NameForm, offered: &[&str]) -> String {
    let mut text = String::from(match names.surroundings() {
        Surroundings::Ide => {
            "You work inside the user's IDE. Files of this project are read and changed with the IDE's own \
             tools, so that edits appear in the editor and can be undone:"
        }
        Surroundings::Files => {
            "Files of this project are read and changed with the project's own tools, so that the user \
             sees every change as it is made:"
        }
    });
    for (tool, purpose) in [
        ("intellij_read_file", "read a file"),
        ("intellij_write_file", "create or change a file"),
        ("search_text", "search text"),
        ("list_project_files", "list or find files"),
        ("run_tests", "run tests"),
        ("run_command", "run any other command"),
    ] {
        if offered.contains(&tool) {
            text.push_str(&format!("\n- {purpose}: {}", names.as_seen(tool)));
        }
    }
    text
}
