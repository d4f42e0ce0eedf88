//! A session as a state machine: turns, upserts, boundaries, bounds.

use serde_json::{Value, json};
use siderail_acp::options::ConfigValue;
use siderail_acp::permission::{Outcome, PermissionRequest};
use siderail_acp::prompt::PromptResult;
use siderail_acp::session::{EarlyUpdates, NotIdle, Session, SessionState};
use siderail_acp::tool_call::ToolCallStatus;
use siderail_acp::update::SessionUpdateMessage;
use siderail_acp::wire::RequestId;
use siderail_acp::{SessionUpdate, schema};

fn apply(session: &mut Session, update: Value) -> bool {
    session.apply(read(&update)).starts_message
}

fn read(update: &Value) -> SessionUpdate {
    SessionUpdate::read(&schema::raw(update))
}

fn call(session: &mut Session, kind: &str, fields: Value) {
    let mut update = json!({"sessionUpdate": kind});
    update
        .as_object_mut()
        .expect("an object")
        .extend(fields.as_object().expect("an object").clone());
    apply(session, update);
}

#[test]
fn an_update_adds_to_a_call_and_says_nothing_by_being_empty() {
    let mut session = Session::new("s");
    call(
        &mut session,
        "tool_call_update",
        json!({"toolCallId": "c", "status": "in_progress", "own": 1}),
    );
    assert!(
        !session.tool_call("c").expect("known").announced,
        "an update may come first"
    );
    call(
        &mut session,
        "tool_call",
        json!({
            "toolCallId": "c", "title": "Edit", "kind": "edit", "rawInput": {"path": "/a"},
            "content": [{"type": "diff"}], "locations": [{"path": "/a", "line": 3}], "_meta": {"x": 1, "y": 1},
        }),
    );
    call(
        &mut session,
        "tool_call_update",
        json!({
            "toolCallId": "c", "title": "", "rawInput": {}, "content": [], "rawOutput": "", "_meta": {"y": 2}, "kind": null,
        }),
    );
    let call = session.tool_call("c").expect("known");
    assert!(call.announced);
    assert_eq!(call.title, "Edit");
    assert_eq!(call.kind.as_deref(), Some("edit"));
    assert_eq!(
        call.status,
        ToolCallStatus::InProgress,
        "the announcement did not say"
    );
    assert_eq!(call.raw_input, json!({"path": "/a"}));
    assert!(call.content.is_empty(), "arrays replace");
    let paths: Vec<_> = call.locations.iter().map(|place| &place["path"]).collect();
    assert_eq!(paths, ["/a"]);
    assert_eq!(call.meta, json!({"x": 1, "y": 2}));
    assert_eq!(call.extra["own"], 1);
    let expected = json!({
        "own": 1, "toolCallId": "c", "status": "in_progress", "title": "Edit", "kind": "edit",
        "locations": [{"path": "/a", "line": 3}], "rawInput": {"path": "/a"}, "rawOutput": "",
        "_meta": {"x": 1, "y": 2},
    });
    assert_eq!(call.to_value(), expected);
}

#[test]
fn a_call_that_is_announced_twice_stays_one_call_in_its_place() {
    let mut session = Session::new("s");
    for id in ["a", "b", "a"] {
        call(
            &mut session,
            "tool_call",
            json!({"toolCallId": id, "title": "t"}),
        );
    }
    let ids = session
        .tool_calls()
        .map(|call| call.id.as_str())
        .collect::<Vec<_>>();
    assert_eq!(ids, ["a", "b"]);
    assert_eq!(
        session.last_open_call().map(|call| call.id.as_str()),
        Some("b")
    );
    call(
        &mut session,
        "tool_call_update",
        json!({"toolCallId": "b", "status": "completed"}),
    );
    assert_eq!(
        session.last_open_call().map(|call| call.id.as_str()),
        Some("a")
    );
}

#[test]
fn an_end_is_taken_once_and_a_call_of_another_turn_under_its_id_has_one_of_its_own() {
    let mut session = Session::new("s");
    let (pending, ended) = (
        json!({"toolCallId": "c", "status": "pending", "title": "Read", "rawInput": {"path": "/a"}}),
        json!({"toolCallId": "c", "status": "completed"}),
    );
    session.begin_turn(1).expect("idle");
    call(&mut session, "tool_call", pending.clone());
    assert!(!session.take_end("c"), "it has not ended");
    call(&mut session, "tool_call_update", ended.clone());
    assert!(session.take_end("c") && !session.take_end("c"));
    call(&mut session, "tool_call_update", ended.clone());
    assert!(!session.take_end("c"), "the agent has said so again");

    // The same turn: the agent says more of the call that was, even if it calls it open.
    call(
        &mut session,
        "tool_call",
        json!({"toolCallId": "c", "status": "in_progress"}),
    );
    call(&mut session, "tool_call_update", ended.clone());
    assert!(!session.take_end("c"));
    session.end_turn(1, false).expect("the running turn");

    session.begin_turn(2).expect("idle");
    call(
        &mut session,
        "tool_call",
        json!({"toolCallId": "c", "kind": "read"}),
    );
    assert!(
        !session.take_end("c"),
        "without a status it is the call that was"
    );
    call(
        &mut session,
        "tool_call",
        json!({"toolCallId": "c", "status": "pending", "title": "List"}),
    );
    let anew = session.tool_call("c").expect("known");
    assert!(anew.is_open() && anew.raw_input.is_null(), "{anew:?}");
    call(&mut session, "tool_call_update", ended);
    assert!(session.take_end("c"));
}

#[test]
fn kinds_and_statuses_of_the_future_are_kept() {
    let mut session = Session::new("s");
    call(
        &mut session,
        "tool_call",
        json!({"toolCallId": 7, "title": "t", "kind": "dream", "status": "paused"}),
    );
    let call = session.tool_call("7").expect("a number is an id as well");
    assert_eq!(
        (call.kind.as_deref(), call.status.as_str()),
        (Some("dream"), "paused")
    );
    assert!(call.is_open());
    for (update, kind) in [
        (
            json!({"sessionUpdate": "compaction_update", "status": "x"}),
            "compaction_update",
        ),
        (json!({"sessionUpdate": "tool_call"}), "tool_call"),
        (
            json!({"sessionUpdate": "agent_message_chunk"}),
            "agent_message_chunk",
        ),
        (
            json!({"sessionUpdate": "usage_update", "used": "many"}),
            "usage_update",
        ),
        (json!({}), ""),
        (json!([]), ""),
    ] {
        match session.apply(read(&update)).update {
            SessionUpdate::Unknown { kind: found, raw } => {
                assert_eq!((found.as_str(), schema::value(&raw)), (kind, update));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_turn_begins_idle_and_ends_by_its_own_prompt_only() {
    let mut session = Session::new("s");
    session.begin_turn(4).expect("idle");
    assert_eq!(session.begin_turn(5), Err(NotIdle));
    assert_eq!(session.end_turn(5, false), None);
    call(
        &mut session,
        "tool_call",
        json!({"toolCallId": "c", "title": "t"}),
    );
    let end = session.end_turn(4, false).expect("the running turn");
    assert_eq!(end.unfinished, ["c"]);
    assert_eq!(
        session.tool_call("c").expect("known").status,
        ToolCallStatus::Failed
    );
    assert_eq!(
        session.end_turn(4, false),
        None,
        "a repeated answer ends nothing"
    );
    session
        .begin_turn(6)
        .expect("an error does not end the session");
    session.close();
    assert_eq!(session.begin_turn(7), Err(NotIdle));
    assert_eq!(session.state(), &SessionState::Closed);
}

#[test]
fn a_cancel_ends_what_is_open_and_still_takes_updates() {
    let mut session = Session::new("s");
    session.begin_turn(1).expect("idle");
    call(
        &mut session,
        "tool_call",
        json!({"toolCallId": "c", "title": "t"}),
    );
    call(
        &mut session,
        "tool_call",
        json!({"toolCallId": "d", "title": "t", "status": "completed"}),
    );
    session.cancel();
    assert_eq!(session.state(), &SessionState::Cancelling { request: 1 });
    let status = |session: &Session, id| session.tool_call(id).expect("known").status.clone();
    assert_eq!(status(&session, "c"), ToolCallStatus::Cancelled);
    assert_eq!(status(&session, "d"), ToolCallStatus::Completed);
    call(
        &mut session,
        "tool_call_update",
        json!({"toolCallId": "c", "status": "completed"}),
    );
    assert_eq!(status(&session, "c"), ToolCallStatus::Completed);
    call(
        &mut session,
        "tool_call",
        json!({"toolCallId": "e", "title": "t"}),
    );
    let end = session.end_turn(1, false).expect("the running turn");
    assert_eq!(
        (end.unfinished, status(&session, "e")),
        (vec!["e".to_owned()], ToolCallStatus::Cancelled)
    );
    session.cancel();
    assert_eq!(
        session.state(),
        &SessionState::Idle,
        "a cancel between turns changes nothing"
    );
}

#[test]
fn an_option_is_chosen_only_by_an_id_that_was_offered() {
    let params = schema::raw(
        &json!({"sessionId": "s", "options": [{"optionId": "y", "kind": "allow_once"}, {"kind": "x"}]}),
    );
    let request = PermissionRequest::read(RequestId::from_u64(0), &params).expect("a request");
    assert_eq!(
        request.options.len(),
        1,
        "an option without id cannot be chosen"
    );
    assert_eq!(request.pick("y"), Some(Outcome::Selected("y".to_owned())));
    assert_eq!(request.pick("z"), None, "ids are never invented");
}

#[test]
fn messages_are_told_apart_by_id_else_by_role_and_tool_call() {
    let mut session = Session::new("s");
    let chunk = |role: &str, id: Option<&str>| json!({"sessionUpdate": format!("{role}_chunk"), "content": {"type": "text", "text": "x"}, "messageId": id});
    let mut starts = |update| apply(&mut session, update);
    assert!(starts(chunk("agent_thought", None)));
    assert!(!starts(chunk("agent_thought", None)));
    assert!(starts(chunk("agent_message", None)));
    assert!(!starts(chunk("agent_message", Some("m1"))));
    assert!(!starts(chunk("agent_message", Some("m1"))));
    assert!(starts(chunk("agent_message", Some("m2"))));
    assert!(!starts(
        json!({"sessionUpdate": "usage_update", "used": 1, "size": 2})
    ));
    assert!(!starts(chunk("agent_message", Some("m2"))));
    assert!(!starts(
        json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "t"})
    ));
    assert!(starts(chunk("agent_message", Some("m2"))));
    assert!(starts(chunk("user_message", Some("m2"))));
}

#[test]
fn settings_follow_the_updates_and_unknown_ones_are_kept() {
    let mut session = Session::new("s");
    assert!(session.modes().is_none());
    apply(
        &mut session,
        json!({"sessionUpdate": "current_mode_update", "currentModeId": "ask"}),
    );
    assert_eq!(
        session.modes().map(|modes| modes.current.as_str()),
        Some("ask")
    );
    let options = json!([
        {"id": "m", "name": "Model", "category": "model", "type": "select", "currentValue": "b", "options": [
            {"name": "Fast", "group": "f", "options": [{"value": "a", "name": "A"}]}, {"value": "b", "name": "B"},
        ]},
        {"id": "t", "name": "Think", "type": "boolean", "currentValue": true},
        {"id": "u", "name": "New", "type": "slider", "currentValue": 3},
        {"name": "no id"},
    ]);
    apply(
        &mut session,
        json!({"sessionUpdate": "config_option_update", "configOptions": options}),
    );
    let [model, think, new] = session.config_options() else {
        panic!("three options")
    };
    let ConfigValue::Select { current, choices } = &model.value else {
        panic!("{model:?}")
    };
    let choices = choices
        .iter()
        .map(|choice| (choice.value.as_str(), choice.group.as_deref()))
        .collect::<Vec<_>>();
    assert_eq!(
        (current.as_str(), choices),
        ("b", vec![("a", Some("Fast")), ("b", None)])
    );
    assert_eq!(think.value, ConfigValue::Boolean { current: true });
    assert_eq!(
        (&new.value, &new.raw["currentValue"]),
        (&ConfigValue::Unknown, &json!(3))
    );
    for (update, title) in [
        (json!({"title": "T"}), Some("T")),
        (json!({}), Some("T")),
        (json!({"title": null}), None),
    ] {
        let mut update = update;
        update["sessionUpdate"] = "session_info_update".into();
        apply(&mut session, update);
        assert_eq!(session.title(), title);
    }
    let entries = json!([{"content": "a", "priority": "high", "status": "stuck"}]);
    apply(
        &mut session,
        json!({"sessionUpdate": "plan", "entries": entries}),
    );
    assert_eq!(session.plan()[0].status, "stuck");
    apply(
        &mut session,
        json!({"sessionUpdate": "usage_update", "used": 5, "size": 9, "cost": {"amount": 0.5, "currency": "USD"}}),
    );
    assert_eq!(
        session.usage().and_then(|usage| usage.cost.clone()),
        Some((0.5, "USD".to_owned()))
    );
}

#[test]
fn half_an_emoji_in_a_chunk_is_still_a_chunk() {
    let line = r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a\ud83d"},"_meta":{"x":"\ud83d"}}"#;
    match SessionUpdate::read(serde_json::from_str(line).expect("JSON")) {
        SessionUpdate::AgentMessageChunk(chunk) => {
            assert_eq!(chunk.content.text(), Some("a\u{fffd}"));
            assert_eq!(chunk.meta, json!({"x": "\u{fffd}"}));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn blocks_that_are_no_text_stay_whole() {
    for block in [
        json!({"type": "image", "data": "AA==", "mimeType": "image/png"}),
        json!({"type": "resource_link", "uri": "file:///a", "name": "a"}),
        json!({"type": "hologram", "text": "x"}),
        json!({"type": "text"}),
    ] {
        let update = json!({"sessionUpdate": "agent_message_chunk", "content": block});
        match read(&update) {
            SessionUpdate::AgentMessageChunk(chunk) => {
                let siderail_acp::content::ContentBlock::Other { kind, raw } = &chunk.content
                else {
                    panic!("{chunk:?}")
                };
                assert_eq!(
                    (kind.as_str(), schema::value(raw)),
                    (block["type"].as_str().expect("text"), block.clone())
                );
                let is_known = matches!(kind.as_str(), "image" | "resource_link");
                assert_eq!(chunk.content.typed().is_some(), is_known, "{block}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_long_session_does_not_grow() {
    let mut session = Session::new("s");
    for n in 0..20_000 {
        call(
            &mut session,
            "tool_call",
            json!({"toolCallId": n, "title": "t", "status": "completed"}),
        );
    }
    assert!(session.tool_calls().count() < 300);
    assert!(session.tool_call("19999").is_some(), "the latest are kept");
    for n in 0..20_000 {
        call(
            &mut session,
            "tool_call",
            json!({"toolCallId": format!("open{n}"), "title": "t"}),
        );
    }
    assert!(session.tool_calls().count() < 4500);
    assert_eq!(
        session.last_open_call().map(|call| call.id.as_str()),
        Some("open19999")
    );
}

#[test]
fn early_updates_are_refused_when_there_are_too_many() {
    let update = |session: &str| SessionUpdateMessage {
        session_id: session.to_owned(),
        update: read(&json!({"sessionUpdate": "x"})),
        meta: None,
        bytes: 100,
    };
    let mut early = EarlyUpdates::new(1000);
    let n_kept = (0..20)
        .filter(|n| {
            early
                .push(update(if n % 2 == 0 { "a" } else { "b" }))
                .is_ok()
        })
        .count();
    assert!((5..20).contains(&n_kept), "{n_kept}");
    let n_a = early.take("a").len();
    assert!(early.take("a").is_empty());
    assert!(early.push(update("a")).is_ok(), "room again");
    assert_eq!(n_a + early.clear() - 1, n_kept);
}

#[test]
fn tokens_beyond_all_counting_are_a_great_many_and_end_no_process() {
    let most = u64::MAX;
    let result =
        json!({"stopReason": "end_turn", "usage": {"inputTokens": most, "outputTokens": most}});
    let result = serde_json::value::to_raw_value(&result).expect("JSON");
    let usage = PromptResult::read(&result).usage;
    assert_eq!(usage.map(|usage| usage.total), Some(most));
}
