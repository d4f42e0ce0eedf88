//! A server with one tool, for trying clients and for measuring.
//!
//! `cargo run -p siderail-mcp --example echo -- FOLDER` prints the variables that a relay needs.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use siderail_mcp::{
    Annotations, CallResult, Limits, Listener, ListenerEvent, ServerInfo, SessionServer,
    ToolDefinition,
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1).ok_or("usage: echo FOLDER")?;
    let mut listener = Listener::bind(Path::new(&folder), Limits::default())?;
    let token = listener.register(
        1,
        SessionServer {
            info: info(),
            tools: Arc::new([echo()]),
        },
    );
    println!("SIDERAIL_SOCKET={}", listener.path().display());
    println!("SIDERAIL_TOKEN={}", token.as_str());
    while let Some(event) = listener.events.recv().await {
        match event {
            ListenerEvent::Call { call, .. } => {
                let text = call.arguments["text"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned();
                call.complete(CallResult::success(text));
            }
            ListenerEvent::Hook { payload, reply, .. } => {
                let text = String::from_utf8_lossy(&payload).into_owned();
                tokio::spawn(reply.answer(0, text));
            }
            other => eprintln!("{other:?}"),
        }
    }
    Ok(())
}

fn info() -> ServerInfo {
    ServerInfo {
        name: "echo".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        instructions: "Use echo to hear a text again.".into(),
    }
}

fn echo() -> ToolDefinition {
    ToolDefinition {
        name: "echo".into(),
        title: "Echo".into(),
        description: "Answers with the text that it was given.".into(),
        input_schema: json!({
            "type": "object",
            "properties": { "text": { "type": "string", "description": "The text." } },
            "required": ["text"],
        }),
        annotations: Annotations::READ,
    }
}
