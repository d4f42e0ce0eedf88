//! Which members of a command's input are understood: any other could change what runs.
//!
//! A list of what is known to be harmless, not of what is known to be harmful: what an unknown agent means by `env`,
//! `stdin` or a word of its own is unknown, so a person is asked. Values that say nothing (null, false, empty) and
//! numbers (limits, ids) are harmless under any name.

use serde_json::Value;

use super::keys::{COMMAND_KEYS, RUN_FOLDER_KEYS, TYPED_KEYS, WORD_KEYS};
use super::line::command_text;
use crate::action::ActionKind;
use crate::builtin;
use crate::shell::is_posix_shell;

/// Members that do not change what runs, without case and underscores.
const HARMLESS: [&str; 44] = [
    // Words for people.
    "comment",
    "description",
    "explanation",
    "intent",
    "justification",
    "purpose",
    "rationale",
    "reason",
    "summary",
    "thought",
    "title",
    // When and how long.
    "background",
    "blocking",
    "detach",
    "isbackground",
    "mode",
    "runinbackground",
    "timeout",
    "timeoutms",
    "wait",
    // Which call, and what the agent makes of it.
    "approvalid",
    "autoapproved",
    "availabledecisions",
    "callid",
    "id",
    "networkapprovalcontext",
    "parsedcmd",
    "processid",
    "proposedexecpolicyamendment",
    "proposednetworkpolicyamendments",
    "requireuserapproval",
    "requiresapproval",
    "reset",
    "securityrisk",
    "sessionid",
    "shellid",
    "skillmetadata",
    "source",
    "terminalid",
    "toolcallid",
    "tty",
    "turnid",
    // Where else it wants to go (opencode).
    "directories",
    "patterns",
];

/// Members that leave the command as it is and take an agent's own bounds off it: allowing one does not allow the
/// other.
const BOUNDS: [&str; 6] = [
    "additionalpermissions",
    "dangerouslydisablesandbox",
    "login",
    "prefixrule",
    "sandboxpermissions",
    "withescalatedpermissions",
];

/// The members of a command's input that were not understood. What is beside a command in `args` is up to the caller
/// that joins them.
pub(super) fn unread(raw_input: &Value, tool: &str) -> Vec<String> {
    let Value::Object(fields) = raw_input else {
        let is_shells = builtin::of_tool(tool) == Some(ActionKind::Execute);
        let is_read = !is_set(raw_input) || is_shells && command_text("argv", raw_input).is_some();
        return if is_read {
            Vec::new()
        } else {
            vec!["rawInput".to_owned()]
        };
    };
    let has_command = COMMAND_KEYS
        .iter()
        .any(|key| fields.get(*key).is_some_and(is_set));
    let types = builtin::of_tool(tool) == Some(ActionKind::Input) && !has_command;
    let is_read = |key: &str, value: &Value| match key {
        _ if COMMAND_KEYS.contains(&key) => command_text(key, value).is_some(),
        _ if WORD_KEYS.contains(&key) => has_command,
        _ if RUN_FOLDER_KEYS.contains(&key) => {
            let is_same = |other: &Value| !is_set(other) || other == value;
            let mut others = RUN_FOLDER_KEYS.iter().filter_map(|key| fields.get(*key));
            value.is_string() && others.all(is_same)
        }
        "shell" => value.as_bool().is_some() || value.as_str().is_some_and(names_posix_shell),
        _ if types && TYPED_KEYS.contains(&key) => value.is_string(),
        _ => {
            let plain = plain(key);
            value.is_number()
                || HARMLESS.contains(&plain.as_str())
                || BOUNDS.contains(&plain.as_str())
        }
    };
    let unread = fields
        .iter()
        .filter(|(key, value)| is_set(value) && !is_read(key.as_str(), value));
    unread.map(|(key, _)| key.clone()).collect()
}

/// True when a command is to run without bounds that the agent else sets it.
pub(crate) fn takes_bounds_off(raw_input: &Value) -> bool {
    let mut fields = raw_input.as_object().into_iter().flatten();
    fields.any(|(key, value)| is_set(value) && BOUNDS.contains(&plain(key).as_str()))
}

/// False for null, false, `""`, `[]` and `{}`.
pub(super) fn is_set(value: &Value) -> bool {
    *value != Value::Bool(false) && crate::normalize::json::has_members(value)
}

fn names_posix_shell(shell: &str) -> bool {
    let name = shell.rsplit('/').next().unwrap_or(shell);
    let is_where_shells_are = name == shell
        || ["/bin/", "/usr/bin/", "/usr/local/bin/"]
            .iter()
            .any(|folder| shell.strip_prefix(folder) == Some(name));
    is_where_shells_are && is_posix_shell(name)
}

fn plain(key: &str) -> String {
    let letters = key.chars().filter(|c| !matches!(c, '_' | '-'));
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_real_agents_send_beside_a_command_is_understood() {
        for raw_input in [
            json!({"command": "ls", "description": "d", "timeout": 1000, "run_in_background": true,
                   "dangerouslyDisableSandbox": true}),
            json!({"command": "ls", "commands": ["ls"], "mode": "sync", "shellId": "a", "initial_wait": 5}),
            json!({"command": "ls", "is_input": false, "reset": true}),
            json!({"cmd": "ls", "workdir": "sub", "shell": "/bin/zsh", "login": true, "tty": true,
                   "yield_time_ms": 1, "max_output_tokens": 9, "justification": "j",
                   "sandbox_permissions": "require_escalated", "prefix_rule": ["ls"]}),
            json!({"command": ["ls"], "cwd": "/p", "call_id": "c", "process_id": "1", "turn_id": "t",
                   "parsed_cmd": [{"type": "unknown"}], "source": "unified_exec_startup"}),
            json!({"command": "ls", "dir_path": "sub", "is_background": true}),
            json!({"command": "ls", "args": [], "env": {}, "stdin": "", "other": null}),
            json!({"command": "ls", "args": ["-l"]}),
            // any shell that reads lines as bash does
            json!({"command": "ls", "shell": "/bin/ash"}),
        ] {
            assert_eq!(unread(&raw_input, ""), [""; 0], "{raw_input}");
        }
        let typed = json!({"session_id": 1, "chars": "y\n"});
        assert_eq!(unread(&typed, "write_stdin"), [""; 0]);
    }

    #[test]
    fn what_may_change_the_command_is_named() {
        for (key, value) in [
            ("env", json!({"PATH": "/tmp"})),
            ("env", json!([{"name": "A", "value": "b"}])),
            ("stdin", json!("rm -rf src")),
            ("input", json!("rm -rf src")),
            ("kind", json!("delete")),
            ("kind", json!("TerminalAction")),
            ("shell", json!("/tmp/bash")),
            ("shell", json!("fish")),
            ("shell", json!("/bin/tcsh")),
            ("is_input", json!(true)),
            ("cwd", json!(["/"])),
            ("Command", json!("rm -rf src")),
            ("cmd", json!({"line": "rm"})),
            ("anything", json!("x")),
        ] {
            let mut raw_input = json!({"command": "make all"});
            raw_input[key] = value;
            assert_eq!(unread(&raw_input, "bash"), [key], "{raw_input}");
        }
        let two = json!({"command": "make", "cwd": "a", "workdir": "b"});
        assert_eq!(unread(&two, "").len(), 2);
        assert_eq!(unread(&json!(["rm"]), ""), ["rawInput"]);
        assert_eq!(unread(&json!(["rm"]), "bash"), [""; 0]);
    }
}
