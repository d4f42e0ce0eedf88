//! A file that the line has written, or a folder that it has filled, and what is in it.

use super::ir::Stream;

/// A file and what was written into it, or a folder all of whose files came from elsewhere.
#[derive(Debug)]
pub(super) struct Saved {
    pub(super) path: String,
    pub(super) is_folder: bool,
    pub(super) stream: Stream,
}

impl Saved {
    pub(super) fn holds(&self, path: &str) -> bool {
        // Most paths begin alike, so what stands behind is looked at first.
        let may_be = match path.as_bytes().get(self.path.len()) {
            None => path.len() == self.path.len(),
            Some(next) => self.is_folder && *next == b'/',
        };
        may_be && path.starts_with(self.path.as_str())
    }
}
