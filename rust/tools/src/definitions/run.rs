//! Tools that run programs: tests and commands.

use serde_json::Value;

use siderail_guard::Tool::{self, GetTestResults, RunTests};
use siderail_mcp::{Annotations, ToolDefinition};

use super::schema::{READS, amount, bounded, cursor, flag, from, path, schema, text, tool};
use crate::amounts::{COVERED_FILES, TESTS};

pub(super) fn definitions() -> Vec<ToolDefinition> {
    vec![
        list_tests(),
        run_tests(),
        test_results(),
        coverage(),
        run_command(),
    ]
}

pub(super) fn wait(of_what: &str) -> Value {
    bounded(0, 45, 45, &format!("Seconds to wait for {of_what}."))
}

fn list_tests() -> ToolDefinition {
    tool(
        Tool::ListTests,
        "List tests",
        READS,
        &format!(
            "Lists the project's tests by file, as {RunTests} takes them. The answer starts with the \
             total."
        ),
        schema([
            ("path", path("File or folder; default the project.")),
            ("pattern", text("Part of a test's name.")),
            ("limit", amount(TESTS, "Most tests.")),
            ("cursor", cursor()),
        ]),
    )
}

fn coverage() -> ToolDefinition {
    tool(
        Tool::GetCoverage,
        "Get coverage",
        READS,
        "Shows line coverage from the newest report in the project (JaCoCo, lcov, Cobertura): in \
         total, by file, and with a path the lines that no test has run. Says how old it is.",
        schema([
            ("path", path("File or folder; default the project.")),
            (
                "limit",
                amount(COVERED_FILES, "Most files; the least covered first."),
            ),
        ]),
    )
}

fn run_tests() -> ToolDefinition {
    tool(
        Tool::RunTests,
        "Run tests",
        Annotations {
            read_only: false,
            destructive: false,
            idempotent: true,
            open_world: false,
        },
        &format!(
            "Runs the project's tests, all or some, with its own build tool, found by itself. The answer \
             starts with the counts, then the first failures with file:line and the path of the full \
             log. A run that takes longer than wait_s goes on: ask {GetTestResults} with its run_id."
        ),
        schema([
            (
                "target",
                text(
                    "What to run: a class, class.method, test file, or a name pattern; \
                     default all tests.",
                ),
            ),
            (
                "module",
                text("Module or folder whose tests are meant; default the project."),
            ),
            ("wait_s", wait("the tests")),
        ]),
    )
}

fn test_results() -> ToolDefinition {
    tool(
        Tool::GetTestResults,
        "Get test results",
        READS,
        &format!(
            "Gives the results of a test run that {RunTests} has started: counts, failures with \
             file:line, and pages of its log. A run that is not finished is waited for."
        ),
        schema([
            ("run_id", text("The run; default the latest.")),
            ("wait_s", wait("the end of the run")),
            (
                "failed_only",
                flag("Only failures, more of them and with their full text."),
            ),
            (
                "page",
                from(1, "A page of the run's log, in place of the results."),
            ),
        ]),
    )
}

fn run_command() -> ToolDefinition {
    tool(
        Tool::RunCommand,
        "Run command",
        Annotations {
            read_only: false,
            destructive: true,
            idempotent: false,
            open_world: true,
        },
        &format!(
            "Runs a shell command in the project: builds, package managers, generators, git push or \
             pull, any program. For tests use {RunTests}, for files the tools for files: they answer \
             better. The answer starts with the exit code. There is no input to type into. A command \
             that takes longer than wait_s goes on and the answer names a run_id: call again with \
             only run_id to wait for it, or with run_id and page to see a part of its output. At most 16 \
             commands and test runs go on at once."
        ),
        schema([
            (
                "command",
                text("The command line; needed unless run_id is given."),
            ),
            (
                "working_dir",
                path("Folder to run in; default the project."),
            ),
            (
                "timeout_s",
                bounded(1, 3_600, 600, "Seconds after which the command is ended."),
            ),
            ("wait_s", wait("the command")),
            ("run_id", text("A command that was started before.")),
            (
                "page",
                from(1, "A page of that run's output, 10000 bytes each."),
            ),
        ]),
    )
}
