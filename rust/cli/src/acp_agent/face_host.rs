//! What the engine has as its host: events and lines go to the face, host calls to the filesystem. It is called on the
//! engine's loop, so nothing here waits for the client.

use std::sync::Arc;

use serde_json::Value;
use siderail_engine::acp::wire::RequestId;
use siderail_engine::acp_client::Outcome;
use siderail_engine::event::{AgentLog, Event, EventBody, LogKind};
use siderail_engine::guard::Tool;
use siderail_engine::host::{Host, HostCall, Surroundings};
use siderail_engine::tools::command::ClientTerminals;

use super::client_terminals::Terminals;
use super::shared::Shared;
use crate::host::FsHost;
use crate::style::one_line;

/// Characters of a notice.
const LINE: usize = 400;

/// The host: events and lines go to the face, host calls to the filesystem.
pub(super) struct FaceHost {
    pub(super) shared: Arc<Shared>,
    pub(super) files: FsHost,
    /// Notices of the engine that were printed ahead of its start.
    pub(super) told: Vec<String>,
}

impl Host for FaceHost {
    fn deliver(&self, event: Event) {
        if let Some(log) = &self.shared.log
            && let Ok(line) = serde_json::to_string(&event)
        {
            log.write(line + "\n");
        }
        // Clients show what an agent says on its error output, or keep it in a log.
        if let EventBody::AgentLog(AgentLog {
            kind: LogKind::Notice,
            text,
        }) = &event.body
            && !self.told.contains(text)
        {
            let notices = &self.shared.notices;
            notices.write(format!("note: {}\n", one_line(text, LINE)));
        }
        // The client has got these as the agent's lines.
        let is_passed = matches!(
            event.body,
            EventBody::AgentMessage(_) | EventBody::AgentThought(_)
        );
        if !is_passed {
            self.shared.act(|face| face.told(event));
        }
    }

    fn agent_line(&self, session: u64, line: &[u8]) {
        self.shared.act(|face| face.agent_says(session, line));
    }

    fn agent_chunks(&self, session: u64, lines: Vec<u8>) {
        self.shared.act(|face| face.agent_chunks(session, lines));
    }

    fn agent_answered(&self, session: u64, method: &str, outcome: &Outcome) {
        self.shared
            .act(|face| face.agent_answers(session, method, outcome));
    }

    fn start(&self, call: HostCall) {
        self.files.start(call);
    }

    fn cancel(&self, call: u64) {
        self.files.cancel(call);
    }

    fn tools(&self) -> Vec<Tool> {
        self.files.tools()
    }

    fn client_terminals(&self, session: u64) -> Option<Arc<dyn ClientTerminals>> {
        let has_terminals = self.shared.act(|face| face.has_terminals());
        let shared = Arc::clone(&self.shared);
        has_terminals.then(|| Arc::new(Terminals { shared, session }) as _)
    }

    fn ask_client(&self, session: u64, id: &RequestId, method: &str, params: &Value) {
        self.shared
            .act(|face| face.ask_for_agent(session, id, method, params));
    }

    fn close_client_requests(&self, session: u64) {
        self.shared
            .act(|face| face.close_requests_of_agent(session));
    }

    fn surroundings(&self) -> Surroundings {
        Surroundings::Files
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::mpsc::{Receiver, channel};
    use std::thread;
    use std::time::Duration;

    use parking_lot::Mutex;
    use siderail_engine::event::EVENT_VERSION;

    use super::super::agent_side::Face;
    use super::super::shared::Ends;
    use super::*;
    use crate::host::{FsSetup, NobodyToAsk};
    use crate::output::{MEMORY, Output};

    const LIMIT: Duration = Duration::from_secs(30);

    /// A client that reads nothing until the test drops the sender.
    struct Unread {
        released: Receiver<()>,
        read: Arc<Mutex<Vec<u8>>>,
    }

    impl Write for Unread {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.released.recv();
            self.read.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn notices_wait_for_nobody_to_read_them() {
        let (release, released) = channel();
        let read = Arc::default();
        let client = Unread {
            released,
            read: Arc::clone(&read),
        };
        let (works, _) = tokio::sync::mpsc::unbounded_channel();
        let start =
            |stream: Box<dyn Write + Send>| Output::start(stream, std::env::temp_dir(), MEMORY);
        let shared = Arc::new(Shared {
            ends: Mutex::new(Ends {
                face: Face::new("/p".into(), false, false),
                client: start(Box::new(io::sink())),
                works,
            }),
            notices: start(Box::new(client)),
            log: None,
        });
        let host = FaceHost {
            shared: Arc::clone(&shared),
            files: FsHost::new(FsSetup::new(Arc::new(NobodyToAsk)), |_, _| {}),
            told: vec!["told before".to_owned()],
        };
        let (done, delivered) = channel();
        thread::spawn(move || {
            for (seq, text) in (1..).zip(["told before", "one", "two"]) {
                let (kind, text) = (LogKind::Notice, text.to_owned());
                host.deliver(Event {
                    v: EVENT_VERSION,
                    seq,
                    t: 0.0,
                    session: 1,
                    turn: 0,
                    body: EventBody::AgentLog(AgentLog { kind, text }),
                });
            }
            let _ = done.send(());
        });
        let is_delivered = delivered.recv_timeout(LIMIT);
        drop(release);
        assert_eq!(is_delivered, Ok(()), "a notice waits for its reader");
        shared.notices.finish(LIMIT);
        assert_eq!(*read.lock(), b"note: one\nnote: two\n");
    }
}
