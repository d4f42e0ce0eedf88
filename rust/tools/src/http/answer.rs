//! The response as a model reads it: status, headers, and the body if it is text.

use super::client::{Fetched, MOST_BODY};
use crate::pages::page;
use siderail_guard::Tool;
use siderail_workspace::arguments::Arguments;
use siderail_workspace::outcome::{ToolFailure, ToolOutcome};

/// Characters of a header's value.
const HEADER: usize = 300;
/// Headers of an answer.
const MOST_HEADERS: usize = 40;

pub(super) fn told(
    fetched: &Fetched,
    arguments: Arguments<'_>,
) -> Result<ToolOutcome, ToolFailure> {
    let mut text = format!(
        "HTTP {} from {} after {:.1} s, {} bytes\n",
        fetched.status,
        fetched.url,
        fetched.took.as_secs_f64(),
        fetched.body.len()
    );
    if let Some((target, why)) = &fetched.elsewhere {
        text.push_str(&format!(
            "It redirects to {target}, which was not followed: {why}\n"
        ));
    }
    for (name, value) in fetched.headers.iter().take(MOST_HEADERS) {
        // Cookies are keys to somebody's account.
        let value = match name == "set-cookie" {
            true => {
                value
                    .split_once('=')
                    .map_or("", |(cookie, _)| cookie)
                    .to_owned()
                    + "=[hidden]"
            }
            false => value[..value.floor_char_boundary(HEADER)].to_owned(),
        };
        text.push_str(&format!("{name}: {value}\n"));
    }
    text.push('\n');
    if fetched.is_cut {
        text.push_str(&format!("[only the first {MOST_BODY} bytes were read]\n"));
    }
    match readable(fetched) {
        Ok(body) => text.push_str(&body),
        Err(described) => text.push_str(&described),
    }
    let number = arguments.number("page", 1, u64::MAX)?.unwrap_or(1);
    Ok(ToolOutcome {
        text: page(&text, number, Tool::HttpRequest, arguments.whole())?,
        ..ToolOutcome::default()
    })
}

/// The body as text, or what it is instead.
fn readable(fetched: &Fetched) -> Result<String, String> {
    let body = &fetched.body;
    if body.is_empty() {
        return Err("(no body)\n".to_owned());
    }
    let named = fetched.header("content-type").unwrap_or("no type given");
    let is_packed = fetched.header("content-encoding").is_some();
    let text = match String::from_utf8(body.clone()) {
        // A cut may have hit the middle of a character.
        Err(error) if fetched.is_cut && error.utf8_error().error_len().is_none() => {
            String::from_utf8_lossy(&body[..error.utf8_error().valid_up_to()]).into_owned()
        }
        Err(_) if is_latin(named) => body.iter().map(|byte| char::from(*byte)).collect(),
        Err(_) => return Err(described(fetched, named)),
        Ok(text) => text,
    };
    if is_packed || text.contains('\0') {
        return Err(described(fetched, named));
    }
    if let Ok(value) = serde_json::from_str::<serde_json::Value>(&text)
        && named.contains("json")
        && text.lines().count() <= 3
        && let Ok(pretty) = serde_json::to_string_pretty(&value)
    {
        return Ok(pretty);
    }
    Ok(text)
}

fn is_latin(named: &str) -> bool {
    let named = named.to_lowercase();
    named.contains("charset=iso-8859-1") || named.contains("charset=windows-1252")
}

fn described(fetched: &Fetched, named: &str) -> String {
    let coded = fetched.header("content-encoding");
    let coded = coded.map_or(String::new(), |coding| format!(", packed as {coding}"));
    format!(
        "The body is not text ({named}{coded}, {} bytes) and is not shown; `curl -o FILE URL` would keep it.\n",
        fetched.body.len()
    )
}
