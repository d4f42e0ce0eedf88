//! The habits of agents that code knows by name: what a table may choose from.

use serde::Deserialize;
use serde_json::Value;

/// Messages around the answer to `session/new`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Around {
    /// Ahead of it.
    pub before: Vec<Value>,
    /// After it.
    pub after: Vec<Value>,
}

/// Answers to what the agent does not know.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unknown {
    /// Error object for an unknown request.
    pub request: Value,
    /// Error object for an unknown notification, sent without an id.
    pub notification: Option<Value>,
    /// Message for a line that is not JSON.
    pub line: Option<Value>,
    /// Error object for an unknown request whose method starts with `_`, where it differs.
    pub extension: Option<Value>,
    /// Result (instead of an error) for such a request; may be null.
    #[serde(default, deserialize_with = "present")]
    pub extension_result: Option<Value>,
}

/// The version that is answered to a client that wants a later one than 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Versions {
    /// 1.
    #[default]
    One,
    /// 2.
    Two,
    /// The one that was asked for.
    Echo,
}

/// How request ids look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestIds {
    /// Numbers from 0.
    #[default]
    Number,
    /// UUID strings; the member `id` comes last in every message.
    UuidLast,
}

/// What happens after a reject.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reject {
    /// What the model reads.
    pub text: String,
    /// Stop reason, where the turn ends.
    pub stop: Option<String>,
    /// Options that do not end the turn although `stop` is set.
    #[serde(default)]
    pub goes_on_with: Vec<String>,
    /// Sent ahead of the end.
    #[serde(default)]
    pub updates: Vec<Value>,
    /// True: the client learns nothing of the failed call.
    #[serde(default)]
    pub silent: bool,
}

/// What an error answer to a permission request does.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PermissionError {
    /// What the model reads; `${error}` is the message.
    #[serde(default)]
    pub text: String,
    /// What then.
    pub then: AfterError,
}

/// What follows an error answer to a permission request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AfterError {
    /// The turn continues.
    GoOn,
    /// The turn ends as after a reject.
    End,
    /// Nothing ever follows.
    Wedge,
    /// The same is asked again.
    AskAgain,
}

/// What `session/cancel` does.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cancel {
    /// The stop reason.
    pub stop: String,
    /// True: hangs for as long as a permission request is open.
    #[serde(default)]
    pub waits_for_permission: bool,
    /// True: `$/cancel_request` is sent for open permission requests.
    #[serde(default)]
    pub withdraws_requests: bool,
    /// Text of the failed update of the open call; none is sent without it.
    pub failed: Option<String>,
    /// True: the model continues with its next step instead of ending.
    #[serde(default)]
    pub goes_on: bool,
}

/// What a prompt during a turn does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecondPrompt {
    /// The first one ends `cancelled`.
    CancelFirst,
    /// It waits.
    Queue,
    /// It is answered with an error.
    Refuse,
    /// It is never answered.
    Lost,
    /// It is answered without calling the model, which sees it at the next prompt.
    Stored,
}

/// Distinguishes a member that is null from one that is missing.
fn present<'de, D: serde::Deserializer<'de>>(source: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(source).map(Some)
}
