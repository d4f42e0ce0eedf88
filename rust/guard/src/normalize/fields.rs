//! Reads a command, paths and arguments out of a tool call, whatever its agent calls them.

use serde_json::{Map, Value};

use super::{IdentityRule, patch};
use crate::builtin;
use crate::path::make_absolute;

/// Fields whose text or texts are paths.
const PATH_KEYS: [&str; 27] = [
    "path",
    "file_path",
    "filePath",
    "filepath",
    "fileName",
    "filename",
    "file",
    "absolute_path",
    "notebook_path",
    "target_file",
    "paths",
    "files",
    "directory",
    "directories",
    "dir_path",
    "parentDir",
    "dir",
    "folder",
    "relative_path",
    "source",
    "destination",
    "old_path",
    "new_path",
    "oldPath",
    "newPath",
    "from",
    "to",
];

/// Fields that hold a command line.
const COMMAND_KEYS: [&str; 4] = ["command", "cmd", "commands", "script"];

/// What a tool types into a command that runs.
const TYPED_KEYS: [&str; 3] = ["chars", "input", "text"];

/// The arguments of the tool that a call runs: inside the envelope that some agents put around MCP
/// calls, else `rawInput` itself. Only an agent's program makes envelopes, and `rule` tells whether
/// it did: fields of those names in a model's arguments are arguments.
pub(crate) fn arguments(raw_input: &Value, rule: IdentityRule) -> &Value {
    let places: &[&str] = match rule {
        IdentityRule::McpApproval | IdentityRule::McpEnvelope | IdentityRule::ServerName => {
            &["/arguments", "/request/_meta/tool_params"]
        }
        IdentityRule::ActionClass if raw_input["kind"] == MCP_ACTION => &["/data"],
        _ => &[],
    };
    places
        .iter()
        .find_map(|place| raw_input.pointer(place))
        .unwrap_or(raw_input)
}

/// The class of OpenHands' actions that call a tool of an MCP server.
pub(super) const MCP_ACTION: &str = "MCPToolAction";

/// The command line in `rawInput`, for the tool of that name (empty when it has none).
pub(super) fn command(raw_input: &Value, tool: &str) -> Option<String> {
    let line = match raw_input {
        Value::Object(fields) if is_editor_operation(fields, tool) => None,
        Value::Object(fields) => command_lines(fields).or_else(|| typed_text(fields, tool)),
        Value::String(text) if builtin::Deed::of_tool(tool) == Some(builtin::Deed::Shell) => {
            Some(text.clone())
        }
        _ => None,
    }?;
    let is_only_patch = patch::plain(&line).is_some();
    (!is_only_patch && !line.trim().is_empty()).then_some(line)
}

/// The command line in a title. Back-ticks go; a trailing ` (description)` goes only where a field
/// says the same, for a command may end in a subshell.
pub(super) fn command_in_title(title: &str, raw_input: &Value) -> Option<String> {
    let title = title.trim();
    let bare = title
        .strip_prefix('`')
        .and_then(|rest| rest.strip_suffix('`'))
        .filter(|inner| !inner.contains('`'))
        .unwrap_or(title);
    let described = raw_input["description"]
        .as_str()
        .and_then(|description| bare.strip_suffix(&format!(" ({description})")));
    let line = described.unwrap_or(bare);
    let names_a_tool = builtin::Deed::of_tool(line).is_some();
    (!line.is_empty() && !names_a_tool).then(|| line.to_owned())
}

/// The command that a permission option would allow (Vibe, where the call was never announced).
pub(super) fn command_in_options(options: &Value) -> Option<String> {
    required_patterns(options, "command_pattern").next()
}

/// All paths that a call names: fields, changes, locations, diffs and patches.
pub(super) fn paths(call: &Value, rule: IdentityRule, options: &Value, cwd: &str) -> Vec<String> {
    let raw_input = &call["rawInput"];
    let base = base_folder(raw_input, cwd);
    let mut paths = Paths {
        found: Vec::new(),
        base: &base,
    };
    paths.add_fields(arguments(raw_input, rule));
    if let Some(changes) = raw_input["changes"].as_object() {
        for (path, change) in changes {
            paths.add(path);
            paths.add_text(&change["move_path"]);
        }
    }
    for change in list(&raw_input["changes"]).chain(list(&raw_input["edits"])) {
        paths.add_fields(change);
    }
    for location in list(&call["locations"]) {
        paths.add_text(&location["path"]);
    }
    for block in list(&call["content"]).filter(|block| block["type"] == "diff") {
        paths.add_text(&block["path"]);
    }
    for text in patch_texts(raw_input) {
        if let Some(patch) = patch::plain(text).or_else(|| patch::in_command(text)) {
            paths.add_patch(&patch);
        }
    }
    for path in required_patterns(options, "outside_directory") {
        paths.add(&path);
    }
    paths.found
}

/// True when the call shows a change of a file.
pub(crate) fn has_diff(call: &Value) -> bool {
    list(&call["content"]).any(|block| block["type"] == "diff")
}

/// The patch that a call applies, as its whole input or inside its command line.
pub(crate) fn applied_patch(raw_input: &Value, command: Option<&str>) -> Option<patch::Patch> {
    patch_texts(raw_input)
        .find_map(patch::plain)
        .or_else(|| command.and_then(patch::in_command))
}

/// Where the call's relative paths start.
pub(crate) fn base_folder(raw_input: &Value, cwd: &str) -> String {
    ["cwd", "workdir", "working_dir", "working_directory"]
        .iter()
        .find_map(|key| raw_input[*key].as_str())
        .filter(|folder| !folder.is_empty())
        .map_or_else(|| cwd.to_owned(), |folder| make_absolute(folder, cwd))
}

/// Paths in a tool's arguments, as given.
pub(crate) fn named_paths(arguments: &Value) -> Vec<String> {
    let mut paths = Paths {
        found: Vec::new(),
        base: "",
    };
    paths.add_fields(arguments);
    paths.found
}

struct Paths<'a> {
    found: Vec<String>,
    base: &'a str,
}

impl Paths<'_> {
    fn add(&mut self, path: &str) {
        let path = if self.base.is_empty() {
            path.to_owned()
        } else {
            make_absolute(path, self.base)
        };
        if !path.is_empty() && !self.found.contains(&path) {
            self.found.push(path);
        }
    }

    fn add_text(&mut self, value: &Value) {
        if let Some(path) = value.as_str() {
            self.add(path);
        }
    }

    fn add_fields(&mut self, fields: &Value) {
        for key in PATH_KEYS {
            let value = &fields[key];
            self.add_text(value);
            for item in list(value) {
                self.add_text(item);
                self.add_text(&item["path"]);
            }
        }
    }

    fn add_patch(&mut self, patch: &patch::Patch) {
        for path in &patch.paths {
            match &patch.base {
                Some(base) => self.add(&format!("{base}/{path}")),
                None => self.add(path),
            }
        }
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Every text in which a patch could stand.
fn patch_texts(raw_input: &Value) -> impl Iterator<Item = &str> {
    let fields = [
        "input",
        "patch",
        "patchText",
        "patch_text",
        "command",
        "cmd",
    ];
    let of_fields = fields.into_iter().filter_map(|key| raw_input[key].as_str());
    let of_words = list(&raw_input["command"]).filter_map(Value::as_str);
    raw_input
        .as_str()
        .into_iter()
        .chain(of_fields)
        .chain(of_words)
}

/// File editors have a `command` that names one of their own operations, beside a path.
fn is_editor_operation(fields: &Map<String, Value>, tool: &str) -> bool {
    let operation = fields
        .get("command")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let is_operation = matches!(
        operation,
        "view" | "create" | "str_replace" | "insert" | "undo_edit"
    );
    is_operation && (builtin::is_file_editor(tool) || fields.contains_key("path"))
}

fn typed_text(fields: &Map<String, Value>, tool: &str) -> Option<String> {
    if builtin::Deed::of_tool(tool) != Some(builtin::Deed::ShellInput) {
        return None;
    }
    TYPED_KEYS
        .iter()
        .find_map(|key| fields.get(*key)?.as_str())
        .map(str::to_owned)
}

/// Every command that the fields hold: which of them the tool reads is not told, and a model may
/// add one to hide another. Copilot's `commands` are the parts of its `command`.
fn command_lines(fields: &Map<String, Value>) -> Option<String> {
    let mut all: Vec<String> = Vec::new();
    for key in COMMAND_KEYS {
        let Some(text) = fields.get(key).and_then(|value| command_text(key, value)) else {
            continue;
        };
        let are_parts = key == "commands"
            && all
                .iter()
                .any(|line| text.lines().all(|part| line.contains(part)));
        if !are_parts && !all.contains(&text) {
            all.push(text);
        }
    }
    (!all.is_empty()).then(|| all.join("\n"))
}

/// A command as text, as a list of words, or as either of them in JSON.
fn command_text(key: &str, value: &Value) -> Option<String> {
    match value {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(list @ Value::Array(_)) => command_text(key, &list),
            _ => Some(text.clone()),
        },
        Value::Array(items) => {
            let words: Vec<&str> = items.iter().map(Value::as_str).collect::<Option<_>>()?;
            Some(if key == "commands" {
                words.join("\n")
            } else {
                command_line(&words)
            })
        }
        _ => None,
    }
    .filter(|text| !text.trim().is_empty())
}

/// One line for a list of words; `bash -lc LINE` is its line.
fn command_line(words: &[&str]) -> String {
    if let [shell, flags, line] = words {
        let name = shell.rsplit('/').next().unwrap_or(shell);
        let is_shell = matches!(name, "sh" | "bash" | "zsh" | "dash" | "ksh");
        if is_shell && matches!(*flags, "-c" | "-lc" | "-ic" | "-lic") {
            return (*line).to_owned();
        }
    }
    words
        .iter()
        .map(|word| quoted(word))
        .collect::<Vec<_>>()
        .join(" ")
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn required_patterns<'a>(options: &'a Value, scope: &'a str) -> impl Iterator<Item = String> + 'a {
    list(options)
        .flat_map(|option| list(&option["_meta"]["required_permissions"]))
        .filter(move |permission| permission["scope"] == scope)
        .filter_map(|permission| permission["invocation_pattern"].as_str())
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_command_is_found_in_every_shape_that_agents_send() {
        for (raw_input, want) in [
            (json!({"command": "ls -la"}), Some("ls -la")),
            (json!({"cmd": "ls"}), Some("ls")),
            (
                json!({"command": ["/bin/bash", "-lc", "cat a; ls"]}),
                Some("cat a; ls"),
            ),
            (
                json!({"command": ["rg", "a b", "src"]}),
                Some("rg 'a b' src"),
            ),
            (json!({"command": "[\"bash\",\"-lc\",\"ls\"]"}), Some("ls")),
            (json!({"commands": ["ls", "pwd"]}), Some("ls\npwd")),
            (
                json!({"command": "ls && pwd", "commands": ["ls", "pwd"]}),
                Some("ls && pwd"),
            ),
            (
                json!({"command": "ls", "cmd": "rm -rf src"}),
                Some("ls\nrm -rf src"),
            ),
            (
                json!({"command": "echo rm -rf src", "cmd": "rm -rf src"}),
                Some("echo rm -rf src\nrm -rf src"),
            ),
            (
                json!({"command": "[ -f x ] && rm x"}),
                Some("[ -f x ] && rm x"),
            ),
            (json!({"command": "  "}), None),
            (json!({"command": 7}), None),
            (json!({"command": ["a", 1]}), None),
            (json!({"command": "view", "path": "a"}), None),
            (json!({"command": "*** Begin Patch\n*** End Patch"}), None),
            (json!("ls"), None),
            (json!(null), None),
        ] {
            assert_eq!(command(&raw_input, "").as_deref(), want, "{raw_input}");
        }
        assert_eq!(command(&json!("ls"), "bash").as_deref(), Some("ls"));
        assert_eq!(
            command(&json!({"chars": "ls\n"}), "write_stdin").as_deref(),
            Some("ls\n")
        );
        assert_eq!(command(&json!({"chars": "ls\n"}), "other"), None);
    }

    #[test]
    fn a_title_gives_its_command_whole_unless_a_field_says_what_to_drop() {
        let none = json!({});
        let described = json!({"description": "tests"});
        for (title, raw_input, want) in [
            ("./gradlew test", &none, Some("./gradlew test")),
            ("`ls -la`", &none, Some("ls -la")),
            ("./gradlew test (tests)", &described, Some("./gradlew test")),
            (
                "cd src; (cat App.java)",
                &none,
                Some("cd src; (cat App.java)"),
            ),
            (
                "cd src; (cat App.java)",
                &described,
                Some("cd src; (cat App.java)"),
            ),
            ("`a` `b`", &none, Some("`a` `b`")),
            ("Terminal", &none, None),
            ("bash", &none, None),
            (" ", &none, None),
        ] {
            assert_eq!(
                command_in_title(title, raw_input).as_deref(),
                want,
                "{title}"
            );
        }
    }

    #[test]
    fn only_an_agents_program_makes_envelopes() {
        let raw_input =
            json!({"server": "s", "tool": "t", "arguments": {"a": 1}, "data": {"b": 1}});
        assert_eq!(arguments(&raw_input, IdentityRule::McpApproval)["a"], 1);
        assert_eq!(arguments(&raw_input, IdentityRule::Name), &raw_input);
        assert_eq!(arguments(&raw_input, IdentityRule::ActionClass), &raw_input);
        let action = json!({"kind": "MCPToolAction", "data": {"b": 1}});
        assert_eq!(arguments(&action, IdentityRule::ActionClass)["b"], 1);
    }

    #[test]
    fn all_places_that_name_a_path_count() {
        let call = json!({
            "rawInput": {
                "file_path": "a", "paths": ["b", {"path": "c"}], "cwd": "sub",
                "changes": {"/p/d": {"move_path": "/p/e"}},
                "command": "apply_patch <<X\n*** Begin Patch\n*** Add File: f\n*** End Patch\nX",
            },
            "locations": [{"path": "/p/g"}, {"path": "/p/sub/a"}, {}],
            "content": [{"type": "diff", "path": "/p/h"}, {"type": "content", "path": "no"}],
        });
        let options = json!([{"_meta": {"required_permissions": [
            {"scope": "outside_directory", "invocation_pattern": "/o/i"},
            {"scope": "command_pattern", "invocation_pattern": "no"},
        ]}}]);
        assert_eq!(
            paths(&call, IdentityRule::Name, &options, "/p"),
            [
                "/p/sub/a", "/p/sub/b", "/p/sub/c", "/p/d", "/p/e", "/p/g", "/p/h", "/p/sub/f",
                "/o/i"
            ]
        );
    }
}
