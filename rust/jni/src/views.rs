//! What a window is to show of an event, beside the event: its session's conversation as patches.
//!
//! Only for embedders that asked for it. What a conversation makes of an event is `siderail-view`'s.

use std::collections::HashMap;

use serde::Serialize;
use siderail_engine::event::{Event, EventBody};
use siderail_view::Conversation;
use siderail_view::conversation::Patch;

/// The conversations of the sessions that run.
#[derive(Debug)]
pub(crate) struct Views {
    /// None where nobody asked.
    conversations: Option<HashMap<u64, Conversation>>,
}

/// An event as an embedder gets it.
#[derive(Debug, Serialize)]
pub(crate) struct Shown<'a> {
    #[serde(flatten)]
    event: &'a Event,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    view: Vec<Patch>,
}

impl Views {
    /// Adds nothing to events.
    pub(crate) fn none() -> Self {
        Self {
            conversations: None,
        }
    }

    /// Adds patches to events.
    pub(crate) fn patches() -> Self {
        Self {
            conversations: Some(HashMap::new()),
        }
    }

    /// Takes the next event; what is to be written of it.
    pub(crate) fn shown<'a>(&mut self, event: &'a Event) -> Shown<'a> {
        let mut view = Vec::new();
        if let Some(conversations) = &mut self.conversations {
            let of_session = conversations
                .entry(event.session)
                .or_insert_with(|| Conversation::new(event.session).with_blocks());
            view = of_session.event(event);
            if matches!(event.body, EventBody::Summary(_)) {
                conversations.remove(&event.session);
            }
        }
        Shown { event, view }
    }
}
