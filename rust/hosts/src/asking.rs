//! Questions of running file tools to the IDE, and their answers: numbered host calls of our own, each waited for by the
//! thread of the tool that asks.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use parking_lot::Mutex;
use siderail_engine::host::{
    DocumentRequest, HostCall, HostReply, HostRequest, ToolErrorCode, ToolFailure,
};
use siderail_tools::CancelFlag;
use siderail_workspace::Project;
use siderail_workspace::failure::cancelled;
use siderail_workspace::primitives::Target;

/// The IDE as far as it is asked for something. Methods return at once; answers go to [`crate::IdeHost::complete`].
pub trait Ide: Send + Sync {
    /// Asks it for something.
    fn start(&self, call: HostCall);
    /// Nobody wants it any more. Comes behind the start; what changes something is answered all the same, by what became
    /// of it.
    fn cancel(&self, call: u64);
}

/// Numbers from here on are ours; the engine counts from 1 and never comes so far.
const FIRST: u64 = 1 << 52;

/// How often a waiting thread looks whether it still is to wait: not every flag that is set comes with a word to us.
const LOOK: Duration = Duration::from_millis(200);

pub(super) struct Asking {
    ide: Arc<dyn Ide>,
    next: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    open: HashMap<u64, Waiting>,
    is_closed: bool,
}

/// A thread that waits. Dropping it lets the thread go.
struct Waiting {
    reply: SyncSender<HostReply>,
    cancel: CancelFlag,
    /// It may be under way when it is cancelled: then only the IDE knows what became of it.
    changes: bool,
    state: Step,
}

/// How far a question has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The IDE does not know it yet.
    New,
    Asked,
    Withdrawn,
}

impl Asking {
    pub(super) fn new(ide: Arc<dyn Ide>) -> Self {
        Self {
            ide,
            next: AtomicU64::new(FIRST),
            state: Mutex::default(),
        }
    }

    /// Asks something about a file, and waits for the answer. What the IDE refuses is the failure.
    pub(super) fn ask(
        &self,
        target: &Target<'_>,
        request: DocumentRequest,
    ) -> Result<HostReply, ToolFailure> {
        let roots = target.further_roots();
        let project = Project {
            folder: target.project(),
            roots: &roots,
        };
        self.ask_for((target.session(), project), target.cancel(), request)
    }

    /// The same for the agent of a session in a project.
    pub(super) fn ask_for(
        &self,
        (session, project): (u64, Project<'_>),
        cancel: &CancelFlag,
        request: DocumentRequest,
    ) -> Result<HostReply, ToolFailure> {
        let call = self.next.fetch_add(1, Ordering::Relaxed);
        let (reply, answer) = sync_channel(1);
        {
            let mut state = self.state.lock();
            if state.is_closed || cancel.is_cancelled() {
                return Err(cancelled());
            }
            let waiting = Waiting {
                reply,
                cancel: cancel.clone(),
                changes: changes(&request),
                state: Step::New,
            };
            state.open.insert(call, waiting);
        }
        self.ide.start(HostCall {
            call,
            session,
            project: project.folder.to_owned(),
            roots: project.roots.to_owned(),
            request: HostRequest::Documents(request),
        });
        self.asked(call);
        loop {
            match answer.recv_timeout(LOOK) {
                Ok(HostReply::Failed(failure)) => return Err(failure),
                Ok(reply) => return Ok(reply),
                Err(RecvTimeoutError::Disconnected) => return Err(cancelled()),
                Err(RecvTimeoutError::Timeout) if cancel.is_cancelled() => self.withdraw(),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Takes an answer of the IDE; none if it is one to a question of ours, even if nobody waits for it any more.
    pub(super) fn complete(&self, call: u64, reply: HostReply) -> Option<HostReply> {
        if call < FIRST {
            return Some(reply);
        }
        if let Some(waiting) = self.state.lock().open.remove(&call) {
            // There is room for the one answer.
            let _ = waiting.reply.try_send(reply);
        }
        None
    }

    /// The IDE has this now: who cancelled it meanwhile could not take it back.
    fn asked(&self, call: u64) {
        let mut state = self.state.lock();
        let Some(waiting) = state.open.get_mut(&call) else {
            return;
        };
        waiting.state = Step::Asked;
        let is_unwanted = waiting.cancel.is_cancelled();
        drop(state);
        if is_unwanted {
            self.withdraw();
        }
    }

    /// Takes back what is no longer wanted. Whose question changes nothing is let go; others hear what became of it.
    pub(super) fn withdraw(&self) {
        let mut unwanted = Vec::new();
        self.state.lock().open.retain(|call, waiting| {
            if waiting.state != Step::Asked || !waiting.cancel.is_cancelled() {
                return true;
            }
            waiting.state = Step::Withdrawn;
            unwanted.push(*call);
            waiting.changes
        });
        for call in unwanted {
            self.ide.cancel(call);
        }
    }

    /// Nobody is asked any more.
    pub(super) fn close(&self) {
        let mut state = self.state.lock();
        state.is_closed = true;
        state.open.clear();
    }
}

/// A path as an IDE can read it; `shown` is the name that the model knows.
pub(super) fn tellable<'a>(path: &'a Path, shown: &str) -> Result<&'a str, ToolFailure> {
    path.to_str().ok_or_else(|| {
        let text = format!("the IDE cannot be told of {shown}: its name is not valid UTF-8");
        ToolFailure::new(ToolErrorCode::NotApplicable, text)
    })
}

fn changes(request: &DocumentRequest) -> bool {
    match request {
        DocumentRequest::ApplyText { .. }
        | DocumentRequest::PutLineEnds { .. }
        | DocumentRequest::DeletePath { .. }
        | DocumentRequest::MovePath { .. } => true,
        DocumentRequest::ReadDocument { .. }
        | DocumentRequest::UnsavedTexts { .. }
        | DocumentRequest::LeftOut { .. }
        | DocumentRequest::AboutProject
        | DocumentRequest::AskPerson { .. } => false,
    }
}
