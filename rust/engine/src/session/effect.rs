//! What the parts of a session want done: a part takes an input and returns effects, and [`super::dispatch`] carries them
//! out. Plain data; it knows no session.

use serde_json::Value;
use siderail_acp::permission::Outcome;
use siderail_acp::wire::{RequestId, RpcError};
use siderail_guard::Unguarded;
use siderail_mcp::{CallResult, PendingCall};

use crate::event::{self, DeniedBy, EventBody, StopReason};
use crate::host::HostRequest;
use crate::session::host_calls::Waiting;
use crate::session::question::Ask;
use crate::session::wire::Tag;

/// One thing that is to be done.
pub(in crate::session) enum Effect {
    /// Notify the host.
    Emit(Box<EventBody>),
    /// Show a person a message.
    Notice(String),
    /// Send the agent a request; its answer is for this.
    Request(&'static str, Value, Tag),
    /// Answer a request of the agent.
    Answer(RequestId, Value),
    /// Answer its permission request.
    Permission(RequestId, Outcome),
    /// Answer it with an error.
    Refuse(RequestId, RpcError),
    /// The same, where the agent's model reads the bare text alone.
    RefuseInText(RequestId, String),
    /// Answer it as cancelled.
    AnswerCancelled(RequestId),
    /// Answer a call at our server.
    AnswerCall(PendingCall, CallResult),
    /// Call the host under this number; this waits for what it says.
    Call(u64, HostRequest, Waiting),
    /// Reject through the agent's own API, which takes a reason, and then in ACP.
    TellApi {
        request_id: u64,
        call_id: String,
        text: String,
        id: RequestId,
        outcome: Outcome,
    },
    /// Put the text of this request's denial into the running turn.
    Steer(u64, String),
    /// Send the text of this request's denial as `session/message`, which is in no schema.
    SessionMessage {
        request_id: u64,
        tool: String,
        text: String,
    },
    /// Notify the host that nobody waits for a call any more.
    CancelCall(u64),
    /// Ask a person.
    Ask(Box<Ask>),
    /// The user sends another prompt: guidance that still waits comes too late, and denials are counted anew.
    NewUserPrompt,
    /// Send this prompt, with which a plan continues.
    PromptForPlan(String),
    /// Send the next prompt that waits, if there is one.
    NextPrompt,
    /// Cancel the turn, for this reason.
    CancelTurn(StopReason),
    /// No plan is wanted any more, unless its prompt is sent again after a login.
    PlanningOver,
    /// Ask the host to give a call up; what it says of it still counts.
    StopCall(u64),
    /// Close the question about a call at our server, which nobody has answered.
    CloseQuestion {
        request_id: u64,
        by: DeniedBy,
        why: String,
    },
    /// These files of the project were written.
    Wrote(Vec<String>),
    /// Somebody else than the agent is waited for in the handshake, as long as it takes.
    SuspendHandshake,
    /// The agent has its usual time again for the rest of the handshake.
    AwaitHandshake,
}

impl Effect {
    /// An event for the host.
    pub(in crate::session) fn emit(body: EventBody) -> Self {
        Self::Emit(Box::new(body))
    }

    /// The agent does what nobody was asked about, or what was denied.
    pub(in crate::session) fn unguarded(found: Unguarded) -> Self {
        let text = format!("{}. {}", found.why, found.what_to_do);
        Self::emit(EventBody::Unguarded(event::Unguarded { text }))
    }
}
