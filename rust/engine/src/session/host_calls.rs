//! Calls at the host that have no answer yet: one table from a call's number to what waits for it. It knows no session.

use std::collections::BTreeMap;

use tokio::sync::oneshot;

use crate::host::HostReply;

/// An answer that does not fit the call.
pub(in crate::session) const MIXED_UP: &str = "the host mixed up its answers";

/// What waits for an answer of the host, or of a command of ours.
pub(in crate::session) enum Waiting {
    /// A call at our server.
    OwnCall,
    /// The work of a tool that runs in the engine.
    Work(oneshot::Sender<HostReply>),
    /// A request of the agent for a file.
    File,
    /// A question of the agent to the person.
    Question,
}

/// The table.
#[derive(Default)]
pub(in crate::session) struct HostCalls(BTreeMap<u64, Waiting>);

impl HostCalls {
    /// A call begins.
    pub(in crate::session) fn wait(&mut self, call: u64, waiting: Waiting) {
        self.forget_unheard();
        self.0.insert(call, waiting);
    }

    /// Work that was cancelled, or was tired of waiting, listens no more. The calls that it waited for.
    pub(in crate::session) fn forget_unheard(&mut self) -> Vec<u64> {
        let is_unheard =
            |waiting: &Waiting| matches!(waiting, Waiting::Work(work) if work.is_closed());
        let unheard = self.0.extract_if(.., |_, waiting| is_unheard(waiting));
        unheard.map(|(call, _)| call).collect()
    }

    /// A call has its answer, or nothing waits for one any more.
    pub(in crate::session) fn take(&mut self, call: u64) -> Option<Waiting> {
        self.0.remove(&call)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_finds_what_waits_for_it_once() {
        let mut calls = HostCalls::default();
        calls.wait(1, Waiting::OwnCall);
        calls.wait(2, Waiting::File);
        assert!(matches!(calls.take(2), Some(Waiting::File)));
        assert!(calls.take(2).is_none());
        assert!(matches!(calls.take(1), Some(Waiting::OwnCall)));
    }

    #[test]
    fn work_that_listens_no_more_is_forgotten() {
        let mut calls = HostCalls::default();
        let (work, listens) = oneshot::channel();
        calls.wait(1, Waiting::Work(work));
        assert!(calls.forget_unheard().is_empty());
        drop(listens);
        calls.wait(2, Waiting::OwnCall);
        assert!(calls.take(1).is_none());
        let (work, listens) = oneshot::channel();
        calls.wait(3, Waiting::Work(work));
        drop(listens);
        assert_eq!(calls.forget_unheard(), [3]);
        assert!(matches!(calls.take(2), Some(Waiting::OwnCall)));
    }
}
