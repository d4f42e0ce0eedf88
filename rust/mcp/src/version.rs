//! The protocol versions, and which era a request belongs to.
//!
//! Legacy versions agree once, by `initialize`. The modern one (2026-07-28) has no handshake: every
//! request names its version in `_meta`. Both may come over one connection, in any order.

use serde_json::{Map, Value, json};
use siderail_wire::{RpcError, codes};

/// The modern version.
pub(crate) const MODERN: &str = "2026-07-28";
/// Versions with a handshake, oldest first.
const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";

/// Which rules a request is answered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    Legacy,
    Modern,
}

/// The version to answer `initialize` with: the client's own if it has a handshake, else the newest.
pub(crate) fn negotiate(requested: Option<&str>) -> &'static str {
    let known = LEGACY
        .into_iter()
        .find(|version| Some(*version) == requested);
    known.unwrap_or(LEGACY[LEGACY.len() - 1])
}

/// Tells a request's era by its `_meta`. The error is for a modern request that is not complete.
pub(crate) fn era(meta: Option<&Map<String, Value>>) -> Result<Era, RpcError> {
    let Some(meta) = meta else {
        return Ok(Era::Legacy);
    };
    let marks = [PROTOCOL_VERSION, CLIENT_CAPABILITIES, CLIENT_INFO];
    if !marks.into_iter().any(|mark| meta.contains_key(mark)) {
        return Ok(Era::Legacy);
    }
    let Some(requested) = meta.get(PROTOCOL_VERSION).and_then(Value::as_str) else {
        return Err(RpcError::invalid_params(format!(
            "_meta has no {PROTOCOL_VERSION}"
        )));
    };
    if requested != MODERN {
        let mut error = RpcError::new(codes::UNSUPPORTED_VERSION, "unsupported protocol version");
        let data = json!({ "supported": [MODERN], "requested": requested });
        error.data = serde_json::value::to_raw_value(&data).ok();
        return Err(error);
    }
    match meta.get(CLIENT_CAPABILITIES) {
        Some(Value::Object(_)) => Ok(Era::Modern),
        _ => Err(RpcError::invalid_params(format!(
            "_meta has no {CLIENT_CAPABILITIES}"
        ))),
    }
}
