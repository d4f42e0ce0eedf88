//! The text for a built-in file tool that one of ours replaces.

use serde_json::Value;

use super::{Call, Guidance, NameForm, TextId, fitted, inline};
use crate::action::{Action, ActionKind};
use crate::normalize::fields;
use crate::tool::Tool;

/// Says what to call instead of this action. `relative` are the paths it names in the project.
pub(crate) fn guidance(
    kind: ActionKind,
    action: &Action,
    relative: &[String],
    form: &NameForm,
) -> Option<Guidance> {
    let (id, call, benefit) = replacement(kind, action, relative)?;
    let benefit = form.surroundings().pick(benefit.ide, benefit.files);
    let denied = inline(&action.identity.label(), 60);
    let others = others(relative, &call);
    let text = fitted(|longest| {
        format!(
            "Use {} instead: {benefit}.{others} The built-in {denied} is closed for the files of \
             this project and will be denied again; make the call above now and go on with the \
             task.",
            call.shown(form, longest)
        )
    });
    Some(Guidance {
        id,
        tool: call.tool,
        text,
    })
}

/// A text's id, the call it names and what that call is better at.
type Replacement = (TextId, Call, Benefit);

/// What a call is better at, in an IDE and on plain files.
struct Benefit {
    ide: &'static str,
    files: &'static str,
}

fn replacement(kind: ActionKind, action: &Action, relative: &[String]) -> Option<Replacement> {
    let path = relative.first().map(String::as_str);
    Some(match kind {
        ActionKind::Read if path == Some("") => list(None),
        ActionKind::Read => (
            TextId::ReadFile,
            Call::new(Tool::ReadFile).with("path", path, "<the file>"),
            Benefit {
                ide: "it reads the file as the editor shows it, including unsaved changes",
                files: "it reads any part of the file, with line numbers",
            },
        ),
        ActionKind::Edit => edit(action, path),
        ActionKind::Delete => (
            TextId::DeleteFile,
            Call::new(Tool::DeleteFile).with("path", path, "<the file>"),
            Benefit {
                ide: "it deletes through the IDE, as one step that can be undone",
                files: "it deletes this file and nothing else",
            },
        ),
        ActionKind::Move => (
            TextId::MoveFile,
            Call::new(Tool::MoveFile)
                .with("path", path, "<the file>")
                .with("to", relative.get(1).map(String::as_str), "<its new path>"),
            Benefit {
                ide: "it moves through the IDE, as one step that can be undone",
                files: "it creates missing folders and replaces nothing without asking",
            },
        ),
        ActionKind::ListFolder => list(path),
        ActionKind::FindFile => find(action.arguments(), path),
        ActionKind::SearchText => search(action.arguments(), path),
        _ => return None,
    })
}

fn find(arguments: &Value, path: Option<&str>) -> Replacement {
    let pattern = text_of(arguments, &["pattern", "glob", "query", "name"]);
    let call = Call::new(Tool::ListProjectFiles)
        .with_known("directory", path.filter(|path| !path.is_empty()))
        .with("pattern", pattern, "<a glob>");
    (TextId::FindFile, call, COMPLETE_LIST)
}

fn search(arguments: &Value, path: Option<&str>) -> Replacement {
    let query = text_of(arguments, &["pattern", "query", "regex", "search"]);
    let call = Call::new(Tool::SearchText)
        .with_query(query, false)
        .with_known("path", path.filter(|path| !path.is_empty()));
    let benefit = Benefit {
        ide: "it searches the project as the IDE sees it, including unsaved changes",
        files: "its answer is complete and leaves out what the project excludes",
    };
    (TextId::SearchText, call, benefit)
}

const COMPLETE_LIST: Benefit = Benefit {
    ide: "its list is complete and knows what the project excludes",
    files: "its list is complete and knows what the project excludes",
};

fn list(path: Option<&str>) -> Replacement {
    let call = Call::new(Tool::ListProjectFiles)
        .with_known("directory", path.filter(|path| !path.is_empty()));
    (TextId::ListFolder, call, COMPLETE_LIST)
}

/// Old and new text if the call has them, else the whole new content, else what to fill in.
fn edit(action: &Action, path: Option<&str>) -> Replacement {
    let call = Call::new(Tool::WriteFile).with("path", path, "<the file>");
    let benefit = Benefit {
        ide: "it edits through the IDE, as one step that can be undone",
        files: "it edits in one step and returns the diff",
    };
    if fields::applied_patch(&action.raw["rawInput"], action.command.as_deref()).is_some() {
        let call = call.with("old_text", None, "<the lines to replace>").with(
            "new_text",
            None,
            "<the lines for them>",
        );
        return (TextId::Patch, call, benefit);
    }
    let arguments = action.arguments();
    let change = change(action, arguments);
    let is_whole = text_of(arguments, &["content", "contents", "file_text"]).is_some()
        || matches!(change, (None, Some(_)));
    if is_whole {
        let content = text_of(arguments, &["content", "contents", "file_text"]).or(change.1);
        let call = call.with("content", content, "<the whole text>");
        return (TextId::WriteFile, call, benefit);
    }
    let call = call
        .with("old_text", change.0, "<the text to replace>")
        .with("new_text", change.1, "<the text for it>");
    (TextId::ReplaceText, call, benefit)
}

/// Old and new text: of the arguments, else of the only diff.
fn change<'a>(action: &'a Action, arguments: &'a Value) -> (Option<&'a str>, Option<&'a str>) {
    let old = text_of(
        arguments,
        &["old_string", "old_str", "oldString", "old_text"],
    );
    let new = text_of(
        arguments,
        &["new_string", "new_str", "newString", "new_text"],
    );
    if old.is_some() || new.is_some() {
        return (old, new);
    }
    let in_list = arguments["changes"]
        .as_array()
        .filter(|changes| changes.len() == 1);
    if let Some(change) = in_list.and_then(|changes| changes.first()) {
        return (
            text_of(change, &["oldString"]),
            text_of(change, &["newString"]),
        );
    }
    let blocks = action.raw["content"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let mut diffs = blocks.iter().filter(|block| block["type"] == "diff");
    match (diffs.next(), diffs.next()) {
        (Some(diff), None) => (text_of(diff, &["oldText"]), text_of(diff, &["newText"])),
        _ => (None, None),
    }
}

fn text_of<'a>(fields: &'a Value, keys: &[&str]) -> Option<&'a str> {
    keys.iter()
        .find_map(|key| fields[*key].as_str())
        .filter(|text| !text.is_empty())
}

/// Names the further files of a call that touches several.
fn others(relative: &[String], call: &Call) -> String {
    let is_one_file = call.tool == Tool::MoveFile || relative.len() < 2;
    if is_one_file {
        return String::new();
    }
    let names: Vec<String> = relative[1..]
        .iter()
        .take(3)
        .map(|path| inline(path, 60))
        .collect();
    let more = if relative.len() > 4 { " …" } else { "" };
    format!(
        " One call for each file, so also for {}{more}.",
        names.join(", ")
    )
}
