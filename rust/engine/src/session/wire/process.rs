//! The agent's process and the two tasks around it: one forwards its lines, one owns its life.

use std::path::Path;
use std::time::Duration;

use serde_json::json;
use siderail_acp::process::{
    CommandLine, Exit, Grace, Guardian, ProcessTree, SpawnError, StderrTail, Streams,
    login_environment,
};
use siderail_acp::redact::Redaction;
use siderail_acp::trace::TrafficLog;
use siderail_acp::transport::{self, Outbound, TransportConfig};
use tokio::sync::{mpsc, oneshot};

use crate::error::EngineError;
use crate::session::input::{Input, StartFailure, Started};

/// How long output of a process that has ended may still arrive.
const LAST_WORDS: Duration = Duration::from_millis(250);
/// How long the user's login shell may take to print its environment.
const LOGIN_SHELL: Duration = Duration::from_secs(5);

/// Makes the session's traffic log, when one is wanted. `goes_on`: behind what is in the file.
pub(in crate::session) fn open_trace(
    session: u64,
    inputs: mpsc::Sender<Input>,
    path: Option<&Path>,
    redaction: Redaction,
    goes_on: bool,
) -> Result<Option<TrafficLog>, EngineError> {
    let Some(path) = path else { return Ok(None) };
    let shown = path.display().to_string();
    let failed = move |e| {
        tracing::error!("the trace file {shown} can no longer be written: {e}");
        let text = format!("the trace file {shown} is not complete: {e}");
        // A session that is over has nobody to report to, and one that is busy has reported others.
        let _ = inputs.try_send(Input::Notice { session, text });
    };
    let log = match goes_on {
        true => TrafficLog::go_on(path, redaction, failed),
        false => TrafficLog::create(path, redaction, failed),
    };
    let log = log.map_err(|e| EngineError::Setting {
        what: format!("the trace file {}", path.display()),
        why: e.to_string(),
    })?;
    Ok(Some(log))
}

/// Starts the process and the two tasks around it: one forwards its lines, one owns its life. `lines`: each message with
/// its line ahead.
pub(in crate::session) async fn spawn_agent(
    session: u64,
    command: CommandLine,
    guardian: Option<Guardian>,
    trace: Option<TrafficLog>,
    lines: bool,
    inputs: &mpsc::Sender<Input>,
) -> Result<Started, StartFailure> {
    let spawned = spawn_with_login_path(command, guardian).await;
    let mut tree = spawned.map_err(|e| StartFailure {
        text: e.to_string(),
    })?;
    let (Some(stdin), Some(stdout), Some(stderr)) =
        (tree.stdin.take(), tree.stdout.take(), tree.stderr.take())
    else {
        return Err(StartFailure {
            text: "the agent's streams are not connected".to_owned(),
        });
    };
    let tap = trace.as_ref().map(TrafficLog::tap);
    let stderr = StderrTail::follow(stderr, tap.clone());
    let config = TransportConfig {
        tap,
        lines,
        ..TransportConfig::default()
    };
    let transport = transport::over(stdout, stdin, config);
    let mut inbound_messages = transport.inbound;
    let forward = inputs.clone();
    let forwarded = tokio::spawn(async move {
        while let Some(inbound) = inbound_messages.recv().await {
            if forward
                .send(Input::Agent { session, inbound })
                .await
                .is_err()
            {
                break;
            }
        }
    });
    let (stop, stopped) = oneshot::channel();
    let outbound = transport.outbound.clone();
    let done = inputs.clone();
    let last_words = stderr.clone();
    tokio::spawn(async move {
        let is_guarded = tree.is_guarded();
        let exit = live(tree, &outbound, stopped).await;
        let exit = match is_guarded {
            true => exit.behind_guardian(),
            false => exit,
        };
        if let Some(trace) = trace {
            // Once the exit is reported the whole program may end, so the trace is written before that.
            let _late = tokio::time::timeout(LAST_WORDS * 2, forwarded).await;
            last_words.ended(LAST_WORDS).await;
            trace.note(json!({"exit": exit.code, "signal": exit.signal}));
            let _unfinished = tokio::task::spawn_blocking(move || trace.finish()).await;
        }
        // The engine outlives its sessions' tasks; without it nobody asks.
        let _ = done.send(Input::Exited { session, exit }).await;
    });
    Ok(Started {
        outbound: transport.outbound,
        stop,
        stderr,
    })
}

/// Starts the program; where it is not on PATH, with the PATH of the user's login shell, which programs
/// started from a desktop lack.
async fn spawn_with_login_path(
    mut command: CommandLine,
    guardian: Option<Guardian>,
) -> Result<ProcessTree, SpawnError> {
    let start = |command| ProcessTree::start(command, guardian.clone(), Streams::Piped);
    let mut spawned = start(command.clone()).await;
    let Err(SpawnError::NotFound { directories, .. }) = &mut spawned else {
        return spawned;
    };
    let shell = command.env.get("SHELL").map_or("/bin/sh", String::as_str);
    let login = login_environment(Path::new(shell), &command.env, LOGIN_SHELL).await;
    if let Some(path) = login.and_then(|mut login| login.remove("PATH")) {
        command.env.insert("PATH".to_owned(), path);
        let again = start(command).await;
        let Err(SpawnError::NotFound {
            directories: mut more,
            ..
        }) = again
        else {
            return again;
        };
        more.retain(|folder| !directories.contains(folder));
        directories.append(&mut more);
    }
    spawned
}

/// Waits for the end of the process, or ends it on request.
async fn live(
    mut tree: ProcessTree,
    outbound: &Outbound,
    stopped: oneshot::Receiver<Grace>,
) -> Exit {
    let exit = tokio::select! {
        exit = tree.wait() => {
            // Any children that are left go with it.
            tree.kill_now();
            exit
        }
        grace = stopped => {
            outbound.close();
            tree.stop(grace.unwrap_or_default()).await
        }
    };
    outbound.end_inbound(LAST_WORDS);
    exit
}
