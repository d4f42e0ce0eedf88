//! The protocol versions: which era a request belongs to, and what results look like in each.
//!
//! Legacy versions agree once, by `initialize`. The modern one (2026-07-28) has no handshake: every
//! request names its version in `_meta`, every result says what it is. Both may come over one
//! connection, in any order.

use serde::Serialize;
use serde_json::{Map, Value, json};
use siderail_wire::{RpcError, codes};

use crate::info::ServerInfo;
use crate::result::CallResult;
use crate::tool::ToolDefinition;

/// The modern version.
const MODERN: &str = "2026-07-28";
/// Versions with a handshake, oldest first.
const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";

/// Says of a modern result that the client has to do nothing more for it.
const COMPLETE: &str = "complete";

/// How long a client may keep a list, in milliseconds: it does not change within a session.
const TTL_MS: u64 = 3_600_000;

/// Which rules a request is answered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    Legacy,
    Modern,
}

/// The version to answer `initialize` with: the client's own if it has a handshake, else the newest.
fn negotiate(requested: Option<&str>) -> &'static str {
    let known = LEGACY
        .into_iter()
        .find(|version| Some(*version) == requested);
    known.unwrap_or(LEGACY[LEGACY.len() - 1])
}

/// Finds out a request's era. The error is for a modern request that is not complete.
pub(crate) fn era(method: &str, meta: Option<&Map<String, Value>>) -> Result<Era, RpcError> {
    let mark = |name| meta.and_then(|meta| meta.get(name));
    let requested = mark(PROTOCOL_VERSION).and_then(Value::as_str);
    let modern = match method {
        // A handshake is taken for what it is unless it says that it is not.
        "initialize" => requested == Some(MODERN),
        // Only the modern version has these.
        "server/discover" | "subscriptions/listen" => true,
        _ => [PROTOCOL_VERSION, CLIENT_CAPABILITIES, CLIENT_INFO]
            .into_iter()
            .any(|name| mark(name).is_some()),
    };
    if !modern {
        return Ok(Era::Legacy);
    }
    let missing = |name| Err(RpcError::invalid_params(format!("_meta has no {name}")));
    match (requested, mark(CLIENT_CAPABILITIES)) {
        (None, _) => missing(PROTOCOL_VERSION),
        (Some(requested), _) if requested != MODERN => Err(unsupported(requested)),
        (Some(_), Some(Value::Object(_))) => Ok(Era::Modern),
        (Some(_), _) => missing(CLIENT_CAPABILITIES),
    }
}

fn unsupported(requested: &str) -> RpcError {
    let mut error = RpcError::new(codes::UNSUPPORTED_VERSION, "unsupported protocol version");
    let data = json!({ "supported": [MODERN], "requested": requested });
    error.data = serde_json::value::to_raw_value(&data).ok();
    error
}

/// The result of `initialize`.
pub(crate) fn initialize(info: &ServerInfo, params: &Map<String, Value>) -> Value {
    let requested = params.get("protocolVersion").and_then(Value::as_str);
    let mut result = json!({
        "protocolVersion": negotiate(requested),
        "capabilities": capabilities(),
        "serverInfo": implementation(info),
    });
    add_instructions(&mut result, info);
    result
}

/// The result of `server/discover`, which only the modern version has.
pub(crate) fn discover(info: &ServerInfo) -> Value {
    let mut result = json!({
        "supportedVersions": [MODERN],
        "capabilities": capabilities(),
    });
    add_instructions(&mut result, info);
    make_modern(&mut result, info);
    allow_caching(&mut result);
    result
}

/// The result of `tools/list`.
pub(crate) fn tool_list(era: Era, info: &ServerInfo, tools: &[ToolDefinition]) -> Value {
    let mut result = json!({ "tools": tools });
    if era == Era::Modern {
        make_modern(&mut result, info);
        allow_caching(&mut result);
    }
    result
}

/// The result of `tools/call`. Written as it is, because texts are long and a value of them would be a copy.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolResult<'a> {
    content: [TextBlock<'a>; 1],
    is_error: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<&'static str>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<Value>,
}

#[derive(Serialize)]
struct TextBlock<'a> {
    r#type: &'static str,
    text: &'a str,
}

impl<'a> ToolResult<'a> {
    pub(crate) fn new(era: Era, info: &ServerInfo, result: &'a CallResult) -> Self {
        let modern = era == Era::Modern;
        Self {
            content: [TextBlock {
                r#type: "text",
                text: &result.text,
            }],
            is_error: result.is_error,
            result_type: modern.then_some(COMPLETE),
            meta: modern.then(|| identity(info)),
        }
    }
}

fn capabilities() -> Value {
    json!({ "tools": { "listChanged": false } })
}

fn implementation(info: &ServerInfo) -> Value {
    json!({ "name": info.name, "version": info.version })
}

fn add_instructions(result: &mut Value, info: &ServerInfo) {
    if !info.instructions.is_empty() {
        result["instructions"] = info.instructions.as_str().into();
    }
}

fn make_modern(result: &mut Value, info: &ServerInfo) {
    result["resultType"] = COMPLETE.into();
    result["_meta"] = identity(info);
}

/// Modern results say whose they are.
fn identity(info: &ServerInfo) -> Value {
    json!({ "io.modelcontextprotocol/serverInfo": implementation(info) })
}

fn allow_caching(result: &mut Value) {
    result["ttlMs"] = TTL_MS.into();
    result["cacheScope"] = "private".into();
}
