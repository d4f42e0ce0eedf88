//! What a run does when one of an agent's recipes cannot work, and the opt-in last step of the ladder.

use serde_json::Value;

use crate::process::{Ended, Place};

const EDITS: &str =
    "really = true\n[[prompt]]\nstep = [{ edit = \"a.txt\", old = \"1\", new = \"2\" }]\n";

/// Codex trusts another hook than ours.
pub(crate) const UNTRUSTED: &str = "CODEX_CONFIG={\"hooks\":{\"state\":{\"/<session-flags>/config.toml:pre_tool_use:0:0\":\
                  {\"trusted_hash\":\"sha256:0\"}}}}";

/// A run of the scripted agent in which it edits `a.txt` by itself, with nobody to ask.
fn edits(place: &Place, agent: &str, more: &[&str]) -> Ended {
    std::fs::write(place.project().join("a.txt"), "1\n").expect("written");
    std::fs::write(place.path("script.toml"), EDITS).expect("written");
    let command = format!(
        "'{}' scripted-agent --shape {agent} --script '{}'",
        env!("CARGO_BIN_EXE_siderail"),
        place.path("script.toml").display()
    );
    let words = ["run", "--agent", agent, "--agent-command", &command];
    let fixed = [
        "--json",
        "--hide",
        "off",
        "--agent-env",
        "GEMINI_API_KEY=none",
    ];
    let ended = place.run(&[&words[..], &fixed, more, &["edit"]].concat());
    let text = std::fs::read_to_string(place.project().join("a.txt")).expect("it is there");
    assert_eq!(text, "1\n", "{agent} wrote by itself: {ended:?}");
    ended
}

fn events(ended: &Ended, name: &str) -> Vec<Value> {
    let lines = ended.lines().into_iter();
    lines.filter(|line| line["event"] == name).collect()
}

fn channels(ended: &Ended) -> Vec<String> {
    let guidance = events(ended, "PRE_REJECTION_GUIDANCE").into_iter();
    let mut channels: Vec<String> = guidance
        .filter_map(|line| line["channel"].as_str().map(str::to_owned))
        .collect();
    channels.dedup();
    channels
}

fn said(ended: &Ended) -> String {
    let lines = events(ended, "AGENT_LOG").into_iter();
    let texts = lines.map(|line| line["text"].as_str().unwrap_or_default().to_owned());
    texts.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_tried_version_says_nothing_and_uses_its_recipe() {
    for (agent, channel) in [
        ("gemini", "refusal"),
        ("codex", "hook"),
        ("copilot", "hook"),
    ] {
        let ended = edits(&Place::new(), agent, &[]);
        assert_eq!(channels(&ended), [channel], "{agent}: {ended:?}");
        assert!(events(&ended, "UNGUARDED").is_empty(), "{agent}");
        assert!(!said(&ended).contains("not tested"), "{}", said(&ended));
    }
}

#[test]
fn a_hook_that_codex_does_not_trust_is_told_and_plain_rejections_take_its_place() {
    let place = Place::new();
    let ended = edits(&place, "codex", &["--agent-env", UNTRUSTED]);
    let told = events(&ended, "UNGUARDED");
    assert_eq!(told.len(), 1, "{ended:?}");
    let text = told[0]["text"].as_str().unwrap();
    assert!(text.contains("hook") && text.contains("untrusted") && text.contains("doctor codex"));
    assert_eq!(ended.lines()[0]["event"], "SESSION_STARTED");
    assert!(!channels(&ended).contains(&"hook".to_owned()));
    assert!(!events(&ended, "PERMISSION_DENIED").is_empty());
    assert_eq!(ended.lines().last().unwrap()["unguarded"], true);
}

#[test]
fn an_unguarded_session_is_told_once_however_much_runs_unasked() {
    let place = Place::new();
    let script = "[[prompt]]\nstep = [{ edit = \"a.txt\", old = \"1\", new = \"2\", ask = false }, \
                  { edit = \"b.txt\", old = \"1\", new = \"2\", ask = false }]\n";
    std::fs::write(place.path("script.toml"), script).expect("written");
    let command = format!(
        "'{}' scripted-agent --shape codex --script '{}'",
        env!("CARGO_BIN_EXE_siderail"),
        place.path("script.toml").display()
    );
    let words = [
        "run",
        "--agent",
        "codex",
        "--agent-command",
        &command,
        "--json",
    ];
    let hook = ["--hide", "off", "--agent-env", UNTRUSTED, "edit"];
    let ended = place.run(&[&words[..], &hook].concat());
    let ran = events(&ended, "TOOL_CALL");
    assert!(
        ran.iter().any(|call| call["status"] == "completed"),
        "{ended:?}"
    );
    assert_eq!(events(&ended, "UNGUARDED").len(), 1, "{ended:?}");
    assert_eq!(ended.lines().last().unwrap()["unguarded"], true);
}

/// Gemini's profile, as if another version had been tried.
fn gemini_tried_on(place: &Place, version: &str) -> String {
    let profile = format!(
        "name = \"gemini\"\ntitle = \"Gemini\"\ntested = [\"gemini-cli {version}\"]\nmode = \"default\"\n\
         auth_method = \"gemini-api-key\"\nadvertise_fs = true\nmissing_file_is_empty = true\n[mcp]\ndelivery = \"session\"\n\
         as_seen = \"mcp_{{server}}_{{tool}}\"\n[refusal]\nedits = true\nbare_text = true\n"
    );
    let file = place.path("gemini.toml");
    std::fs::write(&file, profile).expect("written");
    file.to_str().expect("text").to_owned()
}

#[test]
fn a_recipe_that_allows_first_is_not_used_on_a_version_far_from_the_tried_ones() {
    let place = Place::new();
    let far = gemini_tried_on(&place, "0.12.0");
    let ended = edits(&place, "gemini", &["--agents-file", &far]);
    assert!(said(&ended).contains("was not tested"), "{}", said(&ended));
    assert!(said(&ended).contains("rejected instead of refused"));
    assert_eq!(channels(&ended), ["notice"], "{ended:?}");
    let near = gemini_tried_on(&place, "0.61.7");
    let ended = edits(&place, "gemini", &["--agents-file", &near]);
    assert!(said(&ended).contains("was not tested"), "{}", said(&ended));
    assert_eq!(channels(&ended), ["refusal"], "{ended:?}");
}

#[test]
fn the_reason_goes_as_session_message_only_where_it_is_wanted() {
    let place = Place::new();
    let trace = place.path("trace.jsonl");
    let far = gemini_tried_on(&place, "0.12.0");
    let more = ["--trace", trace.to_str().unwrap(), "--agents-file", &far];
    let ended = edits(&place, "gemini", &more);
    assert_eq!(events(&ended, "PERMISSION_DENIED").len(), 1, "{ended:?}");
    let without = std::fs::read_to_string(&trace).unwrap();
    assert!(without.contains("session/prompt") && !without.contains("session/message"));

    let folder = place.path("home/.config/siderail");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), "session_message = true\n").unwrap();
    let ended = edits(&place, "gemini", &more);
    let receipts = events(&ended, "GUIDANCE_RECEIPT");
    let message = receipts.iter().find(|line| line["channel"] == "message");
    assert_eq!(message.expect("a receipt")["receipt"], "no_receipt");
    let summary = ended.lines().pop().unwrap();
    assert_eq!(summary["guidance"]["message"]["no_receipt"], 1, "{summary}");
    let sent = std::fs::read_to_string(&trace).unwrap();
    let sent: Vec<Value> = sent
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let at = |test: &dyn Fn(&Value) -> bool| sent.iter().position(|line| test(&line["msg"]));
    let message = at(&|msg| msg["method"] == "session/message").expect("it was sent");
    let text = &sent[message]["msg"]["params"]["message"]["content"][0]["text"];
    assert!(text.as_str().unwrap().contains("intellij_write_file"));
    let reject = at(&|msg| msg["result"]["outcome"]["outcome"] == "selected").expect("an answer");
    assert!(reject < message, "the message follows the rejection");
}
