//! The tools that the official conformance suite looks for, as far as this server has such tools.
//!
//! Prints the variables that a relay needs. The suite speaks HTTP, so `bridge.mjs` runs a relay per
//! session. Node 22 or newer; what fails asks for resources, prompts, logging or elicitation, which
//! this server does not have:
//!
//! ```sh
//! cargo build -p siderail-relay && npm install @modelcontextprotocol/conformance@0.2.0-alpha.12
//! cargo run -p siderail-mcp --example conformance -- FOLDER > variables &
//! export $(cat variables)   # once they are there
//! node rust/mcp/examples/conformance/bridge.mjs 7431 target/debug/siderail-relay &
//! npx conformance server --url http://localhost:7431/mcp --spec-version 2026-07-28 --scenario tools-list
//! ```

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use siderail_mcp::{
    Annotations, CallResult, Limits, Listener, ListenerEvent, PendingCall, ServerInfo,
    SessionServer, ToolDefinition,
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os()
        .nth(1)
        .ok_or("usage: conformance FOLDER")?;
    let mut listener = Listener::bind(Path::new(&folder), Limits::default())?;
    let info = ServerInfo {
        name: "conformance".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        instructions: String::new(),
    };
    let token = listener.register(
        1,
        SessionServer {
            info,
            tools: tools(),
        },
    );
    println!("SIDERAIL_SOCKET={}", listener.path().display());
    println!("SIDERAIL_TOKEN={}", token.as_str());
    while let Some(event) = listener.events.recv().await {
        if let ListenerEvent::Call { call, .. } = event {
            perform(call);
        }
    }
    Ok(())
}

fn perform(call: PendingCall) {
    let result = match call.name.as_str() {
        "test_error_handling" => {
            CallResult::failure("INTERNAL_ERROR", "This tool intentionally returns an error")
        }
        "test_tool_with_progress" => {
            for done in [0.0, 50.0, 100.0] {
                call.progress(done, Some(100.0), "working");
            }
            CallResult::success("done")
        }
        _ => CallResult::success("This is a simple text response for testing."),
    };
    call.complete(result);
}

fn tools() -> Arc<[ToolDefinition]> {
    let tool = |name: &str, input_schema: Value| ToolDefinition {
        name: name.into(),
        title: name.into(),
        description: format!("Fixture {name}."),
        input_schema,
        annotations: Annotations::READ,
    };
    let nothing = || json!({ "type": "object", "properties": {} });
    Arc::new([
        tool("test_simple_text", nothing()),
        tool("test_error_handling", nothing()),
        tool("test_tool_with_progress", nothing()),
        tool(
            "json_schema_2020_12_tool",
            json!({
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "type": "object",
                "$defs": {
                    "address": {
                        "$anchor": "addressDef",
                        "type": "object",
                        "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
                    },
                },
                "properties": { "name": { "type": "string" }, "address": { "$ref": "#/$defs/address" }, "contactMethod": { "type": "string", "enum": ["phone", "email"] }, "phone": { "type": "string" }, "email": { "type": "string" } },
                "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
                "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
                "then": { "required": ["phone"] },
                "else": { "required": ["email"] },
                "additionalProperties": false,
            }),
        ),
    ])
}
