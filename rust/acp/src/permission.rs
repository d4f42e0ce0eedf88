//! Permission requests and the answers to them (ACP schema 1.15, `session/request_permission`).
//!
//! Options are chosen by their kind, never by their place and never by an id that was not offered: Gemini's first
//! option is "always", Claude's may be "reject" (`tests/fixtures/recordings/gemini/allow`). Whether to allow is
//! decided elsewhere.

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use siderail_wire::{RequestId, RpcError};

use crate::schema;
use crate::schema::{items, owned_text, text};

/// What an option grants or refuses, by the agent's own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PermissionOptionKind {
    /// This one time.
    AllowOnce,
    /// From now on; only the option's name says for how long and for what.
    AllowAlways,
    /// Not this time.
    RejectOnce,
    /// Never again.
    RejectAlways,
    /// A kind that is in no schema: never chosen on its own.
    Unknown(String),
}

impl PermissionOptionKind {
    /// Reads a kind as it is on the wire.
    pub fn read(kind: &str) -> Self {
        match kind {
            "allow_once" => Self::AllowOnce,
            "allow_always" => Self::AllowAlways,
            "reject_once" => Self::RejectOnce,
            "reject_always" => Self::RejectAlways,
            unknown => Self::Unknown(unknown.to_owned()),
        }
    }

    /// The kind as it is on the wire.
    pub fn as_str(&self) -> &str {
        match self {
            Self::AllowOnce => "allow_once",
            Self::AllowAlways => "allow_always",
            Self::RejectOnce => "reject_once",
            Self::RejectAlways => "reject_always",
            Self::Unknown(kind) => kind,
        }
    }
}

/// One choice that the agent offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionOption {
    /// To be sent back.
    pub id: String,
    /// For people.
    pub name: String,
    /// What it grants or refuses.
    pub kind: PermissionOptionKind,
}

impl PermissionOption {
    /// True where choosing it among `all` may say yes to more than this one time: an "always", a "once" with a
    /// scope of its own beside a plain one (OpenHands' `risk_based`), or a kind that nobody knows.
    pub fn lasts_among(&self, all: &[Self]) -> bool {
        match self.kind {
            PermissionOptionKind::AllowAlways | PermissionOptionKind::Unknown(_) => true,
            PermissionOptionKind::AllowOnce => {
                let once = all
                    .iter()
                    .filter(|option| option.kind == PermissionOptionKind::AllowOnce);
                let narrowest = once.map(|option| allow_rank(&option.id)).min();
                narrowest.is_some_and(|narrowest| allow_rank(&self.id) > narrowest)
            }
            PermissionOptionKind::RejectOnce | PermissionOptionKind::RejectAlways => false,
        }
    }
}

/// A question of the agent, to be answered exactly once under its JSON-RPC id. Several may be open at a time, also
/// for one and the same tool call (`tests/fixtures/recordings/opencode/read_outside`).
#[derive(Clone, Debug)]
pub struct PermissionRequest {
    /// JSON-RPC id of the request.
    pub id: RequestId,
    /// The session it belongs to.
    pub session_id: String,
    /// The tool call as the agent describes it here; Vibe sends nothing but its id.
    pub tool_call: Value,
    /// The choices, in the agent's order.
    pub options: Vec<PermissionOption>,
    /// The choices as sent: Vibe names the command in their `_meta`; null when absent.
    pub raw_options: Value,
    /// The request's own `_meta`, unwrapped; null when absent.
    pub meta: Value,
}

impl PermissionRequest {
    /// Reads the params of a permission request.
    ///
    /// # Errors
    /// Says what is missing. Options that have no id are left out, and no option at all is not an error: such a
    /// request can still be answered `cancelled`.
    pub fn read(id: RequestId, params: &RawValue) -> Result<Self, RpcError> {
        let params = schema::read::<Value>(params).map_err(RpcError::invalid_params)?;
        let option = |option: &Value| {
            Some(PermissionOption {
                id: text(option, "optionId")?.to_owned(),
                name: owned_text(option, "name"),
                kind: PermissionOptionKind::read(text(option, "kind").unwrap_or_default()),
            })
        };
        Ok(Self {
            id,
            session_id: text(&params, "sessionId")
                .ok_or_else(|| RpcError::invalid_params("sessionId is missing"))?
                .to_owned(),
            tool_call: params.get("toolCall").cloned().unwrap_or(Value::Null),
            options: items(&params, "options")
                .iter()
                .filter_map(option)
                .collect(),
            raw_options: params.get("options").cloned().unwrap_or(Value::Null),
            meta: schema::meta(&params).clone(),
        })
    }

    /// The id of the tool call it is about.
    pub fn tool_call_id(&self) -> Option<&str> {
        text(&self.tool_call, "toolCallId")
    }

    /// The answer that picks one of the offered options by its id; `None` for an id that was not offered.
    pub fn pick(&self, option_id: &str) -> Option<Outcome> {
        let option = self.options.iter().find(|option| option.id == option_id)?;
        Some(Outcome::Selected(option.id.clone()))
    }
}

/// What the caller wants to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Yes, this once.
    AllowOnce,
    /// Yes, and do not ask again.
    AllowAlways,
    /// No, this once. `reject_always` is never chosen by this; it takes [`PermissionRequest::pick`].
    RejectOnce,
}

/// The answer to a permission request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// An option, by its id.
    Selected(String),
    /// No option: the turn is being cancelled, or none of the options says what is meant.
    Cancelled,
}

impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let outcome = match self {
            Self::Selected(id) => json!({"outcome": {"outcome": "selected", "optionId": id}}),
            Self::Cancelled => json!({"outcome": {"outcome": "cancelled"}}),
        };
        outcome.serialize(serializer)
    }
}

/// Finds the option that says what is meant and no more.
///
/// Among options of the wanted kind the one with the narrowest effect is taken. Where the agent offers no option of
/// that kind the answer is [`Outcome::Cancelled`], which every agent takes as a refusal; only "always" may become
/// "once", because that grants less. An id that options of two kinds share says nothing, so it is never sent.
pub fn choose(options: &[PermissionOption], choice: Choice) -> Outcome {
    let best = |kind: &PermissionOptionKind, rank: fn(&str) -> u8| {
        options
            .iter()
            .filter(|option| option.kind == *kind)
            .min_by_key(|option| rank(&option.id))
    };
    let option = match choice {
        Choice::AllowOnce => best(&PermissionOptionKind::AllowOnce, allow_rank),
        Choice::AllowAlways => best(&PermissionOptionKind::AllowAlways, always_rank)
            .or_else(|| best(&PermissionOptionKind::AllowOnce, allow_rank)),
        Choice::RejectOnce => best(&PermissionOptionKind::RejectOnce, reject_rank),
    };
    let is_clear = |option: &&PermissionOption| {
        let same = |other: &&PermissionOption| other.id == option.id;
        options
            .iter()
            .filter(same)
            .all(|other| other.kind == option.kind)
    };
    option
        .filter(is_clear)
        .map_or(Outcome::Cancelled, |option| {
            Outcome::Selected(option.id.clone())
        })
}

/// Of two "once" options the one without a scope of its own: OpenHands' `risk_based` also lifts later questions.
fn allow_rank(id: &str) -> u8 {
    let plain = [
        "accept", "allow", "approve", "approved", "proceed", "once", "yes", "y", "ok",
    ];
    let is_plain = id
        .split(['-', '_'])
        .all(|word| plain.contains(&word.to_ascii_lowercase().as_str()));
    u8::from(!is_plain)
}

/// Of several "always" options the one that ends soonest or covers least.
fn always_rank(id: &str) -> u8 {
    let id = id.to_ascii_lowercase();
    let scopes: [&[&str]; 3] = [
        &["session", "turn"],
        &["tool", "exact", "project"],
        &["server", "user", "permanent", "amendment"],
    ];
    let broadest = scopes
        .iter()
        .rposition(|words| words.iter().any(|word| id.contains(word)));
    match broadest {
        Some(0) => 0,
        Some(1) => 1,
        Some(_) => 3,
        None => 2,
    }
}

/// Of several "no" options the one that leaves the turn alive: Codex's `cancel` and `abort` end it.
fn reject_rank(id: &str) -> u8 {
    let id = id.to_ascii_lowercase();
    if id.contains("decline") {
        0
    } else if id.contains("cancel") || id.contains("abort") {
        2
    } else {
        1
    }
}
