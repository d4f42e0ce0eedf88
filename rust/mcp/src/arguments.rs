//! Checks a call's arguments against its tool's schema: aliases folded, unknown ones named, types
//! checked.
//!
//! Models write the argument names of the tools they were trained on (`file_path`, `old_string`);
//! refusing those costs a turn, so they are folded to ours. What cannot be folded is ignored with a
//! note. A call that still does not fit is answered at once, with the schema in short. Only what our
//! schemas use is understood: `type`, `properties`, `required`, `items`, `enum`.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::result::{CallResult, cap};

/// Longest schema in short, in characters.
const SCHEMA_CHARS: usize = 800;

/// Our name, and what models call it, in `snake_case`; the other spellings fold to that first.
const ALIASES: [(&str, &[&str]); 13] = [
    (
        "path",
        &[
            "file",
            "file_path",
            "filepath",
            "filename",
            "file_name",
            "absolute_path",
            "target_file",
        ],
    ),
    ("old_text", &["old_string", "old_str", "search", "old"]),
    ("new_text", &["new_string", "new_str", "replace", "new"]),
    (
        "content",
        &[
            "text",
            "file_text",
            "contents",
            "new_content",
            "file_content",
        ],
    ),
    ("command", &["cmd", "command_line"]),
    (
        "query",
        &["pattern", "search_text", "search", "q", "regex_pattern"],
    ),
    ("pattern", &["glob", "glob_pattern", "query"]),
    ("directory", &["dir", "folder", "path", "dir_path"]),
    (
        "working_dir",
        &["cwd", "workdir", "working_directory", "directory", "dir"],
    ),
    ("paths", &["files", "file_paths"]),
    ("message", &["msg", "commit_message"]),
    ("url", &["uri"]),
    ("start_line", &["line_start", "from_line"]),
];

/// Our switch, and one that says the opposite.
const OPPOSITES: [(&str, &str); 1] = [("optional", "required")];

/// Arguments that some agents add to every tool's schema by themselves.
const ADDED_BY_AGENTS: [&str; 3] = ["security_risk", "summary", "wait_for_previous"];

/// Arguments that a handler can rely on.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// An object; names are ours, types are as in the schema, nulls and unknown members are gone.
    pub(crate) arguments: Value,
    /// A line to go ahead of the result.
    pub(crate) note: Option<String>,
}

/// Fits `arguments` to `schema`, or answers the call.
pub(crate) fn prepare(schema: &Value, arguments: Option<Value>) -> Result<Prepared, CallResult> {
    let given = match arguments {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(members)) => members,
        Some(other) => {
            let what = format!("the arguments must be an object, not {}", kind_of(&other));
            return Err(refusal("INVALID_PARAM", &[what], &[], schema));
        }
    };
    let mut unknown = Vec::new();
    let arguments = fold(schema, Value::Object(given), "", &mut unknown);
    let mut problems = Problems::default();
    problems.look_at(schema, &arguments, "");
    if !problems.missing.is_empty() {
        return Err(refusal(
            "MISSING_PARAM",
            &problems.missing,
            &unknown,
            schema,
        ));
    }
    if !problems.invalid.is_empty() {
        return Err(refusal(
            "INVALID_PARAM",
            &problems.invalid,
            &unknown,
            schema,
        ));
    }
    let note = (!unknown.is_empty()).then(|| {
        format!(
            "NOTE: {}. Parameters: {}",
            ignored(&unknown),
            in_short(schema)
        )
    });
    Ok(Prepared { arguments, note })
}

fn refusal(code: &str, problems: &[String], unknown: &[String], schema: &Value) -> CallResult {
    let mut text = problems.join("; ");
    if !unknown.is_empty() {
        let _ = write!(text, "; {}", ignored(unknown));
    }
    CallResult::failure(code, format!("{text}. Parameters: {}", in_short(schema)))
}

fn ignored(unknown: &[String]) -> String {
    let name = |name: &String| format!("`{}`", name.chars().take(60).collect::<String>());
    let names: Vec<String> = unknown.iter().take(10).map(name).collect();
    format!("unknown and ignored: {}", names.join(", "))
}

fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties")?.as_object()
}

fn required(schema: &Value) -> impl Iterator<Item = &str> {
    schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}

/// Renames, converts and drops, down to the depth of the schema.
fn fold(schema: &Value, value: Value, at: &str, unknown: &mut Vec<String>) -> Value {
    match (schema.get("type").and_then(Value::as_str), value) {
        (Some("object"), Value::Object(members)) => match properties(schema) {
            Some(known) => Value::Object(fold_members(known, members, at, unknown)),
            None => Value::Object(members),
        },
        (Some("array"), Value::Array(items)) => match schema.get("items") {
            Some(of) => items
                .into_iter()
                .map(|item| fold(of, item, at, unknown))
                .collect(),
            None => Value::Array(items),
        },
        // Some models write a structured argument as a text that holds JSON.
        (Some(kind @ ("object" | "array")), Value::String(text)) => {
            match serde_json::from_str::<Value>(&text) {
                Ok(inner) if kind_of(&inner) == kind => fold(schema, inner, at, unknown),
                _ => Value::String(text),
            }
        }
        (Some("integer"), Value::Number(number)) => match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 9e15 => {
                Value::from(float as i64)
            }
            _ => Value::Number(number),
        },
        (_, value) => value,
    }
}

fn fold_members(
    known: &Map<String, Value>,
    members: Map<String, Value>,
    at: &str,
    unknown: &mut Vec<String>,
) -> Map<String, Value> {
    // A null says "not given": some agents fill in every optional member that way.
    let (exact, others): (Vec<_>, Vec<_>) = members
        .into_iter()
        .filter(|(_, value)| !value.is_null())
        .partition(|(name, _)| known.contains_key(name));
    let mut folded: Map<String, Value> = exact.into_iter().collect();
    for (name, value) in others {
        match our_name(known, &name) {
            Some(ours) if !folded.contains_key(ours) => {
                folded.insert(ours.to_owned(), value);
            }
            _ if ADDED_BY_AGENTS.contains(&&*name) => {}
            _ => match opposite(known, &name, &value) {
                Some((ours, value)) if !folded.contains_key(ours) => {
                    folded.insert(ours.to_owned(), value);
                }
                _ => unknown.push(format!("{at}{name}")),
            },
        }
    }
    for (name, value) in &mut folded {
        if let Some(schema) = known.get(name) {
            *value = fold(schema, value.take(), &format!("{at}{name}."), unknown);
        }
    }
    folded
}

/// The schema's name for a member that the schema does not have.
fn our_name<'a>(known: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    let snake = snake_case(name);
    let alias_of = |ours: &str| known.get_key_value(ours).map(|(ours, _)| ours.as_str());
    alias_of(&snake).or_else(|| {
        let matching = ALIASES
            .iter()
            .filter(|(_, aliases)| aliases.contains(&&*snake));
        matching.filter_map(|(ours, _)| alias_of(ours)).next()
    })
}

/// The schema's switch that says the opposite of one that the schema does not have, turned over.
fn opposite(
    known: &Map<String, Value>,
    name: &str,
    value: &Value,
) -> Option<(&'static str, Value)> {
    let snake = snake_case(name);
    let (ours, _) = OPPOSITES
        .into_iter()
        .find(|(ours, theirs)| *theirs == snake && known.contains_key(*ours))?;
    Some((ours, Value::Bool(!value.as_bool()?)))
}

fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for (at, character) in name.char_indices() {
        if character.is_ascii_uppercase() && at > 0 && !snake.ends_with('_') {
            snake.push('_');
        }
        snake.push(if character == '-' {
            '_'
        } else {
            character.to_ascii_lowercase()
        });
    }
    snake
}

/// What does not fit, missing members apart from wrong ones: each is one error code.
#[derive(Default)]
struct Problems {
    missing: Vec<String>,
    invalid: Vec<String>,
}

impl Problems {
    fn look_at(&mut self, schema: &Value, value: &Value, at: &str) {
        let wanted = schema.get("type").and_then(Value::as_str);
        if wanted.is_some_and(|wanted| !is_a(value, wanted)) {
            let wanted = wanted.unwrap_or_default();
            self.invalid.push(format!(
                "`{at}` must be {}, not {}",
                article(wanted),
                kind_of(value)
            ));
            return;
        }
        if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
            && !allowed.contains(value)
        {
            self.invalid
                .push(format!("`{at}` must be one of {}", choices(allowed)));
        }
        if let Value::Object(members) = value {
            let dot = if at.is_empty() { "" } else { "." };
            for name in required(schema).filter(|name| !members.contains_key(*name)) {
                self.missing.push(format!("`{at}{dot}{name}` is missing"));
            }
            for (name, schema) in properties(schema).into_iter().flatten() {
                if let Some(value) = members.get(name) {
                    self.look_at(schema, value, &format!("{at}{dot}{name}"));
                }
            }
        }
        if let (Value::Array(items), Some(of)) = (value, schema.get("items")) {
            for (n, item) in items.iter().enumerate() {
                // One bad item shows the model what is wrong with all of them.
                if self.missing.len() + self.invalid.len() < 5 {
                    self.look_at(of, item, &format!("{at}[{n}]"));
                }
            }
        }
    }
}

fn is_a(value: &Value, wanted: &str) -> bool {
    match wanted {
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        _ => kind_of(value) == wanted,
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn article(kind: &str) -> String {
    let article = if kind.starts_with(['a', 'i', 'o']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {kind}")
}

fn choices(allowed: &[Value]) -> String {
    allowed
        .iter()
        .map(Value::to_string)
        .collect::<Vec<_>>()
        .join(" | ")
}

/// `path: string, start_line?: integer, edits?: [{old_text: string, new_text: string}]`.
fn in_short(schema: &Value) -> String {
    let text = match properties(schema) {
        Some(known) if !known.is_empty() => members_in_short(schema, known),
        _ => "none".to_owned(),
    };
    cap(text, SCHEMA_CHARS, "see the tool's schema")
}

fn members_in_short(schema: &Value, known: &Map<String, Value>) -> String {
    let member = |(name, of): (&String, &Value)| {
        let optional = if required(schema).any(|required| required == name) {
            ""
        } else {
            "?"
        };
        format!("{name}{optional}: {}", type_in_short(of))
    };
    known.iter().map(member).collect::<Vec<_>>().join(", ")
}

fn type_in_short(schema: &Value) -> String {
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array) {
        return choices(allowed);
    }
    match (
        schema.get("type").and_then(Value::as_str),
        properties(schema),
        schema.get("items"),
    ) {
        (Some("object"), Some(known), _) => format!("{{{}}}", members_in_short(schema, known)),
        (Some("array"), _, Some(of)) => format!("[{}]", type_in_short(of)),
        (Some(kind), _, _) => kind.to_owned(),
        (None, _, _) => "any".to_owned(),
    }
}
