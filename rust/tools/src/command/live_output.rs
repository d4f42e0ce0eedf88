//! Forwards a command's output in whole lines as it comes, for those who watch. It keeps nothing.

use std::sync::Arc;

use super::log::plain;

/// Bytes of a line without an end that are waited for.
const MOST_PENDING: usize = 16 * 1024;

/// Takes lines of output, without terminal codes. It must not block.
pub type ShowsOutput = dyn Fn(&str) + Send + Sync;

/// The output of one command on its way to somebody who looks on.
#[derive(Default)]
pub(super) struct LiveOutput {
    shows: Option<Arc<ShowsOutput>>,
    pending: Vec<u8>,
}

impl LiveOutput {
    pub(super) fn new(shows: Option<Arc<ShowsOutput>>) -> Self {
        Self {
            shows,
            pending: Vec::new(),
        }
    }

    pub(super) fn take(&mut self, bytes: &[u8]) {
        let Some(shows) = &self.shows else {
            return;
        };
        self.pending.extend_from_slice(bytes);
        if let Some(end) = self.pending.iter().rposition(|byte| *byte == b'\n') {
            let lines: Vec<u8> = self.pending.drain(..=end).collect();
            shows(&plain(&String::from_utf8_lossy(&lines)));
        } else if self.pending.len() > MOST_PENDING {
            // no line for people
            self.pending.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use parking_lot::Mutex;

    use super::*;

    #[test]
    fn lines_are_handed_on_whole_and_without_terminal_codes() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let into = Arc::clone(&seen);
        let mut output = LiveOutput::new(Some(Arc::new(move |text: &str| {
            into.lock().push(text.to_owned());
        })));
        for bytes in [&b"on"[..], b"e\n\x1b[31mtwo\x1b[0m\nth", b"ree\n"] {
            output.take(bytes);
        }
        assert_eq!(*seen.lock(), ["one\ntwo\n", "three\n"]);
        LiveOutput::default().take(b"nobody looks on\n");
    }
}
