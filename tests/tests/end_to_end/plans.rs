//! A plan before the work, with each of the ten agents: nothing changes before it is approved, and what a person says
//! of it reaches the model.

use std::collections::BTreeMap;

use serde_json::Value;
use siderail_engine::command::{Command, PermissionAnswer};
use siderail_tests::place::{APP, paths_below};
use siderail_tests::stage::{SESSION, Stage};

use crate::play::{Play, SHAPES, answer, at_once, no, shown_with, summary, traffic};

const WORK: &str = r#"
    { say = "Step 1: x." },
    { call = "intellij_write_file", arguments = { path = "src/App.java", content = "planned" }, expect = "allowed" },
    { say = "Step 2: done." },"#;

/// The model tries every way to write, then presents a plan; `work` follows where that is approved in its turn.
fn planning(after: &str) -> String {
    format!(
        r#"
        really = true
        [[prompt]]
        step = [
          {{ create = "src/App.java", content = "built in" }},
          {{ call = "intellij_write_file", arguments = {{ path = "src/App.java", content = "ours" }}, expect_result_contains = "plan" }},
          {{ call = "run_command", arguments = {{ command = "touch made" }}, expect_result_contains = "plan" }},
          {{ shell = "touch made" }},
          {{ present = "1. Set x\n2. Stop" }},
          {{ if_allowed = true, steps = [ {WORK} ] }},
        ]
        {after}
        [[prompt]]
        match = "The plan is approved"
        step = [ {WORK} ]
        [[prompt]]
        match = "something else"
        step = [ {{ call = "intellij_write_file", arguments = {{ path = "src/Else.java", content = "else" }}, expect = "allowed" }} ]"#
    )
}

/// The agent's own planning mode; none where the guard alone keeps the files as they are.
fn own_mode(shape: &str) -> Option<&'static str> {
    match shape {
        "claude" | "codex" | "gemini" | "qwen" | "opencode" => Some("plan"),
        "copilot" => Some("https://agentclientprotocol.com/protocol/session-modes#plan"),
        _ => None,
    }
}

/// Whether the agent asks for the approval inside of its turn.
fn asks_in_turn(shape: &str) -> bool {
    matches!(shape, "claude" | "codex" | "gemini" | "qwen")
}

fn files(stage: &Stage) -> BTreeMap<String, String> {
    let project = stage.place.project();
    let files = paths_below(&project)
        .into_iter()
        .filter(|path| path.is_file());
    let text = |path: &std::path::Path| std::fs::read(path).expect("a file that can be read");
    files
        .map(|path| {
            let text = String::from_utf8_lossy(&text(&path)).into_owned();
            (path.display().to_string(), text)
        })
        .collect()
}

/// Goes on to the next plan, which must find every file as it was.
async fn proposed(stage: &mut Stage, shape: &str, before: &BTreeMap<String, String>) -> Value {
    let plan = stage.until("PLAN_PROPOSED").await;
    assert_eq!(
        files(stage),
        *before,
        "{shape}: changed before the approval"
    );
    let channel = if asks_in_turn(shape) { "acp" } else { "turn" };
    assert_eq!(plan["channel"], channel, "{shape}: {}", stage.tail());
    assert_eq!(plan["asks"], true, "{shape}");
    plan
}

fn steps(plan: &Value) -> Vec<&str> {
    let entries = plan["entries"].as_array().expect("a list").iter();
    entries.filter_map(|entry| entry["text"].as_str()).collect()
}

/// Goes on to the end of the last turn.
async fn to_the_end(stage: &mut Stage) {
    while stage.until("TURN_ENDED").await["continues"] == true {}
}

fn states(stage: &Stage) -> Vec<Vec<String>> {
    let plans = stage.all("PLAN").into_iter();
    plans
        .map(|plan| {
            let entries = plan["entries"].as_array().expect("a list").iter();
            entries
                .map(|entry| entry["status"].as_str().expect("a word").to_owned())
                .collect()
        })
        .collect()
}

#[tokio::test]
async fn nothing_changes_before_the_approval_and_the_approved_plan_is_carried_out_with_progress() {
    let script = planning("");
    at_once(SHAPES, |(shape, _)| {
        let script = script.clone();
        async move {
            let mut stage = Play::of(shape, &script).start();
            let before = files(&stage);
            stage.prompt_for_plan("go");
            let started = stage.until("PLANNING_STARTED").await;
            assert_eq!(started["mode"].as_str(), own_mode(shape), "{shape}");
            let plan = proposed(&mut stage, shape, &before).await;
            assert_eq!(steps(&plan), ["Set x", "Stop"], "{shape}: {plan}");
            answer(&stage, &plan, PermissionAnswer::Allow);
            to_the_end(&mut stage).await;
            assert_eq!(
                stage.place.read("project/src/App.java"),
                "planned",
                "{shape}"
            );
            let states = states(&stage);
            let running = ["in_progress".to_owned(), "pending".to_owned()];
            assert!(states.contains(&running.to_vec()), "{shape}: {states:?}");
            let last = states.last().expect("there was progress");
            assert_eq!(last, &["completed", "completed"], "{shape}: {states:?}");
            // The agent's planning mode ends with the planning.
            stage.play("something else").await;
            assert_eq!(stage.place.read("project/src/Else.java"), "else", "{shape}");
            stage.end().await;
            assert_eq!(
                summary(&stage)["unguarded"],
                false,
                "{shape}: {}",
                stage.tail()
            );
        }
    })
    .await;
}

#[tokio::test]
async fn feedback_on_a_plan_reaches_the_model_and_another_plan_is_made() {
    let script = planning(&format!(
        r#"
        [[prompt]]
        match = "The plan is not approved"
        step = [
          {{ expect_seen_contains = "leave `y` alone" }},
          {{ create = "src/App.java", content = "built in" }},
          {{ present = "1. Only x\n2. Nothing" }},
          {{ if_allowed = true, steps = [ {WORK} ] }},
        ]"#
    ));
    at_once(SHAPES, |(shape, _)| {
        let script = script.clone();
        async move {
            let mut stage = Play::of(shape, &script).start();
            let before = files(&stage);
            stage.prompt_for_plan("go");
            let plan = proposed(&mut stage, shape, &before).await;
            answer(&stage, &plan, no("Please leave `y` alone"));
            let rejected = stage.until("PLAN_REJECTED").await;
            assert_eq!(rejected["continues"], true, "{shape}");
            let plan = proposed(&mut stage, shape, &before).await;
            assert_eq!(steps(&plan), ["Only x", "Nothing"], "{shape}: {plan}");
            let told = shown_with(&stage, "leave `y` alone");
            assert_eq!((told.turn, told.source.as_str()), (2, "prompt"), "{shape}");
            answer(&stage, &plan, PermissionAnswer::Allow);
            to_the_end(&mut stage).await;
            assert_eq!(
                stage.place.read("project/src/App.java"),
                "planned",
                "{shape}"
            );
            stage.end().await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_plan_that_is_turned_down_changes_nothing_and_the_next_prompt_is_an_ordinary_one() {
    let script = planning("");
    at_once(SHAPES, |(shape, _)| {
        let script = script.clone();
        async move {
            let mut stage = Play::of(shape, &script).start();
            let before = files(&stage);
            stage.prompt_for_plan("go");
            let plan = proposed(&mut stage, shape, &before).await;
            answer(&stage, &plan, no(""));
            let rejected = stage.until("PLAN_REJECTED").await;
            assert_eq!(rejected["continues"], false, "{shape}");
            if asks_in_turn(shape) {
                to_the_end(&mut stage).await;
            }
            assert_eq!(files(&stage), before, "{shape}");
            stage.play("something else").await;
            assert_eq!(stage.place.read("project/src/Else.java"), "else", "{shape}");
            stage.end().await;
            assert_eq!(stage.place.read("project/src/App.java"), APP, "{shape}");
        }
    })
    .await;
}

#[tokio::test]
async fn an_answer_given_beforehand_approves_or_turns_down_without_asking() {
    for (allow, event, text) in [
        (true, "PLAN_APPROVED", "planned"),
        (false, "PLAN_REJECTED", APP),
    ] {
        for shape in ["claude", "vibe"] {
            let mut stage = Play::of(shape, &planning("")).answer(allow).start();
            stage.prompt_for_plan("go");
            let plan = stage.until("PLAN_PROPOSED").await;
            assert_eq!(plan["asks"], false, "{shape}");
            assert_eq!(stage.until(event).await["by"], "setting", "{shape}");
            if allow || asks_in_turn(shape) {
                to_the_end(&mut stage).await;
            }
            stage.end().await;
            assert_eq!(
                stage.place.read("project/src/App.java"),
                text,
                "{shape} {allow}"
            );
        }
    }
}

#[tokio::test]
async fn a_cancel_withdraws_the_plan_and_no_other_is_made() {
    for shape in ["claude", "fast-agent"] {
        let mut stage = Play::of(shape, &planning("")).start();
        stage.prompt_for_plan("go");
        stage.until("PLAN_PROPOSED").await;
        stage.send(Command::Cancel { session: SESSION });
        let rejected = stage.until("PLAN_REJECTED").await;
        assert_eq!(
            (&rejected["by"], &rejected["continues"]),
            (&"cancel".into(), &false.into())
        );
        if asks_in_turn(shape) {
            to_the_end(&mut stage).await;
        }
        stage.play("something else").await;
        stage.end().await;
        assert_eq!(stage.all("PLAN_PROPOSED").len(), 1, "{shape}");
        assert_eq!(stage.place.read("project/src/App.java"), APP, "{shape}");
    }
}

#[tokio::test]
async fn an_agent_that_refuses_its_planning_mode_is_kept_from_writing_all_the_same() {
    let script = planning("").replacen("really = true", "really = true\nrefuse_mode = true", 1);
    let mut stage = Play::of("opencode", &script).start();
    let before = files(&stage);
    stage.prompt_for_plan("go");
    let started = stage.until("PLANNING_STARTED").await;
    assert_eq!(started["mode"], Value::Null);
    let plan = proposed(&mut stage, "opencode", &before).await;
    answer(&stage, &plan, PermissionAnswer::Allow);
    to_the_end(&mut stage).await;
    assert_eq!(stage.place.read("project/src/App.java"), "planned");
    stage.end().await;
}

#[tokio::test]
async fn what_the_agent_itself_says_ahead_of_a_plan_is_no_part_of_it() {
    // Copilot says such things without an end of the line.
    const SCRIPT: &str = r#"
        [[prompt]]
        step = [{ say = "Info: Disabled tools: bash" }, { say = "1. Set x" }]"#;
    let mut stage = Play::of("copilot", SCRIPT).start();
    let before = files(&stage);
    stage.prompt_for_plan("go");
    let plan = proposed(&mut stage, "copilot", &before).await;
    assert_eq!(
        (&plan["text"], steps(&plan)),
        (&"1. Set x".into(), vec!["Set x"])
    );
    answer(&stage, &plan, no(""));
    stage.end().await;
}

#[tokio::test]
async fn modes_and_options_are_told_and_set_whatever_way_an_agent_has_them() {
    let script = "[[prompt]]\nstep = [{ say = \"hi\" }]";
    for (shape, mode, option, method) in [
        ("claude", "acceptEdits", ("fast", "on"), "session/set_mode"),
        (
            "opencode",
            "plan",
            ("mode", "build"),
            "session/set_config_option",
        ),
        (
            "codex",
            "agent",
            ("collaboration_mode", "plan"),
            "session/set_mode",
        ),
    ] {
        let mut stage = Play::of(shape, script).start();
        let told = stage.until("SESSION_OPTIONS").await;
        let modes = told["modes"].as_array().expect("a list");
        assert!(modes.iter().any(|m| m["value"] == mode), "{shape}: {told}");
        let set = |option: &str, value: &str| Command::SetOption {
            session: SESSION,
            option: option.to_owned(),
            value: value.to_owned(),
        };
        stage.send(Command::SetMode {
            session: SESSION,
            mode: mode.to_owned(),
        });
        let told = stage.until("SESSION_OPTIONS").await;
        assert_eq!(told["mode"], mode, "{shape}: {told}");
        stage.send(set(option.0, option.1));
        for (wrong, value) in [("nonsense", "x"), (option.0, "nonsense")] {
            stage.send(set(wrong, value));
            let notice = stage.until("AGENT_LOG").await;
            let text = notice["text"].as_str().expect("a text");
            assert!(
                text.contains("nonsense") && text.contains(option.0),
                "{shape}: {text}"
            );
        }
        stage.play("go").await;
        stage.end().await;
        let sent = traffic(&stage);
        let has = |part: &str| sent.iter().any(|line| line.to_string().contains(part));
        assert!(
            has(method) && has(&format!("\"value\":\"{}\"", option.1)),
            "{shape}"
        );
    }
}
