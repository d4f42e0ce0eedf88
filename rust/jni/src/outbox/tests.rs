//! What a slow embedder may rely on.

use super::*;
use serde_json::Value;
use siderail_engine::event::{
    AgentLog, AgentMessage, AgentThought, EVENT_VERSION, EventBody, LogKind,
};

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
        EventBody::AgentMessage(AgentMessage {
            text: text.to_owned(),
            message_id: None,
        }),
    )
}

fn log(seq: u64, text: &str) -> Event {
    let body = EventBody::AgentLog(AgentLog {
        kind: LogKind::Noise,
        text: text.to_owned(),
    });
    event(seq, body)
}

/// A queue of so many bytes in memory, which adds nothing to events.
fn outbox(folder: PathBuf, memory: usize) -> Outbox {
    Outbox::of(Backlog::new(folder, memory), Views::none())
}

fn batch(outbox: &Outbox) -> Option<Vec<Value>> {
    let batch = outbox.next_batch()?;
    let batch: Vec<Value> = serde_json::from_slice(&batch).expect("a batch is a JSON array");
    assert!(!batch.is_empty(), "a batch has something in it");
    Some(batch)
}

/// All that is left.
fn drain(outbox: &Outbox) -> Vec<Value> {
    outbox.close();
    std::iter::from_fn(|| batch(outbox)).flatten().collect()
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
    let outbox = outbox(PathBuf::new(), MEMORY);
    let other_turn = Event {
        turn: 2,
        ..message(5, "e")
    };
    let other_session = Event {
        session: 2,
        ..message(6, "f")
    };
    let thought = EventBody::AgentThought(AgentThought {
        text: "g".to_owned(),
        message_id: None,
    });
    let named = EventBody::AgentThought(AgentThought {
        text: "h".to_owned(),
        message_id: Some("m".to_owned()),
    });
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
        outbox.push(next);
    }
    let events = drain(&outbox);
    let texts: Vec<&str> = events.iter().filter_map(|e| e["text"].as_str()).collect();
    assert_eq!(texts, ["ab", "c", "d", "e", "f", "g", "h"]);
    assert_rising(&events);
}

#[test]
fn events_that_waited_on_disk_come_in_order_and_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let outbox = outbox(folder.path().to_owned(), SMALL);
    let (mut events, mut expected, mut spilled) = (Vec::new(), String::new(), false);
    for seq in 1..=60_000 {
        let text = format!("{seq};");
        expected.push_str(&text);
        outbox.push(match seq % 7 < 4 {
            true => message(seq, &text),
            false => log(seq, &text),
        });
        spilled |= outbox.queue.is_spilling();
        if seq % 15_000 == 0 {
            events.extend(batch(&outbox).expect("there is one"));
        }
    }
    events.extend(drain(&outbox));
    assert!(spilled, "they are more than memory takes");
    assert_eq!(text_of(&events), expected);
    assert_rising(&events);
}

#[test]
fn what_nobody_takes_is_bounded_in_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let outbox = outbox(folder.path().to_owned(), SMALL);
    for seq in 1..=40 {
        outbox.push(log(seq, &"x".repeat(100_000)));
    }
    let end = Instant::now() + Duration::from_secs(60);
    while outbox.queue.in_memory() > 400_000 {
        assert!(Instant::now() < end, "the rest does not go to the disk");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(drain(&outbox).len(), 40);
}

#[test]
fn a_window_gets_what_it_shows_with_each_event_and_sessions_are_apart() {
    let outbox = Outbox::new(PathBuf::new(), Views::patches());
    let other = Event {
        session: 2,
        ..message(3, "c")
    };
    for next in [message(1, "a"), log(2, "x"), other, message(4, "b")] {
        outbox.push(next);
    }
    let events = drain(&outbox);
    let patches = |at: usize| {
        let view = events[at]["view"].as_array().cloned().unwrap_or_default();
        let kinds = view
            .iter()
            .map(|patch| patch["patch"].as_str().unwrap_or_default().to_owned());
        kinds.collect::<Vec<String>>()
    };
    assert_eq!(patches(0), ["append", "extend"]);
    assert!(patches(1).is_empty());
    assert_eq!(
        patches(2),
        ["append", "extend"],
        "another session's conversation"
    );
    assert_eq!(patches(3), ["extend"], "it goes on");
    assert_eq!(events[0]["view"][1]["open"][0]["html"], "<p>a</p>");
}

#[test]
fn the_first_event_goes_at_once_and_the_next_batch_waits() {
    let outbox = Outbox::new(PathBuf::new(), Views::none());
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
    let outbox = Outbox::new(PathBuf::new(), Views::none());
    outbox.push(log(1, "a"));
    outbox.abandon();
    assert!(outbox.next_batch().is_none());
}
