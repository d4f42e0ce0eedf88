//! What people, events and the memory of what is always allowed see of a call: everything but secrets.

use data_encoding::HEXLOWER;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use siderail_acp::redact::{HIDDEN, Redaction};

use siderail_workspace::arguments::Arguments;

/// Headers whose values are nobody's secret; what is not known may be one.
const OPEN: [&str; 17] = [
    "accept",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "cache-control",
    "content-language",
    "content-type",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "origin",
    "range",
    "referer",
    "user-agent",
    // They say what the request does.
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
];

/// The call as a person reads it when asked.
pub(crate) fn for_people(arguments: &Value) -> String {
    let arguments = Arguments::new(arguments);
    let text = |name| arguments.word(name).ok().flatten().unwrap_or_default();
    let method = match text("method") {
        "" => "GET",
        method => method,
    };
    let mut shown = format!("{method} {}", address(text("url")));
    for header in arguments.texts("headers").unwrap_or_default() {
        let (name, value) = header.split_once(':').unwrap_or((header, ""));
        let is_open = OPEN.contains(&name.trim().to_lowercase().as_str());
        let value = if is_open { value.trim() } else { HIDDEN };
        shown.push_str(&format!("\n{}: {value}", name.trim()));
    }
    let body = text("body");
    if !body.is_empty() {
        let redaction = Redaction::default();
        let body = match serde_json::from_str::<Value>(body) {
            Ok(value) if !value.is_string() => redaction.value(value).to_string(),
            _ => redaction.text(body),
        };
        shown.push_str(&format!("\n\n{body}"));
    }
    shown
}

/// What is remembered of a call that is always allowed: what people see, and a print of all of it, so that
/// exactly this call is meant.
pub(crate) fn remembered(arguments: &Value) -> Value {
    let mut sorted: Vec<(String, String)> = arguments
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, _)| *name != "page" && *name != "timeout_s")
        .map(|(name, value)| (name.clone(), value.to_string()))
        .collect();
    sorted.sort();
    let print = HEXLOWER.encode(&Sha256::digest(json!(sorted).to_string()));
    json!({"request": for_people(arguments), "sha256": print})
}

/// An address without a password in it and without the values of secrets behind the question mark.
fn address(url: &str) -> String {
    let url = Redaction::default().text(url);
    match (url.find("://"), url.find('@')) {
        (Some(scheme), Some(at)) if !url[scheme + 3..at].contains('/') => {
            format!("{}{HIDDEN}{}", &url[..scheme + 3], &url[at..])
        }
        _ => url,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_sees_the_request_and_no_secret_of_it() {
        let shown = for_people(&json!({
            "url": "https://example.org/a?access_token=s3cret1&b=c",
            "method": "POST",
            "headers": ["Authorization: Bearer s3cret2", "Accept: text/html", "X-Mine: s3cret3"],
            "body": "{\"name\":\"Ada\",\"password\":\"s3cret4\"}",
        }));
        assert_eq!(
            shown,
            "POST https://example.org/a?access_token=[hidden]&b=c\nAuthorization: [hidden]\n\
             Accept: text/html\nX-Mine: [hidden]\n\n{\"name\":\"Ada\",\"password\":\"[hidden]\"}"
        );
        let shown = for_people(&json!({"url": "https://ada:s3cret@example.org/"}));
        assert_eq!(shown, "GET https://[hidden]@example.org/");
    }

    #[test]
    fn what_is_always_allowed_is_exactly_this_call_and_is_kept_without_its_secrets() {
        let call = |token: &str| {
            remembered(&json!({
                "url": "https://example.org/", "headers": [format!("Authorization: {token}")]
            }))
        };
        assert!(!call("s3cret").to_string().contains("s3cret"));
        assert_ne!(call("s3cret"), call("other"));
        let reordered = json!({
            "headers": ["Authorization: s3cret"], "url": "https://example.org/", "timeout_s": 3
        });
        assert_eq!(call("s3cret"), remembered(&reordered));
    }
}
