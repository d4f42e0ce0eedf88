//! What comes twice, or not as it should: a call that is asked about again, a call of ours that is badly formed,
//! a prompt that waits while the agent is given up.

use std::time::Duration;

use crate::play::{Play, answer, no, summary, traffic};

/// A call at a tool of ours that the agent asks about, makes with arguments that do not fit, and reports as done.
fn badly_formed(id: &str, tool: &str) -> String {
    let name = format!("mcp__intellij-code-tools__{tool}");
    let call = format!(
        r#""toolCallId":"{id}","title":"{name}","kind":"other","rawInput":{{}},"_meta":{{"claudeCode":{{"toolName":"{name}"}}}}"#
    );
    let update = |kind: &str, status: &str| {
        format!(
            r#"{{ send = '{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"${{session}}","update":{{"sessionUpdate":"{kind}","status":"{status}",{call}}}}}}}' }},"#
        )
    };
    let ask = format!(
        r#"{{ send = '{{"jsonrpc":"2.0","id":"{id}","method":"session/request_permission","params":{{"sessionId":"${{session}}","toolCall":{{{call}}},"options":[{{"optionId":"y","name":"Yes","kind":"allow_once"}}]}}}}' }},"#
    );
    format!(
        "{}{ask}{{ sleep = 0.3 }},{{ call = \"{tool}\", ask = false, arguments = {{ wrong = 1 }} }},{}",
        update("tool_call", "pending"),
        update("tool_call_update", "completed")
    )
}

#[tokio::test]
async fn a_no_stands_when_the_agent_asks_again_for_the_same_call() {
    const ASK: &str = r#"{ request = "session/request_permission", params = { sessionId = "${session}", toolCall = { toolCallId = "c1", title = "run", kind = "execute", rawInput = { command = "uname -a" } }, options = [
        { optionId = "y", name = "Yes", kind = "allow_once" }, { optionId = "n", name = "No", kind = "reject_once" } ] } },"#;
    let script = format!("[[prompt]]\nstep = [{ASK}{ASK}]");
    let mut stage = Play::of("openhands", &script).start();
    stage.prompt("go");
    let request = stage.until("PERMISSION_REQUEST").await;
    answer(&stage, &request, no("not on this machine"));
    stage.until("TURN_ENDED").await;
    stage.end().await;
    let chosen: Vec<String> = traffic(&stage)
        .iter()
        .filter_map(|line| line.pointer("/msg/result/outcome/optionId"))
        .map(ToString::to_string)
        .collect();
    assert_eq!(chosen, ["\"n\"", "\"n\""], "{}", stage.tail());
}

#[tokio::test]
async fn a_badly_formed_call_of_ours_is_no_reason_to_be_alarmed_or_to_distrust_the_next() {
    for tool in ["intellij_read_file", "search_text"] {
        let steps = [badly_formed("one", tool), badly_formed("two", tool)].concat();
        let stage = Play::of("claude", &format!("[[prompt]]\nstep = [{steps}]"))
            .run()
            .await;
        assert!(stage.all("UNGUARDED").is_empty(), "{}", stage.tail());
        let approved = stage.all("PERMISSION_APPROVED");
        assert_eq!(approved.len(), 2, "{tool}: {}", stage.tail());
        assert_eq!(summary(&stage)["unguarded"], false);
    }
}

#[tokio::test]
async fn a_prompt_that_waits_is_not_sent_to_an_agent_that_is_given_up() {
    let mut stage = Play::of("claude", "[[prompt]]\nstep = [{ sleep = 600 }]")
        .faults("hang_on_cancel")
        .inactivity(Duration::from_secs(1))
        .start();
    stage.prompt("first");
    stage.until("TURN_STARTED").await;
    stage.prompt("second");
    let summary = stage.summary().await;
    assert_eq!(summary["turns"], 1, "{}", stage.tail());
    assert_eq!(stage.all("TURN_STARTED").len(), 1);
    let ended = stage.all("TURN_ENDED");
    assert_eq!(
        (ended.len(), &ended[0]["stop_reason"]),
        (1, &"inactivity".into())
    );
    let told = stage.all("AGENT_LOG");
    let is_told = told
        .iter()
        .any(|log| log.to_string().contains("was not sent"));
    assert!(is_told, "{}", stage.tail());
}

#[tokio::test]
async fn an_agent_that_names_no_version_is_not_allowed_what_is_denied() {
    for shape in ["gemini", "openhands"] {
        let script = r#"
            [[prompt]]
            step = [{ edit = "src/App.java", old = "int x = 1;", new = "int x = 2;", expect = "denied" }]"#;
        let stage = Play::of(shape, script).faults("nameless").run().await;
        let allowed = traffic(&stage).iter().any(|line| {
            let chosen = line.pointer("/msg/result/outcome/optionId");
            chosen.is_some_and(|id| {
                id.to_string().contains("proceed") || id.to_string().contains("accept")
            })
        });
        assert!(!allowed, "{shape}: {}", stage.tail());
        let told = stage.all("AGENT_LOG");
        let is_told = told
            .iter()
            .any(|log| log.to_string().contains("reports no version"));
        assert!(is_told, "{shape}: {}", stage.tail());
    }
}
