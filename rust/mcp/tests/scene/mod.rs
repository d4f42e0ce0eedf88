//! A server with two tools and an engine that answers them, for tests that speak lines.
#![allow(dead_code, reason = "each test binary uses its own part")]

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use siderail_mcp::{
    Annotations, CallKey, CallResult, Limits, ListenerEvent, Output, Route, Server, ServerInfo,
    ToolCallRequest, ToolDefinition, serve,
};
use siderail_wire::Line;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex, split};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

pub(crate) fn info() -> ServerInfo {
    ServerInfo {
        name: "intellij-code-tools".into(),
        version: "1.2.3".into(),
        instructions: "Use echo for echoes.".into(),
    }
}

pub(crate) fn tools() -> Arc<[ToolDefinition]> {
    let tool = |name: &str, input_schema| ToolDefinition {
        name: name.into(),
        title: format!("The {name} tool"),
        description: format!("Does {name}."),
        input_schema,
        annotations: Annotations::READ,
    };
    Arc::new([
        tool(
            "echo",
            json!({
                "type": "object",
                "properties": { "text": { "type": "string" }, "times": { "type": "integer" } },
                "required": ["text"],
            }),
        ),
        tool("nothing", json!({ "type": "object", "properties": {} })),
    ])
}

/// The protocol alone, with lines as JSON values.
pub(crate) struct Protocol(pub(crate) Server);

impl Protocol {
    pub(crate) fn new(limits: Limits) -> Self {
        Self(Server::new(info(), tools(), limits))
    }

    pub(crate) fn line(&mut self, message: &Value) -> Vec<Output> {
        self.0
            .handle_line(Line::Message(message.to_string().into_bytes()))
    }

    /// Calls `echo`; the call that is handed out.
    pub(crate) fn call(&mut self, id: Value, meta: Value) -> ToolCallRequest {
        let params = json!({ "name": "echo", "arguments": { "text": "x" }, "_meta": meta });
        let message =
            json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        let call = self
            .line(&message)
            .into_iter()
            .find_map(|output| match output {
                Output::Call(call) => Some(call),
                _ => None,
            });
        call.expect("a call is handed out")
    }

    pub(crate) fn complete(&mut self, key: CallKey, text: impl Into<String>) -> Option<Value> {
        let line = self.0.complete(key, CallResult::success(text))?;
        Some(parse(&line))
    }
}

/// The one JSON value on a line.
pub(crate) fn parse(line: &[u8]) -> Value {
    assert_eq!(
        line.iter().filter(|byte| **byte == b'\n').count(),
        1,
        "one line each"
    );
    serde_json::from_slice(line).expect("what is sent is JSON")
}

/// The lines among `outputs` that are to be sent.
pub(crate) fn sent(outputs: &[Output]) -> Vec<Value> {
    let lines = outputs.iter().filter_map(|output| match output {
        Output::Send(line) => Some(parse(line)),
        _ => None,
    });
    lines.collect()
}

/// A server on an in-memory stream, with an engine that performs the two tools.
pub(crate) struct Stream {
    pub(crate) client: DuplexStream,
    pub(crate) server: JoinHandle<()>,
    pub(crate) engine: JoinHandle<Vec<String>>,
}

impl Stream {
    pub(crate) fn start() -> Self {
        let (client, ours) = duplex(64 * 1024);
        let (events, inbox) = mpsc::channel(16);
        let server = Server::new(info(), tools(), Limits::default());
        let route = Route {
            session: 7,
            conn: 1,
            events,
        };
        let (reader, writer) = split(ours);
        let server = tokio::spawn(serve(reader, writer, server, route));
        Self {
            client,
            server,
            engine: tokio::spawn(perform(inbox)),
        }
    }

    /// Sends everything, closes the client's side, and gives all that comes back; fails when the
    /// server does not leave in time.
    pub(crate) async fn talk(self, bytes: Vec<u8>) -> Vec<Value> {
        let (mut reader, mut writer) = split(self.client);
        let write = tokio::spawn(async move {
            writer.write_all(&bytes).await.expect("the server reads");
            writer
                .shutdown()
                .await
                .expect("the client's side can be closed");
        });
        let mut answers = Vec::new();
        let left = timeout(Duration::from_secs(20), reader.read_to_end(&mut answers)).await;
        left.expect("the server leaves after the end of its input")
            .expect("the stream is whole");
        write.await.expect("the client wrote");
        self.server.await.expect("the server does not panic");
        answers
            .split_inclusive(|byte| *byte == b'\n')
            .map(parse)
            .collect()
    }
}

/// Performs calls until the connection is over; what it saw, in order.
async fn perform(mut inbox: mpsc::Receiver<ListenerEvent>) -> Vec<String> {
    let mut seen = Vec::new();
    while let Some(event) = inbox.recv().await {
        match event {
            ListenerEvent::Started { .. } => seen.push("started".into()),
            ListenerEvent::Refused { tool, .. } => seen.push(format!("refused {tool}")),
            ListenerEvent::Cancelled { .. } => seen.push("cancelled".into()),
            ListenerEvent::Closed { .. } => seen.push("closed".into()),
            ListenerEvent::Call { call, .. } => {
                seen.push(format!("call {}", call.name));
                let text = call.arguments["text"]
                    .as_str()
                    .unwrap_or("nothing")
                    .to_owned();
                call.complete(CallResult::success(text));
            }
            other => panic!("unexpected on a stream: {other:?}"),
        }
    }
    seen
}
