//! What a window shows of an event, beside the event: its session's conversation as patches.
//!
//! Only for embedders that asked for it. `siderail-view` turns events into a conversation.

use std::collections::HashMap;

use siderail_engine::event::{Event, EventBody};
use siderail_view::{Conversation, json};

/// The conversations of the sessions that run.
#[derive(Debug)]
pub(crate) struct Views {
    /// None where nobody asked.
    conversations: Option<HashMap<u64, Conversation>>,
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

    /// Adds the member `view` to an event's JSON, with which `bytes` ends, where there is something to show.
    pub(crate) fn add(&mut self, event: &Event, bytes: &mut Vec<u8>) {
        let Some(conversations) = &mut self.conversations else {
            return;
        };
        let of_session = conversations
            .entry(event.session)
            .or_insert_with(|| Conversation::new(event.session).with_blocks());
        let patches = of_session.event(event);
        if matches!(event.body, EventBody::Summary(_)) {
            conversations.remove(&event.session);
        }
        if patches.is_empty() {
            return;
        }
        // The brace that closes the event.
        bytes.pop();
        let mut view = String::from(",\"view\":");
        json::write(&patches, &mut view);
        view.push('}');
        bytes.extend(view.into_bytes());
    }
}
