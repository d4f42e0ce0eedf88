//! Events that wait: what they weigh, how they are written to the file, and which pieces of text go together.
//!
//! Knows nothing of who waits for them.

use std::io;

use super::Waits;
use crate::{AgentMessage, AgentThought, Event, EventBody};

/// Bytes that an event takes beside its texts.
const OVERHEAD: usize = 400;

/// An event that waits. By themselves two of them are never joined.
#[derive(Debug)]
pub struct WaitingEvent {
    event: Box<Event>,
    weight: usize,
}

impl WaitingEvent {
    /// The event that waited.
    pub fn into_event(self) -> Event {
        *self.event
    }

    /// Takes in the next piece of the same streamed text, up to `most` bytes of it in one event, which keeps its number
    /// and time; gives back what is something else.
    pub fn join_text(&mut self, next: Self, most: usize) -> Option<Self> {
        let (waiting, more) = (&mut *self.event, &*next.event);
        let same_place = (waiting.session, waiting.turn) == (more.session, more.turn);
        let added = match (&mut waiting.body, &more.body) {
            (
                EventBody::AgentMessage(AgentMessage { text, message_id }),
                EventBody::AgentMessage(AgentMessage {
                    text: more,
                    message_id: id,
                }),
            )
            | (
                EventBody::AgentThought(AgentThought { text, message_id }),
                EventBody::AgentThought(AgentThought {
                    text: more,
                    message_id: id,
                }),
            ) if same_place && message_id == id && text.len() + more.len() <= most => {
                text.push_str(more);
                more.len()
            }
            _ => return Some(next),
        };
        self.weight += added;
        None
    }
}

impl From<Event> for WaitingEvent {
    fn from(event: Event) -> Self {
        Self {
            weight: OVERHEAD + weight(&event.body),
            event: Box::new(event),
        }
    }
}

impl Waits for WaitingEvent {
    fn weight(&self) -> usize {
        self.weight
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        if let Err(error) = serde_json::to_writer(bytes, &self.event) {
            tracing::error!(%error, "an event has no JSON form");
        }
    }

    fn read(line: Vec<u8>) -> Option<Self> {
        let event = serde_json::from_slice(&line);
        let event = event.inspect_err(|error| tracing::error!(%error, "an event is lost"));
        event.ok().map(|event: Event| event.into())
    }
}

/// Bytes of an event's texts, roughly.
fn weight(body: &EventBody) -> usize {
    match body {
        EventBody::AgentMessage(AgentMessage { text, .. })
        | EventBody::AgentThought(AgentThought { text, .. }) => text.len(),
        EventBody::ToolCall(call) => {
            let diffs = call
                .diffs
                .iter()
                .map(|diff| diff.new_text.len() + diff.old_text.as_ref().map_or(0, String::len));
            call.text.len() + diffs.sum::<usize>()
        }
        EventBody::OwnTool(call) => call.text.len() + call.diff.as_ref().map_or(0, String::len),
        // The others are few.
        _ => {
            let mut length = Length(0);
            match serde_json::to_writer(&mut length, body) {
                Ok(()) => length.0,
                Err(_) => 0,
            }
        }
    }
}

/// Counts what is written.
struct Length(usize);

impl io::Write for Length {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
