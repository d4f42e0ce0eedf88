//! The variables of a tool call that shapes may use in their templates.
//!
//! Variables that may be missing: those of the other purposes, `before` if there is no file, `locations` where a
//! command or MCP call names none.
//!
//! Files: `path` `relative` `parent` `file_name` `old` `new` `content` `before` `after` `lines`
//! `characters` `patch`. Commands: `command` `words` `program` `command_title` `locations`.
//! MCP: `server` `server_id` `tool` `title` `tool_description` `arguments` `arguments_text`
//! `arguments_display` `locations` `hint_kind` `guessed_kind`.
//! Plans: `plan`.
//! All: `id` `n` `n4` `name` `kind` `description` `command_line` and those of [`crate::turn::Turn::vars`].

use std::path::Path;

use serde_json::{Value, json};

use crate::safe_command;
use crate::script::Purpose;
use crate::template::{Vars, fill_text};
use crate::tool_call::ToolCall;

/// Sets the variables of a call on `target`.
pub(crate) fn set(call: &mut ToolCall<'_>, target: &str) {
    let description = call
        .step
        .description
        .as_deref()
        .unwrap_or("part of the task");
    call.vars
        .set("description", description)
        .set("command_line", target);
    match call.purpose {
        Purpose::Read | Purpose::Edit | Purpose::Create => file(call, target),
        Purpose::Shell => command(call, target),
        Purpose::Present => {
            call.vars.set("plan", target);
        }
        Purpose::Search => {
            call.vars.set("pattern", target);
        }
        Purpose::Mcp => mcp(call, target),
    }
}

/// Gives the call its id, by the shape's template.
pub(crate) fn set_id(call: &mut ToolCall<'_>) {
    let number = {
        let mut state = call.turn.session.state();
        state.calls += 1;
        state.calls
    };
    call.vars.set("n", number).set("n4", format!("{number:04}"));
    call.vars
        .set("hex", call.turn.agent.peer.uuid().replace('-', ""));
    let id = fill_text(&call.turn.agent.shape.call_id, &call.vars);
    call.vars.set("id", id);
}

fn file(call: &mut ToolCall<'_>, target: &str) {
    let path = call.turn.session.absolute(target);
    let before = std::fs::read_to_string(&path).ok();
    let (old, new) = (call.step.old.as_deref(), call.step.new.as_deref());
    let vars = &mut call.vars;
    vars.set("path", path.to_string_lossy());
    let relative = path.strip_prefix(&call.turn.session.cwd).unwrap_or(&path);
    vars.set("relative", relative.to_string_lossy());
    let text = |path: Option<&Path>| path.map(|path| path.to_string_lossy().into_owned());
    vars.set("parent", text(path.parent()).unwrap_or_default());
    vars.set(
        "file_name",
        text(path.file_name().map(Path::new)).unwrap_or_default(),
    );
    if let Some(old) = old {
        vars.set("old", old);
    }
    if let Some(new) = new {
        vars.set("new", new);
    }
    set_texts(
        vars,
        call.purpose,
        before.as_deref(),
        call.step.content.as_deref(),
    );
}

/// Sets what depends on the file's text, `before`, which the client may know better than the disk.
pub(crate) fn set_texts(
    vars: &mut Vars,
    purpose: Purpose,
    before: Option<&str>,
    content: Option<&str>,
) {
    let was = before.unwrap_or_default();
    let after = match purpose {
        Purpose::Edit => was.replacen(&vars.text("old"), &vars.text("new"), 1),
        Purpose::Create => content.unwrap_or_default().to_owned(),
        _ => was.to_owned(),
    };
    if let Some(before) = before {
        vars.set("before", before);
    }
    vars.set("lines", was.lines().count())
        .set("characters", after.chars().count());
    vars.set("numbered", number_lines(was));
    vars.set("patch", patch(was, &after));
    if purpose == Purpose::Create {
        vars.set("content", after.as_str());
    }
    vars.set("after", after);
}

fn command(call: &mut ToolCall<'_>, target: &str) {
    let vars = &mut call.vars;
    let words: Vec<&str> = target.split_whitespace().collect();
    vars.set("command", target).set("words", json!(words));
    vars.set("program", words.first().copied().unwrap_or_default())
        .set("command_title", target);
    let reader = ["cat", "head", "tail", "sed"].contains(words.first().unwrap_or(&""));
    let path = words
        .last()
        .filter(|_| reader && safe_command::is_safe(target));
    if let Some(path) = path.map(|path| call.turn.session.absolute(path)) {
        vars.set("command_title", format!("Read file '{}'", path.display()));
        vars.set("locations", json!([{"path": path}]));
    }
    vars.set(
        "description",
        call.step.description.as_deref().unwrap_or("run a command"),
    );
}

fn mcp(call: &mut ToolCall<'_>, target: &str) {
    let arguments = Value::Object(call.mcp_arguments());
    let definition = call
        .server
        .and_then(|server| server.tool(target))
        .cloned()
        .unwrap_or_default();
    let server = call
        .server
        .map(|server| server.name.clone())
        .or_else(|| call.step.server.clone());
    let server = server.unwrap_or_default();
    let vars = &mut call.vars;
    vars.set("tool", target)
        .set("server_id", server.replace('-', "_"))
        .set("server", server);
    vars.set("title", definition["title"].as_str().unwrap_or(target));
    if let Some(title) = definition["title"].as_str() {
        vars.set("own_title", title);
    }
    vars.set(
        "tool_description",
        definition["description"].as_str().unwrap_or_default(),
    );
    let kind = match definition["annotations"]["readOnlyHint"] == true {
        true => "read",
        false => "other",
    };
    vars.set("hint_kind", kind)
        .set("guessed_kind", guess_kind(target));
    vars.set("arguments_text", arguments.to_string());
    let locations: Vec<Value> = arguments["path"]
        .as_str()
        .into_iter()
        .map(|path| json!({"path": path}))
        .collect();
    if !locations.is_empty() {
        vars.set("locations", locations);
    }
    let display: Vec<Value> = arguments
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| json!({"name": name, "value": value, "display_name": name}))
        .collect();
    vars.set("arguments_display", display)
        .set("arguments", arguments);
}

/// The kind that agents guess from a tool's name.
fn guess_kind(tool: &str) -> &'static str {
    let has = |parts: &[&str]| parts.iter().any(|part| tool.contains(part));
    if has(&["read", "get", "list", "find", "search"]) {
        "read"
    } else if has(&["write", "edit", "delete", "move"]) {
        "edit"
    } else if has(&["run", "exec"]) {
        "execute"
    } else {
        "other"
    }
}

fn number_lines(text: &str) -> String {
    text.lines()
        .enumerate()
        .map(|(index, line)| format!("{}\t{line}\n", index + 1))
        .collect()
}

/// A unified diff of one hunk with all lines, which is what agents show for small files.
fn patch(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same =
        |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| pairs.take_while(|(a, b)| a == b).count();
    let head = same(&mut old.iter().zip(&new));
    let room = old.len().min(new.len()) - head;
    let tail = same(&mut old.iter().rev().zip(new.iter().rev())).min(room);
    let start = |count: usize| usize::from(count > 0);
    let mut text = format!(
        "@@ -{},{} +{},{} @@\n",
        start(old.len()),
        old.len(),
        start(new.len()),
        new.len()
    );
    let mut add = |sign: char, lines: &[&str]| {
        for line in lines {
            text.push(sign);
            text.push_str(line);
            text.push('\n');
        }
    };
    add(' ', &old[..head]);
    add('-', &old[head..old.len() - tail]);
    add('+', &new[head..new.len() - tail]);
    add(' ', &old[old.len() - tail..]);
    text
}

#[cfg(test)]
mod tests {
    use super::patch;

    #[test]
    fn a_patch_shows_what_changes_between_equal_lines() {
        assert_eq!(
            patch("a\nb\nc\n", "a\nx\nc\n"),
            "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"
        );
        assert_eq!(patch("", "a\n"), "@@ -0,0 +1,1 @@\n+a\n");
        assert_eq!(patch("a\na\n", "a\n"), "@@ -1,2 +1,1 @@\n a\n-a\n");
    }
}
