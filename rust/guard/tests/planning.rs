//! What is closed while a plan is made, whoever's tool it is and whatever was allowed before.

use serde_json::{Value, json};
use siderail_guard::normalize::{self, AgentNames};
use siderail_guard::planning::{plan_texts, restrain, restrain_own_tool};
use siderail_guard::shell::{Dialect, ProtectedPlaces};
use siderail_guard::{
    Context, Decision, NameForm, Policy, Reason, Tool, Verdict, decide, own_tool_gate,
};

const OFFERED: [Tool; 6] = [
    Tool::ReadFile,
    Tool::WriteFile,
    Tool::SearchText,
    Tool::ListProjectFiles,
    Tool::RunCommand,
    Tool::AskUser,
];
const POLICIES: [Policy; 4] = [Policy::Redirect, Policy::Ask, Policy::Observe, Policy::Yolo];

fn with_context(policy: Policy, judge: impl Fn(&Context) -> Decision) -> Decision {
    judge(&Context {
        policy,
        yolo_dangerous: false,
        root: "/proj",
        roots: &[],
        cwd: "/proj",
        home: Some("/home/u"),
        offered: &OFFERED,
        dialect: Dialect::Bash,
        places: &[],
        links: &[],
        untold: &[],
        name_trusted: true,
        // A person's earlier `Always` opens nothing here.
        always_allowed: true,
        pass_tools: &["TodoWrite".to_owned()],
        tool_as_seen: &NameForm::new("mcp__{server}__{tool}", "intellij-code-tools"),
        protected_places: ProtectedPlaces::ours(),
    })
}

fn of_agent(policy: Policy, tool: &str, input: &Value) -> Decision {
    let names = AgentNames {
        quirks: &[],
        tool_name_in_meta: &[],
        server: "intellij-code-tools",
        own_tools: &OFFERED,
        title_is_command: false,
    };
    let action = normalize::hook(tool, input, "/proj", &names);
    with_context(policy, |ctx| {
        restrain(&action, decide(&action, ctx), ctx, Some("ExitPlanMode"))
    })
}

fn own(policy: Policy, tool: &str, arguments: &Value) -> Decision {
    let tool = Tool::named(tool).expect("one of ours");
    with_context(policy, |ctx| {
        restrain_own_tool(
            tool,
            arguments,
            own_tool_gate(tool, arguments, ctx),
            ctx,
            None,
        )
    })
}

fn assert_closed(decision: &Decision, what: &str) {
    assert_eq!(
        (decision.verdict, decision.reason),
        (Verdict::Deny, Reason::PlanFirst),
        "{what}"
    );
    let text = decision.guidance.as_deref().unwrap_or_default();
    assert!(
        text.contains("plan") && text.chars().count() <= 700,
        "{what}: {text}"
    );
    assert!(
        text.contains("mcp__intellij-code-tools__search_text"),
        "{text}"
    );
}

#[test]
fn no_tool_of_the_agent_writes_before_the_approval_under_any_policy() {
    for policy in POLICIES {
        for (tool, input) in [
            (
                "Edit",
                json!({"file_path": "/proj/a.rs", "old_string": "1", "new_string": "2"}),
            ),
            ("Write", json!({"file_path": "/proj/a.rs", "content": ""})),
            (
                "Write",
                json!({"file_path": "/elsewhere/a.rs", "content": ""}),
            ),
            ("Bash", json!({"command": "touch a"})),
            ("Bash", json!({"command": "make"})),
            ("Bash", json!({"command": "echo x > a"})),
            ("Bash", json!({})),
            (
                "NotebookEdit",
                json!({"notebook_path": "/proj/a.ipynb", "new_source": ""}),
            ),
            ("WebFetch", json!({"url": "http://x", "method": "DELETE"})),
            ("WebFetch", json!({"url": "http://x", "method": 1})),
            ("WebFetch", json!({"url": "http://x", "Body": "a=1"})),
            (
                "WebFetch",
                json!({"url": "http://x", "method": "GET", "data": {"a": 1}}),
            ),
            (
                "WebFetch",
                json!({"url": "http://x", "options": {"http_method": "post"}}),
            ),
            (
                "WebFetch",
                json!({"url": "http://x", "headers": {"X-HTTP-Method-Override": "PUT"}}),
            ),
            ("WebFetch", json!("POST http://x")),
            (
                "WebFetch",
                json!("{\"url\": \"http://x\", \"payload\": \"1\"}"),
            ),
            ("TodoWrite", json!({"url": "http://x", "method": "DELETE"})),
            ("frobnicate", json!({"path": "a"})),
            ("mcp__other__read_it", json!({"path": "a"})),
        ] {
            assert_closed(
                &of_agent(policy, tool, &input),
                &format!("{policy:?} {tool} {input}"),
            );
        }
    }
}

#[test]
fn none_of_our_own_tools_writes_before_the_approval_under_any_policy() {
    for policy in POLICIES {
        for (tool, arguments) in [
            ("intellij_write_file", json!({"path": "a", "content": ""})),
            ("delete_file", json!({"path": "a"})),
            ("move_file", json!({"path": "a", "to": "b"})),
            ("format_code", json!({"path": "a"})),
            ("optimize_imports", json!({"path": "a"})),
            ("run_tests", json!({})),
            ("run_command", json!({"command": "touch a"})),
            ("run_command", json!({})),
            ("run_in_terminal", json!({"command": "ls"})),
            ("git_stage", json!({"paths": ["a"]})),
            ("git_unstage", json!({})),
            ("git_commit", json!({"message": "x"})),
            ("git_branch", json!({"action": "create", "name": "x"})),
            ("git_branch", json!({"action": "show"})),
            ("git_stash", json!({"action": "push"})),
            ("git_stash", json!({"action": "clear"})),
            ("http_request", json!({"url": "http://x", "method": "post"})),
            ("http_request", json!({"url": "http://x", "body": "a"})),
            (
                "http_request",
                json!({"url": "http://x", "headers": ["Accept: */*", "X-HTTP-Method-Override: DELETE"]}),
            ),
            (
                "http_request",
                json!({"url": "http://x", "headers": ["x-method-override:put"]}),
            ),
            ("run_configuration", json!({})),
        ] {
            assert_closed(
                &own(policy, tool, &arguments),
                &format!("{policy:?} {tool} {arguments}"),
            );
        }
    }
}

#[test]
fn what_only_looks_keeps_the_decision_it_has_without_a_plan() {
    for policy in POLICIES {
        for (tool, input) in [
            ("Read", json!({"file_path": "/proj/a.rs"})),
            ("Grep", json!({"pattern": "x"})),
            ("WebFetch", json!({"url": "http://x"})),
            (
                "WebFetch",
                json!({"url": "http://x", "method": "get", "body": null, "prompt": "what it says"}),
            ),
            ("WebFetch", json!({"url": "http://x", "method": "HEAD"})),
            ("WebSearch", json!({"query": "how to POST data"})),
            ("TodoWrite", json!({"todos": []})),
            ("ExitPlanMode", json!({"plan": "1. x"})),
            ("Bash", json!({"command": "cat a.rs"})),
            ("Bash", json!({"command": "git log --oneline | head -3"})),
            (
                "mcp__intellij-code-tools__intellij_write_file",
                json!({"path": "a"}),
            ),
        ] {
            assert_ne!(
                of_agent(policy, tool, &input).reason,
                Reason::PlanFirst,
                "{tool} {input}"
            );
        }
        for (tool, arguments) in [
            ("intellij_read_file", json!({"path": "a"})),
            ("search_text", json!({"query": "a"})),
            ("ask_user", json!({"question": "?"})),
            ("git_branch", json!({})),
            ("git_stash", json!({"action": "list"})),
            ("http_request", json!({"url": "http://x"})),
            ("run_command", json!({"command": "uname -s"})),
            ("run_command", json!({"run_id": "7"})),
        ] {
            assert_ne!(
                own(policy, tool, &arguments).reason,
                Reason::PlanFirst,
                "{tool} {arguments}"
            );
        }
    }
}

#[test]
fn a_persons_feedback_reaches_the_model_whole_and_says_how_to_present_the_plan_again() {
    let text = plan_texts::rejected(" Keep `a.rs`\nas it is. ", Some("ExitPlanMode"));
    assert!(text.contains("\n\nKeep `a.rs`\nas it is.\n\n"), "{text}");
    assert!(text.contains("ExitPlanMode"), "{text}");
    assert!(plan_texts::plan_first(None).contains("numbered list in your last message"));
    assert!(!plan_texts::plan_first(None).contains("ExitPlanMode"));
    assert!(plan_texts::approved().contains("Step N:"));
}
