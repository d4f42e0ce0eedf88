//! Commands in shapes that no tried agent sends: judged by what runs, shown as it is, and asked where it is unknown.

use siderail_engine::command::PermissionAnswer;
use siderail_tests::stage::Stage;

use crate::play::{Play, answer, no};

/// An agent that nobody knows asks for these calls, one after the other. Each is TOML: the members of a tool call.
fn unknown_agent(calls: &[&str]) -> Play {
    let steps: Vec<String> = calls.iter().enumerate().map(|(n, call)| {
        format!(
            r#"{{ request = "session/request_permission", params = {{ sessionId = "${{session}}", toolCall = {{ toolCallId = "t{n}", {call} }}, options = [{{ optionId = "a", name = "Always", kind = "allow_always" }}, {{ optionId = "y", name = "Yes", kind = "allow_once" }}, {{ optionId = "n", name = "No", kind = "reject_once" }}] }} }}"#
        )
    }).collect();
    let script = format!("[[prompt]]\nstep = [{}]", steps.join(", "));
    Play::of("claude", &script).with(|options, _| "mine".clone_into(&mut options.agent))
}

async fn over(stage: &mut Stage) {
    stage.until("TURN_ENDED").await;
    stage.end().await;
}

/// What removes the sources, or could, beside a part of it that the question has to show.
const GRAVE: [(&str, &str); 15] = [
    (
        r#"kind = "think", title = "nice", rawInput = { command = { cmd = "rm -rf src" } }"#,
        "rm -rf src",
    ),
    (
        r#"kind = "execute", title = "nice", rawInput = { command = "rm", args = ["-rf", "src"] }"#,
        "rm -rf src",
    ),
    (
        r#"kind = "execute", title = "nice", rawInput = { command = "bash", args = ["-c", "rm -rf src"] }"#,
        "rm -rf src",
    ),
    (
        r#"kind = "execute", title = "nice", rawInput = { program = "rm", args = ["-rf", "src"] }"#,
        "rm -rf src",
    ),
    (
        r#"kind = "execute", title = "nice", rawInput = { argv = ["rm", "-rf", "/"] }"#,
        "rm -rf /",
    ),
    (
        r#"title = "nice", rawInput = { argv = ["rm", "-rf", "/"] }"#,
        "rm -rf /",
    ),
    (
        r#"kind = "execute", title = "nice", rawInput = { command = { cmd = "rm -rf src" } }"#,
        "rm -rf src",
    ),
    (
        r#"kind = "other", title = "nice", rawInput = { command = { cmd = "rm -rf src" } }"#,
        "rm -rf src",
    ),
    (
        r#"kind = "execute", title = "nice", rawInput = { input = "rm -rf src" }"#,
        "rm -rf src",
    ),
    (
        r#"title = "nice", rawInput = { input = "rm -rf src" }"#,
        "rm -rf src",
    ),
    (
        r#"kind = "execute", title = "make all", rawInput = { command = "make all", args = ["; rm -rf src"] }"#,
        "; rm -rf src",
    ),
    (
        r#"kind = "execute", title = "make all", rawInput = { command = "make all", env = { MAKE = "x" } }"#,
        "MAKE",
    ),
    (
        r#"kind = "execute", title = "make all", rawInput = { command = "sh", stdin = "rm -rf src" }"#,
        "rm -rf src",
    ),
    (
        r#"kind = "delete", title = "make all", rawInput = { command = "make all" }"#,
        "make all",
    ),
    (
        r#"kind = "execute", title = "make all""#,
        "only the agent's own words",
    ),
];

#[tokio::test]
async fn yolo_asks_whatever_shape_an_unknown_agent_gives_what_removes_the_sources() {
    let calls = GRAVE.map(|(call, _)| call);
    let mut stage = unknown_agent(&calls).policy("yolo").start();
    stage.prompt("go");
    for (call, shown) in GRAVE {
        let request = stage.until("PERMISSION_REQUEST").await;
        assert_eq!(request["asks"], true, "{call}: {request}");
        assert_eq!(request["may_be_remembered"], false, "{call}: {request}");
        let text = request["text"].as_str().unwrap_or_default();
        assert!(text.contains(shown), "{call}: {text}");
        // An answer that was not offered does not count for the next time, either.
        answer(&stage, &request, PermissionAnswer::Always);
    }
    over(&mut stage).await;
}

#[tokio::test]
async fn yolo_allows_an_unknown_agent_a_program_with_its_words() {
    let calls =
        [r#"kind = "execute", title = "x", rawInput = { command = "uname", args = ["-s"] }"#];
    let mut stage = unknown_agent(&calls).policy("yolo").start();
    stage.prompt("go");
    assert_eq!(stage.until("PERMISSION_REQUEST").await["text"], "uname -s");
    assert_eq!(stage.until("PERMISSION_APPROVED").await["by"], "policy");
    over(&mut stage).await;
}

#[tokio::test]
async fn an_always_allowed_command_lets_nothing_through_that_only_begins_like_it() {
    let again = |more: &str| {
        format!(
            r#"kind = "execute", title = "make all", rawInput = {{ command = "make all"{more} }}"#
        )
    };
    let others = [
        r#", args = ["; rm -rf src"]"#,
        r#", args = ["install"]"#,
        r#", env = { CC = "x" }"#,
        r#", stdin = "rm -rf src""#,
        r#", cwd = "sub""#,
        r#", sandbox_permissions = "require_escalated""#,
    ];
    let mut calls = vec![again(""), again(r#", description = "another""#)];
    calls.extend(others.map(again));
    calls.push(
        r#"kind = "execute", title = "make all", rawInput = { command = "make", args = ["all"] }"#
            .to_owned(),
    );
    let calls: Vec<&str> = calls.iter().map(String::as_str).collect();
    let mut stage = unknown_agent(&calls).start();
    stage.prompt("go");
    let first = stage.until("PERMISSION_REQUEST").await;
    assert_eq!(first["may_be_remembered"], true, "{first}");
    answer(&stage, &first, PermissionAnswer::Always);
    assert_eq!(stage.until("PERMISSION_APPROVED").await["by"], "user");
    assert_eq!(stage.until("PERMISSION_APPROVED").await["by"], "always");
    for other in others {
        let request = stage.until("PERMISSION_REQUEST").await;
        assert_eq!(request["asks"], true, "{other}: {request}");
        answer(&stage, &request, no(""));
    }
    assert_eq!(stage.until("PERMISSION_APPROVED").await["by"], "always");
    over(&mut stage).await;
}

/// Whatever it is called: what carries a command is no thinking and no fetching.
#[tokio::test]
async fn while_a_plan_is_made_no_kind_of_call_carries_a_command_through() {
    const KINDS: [&str; 9] = [
        "dance", "", "think", "fetch", "other", "read", "search", "edit", "execute",
    ];
    let inputs = |kind: &str| {
        [
            format!(r#"{{ argv = ["rm", "{kind}"] }}"#),
            format!(r#"{{ command = "rm -rf {kind}" }}"#),
            format!(r#"{{ command = {{ cmd = "rm -rf {kind}" }} }}"#),
            format!(r#"{{ program = "rm", args = ["-f", "{kind}"] }}"#),
        ]
    };
    let call = |kind: &str, input: &str| match kind {
        "" => format!("rawInput = {input}"),
        kind => format!(r#"kind = "{kind}", title = "nice", rawInput = {input}"#),
    };
    let calls: Vec<String> = KINDS
        .into_iter()
        .flat_map(|kind| inputs(kind).map(|input| call(kind, &input)))
        .chain([r#"kind = "dance", title = "nice", rawInput = {}"#.to_owned()])
        .collect();
    let words: Vec<&str> = calls.iter().map(String::as_str).collect();
    let mut stage = unknown_agent(&words).policy("yolo").start();
    stage.prompt_for_plan("go");
    for call in &calls {
        let request = stage.until("PERMISSION_REQUEST").await;
        assert_eq!(request["asks"], false, "{call}: {request}");
        let denied = stage.until("PERMISSION_DENIED").await;
        assert_eq!(
            denied["request_id"], request["request_id"],
            "{call}: {denied}"
        );
    }
    stage.until("TURN_ENDED").await;
    assert_eq!(
        stage.all("PERMISSION_APPROVED").len(),
        0,
        "{}",
        stage.tail()
    );
    stage.end().await;
}

/// Its own fetching tool is no way to change what lies elsewhere.
#[tokio::test]
async fn while_a_plan_is_made_a_fetch_may_read_and_nothing_else() {
    let fetch =
        |input: &str| format!(r#"kind = "fetch", title = "a page", rawInput = {{ {input} }}"#);
    let sending = [
        r#"method = "DELETE", url = "https://example.org/1""#,
        r#"method = "POST", url = "https://example.org/1""#,
        r#"url = "https://example.org/1", body = "a""#,
    ];
    let calls: Vec<String> = sending
        .into_iter()
        .chain([r#"url = "https://example.org/1""#])
        .map(fetch)
        .collect();
    let words: Vec<&str> = calls.iter().map(String::as_str).collect();
    let mut stage = unknown_agent(&words).policy("yolo").start();
    stage.prompt_for_plan("go");
    for call in sending {
        let request = stage.until("PERMISSION_REQUEST").await;
        let denied = stage.until("PERMISSION_DENIED").await;
        assert_eq!(denied["request_id"], request["request_id"], "{call}");
    }
    stage.until("PERMISSION_APPROVED").await;
    stage.until("TURN_ENDED").await;
    assert_eq!(stage.all("PERMISSION_APPROVED").len(), 1);
    stage.end().await;
}

#[tokio::test]
async fn a_terminal_runs_what_was_asked_about_and_nothing_with_other_variables() {
    const SCRIPT: &str = r#"
        [[prompt]]
        step = [
            { request = "terminal/create", params = { sessionId = "${session}", command = "touch", args = ["plain.txt"] } },
            { request = "terminal/create", params = { sessionId = "${session}", command = "touch", args = ["varied.txt"], env = [{ name = "LD_PRELOAD", value = "/tmp/x.so" }] } },
            { request = "terminal/create", params = { sessionId = "${session}", command = "rm", args = ["-rf", "src"] } },
            { sleep = 0.5 },
        ]"#;
    let mut stage = Play::of("fast-agent", SCRIPT).policy("yolo").start();
    stage.play("go").await;
    stage.end().await;
    let made = |name: &str| stage.place.path(&format!("project/{name}")).exists();
    assert!(made("plain.txt"), "{}", stage.tail());
    assert!(!made("varied.txt"), "a variable nobody was asked about");
    assert!(made("src"), "the sources are gone");
}
