//! The agent's end of the connection: writes lines, and waits for the client's answers.
//!
//! Many threads write; a line is written whole under one lock, where the faults (see
//! [`crate::faults`]) get at it. Knows requests and answers, but not what they mean.

use std::collections::HashMap;
use std::io::Write;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value, json};
use siderail_wire::{RequestId, RpcError};

use crate::faults::{AnswerFault, Faults, Once};
use crate::rng::Rng;
use crate::shape::RequestIds;

/// The outcome of a request of ours.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// The client's result.
    Result(Value),
    /// The client's error.
    Error(RpcError),
    /// The client rejected by another way, with a reason for the model.
    Feedback(String),
    /// The session was cancelled while we waited.
    Cancelled,
    /// The client's end of the line is closed.
    Closed,
}

/// An open request.
#[derive(Debug)]
pub(crate) struct Call {
    key: String,
    replies: Receiver<Reply>,
}

struct Open {
    session: String,
    method: String,
    id: Value,
    replies: Sender<Reply>,
}

/// The connection.
pub(crate) struct Peer {
    out: Arc<Mutex<Out>>,
    open: Mutex<HashMap<String, Open>>,
    ids: RequestIds,
}

struct Out {
    writer: Box<dyn Write + Send>,
    faults: Faults,
    rng: Rng,
    next_id: u64,
    numbers: Option<HashMap<String, u64>>,
}

/// Unlocks even after a panic elsewhere: the data are plain tables.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Peer {
    /// A connection that writes to `writer`.
    #[must_use]
    pub(crate) fn new(
        writer: Box<dyn Write + Send>,
        ids: RequestIds,
        faults: Faults,
        rng: Rng,
        numbered: bool,
    ) -> Self {
        let numbers = numbered.then(HashMap::new);
        let out = Out {
            writer,
            faults,
            rng,
            next_id: 0,
            numbers,
        };
        Self {
            out: Arc::new(Mutex::new(out)),
            open: Mutex::default(),
            ids,
        }
    }

    /// A new UUID from the run's randomness.
    #[must_use]
    pub(crate) fn uuid(&self) -> String {
        lock(&self.out).rng.uuid()
    }

    /// Changes the faults from here on.
    pub(crate) fn with_faults<R>(&self, change: impl FnOnce(&mut Faults) -> R) -> R {
        change(&mut lock(&self.out).faults)
    }

    /// Sends one message as it is.
    pub(crate) fn send(&self, message: &Value) {
        let mut out = lock(&self.out);
        out.write_message(message);
    }

    /// Writes bytes as they are; the caller ends the line.
    pub(crate) fn send_raw(&self, bytes: &[u8]) {
        let mut out = lock(&self.out);
        out.write(bytes);
    }

    /// Sends a notification.
    pub(crate) fn notify(&self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a session update, numbered where that was asked for.
    pub(crate) fn update(&self, session: &str, update: Value, meta: Option<&Value>) {
        let mut out = lock(&self.out);
        let (ahead, twice) = out.faults.update(session, &update);
        for extra in ahead {
            out.update(session, extra, None);
        }
        let again = twice.then(|| update.clone());
        out.update(session, update, meta);
        if let Some(again) = again {
            out.update(session, again, meta);
        }
    }

    /// Commits a fault that happens once.
    pub(crate) fn commit(&self, once: &Once) {
        lock(&self.out).commit(once);
    }

    /// Answers a request of the client.
    pub(crate) fn respond(&self, id: &RequestId, outcome: Result<&Value, &Value>) {
        let id: Value = serde_json::from_str(id.as_json()).expect("a request id is JSON");
        let (member, value) = match outcome {
            Ok(result) => ("result", result),
            Err(error) => ("error", error),
        };
        let mut message = Map::new();
        message.insert("jsonrpc".into(), "2.0".into());
        if self.ids == RequestIds::Number {
            message.insert("id".into(), id.clone());
        }
        message.insert(member.into(), value.clone());
        if self.ids == RequestIds::UuidLast {
            message.insert("id".into(), id);
        }
        self.answer(Value::Object(message));
    }

    fn answer(&self, message: Value) {
        let fault = lock(&self.out).faults.answer();
        match fault {
            AnswerFault::None => self.send(&message),
            AnswerFault::Missing => {}
            AnswerFault::Twice => {
                self.send(&message);
                self.send(&message);
            }
            AnswerFault::Late(delay) => {
                let out = Arc::clone(&self.out);
                std::thread::spawn(move || {
                    std::thread::sleep(delay);
                    lock(&out).write_message(&message);
                });
            }
        }
    }

    /// Sends a request and keeps a place for its answer.
    pub(crate) fn request(&self, session: &str, method: &str, params: Value) -> Call {
        self.request_on(session, method, params, mpsc::channel())
    }

    /// Sends a request whose answer may also come by the channel that the caller knows.
    pub(crate) fn request_on(
        &self,
        session: &str,
        method: &str,
        params: Value,
        (replies, receiver): (Sender<Reply>, Receiver<Reply>),
    ) -> Call {
        let mut out = lock(&self.out);
        let id = out.next_id(self.ids);
        let key = id.to_string();
        let open = Open {
            session: session.into(),
            method: method.into(),
            id: id.clone(),
            replies,
        };
        lock(&self.open).insert(key.clone(), open);
        let message = match self.ids {
            RequestIds::Number => {
                json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
            }
            RequestIds::UuidLast => {
                json!({"jsonrpc": "2.0", "method": method, "params": params, "id": id})
            }
        };
        out.write_message(&message);
        Call {
            key,
            replies: receiver,
        }
    }

    /// Hands an answer of the client to the thread that waits; false if none does.
    pub(crate) fn answered(&self, id: &RequestId, reply: Reply) -> bool {
        let Some(open) = lock(&self.open).remove(id.as_json()) else {
            return false;
        };
        // The waiting thread may have given up; then the answer is late and nobody needs it.
        drop(open.replies.send(reply));
        true
    }

    /// Waits for the answer.
    pub(crate) fn wait(&self, call: &Call) -> Reply {
        call.replies.recv().unwrap_or(Reply::Closed)
    }

    /// Waits for the answer at most this long.
    pub(crate) fn wait_for(&self, call: &Call, limit: Duration) -> Option<Reply> {
        let reply = call.replies.recv_timeout(limit).ok();
        if reply.is_none() {
            lock(&self.open).remove(&call.key);
        }
        reply
    }

    /// Ids of the session's open permission requests.
    #[must_use]
    pub(crate) fn open_permissions(&self, session: &str) -> Vec<Value> {
        let is_open =
            |open: &&Open| open.session == session && open.method == "session/request_permission";
        lock(&self.open)
            .values()
            .filter(is_open)
            .map(|open| open.id.clone())
            .collect()
    }

    /// Wakes everybody who waits for an answer in this session; the ids stay known as closed.
    pub(crate) fn cancel(&self, session: &str, permissions_too: bool) {
        lock(&self.open).retain(|_, open| {
            let is_permission = open.method == "session/request_permission";
            let wakes = open.session == session && (permissions_too || !is_permission);
            if wakes {
                drop(open.replies.send(Reply::Cancelled));
            }
            !wakes
        });
    }

    /// Wakes everybody: the client is gone.
    pub(crate) fn close(&self) {
        for (_, open) in lock(&self.open).drain() {
            drop(open.replies.send(Reply::Closed));
        }
    }
}

impl Out {
    fn write_message(&mut self, message: &Value) {
        let mut line = serde_json::to_vec(message).expect("a JSON value is serialisable");
        line.push(b'\n');
        self.write(&line);
    }

    fn update(&mut self, session: &str, mut update: Value, meta: Option<&Value>) {
        if let Some(number) = self.next_number(session) {
            number_update(&mut update, number);
        }
        let mut params = json!({"sessionId": session, "update": update});
        if let Some(meta) = meta {
            params["_meta"] = meta.clone();
        }
        let message = json!({"jsonrpc": "2.0", "method": "session/update", "params": params});
        self.write_message(&message);
    }

    fn commit(&mut self, once: &Once) {
        // As in write: a client that is gone shows elsewhere.
        drop(self.faults.commit(once, &mut self.writer));
    }

    fn write(&mut self, line: &[u8]) {
        // A client that is gone shows as the end of stdin; a failing write says nothing new.
        drop(self.faults.write(&mut self.writer, line));
    }

    fn next_id(&mut self, ids: RequestIds) -> Value {
        let number = self.next_id;
        self.next_id += 1;
        match self.faults.request_id(number) {
            Some(odd) => odd,
            None if ids == RequestIds::UuidLast => self.rng.uuid().into(),
            None => number.into(),
        }
    }

    fn next_number(&mut self, session: &str) -> Option<u64> {
        let number = self
            .numbers
            .as_mut()?
            .entry(session.to_owned())
            .or_default();
        *number += 1;
        Some(*number)
    }
}

/// Puts the number where a client shows it (texts) and where a test reads it (`_meta.n`).
fn number_update(update: &mut Value, number: u64) {
    update["_meta"]["n"] = number.into();
    if let Some(Value::String(text)) = update.pointer_mut("/content/text") {
        let rest = std::mem::take(text);
        *text = if rest.is_empty() {
            format!("n:{number}")
        } else {
            format!("n:{number} {rest}")
        };
    }
}
