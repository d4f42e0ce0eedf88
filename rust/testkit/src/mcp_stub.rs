//! A tiny MCP server on stdio that says what it was called with: somebody else's server in tests.
//!
//! Its tools read, write and run nothing. `SIDERAIL_STUB_TOOLS` names them, comma separated; behind a
//! name comes `!` where the tool claims to be read-only, `?` where it has no title.

use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use serde_json::{Value, json};

const TOOLS: &str = "intellij_read_file!,intellij_write_file,run_tests";

/// Serves stdin until its end.
#[must_use]
pub(crate) fn serve() -> ExitCode {
    let names = std::env::var("SIDERAIL_STUB_TOOLS").unwrap_or_else(|_| TOOLS.to_owned());
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let Ok(message) = serde_json::from_str::<Value>(&line) else {
            continue;
        };
        let Some(id) = message.get("id") else {
            continue;
        };
        let answer = match answer(&message, &names) {
            Some(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            None => json!({"jsonrpc": "2.0", "id": id,
                "error": {"code": -32601, "message": "Method not found"}}),
        };
        if writeln!(out, "{answer}")
            .and_then(|()| out.flush())
            .is_err()
        {
            break;
        }
    }
    ExitCode::SUCCESS
}

fn answer(message: &Value, names: &str) -> Option<Value> {
    match message["method"].as_str()? {
        "initialize" => Some(json!({
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "stub", "version": "1"},
            "instructions": "Use these tools.",
        })),
        "tools/list" => {
            let tools: Vec<Value> = names.split(',').map(tool).collect();
            Some(json!({"tools": tools}))
        }
        "tools/call" => {
            let params = &message["params"];
            let name = params["name"].as_str().unwrap_or_default();
            let text = format!("CALLED {name} {}", params["arguments"]);
            Some(json!({"content": [{"type": "text", "text": text}], "isError": name == "fail"}))
        }
        "ping" => Some(json!({})),
        _ => None,
    }
}

fn tool(name: &str) -> Value {
    let bare = name.trim_end_matches(['!', '?']);
    let mut tool = json!({
        "name": bare,
        "description": "Says what it was called with.",
        "inputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": name.ends_with('!')},
    });
    if !name.ends_with('?') {
        tool["title"] = bare.replace('_', " ").into();
    }
    tool
}
