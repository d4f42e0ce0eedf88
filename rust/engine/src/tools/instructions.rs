//! The text that the server sends beside its tools (`instructions` of MCP).
//!
//! At most 2,000 characters, since agents cut longer ones, and nothing that is not also in the tool
//! descriptions: four of ten agents never show it. It names offered tools only.

/// What a tool is for, in the words of somebody who looks for it.
const USES: [(&str, &str); 10] = [
    (
        "intellij_read_file",
        "see what a file contains, whole or in part",
    ),
    (
        "intellij_write_file",
        "create, replace or edit a file; no read is needed before",
    ),
    ("search_text", "find text in files"),
    ("list_project_files", "list folders, find files by name"),
    ("move_file", "move or rename"),
    ("delete_file", "delete"),
    ("run_tests", "run tests"),
    ("run_command", "builds and other programs"),
    ("get_project_info", "learn what the project is"),
    ("ask_user", "ask the person"),
];

/// The instructions for a server that offers these tools.
pub fn instructions(offered: &[&str]) -> String {
    let mut text = String::from(
        "This server is the IDE of the project that you work in. Its tools see unsaved changes, \
         keep the editor in step and can be undone by the person; prefer them for all work on \
         project files.\n",
    );
    for (name, purpose) in USES {
        if offered.contains(&name) {
            text.push_str(&format!("- {purpose}: {name}\n"));
        }
    }
    text.push_str(
        "Paths are relative to the project, absolute inside it, or file://. Answers name paths \
         relative to the project. Where an answer is cut, its last line is the exact call for \
         the rest. A search without matches is complete: searching again by other means finds \
         nothing more. Errors begin with a code and say what to do. When another tool was refused \
         with a hint at one of these, use that one with the same intent and go on.\n",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::definitions::all;

    #[test]
    fn the_text_is_short_and_names_offered_tools_only() {
        let tools = all();
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        let whole = instructions(&names);
        assert!(whole.chars().count() <= 2_000, "{}", whole.len());
        for (name, _) in USES {
            assert!(names.contains(&name) && whole.contains(name), "{name}");
        }
        let some = instructions(&["intellij_read_file"]);
        assert!(
            some.contains("intellij_read_file") && !some.contains("run_tests"),
            "{some}"
        );
    }
}
