//! Every text, for the name form of every agent: it names the tool as that model sees it, says what
//! to pass and fits.

mod calls;

use std::collections::HashSet;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::action::Action;
use crate::action::ActionKind;
use crate::denial::Scope;
use crate::found;
use crate::normalize::{self, AgentNames};
use crate::policy::{Context, Policy};
use crate::shell::{Dialect, Finding, FindingKind, ProtectedPlaces};

const SERVER: &str = "intellij-code-tools";

/// The ten agents' name forms, and what they make of `run_tests`.
const FORMS: [(&str, &str); 10] = [
    ("{server}-{tool}", "intellij-code-tools-run_tests"),
    (
        "mcp__{server}__{tool}",
        "mcp__intellij-code-tools__run_tests",
    ),
    (
        "mcp__{server_}.{tool}",
        "mcp__intellij_code_tools.run_tests",
    ),
    (
        "mcp__{server_}::{tool}",
        "mcp__intellij_code_tools::run_tests",
    ),
    ("mcp_{server}_{tool}", "mcp_intellij-code-tools_run_tests"),
    ("{server}__{tool}", "intellij-code-tools__run_tests"),
    ("{server}_{tool}", "intellij-code-tools_run_tests"),
    (
        "tools.mcp_{server_}.{tool}",
        "tools.mcp_intellij_code_tools.run_tests",
    ),
    ("{tool}", "run_tests"),
    ("{server}/{tool}", "intellij-code-tools/run_tests"),
];

fn action(tool: &str, input: Value) -> Action {
    let names = AgentNames {
        quirks: &[],
        tool_name_in_meta: &[],
        server: SERVER,
        own_tools: &[],
        title_is_command: false,
    };
    normalize::hook(tool, &input, "/proj", &names)
}

fn finding(kind: FindingKind, tool: Option<Tool>, text: &str, path: &str) -> Finding {
    Finding {
        kind,
        instead: tool.map(|tool| found::offered(&[tool])[0]),
        text: text.to_owned(),
        why: "".into(),
        paths: vec![path.to_owned()],
    }
}

fn for_command(findings: &[Finding], form: &NameForm) -> Guidance {
    let ctx = Context {
        policy: Policy::Redirect,
        yolo_dangerous: false,
        root: "/proj",
        roots: &[],
        cwd: "/proj",
        home: None,
        offered: &[],
        dialect: Dialect::Bash,
        places: &[],
        links: &[],
        untold: &[],
        name_trusted: true,
        always_allowed: false,
        pass_tools: &[],
        tool_as_seen: form,
        protected_places: ProtectedPlaces::ours(),
    };
    command::guidance("bash", findings, &ctx).expect("some finding has a tool")
}

/// Every text about a denial with the tool it must name and arguments it must show.
fn about_denials(form: &NameForm) -> Vec<(Guidance, Tool, Vec<&'static str>)> {
    let builtin = |kind, tool, input, relative: &[&str]| {
        let relative: Vec<String> = relative.iter().map(|path| (*path).to_owned()).collect();
        builtin::guidance(kind, &action(tool, input), &relative, form)
            .expect("a file tool has a text")
    };
    let a = "src/A.java";
    let cat = finding(
        FindingKind::Read,
        Some(Tool::ReadFile),
        "cat src/A.java",
        "/proj/src/A.java",
    );
    let test = finding(
        FindingKind::RunTests,
        Some(Tool::RunTests),
        "cargo test parse",
        "/proj",
    );
    let rm = finding(FindingKind::Destructive, None, "rm -rf src", "/proj/src");
    let path = "\"path\":\"src/A.java\"";
    vec![
        (
            builtin(ActionKind::Read, "Read", json!({}), &[a]),
            Tool::ReadFile,
            vec![path],
        ),
        (
            builtin(
                ActionKind::Edit,
                "Edit",
                json!({"old_string": "x = 1", "new_string": "x = 2"}),
                &[a],
            ),
            Tool::WriteFile,
            vec![path, "\"old_text\":\"x = 1\"", "\"new_text\":\"x = 2\""],
        ),
        (
            builtin(
                ActionKind::Edit,
                "Write",
                json!({"content": "class A {}"}),
                &[a],
            ),
            Tool::WriteFile,
            vec![path, "\"content\":\"class A {}\""],
        ),
        (
            builtin(
                ActionKind::Edit,
                "apply_patch",
                json!("*** Begin Patch\n*** Update File: src/A.java"),
                &[a, "b.txt"],
            ),
            Tool::WriteFile,
            vec![path, "\"old_text\":", "b.txt"],
        ),
        (
            builtin(ActionKind::Delete, "delete_file", json!({}), &[a]),
            Tool::DeleteFile,
            vec![path],
        ),
        (
            builtin(ActionKind::Move, "move_file", json!({}), &[a, "src/B.java"]),
            Tool::MoveFile,
            vec![path, "\"to\":\"src/B.java\""],
        ),
        (
            builtin(ActionKind::ListFolder, "LS", json!({}), &["src"]),
            Tool::ListProjectFiles,
            vec!["\"directory\":\"src\""],
        ),
        (
            builtin(
                ActionKind::FindFile,
                "Glob",
                json!({"pattern": "**/*.java"}),
                &[],
            ),
            Tool::ListProjectFiles,
            vec!["\"pattern\":\"**/*.java\""],
        ),
        (
            builtin(
                ActionKind::SearchText,
                "Grep",
                json!({"pattern": "int x"}),
                &["src"],
            ),
            Tool::SearchText,
            vec!["\"query\":\"int x\"", "\"path\":\"src\""],
        ),
        (
            for_command(std::slice::from_ref(&cat), form),
            Tool::ReadFile,
            vec![path, "`cat src/A.java`"],
        ),
        (
            for_command(&[cat.clone(), test.clone()], form),
            Tool::ReadFile,
            vec![path, "run_tests with {\"target\":\"parse\"}"],
        ),
        (
            for_command(&[rm, test], form),
            Tool::RunTests,
            vec![
                "\"target\":\"parse\"",
                "`rm -rf src` needs the user's consent",
            ],
        ),
    ]
}

fn ladder() -> Vec<(TextId, String)> {
    vec![
        (TextId::Nudge, nudge(2, "/proj")),
        (
            TextId::SuggestAnotherWay,
            suggest_another_way("bash", 2, Scope::Turn),
        ),
        (TextId::StopAndAsk, stop_and_ask("bash", 4, Scope::Turn)),
        (TextId::Steering, steering("Use X.")),
        (TextId::Continuation, continuation("Use X.")),
        (TextId::Notice, notice("Use X.")),
        (
            TextId::DeniedByPerson,
            denied_by_person("bash", "not on a Friday"),
        ),
        (TextId::NobodyToAsk, nobody_to_ask("bash")),
        (TextId::DeniedBySetting, denied_by_setting("bash")),
        (TextId::StillWaiting, still_waiting(Tool::GitCommit)),
    ]
}

#[test]
fn every_denial_names_the_tool_as_each_agents_model_sees_it_with_its_arguments() {
    for (pattern, _) in FORMS {
        let form = NameForm::new(pattern, SERVER);
        for (guidance, tool, shown) in about_denials(&form) {
            let text = &guidance.text;
            assert_eq!(guidance.tool, tool, "{text}");
            assert!(text.contains(&form.as_seen(tool)), "{pattern}: {text}");
            for part in shown {
                let part = part.replace(
                    "run_tests with",
                    &format!("{} with", form.how_to_call(Tool::RunTests)),
                );
                assert!(text.contains(&part), "{part} in {text}");
            }
            assert!(
                text.contains("instead") && text.contains("denied again"),
                "{text}"
            );
            assert!(text.contains("go on with the task"), "{text}");
            assert!(
                text.chars().count() <= MAX_CHARS && !text.contains('\n'),
                "{text}"
            );
        }
    }
}

#[test]
fn the_form_of_a_name_is_the_profiles() {
    for (pattern, want) in FORMS {
        assert_eq!(NameForm::new(pattern, SERVER).as_seen(Tool::RunTests), want);
    }
    let vibe = NameForm::new("tools.mcp_{server_}.{tool}", SERVER);
    assert_eq!(
        vibe.how_to_call(Tool::RunTests),
        "tools.mcp_intellij_code_tools.run_tests (in run_typescript)"
    );
}

#[test]
fn every_text_is_made_by_some_case() {
    let form = NameForm::new("{tool}", SERVER);
    let made: HashSet<TextId> = about_denials(&form)
        .into_iter()
        .map(|(guidance, ..)| guidance.id)
        .chain(ladder().into_iter().map(|(id, _)| id))
        .collect();
    for id in TextId::ALL {
        assert!(made.contains(&id), "{id:?}");
    }
}

#[test]
fn the_texts_of_the_ladder_say_what_their_step_is_for() {
    for (id, text) in ladder() {
        let must_say: &[&str] = match id {
            TextId::Nudge => &["sandbox", "allowed folder", "project folder /proj"],
            TextId::SuggestAnotherWay => &["bash", "another way", "different"],
            TextId::StopAndAsk => &["Stop", "ask the user"],
            TextId::Continuation => &["Continue the previous task", "Use X."],
            TextId::Steering | TextId::Notice => &["Use X."],
            TextId::DeniedByPerson => &["The user denied bash", "\"not on a Friday\""],
            TextId::NobodyToAsk => &["nobody could be asked"],
            TextId::DeniedBySetting => &["this session is set to deny", "nobody was asked"],
            TextId::StillWaiting => &["git_commit", "the same arguments"],
            other => panic!("{other:?} is no text of the ladder"),
        };
        for part in must_say {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
    assert!(denied_by_person("bash", " ").contains("without giving a reason"));
}

#[test]
fn a_host_of_plain_files_promises_nothing_that_only_an_ide_has() {
    let form = NameForm::new("{tool}", SERVER).backed_by(Surroundings::Files);
    let of_denials = about_denials(&form).into_iter().map(|(text, ..)| text.text);
    let others = [
        nudge(2, "/proj"),
        suggest_another_way("bash", 2, Scope::Turn),
        stop_and_ask("bash", 4, Scope::Turn),
        nobody_to_ask("run_command"),
        still_waiting(Tool::RunCommand),
    ];
    for text in of_denials.chain(others) {
        for word in ["IDE", "editor", "unsaved", "be undone"] {
            assert!(!text.contains(word), "{word}: {text}");
        }
    }
}
