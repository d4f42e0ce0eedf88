//! Tools that run in the engine, and what they need of the host around their work: editors saved before a
//! program reads the files, files looked at again after it changed them.
//!
//! The work is a task of its own; the session only passes its requests on. It knows no session, nor what a tool does.

use std::future::Future;
use std::path::PathBuf;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::host::{HostReply, HostRequest, ToolErrorCode, ToolFailure, ToolOutcome};
use crate::session::Input;
use crate::tools::Touch;

/// How long saving may take; a host that is slower has a dialog open.
const SAVING: Duration = Duration::from_secs(10);
/// How long the answer waits for the host to see the change; the change has happened in any case.
const REFRESHING: Duration = Duration::from_secs(5);
/// How long the end of a turn waits for the host to tidy what the turn has written.
const FINISHING: Duration = Duration::from_secs(10);

/// The way from a tool's task to the host.
pub(in crate::session) struct HostWork {
    session: u64,
    inputs: mpsc::Sender<Input>,
}

impl HostWork {
    pub(in crate::session) fn new(session: u64, inputs: mpsc::Sender<Input>) -> Self {
        Self { session, inputs }
    }

    /// Does a tool's work between what the host does before and after it. `written`: the files that the work changes, where
    /// they are known.
    pub(in crate::session) async fn around(
        &self,
        touch: Touch,
        written: Option<Vec<PathBuf>>,
        work: impl Future<Output = Result<ToolOutcome, ToolFailure>>,
    ) -> HostReply {
        if let Err(unsaved) = self.before(touch).await {
            return HostReply::Failed(unsaved);
        }
        let outcome = work.await;
        self.after(touch, written).await;
        outcome.map_or_else(HostReply::Failed, HostReply::Tool)
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

    /// Before the end of a turn is reported. A host that takes too long is asked to stop, and the turn ends without it.
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

#[cfg(test)]
mod tests {
    use super::*;

    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// What a tool's work gives and whether it was begun, with a host that answers saving so; and what the host was asked.
    async fn work(touch: Touch, saved: HostReply) -> (HostReply, bool, Vec<HostRequest>) {
        let (inputs, mut errands) = mpsc::channel(4);
        let host = tokio::spawn(async move {
            let mut asked = Vec::new();
            while let Some(Input::HostWork {
                request, answer, ..
            }) = errands.recv().await
            {
                let reply = match request {
                    HostRequest::SaveDocuments => saved.clone(),
                    _ => HostReply::Done,
                };
                let _ = answer.send(reply);
                asked.push(request);
            }
            asked
        });
        let begun = Arc::new(AtomicBool::new(false));
        let begins = Arc::clone(&begun);
        let host_work = HostWork::new(1, inputs);
        let tool = async move {
            begins.store(true, Ordering::Relaxed);
            Ok(ToolOutcome::default())
        };
        let reply = host_work.around(touch, None, tool).await;
        drop(host_work);
        let asked = host.await.expect("the host");
        (reply, begun.load(Ordering::Relaxed), asked)
    }

    fn failed(code: ToolErrorCode) -> HostReply {
        let text = "not saved".to_owned();
        HostReply::Failed(ToolFailure { code, text })
    }

    #[tokio::test]
    async fn the_host_saves_before_a_tool_and_looks_at_what_it_changed() {
        let (reply, begun, asked) = work(Touch::Changes, HostReply::Done).await;
        assert!(begun && matches!(reply, HostReply::Tool(_)));
        assert!(matches!(
            asked[..],
            [HostRequest::SaveDocuments, HostRequest::RefreshFiles { .. }]
        ));
        let (_, begun, asked) = work(Touch::Nothing, HostReply::Done).await;
        assert!(begun && asked.is_empty());
    }

    #[tokio::test]
    async fn nothing_is_begun_on_text_that_could_not_be_saved() {
        let (reply, begun, asked) = work(Touch::Changes, failed(ToolErrorCode::IoError)).await;
        assert!(!begun && asked.len() == 1);
        assert!(matches!(reply, HostReply::Failed(failure) if failure.text == "not saved"));
        let no_editors = failed(ToolErrorCode::NotApplicable);
        let (reply, begun, _) = work(Touch::Changes, no_editors).await;
        assert!(begun && matches!(reply, HostReply::Tool(_)));
    }
}
