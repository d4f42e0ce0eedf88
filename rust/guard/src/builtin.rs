//! What the agents' own tools do, by their names: one table for all agents.
//!
//! Names are compared without case, dashes and underscores and without an agent's own namespace, so
//! that `ReadFile`, `read_file` and `file_system.read_file` are one. A name that is not here does
//! something unknown.

use serde_json::Value;

use crate::action::{Action, ActionKind};

/// What a tool does that every agent means the same by.
pub(crate) fn of_tool(name: &str) -> Option<ActionKind> {
    let name = plain(name);
    TABLE
        .iter()
        .find(|(_, names)| names.contains(&name.as_str()))
        .map(|(kind, _)| *kind)
}

/// What an action of the agent's own does. Copilot sends its searches as `read`; only the arguments distinguish them.
pub(crate) fn of_action(action: &Action) -> ActionKind {
    let pattern = action.arguments().get("pattern").and_then(Value::as_str);
    match (action.kind, pattern) {
        (ActionKind::Read, Some(pattern)) if is_glob(pattern) => ActionKind::FindFile,
        (ActionKind::Read, Some(_)) => ActionKind::SearchText,
        (kind, _) => kind,
    }
}

/// A pattern of file names rather than of text: `**/*.java`, `*.rs`.
fn is_glob(pattern: &str) -> bool {
    pattern.contains("**") || pattern.starts_with("*.") || pattern.contains("/*")
}

/// True for a tool whose `command` argument names one of its own operations and is not a command line.
pub(crate) fn is_file_editor(name: &str) -> bool {
    matches!(
        plain(name).as_str(),
        "fileeditor" | "strreplaceeditor" | "strreplacebasededittool"
    )
}

/// Namespaces that agents put before names of their own; any other could be an MCP server.
const NAMESPACES: [&str; 4] = [
    "file_system.",
    "functions.",
    "container.",
    "multi_agent_v1::",
];

/// A name as the agent's other channels have it: `bash` for `file_system.bash`.
pub(crate) fn without_namespace(name: &str) -> &str {
    NAMESPACES
        .iter()
        .find_map(|namespace| name.strip_prefix(namespace))
        .unwrap_or(name)
}

/// A name without the agent's own namespace, case, dashes and underscores; empty for anything else.
fn plain(name: &str) -> String {
    let bare = without_namespace(name);
    if !bare
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
    {
        return String::new();
    }
    bare.chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

const TABLE: [(ActionKind, &[&str]); 12] = [
    (
        ActionKind::Read,
        &[
            "read",
            "readfile",
            "readmanyfiles",
            "readtextfile",
            "readfiles",
            "view",
            "viewfile",
            "openfile",
            "notebookread",
        ],
    ),
    (
        ActionKind::Edit,
        &[
            "edit",
            "editfile",
            "multiedit",
            "notebookedit",
            "replace",
            "searchreplace",
            "strreplace",
            "strreplaceeditor",
            "strreplacebasededittool",
            "fileeditor",
            "applypatch",
            "patch",
            "insert",
            "write",
            "writefile",
            "writetextfile",
            "create",
            "createfile",
        ],
    ),
    (ActionKind::Delete, &["delete", "deletefile", "removefile"]),
    (
        ActionKind::Move,
        &["move", "movefile", "rename", "renamefile"],
    ),
    (
        ActionKind::ListFolder,
        &[
            "ls",
            "list",
            "listdir",
            "listdirectory",
            "listfiles",
            "listfolder",
        ],
    ),
    (
        ActionKind::FindFile,
        &["glob", "find", "findfile", "findfiles", "filesearch", "fd"],
    ),
    (
        ActionKind::SearchText,
        &[
            "grep",
            "rg",
            "ripgrep",
            "search",
            "searchtext",
            "grepsearch",
            "searchfilecontent",
            "codesearch",
        ],
    ),
    (
        ActionKind::Execute,
        &[
            "bash",
            "shell",
            "shellcommand",
            "sh",
            "powershell",
            "exec",
            "execcommand",
            "execute",
            "executecommand",
            "localshell",
            "unifiedexec",
            "runshellcommand",
            "runterminalcmd",
            "runterminalcommand",
            "runcommand",
            "runinterminal",
            "terminal",
        ],
    ),
    (
        ActionKind::Input,
        &["writestdin", "writebash", "writepowershell"],
    ),
    (
        ActionKind::Think,
        &[
            "think",
            "finish",
            "todo",
            "todoread",
            "todowrite",
            "readtodos",
            "writetodos",
            "updatetodo",
            "updateplan",
            "updatetopic",
            "reportintent",
            "tasktracker",
            "taskcreate",
            "taskget",
            "tasklist",
            "taskupdate",
            "toolsearch",
            "searchtoolfunctions",
            "skill",
            "activateskill",
            "listagents",
            "readagent",
            "listmcpresources",
            "listmcpresourcetemplates",
            "readmcpresource",
            "getgoal",
            "creategoal",
            "updategoal",
            "wait",
            "waitagent",
            "askuser",
            "askuserquestion",
            "question",
            "requestuserinput",
            "bashoutput",
            "killshell",
            "killbash",
            "readbash",
            "stopbash",
            "listbash",
            "readpowershell",
            "stoppowershell",
            "listpowershell",
            "listbackgroundprocesses",
            "readbackgroundoutput",
        ],
    ),
    (
        ActionKind::SwitchMode,
        &[
            "exitplanmode",
            "enterplanmode",
            "planexit",
            "planenter",
            "switchmode",
        ],
    ),
    (
        ActionKind::Fetch,
        &["fetch", "webfetch", "websearch", "googlewebsearch"],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_known_however_its_agent_spells_it() {
        for (name, want) in [
            ("Read", ActionKind::Read),
            ("read_file", ActionKind::Read),
            ("ReadFile", ActionKind::Read),
            ("file_system.write_file", ActionKind::Edit),
            ("str_replace_based_edit_tool", ActionKind::Edit),
            ("run_shell_command", ActionKind::Execute),
            ("functions.exec_command", ActionKind::Execute),
            ("shell_command", ActionKind::Execute),
            ("LS", ActionKind::ListFolder),
            ("TodoWrite", ActionKind::Think),
            ("multi_agent_v1::wait_agent", ActionKind::Think),
            ("ExitPlanMode", ActionKind::SwitchMode),
            ("web_fetch", ActionKind::Fetch),
            ("write_stdin", ActionKind::Input),
        ] {
            assert_eq!(of_tool(name), Some(want), "{name}");
        }
        assert_eq!(of_tool("frobnicate"), None);
        assert_eq!(of_tool("other_server/think"), None);
        assert_eq!(of_tool(""), None);
    }

    #[test]
    fn no_name_stands_for_two_kinds() {
        let mut seen = std::collections::HashSet::new();
        for (_, names) in TABLE {
            for name in names {
                assert!(seen.insert(*name), "{name} twice");
                assert_eq!(plain(name), *name, "{name} could never be found");
            }
        }
    }
}
