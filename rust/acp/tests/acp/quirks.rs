//! What real agents do beyond or against the protocol; each test names the recording that shows it.

use serde_json::value::RawValue;
use serde_json::{Value, json};
use siderail_acp::client_request::{FsAccess, TerminalRequest};
use siderail_acp::connection::{Connection, Incoming};
use siderail_acp::initialize::{AuthKind, InitializeResult, SystemPromptSupport};
use siderail_acp::permission::{Choice, Outcome, PermissionOption, PermissionOptionKind, choose};
use siderail_acp::prompt::StopReason;
use siderail_acp::session::SessionState;
use siderail_acp::tool_call::ToolCallFields;
use siderail_acp::wire::{RpcError, codes, parse};
use siderail_acp::{AcpError, SessionUpdate, schema};

use crate::recording::{Player, Recording, Seen};

fn raw(value: Value) -> Box<RawValue> {
    schema::raw(&value)
}

/// Feeds a connection that has `n` requests of ours open one line, and says in a word what it was.
fn handle(n: usize, line: &str) -> (Connection<usize>, String) {
    let mut connection = Connection::new();
    for tag in 0..n {
        connection.request("session/prompt", &json!({}), tag);
    }
    let word = word(&mut connection, line);
    (connection, word)
}

fn word(connection: &mut Connection<usize>, line: &str) -> String {
    match connection.handle(parse(line.as_bytes()).expect("a message")) {
        Incoming::Response { id, outcome, .. } => format!(
            "response {id} {}",
            if outcome.is_ok() { "ok" } else { "error" }
        ),
        Incoming::Update(update) => format!("update of {}", update.session_id),
        Incoming::Permission { id, .. } => format!("permission {id}"),
        Incoming::Fs(request) => format!("fs {}", request.path),
        Incoming::Terminal { method, .. } => method,
        Incoming::Elicitation { id, .. } => format!("elicitation {id}"),
        Incoming::Cancelled { id } => format!("cancelled {id}"),
        Incoming::Extension {
            id: Some(_),
            method,
            ..
        } => format!("request {method}"),
        Incoming::Extension {
            id: None, method, ..
        } => format!("notification {method}"),
        Incoming::Ignored { .. } => "ignored".to_owned(),
        Incoming::BadParams { answer, .. } => String::from_utf8(answer).expect("text"),
    }
}

/// `vibe/deny`, `claude/deny` and four others: their ids start at 0 and meet ours.
#[test]
fn the_agents_ids_and_ours_do_not_meet() {
    for name in [
        "vibe/deny",
        "claude/deny",
        "copilot/deny",
        "opencode/deny",
        "codex/deny",
    ] {
        let player = Player::play(name);
        let ids = player
            .permissions()
            .map(|(request, ..)| request.id.to_string())
            .collect::<Vec<_>>();
        assert_eq!(ids[..2], ["0", "1"], "{name}");
    }
    let (mut connection, _) = handle(
        1,
        r#"{"id":1,"method":"session/request_permission","params":{}}"#,
    );
    assert_eq!(
        word(&mut connection, r#"{"id":1,"result":{}}"#),
        "response 1 ok"
    );
    assert_eq!(
        connection.open_requests().count(),
        1,
        "the agent's own 1 is still to be answered"
    );
}

/// `codex-zed/deny`: ids are UUIDs, and come after everything else.
#[test]
fn text_ids_are_echoed_verbatim() {
    let player = Player::play("codex-zed/deny");
    let (request, ..) = player.permissions().next().expect("a permission");
    assert_eq!(
        request.id.as_json().len(),
        38,
        "a quoted UUID: {}",
        request.id
    );
    let line = Recording::open("codex-zed/deny")
        .agent_lines()
        .find(|line| line.contains("request_permission"))
        .expect("one")
        .to_owned();
    assert!(
        line.ends_with(&format!("\"id\": {}}}", request.id)),
        "{line}"
    );
    let mut connection = Connection::<()>::new();
    connection.handle(parse(line.as_bytes()).expect("a message"));
    let answer = connection
        .answer(&request.id, &Outcome::Cancelled)
        .expect("open");
    let expected = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{\"outcome\":{{\"outcome\":\"cancelled\"}}}}}}\n",
        request.id
    );
    assert_eq!(String::from_utf8(answer).expect("text"), expected);
}

/// `codex-zed/probe`: unknown notifications, blank lines and lines that are no JSON are answered without an id.
/// `claude/probe`, `codex/probe`, `sdk-ts/probe`: or with `"id": null`.
#[test]
fn errors_that_belong_to_no_request_are_only_logged() {
    assert_eq!(Player::play("codex-zed/probe").ignored().len(), 5);
    for name in ["claude/probe", "codex/probe", "sdk-ts/probe"] {
        let player = Player::play(name);
        let ignored = player.ignored();
        assert!(
            matches!(ignored[..], [why] if why.contains("-32700")),
            "{name}: {ignored:?}"
        );
    }
}

/// `vibe/prompt2_before`: the second prompt is refused while the first runs; `openhands/prompt2_before`: the answers
/// come 5, 3, 4; `codex-zed/prompt2_before`: the second is never answered.
#[test]
fn answers_out_of_order_end_the_right_turn() {
    let player = Player::play("vibe/prompt2_before");
    let ends = player
        .turn_ends()
        .map(|(id, outcome)| (id, outcome.is_ok()))
        .collect::<Vec<_>>();
    assert_eq!(ends, [(5, false), (4, true)]);
    let player = Player::play("openhands/prompt2_before");
    let ends = player.turn_ends().map(|(id, _)| id).collect::<Vec<_>>();
    assert_eq!(ends, [5, 3, 4]);
    let player = Player::play("codex-zed/prompt2_before");
    let ends = player.turn_ends().map(|(id, _)| id).collect::<Vec<_>>();
    assert_eq!(ends, [3, 5]);
}

/// `copilot/allow`, `vibe/deny`: updates come ahead of the result that names their session.
#[test]
fn updates_before_their_session_is_known_are_applied_once_it_is() {
    for (name, expected) in [("copilot/allow", 1), ("vibe/deny", 2), ("claude/allow", 0)] {
        let player = Player::play(name);
        let n_early = player.seen.iter().find_map(|seen| match seen {
            Seen::Opened { n_early, .. } => Some(*n_early),
            _ => None,
        });
        assert_eq!(n_early, Some(expected), "{name}");
        assert!(
            !player.session.expect("a session").commands().is_empty(),
            "{name}"
        );
    }
}

/// `opencode/read_outside`: one tool call, two questions about it, both to be answered.
#[test]
fn two_questions_about_one_tool_call_are_two_questions() {
    let player = Player::play("opencode/read_outside");
    let asked = player.permissions().map(|(request, ..)| {
        let kind = schema::text(&request.tool_call, "kind")
            .expect("a kind")
            .to_owned();
        (
            request.id.to_string(),
            request.tool_call_id().expect("an id").to_owned(),
            kind,
        )
    });
    let ids = |id: &str, kind: &str| (id.to_owned(), "call_0001".to_owned(), kind.to_owned());
    assert_eq!(
        asked.collect::<Vec<_>>(),
        [ids("0", "other"), ids("1", "read")]
    );
}

/// `vibe/deny`: the request holds nothing but an id; what it is about was announced before.
#[test]
fn a_bare_request_is_joined_with_the_announced_call() {
    let player = Player::play("vibe/deny");
    let (request, stored, _) = player.permissions().last().expect("a permission");
    assert_eq!(request.tool_call.as_object().expect("an object").len(), 1);
    let stored = stored.expect("announced before");
    assert!(stored.announced);
    assert_eq!(stored.raw_input, json!({"command": "./gradlew test"}));
    assert_eq!(stored.meta["tool_name"], "bash");
    assert_eq!(stored.kind.as_deref(), Some("execute"));
    let pattern = "/1/_meta/required_permissions/0/invocation_pattern";
    assert_eq!(
        request.raw_options.pointer(pattern),
        Some(&json!("./gradlew test"))
    );
}

/// `codex/deny_mcp`: an MCP tool is asked for without a title; server and tool are in the announcement.
#[test]
fn a_request_without_title_is_joined_with_the_announced_call() {
    let player = Player::play("codex/deny_mcp");
    let (request, stored, _) = player.permissions().next().expect("a permission");
    assert_eq!(request.tool_call.get("title"), None);
    assert_eq!(request.meta["is_mcp_tool_approval"], true);
    let stored = stored.expect("announced before");
    assert_eq!(stored.raw_input["server"], "intellij-code-tools");
    assert_eq!(stored.to_value()["rawInput"]["tool"], "intellij_write_file");
}

/// `openhands/deny`: every question has the same id, which was never announced.
#[test]
fn a_question_with_a_foreign_id_is_about_the_call_announced_last() {
    let player = Player::play("openhands/deny");
    let asked = player.permissions().collect::<Vec<_>>();
    let ids = asked
        .iter()
        .map(|(request, ..)| request.tool_call_id())
        .collect::<Vec<_>>();
    assert!(ids.windows(2).all(|pair| pair[0] == pair[1]), "{ids:?}");
    let mut about = Vec::new();
    for (_, stored, last_open) in &asked {
        assert!(stored.is_none());
        about.push(last_open.expect("a call is open").id.as_str());
    }
    let n = about.len();
    about.dedup();
    assert_eq!(
        about.len(),
        n,
        "each question is about another call: {about:?}"
    );
}

/// `gemini/allow`: questions come without an announcement.
#[test]
fn a_question_ahead_of_its_announcement_names_its_call() {
    let player = Player::play("gemini/allow");
    let (request, stored, last_open) = player.permissions().next().expect("a permission");
    assert!(stored.is_none() && last_open.is_none());
    let asked = ToolCallFields::read(&request.tool_call).expect("it has an id");
    assert_eq!(Some(asked.id.as_str()), request.tool_call_id());
    assert_eq!(asked.kind.as_deref(), Some("edit"));
}

/// `openhands/allow`, `fast-agent/allow`: `_meta` is wrapped in `field_meta`, beside the update and within it.
#[test]
fn wrapped_meta_is_found() {
    let recording = Recording::open("openhands/allow");
    let line = recording
        .agent_lines()
        .find(|line| line.contains("field_meta"))
        .expect("one");
    let Incoming::Update(update) =
        Connection::<()>::new().handle(parse(line.as_bytes()).expect("a message"))
    else {
        panic!("{line}")
    };
    let meta = json!({"_meta": schema::value(&update.meta.expect("meta"))});
    assert!(
        schema::meta(&meta).get("openhands.dev/metrics").is_some(),
        "{meta}"
    );

    let player = Player::play("fast-agent/allow");
    let metas = player.updates().filter_map(|update| match update {
        SessionUpdate::ToolCall(fields) | SessionUpdate::ToolCallUpdate(fields) => {
            fields.meta.clone()
        }
        SessionUpdate::AgentMessageChunk(chunk) => Some(chunk.meta.clone()),
        _ => None,
    });
    let metas = metas.filter(|meta| !meta.is_null()).collect::<Vec<_>>();
    assert!(
        metas.iter().all(|meta| meta.get("field_meta").is_none()),
        "{metas:?}"
    );
}

/// Asked for more than they speak, Claude and Codex answer 2, OpenHands and fast-agent echo the question.
#[test]
fn another_protocol_version_is_refused_with_a_message() {
    for version in [
        json!(2),
        json!(99),
        json!(0),
        json!("1"),
        json!(null),
        json!(1.5),
    ] {
        let failure =
            InitializeResult::read(&raw(json!({"protocolVersion": version}))).expect_err("refused");
        assert!(
            matches!(failure, AcpError::Version { .. }),
            "{version}: {failure}"
        );
        assert!(
            failure.to_string().contains(&format!("version {version}")),
            "{failure}"
        );
    }
    assert!(matches!(
        InitializeResult::read(&raw(json!({}))),
        Err(AcpError::Result { .. })
    ));
    for version in [json!(1), json!(1.0)] {
        assert!(InitializeResult::read(&raw(json!({"protocolVersion": version}))).is_ok());
    }
}

/// `gemini/allow`, `qwen/allow`, `codex/allow`: a field that left the schema is still sent, and kept.
#[test]
fn models_are_kept_although_no_schema_knows_them() {
    for name in ["gemini/allow", "qwen/allow", "codex/allow"] {
        let player = Player::play(name);
        let opened = player.seen.iter().find_map(|seen| match seen {
            Seen::Opened { result, .. } => Some(schema::value(&result.raw)),
            _ => None,
        });
        let opened = opened.expect("a session");
        assert!(
            opened["models"]["availableModels"].is_array(),
            "{name}: {opened}"
        );
    }
}

/// All agents: whatever answers nothing of ours is ignored, and answered by nothing.
#[test]
fn late_repeated_and_foreign_responses_are_ignored() {
    let (mut connection, first) = handle(2, r#"{"id":2,"result":{}}"#);
    assert_eq!(first, "response 2 ok");
    assert_eq!(word(&mut connection, r#"{"id":2,"result":{}}"#), "ignored");
    assert_eq!(word(&mut connection, r#"{"id":7,"result":{}}"#), "ignored");
    assert_eq!(
        word(&mut connection, r#"{"id":"1","result":{}}"#),
        "ignored"
    );
    assert_eq!(
        word(&mut connection, r#"{"id":null,"result":{}}"#),
        "ignored"
    );
    let (tag, line) = connection.abandon(1).expect("open");
    assert_eq!(tag, 0);
    assert_eq!(
        String::from_utf8(line).expect("text"),
        "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":1}}\n"
    );
    assert_eq!(
        word(
            &mut connection,
            r#"{"id":1,"error":{"code":-32800,"message":"cancelled"}}"#
        ),
        "ignored"
    );
    assert!(connection.abandon(1).is_none());
}

/// Two requests under one id could not be told apart by their answers, so the second gets none.
#[test]
fn a_request_with_an_id_that_is_still_open_is_not_answered() {
    let ask = r#"{"id":0,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/a"}}"#;
    let (mut connection, first) = handle(0, ask);
    assert_eq!(first, "fs /a");
    assert_eq!(word(&mut connection, ask), "ignored");
    let id = connection.open_requests().next().expect("one").0.clone();
    assert!(connection.answer(&id, &json!({"content": ""})).is_some());
    assert!(connection.answer_error_text(&id, "too late").is_none());
    assert_eq!(word(&mut connection, ask), "fs /a", "free again");
}

/// `claude/cancel`, `codex/cancel`: the agent takes back its question; it still gets an answer, exactly one.
#[test]
fn a_question_that_is_taken_back_is_closed_and_answered() {
    for name in ["claude/cancel", "codex/cancel"] {
        let player = Player::play(name);
        let taken_back = player.seen.iter().filter_map(|seen| match seen {
            Seen::Cancelled(id) => Some(id.to_string()),
            _ => None,
        });
        assert_eq!(taken_back.collect::<Vec<_>>(), ["0"], "{name}");
    }
    let (mut connection, _) = handle(
        0,
        r#"{"id":"x","method":"session/request_permission","params":{"sessionId":"s"}}"#,
    );
    assert_eq!(
        word(
            &mut connection,
            r#"{"method":"$/cancel_request","params":{"requestId":"x"}}"#
        ),
        "cancelled \"x\""
    );
    let id = connection
        .open_requests()
        .next()
        .expect("still open")
        .0
        .clone();
    let answer = connection.answer_cancelled(&id).expect("open");
    assert!(
        String::from_utf8(answer)
            .expect("text")
            .contains(r#""result":{"outcome":{"outcome":"cancelled"}}"#)
    );
    assert_eq!(
        word(
            &mut connection,
            r#"{"method":"$/cancel_request","params":{"requestId":"x"}}"#
        ),
        "ignored"
    );
}

/// Gemini and Vibe never end a turn, nor exit, while a question of theirs is open (`gemini/cancel`, `vibe/cancel`).
#[test]
fn closing_answers_everything_that_is_open_in_the_way_of_its_method() {
    let (mut connection, _) = handle(
        2,
        r#"{"id":0,"method":"session/request_permission","params":{}}"#,
    );
    for line in [
        r#"{"id":"e","method":"elicitation/create","params":{"message":"?"}}"#,
        r#"{"id":2,"method":"terminal/wait_for_exit","params":{}}"#,
        r#"{"id":3,"method":"_x/y"}"#,
    ] {
        word(&mut connection, line);
    }
    let answers = connection
        .drain_open()
        .into_iter()
        .map(|line| String::from_utf8(line).expect("text"));
    let expected = [
        r#""id":0,"result":{"outcome":{"outcome":"cancelled"}}}"#,
        r#""id":"e","result":{"action":"cancel"}}"#,
        r#""id":2,"error":{"code":-32800,"message":"request cancelled"}}"#,
        r#""id":3,"error":{"code":-32800,"message":"request cancelled"}}"#,
    ];
    assert_eq!(answers.len(), expected.len());
    for (answer, expected) in answers.zip(expected) {
        assert!(answer.trim_end().ends_with(expected), "{answer}");
    }
    assert!(connection.drain_open().is_empty());
    assert_eq!(connection.n_waiting(), 2, "ours still are");
}

/// `qwen/allow`: `craft/drainMidTurnQueue` and its notifications; `claude/allow`: `_auth/status_update`.
#[test]
fn methods_outside_the_core_are_the_callers_to_decide() {
    let extensions = |name| {
        let player = Player::play(name);
        let mut methods = player
            .seen
            .into_iter()
            .filter_map(|seen| match seen {
                Seen::Extension { method, is_request } => Some((method, is_request)),
                _ => None,
            })
            .collect::<Vec<_>>();
        methods.sort();
        methods.dedup();
        methods
    };
    let own = |method: &str, is_request| (method.to_owned(), is_request);
    assert_eq!(
        extensions("qwen/allow"),
        [
            own("craft/drainMidTurnQueue", true),
            own("qwen/notify/session/mode-update", false),
            own("qwen/notify/session/prompt-suggestion", false),
        ]
    );
    assert_eq!(
        extensions("claude/allow"),
        [own("_auth/status_update", false)]
    );

    let (mut connection, said) = handle(0, r#"{"id":5,"method":"cursor/ask_question"}"#);
    assert_eq!(said, "request cursor/ask_question");
    let id = connection.open_requests().next().expect("one").0.clone();
    let unknown = RpcError::method_not_found("cursor/ask_question");
    let answer = connection.answer_error(&id, &unknown).expect("open");
    let answer = String::from_utf8(answer).expect("text");
    assert!(
        answer.contains("-32601") && answer.contains("cursor/ask_question"),
        "{answer}"
    );
}

/// Vibe and codex-zed wait for ever when a permission request is answered with an error.
#[test]
fn a_broken_permission_request_is_answered_cancelled_and_a_broken_file_request_with_an_error() {
    let (connection, answer) = handle(0, r#"{"id":3,"method":"session/request_permission"}"#);
    assert_eq!(
        answer,
        "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"outcome\":{\"outcome\":\"cancelled\"}}}\n"
    );
    assert_eq!(connection.open_requests().count(), 0);
    let (connection, answer) = handle(
        0,
        r#"{"id":3,"method":"fs/write_text_file","params":{"sessionId":"s","path":"/a"}}"#,
    );
    assert!(
        answer.contains("-32602") && answer.contains("content is missing"),
        "{answer}"
    );
    assert_eq!(connection.open_requests().count(), 0);
    assert_eq!(
        handle(0, r#"{"method":"session/update","params":{"update":{}}}"#).1,
        "",
        "nothing to answer"
    );
}

/// `gemini/allow`, `fast-agent/allow`: edits and commands through the client.
#[test]
fn file_and_terminal_requests_are_read() {
    let player = Player::play("gemini/allow");
    let wrote = player.seen.iter().any(|seen| {
        matches!(seen, Seen::Fs(request) if request.path == "/project/src/App.java"
            && request.access == FsAccess::Write { content: "class App {\n    int x = 2;\n}\n".to_owned() })
    });
    assert!(wrote);
    let player = Player::play("fast-agent/allow");
    let n_terminal = player
        .seen
        .iter()
        .filter(|seen| matches!(seen, Seen::Terminal(TerminalRequest::Create(_))))
        .count();
    assert_eq!(n_terminal, 2);
}

/// `gemini/deny`: the model reads the reason only when the whole `error` is a text.
#[test]
fn an_error_can_be_a_bare_text() {
    let (mut connection, _) = handle(
        0,
        r#"{"id":2,"method":"fs/write_text_file","params":{"sessionId":"s","path":"/a","content":""}}"#,
    );
    let id = connection.open_requests().next().expect("one").0.clone();
    let answer = connection
        .answer_error_text(&id, "use intellij_write_file")
        .expect("open");
    assert_eq!(
        String::from_utf8(answer).expect("text"),
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":\"use intellij_write_file\"}\n"
    );
}

/// `openhands/cancel`: a cancelled turn ends `end_turn` there, and ends all the same.
#[test]
fn a_cancelled_turn_may_end_with_any_stop_reason() {
    let player = Player::play("openhands/cancel");
    let reasons = player
        .turn_ends()
        .map(|(_, outcome)| outcome.clone().expect("a result").stop_reason);
    assert_eq!(reasons.collect::<Vec<_>>(), [StopReason::EndTurn]);
    let session = player.session.expect("a session");
    assert_eq!(session.state(), &SessionState::Idle);
    assert!(session.tool_calls().all(|call| !call.is_open()));
}

/// Each agent's own option ids, from the recordings' `deny` and `allow`.
#[test]
fn the_option_that_says_no_more_than_meant_is_chosen() {
    let options = |ids: &[(&str, &str)]| {
        let option = |(id, kind): &(&str, &str)| PermissionOption {
            id: (*id).to_owned(),
            name: String::new(),
            kind: PermissionOptionKind::read(kind),
        };
        ids.iter().map(option).collect::<Vec<_>>()
    };
    let check = |ids: &[(&str, &str)], once: &str, always: &str, reject: &str| {
        let options = options(ids);
        let chosen =
            [Choice::AllowOnce, Choice::AllowAlways, Choice::RejectOnce].map(
                |choice| match choose(&options, choice) {
                    Outcome::Selected(id) => id,
                    Outcome::Cancelled => "-".to_owned(),
                },
            );
        assert_eq!(chosen, [once, always, reject], "{ids:?}");
    };
    // gemini: "always" comes first, and twice.
    check(
        &[
            ("proceed_always_server", "allow_always"),
            ("proceed_always_tool", "allow_always"),
            ("proceed_once", "allow_once"),
            ("cancel", "reject_once"),
        ],
        "proceed_once",
        "proceed_always_tool",
        "cancel",
    );
    // openhands: a second "once" that also lifts later questions, in either order.
    check(
        &[
            ("risk_based", "allow_once"),
            ("reject", "reject_once"),
            ("always_proceed", "allow_always"),
            ("accept", "allow_once"),
        ],
        "accept",
        "always_proceed",
        "reject",
    );
    // codex: `decline` continues where `cancel` ends the turn.
    check(
        &[
            ("allow_once", "allow_once"),
            ("allow_always", "allow_always"),
            ("allow_session", "allow_always"),
            ("cancel", "reject_once"),
            ("decline", "reject_once"),
        ],
        "allow_once",
        "allow_session",
        "decline",
    );
    // vibe, outside the project.
    check(
        &[
            ("allow_permanent_exact", "allow_always"),
            ("allow_session_exact", "allow_always"),
            ("allow_once", "allow_once"),
            ("reject_once", "reject_once"),
        ],
        "allow_once",
        "allow_session_exact",
        "reject_once",
    );
    // fast-agent: "never again" is not chosen for "no".
    check(
        &[
            ("reject_always", "reject_always"),
            ("allow_always", "allow_always"),
        ],
        "-",
        "allow_always",
        "-",
    );
    // Nothing is guessed from an unknown kind, a name or a place.
    check(&[("allow", "yes"), ("deny", "deny_once")], "-", "-", "-");
    check(&[], "-", "-", "-");
    check(&[("once", "allow_once")], "once", "once", "-");
}

/// The `initialize` results of all agents, read as what a client may then do.
#[test]
fn capabilities_and_logins_of_the_agents_are_read() {
    let initialized = |name: &str| {
        Player::play(name)
            .seen
            .into_iter()
            .find_map(|seen| match seen {
                Seen::Initialized(result) => Some(result),
                _ => None,
            })
            .expect("initialized")
    };
    let claude = initialized("claude/allow");
    assert!(
        claude.steering
            && claude.capabilities.delete
            && claude.capabilities.mcp_sse
            && claude.capabilities.logout
    );
    assert_eq!(
        claude.capabilities.system_prompt,
        SystemPromptSupport::Override
    );
    assert_eq!(
        claude.agent.as_ref().map(|agent| agent.version.as_str()),
        Some("0.100.0")
    );
    let codex = initialized("codex/allow");
    assert_eq!(
        codex.capabilities.system_prompt,
        SystemPromptSupport::Append
    );
    assert!(codex.capabilities.mcp_http && !codex.capabilities.mcp_sse);
    let gemini = initialized("gemini/allow");
    assert!(gemini.capabilities.audio && !gemini.capabilities.list && !gemini.steering);
    let bare = initialized("sdk-ts/probe");
    assert!(bare.agent.is_none() && !bare.capabilities.load_session && !bare.capabilities.image);

    let login = |name: &str| initialized(name).auth_methods.remove(0).kind;
    let words = |words: &[&str]| {
        words
            .iter()
            .map(|word| (*word).to_owned())
            .collect::<Vec<_>>()
    };
    assert!(
        matches!(login("copilot/allow"), AuthKind::Command { command, args, .. } if command.ends_with("/copilot") && args == ["login"])
    );
    assert!(matches!(login("kimi/allow"), AuthKind::Command { args, .. } if args == ["login"]));
    assert_eq!(
        login("qwen/allow"),
        AuthKind::Terminal {
            args: words(&["--auth-type=openai"]),
            env: Default::default()
        }
    );
    assert_eq!(
        login("codex-zed/allow"),
        AuthKind::Environment {
            vars: words(&["CODEX_API_KEY"])
        }
    );
    assert_eq!(login("openhands/allow"), AuthKind::Agent);
    assert_eq!(login("gemini/allow"), AuthKind::Agent);
    let terminal = json!({"protocolVersion": 1, "authMethods": [{"id": "t", "name": "T", "type": "terminal", "args": ["a"], "env": {"K": "v"}}, {"id": "n", "type": "new"}]});
    let methods = InitializeResult::read(&raw(terminal))
        .expect("version 1")
        .auth_methods;
    assert_eq!(
        methods[0].kind,
        AuthKind::Terminal {
            args: words(&["a"]),
            env: [("K".to_owned(), "v".to_owned())].into()
        }
    );
    assert_eq!(
        methods[1].kind,
        AuthKind::Unknown {
            kind: "new".to_owned()
        }
    );
}

/// `kimi/allow`: a session cannot be had without a login, and the error says so.
#[test]
fn a_wanted_login_is_told_apart_from_other_errors() {
    let player = Player::play("kimi/allow");
    let error = player.seen.into_iter().find_map(|seen| match seen {
        Seen::Response(Err(error)) => Some(error),
        _ => None,
    });
    let error = error.expect("an error");
    assert_eq!(error.code, codes::AUTH_REQUIRED, "{error}");
}
