//! What is put back at a session's end, outside the project: files that were changed with a person's consent, and what the
//! agent wrote in place of a folder of the user's. It knows no session.

use std::path::PathBuf;

use crate::consent::Journal;
use crate::launch::Overlay;

/// What is to be put back.
pub(in crate::session) struct PutBack {
    pub(in crate::session) state_dir: PathBuf,
    /// Profile name of the agent.
    pub(in crate::session) agent: String,
    /// A file of the user's was changed.
    pub(in crate::session) consented: bool,
    pub(in crate::session) overlay: Option<Overlay>,
}

impl PutBack {
    pub(in crate::session) fn is_empty(&self) -> bool {
        !self.consented && self.overlay.is_none()
    }

    /// Puts it back, and says to a person what stays.
    pub(in crate::session) fn done(self) -> Vec<String> {
        let mut told = Vec::new();
        let name = &self.agent;
        if self.consented
            && let Err(error) = Journal::new(&self.state_dir).release(name)
        {
            told.push(format!(
                "a file of yours cannot be restored: {error}; the next start tries again, or \
                 `siderail agents untrust {name}` does it now"
            ));
        }
        match self.overlay.map(Overlay::bring_home) {
            Some(Err(why)) => told.push(format!("{why}; the next start tries again")),
            Some(Ok(kept)) => told.extend(kept.iter().map(|kept| {
                let kept = kept.display();
                format!("the agent and somebody else changed a file; the older one is {kept}")
            })),
            None => {}
        }
        told
    }
}
