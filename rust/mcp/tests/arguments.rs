//! What models write as arguments, and what a tool's handler then gets or the model reads.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use serde_json::{Value, json};
use siderail_mcp::{Annotations, CallResult, Limits, Output, Server, ToolDefinition};
use siderail_wire::Line;

mod scene;

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": { "type": "string" },
            "content": { "type": "string" },
            "old_text": { "type": "string" },
            "new_text": { "type": "string" },
            "edits": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "old_text": { "type": "string" },
                        "new_text": { "type": "string" },
                        "replace_all": { "type": "boolean" },
                    },
                    "required": ["old_text", "new_text"],
                },
            },
            "start_line": { "type": "integer" },
            "ratio": { "type": "number" },
            "optional": { "type": "boolean" },
            "severity": { "type": "string", "enum": ["error", "warning"] },
        },
        "required": ["path"],
    })
}

/// What comes of a call with these arguments: those handed out and the note, or the refusal.
fn call(arguments: &Value) -> Result<(Value, Option<String>), String> {
    let tool = ToolDefinition {
        name: "write".into(),
        title: "Write".into(),
        description: "Writes.".into(),
        input_schema: schema(),
        annotations: Annotations::READ,
    };
    let mut server = Server::new(scene::info(), Arc::new([tool]), Limits::default());
    let params = json!({ "name": "write", "arguments": arguments });
    let line = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let outputs = server.handle_line(Line::Message(line.to_string().into_bytes()));
    let text = |answer: &Value| {
        answer["result"]["content"][0]["text"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    match outputs.into_iter().next_back().unwrap() {
        Output::Call(call) => {
            let line = server
                .complete(call.key, CallResult::success("done"))
                .unwrap();
            let text = text(&scene::parse(&line));
            let note = text.strip_suffix("\ndone").map(str::to_owned);
            assert!(note.is_some() || text == "done", "{text}");
            Ok((call.arguments, note))
        }
        Output::Send(line) => {
            let answer = scene::parse(&line);
            assert_eq!(answer["result"]["isError"], json!(true));
            Err(text(&answer))
        }
        other => panic!("{other:?}"),
    }
}

fn check(given: Value, handed_out: Value) {
    assert_eq!(call(&given), Ok((handed_out, None)), "{given}");
}

fn check_refused(given: Value, code: &str, parts: &[&str]) {
    let refusal = call(&given).expect_err("it does not fit");
    assert!(refusal.starts_with(&format!("{code}: ")), "{refusal}");
    for part in parts {
        assert!(refusal.contains(part), "{part} in {refusal}");
    }
}

#[test]
fn names_of_other_agents_tools_fold_to_ours() {
    for name in [
        "path",
        "file",
        "file_path",
        "filePath",
        "filename",
        "absolute_path",
        "FilePath",
    ] {
        check(json!({ name: "a" }), json!({ "path": "a" }));
    }
    for (old, new) in [
        ("old_string", "new_string"),
        ("old_str", "new_str"),
        ("oldString", "newString"),
        ("oldText", "newText"),
        ("old-text", "new-text"),
    ] {
        check(
            json!({ "path": "a", old: "x", new: "y" }),
            json!({ "path": "a", "old_text": "x", "new_text": "y" }),
        );
    }
    for name in ["text", "file_text", "fileText", "contents"] {
        check(
            json!({ "path": "a", name: "x" }),
            json!({ "path": "a", "content": "x" }),
        );
    }
    check(
        json!({ "path": "a", "startLine": 3 }),
        json!({ "path": "a", "start_line": 3 }),
    );
}

#[test]
fn a_switch_that_is_said_the_other_way_round_means_the_same() {
    for (required, optional) in [(false, true), (true, false)] {
        check(
            json!({ "path": "a", "required": required }),
            json!({ "path": "a", "optional": optional }),
        );
    }
    let (arguments, note) =
        call(&json!({ "path": "a", "optional": true, "required": true })).unwrap();
    assert_eq!(arguments, json!({ "path": "a", "optional": true }));
    assert!(note.unwrap().contains("`required`"));
    let (arguments, note) = call(&json!({ "path": "a", "required": ["path"] })).unwrap();
    assert_eq!(arguments, json!({ "path": "a" }));
    assert!(note.unwrap().contains("`required`"));
}

#[test]
fn names_fold_inside_lists_too() {
    check(
        json!({ "path": "a", "edits": [{ "oldString": "x", "newString": "y", "replaceAll": true }] }),
        json!({ "path": "a", "edits": [{ "old_text": "x", "new_text": "y", "replace_all": true }] }),
    );
}

#[test]
fn our_own_name_wins_over_another_one_and_the_model_hears_of_it() {
    let (arguments, note) = call(&json!({ "file_path": "b", "path": "a" })).unwrap();
    assert_eq!(arguments, json!({ "path": "a" }));
    assert!(note.unwrap().contains("`file_path`"));
}

#[test]
fn an_unknown_argument_is_ignored_with_a_note_and_the_names_there_are() {
    let (arguments, note) =
        call(&json!({ "path": "a", "mode": "fast", "edits": [{ "old_text": "x", "new_text": "y", "why": 1 }] }))
            .unwrap();
    assert_eq!(
        arguments,
        json!({ "path": "a", "edits": [{ "old_text": "x", "new_text": "y" }] })
    );
    let note = note.unwrap();
    assert!(note.starts_with("NOTE: "), "{note}");
    for part in [
        "`mode`",
        "`edits.why`",
        "path: string, content?: string",
        "start_line?: integer",
    ] {
        assert!(note.contains(part), "{part} in {note}");
    }
    assert_eq!(note.lines().count(), 1);
}

#[test]
fn what_agents_add_to_every_call_is_dropped_without_a_word() {
    check(
        json!({ "path": "a", "security_risk": "LOW", "summary": "s", "wait_for_previous": true }),
        json!({ "path": "a" }),
    );
}

#[test]
fn a_null_counts_as_not_given() {
    check(
        json!({ "path": "a", "content": null, "edits": null }),
        json!({ "path": "a" }),
    );
    check_refused(
        json!({ "path": null }),
        "MISSING_PARAM",
        &["`path` is missing"],
    );
}

#[test]
fn harmless_differences_of_type_are_put_right() {
    check(
        json!({ "path": "a", "start_line": 3.0 }),
        json!({ "path": "a", "start_line": 3 }),
    );
    check(
        json!({ "path": "a", "ratio": 1 }),
        json!({ "path": "a", "ratio": 1 }),
    );
    check(
        json!({ "path": "a", "edits": "[{\"oldText\":\"x\",\"new_text\":\"y\"}]" }),
        json!({ "path": "a", "edits": [{ "old_text": "x", "new_text": "y" }] }),
    );
    check(
        json!({ "path": "a", "content": "[1]" }),
        json!({ "path": "a", "content": "[1]" }),
    );
}

#[test]
fn what_does_not_fit_is_named_together_with_what_would() {
    let parameters = "Parameters: path: string";
    check_refused(
        json!({}),
        "MISSING_PARAM",
        &["`path` is missing", parameters],
    );
    check_refused(
        json!({ "pth": "a" }),
        "MISSING_PARAM",
        &[
            "`path` is missing",
            "unknown and ignored: `pth`",
            parameters,
        ],
    );
    let invalid = |given, part| check_refused(given, "INVALID_PARAM", &[part, parameters]);
    invalid(json!({ "path": 5 }), "`path` must be a string, not integer");
    invalid(
        json!({ "path": "a", "start_line": "5" }),
        "`start_line` must be an integer, not string",
    );
    invalid(
        json!({ "path": "a", "start_line": 1.5 }),
        "`start_line` must be an integer, not number",
    );
    invalid(
        json!({ "path": "a", "edits": {} }),
        "`edits` must be an array, not object",
    );
    invalid(
        json!({ "path": "a", "edits": ["x"] }),
        "`edits[0]` must be an object, not string",
    );
    invalid(
        json!({ "path": "a", "severity": "info" }),
        r#"`severity` must be one of "error" | "warning""#,
    );
    invalid(json!([]), "must be an object, not array");
    check_refused(
        json!({ "path": "a", "edits": [{ "old_text": "x" }] }),
        "MISSING_PARAM",
        &[
            "`edits[0].new_text` is missing",
            "edits?: [{old_text: string, new_text: string, replace_all?: boolean}]",
        ],
    );
}

#[test]
fn a_flood_of_mistakes_gets_an_answer_of_readable_length() {
    let edits: Vec<Value> = (0..10_000).map(|n| json!({ "old_text": n })).collect();
    let unknown: serde_json::Map<String, Value> = (0..10_000)
        .map(|n| (format!("unknown_{n}"), json!(n)))
        .collect();
    let mut arguments = json!({ "path": "a", "edits": edits });
    arguments.as_object_mut().unwrap().extend(unknown);
    let refusal = call(&arguments).unwrap_err();
    assert!(
        refusal.chars().count() < 2_200,
        "{}",
        refusal.chars().count()
    );

    let (_, note) = call(&json!({ "path": "a", "unknown".repeat(100_000): 1 })).unwrap();
    assert!(note.unwrap().chars().count() < 1_000);
}
