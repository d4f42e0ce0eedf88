//! Tools that run in the engine, and what they need of the host around their work: editors saved before a
//! program reads the files, files looked at again after it changed them.
//!
//! The work is a task of its own; the session only passes its requests on. What a tool does is not known here.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use siderail_workspace::Project;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::host::{HostReply, HostRequest, ToolErrorCode, ToolFailure};
use crate::session::host_calls::Waiting;
use crate::session::{Input, Session};
use crate::shared::Shared;
use crate::tools::{CancelFlag, Touch, touch};

/// What saving may take; a host that is slower has a dialog open.
const SAVING: Duration = Duration::from_secs(10);
/// What the answer waits for the host to see the change; the change has happened in any case.
const REFRESHING: Duration = Duration::from_secs(5);
/// What the end of a turn waits for the host to tidy what the turn has written.
const FINISHING: Duration = Duration::from_secs(10);

/// The way from a tool's task to the host.
pub(in crate::session) struct HostWork {
    session: u64,
    inputs: mpsc::Sender<Input>,
}

impl Session {
    /// Starts a tool of the engine's own; it ends with [`Input::CommandDone`].
    pub(in crate::session) fn run_in_engine(
        &mut self,
        call: u64,
        tool: String,
        arguments: Value,
        cancel: CancelFlag,
        shared: &mut Shared,
    ) {
        let (session, inputs) = (self.carried.number, shared.inputs.clone());
        let tools = self.own.engine_tools.clone();
        let (root, roots) = (self.root().to_owned(), self.place.further_roots());
        self.wire.host_calls.wait(call, Waiting::OwnCall);
        let written = self.judge(shared).seen_written(&tool, &arguments);
        tokio::spawn(async move {
            let host_work = HostWork::new(session, inputs.clone());
            let touch = touch(&tool, &arguments);
            let outcome = match host_work.before(touch).await {
                Err(unsaved) => Err(unsaved),
                Ok(()) => {
                    let project = Project {
                        folder: &root,
                        roots: &roots,
                    };
                    let outcome = tools.run(project, &tool, &arguments, cancel).await;
                    host_work.after(touch, written).await;
                    outcome
                }
            };
            let reply = outcome.map_or_else(HostReply::Failed, HostReply::Tool);
            // The engine outlives its sessions' tasks; without it nobody waits.
            let _ = inputs
                .send(Input::CommandDone {
                    session,
                    call,
                    reply,
                })
                .await;
        });
    }
}

impl HostWork {
    pub(in crate::session) fn new(session: u64, inputs: mpsc::Sender<Input>) -> Self {
        Self { session, inputs }
    }

    pub(in crate::session) async fn before(&self, touch: Touch) -> Result<(), ToolFailure> {
        if touch == Touch::Nothing {
            return Ok(());
        }
        match timeout(SAVING, self.ask(HostRequest::SaveDocuments)).await {
            Ok(Some(HostReply::Failed(failure)))
                if failure.code != ToolErrorCode::NotApplicable =>
            {
                Err(failure)
            }
            // A session that ends has cancelled the call, and a host without editors has nothing to save.
            Ok(_) => Ok(()),
            Err(_) => Err(ToolFailure {
                code: ToolErrorCode::ModalBlocking,
                text: format!(
                    "the editors' unsaved changes were not saved within {} s, so that the program \
                     would see old text; a dialog may be open: ask the user to close it, then call \
                     again",
                    SAVING.as_secs()
                ),
            }),
        }
    }

    async fn after(&self, touch: Touch, paths: Option<Vec<PathBuf>>) {
        if touch == Touch::Changes {
            let refreshed = self.ask(HostRequest::RefreshFiles { paths });
            if timeout(REFRESHING, refreshed).await.is_err() {
                tracing::warn!("the host did not look at the changed files in time");
            }
        }
    }

    /// Before the end of a turn is told. A host that takes too long is told to stop, by whoever goes on without it.
    pub(in crate::session) async fn finish_turn(&self) {
        let finished = self.ask(HostRequest::FinishTurn);
        if timeout(FINISHING, finished).await.is_err() {
            tracing::warn!("the host did not tidy the turn's files in time");
        }
    }

    /// The host's answer; none when the session is over.
    pub(in crate::session) async fn ask(&self, request: HostRequest) -> Option<HostReply> {
        let (answer, answered) = oneshot::channel();
        let errand = Input::HostWork {
            session: self.session,
            request,
            answer,
        };
        self.inputs.send(errand).await.ok()?;
        answered.await.ok()
    }
}
