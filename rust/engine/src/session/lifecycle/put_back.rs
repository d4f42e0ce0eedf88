//! Restores files outside of the project at a session's end: those that were changed with a person's consent, and what
//! the agent wrote in place of a folder of the user's. It knows no session.

use std::path::PathBuf;

use crate::consent::Journal;
use crate::launch::Overlay;
use crate::session::worker::Sight;

/// The message if the disk gives no answer.
const NOT_PUT_BACK: &str = "files outside the project are not restored yet: the disk gives no answer; the next start tries again";

/// The files to restore.
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

    /// Puts it back on the worker's thread, and gives what could not be restored. `None`: a worker that hangs still owns it.
    pub(in crate::session) fn looked_after(put_back: Option<Self>, sight: Sight) -> Vec<String> {
        match put_back {
            Some(put_back) if sight == Sight::Clear => put_back.done(),
            // It would be brought home where it is dropped, by who must not wait.
            left => {
                std::mem::forget(left);
                vec![NOT_PUT_BACK.to_owned()]
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_the_disk_gives_no_answer_nothing_is_put_back_and_that_is_said() {
        let state = tempfile::tempdir().expect("a folder can be made");
        let put_back = |consented| PutBack {
            state_dir: state.path().to_owned(),
            agent: "claude".to_owned(),
            consented,
            overlay: None,
        };
        assert!(put_back(false).is_empty() && !put_back(true).is_empty());
        let told = PutBack::looked_after(Some(put_back(true)), Sight::Blind);
        assert_eq!(told, [NOT_PUT_BACK]);
        assert_eq!(
            PutBack::looked_after(None, Sight::Clear),
            [NOT_PUT_BACK],
            "a thread that hangs has it"
        );
        let told = PutBack::looked_after(Some(put_back(false)), Sight::Clear);
        assert!(told.is_empty(), "{told:?}");
    }
}
