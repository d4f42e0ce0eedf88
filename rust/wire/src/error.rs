//! The error object of JSON-RPC, read leniently: real agents send texts, missing codes and extra members.

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// Longest `data` that [`RpcError`]'s display shows, in characters.
const SHOWN_DATA: usize = 2000;

/// Error codes of JSON-RPC 2.0, ACP schema 1.15 and MCP 2025-11-25.
pub mod codes {
    /// The line is not JSON.
    pub const PARSE_ERROR: i64 = -32700;
    /// The JSON is not a request.
    pub const INVALID_REQUEST: i64 = -32600;
    /// The other side does not know the method.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The method's params do not fit.
    pub const INVALID_PARAMS: i64 = -32602;
    /// The other side failed.
    pub const INTERNAL_ERROR: i64 = -32603;
    /// ACP: the request was cancelled by `$/cancel_request`.
    pub const REQUEST_CANCELLED: i64 = -32800;
    /// ACP: log in first.
    pub const AUTH_REQUIRED: i64 = -32000;
    /// ACP and MCP: the named file or resource does not exist.
    pub const RESOURCE_NOT_FOUND: i64 = -32002;
    /// MCP and ACP version 2: the protocol version is not supported.
    pub const UNSUPPORTED_VERSION: i64 = -32022;
}

/// What the other side answered instead of a result.
#[derive(Clone, Debug, Serialize)]
pub struct RpcError {
    /// One of [`codes`] or the peer's own; 0 where the peer sent none.
    pub code: i64,
    /// The peer's sentence.
    pub message: String,
    /// Whatever the peer added; often the only place that names the cause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Box<RawValue>>,
}

impl RpcError {
    /// Makes an error without data.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// The answer to a request whose method is unknown.
    pub fn method_not_found(method: &str) -> Self {
        Self::new(
            codes::METHOD_NOT_FOUND,
            format!("method not found: {method}"),
        )
    }

    /// The answer to a request whose params cannot be read, with the reason.
    pub fn invalid_params(why: impl std::fmt::Display) -> Self {
        Self::new(codes::INVALID_PARAMS, format!("invalid params: {why}"))
    }

    /// The answer to a request that was cancelled.
    pub fn cancelled() -> Self {
        Self::new(codes::REQUEST_CANCELLED, "request cancelled")
    }

    /// Reads an `error` member of any shape. A bare text becomes the message with code 0.
    pub(crate) fn from_raw(raw: &RawValue) -> Self {
        let Ok(value) = serde_json::from_str::<Value>(raw.get()) else {
            return Self::new(0, raw.get());
        };
        match value {
            Value::String(message) => Self::new(0, message),
            Value::Object(mut members) => Self {
                code: members.get("code").and_then(integer).unwrap_or(0),
                message: match members.remove("message") {
                    Some(Value::String(message)) => message,
                    Some(other) => other.to_string(),
                    None => String::new(),
                },
                data: members
                    .remove("data")
                    .filter(|data| !data.is_null())
                    .and_then(|data| RawValue::from_string(data.to_string()).ok()),
            },
            other => Self::new(0, other.to_string()),
        }
    }

    /// `data` as text: a JSON string bare, anything else as JSON.
    pub fn data_text(&self) -> Option<String> {
        let raw = self.data.as_deref()?.get();
        Some(serde_json::from_str::<String>(raw).unwrap_or_else(|_| raw.to_owned()))
    }
}

impl std::fmt::Display for RpcError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let message = if self.message.is_empty() {
            "no message"
        } else {
            &self.message
        };
        write!(formatter, "{message} (code {})", self.code)?;
        match self.data_text() {
            Some(data) => write!(
                formatter,
                ": {}",
                data.chars().take(SHOWN_DATA).collect::<String>()
            ),
            None => Ok(()),
        }
    }
}

impl std::error::Error for RpcError {}

/// A number that some peers write as a float.
fn integer(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| {
        value
            .as_f64()
            .filter(|float| float.fract() == 0.0)
            .map(|float| float as i64)
    })
}
