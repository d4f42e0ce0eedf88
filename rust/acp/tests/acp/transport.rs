//! The transport under lines of any size, readers that stop, and writers that break off.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use siderail_acp::transport::{
    Direction, Inbound, SendError, Transport, TransportConfig, memory, over,
};
use siderail_acp::wire::{Message, message};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex, split};
use tokio::time::timeout;

/// Long enough for any machine; every wait below ends at once when the code is right.
const LIMIT: Duration = Duration::from_secs(30);

fn with(config: TransportConfig) -> (Transport, DuplexStream) {
    let (ours, theirs) = duplex(64 * 1024);
    let (reader, writer) = split(ours);
    (over(reader, writer, config), theirs)
}

async fn next(transport: &mut Transport) -> String {
    let inbound = timeout(LIMIT, transport.inbound.recv())
        .await
        .expect("in time");
    match inbound {
        Some(Inbound::Message(Message::Notification { method, params })) => {
            format!("{method} {}", params.map_or(0, |params| params.get().len()))
        }
        Some(Inbound::Message(other)) => format!("{other:?}"),
        Some(Inbound::Chunks(chunks)) => {
            let lines = String::from_utf8_lossy(&chunks.lines).into_owned();
            format!("{} chunks\n{lines}", chunks.updates.len())
        }
        Some(Inbound::Line(line)) => String::from_utf8_lossy(&line).into_owned(),
        Some(Inbound::Update(update)) => format!("{:?}", update.update),
        Some(Inbound::TooLong { bytes }) => format!("a line of {bytes} bytes is over the cap"),
        Some(Inbound::Noise { text, why }) => format!("noise {text:?}: {why}"),
        Some(Inbound::Closed) => "closed".to_owned(),
        None => "over".to_owned(),
    }
}

#[tokio::test]
async fn where_lines_are_wanted_each_comes_as_it_was_ahead_of_its_message() {
    let config = TransportConfig {
        lines: true,
        ..TransportConfig::default()
    };
    let (mut transport, mut agent) = with(config);
    let lines = b"{ \"params\":[ 1.0],\"method\":\"a\", \"x\":1}\r\n{\"method\":\"b\"}";
    agent.write_all(lines).await.expect("written");
    agent.shutdown().await.expect("shut down");
    let expected = [
        "{ \"params\":[ 1.0],\"method\":\"a\", \"x\":1}",
        "a 6",
        "{\"method\":\"b\"}",
        "b 0",
        "closed",
    ];
    for expected in expected {
        assert_eq!(next(&mut transport).await, expected);
    }
}

/// A line with a piece of a message.
fn chunk(text: &str) -> String {
    let content = format!("{{\"type\":\"text\", \"text\":\"{text}\"}}");
    let update = format!("{{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{content}}}");
    let params = format!("{{\"sessionId\":\"s\",\"update\":{update}}}");
    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{params}}}\n")
}

#[tokio::test]
async fn where_lines_are_wanted_chunks_come_together_and_in_order_with_the_rest() {
    let config = TransportConfig {
        lines: true,
        ..TransportConfig::default()
    };
    let (mut transport, mut agent) = with(config);
    let said = format!(
        "{}{}{{\"method\":\"a\"}}\n{}",
        chunk("1"),
        chunk("2"),
        chunk("3")
    );
    agent.write_all(said.as_bytes()).await.expect("written");
    agent.shutdown().await.expect("shut down");
    let two = format!("2 chunks\n{}{}", chunk("1"), chunk("2"));
    let one = format!("1 chunks\n{}", chunk("3"));
    for expected in [&two, "{\"method\":\"a\"}", "a 0", &one, "closed"] {
        assert_eq!(next(&mut transport).await, expected);
    }
}

#[tokio::test]
async fn chunks_that_nobody_takes_stop_the_reader() {
    let config = TransportConfig {
        lines: true,
        ..TransportConfig::default()
    };
    let (mut transport, mut agent) = with(config);
    const LINES: usize = 20_000;
    let writing = tokio::spawn(async move {
        for n in 0..LINES {
            let text = format!("{n}{}", "x".repeat(1_000));
            agent
                .write_all(chunk(&text).as_bytes())
                .await
                .expect("written");
        }
        agent
    });
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!writing.is_finished(), "everything waits in memory");
    let mut n_chunks = 0;
    while n_chunks < LINES {
        match timeout(LIMIT, transport.inbound.recv())
            .await
            .expect("in time")
        {
            Some(Inbound::Chunks(chunks)) => {
                for update in &chunks.updates {
                    let said = format!("{:?}", update.update);
                    assert!(
                        said.contains(&format!("\"{n_chunks}xx")),
                        "{n_chunks}: {said}"
                    );
                    n_chunks += 1;
                }
            }
            other => panic!("{other:?}"),
        }
    }
    writing.await.expect("it ends");
}

#[tokio::test]
async fn noise_between_messages_is_told_and_survived() {
    let (mut transport, mut agent) = with(TransportConfig::default());
    let lines = [
        &b"\xef\xbb\xbfWelcome!\r\n\r\n\n"[..],
        b"{\"method\":\"a\",\"params\":[1]}\r\n",
        b"[]\n{\"id\":{},\"method\":\"m\"}\n",
        b"{\"method\":\"b\",\"params\":\"\xff\"}\n",
        b"{\"method\":\"c\"}",
    ];
    for line in lines {
        agent.write_all(line).await.expect("written");
    }
    agent.shutdown().await.expect("shut down");
    assert_eq!(
        next(&mut transport).await,
        "noise \"Welcome!\": the line is not JSON: expected value at line 1 column 1"
    );
    assert_eq!(next(&mut transport).await, "a 3");
    assert!(next(&mut transport).await.contains("a batch"));
    assert!(
        next(&mut transport)
            .await
            .contains("neither number nor text")
    );
    assert_eq!(
        next(&mut transport).await,
        "b 5",
        "one odd byte costs one character"
    );
    assert_eq!(
        next(&mut transport).await,
        "c 0",
        "the last line needs no newline"
    );
    assert_eq!(next(&mut transport).await, "closed");
    assert_eq!(next(&mut transport).await, "over");
}

#[tokio::test]
async fn lines_of_1_and_20_megabytes_arrive_and_longer_ones_cost_only_themselves() {
    let (mut transport, mut agent) = with(TransportConfig {
        line_cap: 30 << 20,
        ..TransportConfig::default()
    });
    let writing = tokio::spawn(async move {
        for megabytes in [1, 20, 40, 1] {
            let line = format!(
                "{{\"method\":\"m\",\"params\":\"{}\"}}\n",
                "x".repeat(megabytes << 20)
            );
            agent.write_all(line.as_bytes()).await.expect("written");
        }
        agent
    });
    assert_eq!(next(&mut transport).await, format!("m {}", (1 << 20) + 2));
    assert_eq!(next(&mut transport).await, format!("m {}", (20 << 20) + 2));
    assert!(next(&mut transport).await.contains("is over the cap"));
    assert_eq!(next(&mut transport).await, format!("m {}", (1 << 20) + 2));
    writing.await.expect("no panic");
}

#[tokio::test]
async fn a_client_that_stops_reading_stops_the_agent_and_loses_nothing() {
    const N: usize = 20_000;
    let (mut transport, mut agent) = with(TransportConfig {
        queue: 4,
        ..TransportConfig::default()
    });
    let written = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&written);
    let writing = tokio::spawn(async move {
        for n in 0..N {
            let line = format!("{{\"method\":\"m{n}\"}}\n");
            agent.write_all(line.as_bytes()).await.expect("written");
            *counted.lock().expect("no panic") = n;
        }
    });
    let mut before = usize::MAX;
    loop {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let now = *written.lock().expect("no panic");
        if now == before {
            break;
        }
        before = now;
    }
    assert!(before < N - 1, "the agent is held up, at line {before}");
    for n in 0..N {
        assert_eq!(next(&mut transport).await, format!("m{n} 0"));
    }
    writing.await.expect("no panic");
    assert_eq!(next(&mut transport).await, "closed");
}

#[tokio::test]
async fn lines_for_an_agent_that_does_not_read_are_refused_not_lost() {
    let (transport, mut agent) = with(TransportConfig {
        queue: 8,
        ..TransportConfig::default()
    });
    let line = |n: u64| message::request(n, "m", &json!({"x": "y".repeat(10_000)}));
    let mut n_sent = 0;
    let refused = loop {
        match transport.outbound.send(line(n_sent)) {
            Ok(()) => n_sent += 1,
            Err(refused) => break refused,
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(refused, SendError::Full);
    transport.outbound.close();
    let mut received = String::new();
    timeout(LIMIT, agent.read_to_string(&mut received))
        .await
        .expect("in time")
        .expect("text");
    let ids = received.lines().map(|line| {
        serde_json::from_str::<serde_json::Value>(line).expect("whole lines")["id"].as_u64()
    });
    assert!(
        ids.eq((0..n_sent).map(Some)),
        "all that was taken was sent, in order"
    );
    assert_eq!(transport.outbound.send(line(99)), Err(SendError::Closed));
}

#[tokio::test]
async fn an_agent_that_is_gone_refuses_lines() {
    let (mut transport, agent) = with(TransportConfig::default());
    drop(agent);
    assert_eq!(next(&mut transport).await, "closed");
    let refused = timeout(LIMIT, async {
        loop {
            if let Err(refused) = transport
                .outbound
                .send(message::notification("m", &json!({})))
            {
                return refused;
            }
            tokio::task::yield_now().await;
        }
    });
    assert_eq!(refused.await, Ok(SendError::Closed));
}

#[tokio::test]
async fn a_stream_that_never_ends_is_ended_once_the_process_is_gone() {
    let (mut transport, mut agent) = with(TransportConfig::default());
    agent
        .write_all(b"{\"method\":\"last\"}\n{\"method\":\"unfinished\"}")
        .await
        .expect("written");
    transport.outbound.end_inbound(Duration::from_millis(250));
    assert_eq!(next(&mut transport).await, "last 0");
    assert_eq!(next(&mut transport).await, "unfinished 0");
    assert_eq!(next(&mut transport).await, "closed");
    drop(agent);
}

#[tokio::test]
async fn what_comes_within_the_quiet_time_is_still_read() {
    let (mut transport, mut agent) = with(TransportConfig::default());
    transport.outbound.end_inbound(Duration::from_millis(1500));
    for n in 0..3 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        agent
            .write_all(format!("{{\"method\":\"m{n}\"}}\n").as_bytes())
            .await
            .expect("written");
    }
    for n in 0..3 {
        assert_eq!(next(&mut transport).await, format!("m{n} 0"));
    }
    assert_eq!(next(&mut transport).await, "closed");
}

#[tokio::test]
async fn a_client_that_goes_away_ends_both_tasks() {
    let (transport, mut agent) = with(TransportConfig::default());
    drop(transport);
    let mut rest = Vec::new();
    timeout(LIMIT, agent.read_to_end(&mut rest))
        .await
        .expect("the agent sees the end of its input")
        .expect("read");
    assert!(rest.is_empty());
    let written = timeout(LIMIT, async {
        while agent.write_all(b"{\"method\":\"m\"}\n").await.is_ok() {
            tokio::task::yield_now().await;
        }
    });
    written.await.expect("the agent cannot write for ever");
}

#[tokio::test]
async fn the_tap_sees_both_directions_without_newlines() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let tap = Arc::new(move |direction, line: &[u8]| {
        sink.lock()
            .expect("no panic")
            .push((direction, String::from_utf8_lossy(line).into_owned()));
    });
    let (mut transport, mut agent) = with(TransportConfig {
        tap: Some(tap),
        ..TransportConfig::default()
    });
    transport
        .outbound
        .send(message::notification("m", &json!({})))
        .expect("sent");
    let mut line = [0; 43];
    timeout(LIMIT, agent.read_exact(&mut line))
        .await
        .expect("in time")
        .expect("read");
    agent
        .write_all(b"banner\r\n{\"method\":\"n\"}\n")
        .await
        .expect("written");
    next(&mut transport).await;
    next(&mut transport).await;
    let seen = seen.lock().expect("no panic");
    let expected = [
        (
            Direction::ClientToAgent,
            r#"{"jsonrpc":"2.0","method":"m","params":{}}"#.to_owned(),
        ),
        (Direction::AgentToClient, "banner".to_owned()),
        (Direction::AgentToClient, r#"{"method":"n"}"#.to_owned()),
    ];
    assert_eq!(*seen, expected);
}

#[tokio::test]
async fn two_transports_in_memory_are_each_others_other_side() {
    let (here, mut there) = memory();
    here.outbound
        .send(message::notification("m", &json!([])))
        .expect("sent");
    assert_eq!(next(&mut there).await, "m 2");
    drop(here);
    assert_eq!(next(&mut there).await, "closed");
}
