//! `siderail chat --resume`: an earlier conversation continues, and what is replayed counts for nothing.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::history::files;
use crate::process::{Ended, Place, wait};
use crate::terminal::Terminal;

/// A script: prompts that are answered, and the updates that replay a loaded session.
fn script(shape: &str, more: &str) -> String {
    format!(
        "shape = \"{shape}\"\nreally = true\n{more}\n[[prompt]]\nmatch = \"first\"\nstep = [{{ say = \"One.\" }}]\n\
         [[prompt]]\nmatch = \"second\"\nstep = [{{ say = \"Two.\" }}]\n"
    )
}

fn words(place: &Place, shape: &str, more: &str, typed: &[&str]) -> Vec<String> {
    let file = place.path("script.toml");
    std::fs::write(&file, script(shape, more)).expect("written");
    let program = env!("CARGO_BIN_EXE_siderail");
    let agent = format!("'{program}' scripted-agent --script '{}'", file.display());
    let words = [
        "chat",
        "--agent-command",
        &agent,
        "--json",
        "--answer",
        "deny",
    ];
    let all = words.iter().chain(typed);
    all.map(|word| (*word).to_owned()).collect()
}

fn chat(place: &Place, shape: &str, more: &str, typed: &[&str], input: &str) -> Ended {
    let words = words(place, shape, more, typed);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ended = place.run_with(&words, input.as_bytes());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    ended
}

fn of(ended: &Ended, name: &str) -> Vec<Value> {
    let lines = ended.lines().into_iter();
    lines.filter(|line| line["event"] == name).collect()
}

#[test]
fn an_agent_that_loads_tells_ten_thousand_updates_which_are_shown_and_neither_judged_nor_counted() {
    let place = Place::new();
    let first = chat(
        &place,
        "copilot",
        "",
        &["--agent", "copilot"],
        "the first\n",
    );
    let ended = chat(
        &place,
        "copilot",
        "told = 10000",
        &["--resume"],
        "the second\n",
    );
    let resumed = of(&ended, "RESUMED");
    assert_eq!(
        (&resumed[0]["by"], &resumed[0]["entries"]),
        (&"load".into(), &10_000.into())
    );
    let restored = of(&ended, "RESTORED");
    assert_eq!(restored[0]["entry"]["text"], "asked 0");
    assert_eq!(restored[9_999]["entry"]["status"], "failed");
    let session = |ended: &Ended| of(ended, "SESSION_STARTED")[0]["agent_session"].clone();
    assert_eq!(session(&first), session(&ended), "it is the same session");
    for alarm in ["UNGUARDED", "NUDGE", "PERMISSION_DENIED", "TOOL_CALL"] {
        assert_eq!(of(&ended, alarm), Vec::<Value>::new());
    }
    assert_eq!(of(&ended, "TURN_STARTED").len(), 1);
    let summary = &of(&ended, "SUMMARY")[0];
    assert_eq!(
        (&summary["turns"], &summary["unguarded"]),
        (&1.into(), &false.into())
    );
    let kept = place.run(&["history", "show", "1"]).out;
    assert!(
        kept.contains("> the first") && kept.contains("> the second"),
        "{kept}"
    );
    assert!(
        !kept.contains("said 1"),
        "what was told again is not kept again: {kept}"
    );
}

#[test]
fn an_agent_that_resumes_knows_the_conversation_and_the_history_shows_it() {
    let place = Place::new();
    chat(&place, "qwen", "", &["--agent", "qwen"], "the first\n");
    let ended = chat(
        &place,
        "qwen",
        "",
        &["--resume", "1", "--agent", "qwen"],
        "the second\n",
    );
    assert_eq!(of(&ended, "RESUMED")[0]["by"], "resume");
    let restored = of(&ended, "RESTORED");
    let texts: Vec<_> = restored
        .iter()
        .filter_map(|line| line["entry"]["text"].as_str())
        .collect();
    assert_eq!(texts, ["the first", "One."]);
    assert_eq!(
        place.run(&["history", "list", "--json"]).lines().len(),
        1,
        "it stays one conversation"
    );
}

#[test]
fn an_agent_that_has_forgotten_gets_a_new_session_and_the_person_is_told_so() {
    let place = Place::new();
    chat(
        &place,
        "copilot",
        "",
        &["--agent", "copilot"],
        "the first\n",
    );
    let ended = chat(
        &place,
        "copilot",
        "forgetful = true",
        &["--resume"],
        "the second\n",
    );
    assert_eq!(of(&ended, "RESUMED")[0]["by"], "history");
    let notices = of(&ended, "AGENT_LOG");
    let told = notices.iter().any(|line| {
        line["text"]
            .as_str()
            .is_some_and(|t| t.contains("the model does not know the earlier"))
    });
    assert!(told, "{notices:?}");
    assert!(ended.out.contains("Two."));
}

#[test]
fn a_list_to_choose_from_says_how_many_conversations_it_leaves_out() {
    let place = Place::new();
    for _ in 0..17 {
        chat(&place, "qwen", "", &["--agent", "qwen"], "the first\n");
    }
    let mut terminal = Terminal::start(&place, &["chat", "--resume", "--agent", "qwen"], &[]);
    terminal.until("lists the 2 before them");
    terminal.until(" 9  ");
    terminal.until("15  ");
    terminal.until("[1 to 15; Enter for 1] ");
    terminal.keys("\x04");
    assert_eq!(terminal.end().0, Some(6));
}

#[test]
fn a_conversation_that_is_not_there_is_named_before_anything_is_started() {
    let place = Place::new();
    let ended = place.run(&["chat", "--resume", "beef"]);
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.err.contains("`beef`") && ended.err.contains("history list"),
        "{ended:?}"
    );
    for word in ["--continue", "--resume"] {
        let ended = place.run(&["chat", word]);
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(
            ended.err.contains("no conversations are saved"),
            "{ended:?}"
        );
    }
}

#[test]
fn a_kill_while_ten_thousand_updates_are_loaded_loses_nothing_and_the_next_start_is_clean() {
    let place = Place::new();
    chat(
        &place,
        "copilot",
        "",
        &["--agent", "copilot"],
        "the first\n",
    );
    let before = place.run(&["history", "show", "1", "--json"]).out;
    for after in [1, 3_000] {
        let words = words(&place, "copilot", "told = 10000", &["--resume"]);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut command = place.siderail(&words);
        let mut child = command.stdin(Stdio::piped()).spawn().expect("it starts");
        let lines = BufReader::new(child.stdout.take().expect("an output")).lines();
        let restored = lines
            .map_while(Result::ok)
            .filter(|line| line.contains("\"RESTORED\""));
        assert_eq!(restored.take(after).count(), after);
        child.kill().expect("it can be killed");
        wait(&mut child);
    }
    assert_eq!(place.run(&["history", "show", "1", "--json"]).out, before);
    let ended = chat(
        &place,
        "copilot",
        "told = 10000",
        &["--resume"],
        "the second\n",
    );
    assert_eq!(of(&ended, "RESUMED")[0]["entries"], 10_000);
    assert_eq!(place.left_behind(), Vec::<std::path::PathBuf>::new());
}

/// Waits until a file has more bytes than so many.
fn wait_until_larger(file: &Path, than: u64) {
    let limit = Instant::now() + Duration::from_secs(60);
    while std::fs::metadata(file).expect("it is there").len() <= than {
        assert!(Instant::now() < limit, "nothing is written");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_conversation_that_is_in_use_is_not_removed_and_a_second_one_says_that_it_is_kept_apart() {
    let place = Place::new();
    chat(&place, "qwen", "", &["--agent", "qwen"], "the first\n");
    let files = files(&place);
    let [file] = files.as_slice() else {
        panic!("{files:?}");
    };
    let bytes = std::fs::metadata(file).expect("it is there").len();
    let first = words(&place, "qwen", "", &["--resume", "1", "--agent", "qwen"]);
    let first: Vec<&str> = first.iter().map(String::as_str).collect();
    let mut command = place.siderail(&first);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("an output")).lines();
    let resumed = lines.by_ref().map_while(Result::ok);
    assert!(resumed.into_iter().any(|l| l.contains("\"RESUMED\"")));
    // The thread that writes the conversation locks its file when it gets to run.
    let mut input = child.stdin.take().expect("an input");
    writeln!(input, "the second").expect("it reads");
    wait_until_larger(file, bytes);
    let removed = place.run(&["history", "remove", "1"]);
    assert_eq!(removed.code, Some(4), "{removed:?}");
    assert!(
        removed.err.contains("in use by another siderail")
            && removed.err.contains("end that run first"),
        "{removed:?}"
    );
    let second = chat(
        &place,
        "qwen",
        "",
        &["--resume", "1", "--agent", "qwen"],
        "the second\n",
    );
    let told = of(&second, "AGENT_LOG");
    let is_told = |line: &Value| {
        let text = line["text"].as_str().unwrap_or_default();
        text.contains("in use by another siderail") && text.contains("a new conversation")
    };
    assert!(told.iter().any(is_told), "{told:?}");
    drop(input);
    drop(lines);
    wait(&mut child);
    let listed = place.run(&["history", "list", "--json"]).lines();
    assert_eq!(listed.len(), 2, "both are kept: {listed:?}");
}
