//! What is denied, what is asked, and what the answers do.

use serde_json::json;
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
          { call = "delete_file", arguments = { path = "src/App.java" }, expect = "failed", expect_result_contains = "hands off" },
          { call = "delete_file", arguments = { path = "src/App.java" }, expect = "allowed" },
        ]"#;
    let mut stage = Play::of("claude", SCRIPT).start();
    stage.prompt("go");
    // The agent asks about the tool; our gate asks about the deletion, whatever was said to the agent.
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
            (&true.into(), &"src/App.java".into())
        );
        assert!(stage.place.path("project/src/App.java").exists());
        answer(&stage, &request, reply);
    }
    stage.until("TURN_ENDED").await;
    stage.end().await;
    crate::play::kept_its_script(&stage);
    assert!(!stage.place.path("project/src/App.java").exists());
}

#[tokio::test]
async fn a_call_of_ours_at_a_protected_place_is_asked_about_once_before_it_comes() {
    const SCRIPT: &str = r#"
        [[prompt]]
        step = [
          { call = "intellij_write_file", arguments = { path = ".git/config", content = "mine" }, expect = "allowed" },
          { call = "intellij_write_file", arguments = { path = ".git/config", content = "yours" }, expect = "denied" },
        ]"#;
    let mut stage = Play::of("claude", SCRIPT)
        .with(|_, place| place.write("project/.git/config", "before"))
        .start();
    stage.prompt("go");
    for (reply, text) in [
        (PermissionAnswer::Allow, "before"),
        (no("hands off"), "mine"),
    ] {
        let request = stage.until("PERMISSION_REQUEST").await;
        assert_eq!(
            (&request["asks"], &request["channel"], &request["paths"][0]),
            (&true.into(), &"acp".into(), &".git/config".into())
        );
        assert_eq!(stage.place.read("project/.git/config"), text);
        answer(&stage, &request, reply);
    }
    stage.until("TURN_ENDED").await;
    stage.end().await;
    crate::play::kept_its_script(&stage);
    assert_eq!(stage.all("PERMISSION_REQUEST").len(), 2, "{}", stage.tail());
    assert_eq!(stage.place.read("project/.git/config"), "mine");
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

#[tokio::test]
async fn a_call_that_hook_and_request_both_see_without_naming_it_counts_once() {
    // The request names a call, Copilot's hook does not.
    const SCRIPT: &str = r#"
        [[prompt]]
        step = [
          { request = "session/request_permission", params = { sessionId = "${session}", toolCall = { toolCallId = "t1", title = "Edit", kind = "edit", rawInput = { path = "${cwd}/src/App.java" } }, options = [{ optionId = "n", name = "No", kind = "reject_once" }] } },
          { create = "src/App.java", content = "x", expect = "denied", expect_result_contains = "intellij_write_file" },
          { create = "src/App.java", content = "x", expect = "denied", expect_result_contains = "intellij_write_file" },
        ]"#;
    let stage = Play::of("copilot", SCRIPT).run().await;
    let channels: Vec<_> = stage
        .all("PERMISSION_REQUEST")
        .iter()
        .map(|request| request["channel"].clone())
        .collect();
    assert_eq!(channels, ["acp", "hook"], "{}", stage.tail());
    assert_eq!(stage.all("PERMISSION_DENIED").len(), 2, "one of each call");
}

#[tokio::test]
async fn an_agent_whose_requests_name_no_call_is_judged_call_by_call() {
    const SCRIPT: &str = r#"
        really = true
        [[prompt]]
        step = [
          { create = "src/App.java", content = "x", expect = "denied" },
          { shell = "cat src/App.java", expect = "denied" },
          { call = "intellij_read_file", arguments = { path = "src/App.java" }, expect = "allowed", expect_result_contains = "int x = 1" },
          { shell = "uname", expect = "allowed" },
        ]"#;
    let stage = Play::of("openhands", SCRIPT)
        .answer(true)
        .without_hook()
        .run()
        .await;
    let end = summary(&stage);
    assert_eq!(stage.all("PERMISSION_DENIED").len(), 2, "{}", stage.tail());
    assert_eq!(end["unguarded"], false, "{}", stage.tail());
}

/// Qwen edits only what its own tool has read, and asks nobody before it says so.
#[tokio::test]
async fn an_agent_that_must_read_before_it_edits_may_read_and_is_guided_at_the_edit() {
    const SCRIPT: &str = r#"
        really = true
        [[prompt]]
        step = [
          { read = "src/App.java", expect = "allowed", expect_result_contains = "int x = 1" },
          { edit = "src/App.java", old = "1", new = "2", expect = "denied" },
          { shell = "cat src/App.java", expect = "denied" },
        ]"#;
    let stage = Play::of("qwen", SCRIPT).answer(false).run().await;
    let read = shown_with(&stage, "intellij_write_file");
    assert_eq!((read.turn, read.source.as_str()), (1, "hook"), "{read:?}");
    let end = summary(&stage);
    assert_eq!(
        end["denials"],
        json!({"edit": 1, "run_shell_command": 1}),
        "{}",
        stage.tail()
    );
    assert_eq!(end["unguarded"], false, "{}", stage.tail());
}

#[tokio::test]
async fn a_call_that_runs_after_a_no_is_told_once() {
    let call = |id: &str| {
        format!(
            r#""toolCallId":"{id}","title":"touch x","kind":"execute","rawInput":{{"command":"touch x"}}"#
        )
    };
    let update = |id: &str, kind: &str, status: &str| {
        format!(
            r#"{{ send = '{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"${{session}}","update":{{"sessionUpdate":"{kind}","status":"{status}",{}}}}}}}' }}"#,
            call(id)
        )
    };
    let ask = |id: &str| {
        format!(
            r#"{{ request = "session/request_permission", params = {{ sessionId = "${{session}}", toolCall = {{ toolCallId = "{id}" }}, options = [{{ optionId = "y", name = "Yes", kind = "allow_once" }}, {{ optionId = "n", name = "No", kind = "reject_once" }}] }} }}"#
        )
    };
    let steps: Vec<String> = ["one", "two"]
        .iter()
        .flat_map(|id| {
            [
                update(id, "tool_call", "pending"),
                ask(id),
                update(id, "tool_call_update", "completed"),
            ]
        })
        .collect();
    let script = format!("[[prompt]]\nstep = [{}]", steps.join(", "));
    // Claude runs commands unasked by design: only that this one was denied makes it stand out.
    for policy in ["ask", "redirect"] {
        let mut stage = Play::of("claude", &script).policy(policy).start();
        stage.prompt("go");
        for _ in 0..2 {
            let request = stage.until("PERMISSION_REQUEST").await;
            answer(&stage, &request, no(""));
        }
        stage.until("TURN_ENDED").await;
        stage.end().await;
        let told = stage.all("UNGUARDED");
        assert_eq!(told.len(), 1, "{policy}: {}", stage.tail());
        assert!(told[0]["text"].as_str().unwrap().contains("denied"));
        assert_eq!(summary(&stage)["unguarded"], true);
    }
}

/// Announces commands, then asks for consent to all of them as OpenHands does: without a name.
fn consent_to(commands: &[&str]) -> String {
    let announce = |(n, command): (usize, &&str)| {
        format!(
            r#"{{ send = '{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"${{session}}","update":{{"sessionUpdate":"tool_call","toolCallId":"call{n}","title":"terminal: $ {command}","kind":"execute","status":"in_progress","rawInput":{{"command":"{command}","kind":"TerminalAction"}}}}}}}}' }}"#
        )
    };
    let mut steps: Vec<String> = commands.iter().enumerate().map(announce).collect();
    steps.push(
        r#"{ request = "session/request_permission", params = { sessionId = "${session}", toolCall = { toolCallId = "confirmation", title = "Confirm Agent Actions", kind = "other", status = "pending" }, options = [{ optionId = "accept", name = "Yes", kind = "allow_once" }, { optionId = "reject", name = "No", kind = "reject_once" }] } }"#
            .to_owned(),
    );
    format!("[[prompt]]\nstep = [{}]", steps.join(", "))
}

#[tokio::test]
async fn a_consent_to_several_calls_at_once_is_judged_by_the_gravest() {
    let script = consent_to(&["cat src/App.java", "uname"]);
    for has_hook in [false, true] {
        let play = Play::of("openhands", &script).answer(true);
        let play = match has_hook {
            true => play,
            false => play.without_hook(),
        };
        let stage = play.run().await;
        // With its hook in place the agent is let through to it, where each call is denied by itself.
        let expected = if has_hook { "accept" } else { "reject" };
        assert_eq!(shown_with(&stage, "optionId").source, "result");
        assert!(
            shown_with(&stage, "optionId").text.contains(expected),
            "{}",
            stage.tail()
        );
    }
}

#[tokio::test]
async fn a_person_is_shown_everything_that_one_yes_is_for() {
    let script = consent_to(&["uname", "rm -rf build", "cat src/App.java"]);
    let mut stage = Play::of("openhands", &script).start();
    stage.prompt("go");
    let request = stage.until("PERMISSION_REQUEST").await;
    assert_eq!(request["asks"], true, "{request}");
    let text = request["text"].as_str().unwrap();
    assert!(
        text.contains("rm -rf build") && text.contains("uname"),
        "{text}"
    );
    assert!(!text.contains("cat"), "that one its hook denies: {text}");
    answer(&stage, &request, no(""));
    stage.until("TURN_ENDED").await;
    stage.end().await;
}

#[tokio::test]
async fn a_yes_that_the_agent_offers_no_option_for_is_not_told_as_one() {
    const SCRIPT: &str = r#"
        [[prompt]]
        step = [{ request = "session/request_permission", params = { sessionId = "${session}", toolCall = { toolCallId = "t1", title = "run", kind = "execute", rawInput = { command = "uname" } }, options = [{ optionId = "n", name = "No", kind = "reject_once" }] } }]"#;
    let stage = Play::of("claude", SCRIPT)
        .policy("ask")
        .answer(true)
        .run()
        .await;
    assert!(
        stage.all("PERMISSION_APPROVED").is_empty(),
        "{}",
        stage.tail()
    );
    assert_eq!(stage.all("PERMISSION_DENIED")[0]["by"], "cancel");
}
