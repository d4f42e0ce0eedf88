//! What has to hold for each of the ten agents.

use siderail_tests::place::APP;
use siderail_tests::stage::Stage;

use crate::play::{Play, SHAPES, at_once, kept_its_script, model, shown_with, summary};

/// The way by which the reason for a denied edit reaches each agent's model.
fn channel(shape: &str) -> &'static str {
    match shape {
        "opencode" => "api",
        "gemini" | "fast-agent" => "refusal",
        _ => "hook",
    }
}

fn receipts(stage: &Stage) -> Vec<(&str, &str)> {
    stage
        .all("GUIDANCE_RECEIPT")
        .into_iter()
        .map(|event| {
            let word = |name: &str| event[name].as_str().unwrap_or_default();
            (word("channel"), word("receipt"))
        })
        .collect()
}

#[tokio::test]
async fn a_denied_edit_is_explained_in_the_same_turn_and_the_redirected_write_lands() {
    const SCRIPT: &str = r#"
        really = true
        [[prompt]]
        step = [
          { create = "src/App.java", content = "built in", expect = "denied" },
          { call = "intellij_write_file", arguments = { path = "src/App.java", content = "redirected" }, expect = "allowed" },
          { say = "Done." },
        ]"#;
    at_once(SHAPES, |(shape, as_seen)| async move {
        let stage = Play::of(shape, SCRIPT).answer(false).run().await;
        let reason = shown_with(&stage, &format!("Use {as_seen}"));
        assert_eq!(reason.turn, 1, "{shape}: {reason:?}");
        let written_after = model(&stage)
            .into_iter()
            .skip_while(|shown| shown.text != reason.text);
        assert!(
            written_after.skip(1).any(|shown| shown.source == "result"),
            "{shape}"
        );
        assert_eq!(
            stage.place.read("project/src/App.java"),
            "redirected",
            "{shape}"
        );
        assert_eq!(receipts(&stage), [(channel(shape), "delivered")], "{shape}");
        let denied = stage.all("PERMISSION_DENIED");
        assert_eq!(denied.len(), 1, "{shape}: counted once: {denied:?}");
        assert_eq!(
            (&denied[0]["by"], &denied[0]["kind"]),
            (&"policy".into(), &"edit".into())
        );
        let end = summary(&stage);
        assert_eq!(end["turns"], 1, "{shape}: {}", stage.tail());
        assert_eq!(
            (&end["followed"], &end["redirect_rate"]),
            (&1.into(), &1.0.into()),
            "{shape}"
        );
        assert_eq!(
            end["files_written"],
            serde_json::json!(["src/App.java"]),
            "{shape}"
        );
        assert_eq!(end["unguarded"], false, "{shape}: {}", stage.tail());
    })
    .await;
}

#[tokio::test]
async fn our_own_tools_are_never_denied_and_nobody_is_asked_about_them() {
    const SCRIPT: &str = r#"
        [[prompt]]
        step = [
          { call = "intellij_read_file", arguments = { path = "src/App.java" }, expect = "allowed", expect_result_contains = "int x = 1" },
          { call = "search_text", arguments = { query = "class" }, expect = "allowed", expect_result_contains = "App.java" },
          { call = "intellij_write_file", arguments = { path = "src/New.java", content = "class New {}" }, expect = "allowed" },
          { call = "intellij_read_file", arguments = { path = "src/New.java" }, expect = "allowed" },
        ]"#;
    at_once(SHAPES, |(shape, _)| async move {
        for policy in ["redirect", "ask"] {
            let stage = Play::of(shape, SCRIPT)
                .policy(policy)
                .answer(false)
                .run()
                .await;
            let denied = stage.all("PERMISSION_DENIED");
            assert!(denied.is_empty(), "{shape} {policy}: {denied:?}");
            let asked = stage.all("PERMISSION_REQUEST");
            assert!(
                asked.iter().all(|event| event["asks"] == false),
                "{shape} {policy}"
            );
            assert_eq!(
                summary(&stage)["unguarded"],
                false,
                "{shape} {policy}: {}",
                stage.tail()
            );
        }
    })
    .await;
}

#[tokio::test]
async fn a_harmless_command_runs_where_the_person_allows_it() {
    const SCRIPT: &str = r#"
        really = true
        [[prompt]]
        step = [{ shell = "uname", expect = "allowed" }]"#;
    // Gemini's shell is never offered.
    let shapes = SHAPES.into_iter().filter(|(shape, _)| *shape != "gemini");
    at_once(shapes, |(shape, _)| async move {
        let stage = Play::of(shape, SCRIPT).answer(true).run().await;
        let approved = stage.all("PERMISSION_APPROVED");
        assert!(
            approved.iter().any(|event| event["by"] == "setting"),
            "{shape}: {}",
            stage.tail()
        );
        assert!(
            stage.all("PERMISSION_DENIED").is_empty(),
            "{shape}: {}",
            stage.tail()
        );
        assert_eq!(
            summary(&stage)["unguarded"],
            false,
            "{shape}: {}",
            stage.tail()
        );
    })
    .await;
}

#[tokio::test]
async fn hidden_tools_are_not_offered_to_the_model_which_uses_ours() {
    const SCRIPT: &str = r#"
        really = true
        [[prompt]]
        step = [
          { create = "src/App.java", content = "built in", expect = "hidden" },
          { if_hidden = true, call = "intellij_write_file", arguments = { path = "src/App.java", content = "ours" }, expect = "allowed" },
        ]"#;
    at_once(
        ["copilot", "claude", "gemini", "qwen", "opencode"],
        |shape| async move {
            let stage = Play::of(shape, SCRIPT)
                .answer(false)
                .with(|options, _| options.settings.hide = true)
                .run()
                .await;
            assert_eq!(stage.place.read("project/src/App.java"), "ours", "{shape}");
            let hidden = &summary(&stage)["hidden"];
            assert!(
                hidden.as_array().is_some_and(|tools| tools.len() > 3),
                "{shape}: {hidden}"
            );
            assert_eq!(stage.all("HIDDEN")[0]["tools"], *hidden, "{shape}");
            assert!(stage.all("PERMISSION_DENIED").is_empty(), "{shape}");
        },
    )
    .await;
}

#[tokio::test]
async fn a_model_that_does_not_listen_reads_a_nudge_and_a_change_of_tone() {
    const SCRIPT: &str = r#"
        really = true
        [[prompt]]
        step = [{ steps = [{ create = "src/App.java", content = "built in", expect = "denied" }], repeat = 5 }]"#;
    at_once(SHAPES, |(shape, _)| async move {
        let stage = Play::of(shape, SCRIPT).answer(false).run().await;
        assert_eq!(stage.place.read("project/src/App.java"), APP, "{shape}");
        let nudges = stage.all("NUDGE");
        let nudges: Vec<_> = nudges
            .iter()
            .map(|event| event["denials"].as_u64().unwrap())
            .collect();
        assert_eq!(nudges, [2, 4], "{shape}: {}", stage.tail());
        let tones = stage.all("ESCALATION");
        let counts: Vec<_> = tones
            .iter()
            .map(|event| event["denials"].as_u64().unwrap())
            .collect();
        assert_eq!(counts, [2, 3, 4, 5], "{shape}: {}", stage.tail());
        let read: Vec<String> = model(&stage)
            .into_iter()
            .filter(|shown| shown.text.contains("intellij_write_file") && shown.turn == 1)
            .map(|shown| shown.text)
            .collect();
        assert_eq!(read.len(), 5, "{shape}: {read:#?}");
        let says = |n: usize, part: &str| read[n - 1].contains(part);
        assert!(
            !says(1, "denied 1 times") && !says(1, "in a row"),
            "{shape}: {}",
            read[0]
        );
        assert!(
            says(2, "2 calls in a row were denied"),
            "{shape}: {}",
            read[1]
        );
        assert!(
            says(2, "was denied 2 times") && says(2, "another way"),
            "{shape}: {}",
            read[1]
        );
        assert!(
            says(3, "was denied 3 times") && says(3, "another way"),
            "{shape}: {}",
            read[2]
        );
        assert!(
            says(4, "Stop: ") && says(4, "was denied 4 times"),
            "{shape}: {}",
            read[3]
        );
        assert!(says(4, "ask the user"), "{shape}: {}", read[3]);
        let told = &summary(&stage)["escalations"];
        assert_eq!(
            *told,
            serde_json::json!({"turn": 4, "session": 0}),
            "{shape}"
        );
        assert_eq!(summary(&stage)["ignored"], 5, "{shape}: {}", stage.tail());
        kept_its_script(&stage);
    })
    .await;
}
