//! The answer of a tool: one text, and whether it is a failure.
//!
//! One text block is the only form that all agents show their model whole. Agents cut long results
//! in ways of their own (some keep 2 000 characters and a file name), so we cut first and say how to
//! get the rest.

/// The length of a usual result, in characters. The default [`Limits`](crate::Limits) of a connection are made of it and of
/// [`ERROR_CHARS`]; how long its own answers are is said by each tool.
pub const RESULT_CHARS: usize = 10_000;
/// The length of a long error, in characters.
pub const ERROR_CHARS: usize = 2_000;

/// The answer to a tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallResult {
    /// What the model reads. An error begins with its code, e.g. `FILE_NOT_FOUND: …`.
    pub text: String,
    /// Whether the call failed. Decided by the handler that answers, never read off the text.
    pub is_error: bool,
}

impl CallResult {
    /// A success.
    pub fn success(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            is_error: false,
        }
    }

    /// A failure; `code` is a word such as `INVALID_PARAM`.
    pub fn failure(code: &str, text: impl std::fmt::Display) -> Self {
        Self {
            text: format!("{code}: {text}"),
            is_error: true,
        }
    }
}

/// Cuts `text` to its first `limit` characters, at the end of a line where one is near, and adds a
/// line that says so. `rest` says to the model how to get the rest, as an imperative.
pub fn cap(text: String, limit: usize, rest: &str) -> String {
    // No text has more characters than bytes.
    if text.len() <= limit {
        return text;
    }
    let Some((cut, _)) = text.char_indices().nth(limit) else {
        return text;
    };
    let head = &text[..cut];
    let near = cut - cut / 5;
    let head = match head.rfind('\n') {
        Some(line_end) if line_end >= near => &head[..line_end],
        _ => head,
    };
    let n_shown = head.chars().count();
    let n_chars = text.chars().count();
    format!("{head}\n[cut: the first {n_shown} of {n_chars} characters are shown; {rest}]")
}
