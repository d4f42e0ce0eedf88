//! One event of each kind, with all members that it can have.

use std::collections::BTreeMap;

use siderail_engine::event::{
    self, AgentCommand, AgentCommands, AgentLog, AgentMessage, AgentNotice, AgentProgram,
    AgentThought, Agents, ApprovedBy, AutoRetry, ChangeKind, ChangedFile, Changes, Cost,
    CountedOver, DeniedBy, ErrorKind, Escalation, EscalationCounts, EventBody as E, FileDiff,
    GuidanceChannel, GuidanceFollowed, GuidanceIgnored, GuidanceReceipt, Hidden, History,
    HistoryExported, InactivityTimeout, LogKind, LoginKind, LoginMethod, LoginNeeded, Nudge,
    OptionChoice, OptionKind, OwnToolStatus, OwnToolView, PastConversation, PermissionApproved,
    PermissionChoice, PermissionDenied, PermissionOptionKind, PermissionRequest, Plan,
    PlanApproved, PlanApprovedBy, PlanChannel, PlanEntry, PlanEntryPriority, PlanEntryStatus,
    PlanProposed, PlanRejected, PlanRejectedBy, PlanningStarted, PreRejectionGuidance,
    PromptOrigin, Receipt, ReceiptCounts, RequestChannel, Restored, Resumed, ResumedBy,
    RetryExhausted, Reverted, SessionOption, SessionOptions, SessionStarted, SessionTitle, Steered,
    StopReason, Summary, ToolCallStatus, ToolCallView, ToolKind, TurnEnded, TurnStarted,
    TurnTokens, Unguarded, Usage,
};
use siderail_engine::guard::{ActionKind, Policy, Tool};

const CALL: &str = "toolu_01";
const TOOL: &str = "Write";
const KIND: ActionKind = ActionKind::Edit;
const PATH: &str = "src/App.java";

fn text(text: &str) -> String {
    text.to_owned()
}

pub(crate) fn all() -> Vec<E> {
    let mut all = conversation();
    all.extend(permission());
    all.extend(tracking());
    all.extend(endings());
    all.extend(plans());
    all.extend(talk());
    all.extend(asides());
    all
}

fn asides() -> Vec<E> {
    vec![
        E::Usage(Usage {
            used: Some(110),
            size: Some(258_400),
            cost: Some(Cost {
                amount: 0.0024,
                currency: text("USD"),
            }),
            turn_tokens: Some(TurnTokens {
                total: 220,
                input: 200,
                output: 20,
                thought: Some(4),
                cached_read: Some(100),
                cached_write: Some(0),
            }),
        }),
        E::SessionTitle(SessionTitle {
            title: text("Change x"),
        }),
        E::AgentNotice(AgentNotice {
            text: text("The quota is nearly used up."),
            severity: Some(event::Severity::Warning),
        }),
        E::History(History {
            query: Some(text("flaky test")),
            conversations: vec![PastConversation {
                id: text("3f2a91c0"),
                agent: text("claude"),
                title: text("Change x to 2."),
                started_ms: 1_700_000_000_000,
                turns: 3,
            }],
        }),
        E::HistoryExported(HistoryExported {
            conversation: text("3f2a91c0"),
            markdown: text("# Change x to 2.\n"),
        }),
        E::LoginNeeded(LoginNeeded {
            methods: vec![
                LoginMethod {
                    id: text("oauth"),
                    name: text("Log in with a browser"),
                    description: Some(text("opens a page")),
                    kind: LoginKind::Agent,
                    command: None,
                    command_line: None,
                    vars: None,
                },
                LoginMethod {
                    id: text("terminal"),
                    name: text("Log in in a terminal"),
                    description: None,
                    kind: LoginKind::Terminal,
                    command: Some(vec![text("copilot"), text("login")]),
                    command_line: Some(text("copilot login")),
                    vars: None,
                },
                LoginMethod {
                    id: text("key"),
                    name: text("Use a key"),
                    description: None,
                    kind: LoginKind::EnvVar,
                    command: None,
                    command_line: None,
                    vars: Some(vec![text("API_KEY")]),
                },
            ],
        }),
        E::Agents(Agents {
            agents: vec![
                AgentProgram {
                    agent: text("claude"),
                    title: text("Claude Code"),
                    program: Some(text("/home/me/bin/claude-agent-acp")),
                    problem: None,
                    install: text("npm install -g @agentclientprotocol/claude-agent-acp"),
                },
                AgentProgram {
                    agent: text("vibe"),
                    title: text("Mistral Vibe"),
                    program: None,
                    problem: Some(text("`vibe-acp` is not found in PATH")),
                    install: text("uv tool install mistral-vibe"),
                },
            ],
        }),
    ]
}

fn conversation() -> Vec<E> {
    vec![
        E::SessionStarted(SessionStarted {
            agent: text("claude"),
            version: Some(text("Claude Agent 0.100.0")),
            agent_session: text("4be2"),
            policy: Policy::Redirect.into(),
            mode: None,
            images: true,
        }),
        E::Hidden(Hidden {
            tools: vec![text("Bash"), text(TOOL)],
        }),
        E::TurnStarted(TurnStarted {
            origin: PromptOrigin::User,
            text: text("Change x to 2."),
        }),
        E::AgentMessage(AgentMessage {
            text: text("I will change \"x\".\nè 🦀"),
            message_id: Some(text("m1")),
        }),
        E::AgentThought(AgentThought {
            text: text("hm"),
            message_id: None,
        }),
        E::ToolCall(ToolCallView {
            tool_call_id: text(CALL),
            tool: text(TOOL),
            kind: ToolKind::Edit,
            status: ToolCallStatus::Failed,
            title: text("Write App.java"),
            command: Some(text("cat a")),
            paths: vec![text(PATH)],
            own: false,
            diffs: vec![FileDiff {
                path: text(PATH),
                old_text: None,
                new_text: text("x = 2"),
            }],
            text: text("denied"),
            exit_code: None,
        }),
        E::Plan(Plan {
            entries: vec![PlanEntry {
                text: text("change x"),
                status: PlanEntryStatus::Pending,
                priority: PlanEntryPriority::High,
            }],
        }),
    ]
}

fn talk() -> Vec<E> {
    vec![
        E::Steered(Steered {
            text: text("and y, too"),
            taken: true,
        }),
        E::Restored(Restored {
            at: Some(1_700_000_000_000),
            entry: Box::new(E::RetryExhausted(RetryExhausted { attempts: 1 })),
        }),
        E::Resumed(Resumed {
            id: "3f2a91c0".to_owned(),
            by: ResumedBy::Load,
            entries: 3,
            omitted: 0,
        }),
        E::Changes(Changes {
            files: vec![ChangedFile {
                path: "src/App.java".to_owned(),
                kind: ChangeKind::Changed,
                old_text: Some("x = 1".to_owned()),
                new_text: Some("x = 2".to_owned()),
            }],
        }),
        E::Reverted(Reverted {
            path: "src/App.java".to_owned(),
            done: false,
            text: "it has changed since".to_owned(),
        }),
        E::AgentCommands(AgentCommands {
            commands: vec![AgentCommand {
                name: text("review"),
                description: text("Review changes"),
                hint: Some(text("of what")),
            }],
        }),
    ]
}

fn plans() -> Vec<E> {
    vec![
        E::SessionOptions(SessionOptions {
            mode: Some(text("plan")),
            modes: vec![OptionChoice {
                value: text("plan"),
                name: text("Plan"),
                description: text("Changes nothing"),
                group: None,
            }],
            options: vec![SessionOption {
                id: text("model"),
                name: text("Model"),
                category: text("model"),
                kind: OptionKind::Select,
                current: text("b"),
                choices: vec![OptionChoice {
                    value: text("b"),
                    name: text("B"),
                    description: String::new(),
                    group: Some(text("Fast")),
                }],
            }],
        }),
        E::PlanningStarted(PlanningStarted {
            mode: Some(text("plan")),
            text: text("Make a plan first."),
        }),
        E::PlanProposed(PlanProposed {
            request_id: 5,
            text: text("1. change x"),
            entries: vec![PlanEntry {
                text: text("change x"),
                status: PlanEntryStatus::Pending,
                priority: PlanEntryPriority::Medium,
            }],
            channel: PlanChannel::Turn,
            asks: true,
        }),
        E::PlanApproved(PlanApproved {
            request_id: 5,
            by: PlanApprovedBy::User,
        }),
        E::PlanRejected(PlanRejected {
            request_id: 5,
            by: PlanRejectedBy::User,
            text: text("not x, y"),
            continues: true,
        }),
    ]
}

fn permission() -> Vec<E> {
    let call = || Some(text(CALL));
    vec![
        E::PermissionRequest(PermissionRequest {
            request_id: 3,
            tool_call_id: call(),
            tool: text(TOOL),
            kind: KIND.into(),
            text: text("Write App.java"),
            paths: vec![text(PATH), text("/home/me/App.java")],
            channel: RequestChannel::Acp,
            options: vec![PermissionChoice {
                id: text("allow"),
                name: text("Allow"),
                kind: PermissionOptionKind::AllowOnce,
                contradicts: false,
            }],
            may_be_remembered: false,
            diffs: vec![FileDiff {
                path: text("/home/me/App.java"),
                old_text: Some(text("int x = 1;\n")),
                new_text: text("int x = 2;\n"),
            }],
            outside: vec![text("/home/me/App.java")],
            destroys: Some(text(
                "App.java is replaced, 1 line: only what git has committed of it can be had back",
            )),
            asks: true,
        }),
        E::PreRejectionGuidance(PreRejectionGuidance {
            request_id: 3,
            tool_call_id: call(),
            tool: text(TOOL),
            kind: KIND.into(),
            channel: GuidanceChannel::Hook,
            text: text("Call mcp__intellij-code-tools__intellij_write_file."),
            instead: Some(text("mcp__intellij-code-tools__intellij_write_file")),
        }),
        E::PermissionDenied(PermissionDenied {
            request_id: 3,
            tool_call_id: call(),
            tool: text(TOOL),
            kind: KIND.into(),
            by: DeniedBy::Policy,
            text: text("the IDE has a tool for it"),
            paths: vec![text(PATH)],
        }),
        E::PermissionApproved(PermissionApproved {
            request_id: 4,
            tool_call_id: None,
            tool: text("intellij_write_file"),
            kind: KIND.into(),
            by: ApprovedBy::Policy,
        }),
        E::GuidanceReceipt(GuidanceReceipt {
            request_id: 3,
            tool: text(TOOL),
            channel: GuidanceChannel::Hook,
            receipt: Receipt::Delivered,
            text: text("the hook answered"),
        }),
        E::GuidanceFollowed(GuidanceFollowed {
            request_id: 3,
            tool: text("intellij_write_file"),
            kind: KIND.into(),
            channel: GuidanceChannel::Hook,
        }),
        E::GuidanceIgnored(GuidanceIgnored {
            request_id: 3,
            tool: text(TOOL),
            kind: KIND.into(),
            channel: GuidanceChannel::Hook,
        }),
    ]
}

fn tracking() -> Vec<E> {
    vec![
        E::AutoRetry(AutoRetry {
            attempt: 1,
            text: text("Go on with the IDE's tool."),
        }),
        E::RetryExhausted(RetryExhausted { attempts: 3 }),
        E::Nudge(Nudge {
            denials: 2,
            text: text("Only the project's folder."),
        }),
        E::Escalation(Escalation {
            tool: text(TOOL),
            scope: CountedOver::Turn,
            denials: 4,
            text: text("Stop and ask."),
        }),
        E::Unguarded(Unguarded {
            text: text("An edit ran unasked."),
        }),
        E::OwnTool(OwnToolView {
            call: 7,
            tool: Tool::WriteFile.into(),
            status: OwnToolStatus::Completed,
            text: text("written"),
            paths: vec![text(PATH)],
            diff: Some(text("@@ -1 +1 @@\n-1\n+2\n")),
            exit_code: None,
        }),
    ]
}

fn endings() -> Vec<E> {
    let counts = ReceiptCounts {
        delivered: 1,
        no_receipt: 0,
        failed: 0,
    };
    vec![
        E::InactivityTimeout(InactivityTimeout {
            seconds: 300,
            text: text(
                "nothing came from the agent for 300 s: the agent has not answered `session/prompt`, sent 310 s ago",
            ),
        }),
        E::AgentLog(AgentLog {
            kind: LogKind::Notice,
            text: text("warning: slow"),
        }),
        E::TurnEnded(TurnEnded {
            stop_reason: StopReason::EndTurn,
            continues: false,
            text: Some(text("an error")),
        }),
        E::Error(event::Error {
            kind: ErrorKind::Spawn,
            text: text("claude cannot be started"),
            hint: Some(text("install it")),
        }),
        E::Summary(Summary {
            agent: text("claude"),
            stop_reason: StopReason::EndTurn,
            turns: 1,
            denials: BTreeMap::from([(text(TOOL), 1)]),
            escalations: EscalationCounts {
                turn: 1,
                session: 2,
            },
            guidance: BTreeMap::from([(GuidanceChannel::Hook, counts)]),
            followed: 1,
            ignored: 0,
            redirect_rate: Some(1.0),
            files_written: vec![text(PATH)],
            hidden: vec![text("Bash")],
            unguarded: false,
            duration_s: 2.5,
        }),
    ]
}
