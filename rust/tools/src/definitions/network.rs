//! The tool that reaches beyond the machine.

use serde_json::json;

use siderail_guard::Tool;
use siderail_mcp::{Annotations, ToolDefinition};

use super::schema::{bounded, from, one_of, schema, text, tool};

pub(super) fn definitions() -> Vec<ToolDefinition> {
    vec![tool(
        Tool::HttpRequest,
        "HTTP request",
        Annotations {
            read_only: false,
            destructive: true,
            idempotent: false,
            open_world: true,
        },
        "Sends an HTTP request and shows status, headers and body. Redirects are followed on the \
         same host and port; other places are named, and want a call of their own.",
        schema([
            ("url!", text("http:// or https:// address.")),
            (
                "method",
                one_of(
                    &["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
                    "Default GET.",
                ),
            ),
            (
                "headers",
                json!({
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "Each as `Name: value`.",
                }),
            ),
            ("body", text("Text to send.")),
            ("timeout_s", bounded(1, 45, 30, "Seconds.")),
            (
                "page",
                from(1, "Page of a long body; sends the request again."),
            ),
        ]),
    )]
}
