//! The file tools' side of a host: takes host calls and answers each exactly once, through a function given to it, from
//! threads of its own. The work is the workspace's.
//!
//! [`FsHost`] does without an IDE what tools are to do in a project. [`IdeHost`] does it over an IDE's documents, and
//! passes on what only the IDE can do. Neither decides whether a call is allowed, or knows agents, MCP or a terminal.

mod asking;
mod ide_files;
mod ide_host;
mod ide_person;
mod pool;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use parking_lot::Mutex;
use pool::{Job, Pool};
use serde_json::{Value, json};
use siderail_engine::guard::Tool;
use siderail_engine::host::{HostCall, HostReply, HostRequest, ToolErrorCode, ToolFailure};
use siderail_tools::CancelFlag;
use siderail_workspace::Project;
use siderail_workspace::claims::{Claim, Ticket};
use siderail_workspace::failure::cancelled;
use siderail_workspace::open_texts::{NothingOpen, OpenTexts};
pub use siderail_workspace::primitives::LineEnd;
use siderail_workspace::primitives::Primitives;
pub use siderail_workspace::questions::{
    Answer, NobodyToAsk, OPEN_QUESTIONS, Question, QuestionKind, Questioner,
};
use siderail_workspace::tools::{FileTools, Progress};

use asking::tellable;

pub use asking::Ide;
pub use ide_host::IdeHost;

/// Threads that work on files.
const FILE_THREADS: usize = 4;
/// Calls that may wait for a test run or a person at the same time.
const WAITING_CALLS: usize = 16;
/// Calls that may wait for a thread.
const QUEUE: usize = 1_024;
/// Arguments of the IDE's own tools that name something that is there.
const PATHS: [&str; 2] = ["path", "working_dir"];

/// What the host needs of whoever starts it.
pub struct FsSetup {
    /// Shows an agent's questions.
    pub questioner: Arc<dyn Questioner>,
    /// Has files open whose text may differ from the disk's.
    pub open: Arc<dyn OpenTexts>,
}

impl FsSetup {
    /// A host whose files are those on disk.
    pub fn new(questioner: Arc<dyn Questioner>) -> Self {
        Self {
            questioner,
            open: Arc::new(NothingOpen),
        }
    }
}

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
    tools: FileTools,
    open: Mutex<HashMap<u64, OpenCall>>,
    reply: Box<Answering>,
    progress: Box<Telling>,
}

/// What cancels a call that has not been answered.
struct OpenCall {
    cancel: CancelFlag,
    /// Of its claim. A call that is handed on has none.
    ticket: Option<Ticket>,
}

impl OpenCall {
    /// Also lets later calls pass if the call is still looking up its paths, which may hang.
    fn cancel(&self) {
        self.cancel.cancel();
        if let Some(ticket) = &self.ticket {
            ticket.withdraw();
        }
    }
}

impl FsHost {
    /// A host whose answers go to `reply`, with the call's number, from any thread.
    pub fn new(setup: FsSetup, reply: impl Fn(u64, HostReply) + Send + Sync + 'static) -> Self {
        Self::with_progress(setup, reply, |_, _| {})
    }

    /// As [`Self::new`]; `progress` learns in a few words how far a long call has come.
    pub fn with_progress(
        setup: FsSetup,
        reply: impl Fn(u64, HostReply) + Send + Sync + 'static,
        progress: impl Fn(u64, &str) + Send + Sync + 'static,
    ) -> Self {
        let tools = FileTools::new(setup.questioner).with_open_texts(setup.open);
        Self::of(tools, reply, progress)
    }

    /// A host over who else holds the texts and asks the person.
    fn over(
        primitives: Arc<dyn Primitives>,
        questioner: Arc<dyn Questioner>,
        reply: impl Fn(u64, HostReply) + Send + Sync + 'static,
    ) -> Self {
        let tools = FileTools::new(questioner).over(primitives);
        Self::of(tools, reply, |_, _| {})
    }

    fn of(
        tools: FileTools,
        reply: impl Fn(u64, HostReply) + Send + Sync + 'static,
        progress: impl Fn(u64, &str) + Send + Sync + 'static,
    ) -> Self {
        Self {
            shared: Arc::new(Shared {
                tools,
                open: Mutex::default(),
                reply: Box::new(reply),
                progress: Box::new(progress),
            }),
            starting: Mutex::default(),
            files: Pool::new("siderail-files", FILE_THREADS, QUEUE),
            waiting: Pool::new("siderail-waiting", WAITING_CALLS, QUEUE),
        }
    }

    /// The tools that are performed here.
    pub fn tools(&self) -> Vec<Tool> {
        FileTools::over_disk().collect()
    }

    /// Starts a call; calls on the same path are performed in the order of their start. Returns at once: only its thread
    /// looks at the disk.
    pub fn start(&self, call: HostCall) {
        for root in std::iter::once(&call.project).chain(&call.roots) {
            if self.shared.tools.is_first_call(root) {
                self.sweep(root.clone());
            }
        }
        let cancel = CancelFlag::new();
        let starting = self.starting.lock();
        let claim = self.shared.claim(&call);
        let open = OpenCall {
            cancel: cancel.clone(),
            ticket: Some(claim.ticket()),
        };
        self.shared.open.lock().insert(call.call, open);
        let pool = match &call.request {
            HostRequest::Tool { tool, .. } if FileTools::may_wait(*tool) => &self.waiting,
            _ => &self.files,
        };
        let number = call.call;
        let shared = Arc::clone(&self.shared);
        let job: Job = Box::new(move |closing| shared.perform(call, claim, &cancel, closing));
        let accepted = pool.submit(job);
        drop(starting);
        if !accepted {
            self.shared.refuse(number);
        }
    }

    /// Hands on a call of a tool that runs elsewhere, with the paths that it names as they truly are. Where one names
    /// nothing, the call is answered here.
    fn hand_on(&self, call: HostCall, to: Arc<dyn Ide>) {
        let cancel = CancelFlag::new();
        let number = call.call;
        let open = OpenCall {
            cancel: cancel.clone(),
            ticket: None,
        };
        self.shared.open.lock().insert(number, open);
        let shared = Arc::clone(&self.shared);
        let job: Job = Box::new(move |closing| {
            match unless_it_crashes(|| shared.located(call, &cancel, closing)) {
                Err(failure) => shared.answer(number, HostReply::Failed(failure)),
                Ok(call) => {
                    to.start(call);
                    shared.open.lock().remove(&number);
                    // Who cancelled it before now reached nobody.
                    if cancel.is_cancelled() {
                        to.cancel(number);
                    }
                }
            }
        });
        if !self.files.submit(job) {
            self.shared.refuse(number);
        }
    }

    /// Looks, beside all calls, for what dead processes left in the project.
    fn sweep(&self, project: PathBuf) {
        let thread = thread::Builder::new().name("siderail-sweep".to_owned());
        // Without a thread the leftovers stay until the next start.
        let _ = thread.spawn(move || siderail_workspace::sweep(&project));
    }

    /// The result of a call is no longer wanted. It is still answered, but holds no later call while its paths are looked
    /// up. False where there is no such call.
    pub fn cancel(&self, call: u64) -> bool {
        match self.shared.open.lock().get(&call) {
            Some(open) => open.cancel(),
            None => return false,
        }
        true
    }
}

impl Drop for FsHost {
    fn drop(&mut self) {
        for open in self.shared.open.lock().values() {
            open.cancel();
        }
    }
}

/// A bug in one tool must cost its own call only, and that one must still be answered.
fn unless_it_crashes<T>(work: impl FnOnce() -> Result<T, ToolFailure>) -> Result<T, ToolFailure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(ToolFailure::new(
            ToolErrorCode::InternalError,
            "the tool crashed; this is a bug in the host",
        ))
    })
}

/// Whether a call of the IDE's own tools names something that is there.
fn names_paths(arguments: &Value) -> bool {
    PATHS.iter().any(|name| arguments.get(name).is_some())
}

impl Shared {
    /// A place in the queue for what a call touches, taken without a look at the disk.
    fn claim(&self, call: &HostCall) -> Claim {
        let project = call.place();
        match &call.request {
            HostRequest::Tool { tool, arguments } => self.tools.claim(project, *tool, arguments),
            HostRequest::ReadText { path, .. } | HostRequest::WriteText { path, .. } => {
                self.tools.claim_file(project, path)
            }
            HostRequest::SaveDocuments
            | HostRequest::RefreshFiles { .. }
            | HostRequest::FinishTurn
            | HostRequest::Documents(_) => self.tools.claim_nothing(),
        }
    }

    /// Performs a call when its turn has come.
    fn reply_to(
        &self,
        call: &HostCall,
        claim: &Claim,
        cancel: &CancelFlag,
        progress: &Progress<'_>,
    ) -> Result<HostReply, ToolFailure> {
        let project = call.place();
        let place = || self.tools.wait(claim, project, cancel);
        match &call.request {
            HostRequest::Tool { tool, arguments } => self
                .tools
                .run_claimed(
                    &place()?,
                    call.session,
                    (*tool, arguments),
                    cancel,
                    progress,
                )
                .map(HostReply::Tool),
            HostRequest::ReadText { path, line, limit } => self
                .tools
                .read_text(&place()?, call.session, path, *line, *limit)
                .map(|text| HostReply::Text { text }),
            HostRequest::WriteText {
                path,
                content,
                exact,
            } => self
                .tools
                .write_text(&place()?, call.session, path, (content, *exact), cancel)
                .map(|diff| HostReply::Written { diff }),
            // What tools read and write here is on disk at any time.
            HostRequest::SaveDocuments
            | HostRequest::RefreshFiles { .. }
            | HostRequest::FinishTurn => Ok(HostReply::Done),
            HostRequest::Documents(_) => Err(ToolFailure::new(
                ToolErrorCode::NotApplicable,
                "there are no documents without an IDE",
            )),
        }
    }

    fn perform(&self, call: HostCall, claim: Claim, cancel: &CancelFlag, closing: bool) {
        let number = call.call;
        let reply = if closing || cancel.is_cancelled() {
            HostReply::Failed(cancelled())
        } else {
            let progress = |text: &str| (self.progress)(number, text);
            unless_it_crashes(|| self.reply_to(&call, &claim, cancel, &progress))
                .unwrap_or_else(HostReply::Failed)
        };
        self.answer(number, reply);
    }

    /// A call with the paths of its arguments as they truly are.
    fn located(
        &self,
        mut call: HostCall,
        cancel: &CancelFlag,
        closing: bool,
    ) -> Result<HostCall, ToolFailure> {
        if closing || cancel.is_cancelled() {
            return Err(cancelled());
        }
        let project = Project {
            folder: &call.project,
            roots: &call.roots,
        };
        if let HostRequest::Tool { arguments, .. } = &mut call.request {
            for name in PATHS {
                let given = arguments.get(name).and_then(Value::as_str);
                if let Some(given) = given {
                    let path = self.tools.located(project, given)?;
                    arguments[name] = json!(tellable(&path, given)?);
                }
            }
        }
        Ok(call)
    }

    fn refuse(&self, call: u64) {
        let text = "too many calls are waiting; try again when some have finished";
        let failure = ToolFailure::new(ToolErrorCode::InternalError, text);
        self.answer(call, HostReply::Failed(failure));
    }

    fn answer(&self, call: u64, reply: HostReply) {
        self.open.lock().remove(&call);
        (self.reply)(call, reply);
    }
}

#[cfg(test)]
mod tests;
