//! Reads values out of JSON.

use serde_json::Value;

/// False for null, `""`, `[]` and `{}`.
pub(super) fn has_members(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
        Value::Bool(_) | Value::Number(_) => true,
    }
}
