//! The sessions that an agent itself remembers: lists and deletes them for `siderail history`.
//!
//! Knows how to ask, not how they are shown.

use std::path::Path;

use siderail_engine::login::BY_HAND;
use siderail_engine::{AgentSessions, SessionsWish};

use crate::args::LoginArgs;
use crate::bench::on_bench;
use crate::exit::{Exit, Failure};
use crate::login_line;
use crate::setup::Setup;

/// Asks an agent for the sessions of a project that it remembers itself, or to forget one of them.
pub(crate) fn agent_sessions(
    args: &LoginArgs,
    project: Option<&Path>,
    wish: SessionsWish,
    setup: &Setup,
) -> Result<AgentSessions, Failure> {
    on_bench(args, project, setup, async |bench| {
        let told = bench.agent_sessions(wish).await;
        told.map_err(|failure| match failure.exit {
            Exit::LoginNeeded => with_login(failure, args),
            _ => failure,
        })
    })
}

fn with_login(failure: Failure, args: &LoginArgs) -> Failure {
    if failure.hint.as_deref() == Some(BY_HAND) {
        return failure;
    }
    let command = args.agent_command.as_deref();
    let does_it = login_line::typed(
        &args.agent,
        command,
        &args.launch.agent_env,
        &args.launch.agents_file,
    );
    let does_it = format!("{does_it} does it");
    let more: Vec<String> = failure.hint.iter().cloned().chain([does_it]).collect();
    failure.hint(more.join("\n      "))
}
