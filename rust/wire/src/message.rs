//! One JSON-RPC 2.0 message a line: read from it, written to it.
//!
//! Only the envelope is parsed; `params` and `result` stay the bytes they were, so that nothing a peer sent is lost or
//! reordered, and fields are read from there. Reading is lenient in everything that real peers do (`id` behind
//! `result`, errors as bare text, no `id` at all), writing is strict.

use std::fmt;

use memchr::memchr2;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::error::{RpcError, codes};

/// Largest integer that a float holds exactly.
const EXACT_FLOAT: f64 = 9_007_199_254_740_992.0;

/// Identifies a request: the JSON text as its sender wrote it (`1`, `1.0`, `"a"`, `null`), echoed verbatim.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct RequestId(Box<str>);

impl RequestId {
    /// The id of one of our own requests.
    pub fn from_u64(id: u64) -> Self {
        Self(id.to_string().into())
    }

    /// The id of an error that belongs to no request, and of a request that has `"id": null`.
    pub fn null() -> Self {
        Self("null".into())
    }

    /// The id as one of our own numbers; some peers echo `1` as `1.0`.
    pub fn as_u64(&self) -> Option<u64> {
        if let Ok(id) = self.0.parse::<u64>() {
            return Some(id);
        }
        let float = self.0.parse::<f64>().ok()?;
        (float.fract() == 0.0 && (0.0..=EXACT_FLOAT).contains(&float)).then_some(float as u64)
    }

    /// The JSON text.
    pub fn as_json(&self) -> &str {
        &self.0
    }

    /// Whether the peer sent `null` or, in a response, no id at all.
    pub fn is_null(&self) -> bool {
        &*self.0 == "null"
    }

    /// Reads an id; `None` for an object, an array or a boolean.
    pub fn from_raw(raw: &RawValue) -> Option<Self> {
        let text = raw.get();
        let first = text.as_bytes().first()?;
        (matches!(first, b'"' | b'-' | b'0'..=b'9') || text == "null").then(|| Self(text.into()))
    }
}

impl fmt::Debug for RequestId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "RequestId({})", self.0)
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Serialize for RequestId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(&self.0).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

/// A message of the other side.
#[derive(Clone, Debug)]
pub enum Message {
    /// Wants an answer with the same id.
    Request {
        /// To be echoed verbatim.
        id: RequestId,
        /// The method's name.
        method: String,
        /// As sent; `None` when absent.
        params: Option<Box<RawValue>>,
    },
    /// Wants no answer.
    Notification {
        /// The method's name.
        method: String,
        /// As sent; `None` when absent.
        params: Option<Box<RawValue>>,
    },
    /// Answers one of our requests, or complains about something that was none.
    Response {
        /// The request's id; null when the peer sent none.
        id: RequestId,
        /// The result as sent, or the error.
        outcome: Result<Box<RawValue>, RpcError>,
    },
}

/// Why a line is not a message. None of these ends a connection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseFailure {
    /// The line is not text.
    #[error("the line is not UTF-8")]
    NotUtf8,
    /// The line is not JSON; a banner or a log line, most likely.
    #[error("the line is not JSON: {0}")]
    NotJson(String),
    /// A JSON array: batches are in neither ACP nor MCP since 2025-06-18.
    #[error("the line is a batch, which is not supported")]
    Batch,
    /// JSON, but a number, a text or the like.
    #[error("the line is JSON but no object")]
    NotAnObject,
    /// Neither `method` nor `result` nor `error`.
    #[error("the message has neither method nor result nor error")]
    NoMethod {
        /// The message's id, null where it has none.
        id: RequestId,
    },
    /// `id` is an object, an array or a boolean.
    #[error("the message's id is neither number nor text nor null")]
    BadId,
}

impl ParseFailure {
    /// The answer to such a line: to which request, as far as that can be seen, and what is wrong.
    pub fn answer(&self) -> (RequestId, RpcError) {
        let code = match self {
            Self::NotUtf8 | Self::NotJson(_) => codes::PARSE_ERROR,
            _ => codes::INVALID_REQUEST,
        };
        let id = match self {
            Self::NoMethod { id } => id.clone(),
            _ => RequestId::null(),
        };
        (id, RpcError::new(code, self.to_string()))
    }
}

/// Reads the message on a line. Unknown members are ignored, the order of members does not matter, and of a
/// member that is there twice the last counts.
pub fn parse(line: &[u8]) -> Result<Message, ParseFailure> {
    let text = std::str::from_utf8(line).map_err(|_| ParseFailure::NotUtf8)?;
    let not_json = |failure: serde_json::Error| ParseFailure::NotJson(failure.to_string());
    match text.trim_ascii_start().as_bytes().first() {
        Some(b'{') => serde_json::from_str::<Envelope<'_>>(text)
            .map_err(not_json)?
            .into_message(),
        first => {
            // A log line such as "[info] ready" starts like a batch, so the bracket alone says nothing.
            serde_json::from_str::<IgnoredAny>(text).map_err(not_json)?;
            Err(if first == Some(&b'[') {
                ParseFailure::Batch
            } else {
                ParseFailure::NotAnObject
            })
        }
    }
}

/// The members that count, as written in the line. Its own `Deserialize`, because a derived one refuses members that
/// are there twice and cannot distinguish `null` from absent.
#[derive(Default)]
struct Envelope<'a> {
    id: Option<&'a RawValue>,
    method: Option<&'a RawValue>,
    params: Option<&'a RawValue>,
    result: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
}

impl Envelope<'_> {
    fn into_message(self) -> Result<Message, ParseFailure> {
        let id = self
            .id
            .map(|raw| RequestId::from_raw(raw).ok_or(ParseFailure::BadId))
            .transpose()?;
        if let Some(method) = self
            .method
            .and_then(|raw| serde_json::from_str::<String>(raw.get()).ok())
        {
            let params = self.params.map(ToOwned::to_owned);
            return Ok(match id {
                Some(id) => Message::Request { id, method, params },
                None => Message::Notification { method, params },
            });
        }
        let error = self.error.filter(|raw| raw.get() != "null");
        let outcome = match (error, self.result.or(self.error)) {
            (Some(error), _) => Err(RpcError::from_raw(error)),
            (None, Some(result)) => Ok(result.to_owned()),
            (None, None) => {
                let id = id.unwrap_or_else(RequestId::null);
                return Err(ParseFailure::NoMethod { id });
            }
        };
        Ok(Message::Response {
            id: id.unwrap_or_else(RequestId::null),
            outcome,
        })
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Envelope<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Envelope<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a JSON-RPC message")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
                let mut envelope = Envelope::default();
                while let Some(member) = members.next_key::<Member>()? {
                    match member {
                        Member::Id => envelope.id = Some(members.next_value()?),
                        Member::Method => envelope.method = Some(members.next_value()?),
                        Member::Params => envelope.params = Some(members.next_value()?),
                        Member::Result => envelope.result = Some(members.next_value()?),
                        Member::Error => envelope.error = Some(members.next_value()?),
                        Member::Other => {
                            members.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(envelope)
            }
        }
        deserializer.deserialize_map(Members)
    }
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Member {
    Id,
    Method,
    Params,
    Result,
    Error,
    #[serde(other)]
    Other,
}

/// The line of a request of ours, newline included.
///
/// # Panics
/// When `params` cannot be written as JSON, which plain data with text keys always can; so do the others below.
pub fn request(id: u64, method: &str, params: &impl Serialize) -> Vec<u8> {
    Writer::new()
        .member("id", &id)
        .member("method", method)
        .member("params", params)
        .finish()
}

/// The line of a notification, newline included.
pub fn notification(method: &str, params: &impl Serialize) -> Vec<u8> {
    Writer::new()
        .member("method", method)
        .member("params", params)
        .finish()
}

/// The line that answers a request with a result, newline included.
pub fn result(id: &RequestId, result: &impl Serialize) -> Vec<u8> {
    Writer::new()
        .member("id", id)
        .member("result", result)
        .finish()
}

/// The line that answers a request with an error, newline included.
pub fn error(id: &RequestId, error: &RpcError) -> Vec<u8> {
    Writer::new()
        .member("id", id)
        .member("error", error)
        .finish()
}

/// The line that answers a request with an error whose `error` member is a bare text, newline included.
///
/// Not JSON-RPC, but the only form in which Gemini CLI hands the text of a refused file access to its model: an
/// error object arrives there as "[object Object]".
pub fn error_text(id: &RequestId, text: &str) -> Vec<u8> {
    Writer::new()
        .member("id", id)
        .member("error", text)
        .finish()
}

/// Writes one message member by member, in the order in which people read them.
struct Writer(Vec<u8>);

impl Writer {
    fn new() -> Self {
        Self(br#"{"jsonrpc":"2.0""#.to_vec())
    }

    fn member(mut self, name: &str, value: &(impl Serialize + ?Sized)) -> Self {
        self.0.extend_from_slice(b",\"");
        self.0.extend_from_slice(name.as_bytes());
        self.0.extend_from_slice(b"\":");
        serde_json::to_writer(&mut self.0, value).expect("messages are plain data with text keys");
        self
    }

    fn finish(mut self) -> Vec<u8> {
        // Raw values may come from a pretty-printed file. Inside JSON texts a line break is always escaped, so one
        // found here is between two tokens, and a blank does as well.
        if memchr2(b'\n', b'\r', &self.0).is_some() {
            self.0
                .iter_mut()
                .filter(|byte| matches!(byte, b'\n' | b'\r'))
                .for_each(|byte| *byte = b' ');
        }
        self.0.extend_from_slice(b"}\n");
        self.0
    }
}
