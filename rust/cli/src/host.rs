//! The filesystem host: does without an IDE what tools are to do in a project.
//!
//! [`FsHost`] takes host calls and answers each exactly once, through a function given to it, from
//! threads of its own. [`FsTools`] is the same work as plain blocking calls. Neither decides whether
//! a call is allowed, and neither knows agents, MCP or a terminal.

mod ask;
mod atomic_file;
mod claims;
mod diff;
mod edit;
mod failure;
mod glob;
mod line_ends;
mod listing;
mod place;
mod pool;
mod project_info;
mod question;
mod read;
mod recent;
mod relocate;
mod search;
mod shared_file;
mod text_file;
mod tools;
mod walk;
mod write;
mod write_failure;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use parking_lot::Mutex;
use siderail_engine::host::{HostCall, HostReply, HostRequest, ToolErrorCode, ToolFailure};
use siderail_engine::tools::CancelFlag;

pub(crate) use ask::OPEN_QUESTIONS;
use claims::Claim;
use failure::cancelled;
use pool::{Job, Pool};
pub use question::{Answer, NobodyToAsk, Question, QuestionKind, Questioner};
pub use tools::{FsSetup, FsTools, Progress};

/// Threads that work on files.
const FILE_THREADS: usize = 4;
/// Calls that may wait for a test run or a person at the same time.
const WAITING_CALLS: usize = 16;
/// Calls that may wait for a thread.
const QUEUE: usize = 1_024;

/// Performs host calls on a project's files. Dropping it answers what still waits as cancelled.
pub struct FsHost {
    shared: Arc<Shared>,
    /// Held while a call takes its place in both queues, so that no thread of the pool ever waits
    /// for a claim whose job is still behind it.
    starting: Mutex<()>,
    files: Pool,
    waiting: Pool,
}

/// Takes the answer to a call.
type Answering = dyn Fn(u64, HostReply) + Send + Sync;
/// Takes a word about how far a call has come.
type Telling = dyn Fn(u64, &str) + Send + Sync;

/// What the threads share with the host.
struct Shared {
    tools: FsTools,
    open: Mutex<HashMap<u64, CancelFlag>>,
    reply: Box<Answering>,
    progress: Box<Telling>,
}

impl FsHost {
    /// A host whose answers go to `reply`, with the call's number, from any thread.
    pub fn new(setup: FsSetup, reply: impl Fn(u64, HostReply) + Send + Sync + 'static) -> Self {
        Self::with_progress(setup, reply, |_, _| {})
    }

    /// As [`Self::new`]; `progress` is told in a few words how far a long call has come.
    pub fn with_progress(
        setup: FsSetup,
        reply: impl Fn(u64, HostReply) + Send + Sync + 'static,
        progress: impl Fn(u64, &str) + Send + Sync + 'static,
    ) -> Self {
        Self {
            shared: Arc::new(Shared {
                tools: FsTools::new(setup),
                open: Mutex::default(),
                reply: Box::new(reply),
                progress: Box::new(progress),
            }),
            starting: Mutex::default(),
            files: Pool::new("siderail-files", FILE_THREADS, QUEUE),
            waiting: Pool::new("siderail-waiting", WAITING_CALLS, QUEUE),
        }
    }

    /// Bare names of the tools that are performed here.
    pub fn tools(&self) -> Vec<&'static str> {
        FsTools::names().to_vec()
    }

    /// Starts a call; calls on the same path are performed in the order of their start.
    pub fn start(&self, call: HostCall) {
        if self.shared.tools.is_first_call(&call.project) {
            self.sweep(call.project.clone());
        }
        let cancel = CancelFlag::new();
        self.shared.open.lock().insert(call.call, cancel.clone());
        let starting = self.starting.lock();
        let claim = self.shared.tools.claim(&call.project, &call.request);
        let pool = match &call.request {
            HostRequest::Tool { name, .. } if FsTools::may_wait(name) => &self.waiting,
            _ => &self.files,
        };
        let number = call.call;
        let shared = Arc::clone(&self.shared);
        let job: Job = Box::new(move |closing| shared.perform(call, claim, &cancel, closing));
        let accepted = pool.submit(job);
        drop(starting);
        if !accepted {
            self.shared.answer(
                number,
                HostReply::Failed(ToolFailure {
                    code: ToolErrorCode::InternalError,
                    text: "too many calls wait already; call again when some have been answered"
                        .to_owned(),
                }),
            );
        }
    }

    /// Looks, beside all calls, for what dead processes left in the project.
    fn sweep(&self, project: PathBuf) {
        let thread = thread::Builder::new().name("siderail-sweep".to_owned());
        // Without a thread the leftovers stay until the next start.
        let _ = thread.spawn(move || atomic_file::sweep(&project));
    }

    /// The result of a call is no longer wanted. It is still answered.
    pub fn cancel(&self, call: u64) {
        if let Some(flag) = self.shared.open.lock().get(&call) {
            flag.cancel();
        }
    }
}

impl Drop for FsHost {
    fn drop(&mut self) {
        for flag in self.shared.open.lock().values() {
            flag.cancel();
        }
    }
}

impl Shared {
    fn perform(&self, call: HostCall, claim: Claim, cancel: &CancelFlag, closing: bool) {
        let number = call.call;
        let reply = if closing || cancel.is_cancelled() {
            HostReply::Failed(cancelled())
        } else {
            let progress = |text: &str| (self.progress)(number, text);
            // A bug in one tool must cost its own call only, and that one must still be answered.
            catch_unwind(AssertUnwindSafe(|| {
                self.tools.perform(&call, claim, cancel, &progress)
            }))
            .unwrap_or_else(|_| {
                HostReply::Failed(ToolFailure {
                    code: ToolErrorCode::InternalError,
                    text: "the tool broke down; this is a bug in the host".to_owned(),
                })
            })
        };
        self.answer(number, reply);
    }

    fn answer(&self, call: u64, reply: HostReply) {
        self.open.lock().remove(&call);
        (self.reply)(call, reply);
    }
}
