//! What a slow embedder may rely on.

use super::*;
use serde_json::Value;
use siderail_engine::event::{EVENT_VERSION, LogKind};

/// Bytes in memory of the queues below, small enough to be passed at once.
const SMALL: usize = 2_000;

fn event(seq: u64, body: EventBody) -> Event {
    Event {
        v: EVENT_VERSION,
        seq,
        t: 0.0,
        session: 1,
        turn: 1,
        body,
    }
}

fn message(seq: u64, text: &str) -> Event {
    event(
        seq,
        EventBody::AgentMessage {
            text: text.to_owned(),
            message_id: None,
        },
    )
}

fn log(seq: u64, text: &str) -> Event {
    let body = EventBody::AgentLog {
        kind: LogKind::Noise,
        text: text.to_owned(),
    };
    event(seq, body)
}

fn drain(queue: &mut Backlog<Waiting>, most: usize) -> Vec<Value> {
    let mut events = Vec::new();
    while !queue.is_empty() {
        let batch = batch_of(&queue.take(most));
        let batch: Vec<Value> = serde_json::from_slice(&batch).expect("a batch is a JSON array");
        assert!(!batch.is_empty(), "a batch has something in it");
        events.extend(batch);
    }
    events
}

fn text_of(events: &[Value]) -> String {
    events.iter().filter_map(|e| e["text"].as_str()).collect()
}

fn assert_rising(events: &[Value]) {
    let numbers: Vec<u64> = events.iter().filter_map(|e| e["seq"].as_u64()).collect();
    assert_eq!(numbers.len(), events.len());
    assert!(numbers.windows(2).all(|w| w[0] < w[1]), "{numbers:?}");
}

#[test]
fn pieces_of_one_text_are_joined_and_of_two_are_not() {
    let mut queue = Backlog::new(PathBuf::new(), MEMORY);
    let other_turn = Event {
        turn: 2,
        ..message(5, "e")
    };
    let other_session = Event {
        session: 2,
        ..message(6, "f")
    };
    let thought = EventBody::AgentThought {
        text: "g".to_owned(),
        message_id: None,
    };
    let named = EventBody::AgentThought {
        text: "h".to_owned(),
        message_id: Some("m".to_owned()),
    };
    for next in [
        message(1, "a"),
        message(2, "b"),
        log(3, "c"),
        message(4, "d"),
        other_turn,
        other_session,
        event(7, thought),
        event(8, named),
    ] {
        queue.push(Waiting::of(next));
    }
    let events = drain(&mut queue, BATCH);
    let texts: Vec<&str> = events.iter().filter_map(|e| e["text"].as_str()).collect();
    assert_eq!(texts, ["ab", "c", "d", "e", "f", "g", "h"]);
    assert_rising(&events);
}

#[test]
fn events_that_waited_on_disk_come_in_order_and_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut queue = Backlog::new(folder.path().to_owned(), SMALL);
    let (mut events, mut expected, mut spilled) = (Vec::new(), String::new(), false);
    for seq in 1..=20_000 {
        let text = format!("{seq};");
        expected.push_str(&text);
        queue.push(Waiting::of(match seq % 7 < 4 {
            true => message(seq, &text),
            false => log(seq, &text),
        }));
        spilled |= queue.is_spilling();
        if seq % 5_000 == 0 {
            let batch = batch_of(&queue.take(10_000));
            let batch: Vec<Value> = serde_json::from_slice(&batch).expect("JSON");
            events.extend(batch);
        }
    }
    events.extend(drain(&mut queue, 10_000));
    assert!(spilled, "they are more than memory takes");
    assert_eq!(text_of(&events), expected);
    assert_rising(&events);
}

#[test]
fn the_first_event_goes_at_once_and_the_next_batch_waits() {
    let outbox = Outbox::new(PathBuf::new());
    let started = Instant::now();
    outbox.push(log(1, "a"));
    outbox.next_batch().expect("there is one");
    outbox.push(log(2, "b"));
    outbox.push(log(3, "c"));
    let batch = outbox.next_batch().expect("there is one");
    assert!(started.elapsed() >= PACE, "{:?}", started.elapsed());
    let batch: Vec<Value> = serde_json::from_slice(&batch).expect("JSON");
    assert_eq!(batch.len(), 2, "what came meanwhile comes together");
    outbox.push(log(4, "d"));
    outbox.close();
    assert!(outbox.next_batch().is_some(), "the last is not lost");
    assert!(outbox.next_batch().is_none());
}

#[test]
fn an_abandoned_outbox_says_nothing_more() {
    let outbox = Outbox::new(PathBuf::new());
    outbox.push(log(1, "a"));
    outbox.abandon();
    assert!(outbox.next_batch().is_none());
}
