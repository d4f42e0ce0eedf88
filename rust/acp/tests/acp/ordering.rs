//! The promise of order: what an agent wrote first is seen first, so a turn ends after all it said.

use std::time::Duration;

use serde_json::json;
use siderail_acp::connection::{Connection, Incoming};
use siderail_acp::prompt::{PromptResult, StopReason};
use siderail_acp::session::Session;
use siderail_acp::transport::{Inbound, TransportConfig, over};
use siderail_acp::{SessionUpdate, requests};
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex, split};
use tokio::time::timeout;

const N_CHUNKS: usize = 30_000;

/// An agent that answers a prompt as soon as it can and writes in pieces that end anywhere.
async fn agent(mut stream: tokio::io::DuplexStream) {
    let mut line = [0; 16 * 1024];
    let _prompt = stream.read(&mut line).await.expect("a prompt");
    let mut bytes = Vec::new();
    for n in 0..N_CHUNKS {
        let update = json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": format!("é{n} ")}});
        bytes.extend(siderail_acp::wire::notification(
            "session/update",
            &json!({"sessionId": "s", "update": update}),
        ));
    }
    bytes.extend(b"{\"result\":{\"stopReason\":\"end_turn\"},\"id\":1}\n");
    for piece in bytes.chunks(4099) {
        stream.write_all(piece).await.expect("written");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_result_of_a_prompt_comes_after_every_update_before_it() {
    let (ours, theirs) = duplex(8 * 1024);
    let (reader, writer) = split(ours);
    let mut transport = over(
        reader,
        writer,
        TransportConfig {
            queue: 64,
            ..TransportConfig::default()
        },
    );
    let agent = tokio::spawn(agent(theirs));

    let mut connection = Connection::new();
    let mut session = Session::new("s");
    let (id, line) = connection.request(
        requests::PROMPT,
        &json!({"sessionId": "s", "prompt": []}),
        (),
    );
    session.begin_turn(id).expect("idle");
    transport.outbound.send(line).expect("sent");

    let mut n_seen = 0;
    let stop_reason = loop {
        let inbound = timeout(Duration::from_secs(60), transport.inbound.recv())
            .await
            .expect("in time");
        let message = match inbound {
            Some(Inbound::Update(update)) => match session.apply(update.update).update {
                SessionUpdate::AgentMessageChunk(chunk) => {
                    assert_eq!(chunk.content.text(), Some(format!("é{n_seen} ").as_str()));
                    n_seen += 1;
                    continue;
                }
                other => panic!("{other:?}"),
            },
            Some(Inbound::Message(message)) => message,
            other => panic!("{other:?}"),
        };
        match connection.handle(message) {
            Incoming::Response { id, outcome, .. } => {
                let result = PromptResult::read(&outcome.expect("a result"));
                session
                    .end_turn(id, result.stop_reason == StopReason::Cancelled)
                    .expect("the running turn");
                break result.stop_reason;
            }
            other => panic!("{other:?}"),
        }
    };
    assert_eq!((n_seen, stop_reason.as_str()), (N_CHUNKS, "end_turn"));
    agent.await.expect("no panic");
}
