//! Tools of the IDE around the code: run configurations, its terminals, its log.

use serde_json::{Value, json};

use super::run::wait;
use siderail_guard::Tool::{
    self, ListRunConfigurations, ReadRunOutput, RunCommand, RunConfiguration,
};
use siderail_mcp::{Annotations, ToolDefinition};

use super::schema::{READS, bounded, from, one_of, path, schema, text, tool};

/// Starts a program of which nothing is known.
const RUNS: Annotations = Annotations {
    read_only: false,
    destructive: true,
    idempotent: false,
    open_world: true,
};

/// Changes settings of the project.
const CONFIGURES: Annotations = Annotations {
    read_only: false,
    destructive: false,
    idempotent: true,
    open_world: false,
};

pub(super) fn definitions() -> Vec<ToolDefinition> {
    let mut tools = run_configurations();
    tools.extend(terminals());
    tools.extend(messages());
    tools
}

fn run_configurations() -> Vec<ToolDefinition> {
    vec![
        tool(
            Tool::ListRunConfigurations,
            "List run configurations",
            READS,
            "Lists the IDE's run configurations with their types.",
            schema([]),
        ),
        tool(
            Tool::RunConfiguration,
            "Run a configuration",
            RUNS,
            &format!(
                "Runs one of the IDE's run configurations. One that takes longer than wait_s goes on: \
                 {ReadRunOutput} shows what it says."
            ),
            schema([
                ("name!", text("The configuration.")),
                ("wait_s", wait("its end")),
            ]),
        ),
        tool(
            Tool::CreateRunConfiguration,
            "Create run configuration",
            CONFIGURES,
            &format!("Adds a run configuration to the IDE, for {RunConfiguration}."),
            schema([
                ("name!", text("Its name.")),
                (
                    "type!",
                    text(&format!(
                        "As {ListRunConfigurations} names it, like Application, JUnit, Gradle."
                    )),
                ),
                ("main_class", text("Qualified name.")),
                ("program_args", text("Arguments, as in a shell.")),
                ("vm_args", text("Options of the JVM.")),
                ("working_dir", path("Folder.")),
                ("env", env()),
            ]),
        ),
        tool(
            Tool::EditRunConfiguration,
            "Edit run configuration",
            CONFIGURES,
            "Changes a run configuration of the IDE; what is left out stays.",
            schema([
                ("name!", text("The configuration.")),
                ("program_args", text("Arguments, as in a shell.")),
                ("vm_args", text("Options of the JVM.")),
                ("working_dir", path("Folder.")),
                ("env", env()),
            ]),
        ),
        tool(
            Tool::ReadRunOutput,
            "Read run output",
            READS,
            "Shows what a run configuration has put out, running or ended.",
            schema([
                ("name", text("The configuration; default the latest run.")),
                (
                    "run_id",
                    text(&format!("A run, as {RunConfiguration} named it.")),
                ),
                ("page", from(1, "Page; default the last.")),
                ("tail", bounded(1, 500, 100, "Lines from its end.")),
            ]),
        ),
    ]
}

fn terminals() -> Vec<ToolDefinition> {
    vec![
        tool(
            Tool::RunInTerminal,
            "Run in terminal",
            RUNS,
            &format!(
                "Types a command into a terminal of the IDE, where the user sees it and can go on. For \
                 commands whose output is wanted use {RunCommand}."
            ),
            schema([
                ("command!", text("The command line.")),
                ("terminal_id", text("A terminal; default a new one.")),
            ]),
        ),
        tool(
            Tool::ListTerminals,
            "List terminals",
            READS,
            "Lists the IDE's open terminals with their ids and folders.",
            schema([]),
        ),
        tool(
            Tool::ReadTerminalOutput,
            "Read terminal output",
            READS,
            "Shows the last lines of one of the IDE's terminals.",
            schema([
                ("terminal_id!", text("The terminal.")),
                ("lines", bounded(1, 500, 100, "Lines.")),
            ]),
        ),
    ]
}

fn messages() -> Vec<ToolDefinition> {
    vec![
        tool(
            Tool::ReadIdeLog,
            "Read IDE log",
            READS,
            "Shows the last lines of the IDE's own log, for trouble with the IDE or a plugin.",
            schema([
                ("lines", bounded(1, 500, 100, "Lines.")),
                (
                    "level",
                    one_of(&["error", "warn", "info"], "The least; default info."),
                ),
                ("filter", text("Only lines with this text.")),
            ]),
        ),
        tool(
            Tool::GetNotifications,
            "Get notifications",
            READS,
            "Lists the latest notifications that the IDE has shown to the user.",
            schema([("limit", bounded(1, 100, 20, "Most notifications."))]),
        ),
    ]
}

fn env() -> Value {
    json!({
        "type": "array",
        "items": {"type": "string"},
        "description": "Variables, each as NAME=value.",
    })
}
