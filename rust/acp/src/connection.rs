//! One connection to an agent: which answer belongs to which request, and what an incoming message is.
//!
//! Plain data: [`Connection::handle`] takes a message and says what it means, the other methods give lines to be
//! sent. Nothing is answered twice and nothing that the agent asked is forgotten: what is open stays open until it is
//! answered or drained. No method blocks, none decides.

use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use siderail_wire::{Message, Outgoing, RequestId, RpcError, message};

use crate::client_request::{FsRequest, cancelled_elicitation, methods};
use crate::permission::Outcome;
use crate::update::SessionUpdateMessage;

/// The calls of one connection that are still open, in both directions. `T` is the caller's own note on each request
/// of ours.
#[derive(Debug)]
pub struct Connection<T> {
    outgoing: Outgoing<T>,
    incoming: siderail_wire::Incoming<OpenRequest>,
}

/// A request of the agent that has not been answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenRequest {
    /// The method that was called.
    pub method: String,
}

/// What a message of the agent means.
#[derive(Debug)]
pub enum Incoming<T> {
    /// The answer to a request of ours.
    Response {
        /// The request's id.
        id: u64,
        /// The caller's note on it.
        tag: T,
        /// Result or error.
        outcome: Result<Box<RawValue>, RpcError>,
    },
    /// A session changed.
    Update(Box<SessionUpdateMessage>),
    /// A permission is asked for; read it with [`crate::permission::PermissionRequest::read`].
    Permission {
        /// To be answered with an [`Outcome`], never with an error: that wedges Vibe and codex-zed.
        id: RequestId,
        /// The request's params.
        params: Box<RawValue>,
    },
    /// A file is to be read or written.
    Fs(FsRequest),
    /// A terminal is to be used; read it with [`crate::client_request::TerminalRequest::read`].
    Terminal {
        /// To be answered.
        id: RequestId,
        /// `terminal/create` and so on.
        method: String,
        /// The request's params.
        params: Box<RawValue>,
    },
    /// The user is asked a question.
    Elicitation {
        /// To be answered with `{"action": …}`.
        id: RequestId,
        /// The request's params.
        params: Box<RawValue>,
    },
    /// The agent no longer wants the answer to one of its open requests. It still gets one:
    /// [`Connection::answer_cancelled`].
    Cancelled {
        /// The request.
        id: RequestId,
    },
    /// A method outside the protocol's core, with and without leading underscore. A request has to be answered, by
    /// [`Connection::answer_error`] when nobody knows it; a notification may be ignored.
    Extension {
        /// Set for a request.
        id: Option<RequestId>,
        /// The method.
        method: String,
        /// The params, where there are any.
        params: Option<Box<RawValue>>,
    },
    /// Nothing to do: a late, repeated or foreign response, an error that belongs to no request, or the like.
    Ignored {
        /// For the log.
        why: String,
    },
    /// A message of the core whose params cannot be read.
    BadParams {
        /// Set for a request; it counts as answered once `answer` is sent.
        id: Option<RequestId>,
        /// The line to send; empty for a notification.
        answer: Vec<u8>,
        /// For the log.
        why: String,
    },
}

impl<T> Default for Connection<T> {
    fn default() -> Self {
        Self {
            outgoing: Outgoing::default(),
            incoming: siderail_wire::Incoming::default(),
        }
    }
}

impl<T> Connection<T> {
    /// A connection on which nothing has been said.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes a request: its id, and the line to send.
    pub fn request(&mut self, method: &str, params: &impl Serialize, tag: T) -> (u64, Vec<u8>) {
        let id = self.outgoing.register(tag);
        (id, message::request(id, method, params))
    }

    /// Gives up waiting for an answer: the caller's note, and the `$/cancel_request` line to send. `None` when the
    /// answer has come already. A late answer will be ignored.
    pub fn abandon(&mut self, id: u64) -> Option<(T, Vec<u8>)> {
        let tag = self.outgoing.cancel(id)?;
        Some((
            tag,
            message::notification(methods::CANCEL_REQUEST, &json!({"requestId": id})),
        ))
    }

    /// Our requests that wait for an answer.
    pub fn n_waiting(&self) -> usize {
        self.outgoing.len()
    }

    /// Says what a message means.
    pub fn handle(&mut self, message: Message) -> Incoming<T> {
        match message {
            Message::Response { id, outcome } => self.handle_response(id, outcome),
            Message::Notification { method, params } => self.handle_notification(method, params),
            Message::Request { id, method, params } => self.handle_request(id, method, params),
        }
    }

    /// The line that answers an open request; `None` when it is answered already or was never asked.
    pub fn answer(&mut self, id: &RequestId, result: &impl Serialize) -> Option<Vec<u8>> {
        self.incoming
            .complete(id)
            .map(|_| message::result(id, result))
    }

    /// The line that answers an open request with an error; `None` as for [`Self::answer`].
    pub fn answer_error(&mut self, id: &RequestId, error: &RpcError) -> Option<Vec<u8>> {
        self.incoming
            .complete(id)
            .map(|_| message::error(id, error))
    }

    /// The line that answers an open request with an error of bare text, for Gemini's file accesses
    /// (see [`message::error_text`]); `None` as for [`Self::answer`].
    pub fn answer_error_text(&mut self, id: &RequestId, text: &str) -> Option<Vec<u8>> {
        self.incoming
            .complete(id)
            .map(|_| message::error_text(id, text))
    }

    /// The line that closes an open request without having done it: `cancelled` for permissions, `cancel` for
    /// elicitations, -32800 for the rest; `None` as for [`Self::answer`].
    pub fn answer_cancelled(&mut self, id: &RequestId) -> Option<Vec<u8>> {
        self.incoming
            .complete(id)
            .map(|request| cancelled_line(id, &request))
    }

    /// The agent's requests that are not answered yet, oldest first.
    pub fn open_requests(&self) -> impl Iterator<Item = (&RequestId, &OpenRequest)> {
        self.incoming.iter()
    }

    /// Closes everything the agent has open: the lines to send, oldest request first.
    pub fn drain_open(&mut self) -> Vec<Vec<u8>> {
        self.incoming
            .drain()
            .iter()
            .map(|(id, request)| cancelled_line(id, request))
            .collect()
    }

    fn handle_response(
        &mut self,
        id: RequestId,
        outcome: Result<Box<RawValue>, RpcError>,
    ) -> Incoming<T> {
        match (id.as_u64(), self.outgoing.complete(&id), outcome) {
            (Some(id), Some(tag), outcome) => Incoming::Response { id, tag, outcome },
            (_, _, Err(error)) if id.is_null() => Incoming::Ignored {
                why: format!("the agent reports an error that belongs to no request: {error}"),
            },
            _ => Incoming::Ignored {
                why: format!("the response to request {id} is late, repeated or foreign"),
            },
        }
    }

    fn handle_notification(
        &mut self,
        method: String,
        params: Option<Box<RawValue>>,
    ) -> Incoming<T> {
        let raw = params.as_deref().unwrap_or(RawValue::NULL);
        match method.as_str() {
            methods::UPDATE => match SessionUpdateMessage::read(raw) {
                Ok(update) => Incoming::Update(Box::new(update)),
                Err(failure) => Incoming::BadParams {
                    id: None,
                    answer: Vec::new(),
                    why: format!("a {method} cannot be read: {failure}"),
                },
            },
            methods::CANCEL_REQUEST => match cancelled_id(raw) {
                Some(id) if self.incoming.get(&id).is_some() => Incoming::Cancelled { id },
                _ => Incoming::Ignored {
                    why: format!("{method} names no open request: {raw}"),
                },
            },
            _ => Incoming::Extension {
                id: None,
                method,
                params,
            },
        }
    }

    fn handle_request(
        &mut self,
        id: RequestId,
        method: String,
        params: Option<Box<RawValue>>,
    ) -> Incoming<T> {
        if self
            .incoming
            .register(
                id.clone(),
                OpenRequest {
                    method: method.clone(),
                },
            )
            .is_err()
        {
            // Any answer would be taken for the answer to the first request of that id.
            return Incoming::Ignored {
                why: format!("{method} came with the id {id}, which is still open"),
            };
        }
        if !is_core_request(&method) {
            return Incoming::Extension {
                id: Some(id),
                method,
                params,
            };
        }
        let Some(params) = params else {
            return self.bad_params(id, &method, &RpcError::invalid_params("there are none"));
        };
        match method.as_str() {
            methods::REQUEST_PERMISSION => Incoming::Permission { id, params },
            methods::CREATE_ELICITATION => Incoming::Elicitation { id, params },
            methods::READ_TEXT_FILE | methods::WRITE_TEXT_FILE => {
                match FsRequest::read(id.clone(), &method, &params) {
                    Ok(request) => Incoming::Fs(request),
                    Err(error) => self.bad_params(id, &method, &error),
                }
            }
            _ => Incoming::Terminal { id, method, params },
        }
    }

    fn bad_params(&mut self, id: RequestId, method: &str, error: &RpcError) -> Incoming<T> {
        self.incoming.complete(&id);
        let answer = match method {
            methods::REQUEST_PERMISSION => message::result(&id, &Outcome::Cancelled),
            _ => message::error(&id, error),
        };
        Incoming::BadParams {
            id: Some(id),
            answer,
            why: format!("a {method} cannot be read: {error}"),
        }
    }
}

/// Whether a request of this method is one of the protocol's core, and no [`Incoming::Extension`].
pub fn is_core_request(method: &str) -> bool {
    matches!(
        method,
        methods::REQUEST_PERMISSION
            | methods::READ_TEXT_FILE
            | methods::WRITE_TEXT_FILE
            | methods::CREATE_ELICITATION
    ) || method.starts_with(methods::TERMINAL_PREFIX)
}

fn cancelled_line(id: &RequestId, request: &OpenRequest) -> Vec<u8> {
    match request.method.as_str() {
        methods::REQUEST_PERMISSION => message::result(id, &Outcome::Cancelled),
        methods::CREATE_ELICITATION => message::result(id, &cancelled_elicitation()),
        _ => message::error(id, &RpcError::cancelled()),
    }
}

/// The `requestId` of a `$/cancel_request`, as it was written.
fn cancelled_id(params: &RawValue) -> Option<RequestId> {
    #[derive(Deserialize)]
    struct Params<'a> {
        #[serde(rename = "requestId", borrow)]
        request_id: &'a RawValue,
    }
    RequestId::from_raw(
        serde_json::from_str::<Params<'_>>(params.get())
            .ok()?
            .request_id,
    )
}
