//! The suite's tools, as far as their answers can be given in one text.

use std::sync::Arc;

use serde_json::{Value, json};
use siderail_mcp::{Annotations, CallResult, PendingCall, ToolDefinition};

/// Names, texts and progress steps are the suite's.
pub(crate) fn perform(call: PendingCall) {
    let result = match call.name.as_str() {
        "test_error_handling" => CallResult {
            text: "This tool intentionally returns an error for testing".into(),
            is_error: true,
        },
        "test_tool_with_progress" => {
            for done in [0.0, 50.0, 100.0] {
                call.progress(done, Some(100.0), "working");
            }
            CallResult::success("done")
        }
        "greet" => {
            let name = call.arguments["name"].as_str().unwrap_or("world");
            CallResult::success(format!("Hello, {name}!"))
        }
        _ => CallResult::success("This is a simple text response for testing."),
    };
    call.complete(result);
}

pub(crate) fn tools() -> Arc<[ToolDefinition]> {
    let nothing = || json!({ "type": "object", "properties": {} });
    let name = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
    Arc::new([
        tool("test_simple_text", nothing()),
        tool("test_error_handling", nothing()),
        tool("test_tool_with_progress", nothing()),
        // On the streams of these two the suite looks for what a server must not send by itself: log
        // messages that nobody asked for, and requests to the client.
        tool("test_logging_tool", nothing()),
        tool("test_streaming_elicitation", nothing()),
        tool("greet", name),
        tool("json_schema_2020_12_tool", conditional_schema()),
    ])
}

fn tool(name: &str, input_schema: Value) -> ToolDefinition {
    ToolDefinition {
        name: name.into(),
        title: name.into(),
        description: format!("Fixture {name}."),
        input_schema,
        annotations: Annotations::READ,
    }
}

/// Keywords that our own tools do not use; a server has to hand them on unharmed.
fn conditional_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {
                    "street": { "type": "string" },
                    "city": { "type": "string" },
                },
            },
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": {
            "properties": { "contactMethod": { "const": "phone" } },
            "required": ["contactMethod"],
        },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}
