//! What a recording contains beside the traffic: the events that no message carries, noted when they are reported.
//!
//! Written by a session, read by a replay. A session's end is not noted: the agent is gone by then, and the recording
//! with it.

use serde_json::{Value, json};
use siderail_acp::trace::TrafficLog;

use siderail_event::{AgentLog, EventBody, LogKind};

/// The member that says that events are noted in what follows.
pub const TOLD: &str = "told";

/// The first note of an agent's process.
pub fn begin(trace: Option<&TrafficLog>, agent: &str) {
    if let Some(trace) = trace {
        trace.note(json!({"agent": agent, TOLD: true}));
    }
}

/// Notes an event that no message says.
pub fn note(trace: Option<&TrafficLog>, turn: u32, body: &EventBody) {
    let Some(trace) = trace.filter(|_| is_noted(body)) else {
        return;
    };
    let text = serde_json::to_string(body).unwrap_or_default();
    if let Ok(Value::Object(mut note)) = serde_json::from_str(&text) {
        note.insert("turn".to_owned(), json!(turn));
        trace.note(Value::Object(note));
    }
}

/// False for what the traffic says itself, and for what was not of this session's time.
pub fn is_noted(body: &EventBody) -> bool {
    use EventBody as E;
    !matches!(
        body,
        E::AgentMessage(_)
            | E::AgentThought(_)
            | E::ToolCall(_)
            | E::Plan(_)
            | E::Usage(_)
            | E::SessionTitle(_)
            | E::AgentNotice(_)
            | E::AgentCommands(_)
            | E::SessionOptions(_)
            | E::Changes(_)
            | E::Restored(_)
            | E::History(_)
            | E::HistoryExported(_)
            | E::Agents(_)
            | E::AgentLog(AgentLog {
                kind: LogKind::Noise,
                ..
            })
            | E::Summary(_)
    )
}
