//! What an agent adds to a command that the guard cannot read never makes its judgement milder.

use proptest::prelude::*;
use serde_json::{Value, json};
use siderail_guard::shell::{Dialect, ProtectedPlaces};
use siderail_guard::{Action, Context, Decision, NameForm, Policy, Reason, Tool, Verdict, decide};

use crate::request;

const POLICIES: [Policy; 4] = [Policy::Redirect, Policy::Ask, Policy::Observe, Policy::Yolo];

fn judged(action: &Action, policy: Policy, always_allowed: bool) -> Decision {
    decide(
        action,
        &Context {
            policy,
            yolo_dangerous: false,
            root: "/proj",
            roots: &[],
            cwd: "/proj",
            home: Some("/home/u"),
            offered: &[Tool::ReadFile, Tool::RunTests],
            dialect: Dialect::Bash,
            places: &[],
            links: &[],
            untold: &[],
            name_trusted: true,
            always_allowed,
            pass_tools: &[],
            tool_as_seen: &NameForm::new("mcp__{server}__{tool}", "intellij-code-tools"),
            protected_places: ProtectedPlaces::ours(),
        },
    )
}

fn call(kind: Option<&str>, raw_input: &Value) -> Value {
    let mut call = json!({"toolCallId": "1", "title": "make all", "rawInput": raw_input});
    if let Some(kind) = kind {
        call["kind"] = json!(kind);
    }
    call
}

/// A command in one of the shapes in which it is read.
fn any_command() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!({"command": "make all"}),
        json!({"command": "cat src/A.java"}),
        json!({"command": "rm -rf src"}),
        json!({"command": ["make", "all"]}),
        json!({"command": "make", "args": ["all"]}),
        json!({"program": "rm", "args": ["-rf", "src"]}),
        json!({"argv": ["uname", "-s"]}),
        json!({"cmd": "uname", "cwd": "/srv/other"}),
    ])
}

fn any_value() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!("; rm -rf src"),
        json!(["; rm -rf src"]),
        json!({"PATH": "/tmp/x"}),
        json!([{"name": "A", "value": "b"}]),
        json!(true),
        json!("delete"),
        json!({"a": {"b": ["c"]}}),
    ])
}

const KNOWN_NAMES: [&str; 14] = [
    "args",
    "arguments",
    "env",
    "stdin",
    "input",
    "shell",
    "kind",
    "argv",
    "program",
    "script",
    "commands",
    "cmd",
    "workdir",
    "data",
];

proptest! {
    #[test]
    fn another_member_never_makes_a_verdict_milder(
        raw_input in any_command(),
        key in prop_oneof![
            prop::sample::select(&KNOWN_NAMES[..]).prop_map(str::to_owned),
            "[a-z_]{3,12}",
        ],
        value in any_value(),
        kind in prop::sample::select(&[None, Some("execute"), Some("other")][..]),
        agent in prop::sample::select(&crate::AGENTS[..]),
        always in any::<bool>(),
    ) {
        let mut more = raw_input.clone();
        if more.get(&key).is_none() {
            more[&key] = value;
        }
        let plain = request(agent, call(kind, &raw_input), None);
        let added = request(agent, call(kind, &more), None);
        for policy in POLICIES {
            let (was, is) = (judged(&plain, policy, always), judged(&added, policy, always));
            let grew_milder = was.verdict != Verdict::Allow && is.verdict == Verdict::Allow;
            prop_assert!(!grew_milder, "{more}: {was:?} became {is:?}");
            let lasts_less = added.is_told_whole() <= plain.is_told_whole();
            prop_assert!(lasts_less, "{more}");
        }
    }

    #[test]
    fn a_member_that_nobody_knows_is_asked_about_under_every_policy_whatever_was_allowed(
        raw_input in any_command(),
        key in "x_[a-z]{3,12}",
        value in any_value(),
        agent in prop::sample::select(&crate::AGENTS[..]),
    ) {
        let mut more = raw_input.clone();
        more[&key] = value;
        let action = request(agent, call(Some("execute"), &more), None);
        prop_assert!(!action.is_told_whole(), "{action:?}");
        for policy in POLICIES {
            let decision = judged(&action, policy, true);
            prop_assert_ne!(decision.verdict, Verdict::Allow, "{}", more);
            prop_assert_ne!(decision.reason, Reason::NeedsPerson, "{}", more);
        }
    }
}
