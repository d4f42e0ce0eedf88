//! A finding of a rule of the lint.

/// Something that is not as the habits want it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Finding {
    /// File, relative to the workspace.
    pub(super) path: String,
    /// Line from 1; 0 for the file as a whole.
    pub(super) line: usize,
    pub(super) text: String,
    /// Said, but no reason to fail.
    pub(super) advice: bool,
}

impl Finding {
    pub(super) fn new(path: &str, line: usize, text: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            line,
            text: text.into(),
            advice: false,
        }
    }

    pub(super) fn advice(path: &str, line: usize, text: impl Into<String>) -> Self {
        Self {
            advice: true,
            ..Self::new(path, line, text)
        }
    }
}
