//! Our server as it ships: listener, socket, token, protocol core. A handler that answers at once.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use siderail_mcp::{
    Annotations, CallResult, Limits, Listener, ListenerEvent, PendingCall, ServerInfo,
    SessionServer, ToolDefinition,
};

use crate::Failure;

/// Serves until killed, on the runtime that `siderail` itself runs on.
pub(crate) fn serve(folder: &str) -> Result<(), Failure> {
    super::rmcp::runtime()?.block_on(async {
        let mut listener = Listener::bind(Path::new(folder), Limits::default())?;
        let info = ServerInfo {
            name: "echo".into(),
            version: "1".into(),
            instructions: String::new(),
        };
        let tools = Arc::new([echo()]);
        let token = listener.register(1, SessionServer { info, tools });
        println!("SIDERAIL_SOCKET={}", listener.path().display());
        println!("SIDERAIL_TOKEN={}", token.as_str());
        // A task of its own, as the engine is.
        tokio::spawn(async move {
            while let Some(event) = listener.events.recv().await {
                if let ListenerEvent::Call { call, .. } = event {
                    answer(call);
                }
            }
        })
        .await?;
        Ok(())
    })
}

fn answer(mut call: PendingCall) {
    let text = match call.arguments["text"].take() {
        serde_json::Value::String(text) => text,
        other => other.to_string(),
    };
    call.complete(CallResult::success(text));
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
