//! `docs/events.schema.json` is what readers of `siderail run --json` rely on. It is made of the types in
//! `rust/event/src`; this test compares it, and `SIDERAIL_BLESS=1` writes it anew. What the engine writes
//! (`tests/boundary/event.*.json`) must be valid by it, and nothing else.

use std::path::{Path, PathBuf};

use jsonschema::Validator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use siderail_event::{EVENT_VERSION, Event, EventBody};

#[test]
fn the_schema_is_what_the_types_say() {
    let made = serde_json::to_string_pretty(&made()).expect("JSON") + "\n";
    let file = root().join("docs/events.schema.json");
    if std::env::var_os("SIDERAIL_BLESS").is_some() {
        std::fs::write(&file, &made).expect("it can be written");
    }
    let kept = std::fs::read_to_string(&file).expect("the schema");
    let differs = made.lines().zip(kept.lines()).find(|(a, b)| a != b);
    assert!(
        made == kept,
        "SIDERAIL_BLESS=1 writes docs/events.schema.json anew; first difference: {differs:?}"
    );
}

#[test]
fn every_event_of_the_engine_is_valid_and_no_member_of_it_is_unknown() {
    let validator = validator();
    for line in lines() {
        assert!(
            validator.is_valid(&line),
            "not what the schema says: {line}"
        );
        for place in objects(&line) {
            let mut line = line.clone();
            let object = line.pointer_mut(&place).expect("an object");
            object["surprise"] = json!(1);
            // Tools and channels are the names of its members; an earlier event has rules of its own.
            if ["/denials", "/entry"]
                .iter()
                .any(|of| place.starts_with(of))
            {
                continue;
            }
            assert!(
                !validator.is_valid(&line),
                "an unknown member passes: {line}"
            );
        }
    }
}

#[test]
fn a_line_without_one_of_its_required_members_is_refused() {
    let validator = validator();
    let schema = made();
    for whole in lines() {
        let rule = &schema["$defs"][whole["event"].as_str().expect("a name")];
        let required = rule["required"].as_array().expect("required members");
        assert!(required.len() > 5, "{rule}");
        for member in required {
            let mut line = whole.clone();
            let members = line.as_object_mut().expect("an object");
            members.remove(member.as_str().expect("a name"));
            assert!(
                !validator.is_valid(&line),
                "passes without {member}: {line}"
            );
        }
    }
}

#[test]
fn the_schema_describes_the_events_that_are_sent_and_no_other() {
    let schema = made();
    let events = schema["oneOf"].as_array().expect("events");
    let described = events.iter().map(|event| {
        let place = event["$ref"].as_str().expect("a reference");
        place.trim_start_matches("#/$defs/").to_owned()
    });
    let mut described: Vec<String> = described.collect();
    let sent = lines().map(|line| line["event"].as_str().expect("a name").to_owned());
    let mut sent: Vec<String> = sent.collect();
    described.sort();
    sent.sort();
    assert_eq!(described, sent);
    let line = json!({"v": 1, "seq": 1, "t": 0.0, "session": 0, "turn": 0, "event": "SURPRISE"});
    assert!(!validator().is_valid(&line));
}

#[test]
fn words_outside_a_closed_list_are_refused() {
    let validator = validator();
    let cases = [
        ("GUIDANCE_RECEIPT", "receipt", json!("maybe")),
        ("GUIDANCE_RECEIPT", "channel", json!("smoke signals")),
        ("PERMISSION_REQUEST", "channel", json!("steering")),
        ("PERMISSION_DENIED", "by", json!("always")),
        ("TURN_STARTED", "origin", json!("agent")),
        ("ERROR", "kind", json!("bad luck")),
        (
            "SUMMARY",
            "guidance",
            json!({"smoke signals": {"delivered": 1, "no_receipt": 0, "failed": 0}}),
        ),
        ("SUMMARY", "redirect_rate", json!(1.5)),
        ("HIDDEN", "v", json!(EVENT_VERSION + 1)),
    ];
    for (event, member, word) in cases {
        let mut line = lines().find(|line| line["event"] == event).expect("a line");
        line[member] = word;
        assert!(!validator.is_valid(&line), "passes: {line}");
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn validator() -> Validator {
    jsonschema::draft202012::new(&made()).expect("the schema is a schema")
}

/// One line of each event, as the engine writes it: the JVM's tests and the plugin's read the same files.
fn lines() -> impl Iterator<Item = Value> {
    let folder = std::fs::read_dir(root().join("tests/boundary")).expect("the folder");
    let files = folder.map(|entry| entry.expect("an entry").path());
    let events = files.filter(|file| {
        let name = file.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("event."))
    });
    events.map(|file| {
        let text = std::fs::read_to_string(file).expect("a line");
        serde_json::from_str(&text).expect("JSON")
    })
}

/// The places of all objects in a line.
fn objects(value: &Value) -> Vec<String> {
    let below = |(name, value): (String, &Value)| {
        let within = objects(value).into_iter();
        within
            .map(move |place| format!("/{name}{place}"))
            .collect::<Vec<_>>()
    };
    match value {
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| (name.clone(), value));
            let mut places: Vec<String> = members.flat_map(below).collect();
            places.push(String::new());
            places
        }
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items
                .map(|(at, item)| (at.to_string(), item))
                .flat_map(below)
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The schema: a closed object for each event, chosen by `event`.
fn made() -> Value {
    let mut generator = SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator();
    let bodies = generator.root_schema_for::<EventBody>().to_value();
    let head = generator.root_schema_for::<Event>().to_value();
    let mut types = Map::new();
    for (name, rule) in bodies["$defs"].as_object().into_iter().flatten() {
        types.insert(name.clone(), rule.clone());
    }
    let mut events = Vec::new();
    let mut described = Map::new();
    for (name, rule) in head["properties"].as_object().expect("members") {
        described.insert(name.clone(), rule.clone());
    }
    for body in bodies["oneOf"].as_array().expect("a list of events") {
        let name = body["properties"]["event"]["const"]
            .as_str()
            .expect("a tag");
        events.push(json!({"$ref": format!("#/$defs/{name}")}));
        described.insert(name.to_owned(), event(&head, body, &mut types));
    }
    types.remove("EventBody");
    for (name, rule) in types {
        assert!(
            !described.contains_key(&name),
            "two shapes are called {name}"
        );
        described.insert(name, rule);
    }
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": format!("urn:siderail:events:{EVENT_VERSION}"),
        "title": "Siderail event lines",
        "description": "One line of `siderail run --json`. Every event has its own closed object, chosen by `event`; a \
                        member or an event that is not named here is an error.",
        "oneOf": events,
        "$defs": described,
    });
    tidy(&mut schema);
    schema
}

/// An event's own members behind those that every line has. Members of a struct of its own are taken out of `types`.
fn event(head: &Value, body: &Value, types: &mut Map<String, Value>) -> Value {
    let of_struct = body["$ref"].as_str().map(|place| {
        let name = place.trim_start_matches("#/$defs/");
        types.remove(name).expect("a struct of its own")
    });
    let parts = || {
        [Some(head), Some(body), of_struct.as_ref()]
            .into_iter()
            .flatten()
    };
    let mut properties = Map::new();
    let mut required = Vec::new();
    for part in parts() {
        let members = part["properties"].as_object().into_iter().flatten();
        let is_head = std::ptr::eq(part, head);
        properties.extend(members.map(|(name, rule)| match is_head {
            true => (name.clone(), json!({"$ref": format!("#/$defs/{name}")})),
            false => (name.clone(), rule.clone()),
        }));
        let names = part["required"].as_array().into_iter().flatten();
        required.extend(names.cloned());
    }
    if properties.contains_key("entry") {
        let description = "What happened then: an event without v, seq, t, session and turn.";
        properties["entry"] =
            json!({"description": description, "type": "object", "required": ["event"]});
    }
    let own = &body["description"];
    let description = of_struct.as_ref().filter(|_| own.is_null());
    json!({
        "description": description.map_or(own, |of_struct| &of_struct["description"]),
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// Closes all objects, takes away what JSON has no word for, and says of members that may be absent that they are
/// never null: absent they are then.
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
            let required = members.get("required").cloned().unwrap_or_default();
            let is_required = |name: &str| {
                required
                    .as_array()
                    .is_some_and(|r| r.contains(&json!(name)))
            };
            if let Some(Value::Object(properties)) = members.get_mut("properties") {
                for (name, property) in properties.iter_mut() {
                    if !is_required(name) {
                        without_null(property);
                    }
                }
                let is_closed = members.contains_key("additionalProperties");
                if !is_closed {
                    members.insert("additionalProperties".to_owned(), json!(false));
                }
            }
            members.values_mut().for_each(tidy);
        }
        _ => {}
    }
}

fn without_null(rule: &mut Value) {
    if let Some(types) = rule["type"].as_array() {
        let other = types.iter().find(|name| **name != json!("null")).cloned();
        rule["type"] = other.expect("a type beside null");
    }
    if let Some(kinds) = rule["anyOf"].as_array() {
        let other = kinds
            .iter()
            .find(|kind| kind["type"] != json!("null"))
            .cloned();
        let members = rule.as_object_mut().expect("an object");
        members.remove("anyOf");
        let other = other.expect("a rule beside null");
        members.extend(
            other
                .as_object()
                .into_iter()
                .flatten()
                .map(|(k, v)| (k.clone(), v.clone())),
        );
    }
}
