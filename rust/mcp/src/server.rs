//! One connection's side of the protocol: lines in, lines and calls out. No input or output of its own.
//!
//! Serves the versions with a handshake and the stateless one (2026-07-28) at the same time, and
//! never insists on an order: real clients probe, cancel their probe, skip the handshake or repeat
//! it. Nothing that a client sends ends the connection; a message that cannot be understood is
//! answered with an error and skipped. `version` has the differences between the versions,
//! `arguments` the rules for a call's arguments.

mod open_calls;

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use siderail_wire::{self as wire, Line, Message, RequestId, RpcError, codes};

use crate::arguments::{self, Prepared};
pub use crate::info::ServerInfo;
use crate::result::{CallResult, ERROR_CHARS, RESULT_CHARS, cap};
use crate::tool::ToolDefinition;
use crate::version::{self, Era, ToolResult};

pub use open_calls::CallKey;
use open_calls::OpenCalls;

/// Room for what a tool writes around a page: a code, a heading, how to get the next one.
const HEADING: usize = 500;

/// What one connection may ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest line that is read, in bytes.
    pub line_bytes: usize,
    /// Calls that may run at the same time.
    pub calls: usize,
    /// Longest result, in characters; what is longer is cut with a note. A net below the tools'
    /// own paging, so by default there is room for the longest page that a tool gives on request.
    pub result_chars: usize,
    /// Longest error result, in characters.
    pub error_chars: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            line_bytes: 16 * 1024 * 1024,
            calls: 64,
            result_chars: 3 * RESULT_CHARS + HEADING,
            error_chars: ERROR_CHARS + HEADING,
        }
    }
}

/// A call that somebody has to answer.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCallRequest {
    /// Goes into [`Server::complete`].
    pub key: CallKey,
    /// An offered tool.
    pub name: String,
    /// An object that fits the tool's schema in names and types.
    pub arguments: Value,
    /// The request's `_meta`, where agents put their own id of the call.
    pub meta: Option<Value>,
}

/// What follows from a line.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// To be written, newline included.
    Send(Vec<u8>),
    /// To be performed.
    Call(ToolCallRequest),
    /// A call of this tool was answered here, with an error: nobody is to perform it.
    Refused(String),
    /// The client no longer wants this call; it must not be answered, and nothing would be sent.
    Cancelled(CallKey),
    /// The client asked for tools for the first time: it is not a mere probe.
    Started,
}

/// The protocol state of one connection.
#[derive(Debug)]
pub struct Server {
    info: ServerInfo,
    tools: Arc<[ToolDefinition]>,
    limits: Limits,
    started: bool,
    open: OpenCalls,
}

/// A request, taken apart.
struct Request {
    id: RequestId,
    era: Era,
    params: Map<String, Value>,
}

/// Params of `notifications/cancelled`. The id as it was sent: it is compared as text.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cancelled<'a> {
    #[serde(borrow)]
    request_id: &'a RawValue,
}

impl Server {
    /// Starts a connection that offers `tools`.
    pub fn new(info: ServerInfo, tools: Arc<[ToolDefinition]>, limits: Limits) -> Self {
        Self {
            info,
            tools,
            limits,
            started: false,
            open: OpenCalls::default(),
        }
    }

    /// The limits that this connection was started with.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// How many calls wait for their answer.
    pub fn n_open(&self) -> usize {
        self.open.len()
    }

    /// Takes one line of the client.
    pub fn handle_line(&mut self, line: Line) -> Vec<Output> {
        let message = match line {
            Line::Message(bytes) => wire::parse(&bytes),
            Line::TooLong { bytes, request } => {
                let limit = self.limits.line_bytes;
                let what = format!(
                    "the message has {bytes} bytes and may have {limit}; nothing was done, send less at a time"
                );
                let id = request.unwrap_or_else(RequestId::null);
                let error = RpcError::new(codes::INVALID_REQUEST, what);
                return vec![Output::Send(wire::error(&id, &error))];
            }
        };
        match message {
            Ok(Message::Request { id, .. }) if id.is_null() => {
                vec![orphan_error(
                    codes::INVALID_REQUEST,
                    "a request needs an id that is not null",
                )]
            }
            Ok(Message::Request { id, method, params }) => {
                self.handle_request(id, &method, params.as_deref())
            }
            Ok(Message::Notification { method, params }) => {
                self.handle_notification(&method, params.as_deref())
            }
            // We ask clients nothing, so this answers nothing.
            Ok(Message::Response { .. }) => Vec::new(),
            Err(failure) => {
                let (id, error) = failure.answer();
                vec![Output::Send(wire::error(&id, &error))]
            }
        }
    }

    /// The line that answers a call; `None` when it was answered or cancelled before.
    pub fn complete(&mut self, key: CallKey, result: CallResult) -> Option<Vec<u8>> {
        let call = self.open.take(key)?;
        Some(self.tool_result(&call.id, call.era, result, call.note))
    }

    /// The line that reports progress; `None` when the client did not ask for it, when the call is
    /// answered, or when `done` does not rise.
    pub fn progress(
        &mut self,
        key: CallKey,
        done: f64,
        total: Option<f64>,
        message: &str,
    ) -> Option<Vec<u8>> {
        let token = self.open.progress(key, done)?;
        let mut params = json!({ "progressToken": token, "progress": done });
        if let Some(total) = total.filter(|total| total.is_finite()) {
            params["total"] = total.into();
        }
        if !message.is_empty() {
            params["message"] = message.into();
        }
        Some(wire::notification("notifications/progress", &params))
    }

    /// Forgets all open calls, as for a connection that is over. None of them can be answered then.
    pub fn cancel_all(&mut self) -> Vec<CallKey> {
        self.open.clear()
    }

    fn handle_request(
        &mut self,
        id: RequestId,
        method: &str,
        params: Option<&RawValue>,
    ) -> Vec<Output> {
        if self.open.key_of(&id).is_some() {
            let what = format!("the id {id} belongs to a call that is still running");
            return vec![orphan_error(codes::INVALID_REQUEST, what)];
        }
        let params = match parse_params(params) {
            Ok(params) => params,
            Err(error) => return vec![Output::Send(wire::error(&id, &error))],
        };
        let meta = params.get("_meta").and_then(Value::as_object);
        let era = match version::era(method, meta) {
            Ok(era) => era,
            Err(error) => return vec![Output::Send(wire::error(&id, &error))],
        };
        let wants_tools = matches!(method, "tools/list" | "tools/call");
        let first = wants_tools && !std::mem::replace(&mut self.started, true);
        let request = Request { id, era, params };
        let answers = match method {
            "tools/call" => self.call_tool(request),
            _ => vec![Output::Send(self.answer(method, &request))],
        };
        first
            .then_some(Output::Started)
            .into_iter()
            .chain(answers)
            .collect()
    }

    /// Answers what needs nobody else.
    fn answer(&self, method: &str, request: &Request) -> Vec<u8> {
        let Request { id, era, params } = request;
        match (method, era) {
            ("initialize", Era::Legacy) => {
                wire::result(id, &version::initialize(&self.info, params))
            }
            ("ping", Era::Legacy) => wire::result(id, &json!({})),
            ("server/discover", _) => wire::result(id, &version::discover(&self.info)),
            ("subscriptions/listen", _) => acknowledge_subscription(id),
            // All tools fit one page, so no cursor was ever given out.
            ("tools/list", _) if params.get("cursor").is_some_and(|cursor| !cursor.is_null()) => {
                wire::error(id, &RpcError::invalid_params("unknown cursor"))
            }
            ("tools/list", _) => {
                wire::result(id, &version::tool_list(*era, &self.info, &self.tools))
            }
            _ => wire::error(id, &RpcError::method_not_found(method)),
        }
    }

    fn handle_notification(&mut self, method: &str, params: Option<&RawValue>) -> Vec<Output> {
        if method != "notifications/cancelled" {
            return Vec::new();
        }
        // An id that is not known was answered already, or belonged to a probe.
        params
            .and_then(|params| serde_json::from_str::<Cancelled<'_>>(params.get()).ok())
            .and_then(|cancelled| RequestId::from_raw(cancelled.request_id))
            .and_then(|id| self.open.key_of(&id))
            .and_then(|key| self.open.take(key).map(|_| Output::Cancelled(key)))
            .into_iter()
            .collect()
    }

    /// A call to be performed, or its answer where it cannot be; then whose call that was comes first.
    fn call_tool(&mut self, request: Request) -> Vec<Output> {
        let Request {
            id,
            era,
            mut params,
        } = request;
        let Some(Value::String(name)) = params.remove("name") else {
            let error = RpcError::invalid_params("tools/call needs the name of a tool");
            return vec![Output::Send(wire::error(&id, &error))];
        };
        let refused = |name, answer| vec![Output::Refused(name), Output::Send(answer)];
        let Some(tool) = self.tools.iter().find(|tool| tool.name == name) else {
            let error = RpcError::invalid_params(format!("unknown tool: {name}"));
            return refused(name, wire::error(&id, &error));
        };
        if self.open.len() >= self.limits.calls {
            let what = format!(
                "{} calls are running already and this one was not started; make it again when \
                 one of them has been answered",
                self.limits.calls
            );
            let result = CallResult::failure("BUSY", what);
            return refused(name, self.tool_result(&id, era, result, None));
        }
        match arguments::prepare(&tool.input_schema, params.remove("arguments")) {
            Ok(Prepared { arguments, note }) => {
                let meta = params.remove("_meta");
                let key = self.open.add(id, era, meta.as_ref(), note);
                vec![Output::Call(ToolCallRequest {
                    key,
                    name,
                    arguments,
                    meta,
                })]
            }
            Err(result) => refused(name, self.tool_result(&id, era, result, None)),
        }
    }

    fn tool_result(
        &self,
        id: &RequestId,
        era: Era,
        result: CallResult,
        note: Option<String>,
    ) -> Vec<u8> {
        let CallResult { text, is_error } = result;
        let limit = if is_error {
            self.limits.error_chars
        } else {
            self.limits.result_chars
        };
        let text = cap(
            text,
            limit,
            "ask for a smaller part, by a narrower path, range or limit",
        );
        let text = match note {
            // An error still has to begin with its code.
            Some(note) if is_error => format!("{text}\n{note}"),
            Some(note) => format!("{note}\n{text}"),
            None => text,
        };
        let result = CallResult { text, is_error };
        wire::result(id, &ToolResult::new(era, &self.info, &result))
    }
}

/// Says which notices a subscription will bring: none, as the tool list does not change. The
/// request stays open until the client cancels it, so it is never answered (MCP 2026-07-28,
/// subscriptions).
fn acknowledge_subscription(id: &RequestId) -> Vec<u8> {
    let params = json!({
        "_meta": { "io.modelcontextprotocol/subscriptionId": id },
        "notifications": {},
    });
    wire::notification("notifications/subscriptions/acknowledged", &params)
}

fn parse_params(params: Option<&RawValue>) -> Result<Map<String, Value>, RpcError> {
    match params.map(|raw| serde_json::from_str(raw.get())) {
        None | Some(Ok(Value::Null)) => Ok(Map::new()),
        Some(Ok(Value::Object(members))) => Ok(members),
        Some(Ok(_)) => Err(RpcError::invalid_params("params must be an object")),
        Some(Err(error)) => Err(RpcError::invalid_params(error)),
    }
}

/// An error for something that has no id we could answer to.
fn orphan_error(code: i64, what: impl ToString) -> Output {
    Output::Send(wire::error(
        &RequestId::null(),
        &RpcError::new(code, what.to_string()),
    ))
}
