//! What the agents' own tools do, by their names: one table for all agents.
//!
//! Names are compared without case, dashes and underscores and without an agent's own namespace, so
//! that `ReadFile`, `read_file` and `file_system.read_file` are one. A name that is not here does
//! something unknown.

use serde_json::Value;

use crate::action::{Action, ActionKind, Identity};

/// What a built-in tool does, as far as the guard tells tools apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Deed {
    /// Shows a file.
    ReadFile,
    /// Changes or creates a file.
    EditFile,
    /// Deletes a file.
    DeleteFile,
    /// Moves or renames a file.
    MoveFile,
    /// Lists a folder.
    ListFolder,
    /// Finds files by name.
    FindFile,
    /// Finds text in files.
    SearchText,
    /// Runs a command.
    Shell,
    /// Types into a command that runs.
    ShellInput,
    /// Plans, remembers what is to do, looks for tools, looks at what runs: touches nothing.
    Internal,
    /// Switches the agent's mode.
    SwitchMode,
    /// Fetches from the network.
    Fetch,
    /// Anything else.
    Other,
}

impl Deed {
    /// The deed of a tool that every agent means the same by.
    pub(crate) fn of_tool(name: &str) -> Option<Self> {
        let name = plain(name);
        TABLE
            .iter()
            .find(|(_, names)| names.contains(&name.as_str()))
            .map(|(deed, _)| *deed)
    }

    /// What ACP calls such a tool.
    pub(crate) fn action_kind(self) -> ActionKind {
        match self {
            Self::ReadFile => ActionKind::Read,
            Self::EditFile => ActionKind::Edit,
            Self::DeleteFile => ActionKind::Delete,
            Self::MoveFile => ActionKind::Move,
            Self::ListFolder | Self::FindFile | Self::SearchText => ActionKind::Search,
            Self::Shell | Self::ShellInput => ActionKind::Execute,
            Self::Internal => ActionKind::Think,
            Self::SwitchMode => ActionKind::SwitchMode,
            Self::Fetch => ActionKind::Fetch,
            Self::Other => ActionKind::Other,
        }
    }

    /// What events call it.
    pub(crate) fn event_kind(self) -> &'static str {
        match self {
            Self::ReadFile => "read_file",
            Self::EditFile => "edit",
            Self::DeleteFile => "delete",
            Self::MoveFile => "move",
            Self::ListFolder => "list_dir",
            Self::FindFile => "find_file",
            Self::SearchText => "search_text",
            Self::Shell | Self::ShellInput => "execute",
            Self::Internal => "think",
            Self::SwitchMode => "switch_mode",
            Self::Fetch => "fetch",
            Self::Other => "other",
        }
    }

    /// What an action of the agent's own does. The kind decides between reading and editing, since
    /// one tool may do both; the name decides what the kind leaves open.
    pub(crate) fn of_action(action: &Action) -> Self {
        let named = match &action.identity {
            Identity::Builtin(name) => Self::of_tool(name),
            _ => None,
        };
        match action.kind {
            ActionKind::Read => match named {
                Some(
                    deed @ (Self::ListFolder | Self::FindFile | Self::SearchText | Self::Internal),
                ) => deed,
                _ => Self::of_read_arguments(action.arguments()),
            },
            ActionKind::Edit => Self::EditFile,
            ActionKind::Delete => Self::DeleteFile,
            ActionKind::Move => Self::MoveFile,
            ActionKind::Search => match named {
                Some(deed @ (Self::ListFolder | Self::FindFile)) => deed,
                _ => Self::SearchText,
            },
            ActionKind::Execute => match named {
                Some(Self::ShellInput) => Self::ShellInput,
                _ => Self::Shell,
            },
            ActionKind::Think => Self::Internal,
            ActionKind::SwitchMode => Self::SwitchMode,
            ActionKind::Fetch => Self::Fetch,
            ActionKind::Other => named.unwrap_or(Self::Other),
        }
    }

    /// Copilot sends its searches as `read`; only the arguments tell them apart.
    fn of_read_arguments(arguments: &Value) -> Self {
        match arguments.get("pattern").and_then(Value::as_str) {
            None => Self::ReadFile,
            Some(pattern) if is_glob(pattern) => Self::FindFile,
            Some(_) => Self::SearchText,
        }
    }
}

/// A pattern of file names rather than of text: `**/*.java`, `*.rs`.
fn is_glob(pattern: &str) -> bool {
    pattern.contains("**") || pattern.starts_with("*.") || pattern.contains("/*")
}

/// True for a tool whose `command` argument names one of its own operations and is no command line.
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

const TABLE: [(Deed, &[&str]); 12] = [
    (
        Deed::ReadFile,
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
        Deed::EditFile,
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
    (Deed::DeleteFile, &["delete", "deletefile", "removefile"]),
    (
        Deed::MoveFile,
        &["move", "movefile", "rename", "renamefile"],
    ),
    (
        Deed::ListFolder,
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
        Deed::FindFile,
        &["glob", "find", "findfile", "findfiles", "filesearch", "fd"],
    ),
    (
        Deed::SearchText,
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
        Deed::Shell,
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
        Deed::ShellInput,
        &["writestdin", "writebash", "writepowershell"],
    ),
    (
        Deed::Internal,
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
        Deed::SwitchMode,
        &[
            "exitplanmode",
            "enterplanmode",
            "planexit",
            "planenter",
            "switchmode",
        ],
    ),
    (
        Deed::Fetch,
        &["fetch", "webfetch", "websearch", "googlewebsearch"],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_known_however_its_agent_spells_it() {
        for (name, want) in [
            ("Read", Deed::ReadFile),
            ("read_file", Deed::ReadFile),
            ("ReadFile", Deed::ReadFile),
            ("file_system.write_file", Deed::EditFile),
            ("str_replace_based_edit_tool", Deed::EditFile),
            ("run_shell_command", Deed::Shell),
            ("functions.exec_command", Deed::Shell),
            ("shell_command", Deed::Shell),
            ("LS", Deed::ListFolder),
            ("TodoWrite", Deed::Internal),
            ("multi_agent_v1::wait_agent", Deed::Internal),
            ("ExitPlanMode", Deed::SwitchMode),
            ("web_fetch", Deed::Fetch),
            ("write_stdin", Deed::ShellInput),
        ] {
            assert_eq!(Deed::of_tool(name), Some(want), "{name}");
        }
        assert_eq!(Deed::of_tool("frobnicate"), None);
        assert_eq!(Deed::of_tool("other_server/think"), None);
        assert_eq!(Deed::of_tool(""), None);
    }

    #[test]
    fn no_name_stands_for_two_deeds() {
        let mut seen = std::collections::HashSet::new();
        for (_, names) in TABLE {
            for name in names {
                assert!(seen.insert(*name), "{name} twice");
                assert_eq!(plain(name), *name, "{name} could never be found");
            }
        }
    }
}
