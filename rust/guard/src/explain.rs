//! The two forms of an analysis: one JSON object a line for programs, sentences for people.
//!
//! It decides nothing. A line that is not valid input gets an `error` and its `id` if that can be read, so that a
//! stream of lines continues.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use crate::found;
use crate::shell::{
    Analysis, Dialect, Finding, Instead, ProtectedPlaces, ShellInput, ShellVerdict, analyse,
};
use crate::tool::Tool;

/// Answers one line of the machine interface: a JSON object in, a JSON object out, no newline.
///
/// Input: `{"id", "command", "shell"?, "root", "cwd"?, "home"?, "tools"?}`. Output: `{"id", "verdict", "findings":
/// [{"kind", "tool", "text", "why", "paths"}]}` or `{"id", "error"}`. A line that writes outside of the project has the
/// member `"outside"` as well, a list of paths: that is not a finding and changes no verdict, but the policy has a
/// person decide; so has `"protected"`, the words that name a protected place.
pub fn line(input: &str, protected_places: &ProtectedPlaces) -> String {
    let value: Value = match serde_json::from_str(input) {
        Ok(value) => value,
        Err(error) => return failure(Value::Null, &format!("not JSON: {error}")),
    };
    let Value::Object(members) = value else {
        return failure(Value::Null, "not a JSON object");
    };
    let id = members.get("id").cloned().unwrap_or(Value::Null);
    match answer(&members, protected_places) {
        Ok(analysis) => success(id, &analysis),
        Err(error) => failure(id, &error),
    }
}

fn answer(
    members: &Map<String, Value>,
    protected_places: &ProtectedPlaces,
) -> Result<Analysis, String> {
    let command = text(members, "command")?.ok_or("command is missing")?;
    let shell = text(members, "shell")?.unwrap_or("bash");
    let dialect = Dialect::from_name(shell).ok_or_else(|| {
        format!("unknown shell {shell:?}; valid values: bash, fish, powershell, cmd")
    })?;
    let root = text(members, "root")?.ok_or("root is missing")?;
    let cwd = text(members, "cwd")?.unwrap_or(root);
    for (name, path) in [("root", root), ("cwd", cwd)] {
        if !is_absolute(path) {
            return Err(format!("{name} {path:?} is not an absolute path"));
        }
    }
    let tools = tools(members)?;
    Ok(analyse(&ShellInput {
        command: command.as_bytes(),
        dialect,
        root,
        roots: &[],
        cwd,
        home: text(members, "home")?,
        tools: tools.as_deref(),
        protected_places,
    }))
}

fn text<'a>(members: &'a Map<String, Value>, name: &str) -> Result<Option<&'a str>, String> {
    match members.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("{name} is not a string")),
    }
}

fn tools(members: &Map<String, Value>) -> Result<Option<Vec<Instead>>, String> {
    let list = match members.get("tools") {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Array(list)) => list,
        Some(_) => return Err("tools is not a list of names".to_owned()),
    };
    let names: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
    match names {
        Some(names) => {
            // A name that is not ours replaces nothing.
            let tools: Vec<Tool> = names.into_iter().filter_map(Tool::named).collect();
            Ok(Some(found::offered(&tools)))
        }
        None => Err("tools is not a list of names".to_owned()),
    }
}

fn is_absolute(path: &str) -> bool {
    let bytes = path.as_bytes();
    let drive = bytes.len() >= 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':';
    path.starts_with(['/', '\\']) || drive
}

fn success(id: Value, analysis: &Analysis) -> String {
    let findings: Vec<Value> = analysis.findings.iter().map(finding).collect();
    let mut answer = json!({"id": id, "verdict": analysis.verdict.as_str(), "findings": findings});
    if !analysis.outside.is_empty() {
        answer["outside"] = json!(analysis.outside);
    }
    if !analysis.protected.is_empty() {
        answer["protected"] = json!(analysis.protected);
    }
    answer.to_string()
}

fn finding(finding: &Finding) -> Value {
    json!({
        "kind": finding.kind.as_str(),
        "tool": finding.instead.map(found::tool).map(Tool::name),
        "text": finding.text,
        "why": finding.why,
        "paths": finding.paths,
    })
}

fn failure(id: Value, error: &str) -> String {
    json!({"id": id, "error": error}).to_string()
}

/// Explains a verdict to a person, in a few lines, ending with a newline. What could steer a terminal is
/// written out.
pub fn for_people(analysis: &Analysis, command: &str) -> String {
    let leaves = !analysis.outside.is_empty();
    // What the policy makes of it.
    let asks = leaves || !analysis.protected.is_empty();
    let verdict = if asks {
        analysis.verdict.max(ShellVerdict::Ask)
    } else {
        analysis.verdict
    };
    let mut out = format!("{}: {}\n", verdict.as_str(), shown(command.trim()));
    if analysis.findings.is_empty() && !asks {
        out.push_str("  No tool replaces this, and it is not dangerous; your policy applies.\n");
    }
    for finding in &analysis.findings {
        let tool = finding
            .instead
            .map(|instead| format!(" (use {})", found::tool(instead)))
            .unwrap_or_default();
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "  {}{tool}: {}\n      {}",
            finding.kind,
            shown(&finding.text),
            shown(&finding.why)
        );
    }
    if leaves {
        let _ = writeln!(
            out,
            "  outside: {}\n      Writes outside the project, so you are asked whatever else is allowed.",
            shown(&analysis.outside.join(", "))
        );
    }
    if !analysis.protected.is_empty() {
        let _ = writeln!(
            out,
            "  protected: {}\n      Decides how git, the IDE or an agent works here, so you are asked whatever else is \
             allowed.",
            shown(&analysis.protected.join(", "))
        );
    }
    out
}

/// The text with its control characters, and those that turn the direction of writing, as escapes. The
/// second line of a command begins below the first.
fn shown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        match c {
            '\n' => shown.push_str("\n      "),
            c if c.is_control() || turns => shown.extend(c.escape_default()),
            c => shown.push(c),
        }
    }
    shown
}
