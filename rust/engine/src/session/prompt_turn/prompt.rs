//! A prompt on its way to an agent. It knows no session and no agent.

use serde_json::Value;

use crate::command::Attachment;
use crate::event::PromptOrigin;

/// A prompt on its way to the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Prompt {
    pub(in crate::session) text: String,
    pub(in crate::session) origin: PromptOrigin,
    /// What goes to the agent in place of the text.
    pub(in crate::session) sent: Sent,
    /// A plan is wanted first.
    pub(in crate::session) plan: bool,
}

/// What goes to the agent in place of a prompt's text, where that is not all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sent {
    /// Content blocks; none: the text, the files that it names, and the attachments.
    pub(crate) blocks: Vec<Value>,
    /// What the person attached.
    pub(crate) attachments: Vec<Attachment>,
    /// `_meta` of the request.
    pub(crate) meta: Value,
}
