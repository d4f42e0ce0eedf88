//! Texts that were recently read or written, so that the answer to a stale edit can say what has
//! changed.
//!
//! Kept by path and stamp, few and small: without a dropped text only the explanation is missing.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

const MOST_TEXTS: usize = 64;
const MOST_BYTES: usize = 16 * 1024 * 1024;
const MOST_BYTES_OF_ONE: usize = 2 * 1024 * 1024;

#[derive(Default)]
pub(crate) struct RecentTexts(Mutex<VecDeque<Recent>>);

struct Recent {
    path: PathBuf,
    stamp: String,
    text: String,
}

impl RecentTexts {
    pub(crate) fn keep(&self, path: &Path, stamp: &str, text: &str) {
        if text.len() > MOST_BYTES_OF_ONE {
            return;
        }
        let mut texts = self.0.lock();
        texts.retain(|recent| !recent.is(path, stamp));
        texts.push_back(Recent {
            path: path.to_owned(),
            stamp: stamp.to_owned(),
            text: text.to_owned(),
        });
        let mut n_bytes: usize = texts.iter().map(|recent| recent.text.len()).sum();
        while texts.len() > MOST_TEXTS || n_bytes > MOST_BYTES {
            let Some(oldest) = texts.pop_front() else {
                return;
            };
            n_bytes -= oldest.text.len();
        }
    }

    pub(crate) fn text(&self, path: &Path, stamp: &str) -> Option<String> {
        let texts = self.0.lock();
        let recent = texts.iter().find(|recent| recent.is(path, stamp))?;
        Some(recent.text.clone())
    }
}

impl Recent {
    fn is(&self, path: &Path, stamp: &str) -> bool {
        self.stamp == stamp && self.path == path
    }
}
