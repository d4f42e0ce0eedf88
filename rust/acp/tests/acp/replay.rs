//! Every recorded line of every agent goes through wire, connection and session without a loss.

use agent_client_protocol_schema::v1;
use serde_json::{Value, json};
use siderail_acp::client_request::TerminalRequest;
use siderail_acp::connection::{Connection, Incoming};
use siderail_acp::initialize::{InitializeResult, NewSessionResult};
use siderail_acp::permission::{Choice, Outcome, PermissionOptionKind, PermissionRequest, choose};
use siderail_acp::prompt::{PromptResult, StopReason};
use siderail_acp::session::{Session, SessionState};
use siderail_acp::tool_call::{ToolCall, ToolCallStatus};
use siderail_acp::transport::{Inbound, TransportConfig, over};
use siderail_acp::update::SessionUpdateMessage;
use siderail_acp::wire::{Message, parse};
use siderail_acp::{SessionUpdate, schema};

use crate::recording::{Player, Recording};

#[test]
fn every_recording_plays_to_its_end_with_nothing_left_open() {
    let recordings = Recording::all();
    assert!(recordings.len() >= 95, "{} recordings", recordings.len());
    let mut n_messages = 0;
    for recording in &recordings {
        let mut player = Player::play_recording(recording);
        n_messages += recording.agent_lines().count();
        assert_eq!(
            player.connection.open_requests().count(),
            0,
            "{}: unanswered requests",
            player.name
        );
        assert_eq!(
            player.early.clear(),
            0,
            "{}: updates for no session",
            player.name
        );
        for update in player.updates() {
            assert!(
                !matches!(update, SessionUpdate::Unknown { .. }),
                "{}: {update:?}",
                player.name
            );
        }
        // codex-zed never answers a prompt that was sent into a running turn.
        let unanswered = usize::from(player.name == "codex-zed/prompt2_before");
        assert_eq!(
            player.connection.n_waiting(),
            unanswered,
            "{}: requests without answer",
            player.name
        );
        let open: Vec<_> = player.connection.open_requests().collect();
        assert!(open.is_empty(), "{}: {open:?}", player.name);
        if let Some(session) = player.session.as_ref().filter(|_| unanswered == 0) {
            assert_eq!(session.state(), &SessionState::Idle, "{}", player.name);
            let open = session
                .tool_calls()
                .filter(|call| call.is_open())
                .collect::<Vec<_>>();
            assert!(open.is_empty(), "{}: {open:?}", player.name);
        }
    }
    assert!(n_messages > 1500, "{n_messages} messages");
}

#[test]
fn every_permission_can_be_answered_by_kind_with_an_offered_option() {
    for recording in Recording::all() {
        let player = Player::play_recording(&recording);
        for (request, ..) in player.permissions() {
            for (choice, kind) in [
                (Choice::AllowOnce, PermissionOptionKind::AllowOnce),
                (Choice::RejectOnce, PermissionOptionKind::RejectOnce),
            ] {
                let Outcome::Selected(id) = choose(&request.options, choice) else {
                    panic!("{}: no {kind:?} in {:?}", player.name, request.options)
                };
                let option = request.options.iter().find(|option| option.id == id);
                assert_eq!(
                    option.map(|option| &option.kind),
                    Some(&kind),
                    "{}",
                    player.name
                );
            }
            assert!(request.tool_call_id().is_some(), "{}", player.name);
        }
    }
}

/// All session updates in a recording, read by way of the params and as plain values, with their lines.
fn updates(recording: &Recording) -> Vec<(SessionUpdateMessage, Value, &str)> {
    let mut found = Vec::new();
    for line in recording.agent_lines() {
        if let Ok(Message::Notification {
            method,
            params: Some(params),
        }) = parse(line.as_bytes())
            && method == "session/update"
        {
            let said = schema::value(&params)["update"].take();
            let update = SessionUpdateMessage::read(&params).expect("an update");
            found.push((update, said, line));
        }
    }
    found
}

#[test]
fn nothing_that_an_agent_said_in_an_update_is_lost() {
    let known = [
        "toolCallId",
        "sessionUpdate",
        "title",
        "name",
        "kind",
        "status",
        "content",
        "locations",
        "rawInput",
        "rawOutput",
        "_meta",
    ];
    for recording in Recording::all() {
        for (update, said, _) in updates(&recording) {
            let (SessionUpdate::ToolCall(fields) | SessionUpdate::ToolCallUpdate(fields)) =
                update.update
            else {
                continue;
            };
            for (key, value) in said.as_object().expect("an object") {
                let kept = known.contains(&key.as_str()) || fields.extra.get(key) == Some(value);
                assert!(kept, "{}: {key} of {said}", recording.name);
            }
        }
    }
}

/// What a transport reads of these lines.
async fn inbound(lines: &[&str]) -> Vec<Inbound> {
    let bytes = std::io::Cursor::new(lines.join("\n").into_bytes());
    let mut transport = over(bytes, tokio::io::sink(), TransportConfig::default());
    let mut inbound = Vec::new();
    while let Some(next) = transport.inbound.recv().await {
        inbound.push(next);
    }
    inbound
}

/// Updates are read in one pass where that is possible, and have to say the same as when they are read with care.
#[tokio::test]
async fn an_update_says_the_same_however_it_is_read() {
    let (mut n_at_once, mut n_known) = (0, 0);
    for recording in Recording::all() {
        let updates = updates(&recording);
        let lines = updates.iter().map(|(_, _, line)| *line).collect::<Vec<_>>();
        let inbound = inbound(&lines).await;
        assert_eq!(inbound.len(), lines.len() + 1, "{}", recording.name);
        for ((careful, _, line), inbound) in updates.iter().zip(inbound) {
            n_known += usize::from(!matches!(careful.update, SessionUpdate::Unknown { .. }));
            if let Inbound::Update(read) = inbound {
                assert_eq!(read.session_id, careful.session_id, "{line}");
                let [read_update, careful_update] =
                    [&read.update, &careful.update].map(|update| format!("{update:?}"));
                assert_eq!(read_update, careful_update, "{line}");
                let [meta, careful_meta] = [&read.meta, &careful.meta]
                    .map(|meta| meta.as_ref().map(|meta| meta.get().to_owned()));
                assert_eq!(meta, careful_meta, "{line}");
                n_at_once += 1;
            }
        }
    }
    assert!(
        n_at_once > 100,
        "{n_at_once} of {n_known} were read at once"
    );
}

/// Members in an order that no agent of today uses, members twice, members that belong elsewhere.
#[tokio::test]
async fn an_unusual_notification_comes_as_a_message_or_as_the_same_update() {
    let update = r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}"#;
    let turned = r#"{"content":{"text":"a","type":"text"},"sessionUpdate":"agent_message_chunk"}"#;
    for line in [
        format!(r#"{{"method":"session/update","params":{{"sessionId":"s","update":{update}}}}}"#),
        format!(
            r#"{{"jsonrpc":"2.0","params":{{"sessionId":"s","update":{update}}},"method":"session/update"}}"#
        ),
        format!(
            r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"update":{update},"sessionId":"s"}}}}"#
        ),
        format!(
            r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{turned}}}}}"#
        ),
        format!(
            r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{update}}},"x":1}}"#
        ),
    ] {
        let mut inbound = inbound(&[&line]).await;
        let update = match inbound.remove(0) {
            Inbound::Update(update) => update,
            Inbound::Message(message) => match Connection::<()>::new().handle(message) {
                Incoming::Update(update) => update,
                other => panic!("{line}: {other:?}"),
            },
            other => panic!("{line}: {other:?}"),
        };
        assert_eq!(update.session_id, "s");
        let SessionUpdate::AgentMessageChunk(chunk) = update.update else {
            panic!("{line}: {update:?}")
        };
        assert_eq!(chunk.content.text(), Some("a"));
    }
    let request = format!(
        r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{update}}},"id":1}}"#
    );
    let inbound = inbound(&[
        &request,
        "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{",
    ])
    .await;
    assert!(
        matches!(
            inbound[..],
            [
                Inbound::Message(Message::Request { .. }),
                Inbound::Noise { .. },
                Inbound::Closed
            ]
        ),
        "{inbound:?}"
    );
}

/// The schema crate reads the same traffic; where both have an opinion they agree.
#[test]
fn our_view_of_an_update_is_the_schemas_view() {
    let mut n_compared = 0;
    for recording in Recording::all() {
        for (update, said, _) in updates(&recording) {
            let theirs =
                serde_json::from_value::<v1::SessionUpdate>(said).expect("known to the schema");
            let (ours, theirs) = match (update.update, theirs) {
                (
                    SessionUpdate::AgentMessageChunk(ours),
                    v1::SessionUpdate::AgentMessageChunk(theirs),
                )
                | (
                    SessionUpdate::AgentThoughtChunk(ours),
                    v1::SessionUpdate::AgentThoughtChunk(theirs),
                ) => {
                    let id = theirs.message_id.map(|id| id.to_string());
                    (
                        json!([ours.content.typed(), ours.message_id]),
                        json!([theirs.content, id]),
                    )
                }
                (SessionUpdate::ToolCall(ours), v1::SessionUpdate::ToolCall(theirs)) => {
                    let mut call = ToolCall::new(ours.id.clone());
                    call.merge(*ours);
                    (
                        json!([
                            call.id,
                            call.title,
                            call.kind.as_deref().unwrap_or("other"),
                            call.status.as_str(),
                            call.name
                        ]),
                        json!([
                            theirs.tool_call_id,
                            theirs.title,
                            theirs.kind,
                            theirs.status,
                            theirs.name
                        ]),
                    )
                }
                (
                    SessionUpdate::ToolCallUpdate(ours),
                    v1::SessionUpdate::ToolCallUpdate(theirs),
                ) => {
                    let status = ours.status.as_ref().map(ToolCallStatus::as_str);
                    (
                        json!([
                            ours.id,
                            ours.title,
                            status,
                            ours.content.map(|content| content.len())
                        ]),
                        json!([
                            theirs.tool_call_id,
                            theirs.fields.title,
                            theirs.fields.status,
                            theirs.fields.content.map(|content| content.len())
                        ]),
                    )
                }
                (SessionUpdate::Usage(ours), v1::SessionUpdate::UsageUpdate(theirs)) => (
                    json!([ours.used, ours.size]),
                    json!([theirs.used, theirs.size]),
                ),
                (
                    SessionUpdate::ConfigOptions(ours),
                    v1::SessionUpdate::ConfigOptionUpdate(theirs),
                ) => {
                    let ours = ours.into_iter().map(|option| option.id).collect::<Vec<_>>();
                    let theirs = theirs
                        .config_options
                        .into_iter()
                        .map(|option| option.id.to_string());
                    (json!(ours), json!(theirs.collect::<Vec<_>>()))
                }
                _ => continue,
            };
            assert_eq!(ours, theirs, "{}", recording.name);
            n_compared += 1;
        }
    }
    assert!(n_compared > 900, "{n_compared} updates");
}

/// Whatever field of a real message is missing or of the wrong type: the client continues, and a request is answered or
/// handed on.
#[test]
fn no_field_of_a_wrong_type_brings_the_client_down() {
    let mut shapes = std::collections::HashSet::new();
    let mut n_mangled = 0;
    for recording in Recording::all() {
        for line in recording.agent_lines() {
            let message = serde_json::from_str::<Value>(line).expect("JSON");
            let tag = message.pointer("/params/update/sessionUpdate").cloned();
            let agent = recording.name.split('/').next().map(str::to_owned);
            if !shapes.insert((agent, message["method"].clone(), tag)) {
                continue;
            }
            for path in paths(&message) {
                for other in [
                    json!(null),
                    json!(-1.5),
                    json!("x"),
                    json!([[]]),
                    json!({"a": {}}),
                ] {
                    let mut mangled = message.clone();
                    *mangled.pointer_mut(&path).expect("its own path") = other;
                    feed(&mangled);
                    n_mangled += 1;
                }
            }
        }
    }
    assert!(n_mangled > 5000, "{n_mangled} messages");
}

/// The JSON pointers of everything in a value, arrays by their first item.
fn paths(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), value)];
    while let Some((path, value)) = open.pop() {
        match value {
            Value::Object(members) => {
                open.extend(members.iter().map(|(key, value)| {
                    (
                        format!("{path}/{}", key.replace('~', "~0").replace('/', "~1")),
                        value,
                    )
                }));
            }
            Value::Array(items) => {
                open.extend(items.first().map(|item| (format!("{path}/0"), item)))
            }
            _ => {}
        }
        found.push(path);
    }
    found
}

/// Gives a message to a client that waits for it.
fn feed(message: &Value) {
    let Ok(message) = parse(message.to_string().as_bytes()) else {
        return;
    };
    let mut connection = Connection::new();
    connection.request("session/prompt", &json!({}), ());
    let mut session = Session::new("s");
    session.begin_turn(1).expect("idle");
    let is_request = matches!(message, Message::Request { .. });
    let is_settled = match connection.handle(message) {
        Incoming::Update(update) => {
            session.apply(update.update);
            true
        }
        Incoming::Permission { id, params } => {
            if let Ok(request) = PermissionRequest::read(id.clone(), &params) {
                let outcome = choose(&request.options, Choice::AllowAlways);
                connection.answer(&id, &outcome).is_some()
            } else {
                connection.answer_cancelled(&id).is_some()
            }
        }
        Incoming::Terminal { id, method, params } => {
            let answer = match TerminalRequest::read(&method, &params) {
                Ok(_) => connection.answer_cancelled(&id),
                Err(error) => connection.answer_error(&id, &error),
            };
            answer.is_some()
        }
        Incoming::Response { outcome, .. } => {
            if let Ok(result) = outcome {
                let _any = (
                    InitializeResult::read(&result).is_ok(),
                    NewSessionResult::read(&result).is_ok(),
                );
                let reason = PromptResult::read(&result).stop_reason;
                session.end_turn(1, reason == StopReason::Cancelled);
            }
            true
        }
        Incoming::Fs(request) => connection.answer_cancelled(&request.id).is_some(),
        Incoming::Extension { id: Some(id), .. } => connection.answer_cancelled(&id).is_some(),
        Incoming::BadParams { answer, .. } => answer.is_empty() != is_request,
        _ => true,
    };
    assert!(is_settled);
    assert_eq!(connection.open_requests().count(), 0);
}
