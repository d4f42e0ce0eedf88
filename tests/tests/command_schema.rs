//! `docs/commands.schema.json` is what embedders rely on that send commands as JSON. It is made of the types in
//! `rust/engine/src/command.rs`; this test compares it, and `SIDERAIL_BLESS=1` writes it anew. What an embedder may send
//! (`tests/boundary/command.*.json`) must be valid by it, and nothing else.

use std::path::{Path, PathBuf};

use jsonschema::Validator;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};
use siderail_engine::command::Command;

#[test]
fn the_schema_is_what_the_types_say() {
    let made = serde_json::to_string_pretty(&made()).expect("JSON") + "\n";
    let file = root().join("docs/commands.schema.json");
    if std::env::var_os("SIDERAIL_BLESS").is_some() {
        std::fs::write(&file, &made).expect("it can be written");
    }
    let kept = std::fs::read_to_string(&file).expect("the schema");
    let differs = made.lines().zip(kept.lines()).find(|(a, b)| a != b);
    assert!(
        made == kept,
        "SIDERAIL_BLESS=1 writes docs/commands.schema.json anew; first difference: {differs:?}"
    );
}

#[test]
fn what_embedders_send_is_valid_and_no_other_member_is() {
    let validator = validator();
    for (name, command) in commands() {
        let faults: Vec<String> = validator
            .iter_errors(&command)
            .map(|fault| fault.to_string())
            .collect();
        assert_eq!(faults, Vec::<String>::new(), "{name}");
        let mut command = command;
        command["surprise"] = json!(1);
        assert!(!validator.is_valid(&command), "{name}: anything passes");
    }
}

#[test]
fn each_command_of_the_schema_is_sent_in_a_file() {
    let schema = made();
    let described = schema["oneOf"].as_array().expect("commands").iter();
    let described = described.map(|rule| rule["properties"]["command"]["const"].clone());
    for command in described {
        assert!(
            commands().any(|(_, sent)| sent["command"] == command),
            "no file in tests/boundary sends {command}"
        );
    }
}

#[test]
fn what_goes_with_a_prompt_is_closed_and_typed() {
    let validator = validator();
    let prompt = |attachment: Value| json!({"command": "prompt", "session": 1, "text": "t", "attachments": [attachment]});
    for good in [
        json!({"kind": "file", "path": "/tmp/a.png"}),
        json!({"kind": "text", "name": "selection", "text": "x"}),
        json!({"kind": "image", "name": "pasted", "data": "AAAA"}),
        json!({"kind": "diff", "name": "changes", "changes": [{"path": "a", "old_text": null, "new_text": "b"}]}),
    ] {
        assert!(validator.is_valid(&prompt(good.clone())), "{good}");
    }
    for bad in [
        json!({"kind": "video", "path": "/tmp/a.mp4"}),
        json!({"kind": "file"}),
        json!({"kind": "file", "path": "/tmp/a.png", "name": "a"}),
        json!({"kind": "image", "name": "pasted", "data": 7}),
    ] {
        assert!(!validator.is_valid(&prompt(bad.clone())), "passes: {bad}");
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn validator() -> Validator {
    jsonschema::draft202012::new(&made()).expect("the schema is a schema")
}

/// The commands that the plugin's and the library's tests send.
fn commands() -> impl Iterator<Item = (String, Value)> {
    let folder = std::fs::read_dir(root().join("tests/boundary")).expect("the folder");
    let files = folder.map(|entry| entry.expect("an entry").path());
    files.filter_map(|file| {
        let name = file.file_name()?.to_str()?.to_owned();
        name.starts_with("command.").then(|| {
            let text = std::fs::read_to_string(&file).expect("a command");
            (name, serde_json::from_str(&text).expect("JSON"))
        })
    })
}

/// The schema: a closed object for each command, chosen by `command`. The two that start a session are the library's
/// own, since the settings complete their options.
fn made() -> Value {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let mut schema = generator.into_root_schema_for::<Command>().to_value();
    let starts = [
        (
            "start_session",
            "Starts an agent and opens a session on it.",
        ),
        (
            "restart_session",
            "Starts the agent of a session anew with other settings; its conversation goes on.",
        ),
    ];
    let commands = schema["oneOf"].as_array_mut().expect("commands");
    for (name, description) in starts {
        commands.push(json!({
            "description": description,
            "type": "object",
            "properties": {
                "command": {"type": "string", "const": name},
                "session": {"description": "The host's number of the session, from 1.", "type": "integer", "minimum": 1},
                "options": {
                    "description": "The agent, how it is started, and settings of this session; `siderail policy show` \
                                    names the settings.",
                    "type": "object",
                    "required": ["agent"],
                },
            },
            "required": ["command", "session", "options"],
        }));
    }
    schema["$id"] = json!("urn:siderail:commands:1");
    schema["title"] = json!("Siderail commands");
    schema["description"] = json!(
        "What an embedder sends to the library, as JSON. Every command has its own closed object, chosen by `command`."
    );
    tidy(&mut schema);
    schema
}

/// Closes objects that name their members, and takes away what JSON has no word for.
fn tidy(rule: &mut Value) {
    match rule {
        Value::Array(rules) => rules.iter_mut().for_each(tidy),
        Value::Object(members) => {
            for word in ["format", "default"] {
                if members.get(word).is_some_and(|value| !value.is_object()) {
                    members.remove(word);
                }
            }
            if let Some(Value::String(text)) = members.get_mut("description") {
                *text = text.replace('\n', " ");
            }
            let names_members = members.get("properties").is_some_and(Value::is_object);
            if names_members && members.get("type") == Some(&json!("object")) {
                members.insert("additionalProperties".to_owned(), json!(false));
            }
            members.values_mut().for_each(tidy);
        }
        _ => {}
    }
}
