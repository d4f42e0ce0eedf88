//! Reads leniently what agents send: the raw JSON is kept, and a typed view is made of it on request.
//!
//! A field of the wrong type is a field that is missing, an unknown field is nobody's error, and text that Rust
//! cannot hold (half an emoji, split between two chunks by a JavaScript agent) is repaired instead of refused.

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

/// Reads raw JSON as a type, repairing lone surrogates if these prevent it.
///
/// # Errors
/// Says what does not fit, when the JSON is not of that type.
pub fn read<T: DeserializeOwned>(raw: &RawValue) -> Result<T, serde_json::Error> {
    serde_json::from_str(raw.get()).or_else(|failure| match repair_surrogates(raw.get()) {
        Some(repaired) => serde_json::from_str(&repaired),
        None => Err(failure),
    })
}

/// Reads raw JSON as a plain value; null when it cannot be held (nested deeper than 128 levels, huge numbers).
pub fn value(raw: &RawValue) -> Value {
    read(raw).unwrap_or(Value::Null)
}

/// Writes a value as raw JSON.
pub fn raw(value: &Value) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).expect("a JSON value is JSON")
}

/// The text under a key, where there is one.
pub fn text<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    object.get(key).and_then(Value::as_str)
}

/// The text under a key as an owned text; empty if it is absent.
pub(crate) fn owned_text(object: &Value, key: &str) -> String {
    text(object, key).unwrap_or_default().to_owned()
}

/// The array under a key; empty if it is absent.
pub(crate) fn items<'a>(object: &'a Value, key: &str) -> &'a [Value] {
    object
        .get(key)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// The texts in the array under a key.
pub(crate) fn texts(object: &Value, key: &str) -> Vec<String> {
    items(object, key)
        .iter()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

/// Whether a capability is there: `{}` and `true` say yes; absent, null and `false` say no (ACP schema 1.15).
pub fn supported(object: &Value, path: &[&str]) -> bool {
    let found = path.iter().try_fold(object, |object, key| object.get(key));
    !matches!(found, None | Some(Value::Null | Value::Bool(false)))
}

/// The `_meta` of an object, or null. OpenHands and fast-agent wrap theirs once more in `field_meta`
/// (`tests/fixtures/recordings/openhands/allow`); the wrapping is taken off.
pub fn meta(object: &Value) -> &Value {
    object.get("_meta").map_or(&Value::Null, unwrapped)
}

/// A `_meta` without the wrapping that [`meta`] speaks of.
pub(crate) fn unwrapped(meta: &Value) -> &Value {
    match meta.get("field_meta") {
        Some(inner) if inner.is_object() && meta.as_object().is_some_and(|all| all.len() == 1) => {
            inner
        }
        _ => meta,
    }
}

/// Replaces escaped surrogates that have no partner by the replacement character; `None` if it has none.
fn repair_surrogates(json: &str) -> Option<String> {
    let bytes = json.as_bytes();
    let mut repaired = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = bytes[at..].iter().position(|byte| *byte == b'\\') {
        at += found;
        match escaped_unit(&bytes[at..]) {
            Some(0xd800..=0xdbff)
                if matches!(escaped_unit(&bytes[at + 6..]), Some(0xdc00..=0xdfff)) =>
            {
                at += 12;
            }
            Some(0xd800..=0xdfff) => {
                repaired.push_str(&json[copied..at]);
                repaired.push_str("\\ufffd");
                at += 6;
                copied = at;
            }
            Some(_) => at += 6,
            None => at += 2,
        }
        if at >= bytes.len() {
            break;
        }
    }
    if copied == 0 {
        return None;
    }
    repaired.push_str(&json[copied..]);
    Some(repaired)
}

/// The code unit that a `\uXXXX` at the start of the bytes means.
fn escaped_unit(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.strip_prefix(b"\\u")?.get(..4)?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(json: &str, expected: Value) {
        let raw = RawValue::from_string(json.to_owned()).unwrap();
        assert_eq!(value(&raw), expected, "{json}");
    }

    #[test]
    fn half_an_emoji_costs_one_character_not_the_message() {
        check(r#"{"text":"a\ud83d"}"#, json!({"text": "a\u{fffd}"}));
        check(
            r#"{"text":"\ude00b\ud83d\ude00\ud83dc\ud83d\ud83d\ude00"}"#,
            json!({"text": "\u{fffd}b😀\u{fffd}c\u{fffd}😀"}),
        );
        check(
            r#"{"text":"\\ud83d \\\ud83d"}"#,
            json!({"text": "\\ud83d \\\u{fffd}"}),
        );
        check(
            r#"{"\ud83d":["\uDC00"]}"#,
            json!({"\u{fffd}": ["\u{fffd}"]}),
        );
    }

    #[test]
    fn what_cannot_be_held_is_null_not_a_panic() {
        check(
            &format!("{}{}", "[".repeat(500), "]".repeat(500)),
            Value::Null,
        );
        check("1e999", Value::Null);
    }

    #[test]
    fn capabilities_are_yes_when_an_object_or_true() {
        let all = json!({"a": {}, "b": true, "c": null, "d": false, "e": {"f": {}}});
        let found = ["a", "b", "c", "d", "x"].map(|key| supported(&all, &[key]));
        assert_eq!(found, [true, true, false, false, false]);
        assert!(supported(&all, &["e", "f"]));
        assert!(!supported(&all, &["b", "f"]));
    }

    #[test]
    fn wrapped_meta_is_unwrapped_only_when_it_is_nothing_but_the_wrapping() {
        assert_eq!(
            meta(&json!({"_meta": {"field_meta": {"a": 1}}})),
            &json!({"a": 1})
        );
        assert_eq!(
            meta(&json!({"_meta": {"field_meta": {"a": 1}, "b": 2}}))["b"],
            2
        );
        assert_eq!(meta(&json!({"_meta": {"b": 2}})), &json!({"b": 2}));
        assert_eq!(meta(&json!({})), &Value::Null);
    }
}
