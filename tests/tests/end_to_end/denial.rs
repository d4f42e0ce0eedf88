//! What is denied, what is asked, and what the answers do.

use siderail_engine::command::PermissionAnswer;

use crate::play::{Play, SHAPES, answer, at_once, no, shown_with, summary};

#[tokio::test]
async fn reading_by_the_shell_is_denied_and_the_reading_tool_named_in_the_same_turn() {
    const SCRIPT: &str = r#"
        really = true
        [[prompt]]
        step = [
          { shell = "cat src/App.java", description = "look at it", expect = "denied" },
          { call = "intellij_read_file", arguments = { path = "src/App.java" }, expect = "allowed", expect_result_contains = "int x = 1" },
        ]"#;
    // Gemini's shell runs such commands unasked and is never offered.
    let shapes = SHAPES.into_iter().filter(|(shape, _)| *shape != "gemini");
    at_once(shapes, |(shape, as_seen)| async move {
        let stage = Play::of(shape, SCRIPT).answer(true).run().await;
        let reader = as_seen.replace("write", "read");
        assert_eq!(shown_with(&stage, &reader).turn, 1, "{shape}");
        let denied = stage.all("PERMISSION_DENIED");
        assert_eq!(denied.len(), 1, "{shape}: {denied:?}");
        assert_eq!(denied[0]["kind"], "read_file", "{shape}");
        let channel = match shape {
            "fast-agent" => "refusal",
            "opencode" => "api",
            _ => "hook",
        };
        assert_eq!(
            stage.all("GUIDANCE_RECEIPT")[0]["channel"],
            channel,
            "{shape}"
        );
        let end = summary(&stage);
        assert_eq!(
            (&end["followed"], &end["turns"]),
            (&1.into(), &1.into()),
            "{shape}: {end}"
        );
        assert_eq!(end["unguarded"], false, "{shape}: {}", stage.tail());
    })
    .await;
}

#[tokio::test]
async fn a_persons_no_to_one_of_our_tools_is_its_result() {
    const SCRIPT: &str = r#"
        [[prompt]]
        step = [
          { call = "intellij_write_file", arguments = { path = ".git/config", content = "mine" }, expect = "failed", expect_result_contains = "hands off" },
          { call = "intellij_write_file", arguments = { path = ".git/config", content = "yours" }, expect = "allowed" },
        ]"#;
    let mut stage = Play::of("claude", SCRIPT)
        .with(|_, place| place.write("project/.git/config", "before"))
        .start();
    stage.prompt("go");
    // The agent asks about the tool; our gate asks about the path, whatever was said to the agent.
    for reply in [no("hands off"), PermissionAnswer::Allow] {
        let request = loop {
            let request = stage.until("PERMISSION_REQUEST").await;
            if request["channel"] == "own" {
                break request;
            }
            assert_eq!(request["asks"], false, "{request}");
        };
        assert_eq!(
            (&request["asks"], &request["paths"][0]),
            (&true.into(), &".git/config".into())
        );
        assert_eq!(stage.place.read("project/.git/config"), "before");
        answer(&stage, &request, reply);
    }
    stage.until("TURN_ENDED").await;
    stage.end().await;
    crate::play::kept_its_script(&stage);
    assert_eq!(stage.place.read("project/.git/config"), "yours");
}

#[tokio::test]
async fn what_a_person_always_allows_is_not_asked_again() {
    const SCRIPT: &str = r#"
        really = true
        [[prompt]]
        step = [{ shell = "uname" }, { shell = "uname" }, { shell = "uname -a" }]"#;
    let mut stage = Play::of("copilot", SCRIPT).start();
    stage.prompt("go");
    let first = stage.until("PERMISSION_REQUEST").await;
    answer(&stage, &first, PermissionAnswer::Always);
    let by = stage.until("PERMISSION_APPROVED").await["by"].clone();
    assert_eq!(by, "user");
    assert_eq!(
        stage.until("PERMISSION_REQUEST").await["asks"],
        false,
        "{}",
        stage.tail()
    );
    assert_eq!(stage.until("PERMISSION_APPROVED").await["by"], "always");
    let third = stage.until("PERMISSION_REQUEST").await;
    assert_eq!(
        third["asks"], true,
        "another command is another question: {third}"
    );
    answer(&stage, &third, no(""));
    stage.until("TURN_ENDED").await;
    stage.end().await;
}

#[tokio::test]
async fn observing_denies_nothing_and_still_counts() {
    const SCRIPT: &str = r#"
        really = true
        [[prompt]]
        step = [{ create = "src/App.java", content = "built in", expect = "allowed" }]"#;
    let stage = Play::of("claude", SCRIPT)
        .policy("observe")
        .answer(true)
        .run()
        .await;
    assert_eq!(stage.place.read("project/src/App.java"), "built in");
    assert!(stage.all("PERMISSION_DENIED").is_empty());
    assert!(summary(&stage)["hidden"].as_array().unwrap().is_empty());
}
