//! Our tools for any MCP client: the same server and gate, over one pair of streams, without an agent.

use std::sync::Arc;

use siderail_guard::{Tool, waits_for_person};
use siderail_mcp::{Limits, Route, Server, ServerInfo, serve};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;

use crate::command::{Command, SessionOptions};
use crate::engine::{EngineHandle, start};
use crate::engine_config::EngineConfig;
use crate::error::EngineError;
use crate::host::Host;
use crate::session::Input;
use crate::tools;

/// The only session of such an engine.
const SESSION: u64 = 1;
/// Events of the connection that may wait for the engine.
const EVENTS: usize = 64;

/// Serves the host's tools until the client closes its side; then everything of it has ended.
///
/// Of `options` project, policy and `yolo_dangerous` count. Nobody answers questions here: what the gate would
/// ask about is denied, and a tool of which no call could go ahead is not offered.
///
/// `started` is given the engine, by which the host answers its calls.
///
/// # Errors
/// A project folder that cannot be used, or what [`start`] says.
pub async fn serve_mcp(
    mut config: EngineConfig,
    options: SessionOptions,
    host: Arc<dyn Host>,
    reader: impl AsyncRead + Unpin,
    writer: impl AsyncWrite + Unpin,
    started: impl FnOnce(EngineHandle),
) -> Result<(), EngineError> {
    crate::confine::Confinement::new(&options.project).map_err(|e| EngineError::Project {
        path: options.project.clone(),
        why: e.to_string(),
    })?;
    let off = waiting_tools(&config, &options, host.as_ref());
    config.settings.tools_off.extend(off);
    let offered = config.offered(host.as_ref());
    let info = ServerInfo {
        name: tools::SERVER.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        instructions: tools::instructions(&offered, host.surroundings()),
    };
    let definitions = tools::definitions(&offered, host.surroundings()).into();
    let server = Server::new(info, definitions, Limits::default());
    let engine = start(config, host)?;
    started(engine.clone());
    // The engine cannot be gone yet, and it takes its inputs in order.
    let first = Input::Plain {
        session: SESSION,
        options: Box::new(options),
    };
    let _ = engine.inputs.send(first).await;
    let (events, mut connection) = mpsc::channel(EVENTS);
    let inputs = engine.inputs.clone();
    let forward = tokio::spawn(async move {
        while let Some(event) = connection.recv().await
            && inputs.send(Input::Listener(event)).await.is_ok()
        {}
    });
    let route = Route {
        session: SESSION,
        conn: 0,
        events,
    };
    serve(reader, writer, server, route).await;
    // The route is gone with the connection, so that forwarding ends by itself.
    let _ = forward.await;
    let _ = engine.send(Command::Shutdown);
    engine.closed().await;
    Ok(())
}

/// The tools of which no call could go ahead.
fn waiting_tools(config: &EngineConfig, options: &SessionOptions, host: &dyn Host) -> Vec<String> {
    let settings = &options.settings;
    let waits = |tool: &Tool| waits_for_person(*tool, settings.policy, settings.yolo_dangerous);
    let offered = config.offered(host).into_iter();
    let waiting = offered.filter(waits).map(Tool::name);
    waiting.map(str::to_owned).collect()
}
