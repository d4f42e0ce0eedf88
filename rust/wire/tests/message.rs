//! Reading is lenient in what real agents send, writing is strict.

use serde_json::json;
use serde_json::value::RawValue;
use siderail_wire::message::{error, error_text, notification, parse, request, result};
use siderail_wire::{Message, ParseFailure, RequestId, RpcError, codes};

/// Says what kind of message a line is, in one short text.
fn read(line: &str) -> String {
    match parse(line.as_bytes()) {
        Ok(Message::Request { id, method, params }) => {
            format!(
                "request {id} {method} {}",
                params.map_or("-".into(), |params| params.to_string())
            )
        }
        Ok(Message::Notification { method, params }) => {
            format!(
                "notification {method} {}",
                params.map_or("-".into(), |params| params.to_string())
            )
        }
        Ok(Message::Response {
            id,
            outcome: Ok(result),
        }) => format!("result {id} {result}"),
        Ok(Message::Response {
            id,
            outcome: Err(error),
        }) => format!("error {id} {error}"),
        Err(ParseFailure::NotJson(_)) => "not JSON".to_owned(),
        Err(failure) => format!("{failure:?}"),
    }
}

#[track_caller]
fn check(line: &str, expected: &str) {
    assert_eq!(read(line), expected, "{line}");
}

#[test]
fn a_message_is_told_by_its_members_in_any_order() {
    check(
        r#"{"jsonrpc":"2.0","id":0,"method":"m","params":{"a":[1]}}"#,
        r#"request 0 m {"a":[1]}"#,
    );
    check(
        r#"{"params":{},"method":"m","id":"9f-3"}"#,
        r#"request "9f-3" m {}"#,
    );
    check(r#"{"method":"m"}"#, "notification m -");
    check(r#"{"jsonrpc":"2.0","result":{},"id":7}"#, "result 7 {}");
    check(r#"{"id":7,"result":null}"#, "result 7 null");
    check(
        r#"{"id":7,"result":{},"more":true,"_meta":{}}"#,
        "result 7 {}",
    );
    check(
        "  {\"id\" : 7 , \"result\" : { \"a\" : 1 } } ",
        "result 7 { \"a\" : 1 }",
    );
}

#[test]
fn an_id_of_null_makes_a_request_and_no_id_a_notification() {
    check(r#"{"id":null,"method":"m"}"#, "request null m -");
    check(r#"{"method":"m","params":null}"#, "notification m null");
}

#[test]
fn of_two_ids_the_last_counts() {
    check(r#"{"id":1,"result":{},"id":2}"#, "result 2 {}");
}

#[test]
fn an_error_that_belongs_to_no_request_is_still_an_error() {
    let line = r#"{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found","data":"foo/bar"}}"#;
    check(line, "error null Method not found (code -32601): foo/bar");
    let line = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#;
    check(line, "error null Parse error (code -32700)");
}

#[test]
fn an_error_of_any_shape_is_read() {
    check(r#"{"id":1,"error":"no"}"#, "error 1 no (code 0)");
    check(r#"{"id":1,"error":{}}"#, "error 1 no message (code 0)");
    check(
        r#"{"id":1,"error":{"code":-32603.0,"message":{"a":1},"data":{"b":2}}}"#,
        "error 1 {\"a\":1} (code -32603): {\"b\":2}",
    );
    check(r#"{"id":1,"error":42}"#, "error 1 42 (code 0)");
    check(
        r#"{"id":1,"result":null,"error":{"code":1,"message":"x"}}"#,
        "error 1 x (code 1)",
    );
    check(r#"{"id":1,"result":{},"error":null}"#, "result 1 {}");
    check(r#"{"id":1,"error":null}"#, "result 1 null");
}

#[test]
fn what_is_no_message_is_named_and_never_panics() {
    check("this is not json", "not JSON");
    check("[info] server ready", "not JSON");
    check("{\"id\":1,\"result\":", "not JSON");
    check("{} {}", "not JSON");
    check("[]", "Batch");
    check(r#"[{"id":1,"method":"m"}]"#, "Batch");
    check("12", "NotAnObject");
    check("\"text\"", "NotAnObject");
    check("{}", "NoMethod { id: RequestId(null) }");
    check(r#"{"id":1}"#, "NoMethod { id: RequestId(1) }");
    check(r#"{"id":1,"method":3}"#, "NoMethod { id: RequestId(1) }");
    let answer = |line: &str| {
        let (id, error) = parse(line.as_bytes()).expect_err(line).answer();
        (id.as_json().to_owned(), error.code)
    };
    let null = || "null".to_owned();
    assert_eq!(answer("{\"id\": \"a\"}"), ("\"a\"".to_owned(), -32600));
    assert_eq!(answer("[]"), (null(), -32600));
    assert_eq!(answer("{\"id\": 1"), (null(), -32700));
    check(r#"{"id":{},"method":"m"}"#, "BadId");
    check(r#"{"id":[1],"result":{}}"#, "BadId");
    check(r#"{"id":true,"method":"m"}"#, "BadId");
    assert_eq!(
        parse(b"{\"method\":\"\xff\"}").err(),
        Some(ParseFailure::NotUtf8)
    );
}

#[test]
fn deeply_nested_params_do_not_overflow_the_stack() {
    let deep = format!(
        r#"{{"method":"m","params":{}{}}}"#,
        "[".repeat(200_000),
        "]".repeat(200_000)
    );
    assert!(matches!(
        parse(deep.as_bytes()),
        Ok(Message::Notification { .. })
    ));
}

#[test]
fn ids_are_echoed_as_they_were_written() {
    for id in [
        "1",
        "1.0",
        "-4",
        "1e3",
        "\"a\\u0041\"",
        "null",
        "12345678901234567890123",
    ] {
        let line = format!(r#"{{"id": {id} ,"method":"m"}}"#);
        let Ok(Message::Request { id: read, .. }) = parse(line.as_bytes()) else {
            panic!("{line}")
        };
        assert_eq!(read.as_json(), id);
        let answer = String::from_utf8(result(&read, &json!({}))).unwrap();
        assert_eq!(
            answer,
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n")
        );
    }
}

#[test]
fn own_ids_are_recognised_even_when_echoed_as_floats() {
    let id =
        |text: &str| RequestId::from_raw(&RawValue::from_string(text.into()).unwrap()).unwrap();
    assert_eq!(id("7").as_u64(), Some(7));
    assert_eq!(id("7.0").as_u64(), Some(7));
    assert_eq!(id("7.5").as_u64(), None);
    assert_eq!(id("-7").as_u64(), None);
    assert_eq!(id("\"7\"").as_u64(), None);
    assert_eq!(id("null").as_u64(), None);
    assert!(id("null").is_null());
    assert_eq!(RequestId::from_u64(7), id("7"));
}

#[test]
fn written_messages_are_one_line_each() {
    let pretty = RawValue::from_string("{\r\n  \"a\": \"x\\ny\"\n}".into()).unwrap();
    let lines = [
        request(3, "session/new", &pretty),
        notification("session/cancel", &json!({"sessionId": "s"})),
        result(&RequestId::null(), &pretty),
        error(&RequestId::from_u64(4), &RpcError::method_not_found("x/y")),
        error_text(&RequestId::from_u64(4), "use the \"IDE\"\n"),
    ];
    let text = lines.map(|line| String::from_utf8(line).unwrap()).concat();
    assert_eq!(
        text,
        [
            r#"{"jsonrpc":"2.0","id":3,"method":"session/new","params":{    "a": "x\ny" }}"#,
            r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}"#,
            r#"{"jsonrpc":"2.0","id":null,"result":{    "a": "x\ny" }}"#,
            r#"{"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"method not found: x/y"}}"#,
            r#"{"jsonrpc":"2.0","id":4,"error":"use the \"IDE\"\n"}"#,
            "",
        ]
        .join("\n")
    );
}

#[test]
fn an_errors_data_reaches_whoever_reads_it() {
    let error = RpcError {
        data: Some(RawValue::from_string(r#""no key set""#.into()).unwrap()),
        ..RpcError::new(codes::AUTH_REQUIRED, "Authentication required")
    };
    assert_eq!(
        error.to_string(),
        "Authentication required (code -32000): no key set"
    );
    let line = String::from_utf8(siderail_wire::error(&RequestId::from_u64(1), &error)).unwrap();
    assert!(line.contains(r#""data":"no key set""#), "{line}");
}
