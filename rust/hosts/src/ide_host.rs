//! The host behind which there is an IDE: the file tools run here over its documents, everything else is its own, with
//! paths that were looked at here.

use std::sync::Arc;

use siderail_engine::guard::Tool;
use siderail_engine::host::{HostCall, HostReply, HostRequest};
use siderail_workspace::tools::FileTools;

use super::asking::{Asking, Ide};
use super::ide_files::IdeFiles;
use super::ide_person::IdePerson;
use super::{FsHost, names_paths};

/// Performs the engine's calls. Dropping it answers what still waits as cancelled.
pub struct IdeHost {
    ide: Arc<dyn Ide>,
    asking: Arc<Asking>,
    files: FsHost,
    reply: Arc<dyn Fn(u64, HostReply) + Send + Sync>,
}

impl IdeHost {
    /// The tools that run here.
    pub fn tools() -> impl Iterator<Item = Tool> {
        FileTools::over_documents()
    }

    /// A host over an IDE. Answers go to `reply`, with the call's number, from any thread.
    pub fn new(ide: Arc<dyn Ide>, reply: impl Fn(u64, HostReply) + Send + Sync + 'static) -> Self {
        let reply: Arc<dyn Fn(u64, HostReply) + Send + Sync> = Arc::new(reply);
        let asking = Arc::new(Asking::new(Arc::clone(&ide)));
        let of_files = Arc::clone(&reply);
        let files = FsHost::over(
            Arc::new(IdeFiles(Arc::clone(&asking))),
            Arc::new(IdePerson(Arc::clone(&asking))),
            move |call, reply| of_files(call, reply),
        );
        Self {
            ide,
            asking,
            files,
            reply,
        }
    }

    /// Starts a call of the engine.
    pub fn start(&self, call: HostCall) {
        match &call.request {
            request if runs_here(request) => self.files.start(call),
            HostRequest::Tool { arguments, .. } if names_paths(arguments) => {
                self.files.hand_on(call, Arc::clone(&self.ide));
            }
            _ => self.ide.start(call),
        }
    }

    /// The engine no longer wants a call. One that runs here is still answered.
    pub fn cancel(&self, call: u64) {
        match self.files.cancel(call) {
            true => self.asking.withdraw(),
            false => self.ide.cancel(call),
        }
    }

    /// Takes an answer of the IDE: to a call that was passed on, or to a question of a tool. Diffs are made here.
    pub fn complete(&self, call: u64, reply: HostReply) {
        let reply = match reply {
            HostReply::Tool(outcome) => HostReply::Tool(outcome.with_diff()),
            other => other,
        };
        if let Some(reply) = self.asking.complete(call, reply) {
            (self.reply)(call, reply);
        }
    }
}

impl Drop for IdeHost {
    fn drop(&mut self) {
        self.asking.close();
    }
}

fn runs_here(request: &HostRequest) -> bool {
    match request {
        HostRequest::Tool { tool, .. } => IdeHost::tools().any(|here| here == *tool),
        HostRequest::ReadText { .. } | HostRequest::WriteText { .. } => true,
        HostRequest::SaveDocuments
        | HostRequest::RefreshFiles { .. }
        | HostRequest::FinishTurn
        | HostRequest::Documents(_) => false,
    }
}

#[cfg(test)]
mod tests;
