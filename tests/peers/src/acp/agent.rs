//! The agent's side: what it says, and when.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;

use serde_json::{Value, json};

use super::Counted;
use crate::Failure;

pub(super) const SESSION: &str = "0e6f3c1a-58d7-4b1e-9d37-6b0f1f1c2a44";
/// Updates in one write.
const BATCH: usize = 64;

/// Updates of one kind.
pub(super) struct Traffic {
    name: String,
    n_updates: usize,
    /// Lines of a batch; all batches are the same.
    batch: Vec<u8>,
    text_bytes: usize,
}

impl Traffic {
    /// What streams while a model writes.
    pub(super) fn chunks(n_updates: usize) -> Self {
        let text = "the quick brown fox looks \"twice\" at line 17,\nthen goes on to the tests\n";
        let update = json!({
            "sessionUpdate": "agent_message_chunk",
            "content": { "type": "text", "text": text },
        });
        Self::of("chunks", n_updates, &update, text.len())
    }

    /// What comes with an edit of a whole file.
    pub(super) fn large(n_updates: usize) -> Self {
        let side = |word: &str| -> String {
            (0..400)
                .map(|n| format!("    let {word}_{n} = compute(\"{n}\", {n});\n"))
                .collect()
        };
        let (old, new) = (side("old"), side("new"));
        let text_bytes = old.len() + new.len();
        let update = json!({
            "sessionUpdate": "tool_call_update",
            "toolCallId": "call_7",
            "status": "in_progress",
            "content": [
                { "type": "diff", "path": "/home/user/project/src/lib.rs", "oldText": old, "newText": new },
            ],
        });
        Self::of("large updates", n_updates, &update, text_bytes)
    }

    fn of(name: &str, n_updates: usize, update: &Value, text_bytes: usize) -> Self {
        let message = json!({
            "jsonrpc": "2.0",
            "method": "session/update",
            "params": { "sessionId": SESSION, "update": update },
        });
        let line = format!("{message}\n");
        Self {
            name: format!("{name} of {} bytes", line.len()),
            n_updates: n_updates.next_multiple_of(BATCH),
            batch: line.repeat(BATCH).into_bytes(),
            text_bytes,
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn expected(&self) -> Counted {
        Counted {
            updates: self.n_updates,
            text_bytes: self.n_updates * self.text_bytes,
        }
    }
}

/// Answers requests until the client hangs up.
pub(super) fn play(stream: UnixStream, traffic: &Traffic) -> Result<(), Failure> {
    let mut writer = stream.try_clone()?;
    for line in BufReader::new(stream).lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let result = match request["method"].as_str() {
            Some("initialize") => json!({ "protocolVersion": 1, "agentCapabilities": {} }),
            Some("session/prompt") => {
                for _ in 0..traffic.n_updates / BATCH {
                    writer.write_all(&traffic.batch)?;
                }
                json!({ "stopReason": "end_turn" })
            }
            _ => continue,
        };
        let answer = json!({ "jsonrpc": "2.0", "id": request["id"], "result": result });
        writer.write_all(format!("{answer}\n").as_bytes())?;
    }
    Ok(())
}
