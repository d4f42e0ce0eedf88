//! What is always allowed: `policy list` and `revoke`, and a run that uses it.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::process::{Ended, Place};
use crate::terminal::Terminal;

/// Loses work wherever it runs.
const DANGEROUS: &str = "git push --force";

/// The memory's file of this place's project, once there is one.
fn file(place: &Place) -> PathBuf {
    let folder = place.path("home/.local/state/siderail/always");
    let mut files = crate::process::entries(&folder);
    files.retain(|file| file.extension().is_some_and(|e| e == "json"));
    files.pop().expect("there is a memory")
}

/// Words of a run in which the agent's shell runs this.
fn runs(place: &Place, command: &str) -> Vec<String> {
    let script = format!(
        "shape = \"copilot\"\nreally = true\n[[prompt]]\n\
         step = [{{ shell = \"{command}\", description = \"Do it\" }}]\n"
    );
    std::fs::write(place.path("script.toml"), script).expect("written");
    let agent = format!(
        "'{}' scripted-agent --script '{}'",
        env!("CARGO_BIN_EXE_siderail"),
        place.path("script.toml").display()
    );
    let words = ["run", "--agent", "copilot", "--agent-command", &agent];
    let more = ["--hide", "off", "go"];
    words.iter().chain(&more).map(|w| (*w).to_owned()).collect()
}

/// A run with nobody to ask.
fn alone(place: &Place, command: &str) -> Ended {
    let words = runs(place, command);
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    words.insert(1, "--json");
    place.run(&words)
}

/// A run at whose question a key is pressed.
fn answered(place: &Place, command: &str, key: &str) {
    let words = runs(place, command);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut terminal = Terminal::start(place, &words, &[]);
    terminal.until("[Enter denies] ");
    terminal.keys(key);
    assert_eq!(terminal.end().0, Some(0));
}

fn made(place: &Place) -> bool {
    let file = place.project().join("made");
    let is_there = file.exists();
    if is_there {
        std::fs::remove_file(file).expect("removed");
    }
    is_there
}

fn approved_by(ended: &Ended) -> Vec<Value> {
    let lines = ended.lines().into_iter();
    let approved = lines.filter(|line| line["event"] == "PERMISSION_APPROVED");
    approved.map(|line| line["by"].clone()).collect()
}

#[test]
fn always_holds_in_the_next_run_until_it_is_revoked() {
    let place = Place::new();
    answered(&place, "touch made", "p");
    assert!(made(&place));
    let again = alone(&place, "touch made");
    assert_eq!(approved_by(&again), ["always"], "{again:?}");
    assert!(made(&place));
    assert!(approved_by(&alone(&place, "touch made other")).is_empty());
    assert!(!made(&place), "another command is another action");

    let listed = place.run(&["policy", "list"]);
    assert!(listed.out.contains("touch made"), "{}", listed.out);
    let key = place.run(&["policy", "list", "--json"]).lines()[0]["key"].clone();
    let revoked = place.run(&["policy", "revoke", key.as_str().unwrap()]);
    assert_eq!(revoked.code, Some(0), "{revoked:?}");
    assert!(revoked.out.starts_with("revoked: touch made"));
    assert!(approved_by(&alone(&place, "touch made")).is_empty());
    assert!(!made(&place));
    assert_eq!(
        place.run(&["policy", "list"]).out,
        "nothing is always allowed\n"
    );
}

#[test]
fn what_is_dangerous_is_never_remembered() {
    let place = Place::new();
    let words = runs(&place, DANGEROUS);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut terminal = Terminal::start(&place, &words, &[]);
    let question = terminal.until("[Enter denies] ");
    assert!(!question.to_lowercase().contains("always"), "{question}");
    // The key means nothing here, and the next line is asked anew.
    terminal.keys("p\ry");
    assert_eq!(terminal.end().0, Some(0));
    assert_eq!(
        place.run(&["policy", "list"]).out,
        "nothing is always allowed\n"
    );
}

#[test]
fn an_entry_that_somebody_wrote_for_a_dangerous_command_allows_nothing() {
    let place = Place::new();
    answered(&place, "touch made", "p");
    let file = file(&place);
    let mut memory: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    memory["allowed"][0]["command"] = json!(DANGEROUS);
    std::fs::write(&file, memory.to_string()).unwrap();
    let listed = place.run(&["policy", "list"]).out;
    assert!(listed.contains(DANGEROUS), "it is a memory: {listed}");
    let ended = alone(&place, DANGEROUS);
    assert!(approved_by(&ended).is_empty(), "{ended:?}");
}

#[test]
fn a_damaged_memory_is_set_aside_with_a_message_and_allows_nothing() {
    let place = Place::new();
    answered(&place, "touch made", "p");
    assert!(made(&place));
    std::fs::write(file(&place), "{\"version\": 1,").unwrap();
    let ended = alone(&place, "touch made");
    assert!(
        ended.err.contains("error: ") && ended.err.contains("damaged"),
        "{ended:?}"
    );
    assert!(approved_by(&ended).is_empty());
    assert!(!made(&place));
}

#[test]
fn entries_are_revoked_by_number_or_all_at_once_and_unknown_ones_are_named() {
    let place = Place::new();
    for command in ["touch made", "mkdir one", "mkdir two"] {
        answered(&place, command, "p");
    }
    let unknown = place.run(&["policy", "revoke", "7"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.err.contains("`7`") && unknown.err.contains("hint: "));
    let second = place.run(&["policy", "revoke", "2"]);
    assert!(second.out.contains("mkdir one"), "{}", second.out);
    let left = place.run(&["policy", "list", "--everywhere"]).out;
    assert!(left.contains("touch made") && left.contains("mkdir two") && !left.contains("one"));
    let all = place.run(&["policy", "revoke", "all"]);
    assert_eq!(all.out.lines().count(), 2, "{}", all.out);
}
