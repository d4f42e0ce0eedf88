//! The agents' configuration, from where each agent reads it: flags, variables, files.
//!
//! What cannot be read is reported on stderr and taken as null, as the agents continue without it.

use std::path::Path;

use serde_json::{Map, Value};

use crate::args::Args;

/// A JSON file, null where it cannot be read.
#[must_use]
pub fn json_file(path: &Path) -> Value {
    parsed(path, |text| {
        serde_json::from_str(text).map_err(|error| error.to_string())
    })
}

/// A TOML file as JSON, null where it cannot be read.
#[must_use]
pub fn toml_file(path: &Path) -> Value {
    parsed(path, |text| {
        toml::from_str(text).map_err(|error| error.to_string())
    })
}

/// The JSON file that an environment variable names, null without it.
#[must_use]
pub fn json_from_variable(variable: &str) -> Value {
    std::env::var_os(variable).map_or(Value::Null, |path| json_file(Path::new(&path)))
}

/// Codex's configuration of this run: `CODEX_CONFIG`, then `-c key=value` with TOML values.
#[must_use]
pub fn codex(args: &Args) -> Value {
    let mut config =
        std::env::var("CODEX_CONFIG").map_or(Value::Null, |text| from_text("CODEX_CONFIG", &text));
    for assignment in args.agent_values("-c") {
        match toml::from_str::<Value>(&assignment) {
            Ok(Value::Object(members)) => merge(&mut config, members),
            Ok(_) => {}
            Err(error) => eprintln!("scripted agent: -c {assignment}: {error}"),
        }
    }
    config
}

/// opencode's configuration: `OPENCODE_CONFIG` (a file), then `OPENCODE_CONFIG_CONTENT`.
#[must_use]
pub fn opencode() -> Value {
    let mut config = json_from_variable("OPENCODE_CONFIG");
    if let Ok(text) = std::env::var("OPENCODE_CONFIG_CONTENT")
        && let Value::Object(members) = from_text("OPENCODE_CONFIG_CONTENT", &text)
    {
        merge(&mut config, members);
    }
    config
}

fn from_text(name: &str, text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| {
        eprintln!("scripted agent: {name} is not JSON: {error}");
        Value::Null
    })
}

fn parsed(path: &Path, parse: impl Fn(&str) -> Result<Value, String>) -> Value {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string());
    text.and_then(|text| parse(&text)).unwrap_or_else(|error| {
        eprintln!("scripted agent: {}: {error}", path.display());
        Value::Null
    })
}

/// Lays `members` over `config`, table by table.
fn merge(config: &mut Value, members: Map<String, Value>) {
    if !config.is_object() {
        *config = Value::Object(Map::new());
    }
    for (name, value) in members {
        match value {
            Value::Object(inner) if config[&name].is_object() => merge(&mut config[&name], inner),
            value => config[&name] = value,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::codex;
    use crate::args::Args;

    #[test]
    fn dotted_flags_of_codex_add_up_to_one_configuration() {
        let words = [
            "-c",
            "features.hooks=true",
            "-c",
            r#"hooks.PreToolUse=[{matcher=".*",hooks=[{type="command",command="x y",timeout=10}]}]"#,
            "-c",
            r#"hooks.state={"/a:0"={trusted_hash="h",enabled=true}}"#,
        ];
        let args = Args::parse(words.iter().map(Into::into).collect()).expect("valid words");
        let expected = json!({
            "features": {"hooks": true},
            "hooks": {
                "PreToolUse": [{"matcher": ".*", "hooks": [{"type": "command", "command": "x y", "timeout": 10}]}],
                "state": {"/a:0": {"trusted_hash": "h", "enabled": true}},
            },
        });
        assert_eq!(codex(&args), expected);
    }
}
