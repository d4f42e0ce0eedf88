//! The decision tables: the agents' own tools, and our own at their gate.

use std::collections::HashSet;

use serde_json::Value;
use siderail_guard::normalize::{self, AgentNames};
use siderail_guard::shell::{Dialect, Link, ProtectedPlace, ProtectedPlaces};
use siderail_guard::{
    Context, Decision, NameForm, PathFact, Place, Policy, Reason, Tool, Verdict, decide,
    own_tool_gate,
};

const OFFERED: [Tool; 11] = [
    Tool::ReadFile,
    Tool::WriteFile,
    Tool::SearchText,
    Tool::ListProjectFiles,
    Tool::RunTests,
    Tool::RunCommand,
    Tool::DeleteFile,
    Tool::MoveFile,
    Tool::GitStatus,
    Tool::GitCommit,
    Tool::AskUser,
];

/// One row of a table: what goes in, and what is expected.
struct Row<'a> {
    policy: Policy,
    tool: &'a str,
    input: Value,
    tweaks: Vec<&'a str>,
    want: String,
}

fn rows(table: &str) -> impl Iterator<Item = Row<'_>> {
    table
        .lines()
        .filter(|row| !row.starts_with('#'))
        .map(|row| {
            let cells: Vec<&str> = row.split(" | ").collect();
            let at_input = cells.len() - 5;
            Row {
                policy: Policy::parse(cells[0]).expect("a policy comes first"),
                tool: cells[1],
                // A command may hold the separator itself.
                input: serde_json::from_str(&cells[2..=at_input - 1].join(" | "))
                    .expect("the input is JSON"),
                tweaks: cells[at_input].split(' ').collect(),
                want: cells[at_input + 1..].join(" | "),
            }
        })
}

fn own_tool(name: &str) -> Tool {
    Tool::named(name).unwrap_or_else(|| panic!("{name} is not in the catalog"))
}

/// Calls `judge` with the row's context.
fn judged(row: &Row, judge: impl Fn(&Context) -> Decision) -> Decision {
    let tweak = |name: &str| row.tweaks.iter().find_map(|tweak| tweak.strip_prefix(name));
    let only = tweak("offered=").map(|tool| [own_tool(tool)]);
    let pass_tools: Vec<String> = tweak("pass=").map(str::to_owned).into_iter().collect();
    let places: Vec<PathFact> = tweak("place=")
        .and_then(|fact| fact.split_once(':'))
        .map(|(given, place)| PathFact {
            given: given.to_owned(),
            place: match place {
                "outside" => Place::Outside,
                relative => Place::Inside {
                    relative: relative.to_owned(),
                },
            },
        })
        .into_iter()
        .collect();
    let links: Vec<Link> = tweak("link=")
        .and_then(|fact| fact.split_once(':'))
        .map(|(path, to)| Link {
            path: path.to_owned(),
            to: to.to_owned(),
        })
        .into_iter()
        .collect();
    let of_agent = ProtectedPlace::parse(".claude").expect("a place");
    judge(&Context {
        policy: row.policy,
        yolo_dangerous: false,
        root: "/proj",
        roots: &[],
        cwd: "/proj",
        home: Some("/home/u"),
        offered: only.as_ref().map_or(&OFFERED[..], |only| &only[..]),
        dialect: Dialect::Bash,
        places: &places,
        links: &links,
        untold: &[],
        name_trusted: !row.tweaks.contains(&"untrusted"),
        always_allowed: row.tweaks.contains(&"always"),
        pass_tools: &pass_tools,
        tool_as_seen: &NameForm::new("mcp__{server}__{tool}", "intellij-code-tools"),
        protected_places: &ProtectedPlaces::with([of_agent]),
    })
}

fn shown(decision: &Decision) -> String {
    let verdict = match decision.verdict {
        Verdict::Allow => "allow",
        Verdict::Ask => "ask",
        Verdict::Deny => "deny",
    };
    let instead = decision.instead.map_or("-", Tool::name);
    format!(
        "{verdict} | {} | {instead} | {}",
        decision.reason.id(),
        decision.kind
    )
}

/// Every denial names the tool, as the model sees it; nothing else carries a text.
fn check_guidance(decision: &Decision) {
    match (decision.verdict, &decision.guidance, decision.instead) {
        (Verdict::Deny, Some(text), Some(tool)) => {
            assert!(
                text.contains(&format!("mcp__intellij-code-tools__{tool}")),
                "{text}"
            );
            assert!(text.chars().count() <= 600, "{text}");
        }
        (Verdict::Deny, _, _) => panic!("a denial without guidance: {decision:?}"),
        (_, None, None) => {}
        _ => panic!("guidance without a denial: {decision:?}"),
    }
}

fn decisions() -> Vec<(String, Decision, String)> {
    let names = AgentNames {
        quirks: &[],
        tool_name_in_meta: &[],
        server: "intellij-code-tools",
        own_tools: &OFFERED,
        title_is_command: false,
    };
    let of_agent = rows(include_str!("tables/decisions.txt")).map(|row| {
        let action = normalize::hook(row.tool, &row.input, "/proj", &names);
        let decision = judged(&row, |ctx| decide(&action, ctx));
        (
            format!("{} {} {:?}", row.tool, row.input, row.tweaks),
            decision,
            row.want,
        )
    });
    let at_gate = rows(include_str!("tables/gate.txt")).map(|row| {
        let decision = judged(&row, |ctx| {
            own_tool_gate(own_tool(row.tool), &row.input, ctx)
        });
        (
            format!("gate: {} {} {:?}", row.tool, row.input, row.tweaks),
            decision,
            row.want,
        )
    });
    of_agent.chain(at_gate).collect()
}

#[test]
fn every_row_of_the_tables_is_decided_as_it_says() {
    let mut wrong = Vec::new();
    for (what, decision, want) in decisions() {
        check_guidance(&decision);
        let got = shown(&decision);
        if got != want {
            wrong.push(format!("{what}\n  got  {got}\n  want {want}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} rows:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn every_reason_is_given_by_some_row() {
    let given: HashSet<Reason> = decisions()
        .into_iter()
        .map(|(_, decision, _)| decision.reason)
        .collect();
    for reason in Reason::ALL {
        // Laid over these decisions; `tests/planning.rs` has its table.
        if reason == Reason::PlanFirst {
            continue;
        }
        assert!(given.contains(&reason), "{}", reason.id());
    }
}

#[test]
fn what_must_not_be_remembered_is_asked_again_whatever_was_chosen() {
    for (what, decision, _) in decisions() {
        if what.contains("always") && decision.verdict == Verdict::Allow {
            assert!(
                matches!(decision.reason, Reason::AlwaysAllowed | Reason::OwnTool),
                "{what}: {decision:?}"
            );
        }
    }
}

#[test]
fn a_nameless_thought_that_names_a_file_is_asked() {
    let names = AgentNames {
        quirks: &[],
        tool_name_in_meta: &[],
        server: "intellij-code-tools",
        own_tools: &OFFERED,
        title_is_command: true,
    };
    let row = rows("redirect | think | {} | - | a | b | c | d")
        .next()
        .expect("one row");
    let verdict = |call: &Value| {
        let action = normalize::update(call, "/proj", &names);
        judged(&row, |ctx| decide(&action, ctx)).verdict
    };
    let thought = serde_json::json!({"toolCallId": "1", "kind": "think", "title": "Pondering"});
    assert_eq!(verdict(&thought), Verdict::Allow);
    let on_a_file = serde_json::json!({"toolCallId": "1", "kind": "think", "title": "Pondering",
                                       "locations": [{"path": "/proj/a"}]});
    assert_eq!(verdict(&on_a_file), Verdict::Ask);
}
