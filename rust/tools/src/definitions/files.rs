//! Tools that read, change, list and search files.

use serde_json::{Value, json};
use siderail_guard::Tool::{self, WriteFile};
use siderail_guard::guidance::Surroundings;

use siderail_mcp::{Annotations, ToolDefinition};
use siderail_workspace::{listing::ENTRIES, read::ANSWER, search::LINES};

use super::schema::{EDITS, READS, amount, bounded, cursor, flag, from, path, schema, text, tool};

pub(super) fn definitions(surroundings: Surroundings) -> Vec<ToolDefinition> {
    vec![
        read_file(surroundings),
        write_file(),
        list_files(),
        search(),
        delete(),
        move_file(),
    ]
}

fn read_file(surroundings: Surroundings) -> ToolDefinition {
    let as_seen = match surroundings {
        Surroundings::Ide => "with line numbers and unsaved editor changes",
        Surroundings::Files => "with line numbers",
    };
    let description = format!(
        "Reads a text file of the project, or some of its lines, {as_seen}. The answer starts with \
         `path lines a-b of N, stamp S`; where more is left, its last line is the exact next call. The \
         stamp may go to {WriteFile} as expected_stamp."
    );
    tool(
        Tool::ReadFile,
        "Read file",
        READS,
        &description,
        schema([
            (
                "path!",
                path("The file, relative to the project or absolute."),
            ),
            ("start_line", from(1, "First line; default 1.")),
            (
                "end_line",
                from(1, "Last line, inclusive; default the last of the file."),
            ),
            (
                "max_chars",
                amount(ANSWER, "Most characters of the answer."),
            ),
        ]),
    )
}

fn write_file() -> ToolDefinition {
    tool(
        Tool::WriteFile,
        "Write or edit file",
        EDITS,
        "Creates, replaces or edits a text file of the project. Give exactly one of: content (the \
         whole new text), old_text with new_text, or edits (several replacements, in order, all \
         or nothing). No read is needed before. old_text is a verbatim piece of the file that \
         occurs once: add lines around it, or set replace_all. Where it does not match exactly, \
         one place that differs only in line ends, trailing blanks or a common indent is taken, \
         and the answer says so. With expected_stamp a file that has changed since is left \
         alone. Line ends, charset and permissions are kept; missing folders are created. The \
         answer is the diff and the new stamp.",
        schema([
            (
                "path!",
                path("The file, relative to the project or absolute."),
            ),
            ("content", text("The whole new text.")),
            ("old_text", text("Text to replace, with new_text.")),
            ("new_text", text("Text in its place; empty deletes.")),
            ("replace_all", flag("Replace every occurrence of old_text.")),
            ("edits", edits()),
            ("expected_stamp", text("Stamp of the text that is meant.")),
        ]),
    )
}

fn edits() -> Value {
    json!({
        "type": "array",
        "description": "Each an object with old_text and new_text (strings), and maybe replace_all \
            (boolean).",
        "items": {
            "type": "object",
            "properties": {
                "old_text": {"type": "string", "description": "Text to replace."},
                "new_text": {"type": "string", "description": "Text to put in its place."},
                "replace_all": {"type": "boolean", "description": "Replace every occurrence."},
            },
            "required": ["old_text", "new_text"],
        },
    })
}

fn list_files() -> ToolDefinition {
    tool(
        Tool::ListProjectFiles,
        "List project files",
        READS,
        "Lists files of the project, or finds files by a glob: `*.java` at any depth, \
         `src/**/*Test.kt` from the project's or the given folder. Files that the ignore files exclude \
         are left out, unless directory is among them. The answer starts with the total; an empty \
         one is complete and final.",
        schema([
            ("directory", path("Folder to list; default the project.")),
            (
                "pattern",
                text("Glob with * ? ** [a-z] {a,b}; default all files."),
            ),
            (
                "max_depth",
                bounded(1, 64, 64, "Levels to show; deeper folders are one line."),
            ),
            ("limit", amount(ENTRIES, "Most entries of the answer.")),
            ("cursor", cursor()),
        ]),
    )
}

fn search() -> ToolDefinition {
    tool(
        Tool::SearchText,
        "Search text",
        READS,
        "Searches text in the files of the project: words, calls, messages. What the ignore files \
         exclude and binary files are left out; a path that names an excluded folder is searched. \
         The answer starts with the total, then `path:line:col: text` grouped by file. An answer \
         without matches is complete and final.",
        schema([
            ("query!", text("Text to find, or a pattern with regex.")),
            (
                "regex",
                flag("query is a regular expression (RE2 syntax), matched in each line."),
            ),
            ("case_sensitive", flag("Match upper and lower case.")),
            (
                "path",
                path("File or folder to search; default the project."),
            ),
            (
                "pattern",
                text("Glob of file names, like *.java; default all."),
            ),
            ("limit", amount(LINES, "Most lines of the answer.")),
            ("cursor", cursor()),
        ]),
    )
}

fn delete() -> ToolDefinition {
    tool(
        Tool::DeleteFile,
        "Delete file",
        Annotations {
            idempotent: true,
            ..EDITS
        },
        "Deletes a file of the project, or, with recursive, a folder and everything in it. \
         A link is deleted, not what it points to.",
        schema([
            ("path!", path("What to delete.")),
            ("recursive", flag("Delete a folder that is not empty.")),
        ]),
    )
}

fn move_file() -> ToolDefinition {
    tool(
        Tool::MoveFile,
        "Move or rename file",
        EDITS,
        "Moves or renames a file or folder inside the project. Missing folders are created. Text \
         in other files that names the old path stays as it is.",
        schema([
            ("path!", path("What to move.")),
            (
                "to!",
                path("The new path; an existing folder, or one ending in /, keeps the name."),
            ),
            ("overwrite", flag("Replace an existing file.")),
        ]),
    )
}
