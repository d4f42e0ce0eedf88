//! The official SDK's client, put together as its documentation shows.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    ContentBlock, InitializeRequest, PromptRequest, SessionNotification, SessionUpdate,
    TextContent, ToolCallContent,
};
use agent_client_protocol::{ByteStreams, Client};
use tokio::net::UnixStream;
use tokio_util::compat::{TokioAsyncReadCompatExt, TokioAsyncWriteCompatExt};

use super::agent::SESSION;
use super::{Counted, Outcome, worked};

pub(super) async fn take_in(stream: UnixStream) -> Outcome {
    let (reader, writer) = stream.into_split();
    let streams = ByteStreams::new(writer.compat_write(), reader.compat());
    let counters = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
    let counting = Arc::clone(&counters);
    let client = Client.v1().on_receive_notification(
        async move |notification: SessionNotification, _connection| {
            counting.0.fetch_add(1, Ordering::Relaxed);
            counting
                .1
                .fetch_add(text_bytes(&notification.update), Ordering::Relaxed);
            Ok(())
        },
        agent_client_protocol::on_receive_notification!(),
    );
    let took = client
        .connect_with(streams, async |connection| {
            let hello = InitializeRequest::new(ProtocolVersion::V1);
            connection.send_request(hello).block_task().await?;
            let text = ContentBlock::Text(TextContent::new("go"));
            let started = worked();
            let prompt = PromptRequest::new(SESSION, vec![text]);
            connection.send_request(prompt).block_task().await?;
            Ok(worked() - started)
        })
        .await?;
    let counted = Counted {
        updates: counters.0.load(Ordering::Relaxed),
        text_bytes: counters.1.load(Ordering::Relaxed),
    };
    Ok((took, counted))
}

fn text_bytes(update: &SessionUpdate) -> usize {
    match update {
        SessionUpdate::AgentMessageChunk(chunk) => match &chunk.content {
            ContentBlock::Text(text) => text.text.len(),
            _ => 0,
        },
        SessionUpdate::ToolCallUpdate(update) => {
            let content = update.fields.content.iter().flatten();
            content
                .map(|content| match content {
                    ToolCallContent::Diff(diff) => {
                        diff.old_text.as_deref().map_or(0, str::len) + diff.new_text.len()
                    }
                    _ => 0,
                })
                .sum()
        }
        _ => 0,
    }
}
