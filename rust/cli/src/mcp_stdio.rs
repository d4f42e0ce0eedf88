//! `siderail mcp`: the filesystem host's tools for any MCP client, on standard input and output.
//!
//! Standard output carries the protocol and nothing else. There is no agent and no person here: what the
//! gate would ask a person about is denied, and what could never go ahead is not offered.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use siderail_engine::command::SessionOptions;
use siderail_engine::serve_mcp;
use siderail_engine::settings::Layer;
use tokio::io::AsyncWrite;

use crate::args::{McpArgs, PolicyName};
use crate::exit::{Exit, Failure};
use crate::host::{FsSetup, NobodyToAsk};
use crate::run::events;
use crate::run::host_link::LinkedHost;
use crate::run::options::project;
use crate::settings_files;
use crate::setup::Setup;
use crate::signals::Signals;
use crate::starting::{no_signals, not_started, runtime};
use crate::terminal::note_for_people;

/// Runs the command until the client closes its end or a signal comes.
pub(crate) fn run(args: &McpArgs, setup: &Setup) -> Result<Exit, Failure> {
    note_for_people("mcp", "an MCP client");
    let project = project(args.project.as_deref(), &setup.cwd)?;
    let flags = Layer {
        policy: args.policy.map(PolicyName::policy),
        ..Layer::default()
    };
    let resolved = setup.settings(Some(&project), flags);
    settings_files::announce(&resolved);
    let folder = setup.run_folder()?;
    let config = setup.engine(folder.path(), Vec::new(), &resolved.settings)?;
    let options = SessionOptions {
        project,
        ..SessionOptions::of("", &resolved.settings)
    };
    let runtime = runtime()?;
    let (events, _) = events::channel(folder.path().to_owned());
    let (host, slot) = LinkedHost::new(events, FsSetup::new(Arc::new(NobodyToAsk)), None);
    let ended = runtime.block_on(async {
        let mut signals = Signals::listen().map_err(no_signals)?;
        let (output, broken) = Watched::new(tokio::io::stdout());
        let input = tokio::io::stdin();
        // On a thread beside the engine's tasks: from this one every message would wake another, there and back.
        let mut serving = tokio::spawn(async move {
            serve_mcp(config, options, host, input, output, |engine| {
                // the slot is empty until here
                let _ = slot.set(engine);
            })
            .await
        });
        tokio::select! {
            ended = &mut serving => match (broken.get(), ended) {
                (Some(failure), _) => Err(failure.clone()),
                (None, Ok(ended)) => ended.map_err(not_started),
                (None, Err(broken)) => std::panic::resume_unwind(broken.into_panic()),
            },
            // clients end a server that does not go by itself with a signal
            _ = signals.next() => {
                serving.abort();
                // What it holds is let go of before its folder is. Programs that calls have started are ended by their
                // guardians.
                let _ = serving.await;
                Ok(())
            }
        }
    });
    // reading standard input cannot be interrupted: nobody waits for its thread
    runtime.shutdown_background();
    drop(folder);
    ended.map(|()| Exit::Ended)
}

/// An output that keeps why it could not be written. A client that has gone away is not a failure.
struct Watched<W> {
    output: W,
    broken: Arc<OnceLock<Failure>>,
}

impl<W> Watched<W> {
    fn new(output: W) -> (Self, Arc<OnceLock<Failure>>) {
        let broken = Arc::new(OnceLock::new());
        let watched = Self {
            output,
            broken: Arc::clone(&broken),
        };
        (watched, broken)
    }

    fn noted<T>(&self, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if let Poll::Ready(Err(error)) = &written
            && error.kind() != io::ErrorKind::BrokenPipe
        {
            // the first one says it
            let _ = self.broken.set(Failure::output(error));
        }
        written
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for Watched<W> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.output).poll_write(context, bytes);
        self.noted(written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.output).poll_flush(context);
        self.noted(flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.output).poll_shutdown(context)
    }
}
