//! Long text in pages: whole lines, each answer at most what every agent shows its model.
//!
//! Pages are counted from the text alone, so that the same call made again gives the same pages.

use serde_json::{Value, json};

use siderail_guard::Tool;
use siderail_workspace::outcome::ToolFailure;

/// Bytes of a page.
const PAGE: usize = 9_500;
/// Bytes of a shown line.
const LINE: usize = 2_000;

/// A page of `text`, from 1; the last line names the call for the next one.
pub(super) fn page(
    text: &str,
    number: u64,
    tool: Tool,
    arguments: &Value,
) -> Result<String, ToolFailure> {
    let mut n_pages = 1_u64;
    let mut page_bytes = 0;
    let mut shown = String::new();
    for line in text.lines() {
        let cut = cut(line);
        if page_bytes > 0 && page_bytes + cut.len() > PAGE {
            n_pages += 1;
            page_bytes = 0;
        }
        page_bytes += cut.len();
        if n_pages == number {
            shown.push_str(&cut);
        }
    }
    if number > n_pages {
        return Err(ToolFailure::invalid(format!(
            "there are {n_pages} pages only"
        )));
    }
    if n_pages > 1 {
        shown.push_str(&format!("(page {number} of {n_pages})\n"));
    }
    if number < n_pages {
        shown.push_str(&next_call(tool, arguments, &json!({"page": number + 1})));
    }
    Ok(shown)
}

/// The line that names the call for what comes next.
pub(super) fn next_call(tool: Tool, arguments: &Value, changed: &Value) -> String {
    let mut call = arguments.as_object().cloned().unwrap_or_default();
    call.extend(changed.as_object().cloned().unwrap_or_default());
    format!("Next: {tool} {}\n", Value::Object(call))
}

/// A line with its end; a minified file must not fill an answer.
fn cut(line: &str) -> String {
    if line.len() <= LINE {
        return format!("{line}\n");
    }
    let end = line.floor_char_boundary(LINE);
    format!("{} [{} more bytes]\n", &line[..end], line.len() - end)
}
