//! Which fetches only read: those whose input names no method but GET and HEAD, and sends nothing along.
//!
//! Looks at names of members anywhere in the input, since agents put a request's own options inside others. Knows
//! nothing of addresses: a GET may do harm if a server lets it, which cannot be seen here.

use serde_json::Value;

/// Members that name a method, without case and signs.
const METHODS: [&str; 8] = [
    "httpmethod",
    "httpverb",
    "method",
    "requestmethod",
    "verb",
    "xhttpmethod",
    "xhttpmethodoverride",
    "xmethodoverride",
];
/// Headers by which a request asks to be taken for one of another method, without case and signs.
const OVERRIDES: [&str; 3] = ["xhttpmethod", "xhttpmethodoverride", "xmethodoverride"];
/// Members that hold what is sent, without case and signs.
const SENT: [&str; 18] = [
    "attachments",
    "body",
    "bodyjson",
    "content",
    "data",
    "dataraw",
    "file",
    "files",
    "form",
    "formdata",
    "json",
    "jsonbody",
    "multipart",
    "payload",
    "postdata",
    "rawbody",
    "requestbody",
    "upload",
];
/// Members that hold an address, without case and signs.
const ADDRESSES: [&str; 6] = ["address", "endpoint", "href", "uri", "url", "urls"];

/// True for the input of a fetch that only reads. A text is the address alone, an input as JSON, or begins with its
/// method.
pub(super) fn only_reads(input: &Value) -> bool {
    match input {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(inner @ (Value::Object(_) | Value::Array(_))) => only_reads(&inner),
            _ => {
                let overrides = |line: &str| {
                    line.split_once(':').is_some_and(|(name, method)| {
                        OVERRIDES.contains(&plain(name).as_str()) && !is_reading(method)
                    })
                };
                if text.lines().any(overrides) {
                    return false;
                }
                let words: Vec<&str> = text.split_whitespace().collect();
                words.len() < 2 || !is_method(words[0]) || is_reading(words[0])
            }
        },
        Value::Array(inputs) => inputs.iter().all(only_reads),
        Value::Object(members) => members.iter().all(|(name, value)| match plain(name) {
            name if METHODS.contains(&name.as_str()) => {
                is_unset(value) || value.as_str().is_some_and(is_reading)
            }
            name if SENT.contains(&name.as_str()) => is_unset(value),
            _ => only_reads(value),
        }),
        _ => true,
    }
}

/// True for an input that names an address, whatever its tool calls itself.
pub(super) fn has_address(input: &Value) -> bool {
    match input {
        Value::Array(inputs) => inputs.iter().any(has_address),
        Value::Object(members) => members.iter().any(|(name, value)| {
            ADDRESSES.contains(&plain(name).as_str()) && !is_unset(value) || has_address(value)
        }),
        _ => false,
    }
}

fn plain(name: &str) -> String {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    letters.collect::<String>().to_ascii_lowercase()
}

fn is_unset(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(values) => values.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

fn is_reading(method: &str) -> bool {
    matches!(method.trim().to_ascii_uppercase().as_str(), "GET" | "HEAD")
}

/// A word in capitals such as `POST`, ahead of an address.
fn is_method(word: &str) -> bool {
    word.len() > 2 && word.chars().all(|c| c.is_ascii_uppercase())
}
