//! Calls at the host that have no answer yet: one table from a call's number to what waits for it. It knows no session.

use std::collections::BTreeMap;
use std::path::PathBuf;

use siderail_acp::wire::RequestId;
use tokio::sync::oneshot;

use crate::host::HostReply;
use crate::session::permissions::question::OpenElicitation;

/// An answer that is none to what was called.
pub(in crate::session) const MIXED_UP: &str = "the host mixed up its answers";

/// What waits for an answer of the host, or of a command of ours.
pub(in crate::session) enum Waiting {
    /// A call at our server.
    OwnCall,
    /// Nobody: such a call of this tool was told to stop, and may have been done.
    GivenUp(String),
    /// The work of a tool that runs in the engine.
    Work(oneshot::Sender<HostReply>),
    /// The agent, for a file.
    File(OpenFile),
    /// The agent, for an answer of the person.
    Question(OpenElicitation),
}

/// A file that the host reads or writes for the agent.
pub(in crate::session) struct OpenFile {
    pub(in crate::session) id: RequestId,
    pub(in crate::session) path: PathBuf,
    pub(in crate::session) writes: bool,
}

/// The table.
#[derive(Default)]
pub(in crate::session) struct HostCalls(BTreeMap<u64, Waiting>);

impl HostCalls {
    /// A call begins.
    pub(in crate::session) fn wait(&mut self, call: u64, waiting: Waiting) {
        // Work that was cancelled, or was tired of waiting, listens no more.
        self.0
            .retain(|_, waiting| !matches!(waiting, Waiting::Work(work) if work.is_closed()));
        self.0.insert(call, waiting);
    }

    /// A call has its answer, or nothing waits for one any more.
    pub(in crate::session) fn take(&mut self, call: u64) -> Option<Waiting> {
        self.0.remove(&call)
    }

    /// The files that the agent waits for, by call.
    pub(in crate::session) fn files(&self) -> impl Iterator<Item = (u64, &OpenFile)> {
        self.0.iter().filter_map(|(call, waiting)| match waiting {
            Waiting::File(open) => Some((*call, open)),
            _ => None,
        })
    }

    /// The questions that a person has not answered, by call.
    pub(in crate::session) fn questions(&self) -> impl Iterator<Item = (u64, &OpenElicitation)> {
        self.0.iter().filter_map(|(call, waiting)| match waiting {
            Waiting::Question(open) => Some((*call, open)),
            _ => None,
        })
    }

    /// The agent takes a question back, or (none) all of them are over. The calls that are to be cancelled.
    pub(in crate::session) fn forget_questions(&mut self, id: Option<&RequestId>) -> Vec<u64> {
        let is_over = |open: &OpenElicitation| id.is_none_or(|id| open.id == *id);
        let over = self.questions().filter(|(_, open)| is_over(open));
        let over: Vec<u64> = over.map(|(call, _)| call).collect();
        for call in &over {
            self.0.remove(call);
        }
        over
    }

    /// Calls that write, or may have written, and have not said so yet.
    pub(in crate::session) fn writes(&self) -> impl Iterator<Item = u64> {
        let writes = self.0.iter().filter(|(_, waiting)| match waiting {
            Waiting::GivenUp(_) => true,
            Waiting::File(open) => open.writes,
            _ => false,
        });
        writes.map(|(call, _)| *call)
    }

    /// Calls whose answer comes too late once the session is over.
    pub(in crate::session) fn too_late(&self) -> impl Iterator<Item = u64> {
        let late = self
            .0
            .iter()
            .filter(|(_, waiting)| matches!(waiting, Waiting::GivenUp(_) | Waiting::File(_)));
        late.map(|(call, _)| *call)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(writes: bool) -> Waiting {
        Waiting::File(OpenFile {
            id: RequestId::from_u64(1),
            path: PathBuf::from("/p/a"),
            writes,
        })
    }

    #[test]
    fn an_answer_finds_what_waits_for_it_once() {
        let mut calls = HostCalls::default();
        calls.wait(1, Waiting::OwnCall);
        calls.wait(2, file(false));
        assert!(matches!(calls.take(2), Some(Waiting::File(_))));
        assert!(calls.take(2).is_none());
        assert!(matches!(calls.take(1), Some(Waiting::OwnCall)));
    }

    #[test]
    fn a_call_that_was_told_to_stop_may_have_written_and_a_read_has_not() {
        let mut calls = HostCalls::default();
        calls.wait(1, Waiting::OwnCall);
        calls.wait(2, file(false));
        assert_eq!(calls.writes().count(), 0);
        calls.wait(1, Waiting::GivenUp("move_file".to_owned()));
        calls.wait(3, file(true));
        assert_eq!(calls.writes().collect::<Vec<_>>(), [1, 3]);
        assert_eq!(calls.too_late().collect::<Vec<_>>(), [1, 2, 3]);
    }

    #[test]
    fn work_that_listens_no_more_is_forgotten() {
        let mut calls = HostCalls::default();
        let (work, listens) = oneshot::channel();
        calls.wait(1, Waiting::Work(work));
        drop(listens);
        calls.wait(2, Waiting::OwnCall);
        assert!(calls.take(1).is_none());
    }
}
