//! Our client: transport, connection and session, as the engine puts them together.

use serde_json::{Value, json};
use siderail_acp::transport::{Inbound, Transport, TransportConfig, over};
use siderail_acp::{Connection, Incoming, Session, SessionUpdate};
use tokio::net::UnixStream;

use super::agent::SESSION;
use super::{Counted, Outcome, worked};

pub(super) async fn take_in(stream: UnixStream) -> Outcome {
    let (reader, writer) = stream.into_split();
    let Transport {
        mut inbound,
        outbound,
    } = over(reader, writer, TransportConfig::default());
    let mut connection = Connection::new();
    let mut session = Session::new(SESSION);
    let mut counted = Counted::default();
    let hello = json!({ "protocolVersion": 1, "clientCapabilities": {} });
    outbound.send(connection.request("initialize", &hello, "initialize").1)?;
    let mut started = worked();
    while let Some(inbound) = inbound.recv().await {
        let message = match inbound {
            Inbound::Update(update) => {
                count(&session.apply(update.update).update, &mut counted);
                continue;
            }
            Inbound::Message(message) => message,
            other => return Err(format!("unexpected: {other:?}").into()),
        };
        match connection.handle(message) {
            Incoming::Update(update) => {
                count(&session.apply(update.update).update, &mut counted);
            }
            Incoming::Response { tag: "prompt", .. } => return Ok((worked() - started, counted)),
            Incoming::Response { .. } => {
                let prompt = json!({
                    "sessionId": SESSION,
                    "prompt": [{ "type": "text", "text": "go" }],
                });
                started = worked();
                outbound.send(connection.request("session/prompt", &prompt, "prompt").1)?;
            }
            other => return Err(format!("unexpected: {other:?}").into()),
        }
    }
    Err("the agent hung up".into())
}

fn count(update: &SessionUpdate, counted: &mut Counted) {
    counted.updates += 1;
    counted.text_bytes += match update {
        SessionUpdate::AgentMessageChunk(chunk) => chunk.content.text().map_or(0, str::len),
        SessionUpdate::ToolCallUpdate(fields) => {
            let diffs = fields.content.iter().flat_map(|content| content.iter());
            diffs
                .map(|diff| text(&diff["oldText"]) + text(&diff["newText"]))
                .sum()
        }
        _ => 0,
    };
}

fn text(value: &Value) -> usize {
    value.as_str().map_or(0, str::len)
}
