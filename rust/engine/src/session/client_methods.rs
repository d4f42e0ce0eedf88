//! What the agent does through us by ACP's client methods: its open requests for files, and its terminals.

use std::collections::BTreeMap;
use std::path::PathBuf;

use siderail_acp::process::Exit;
use siderail_acp::wire::{Numbered, RequestId};
use tokio::sync::oneshot;

/// Both of them.
#[derive(Default)]
pub(in crate::session) struct ClientMethods {
    /// File requests of the agent that the host works on, by call number.
    pub(in crate::session) open_files: Numbered<OpenFile>,
    /// Terminals of the agent, by id.
    pub(in crate::session) terminals: BTreeMap<String, Terminal>,
}

/// A file request that the host works on.
pub(crate) struct OpenFile {
    pub(in crate::session) id: RequestId,
    pub(in crate::session) path: PathBuf,
    pub(in crate::session) writes: bool,
}

impl OpenFile {
    pub(in crate::session) fn writes(&self) -> bool {
        self.writes
    }
}

/// One command of the agent.
pub(crate) struct Terminal {
    /// Rises from terminal to terminal.
    pub(in crate::session) number: u64,
    pub(in crate::session) output: Vec<u8>,
    pub(in crate::session) limit: usize,
    pub(in crate::session) truncated: bool,
    pub(in crate::session) exit: Option<Exit>,
    /// Requests that wait for the end.
    pub(in crate::session) waiting: Vec<RequestId>,
    pub(in crate::session) stop: Option<oneshot::Sender<()>>,
}

impl Terminal {
    pub(in crate::session) fn push(&mut self, bytes: &[u8]) {
        self.output.extend_from_slice(bytes);
        if self.output.len() > self.limit {
            self.output.drain(..self.output.len() - self.limit);
            self.truncated = true;
        }
        if self.truncated {
            // The rest of a character that was cut, which may also come in a later piece. It has three bytes at most;
            // more of the kind are no text.
            let rest = self.output.iter().take(3);
            let n_cut = rest.take_while(|byte| *byte & 0xc0 == 0x80).count();
            self.output.drain(..n_cut);
        }
    }
}
