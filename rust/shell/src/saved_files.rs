//! A file that the line has written, or a folder that it has filled, and what is in it.

use super::ir::{Stream, UNKNOWN};

/// A file and what was written into it, or a folder all of whose files came from elsewhere; one without a name is all
/// that there is.
#[derive(Debug)]
pub(super) struct Saved {
    pub(super) path: String,
    pub(super) is_folder: bool,
    pub(super) stream: Stream,
    /// No part of the path is unknown.
    is_told: bool,
}

impl Saved {
    pub(super) fn file(path: String, stream: Stream) -> Self {
        Self {
            is_told: !path.contains(UNKNOWN),
            is_folder: false,
            path,
            stream,
        }
    }

    pub(super) fn folder(path: String, stream: Stream) -> Self {
        Self {
            is_folder: true,
            ..Self::file(path, stream)
        }
    }

    /// Whether another one is the same thing with the same in it.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        let text = |saved: &Self| match &saved.stream {
            Stream::Text(text) => Some((text.text.clone(), text.unknown)),
            _ => None,
        };
        self.path == other.path && self.is_folder == other.is_folder && text(self) == text(other)
    }

    pub(super) fn holds(&self, path: &str) -> bool {
        // Most paths begin alike, so what follows that is looked at first.
        let may_be = match path.as_bytes().get(self.path.len()) {
            None => path.len() == self.path.len(),
            Some(next) => self.is_folder && *next == b'/',
        };
        may_be && path.starts_with(self.path.as_str())
            || self.is_folder && self.path.is_empty()
            || !self.is_told && self.may_be(path)
    }

    /// Whether a path that is partly unknown may be this one.
    fn may_be(&self, path: &str) -> bool {
        let ends = self.path.split_once(UNKNOWN);
        ends.is_some_and(|(begins, rest)| {
            let ends = rest.rsplit(UNKNOWN).next().unwrap_or_default();
            path.len() >= begins.len() + ends.len()
                && path.starts_with(begins)
                && path.ends_with(ends)
        })
    }
}
