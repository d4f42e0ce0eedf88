//! What the parts of a session want done: a part takes an input and returns effects, and [`super::dispatch`] carries them
//! out. Plain data; it knows no session.

use serde_json::Value;
use siderail_acp::wire::{RequestId, RpcError};

use crate::event::EventBody;
use crate::host::HostRequest;
use crate::session::host_calls::Waiting;
use crate::session::wire::Tag;

/// One thing that is to be done.
pub(in crate::session) enum Effect {
    /// Tell the host.
    Emit(Box<EventBody>),
    /// Tell a person.
    Notice(String),
    /// Send the agent a request; its answer is for this.
    Request(&'static str, Value, Tag),
    /// Answer a request of the agent.
    Answer(RequestId, Value),
    /// Answer it with an error.
    Refuse(RequestId, RpcError),
    /// Call the host; this waits for what it says.
    Call(HostRequest, Box<Waiting>),
    /// Tell the host that nobody waits for a call any more.
    CancelCall(u64),
}
