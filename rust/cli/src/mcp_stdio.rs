//! `siderail mcp`: the filesystem host's tools for any MCP client, on standard input and output.
//!
//! Standard output carries the protocol and nothing else. There is no agent and no person here;
//! what the gate of our own tools would ask a person is denied.

use std::sync::Arc;

use tokio::sync::mpsc;

use crate::args::McpArgs;
use crate::exit::{Exit, Failure};
use crate::host::NobodyToAsk;
use crate::run::host_link::LinkedHost;
use crate::run::options::project;
use crate::run::{files, not_started, runtime};
use crate::setup::Setup;

/// Runs the command until the client closes its end or a signal comes.
pub(crate) fn run(args: &McpArgs, setup: &Setup) -> Result<Exit, Failure> {
    let project = project(args.project.as_deref(), &setup.cwd)?;
    let folder = setup.run_folder()?;
    let config = setup.engine(folder.path(), Vec::new())?;
    let runtime = runtime()?;
    let (events, _) = mpsc::unbounded_channel();
    let (host, _slot) = LinkedHost::new(events, files(&config, Arc::new(NobodyToAsk)));
    let ended = runtime.block_on(async {
        siderail_engine::serve_mcp(
            config,
            project,
            host,
            tokio::io::stdin(),
            tokio::io::stdout(),
        )
        .await
    });
    // reading standard input cannot be interrupted: nobody waits for its thread
    runtime.shutdown_background();
    drop(folder);
    ended.map_err(not_started)?;
    Ok(Exit::Ended)
}
