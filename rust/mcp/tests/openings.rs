//! How real clients open a connection, and how broken ones do: each on a fresh stream.
//!
//! Clients probe, cancel the probe, mix protocol eras, skip the handshake and send what is no message.
//! Every opening ends with the end of input, and the server has to be gone soon after.

use serde_json::{Value, json};

mod scene;

/// One opening: what is sent, and what each answer has to contain, in order.
struct Opening {
    what: &'static str,
    sent: Vec<u8>,
    answers: Vec<Value>,
}

fn opening(what: &'static str, messages: &[Value], answers: &[Value]) -> Opening {
    let lines = messages.iter().map(|message| format!("{message}\n"));
    Opening {
        what,
        sent: lines.collect::<String>().into_bytes(),
        answers: answers.to_vec(),
    }
}

fn raw(what: &'static str, line: &[u8], answers: &[Value]) -> Opening {
    Opening {
        what,
        sent: line.to_vec(),
        answers: answers.to_vec(),
    }
}

fn request(id: i64, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

fn notification(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

fn initialize(id: i64, version: &str) -> Value {
    let client = json!({ "name": "client", "version": "1" });
    let params = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client });
    request(id, "initialize", params)
}

fn ping(id: i64) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "ping" })
}

fn list(id: i64) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/list" })
}

fn modern(id: i64, method: &str, version: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "client", "version": "1" },
    });
    request(id, method, params)
}

fn discover(id: i64) -> Value {
    modern(id, "server/discover", "2026-07-28", json!({}))
}

fn call(id: i64, params: Value) -> Value {
    request(id, "tools/call", params)
}

fn result(id: i64, part: Value) -> Value {
    json!({ "id": id, "result": part })
}

fn agreed(id: i64, version: &str) -> Value {
    result(id, json!({ "protocolVersion": version }))
}

fn pong(id: i64) -> Value {
    json!({ "id": id, "result": {} })
}

fn error(id: impl Into<Value>, code: i64) -> Value {
    json!({ "id": id.into(), "error": { "code": code } })
}

fn tools(id: i64) -> Value {
    result(
        id,
        json!({ "tools": [{ "name": "echo" }, { "name": "nothing" }] }),
    )
}

fn text(id: impl Into<Value>, text: &str) -> Value {
    let content = json!([{ "type": "text", "text": text }]);
    json!({ "id": id.into(), "result": { "content": content, "isError": false } })
}

fn tool_error(id: i64) -> Value {
    result(id, json!({ "isError": true }))
}

fn discovered(id: i64) -> Value {
    result(
        id,
        json!({ "supportedVersions": ["2026-07-28"], "resultType": "complete" }),
    )
}

fn handshakes() -> Vec<Opening> {
    let mut modern_call = modern(1, "tools/call", "2026-07-28", json!({ "name": "echo" }));
    modern_call["params"]["arguments"] = json!({ "text": "hi" });
    let cancel = notification("notifications/cancelled", json!({ "requestId": 1 }));
    let initialized = notification("notifications/initialized", json!({}));
    vec![
        opening(
            "an unknown version",
            &[initialize(1, "2099-01-01")],
            &[agreed(1, "2025-11-25")],
        ),
        opening(
            "the oldest version",
            &[initialize(1, "2024-11-05")],
            &[agreed(1, "2024-11-05")],
        ),
        opening(
            "a handshake for the version without one",
            &[initialize(1, "2026-07-28")],
            &[agreed(1, "2025-11-25")],
        ),
        opening("discover first", &[discover(1)], &[discovered(1)]),
        opening(
            "discover, then the old way",
            &[
                discover(1),
                initialize(2, "2025-06-18"),
                initialized.clone(),
                list(3),
            ],
            &[discovered(1), agreed(2, "2025-06-18"), tools(3)],
        ),
        opening(
            "a cancelled probe, then the old way",
            &[discover(1), cancel, initialize(2, "2025-11-25")],
            &[discovered(1), agreed(2, "2025-11-25")],
        ),
        opening(
            "a notification first",
            &[initialized, initialize(1, "2025-03-26")],
            &[agreed(1, "2025-03-26")],
        ),
        opening(
            "a modern call without discover",
            &[modern_call],
            &[text(1, "hi")],
        ),
        opening(
            "a modern version of the future",
            &[modern(1, "tools/list", "2030-01-01", json!({}))],
            &[json!({ "id": 1, "error": {
                "code": -32022,
                "data": { "supported": ["2026-07-28"], "requested": "2030-01-01" },
            }})],
        ),
        opening(
            "modern, then legacy",
            &[modern(1, "tools/list", "2026-07-28", json!({})), ping(2)],
            &[tools(1), pong(2)],
        ),
        opening("ping before the handshake", &[ping(1)], &[pong(1)]),
        opening("the list before the handshake", &[list(1)], &[tools(1)]),
        opening(
            "a second handshake",
            &[initialize(1, "2025-11-25"), initialize(2, "2025-06-18")],
            &[agreed(1, "2025-11-25"), agreed(2, "2025-06-18")],
        ),
    ]
}

fn requests() -> Vec<Opening> {
    vec![
        opening(
            "an unknown method",
            &[request(1, "no/such", json!({}))],
            &[error(1, -32601)],
        ),
        opening(
            "an unknown notification",
            &[notification("notifications/no_such", json!({})), ping(1)],
            &[pong(1)],
        ),
        opening(
            "an unknown tool",
            &[call(1, json!({ "name": "no" }))],
            &[error(1, -32602)],
        ),
        opening(
            "a call without a name",
            &[call(1, json!({}))],
            &[error(1, -32602)],
        ),
        opening(
            "arguments that are a text",
            &[call(1, json!({ "name": "echo", "arguments": "x" }))],
            &[tool_error(1)],
        ),
        opening(
            "null arguments where some are needed, and where none are",
            &[
                call(1, json!({ "name": "echo", "arguments": null })),
                call(2, json!({ "name": "nothing", "arguments": null })),
            ],
            &[tool_error(1), text(2, "nothing")],
        ),
        opening(
            "a missing argument",
            &[call(1, json!({ "name": "echo", "arguments": {} }))],
            &[tool_error(1)],
        ),
        opening(
            "an argument of the wrong type",
            &[call(
                1,
                json!({ "name": "echo", "arguments": { "text": 5 } }),
            )],
            &[tool_error(1)],
        ),
        opening(
            "a cursor that was never given",
            &[request(1, "tools/list", json!({ "cursor": "x" }))],
            &[error(1, -32602)],
        ),
        opening(
            "resources although there are none",
            &[request(1, "resources/list", json!({}))],
            &[error(1, -32601)],
        ),
    ]
}

fn lines() -> Vec<Opening> {
    let null = Value::Null;
    let ping_line = |id| format!("{}\n", ping(id)).into_bytes();
    let before_ping = |line: &[u8]| [line, b"\n".as_slice(), &ping_line(2)].concat();
    let long = "x".repeat(8 << 20);
    let oversized = json!({
        "jsonrpc": "2.0", "method": "tools/call", "id": "big/1",
        "params": { "name": "echo", "id": 9, "arguments": { "text": "{".repeat(50_000_000) } },
    });
    let oversized = oversized.to_string();
    let echo = json!({ "name": "echo", "arguments": { "text": "hi" } });
    let echo_with = |id: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{echo}}}"#)
            .into_bytes()
    };
    vec![
        raw(
            "a batch",
            &before_ping(br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#),
            &[error(null.clone(), -32600), pong(2)],
        ),
        raw(
            "broken JSON",
            &before_ping(br#"{"jsonrpc":"2.0","id":1,"#),
            &[error(null.clone(), -32700), pong(2)],
        ),
        raw(
            "a request without a method",
            &before_ping(br#"{"jsonrpc":"2.0","id":7,"method":5}"#),
            &[error(7, -32600), pong(2)],
        ),
        raw(
            "bytes that are no text",
            &before_ping(b"{\"method\":\"\xff\xfe\"}"),
            &[error(null.clone(), -32700), pong(2)],
        ),
        raw(
            "a blank line, then Windows line ends",
            b"\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n",
            &[pong(1)],
        ),
        raw(
            "the id null",
            &before_ping(br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#),
            &[error(null.clone(), -32600), pong(2)],
        ),
        raw(
            "an id with a fraction",
            &echo_with("1.0"),
            &[text(1.0, "hi")],
        ),
        raw(
            "an id that is a text",
            &echo_with("\"a/7\""),
            &[text("a/7", "hi")],
        ),
        opening(
            "an argument of 8 MiB",
            &[call(
                1,
                json!({ "name": "echo", "arguments": { "text": long } }),
            )],
            &[result(1, json!({ "isError": false }))],
        ),
        raw(
            "a line over the limit",
            &before_ping(&vec![b'x'; (16 << 20) + 1]),
            &[error(null, -32600), pong(2)],
        ),
        raw(
            "a request over the limit, which waits for its answer",
            &before_ping(oversized.as_bytes()),
            &[error("big/1", -32600), pong(2)],
        ),
        raw(
            "a last line without its end",
            &ping_line(1)[..ping_line(1).len() - 1],
            &[pong(1)],
        ),
        raw("nothing at all", b"", &[]),
    ]
}

/// Whether `whole` has everything that `part` has. Numbers compare as written: 1.0 is not 1.
fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => part
            .iter()
            .all(|(name, part)| whole.get(name).is_some_and(|whole| contains(whole, part))),
        (Value::Array(whole), Value::Array(part)) => {
            whole.len() == part.len() && whole.iter().zip(part).all(|(a, b)| contains(a, b))
        }
        (Value::Number(whole), Value::Number(part)) => {
            whole.is_f64() == part.is_f64() && whole == part
        }
        _ => whole == part,
    }
}

async fn check(openings: Vec<Opening>) {
    for Opening {
        what,
        sent,
        answers,
    } in openings
    {
        let got = scene::Stream::start().talk(sent).await;
        let fits = got.len() == answers.len()
            && got
                .iter()
                .zip(&answers)
                .all(|(got, wanted)| contains(got, wanted));
        assert!(fits, "{what}: expected {answers:#?}, got {got:#?}");
    }
}

#[tokio::test]
async fn every_way_to_begin_reaches_the_tools() {
    check(handshakes()).await;
}

#[tokio::test]
async fn requests_that_cannot_be_served_get_the_answer_that_clients_understand() {
    check(requests()).await;
}

#[tokio::test]
async fn lines_that_are_no_messages_cost_only_themselves() {
    check(lines()).await;
}
