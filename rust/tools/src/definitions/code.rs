//! Tools that only an IDE can perform: what its index, its inspections and its formatter know.

use serde_json::Value;
use siderail_guard::Tool::{self, GetProblems};
use siderail_mcp::{Annotations, ToolDefinition};

use super::schema::{EDITS, READS, bounded, cursor, from, one_of, path, schema, text, tool};

/// Changes a file in a way that means the same.
const TIDIES: Annotations = Annotations {
    read_only: false,
    destructive: false,
    idempotent: true,
    open_world: false,
};

pub(super) fn definitions() -> Vec<ToolDefinition> {
    vec![
        search_symbols(),
        outline(),
        references(),
        declaration(),
        hierarchy(),
        rename(),
        problems(),
        quick_fix(),
        optimize_imports(),
        format_code(),
    ]
}

fn search_symbols() -> ToolDefinition {
    tool(
        Tool::SearchSymbols,
        "Search symbols",
        READS,
        "Finds classes, methods, functions and fields by name in the IDE's index, with file and \
         line. Use it to find where something is defined.",
        schema([
            ("query!", text("Name or part of it; camel humps work.")),
            (
                "symbol_type",
                one_of(&["any", "class", "method", "field"], "Default any."),
            ),
            (
                "scope",
                one_of(&["project", "all"], "all: libraries too. Default project."),
            ),
            ("limit", bounded(1, 200, 50, "Most results.")),
            ("cursor", cursor()),
        ]),
    )
}

fn outline() -> ToolDefinition {
    tool(
        Tool::GetFileOutline,
        "Get file outline",
        READS,
        "Lists the classes, methods and fields of a file with their lines: its structure without \
         its text.",
        schema([("path!", path("The file."))]),
    )
}

fn references() -> ToolDefinition {
    tool(
        Tool::FindReferences,
        "Find references",
        READS,
        "Finds every use of a class, method or variable, as the compiler would see it. Name it by \
         symbol, or by the path, line and column of one occurrence.",
        schema(pointing().into_iter().chain([
            (
                "scope",
                one_of(&["project", "all"], "all: libraries too. Default project."),
            ),
            ("limit", bounded(1, 500, 100, "Most results.")),
            ("cursor", cursor()),
        ])),
    )
}

/// Members that point at a declaration, by its name or by one place where it occurs.
fn pointing() -> [(&'static str, Value); 4] {
    let [symbol, path, line] = naming();
    [symbol, path, line, ("column", from(1, "Its column there."))]
}

/// The same by its name.
fn naming() -> [(&'static str, Value); 3] {
    [
        ("symbol", text("Qualified name, like com.x.Foo.bar.")),
        ("path", path("A file with it.")),
        ("line", from(1, "Its line there.")),
    ]
}

fn declaration() -> ToolDefinition {
    tool(
        Tool::GoToDeclaration,
        "Go to declaration",
        READS,
        "Shows where a class, method or variable is declared, and its first lines. Name it by \
         symbol, or by path, line and column of a use.",
        schema(pointing()),
    )
}

fn hierarchy() -> ToolDefinition {
    tool(
        Tool::GetHierarchy,
        "Get hierarchy",
        READS,
        "Lists what implements, extends or overrides a declaration, or what it extends itself.",
        schema(naming().into_iter().chain([(
            "direction",
            one_of(&["down", "up"], "up: what it extends. Default down."),
        )])),
    )
}

fn rename() -> ToolDefinition {
    tool(
        Tool::RenameSymbol,
        "Rename symbol",
        EDITS,
        "Renames a class, method or variable everywhere, as one undo step. What would break code \
         is refused. The person is asked.",
        schema(
            naming()
                .into_iter()
                .chain([("new_name!", text("The new name, unqualified."))]),
        ),
    )
}

fn quick_fix() -> ToolDefinition {
    tool(
        Tool::ApplyQuickFix,
        "Apply quick fix",
        EDITS,
        &format!("Applies a fix of the IDE that {GetProblems} has listed."),
        schema([
            ("path!", path("The file.")),
            ("line!", from(1, "The problem's line.")),
            ("fix", text("Its name, where there are several.")),
        ]),
    )
}

fn problems() -> ToolDefinition {
    tool(
        Tool::GetProblems,
        "Get problems",
        READS,
        "Lists errors and warnings that the IDE finds without a build, and its fixes. Use it after \
         edits.",
        schema([
            ("path", path("File or folder; default the open files.")),
            (
                "severity",
                one_of(&["error", "warning", "weak"], "The least; default warning."),
            ),
            ("limit", bounded(1, 200, 50, "Most problems.")),
        ]),
    )
}

fn optimize_imports() -> ToolDefinition {
    tool(
        Tool::OptimizeImports,
        "Optimize imports",
        TIDIES,
        "Removes imports that are not used and sorts the rest by the project's style.",
        schema([("path!", path("The file."))]),
    )
}

fn format_code() -> ToolDefinition {
    tool(
        Tool::FormatCode,
        "Format code",
        TIDIES,
        "Formats a file, or some of its lines, by the project's code style.",
        schema([
            ("path!", path("The file.")),
            ("start_line", from(1, "First line; default 1.")),
            ("end_line", from(1, "Last line; default the last.")),
        ]),
    )
}
