//! `docs/events.schema.json` is what readers of `siderail run --json` rely on: it must describe every
//! event that the engine can send, and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use jsonschema::Validator;
use serde_json::{Value, json};
use siderail_engine::event::{
    AgentCommand, ApprovedBy, ChangeKind, ChangedFile, Cost, CountedOver, DeniedBy, EVENT_VERSION,
    ErrorKind, EscalationCounts, Event, EventBody, FileDiff, GuidanceChannel, LogKind, LoginKind,
    LoginMethod, OptionChoice, OptionKind, OwnToolStatus, OwnToolView, PastConversation,
    PermissionChoice, PlanApprovedBy, PlanChannel, PlanEntry, PlanRejectedBy, PromptOrigin,
    Receipt, ReceiptCounts, RequestChannel, ResumedBy, SessionOption, Summary, ToolCallView,
    TurnTokens, Usage,
};

const SCHEMA: &str = include_str!("../../docs/events.schema.json");

#[test]
fn every_event_of_the_engine_is_described() {
    let validator = validator();
    for body in samples() {
        let name = name_of(&body);
        let line = line(body);
        assert_eq!(
            line["event"], name,
            "the tag is the variant's name in capitals"
        );
        assert!(
            validator.is_valid(&line),
            "{name} is not what the schema says: {line}"
        );
    }
}

#[test]
fn the_schema_describes_no_event_that_is_never_sent() {
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    let described: BTreeSet<String> = schema["oneOf"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            one["$ref"]
                .as_str()
                .unwrap()
                .trim_start_matches("#/$defs/")
                .to_owned()
        })
        .collect();
    let sent: BTreeSet<String> = samples()
        .iter()
        .map(|body| name_of(body).to_owned())
        .collect();
    assert_eq!(described, sent);
}

#[test]
fn a_member_that_readers_were_not_told_of_is_refused() {
    let validator = validator();
    for body in samples() {
        let mut line = line(body);
        line["surprise"] = json!(1);
        assert!(
            !validator.is_valid(&line),
            "an unknown member passes: {line}"
        );
    }
}

#[test]
fn a_line_without_one_of_its_members_is_refused() {
    let validator = validator();
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    for body in samples() {
        let whole = line(body);
        let required = &schema["$defs"][whole["event"].as_str().unwrap()]["required"];
        for member in required.as_array().unwrap() {
            let mut line = whole.clone();
            line.as_object_mut()
                .unwrap()
                .remove(member.as_str().unwrap());
            assert!(
                !validator.is_valid(&line),
                "passes without {member}: {line}"
            );
        }
    }
}

#[test]
fn an_event_that_readers_were_not_told_of_is_refused() {
    let line = json!({"v": 1, "seq": 1, "t": 0.0, "session": 0, "turn": 0, "event": "SURPRISE"});
    assert!(!validator().is_valid(&line));
}

#[test]
fn words_outside_a_closed_list_are_refused() {
    let validator = validator();
    let cases = [
        ("GUIDANCE_RECEIPT", "receipt", json!("maybe")),
        ("GUIDANCE_RECEIPT", "channel", json!("smoke signals")),
        ("PERMISSION_REQUEST", "channel", json!("steering")),
        ("PERMISSION_DENIED", "by", json!("always")),
        ("TURN_STARTED", "origin", json!("agent")),
        (
            "SUMMARY",
            "guidance",
            json!({"smoke signals": {"delivered": 1, "no_receipt": 0, "failed": 0}}),
        ),
        ("SUMMARY", "redirect_rate", json!(1.5)),
        ("HIDDEN", "v", json!(EVENT_VERSION + 1)),
    ];
    for (event, member, word) in cases {
        let body = samples()
            .into_iter()
            .find(|body| name_of(body) == event)
            .unwrap();
        let mut line = line(body);
        line[member] = word;
        assert!(!validator.is_valid(&line), "passes: {line}");
    }
}

fn validator() -> Validator {
    let schema = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    jsonschema::draft202012::new(&schema).expect("the schema is a schema")
}

fn line(body: EventBody) -> Value {
    let event = Event {
        v: EVENT_VERSION,
        seq: 7,
        t: 0.125,
        session: 1,
        turn: 2,
        body,
    };
    serde_json::to_value(event).expect("an event is plain data")
}

/// The tag of each variant. Exhaustive on purpose: who adds a variant is led here, then to the schema.
fn name_of(body: &EventBody) -> &'static str {
    match body {
        EventBody::SessionStarted { .. } => "SESSION_STARTED",
        EventBody::Hidden { .. } => "HIDDEN",
        EventBody::TurnStarted { .. } => "TURN_STARTED",
        EventBody::AgentMessage { .. } => "AGENT_MESSAGE",
        EventBody::AgentThought { .. } => "AGENT_THOUGHT",
        EventBody::ToolCall(_) => "TOOL_CALL",
        EventBody::Plan { .. } => "PLAN",
        EventBody::SessionOptions { .. } => "SESSION_OPTIONS",
        EventBody::Steered { .. } => "STEERED",
        EventBody::AgentCommands { .. } => "AGENT_COMMANDS",
        EventBody::Restored { .. } => "RESTORED",
        EventBody::Resumed { .. } => "RESUMED",
        EventBody::Changes { .. } => "CHANGES",
        EventBody::Reverted { .. } => "REVERTED",
        EventBody::PlanningStarted { .. } => "PLANNING_STARTED",
        EventBody::PlanProposed { .. } => "PLAN_PROPOSED",
        EventBody::PlanApproved { .. } => "PLAN_APPROVED",
        EventBody::PlanRejected { .. } => "PLAN_REJECTED",
        EventBody::PermissionRequest { .. } => "PERMISSION_REQUEST",
        EventBody::PreRejectionGuidance { .. } => "PRE_REJECTION_GUIDANCE",
        EventBody::PermissionDenied { .. } => "PERMISSION_DENIED",
        EventBody::PermissionApproved { .. } => "PERMISSION_APPROVED",
        EventBody::GuidanceReceipt { .. } => "GUIDANCE_RECEIPT",
        EventBody::GuidanceFollowed { .. } => "GUIDANCE_FOLLOWED",
        EventBody::GuidanceIgnored { .. } => "GUIDANCE_IGNORED",
        EventBody::AutoRetry { .. } => "AUTO_RETRY",
        EventBody::RetryExhausted { .. } => "RETRY_EXHAUSTED",
        EventBody::Nudge { .. } => "NUDGE",
        EventBody::Escalation { .. } => "ESCALATION",
        EventBody::Unguarded { .. } => "UNGUARDED",
        EventBody::OwnTool(_) => "OWN_TOOL",
        EventBody::InactivityTimeout { .. } => "INACTIVITY_TIMEOUT",
        EventBody::AgentLog { .. } => "AGENT_LOG",
        EventBody::TurnEnded { .. } => "TURN_ENDED",
        EventBody::Error { .. } => "ERROR",
        EventBody::Summary(_) => "SUMMARY",
        EventBody::Usage(_) => "USAGE",
        EventBody::SessionTitle { .. } => "SESSION_TITLE",
        EventBody::AgentNotice { .. } => "AGENT_NOTICE",
        EventBody::LoginNeeded { .. } => "LOGIN_NEEDED",
        EventBody::History { .. } => "HISTORY",
        EventBody::HistoryExported { .. } => "HISTORY_EXPORTED",
    }
}

/// Each variant at least once; those with members that may be absent, once with and once without.
fn samples() -> Vec<EventBody> {
    let mut all = course_of_a_turn();
    all.extend(plans());
    all.extend(conversation());
    all.extend(asides());
    all.extend(permission_flow());
    all.extend(guidance());
    all.extend(ends());
    all
}

fn asides() -> Vec<EventBody> {
    let method = |kind: LoginKind, command: Option<&str>, vars: Option<&str>| LoginMethod {
        id: "account".to_owned(),
        name: "Account".to_owned(),
        description: command.map(str::to_owned),
        kind,
        command: command.map(|word| vec![word.to_owned()]),
        vars: vars.map(|word| vec![word.to_owned()]),
    };
    let past = PastConversation {
        id: "3f2a91c0".to_owned(),
        agent: "claude".to_owned(),
        title: "fix it".to_owned(),
        started_ms: 1_700_000_000_000,
        turns: 3,
    };
    let history = |query: Option<&str>| EventBody::History {
        query: query.map(str::to_owned),
        conversations: vec![past.clone()],
    };
    let tokens = TurnTokens {
        total: 3,
        input: 2,
        output: 1,
        thought: Some(0),
        cached_read: Some(0),
        cached_write: Some(0),
    };
    let notice = |severity: Option<&str>| EventBody::AgentNotice {
        text: "quota".to_owned(),
        severity: severity.map(str::to_owned),
    };
    vec![
        EventBody::Usage(Usage::default()),
        EventBody::Usage(Usage {
            used: Some(110),
            size: Some(258_400),
            cost: Some(Cost {
                amount: 0.0024,
                currency: "USD".to_owned(),
            }),
            turn_tokens: Some(tokens),
        }),
        EventBody::SessionTitle {
            title: "fix it".to_owned(),
        },
        notice(Some("warning")),
        notice(None),
        EventBody::LoginNeeded {
            methods: vec![
                method(LoginKind::Agent, None, None),
                method(LoginKind::Terminal, Some("login"), None),
                method(LoginKind::EnvVar, None, Some("KEY")),
            ],
        },
        history(Some("fix")),
        history(None),
        EventBody::HistoryExported {
            conversation: "3f2a91c0".to_owned(),
            markdown: "# fix it\n".to_owned(),
        },
    ]
}

fn conversation() -> Vec<EventBody> {
    let command = |more: Option<&str>| AgentCommand {
        name: "review".to_owned(),
        description: more.unwrap_or_default().to_owned(),
        hint: more.map(str::to_owned),
    };
    vec![
        EventBody::Steered {
            text: "and y, too".to_owned(),
            taken: true,
        },
        EventBody::Restored {
            at: None,
            entry: Box::new(EventBody::RetryExhausted { attempts: 1 }),
        },
        EventBody::Restored {
            at: Some(1_700_000_000_000),
            entry: Box::new(EventBody::RetryExhausted { attempts: 1 }),
        },
        EventBody::Resumed {
            id: "3f2a91c0".to_owned(),
            by: ResumedBy::Load,
            entries: 3,
            omitted: 0,
        },
        EventBody::Changes {
            files: vec![ChangedFile {
                path: "src/App.java".to_owned(),
                kind: ChangeKind::Changed,
                old_text: Some("x = 1".to_owned()),
                new_text: Some("x = 2".to_owned()),
            }],
        },
        EventBody::Reverted {
            path: "src/App.java".to_owned(),
            done: false,
            text: "it has changed since".to_owned(),
        },
        EventBody::AgentCommands {
            commands: vec![command(None), command(Some("of what"))],
        },
    ]
}

fn plans() -> Vec<EventBody> {
    let choice = |more: Option<&str>| OptionChoice {
        value: "plan".to_owned(),
        name: "Plan".to_owned(),
        description: more.unwrap_or_default().to_owned(),
        group: more.map(str::to_owned),
    };
    let option = |category: &str, choices: Vec<OptionChoice>| SessionOption {
        id: "model".to_owned(),
        name: "Model".to_owned(),
        category: category.to_owned(),
        kind: OptionKind::Select,
        current: "a".to_owned(),
        choices,
    };
    let started = |mode: Option<&str>| EventBody::PlanningStarted {
        mode: mode.map(str::to_owned),
        text: "first a plan".to_owned(),
    };
    vec![
        EventBody::SessionOptions {
            mode: Some("plan".to_owned()),
            modes: vec![choice(None), choice(Some("x"))],
            options: vec![option("model", vec![choice(None)]), option("", Vec::new())],
        },
        EventBody::SessionOptions {
            mode: None,
            modes: Vec::new(),
            options: Vec::new(),
        },
        started(None),
        started(Some("plan")),
        EventBody::PlanProposed {
            request_id: 1,
            text: "1. x".to_owned(),
            entries: Vec::new(),
            channel: PlanChannel::Turn,
            asks: true,
        },
        EventBody::PlanApproved {
            request_id: 1,
            by: PlanApprovedBy::User,
        },
        EventBody::PlanRejected {
            request_id: 1,
            by: PlanRejectedBy::Cancel,
            text: String::new(),
            continues: false,
        },
    ]
}

fn course_of_a_turn() -> Vec<EventBody> {
    vec![
        EventBody::SessionStarted {
            agent: "gemini".to_owned(),
            version: Some("gemini-cli 1.2".to_owned()),
            agent_session: "s-1".to_owned(),
            policy: "redirect".to_owned(),
            mode: None,
            images: false,
        },
        EventBody::SessionStarted {
            agent: "claude".to_owned(),
            version: None,
            agent_session: "s-2".to_owned(),
            policy: "redirect".to_owned(),
            mode: None,
            images: true,
        },
        EventBody::Hidden {
            tools: texts(&["Edit", "Bash"]),
        },
        EventBody::TurnStarted {
            origin: PromptOrigin::User,
            text: "do it".to_owned(),
        },
        EventBody::TurnStarted {
            origin: PromptOrigin::Continuation,
            text: String::new(),
        },
        EventBody::AgentMessage {
            text: "Sure".to_owned(),
            message_id: Some("m".to_owned()),
        },
        EventBody::AgentMessage {
            text: "Sure".to_owned(),
            message_id: None,
        },
        EventBody::AgentThought {
            text: "Hm".to_owned(),
            message_id: Some("m".to_owned()),
        },
        EventBody::AgentThought {
            text: "Hm".to_owned(),
            message_id: None,
        },
        EventBody::ToolCall(ToolCallView {
            tool_call_id: "c-1".to_owned(),
            tool: "Edit".to_owned(),
            kind: "edit".to_owned(),
            status: "pending".to_owned(),
            title: "Edit a.rs".to_owned(),
            command: Some("true".to_owned()),
            paths: texts(&["/p/a.rs"]),
            own: true,
            diffs: vec![FileDiff {
                path: "/p/a.rs".to_owned(),
                old_text: None,
                new_text: "new".to_owned(),
            }],
            text: "done".to_owned(),
        }),
        EventBody::ToolCall(ToolCallView::default()),
        EventBody::Plan {
            entries: vec![PlanEntry {
                text: "first".to_owned(),
                status: "pending".to_owned(),
                priority: "high".to_owned(),
            }],
        },
        EventBody::OwnTool(OwnToolView {
            call: 3,
            tool: "intellij_write_file".to_owned(),
            status: OwnToolStatus::Completed,
            text: "written".to_owned(),
            paths: texts(&["a.rs"]),
            diff: Some("-a\n+b\n".to_owned()),
        }),
        EventBody::OwnTool(OwnToolView {
            call: 4,
            tool: "run_tests".to_owned(),
            status: OwnToolStatus::Started,
            text: String::new(),
            paths: Vec::new(),
            diff: None,
        }),
        EventBody::AgentLog {
            kind: LogKind::Noise,
            text: "warning".to_owned(),
        },
        EventBody::AgentLog {
            kind: LogKind::Notice,
            text: "a recipe is off".to_owned(),
        },
    ]
}

fn permission_flow() -> Vec<EventBody> {
    vec![
        EventBody::PermissionRequest {
            request_id: 1,
            tool_call_id: Some("c-1".to_owned()),
            tool: "Edit".to_owned(),
            kind: "edit".to_owned(),
            text: "Edit a.rs".to_owned(),
            paths: texts(&["/p/a.rs"]),
            channel: RequestChannel::Acp,
            options: vec![PermissionChoice {
                id: "yes".to_owned(),
                name: "Yes".to_owned(),
                kind: "allow_once".to_owned(),
                contradicts: true,
            }],
            may_be_remembered: false,
            diffs: vec![FileDiff {
                path: "/p/a.rs".to_owned(),
                old_text: Some("old".to_owned()),
                new_text: "new".to_owned(),
            }],
            outside: texts(&["/p/a.rs"]),
            destroys: Some("a.rs is replaced".to_owned()),
            asks: true,
        },
        EventBody::PermissionRequest {
            request_id: 2,
            tool_call_id: None,
            tool: "Bash".to_owned(),
            kind: "execute".to_owned(),
            text: "uname".to_owned(),
            paths: Vec::new(),
            channel: RequestChannel::Acp,
            options: Vec::new(),
            may_be_remembered: true,
            diffs: Vec::new(),
            outside: Vec::new(),
            destroys: None,
            asks: false,
        },
        EventBody::PermissionDenied {
            request_id: 1,
            tool_call_id: None,
            tool: "Edit".to_owned(),
            kind: "edit".to_owned(),
            by: DeniedBy::Policy,
            text: "replaced by intellij_write_file".to_owned(),
            paths: Vec::new(),
        },
        EventBody::PermissionApproved {
            request_id: 2,
            tool_call_id: None,
            tool: "Bash".to_owned(),
            kind: "execute".to_owned(),
            by: ApprovedBy::User,
        },
        EventBody::Unguarded {
            text: "Bash ran unasked".to_owned(),
        },
    ]
}

fn guidance() -> Vec<EventBody> {
    let pre = |instead: Option<&str>| EventBody::PreRejectionGuidance {
        request_id: 1,
        tool_call_id: None,
        tool: "Edit".to_owned(),
        kind: "edit".to_owned(),
        channel: GuidanceChannel::Hook,
        text: "Use the tool.".to_owned(),
        instead: instead.map(str::to_owned),
    };
    let receipt = |receipt: Receipt, text: &str| EventBody::GuidanceReceipt {
        request_id: 1,
        tool: "Edit".to_owned(),
        channel: GuidanceChannel::Steering,
        receipt,
        text: text.to_owned(),
    };
    vec![
        pre(Some("mcp__intellij-code-tools__intellij_write_file")),
        pre(None),
        receipt(Receipt::Delivered, ""),
        receipt(Receipt::NoReceipt, ""),
        receipt(Receipt::Failed, "the agent does not know the method"),
        EventBody::GuidanceFollowed {
            request_id: 1,
            tool: "intellij_write_file".to_owned(),
            kind: "edit".to_owned(),
            channel: GuidanceChannel::Hook,
        },
        EventBody::GuidanceIgnored {
            request_id: 1,
            tool: "Edit".to_owned(),
            kind: "edit".to_owned(),
            channel: GuidanceChannel::Notice,
        },
        EventBody::AutoRetry {
            attempt: 1,
            text: "Go on.".to_owned(),
        },
        EventBody::RetryExhausted { attempts: 3 },
        EventBody::Nudge {
            denials: 2,
            text: "Stay in the folder.".to_owned(),
        },
        EventBody::Escalation {
            tool: "Edit".to_owned(),
            scope: CountedOver::Session,
            denials: 4,
            text: "Stop and ask the user.".to_owned(),
        },
    ]
}

fn ends() -> Vec<EventBody> {
    vec![
        EventBody::InactivityTimeout {
            seconds: 300,
            text: "nothing came".to_owned(),
        },
        EventBody::TurnEnded {
            stop_reason: "end_turn".to_owned(),
            continues: false,
            text: None,
        },
        EventBody::TurnEnded {
            stop_reason: "error".to_owned(),
            continues: true,
            text: Some("overloaded".to_owned()),
        },
        EventBody::Error {
            kind: ErrorKind::Spawn,
            text: "not found".to_owned(),
            hint: Some("install it".to_owned()),
        },
        EventBody::Error {
            kind: ErrorKind::Closed,
            text: "it exited".to_owned(),
            hint: None,
        },
        EventBody::Summary(Summary {
            agent: "gemini".to_owned(),
            stop_reason: "end_turn".to_owned(),
            turns: 2,
            denials: BTreeMap::from([("Edit".to_owned(), 2)]),
            escalations: EscalationCounts {
                turn: 2,
                session: 1,
            },
            guidance: BTreeMap::from([(GuidanceChannel::Hook, ReceiptCounts::default())]),
            followed: 1,
            ignored: 1,
            redirect_rate: Some(0.5),
            files_written: texts(&["a.rs"]),
            hidden: texts(&["Bash"]),
            unguarded: false,
            duration_s: 1.5,
        }),
        EventBody::Summary(Summary::default()),
    ]
}

fn texts(of: &[&str]) -> Vec<String> {
    of.iter().map(|&text| text.to_owned()).collect()
}
