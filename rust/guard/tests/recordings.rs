//! Every permission request of every recording, as the guard reads it, against a checked-in table.
//!
//! `SIDERAIL_BLESS=1` rewrites the table; read the difference before keeping it.

mod profiles;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;
use siderail_guard::normalize::{self, AgentNames, IdentityRule, RequestView};
use siderail_guard::{Action, Identity, Tool};

const OWN_TOOLS: [Tool; 3] = [Tool::ReadFile, Tool::WriteFile, Tool::RunTests];

/// The name that a tool had when the agents were recorded, and the one that it has now.
const RENAMED: (&str, &str) = ("intellij_run_tests", "run_tests");

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/recordings")
}

fn names(agent: &str) -> AgentNames<'_> {
    AgentNames {
        quirks: profiles::quirks(agent),
        tool_name_in_meta: profiles::tool_name_in_meta(agent),
        server: "intellij-code-tools",
        own_tools: &OWN_TOOLS,
        title_is_command: agent != "copilot",
    }
}

/// The tool calls that a client has on record, merged by ACP's rules.
#[derive(Default)]
struct Calls {
    by_id: BTreeMap<String, Value>,
    open: Vec<String>,
}

impl Calls {
    fn apply(&mut self, update: &Value) {
        let Some(id) = update["toolCallId"].as_str() else {
            return;
        };
        if update["sessionUpdate"] == "tool_call" && !self.open.iter().any(|open| open == id) {
            self.open.push(id.to_owned());
        }
        let stored = self
            .by_id
            .entry(id.to_owned())
            .or_insert_with(|| Value::Object(Default::default()));
        for (key, value) in update.as_object().into_iter().flatten() {
            let keeps = key == "rawInput"
                && value.as_object().is_some_and(|object| object.is_empty())
                || key == "title" && value == "";
            if !keeps && key != "sessionUpdate" {
                stored[key] = value.clone();
            }
        }
        if matches!(stored["status"].as_str(), Some("completed" | "failed")) {
            self.open.retain(|open| open != id);
        }
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let listing = std::fs::read_dir(folder).expect("the recordings are checked in");
    let mut entries: Vec<PathBuf> = listing
        .map(|entry| entry.expect("a folder can be listed").path())
        .collect();
    entries.sort();
    entries
}

fn name(path: &Path) -> &str {
    path.file_name()
        .and_then(|name| name.to_str())
        .expect("recordings have plain names")
}

/// Calls `each` with (agent, scenario, the action) for every request, in order.
fn for_each_request(mut each: impl FnMut(&str, &str, Action)) {
    for file in entries(&folder()).iter().flat_map(|agent| entries(agent)) {
        let Some(scenario) = name(&file).strip_suffix(".acp.jsonl") else {
            continue;
        };
        let agent = name(file.parent().expect("a file lies in a folder"));
        let text = std::fs::read_to_string(&file).expect("recordings are text");
        let text = text.replace(RENAMED.0, RENAMED.1);
        let mut calls = Calls::default();
        for line in text.lines() {
            let record: Value = serde_json::from_str(line).expect("recordings are JSON lines");
            let params = &record["msg"]["params"];
            match record["msg"]["method"].as_str() {
                Some("session/update") => calls.apply(&params["update"]),
                Some("session/request_permission") => {
                    let id = params["toolCall"]["toolCallId"]
                        .as_str()
                        .unwrap_or_default();
                    let view = RequestView {
                        tool_call: &params["toolCall"],
                        stored: calls.by_id.get(id),
                        last_open: calls.open.last().and_then(|open| calls.by_id.get(open)),
                        meta: params.get("_meta"),
                        options: &params["options"],
                        cwd: "/project",
                    };
                    each(agent, scenario, normalize::permission(&view, &names(agent)));
                }
                _ => {}
            }
        }
    }
}

fn shown(action: &Action) -> String {
    let identity = match &action.identity {
        Identity::OwnTool(tool) => format!("own {tool}"),
        Identity::Builtin(tool) => format!("builtin {tool}"),
        Identity::OtherMcp { server, tool } => format!("mcp {server}/{tool}"),
        Identity::Unknown => "unknown".to_owned(),
    };
    let contradictory = if action.contradictory {
        " CONTRADICTORY"
    } else {
        ""
    };
    let command = action
        .command
        .as_deref()
        .unwrap_or("-")
        .replace('\n', "\\n");
    let paths = if action.paths.is_empty() {
        "-".to_owned()
    } else {
        action.paths.join(" ")
    };
    format!(
        "{identity}{contradictory} | by {} | {} | {command} | {paths}",
        action.rule.id(),
        action.kind.acp()
    )
}

#[test]
fn every_recorded_request_is_read_as_the_table_says() {
    let mut table = String::from("# agent/scenario | identity | rule | kind | command | paths\n");
    let mut n_requests = 0;
    for_each_request(|agent, scenario, action| {
        n_requests += 1;
        writeln!(table, "{agent}/{scenario} | {}", shown(&action)).unwrap();
    });
    assert_eq!(n_requests, 187, "recordings are missing");
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/permissions.txt");
    if std::env::var_os("SIDERAIL_BLESS").is_some() {
        std::fs::write(&golden, &table).unwrap();
    }
    let want = std::fs::read_to_string(&golden).unwrap();
    for (got, want) in table.lines().zip(want.lines()) {
        assert_eq!(got, want);
    }
    assert_eq!(table.lines().count(), want.lines().count());
}

#[test]
fn every_recorded_request_is_understood_whole_and_own_tools_carry_no_command() {
    for_each_request(|agent, scenario, action| {
        assert!(!action.contradictory, "{agent}/{scenario}: {action:?}");
        assert!(action.is_told_whole(), "{agent}/{scenario}: {action:?}");
        assert!(
            !action.identity.is_own() || action.command.is_none(),
            "{agent}/{scenario}"
        );
    });
}

/// Rules for requests that no recorded agent sent; `tests/normalize.rs` has a case for each.
const NOT_RECORDED: [IdentityRule; 4] = [
    IdentityRule::ServerName,
    IdentityRule::BareTitle,
    IdentityRule::Shape,
    IdentityRule::None,
];

#[test]
fn the_recordings_show_every_rule_that_agents_rely_on() {
    let mut hit = std::collections::HashSet::new();
    for_each_request(|_, _, action| {
        hit.insert(action.rule);
    });
    for rule in IdentityRule::ALL {
        assert_ne!(
            hit.contains(&rule),
            NOT_RECORDED.contains(&rule),
            "{}",
            rule.id()
        );
    }
}
