//! An agent's own hook that waits for an answer.

use std::time::Duration;

use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

use crate::socket::{self, Stream};

/// The relay itself gives up after two seconds.
const DELIVERY: Duration = Duration::from_secs(2);

/// The way back to a waiting hook. Dropping it makes the relay say "no decision".
#[derive(Debug)]
pub struct HookReply {
    stream: Stream,
}

impl HookReply {
    pub(crate) fn new(stream: Stream) -> Self {
        Self { stream }
    }

    /// Has the hook print `stdout` and end with status `exit` (0 to 255).
    ///
    /// Returns whether it did: the relay closes the connection only after it has read the answer and
    /// written it out, and a relay that gave up before leaves the answer unread. Waits for that for at most
    /// two seconds, so it is for a task of its own.
    pub async fn answer(mut self, exit: i32, stdout: String) -> bool {
        let mut line = json!({ "exit": exit, "stdout": stdout }).to_string();
        line.push('\n');
        let delivery = async {
            self.stream.write_all(line.as_bytes()).await.is_ok()
                && socket::read_and_closed(&self.stream).await
        };
        timeout(DELIVERY, delivery).await.unwrap_or(false)
    }
}
