//! The protocol alone: calls, their answers, progress, cancellation, limits, and what each era adds.

use proptest::prelude::{any, prop, prop_assert, proptest};
use serde_json::{Value, json};
use siderail_mcp::result::cap;
use siderail_mcp::{CallResult, Limits, Output};
use siderail_wire::Line;

mod scene;

use scene::{Protocol, parse, sent};

const MODERN: [(&str, &str); 2] = [
    ("io.modelcontextprotocol/protocolVersion", "2026-07-28"),
    ("io.modelcontextprotocol/clientCapabilities", "{}"),
];

fn modern_meta() -> Value {
    MODERN
        .into_iter()
        .map(|(key, value)| {
            (
                key.to_owned(),
                serde_json::from_str(value).unwrap_or(json!(value)),
            )
        })
        .collect()
}

fn request(id: Value, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

fn cancelled(id: Value) -> Value {
    let params = json!({ "requestId": id, "reason": "the user said so" });
    json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params })
}

fn answer(protocol: &mut Protocol, message: &Value) -> Value {
    let answers = sent(&protocol.line(message));
    assert_eq!(answers.len(), 1, "one answer to {message}");
    answers[0].clone()
}

#[test]
fn a_call_is_answered_once_under_its_own_id() {
    let mut protocol = Protocol::new(Limits::default());
    let (first, second) = (
        protocol.call(json!("a"), json!({})),
        protocol.call(json!(2), json!({})),
    );
    assert_eq!(protocol.0.n_open(), 2);
    let answer = protocol.complete(second.key, "later first").unwrap();
    assert_eq!(answer["id"], json!(2));
    assert_eq!(
        answer["result"]["content"],
        json!([{ "type": "text", "text": "later first" }])
    );
    assert_eq!(answer["result"]["isError"], json!(false));
    assert_eq!(protocol.complete(second.key, "again"), None);
    assert_eq!(
        protocol.complete(first.key, "now").unwrap()["id"],
        json!("a")
    );
    assert_eq!(protocol.0.n_open(), 0);
}

#[test]
fn an_agents_own_call_id_reaches_the_permission_flow() {
    let mut protocol = Protocol::new(Limits::default());
    let meta = json!({ "claudecode/toolUseId": "toolu_1" });
    assert_eq!(protocol.call(json!(1), meta.clone()).meta, Some(meta));
}

#[test]
fn a_failure_is_a_result_and_its_flag_does_not_depend_on_its_text() {
    let mut protocol = Protocol::new(Limits::default());
    let call = protocol.call(json!(1), json!({}));
    let line = protocol
        .0
        .complete(call.key, CallResult::failure("STALE", "the file changed"));
    let answer = parse(&line.unwrap());
    assert_eq!(answer["result"]["isError"], json!(true));
    assert_eq!(
        answer["result"]["content"][0]["text"],
        json!("STALE: the file changed")
    );
    assert!(answer.get("error").is_none());

    let call = protocol.call(json!(2), json!({}));
    let answer = protocol
        .complete(call.key, "INTERNAL_ERROR: says a log file")
        .unwrap();
    assert_eq!(answer["result"]["isError"], json!(false));
}

#[test]
fn the_first_use_of_tools_tells_an_agent_from_a_probe() {
    let mut protocol = Protocol::new(Limits::default());
    let started = |outputs: Vec<Output>| outputs.first() == Some(&Output::Started);
    for probe in ["initialize", "ping", "server/discover", "no/such"] {
        assert!(
            !started(protocol.line(&request(json!(1), probe, json!({})))),
            "{probe}"
        );
    }
    assert!(started(protocol.line(&request(
        json!(2),
        "tools/list",
        json!({})
    ))));
    assert!(!started(protocol.line(&request(
        json!(3),
        "tools/list",
        json!({})
    ))));
    assert!(!started(protocol.line(&request(
        json!(4),
        "tools/call",
        json!({})
    ))));
}

#[test]
fn progress_goes_to_those_who_ask_and_only_ever_rises() {
    let mut protocol = Protocol::new(Limits::default());
    let silent = protocol.call(json!(1), json!({}));
    assert_eq!(protocol.0.progress(silent.key, 1.0, None, "half"), None);

    let asked = protocol.call(json!(2), json!({ "progressToken": "t" }));
    let mut report = |done, total| {
        protocol
            .0
            .progress(asked.key, done, total, "working")
            .map(|line| parse(&line)["params"].clone())
    };
    let first = report(0.0, Some(4.0)).unwrap();
    assert_eq!(
        first,
        json!({ "progressToken": "t", "progress": 0.0, "total": 4.0, "message": "working" })
    );
    assert!(report(2.0, None).is_some_and(|params| params.get("total").is_none()));
    assert_eq!(report(2.0, None), None);
    assert_eq!(report(1.0, None), None);
    assert_eq!(report(f64::NAN, None), None);
    assert_eq!(report(f64::INFINITY, None), None);
    assert!(report(2.5, Some(f64::NAN)).is_some());

    protocol.complete(asked.key, "done").unwrap();
    assert_eq!(protocol.0.progress(asked.key, 9.0, None, "late"), None);
}

#[test]
fn a_progress_token_that_is_no_token_is_passed_over() {
    let mut protocol = Protocol::new(Limits::default());
    for token in [json!(null), json!({}), json!([1]), json!(true)] {
        let call = protocol.call(json!(1), json!({ "progressToken": token }));
        assert_eq!(
            protocol.0.progress(call.key, 1.0, None, ""),
            None,
            "{token}"
        );
        protocol.complete(call.key, "");
    }
}

#[test]
fn a_cancelled_call_is_never_answered() {
    let mut protocol = Protocol::new(Limits::default());
    let call = protocol.call(json!("x"), json!({ "progressToken": 1 }));
    assert_eq!(
        protocol.line(&cancelled(json!("x"))),
        [Output::Cancelled(call.key)]
    );
    assert_eq!(protocol.0.progress(call.key, 1.0, None, ""), None);
    assert_eq!(protocol.complete(call.key, "too late"), None);
    // Some clients cancel what was answered, twice, or what never was.
    for id in [json!("x"), json!(99), json!(null), json!({})] {
        assert_eq!(protocol.line(&cancelled(id)), []);
    }
    let bare = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled" });
    assert_eq!(protocol.line(&bare), []);
}

#[test]
fn the_end_of_a_connection_cancels_its_calls() {
    let mut protocol = Protocol::new(Limits::default());
    let keys = [
        protocol.call(json!(1), json!({})).key,
        protocol.call(json!(2), json!({})).key,
    ];
    assert_eq!(protocol.0.cancel_all(), keys);
    assert_eq!(protocol.complete(keys[0], "late"), None);
    assert_eq!(protocol.0.cancel_all(), []);
}

#[test]
fn ping_is_answered_while_calls_run() {
    let mut protocol = Protocol::new(Limits::default());
    protocol.call(json!(1), json!({}));
    let ping = json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" });
    assert_eq!(answer(&mut protocol, &ping)["result"], json!({}));
}

#[test]
fn an_id_in_use_does_not_take_over_the_running_call() {
    let mut protocol = Protocol::new(Limits::default());
    let call = protocol.call(json!(1), json!({}));
    let again = request(json!(1), "tools/call", json!({ "name": "nothing" }));
    let refusal = answer(&mut protocol, &again);
    assert_eq!(
        (&refusal["id"], &refusal["error"]["code"]),
        (&Value::Null, &json!(-32600))
    );
    assert_eq!(
        protocol.complete(call.key, "first").unwrap()["id"],
        json!(1)
    );
    assert!(
        protocol
            .line(&again)
            .iter()
            .any(|output| matches!(output, Output::Call(_)))
    );
}

#[test]
fn too_many_calls_at_once_are_refused_not_queued() {
    let mut protocol = Protocol::new(Limits {
        calls: 2,
        ..Limits::default()
    });
    let first = protocol.call(json!(1), json!({}));
    protocol.call(json!(2), json!({}));
    let third = request(json!(3), "tools/call", json!({ "name": "nothing" }));
    let refusal = answer(&mut protocol, &third);
    assert_eq!(refusal["result"]["isError"], json!(true));
    // No bug of ours, and the model can do something about it.
    let text = refusal["result"]["content"][0]["text"].as_str().unwrap();
    assert!(
        text.starts_with("BUSY: ") && text.contains("not started; make it again"),
        "{text}"
    );
    protocol.complete(first.key, "").unwrap();
    assert!(matches!(protocol.line(&third)[..], [Output::Call(_)]));
}

#[test]
fn long_results_are_cut_and_say_so() {
    let limits = Limits {
        result_chars: 10_000,
        error_chars: 2_000,
        ..Limits::default()
    };
    let mut protocol = Protocol::new(limits);
    let mut text = |result: CallResult| {
        let call = protocol.call(json!(1), json!({}));
        let answer = parse(&protocol.0.complete(call.key, result).expect("it is open"));
        answer["result"]["content"][0]["text"]
            .as_str()
            .expect("a text")
            .to_owned()
    };
    for (result, n_chars) in [
        (CallResult::success("é".repeat(10_001)), 10_000),
        (CallResult::failure("TIMEOUT", "x".repeat(60_000)), 2_000),
    ] {
        let text = text(result);
        assert!(
            text.chars().count() < n_chars + 200,
            "{}",
            text.chars().count()
        );
        assert!(
            text.contains(&format!("[cut: the first {n_chars} of ")),
            "{text}"
        );
    }
    let whole = "é".repeat(10_000);
    assert_eq!(text(CallResult::success(whole.clone())), whole);
}

#[test]
fn a_page_as_long_as_a_tool_gives_on_request_passes_whole() {
    let mut protocol = Protocol::new(Limits::default());
    let call = protocol.call(json!(1), json!({}));
    let page = format!(
        "src/a.rs lines 1-900 of 2000\n{}\nnext: start_line 901",
        "x".repeat(30_000)
    );
    let answer = protocol
        .complete(call.key, page.clone())
        .expect("it is open");
    assert_eq!(answer["result"]["content"][0]["text"], json!(page));
}

#[test]
fn a_cut_falls_on_the_end_of_a_line_where_one_is_near() {
    let text = "0123456789\n".repeat(20);
    let cut = cap(text.clone(), 25, "read on from line 3");
    assert_eq!(
        cut,
        "0123456789\n0123456789\n[cut: the first 21 of 220 characters are shown; read on from line 3]"
    );
    assert_eq!(cap(text.clone(), 220, ""), text);
}

#[test]
fn every_tool_is_listed_with_all_four_hints() {
    let mut protocol = Protocol::new(Limits::default());
    let list = answer(&mut protocol, &request(json!(1), "tools/list", json!({})));
    let result = &list["result"];
    assert_eq!(
        result["tools"][1],
        json!({
            "name": "nothing",
            "title": "The nothing tool",
            "description": "Does nothing.",
            "inputSchema": { "type": "object", "properties": {} },
            "annotations": {
                "readOnlyHint": true,
                "destructiveHint": false,
                "idempotentHint": true,
                "openWorldHint": false,
            },
        })
    );
    assert_eq!(
        result.as_object().unwrap().len(),
        1,
        "legacy lists have no modern members"
    );
}

#[test]
fn a_legacy_client_learns_who_serves_it_and_how_to_use_it() {
    let mut protocol = Protocol::new(Limits::default());
    let message = request(
        json!(1),
        "initialize",
        json!({ "protocolVersion": "2025-06-18" }),
    );
    assert_eq!(
        answer(&mut protocol, &message)["result"],
        json!({
            "protocolVersion": "2025-06-18",
            "capabilities": { "tools": { "listChanged": false } },
            "serverInfo": { "name": "intellij-code-tools", "version": "1.2.3" },
            "instructions": "Use echo for echoes.",
        })
    );
}

#[test]
fn modern_results_say_what_they_are_and_who_made_them() {
    let mut protocol = Protocol::new(Limits::default());
    let check = |answer: Value, cacheable: bool| {
        let result = &answer["result"];
        assert_eq!(result["resultType"], json!("complete"), "{answer}");
        let server = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
        assert_eq!(server["name"], json!("intellij-code-tools"), "{answer}");
        assert_eq!(result["ttlMs"].is_u64(), cacheable, "{answer}");
        assert_eq!(
            result["cacheScope"] == json!("private"),
            cacheable,
            "{answer}"
        );
    };
    for method in ["server/discover", "tools/list"] {
        let message = request(json!(1), method, json!({ "_meta": modern_meta() }));
        check(answer(&mut protocol, &message), true);
    }
    let call = protocol.call(json!(2), modern_meta());
    check(protocol.complete(call.key, "x").unwrap(), false);
}

#[test]
fn a_modern_request_without_its_metadata_is_told_what_is_missing() {
    let mut protocol = Protocol::new(Limits::default());
    let mut check = |method: &str, meta: Value, missing: &str| {
        let refusal = answer(
            &mut protocol,
            &request(json!(1), method, json!({ "_meta": meta })),
        );
        assert_eq!(refusal["error"]["code"], json!(-32602));
        assert!(
            refusal["error"]["message"]
                .as_str()
                .is_some_and(|text| text.contains(missing)),
            "{refusal}"
        );
    };
    for (missing, _) in MODERN {
        let mut meta = modern_meta();
        meta.as_object_mut().unwrap().remove(missing);
        check("tools/list", meta.clone(), missing);
        check("server/discover", meta, missing);
    }
    // These are in no other version, so that nothing else can have been meant.
    for method in ["server/discover", "subscriptions/listen"] {
        check(method, json!({}), "protocolVersion");
        check(method, Value::Null, "protocolVersion");
    }
}

#[test]
fn the_modern_version_has_no_ping() {
    let mut protocol = Protocol::new(Limits::default());
    let ping = request(json!(1), "ping", json!({ "_meta": modern_meta() }));
    assert_eq!(answer(&mut protocol, &ping)["error"]["code"], json!(-32601));
}

#[test]
fn a_subscription_is_acknowledged_and_stays_open() {
    let mut protocol = Protocol::new(Limits::default());
    let filter = json!({ "notifications": { "toolsListChanged": true }, "_meta": modern_meta() });
    let acknowledged = answer(
        &mut protocol,
        &request(json!("s"), "subscriptions/listen", filter),
    );
    assert_eq!(
        acknowledged["method"],
        json!("notifications/subscriptions/acknowledged")
    );
    assert_eq!(
        acknowledged["params"],
        json!({ "_meta": { "io.modelcontextprotocol/subscriptionId": "s" }, "notifications": {} })
    );
    assert_eq!(protocol.line(&cancelled(json!("s"))), []);
}

#[test]
fn params_that_are_no_object_are_refused() {
    let mut protocol = Protocol::new(Limits::default());
    for params in [json!([]), json!("x"), json!(1)] {
        let refusal = answer(&mut protocol, &request(json!(1), "tools/list", params));
        assert_eq!(refusal["error"]["code"], json!(-32602));
    }
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{}{}}}}}"#,
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let outputs = protocol.0.handle_line(Line::Message(deep.into_bytes()));
    assert_eq!(sent(&outputs)[0]["error"]["code"], json!(-32602));
}

#[test]
fn answers_to_questions_that_were_never_asked_are_passed_over() {
    let mut protocol = Protocol::new(Limits::default());
    assert_eq!(
        protocol.line(&json!({ "jsonrpc": "2.0", "id": 1, "result": {} })),
        []
    );
    assert_eq!(
        protocol.line(&json!({ "jsonrpc": "2.0", "id": null, "error": "no" })),
        []
    );
}

fn wild_message() -> impl proptest::strategy::Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "jsonrpc",
        "id",
        "method",
        "params",
        "_meta",
        "name",
        "arguments",
        "text",
        "progressToken",
        "requestId",
        "tools/call",
        "tools/list",
        "initialize",
        "ping",
        "server/discover",
        "echo",
        "notifications/cancelled",
        "subscriptions/listen",
        "protocolVersion",
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "\"",
        "\\",
        "null",
        "1",
        "1.0",
        "-1e999",
        "true",
        " ",
        "\u{0}",
        "é",
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}}"#,
        r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#,
    ]);
    use proptest::strategy::Strategy as _;
    prop::collection::vec(word, 0..24).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn no_line_makes_the_server_panic_or_send_what_is_no_message(
        wild in prop::collection::vec(wild_message(), 1..8),
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let mut protocol = Protocol::new(Limits { calls: 4, ..Limits::default() });
        let lines = wild.into_iter().map(String::into_bytes).chain([bytes]);
        for line in lines {
            for output in protocol.0.handle_line(Line::Message(line)) {
                match output {
                    Output::Send(line) => prop_assert!(parse(&line).is_object()),
                    Output::Call(call) => prop_assert!(call.arguments.is_object()),
                    Output::Cancelled(_) | Output::Started | Output::Refused(_) => {}
                }
            }
        }
        prop_assert!(protocol.0.n_open() <= 4);
    }
}
