//! The request that a call asks for, checked before anything is sent.

use std::time::Duration;

use http::Uri;
use serde_json::Value;

use siderail_guard::Tool::ReadFile;
use siderail_workspace::arguments::Arguments;
use siderail_workspace::outcome::ToolFailure;

/// Seconds that a request takes at most: agents give up on a call after a minute.
const MOST_SECONDS: u64 = 45;
const SECONDS: u64 = 30;
/// Bytes that are sent at most.
const MOST_BODY: usize = 1024 * 1024;
/// Headers that follow from the rest, or would let one request pass for two.
const OURS: [&str; 5] = [
    "connection",
    "content-length",
    "host",
    "transfer-encoding",
    "upgrade",
];

/// A request that can be sent.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) url: Uri,
    pub(super) method: String,
    /// Names in small letters.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Option<String>,
    pub(super) timeout: Duration,
}

impl Request {
    pub(super) fn new(arguments: Arguments<'_>) -> Result<Self, ToolFailure> {
        let method = arguments.word("method")?.unwrap_or("GET").to_uppercase();
        let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
        if !methods.contains(&method.as_str()) {
            return Err(ToolFailure::invalid(format!(
                "`method` must be one of {}",
                methods.join(", ")
            )));
        }
        let body = arguments.word("body")?.map(str::to_owned);
        if let Some(body) = &body {
            if body.len() > MOST_BODY || body.contains('\0') {
                return Err(ToolFailure::invalid(format!(
                    "`body` is text of at most {MOST_BODY} bytes"
                )));
            }
            if matches!(method.as_str(), "GET" | "HEAD") {
                return Err(ToolFailure::invalid(format!(
                    "a {method} request has no body"
                )));
            }
        }
        let mut headers = arguments
            .texts("headers")?
            .into_iter()
            .map(header)
            .collect::<Result<Vec<_>, _>>()?;
        if let Some(body) = &body
            && headers.iter().all(|(name, _)| name != "content-type")
        {
            headers.push(("content-type".to_owned(), type_of(body).to_owned()));
        }
        let seconds = arguments.number("timeout_s", 1, MOST_SECONDS)?;
        Ok(Self {
            url: url(arguments.required_word("url")?)?,
            method,
            headers,
            body,
            timeout: Duration::from_secs(seconds.unwrap_or(SECONDS)),
        })
    }
}

/// An address that can be asked for.
pub(super) fn url(given: &str) -> Result<Uri, ToolFailure> {
    let wrong = |why: &str| {
        ToolFailure::invalid(format!(
            "`url` {why}; it looks like https://example.org/path"
        ))
    };
    // What follows # is not for the server.
    let given = given.trim().split('#').next().unwrap_or_default();
    if given
        .get(..5)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"))
    {
        return Err(ToolFailure::invalid(format!(
            "`url` names a file, but this tool sends requests to servers; read a project file by its path with \
             {ReadFile}",
        )));
    }
    let url: Uri = given
        .parse()
        .map_err(|_| wrong("is not an address (write spaces and non-ASCII letters as %XX)"))?;
    if !matches!(url.scheme_str(), Some("http" | "https")) {
        return Err(wrong("must begin with http:// or https://"));
    }
    let authority = url.authority().ok_or_else(|| wrong("names no host"))?;
    if authority.as_str().contains('@') {
        return Err(ToolFailure::invalid(
            "`url` holds a name or password; send them as a header (`Authorization: Basic …`)",
        ));
    }
    if url.host().is_none_or(str::is_empty) {
        return Err(wrong("names no host"));
    }
    Ok(url)
}

fn header(given: &str) -> Result<(String, String), ToolFailure> {
    let wrong = || ToolFailure::invalid("each of `headers` looks like `Name: value`");
    let (name, value) = given.split_once(':').ok_or_else(wrong)?;
    let (name, value) = (name.trim().to_lowercase(), value.trim());
    // RFC 9110, section 5.6.2.
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_token) || value.contains(char::is_control) {
        return Err(wrong());
    }
    if OURS.contains(&name.as_str()) {
        return Err(ToolFailure::invalid(format!(
            "the header {name} is set automatically; leave it out"
        )));
    }
    Ok((name, value.to_owned()))
}

fn type_of(body: &str) -> &'static str {
    match serde_json::from_str::<Value>(body) {
        Ok(Value::Object(_) | Value::Array(_)) => "application/json",
        _ => "text/plain; charset=utf-8",
    }
}
