//! Reads a command, paths and arguments out of a tool call, whatever its agent calls them.

mod command;
mod keys;
mod line;
mod members;

use serde_json::Value;

use super::patch;
use crate::action::IdentityRule;
use crate::path::make_absolute;
use keys::{COMMAND_KEYS, FOLDER_KEYS, RUN_FOLDER_KEYS};

pub(super) use command::{Run, command, command_in_title, run};
pub(crate) use members::takes_bounds_off;

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

/// The arguments of the tool that a call runs: inside the envelope that some agents put around MCP
/// calls, else `rawInput` itself. Only an agent's program makes envelopes, and `rule` says whether
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

/// The class of an action, where `rawInput` names one ([`super::quirk::Quirk::ActionClass`]).
pub(super) fn action_class(raw_input: &Value) -> Option<&str> {
    raw_input["kind"]
        .as_str()
        .filter(|class| class.ends_with("Action"))
}

/// A call's arguments, without what a program that names classes of actions wraps them in and puts among them.
pub(super) fn without_class(arguments: &Value) -> Value {
    let inner = arguments.get("data").filter(|data| data.is_object());
    let mut bare = inner.unwrap_or(arguments).clone();
    if let Value::Object(members) = &mut bare {
        members.retain(|key, _| !matches!(key.as_str(), "kind" | "security_risk" | "summary"));
    }
    bare
}

/// The class of OpenHands' actions that call a tool of an MCP server.
pub(super) const MCP_ACTION: &str = "MCPToolAction";

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

/// True for a field that holds paths.
pub(super) fn names_files(key: &str) -> bool {
    PATH_KEYS.contains(&key)
}

/// True for a field that holds a command.
pub(super) fn names_command(key: &str) -> bool {
    COMMAND_KEYS.contains(&key)
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
    folder_in(raw_input, &FOLDER_KEYS).map_or_else(|| cwd.to_owned(), |at| make_absolute(at, cwd))
}

/// Where the call's command starts.
pub(crate) fn run_folder(call: &Value, cwd: &str) -> String {
    let told = folder_in(&call["rawInput"], &RUN_FOLDER_KEYS).or_else(|| folder_in_content(call));
    told.map_or_else(|| cwd.to_owned(), |at| make_absolute(at, cwd))
}

fn folder_in<'a>(raw_input: &'a Value, keys: &[&str]) -> Option<&'a str> {
    let mut folders = keys.iter().filter_map(|key| raw_input[*key].as_str());
    folders.find(|folder| !folder.is_empty())
}

/// Gemini gives a command's folder in its words beside the title.
fn folder_in_content(call: &Value) -> Option<&str> {
    let text = call["content"][0]["content"]["text"].as_str()?;
    let (folder, _) = text
        .strip_prefix("[current working directory ")?
        .split_once(']')?;
    Some(folder.trim())
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

/// Every text that could contain a patch.
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
