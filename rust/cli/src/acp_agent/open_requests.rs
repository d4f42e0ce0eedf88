//! Requests that the client has not answered, and what its answers mean.
//!
//! Plain data of [`super::agent_side`]; sends nothing.

use std::sync::mpsc::Sender;

use serde_json::Value;
use siderail_engine::acp::wire::RequestId;
use siderail_engine::acp_client::Outcome;
use siderail_engine::command::PermissionAnswer;
use siderail_engine::event::PermissionOptionKind;
use tokio::sync::oneshot;

/// Ids of our own options.
pub(super) const ALLOW: &str = "siderail_allow_once";
pub(super) const ALWAYS: &str = "siderail_allow_always";
pub(super) const REJECT: &str = "siderail_reject_once";

/// Answers to a plan.
pub(super) const APPROVE: &str = "Approve";
pub(super) const SEND_BACK: &str = "Reject";

/// A request that the client has not answered.
#[derive(Debug)]
pub(super) enum Asked {
    /// The engine's question, answered by its options.
    Question {
        session: u64,
        request_id: u64,
        /// The ids that are offered, with their kinds.
        offered: Vec<(String, PermissionOptionKind)>,
    },
    /// A plan, by a form.
    Plan { session: u64, request_id: u64 },
    /// Why a person rejected something, which is answered so whatever comes of it.
    Reason {
        session: u64,
        request_id: u64,
        rejection: PermissionAnswer,
    },
    /// A request that a thread waits for.
    Thread {
        session: u64,
        reply: Sender<Outcome>,
    },
    /// A request about a terminal in which a command of our tools runs.
    Terminal {
        session: u64,
        reply: oneshot::Sender<Result<Value, String>>,
        opens: Option<Opens>,
    },
    /// The agent's own request.
    Agent {
        session: u64,
        id: RequestId,
        opens: Option<Opens>,
    },
    /// A terminal that nobody wants any more: it is ended when the client names it.
    Unwanted(Opens),
}

/// A terminal is to be opened in this session of the client's.
#[derive(Clone, Debug)]
pub(super) struct Opens(pub(super) String);

impl Asked {
    pub(super) fn session(&self) -> u64 {
        match self {
            Self::Question { session, .. }
            | Self::Plan { session, .. }
            | Self::Reason { session, .. }
            | Self::Thread { session, .. }
            | Self::Terminal { session, .. }
            | Self::Agent { session, .. } => *session,
            // Sessions are counted from 1.
            Self::Unwanted(_) => 0,
        }
    }

    /// The terminal that the client may still open for it.
    pub(super) fn opens(self) -> Option<Opens> {
        match self {
            Self::Terminal { opens, .. } | Self::Agent { opens, .. } => opens,
            _ => None,
        }
    }

    pub(super) fn is_about(&self, request: u64) -> bool {
        match self {
            Self::Question { request_id, .. }
            | Self::Plan { request_id, .. }
            | Self::Reason { request_id, .. } => *request_id == request,
            Self::Thread { .. }
            | Self::Terminal { .. }
            | Self::Agent { .. }
            | Self::Unwanted(_) => false,
        }
    }
}

/// What a client's answer means, with the kind of the option that was chosen. An invalid answer counts as if nobody
/// were there.
pub(super) fn answer_of<'a>(
    outcome: &Outcome,
    offered: &'a [(String, PermissionOptionKind)],
) -> (PermissionAnswer, Option<&'a PermissionOptionKind>) {
    let result = outcome.as_ref().map_or("", |result| result.get());
    let result: Value = serde_json::from_str(result).unwrap_or_default();
    let id = &result["outcome"]["optionId"];
    let Some((id, kind)) = offered.iter().find(|(offered, _)| id == offered.as_str()) else {
        let nobody = PermissionAnswer::Deny {
            reason: String::new(),
            nobody: true,
        };
        return (nobody, None);
    };
    let answer = match id.as_str() {
        ALLOW => PermissionAnswer::Allow,
        ALWAYS => PermissionAnswer::Always,
        REJECT => PermissionAnswer::Deny {
            reason: String::new(),
            nobody: false,
        },
        id => PermissionAnswer::Option { id: id.to_owned() },
    };
    (answer, Some(kind))
}

pub(super) fn value_of(outcome: Outcome) -> Result<Value, String> {
    let result = outcome.map_err(|error| error.message)?;
    serde_json::from_str(result.get()).map_err(|error| error.to_string())
}

/// The reason that a person wrote.
pub(super) fn reason_in(outcome: &Outcome) -> Option<String> {
    let result: Value = serde_json::from_str(outcome.as_ref().ok()?.get()).ok()?;
    let reason = result["content"]["reason"].as_str()?.trim();
    let is_given = result["action"] == "accept" && !reason.is_empty();
    is_given.then(|| reason.to_owned())
}

/// What a filled form means. One that is not filled approves nothing.
pub(super) fn plan_answer(outcome: &Outcome) -> PermissionAnswer {
    let result = outcome.as_ref().map_or("", |result| result.get());
    let result: Value = serde_json::from_str(result).unwrap_or_default();
    let content = &result["content"];
    let is_filled = result["action"] == "accept";
    if is_filled && content["decision"] == APPROVE {
        return PermissionAnswer::Allow;
    }
    let feedback = content["feedback"].as_str().filter(|_| is_filled);
    PermissionAnswer::Deny {
        reason: feedback.unwrap_or_default().trim().to_owned(),
        nobody: outcome.is_err() || result["action"] == "cancel",
    }
}
