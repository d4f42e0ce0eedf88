//! The MCP server as it ships, with the tools that the official conformance suite looks for by name.
//!
//! `conformance-server FOLDER` opens the agents' socket in `FOLDER` and prints the variables that a relay
//! needs to reach it; it serves until its standard input ends. Everything between the relay's standard
//! input and a handler is product code. This file must not mend anything that the suite complains of: it
//! holds tools, and answers for them.

mod fixtures;

use std::io;
use std::path::Path;

use siderail_mcp::{Limits, Listener, ListenerEvent, ServerInfo, SessionServer};
use tokio::sync::oneshot;

/// The only agent session.
const SESSION: u64 = 1;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os()
        .nth(1)
        .ok_or("usage: conformance-server FOLDER")?;
    let mut listener = Listener::bind(Path::new(&folder), Limits::default())?;
    let server = SessionServer {
        info: ServerInfo {
            name: "conformance".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            instructions: "Tools that a test suite calls.".into(),
        },
        tools: fixtures::tools(),
    };
    let token = listener.register(SESSION, server);
    println!("SIDERAIL_SOCKET={}", listener.path().display());
    println!("SIDERAIL_TOKEN={}", token.as_str());
    let (ended, starter_is_gone) = oneshot::channel();
    // A thread of its own, because nobody has to wait for a read of standard input to return.
    std::thread::spawn(|| {
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        let _ = ended.send(());
    });
    tokio::select! {
        () = serve(&mut listener) => {}
        _ = starter_is_gone => {}
    }
    Ok(())
}

async fn serve(listener: &mut Listener) {
    while let Some(event) = listener.events.recv().await {
        if let ListenerEvent::Call { call, .. } = event {
            fixtures::perform(call);
        }
    }
}
