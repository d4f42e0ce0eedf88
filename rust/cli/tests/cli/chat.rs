//! `siderail chat`: many prompts in one session, typed or piped, steered, held back and never lost.

use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::process::{Ended, Place};
use crate::terminal::Terminal;

/// Words of a conversation with the scripted agent in a shape.
pub(crate) fn words(place: &Place, shape: &str, script: &str, more: &[&str]) -> Vec<String> {
    let file = place.path("script.toml");
    let text = format!("shape = \"{shape}\"\nreally = true\n{script}");
    std::fs::write(&file, text).expect("written");
    let agent = format!(
        "'{}' scripted-agent --script '{}'",
        env!("CARGO_BIN_EXE_siderail"),
        file.display()
    );
    let command = ["chat", "--agent", shape, "--agent-command", &agent];
    let all = command.iter().chain(&["--hide", "off"]).chain(more);
    all.map(|word| (*word).to_owned()).collect()
}

fn piped(shape: &str, script: &str, more: &[&str], input: &str) -> Ended {
    let place = Place::new();
    let words = words(&place, shape, script, more);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    place.run_with(&words, input.as_bytes())
}

fn typed(place: &Place, shape: &str, script: &str) -> Terminal {
    let words = words(place, shape, script, &[]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Terminal::start(place, &words, &[])
}

#[test]
fn what_can_be_set_is_listed_from_a_pipe_as_soon_as_the_session_is_open() {
    let ended = piped("claude", TWO, &[], "/mode\n/quit\n");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(!ended.err.contains("nothing that can be set"), "{ended:?}");
    assert!(ended.err.contains("mode: "), "{ended:?}");
}

#[test]
fn a_slip_in_a_pipe_is_an_error_line_and_reaches_no_model() {
    for (input, prompts) in [
        ("/clearr\nthe first\n", &["the first"][..]),
        (
            "the first\n/clearr\nthe second\n",
            &["the first", "the second"],
        ),
        ("/clearr\n", &[]),
    ] {
        let ended = piped("copilot", TWO, &["--json"], input);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let said = "error: there is no command /clearr; did you mean /clear?";
        assert!(ended.err.contains(said), "{ended:?}");
        let lines = ended.lines();
        let turns = lines.iter().filter(|line| line["event"] == "TURN_STARTED");
        let sent: Vec<&str> = turns.filter_map(|line| line["text"].as_str()).collect();
        assert_eq!(sent, prompts, "{input:?}");
    }
}

const TWO: &str = "[[prompt]]\nmatch = \"first\"\nstep = [{ sleep = 0.3 }, { say = \"One.\" }]\n\
                   [[prompt]]\nmatch = \"second\"\nstep = [{ say = \"Two.\" }]\n";

#[test]
fn each_line_of_a_pipe_is_a_prompt_of_one_session_and_its_end_is_the_end() {
    let ended = piped("copilot", TWO, &["--json"], "the first\n\nthe second");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let lines = ended.lines();
    let of = |name: &str| -> Vec<_> { lines.iter().filter(|l| l["event"] == name).collect() };
    let prompts: Vec<_> = of("TURN_STARTED")
        .iter()
        .map(|l| l["text"].clone())
        .collect();
    assert_eq!(prompts, ["the first", "the second"]);
    assert_eq!(of("SESSION_STARTED").len(), 1);
    assert_eq!(
        of("TURN_ENDED").len(),
        2,
        "nothing is sent into a running turn"
    );
    assert_eq!(lines.last().unwrap()["turns"], 2);
}

#[test]
fn a_conversation_in_which_nothing_was_said_has_ended_and_did_not_fail() {
    let ended = piped("copilot", TWO, &["--json"], "/help\n");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let lines = ended.lines();
    let summary = lines.last().expect("a summary");
    assert_eq!(
        (&summary["stop_reason"], &summary["turns"]),
        (&"ended".into(), &0.into())
    );
}

#[test]
fn a_first_prompt_can_be_typed_with_the_command_and_our_own_commands_reach_no_model() {
    let ended = piped(
        "copilot",
        TWO,
        &["the first"],
        "/help\n/set nothing\n/quit\nthe second\n",
    );
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(
        ended.out.contains("> the first") && ended.out.contains("One."),
        "{ended:?}"
    );
    assert!(
        !ended.out.contains("Two."),
        "what follows /quit is not sent: {ended:?}"
    );
    assert!(
        ended.err.contains("/plan TEXT") && ended.err.contains("OPTION=VALUE"),
        "{ended:?}"
    );
}

#[test]
fn a_slash_command_of_the_agent_goes_to_the_agent() {
    let script = "[[prompt]]\nmatch = \"/review src\"\nstep = [{ say = \"Reviewed.\" }]\n";
    let ended = piped("copilot", script, &[], "/review src\n");
    assert!(ended.out.contains("Reviewed."), "{ended:?}");
}

#[test]
fn quit_leaves_a_question_of_the_model_whatever_it_asks_for() {
    for (kind, prompt) in [
        ("input", "/quit quits] "),
        ("choice", "/quit quits] "),
        ("confirmation", "y or n; "),
    ] {
        let place = Place::new();
        let script = format!(
            "[[prompt]]\nstep = [{{ call = \"ask_user\", arguments = {{ question = \"Which?\", question_type = \"{kind}\", \
             options = [\"/quit\", \"b\"] }} }}, {{ say = \"Answered.\" }}, {{ sleep = 60.0 }}]\n"
        );
        let mut terminal = typed(&place, "copilot", &script);
        terminal.until("> ");
        terminal.keys("go\r");
        terminal.until("The model asks: ");
        terminal.until(prompt);
        // nobody reads a question and types within that time
        std::thread::sleep(std::time::Duration::from_secs(1));
        terminal.keys("/quit\r");
        let (code, shown) = terminal.end();
        assert_eq!(code, Some(0), "{kind}: {shown}");
    }
}

#[test]
fn undoing_a_new_file_removes_the_empty_folders_that_came_with_it() {
    let place = Place::new();
    std::fs::create_dir(place.project().join("there")).expect("a folder");
    let script = "[[prompt]]\nstep = [\
                  { call = \"intellij_write_file\", arguments = { path = \"there/new/a.txt\", content = \"x\" } }, \
                  { call = \"intellij_write_file\", arguments = { path = \"made/deep/b.txt\", content = \"x\" } }, \
                  { say = \"Done.\" }]\n";
    let mut terminal = typed(&place, "copilot", script);
    terminal.until("> ");
    terminal.keys("go\r");
    terminal.until("Done.");
    std::fs::write(place.project().join("made/mine.txt"), "x").expect("written");
    terminal.until("> ");
    terminal.keys("/undo\r");
    // whichever comes first
    terminal.until("reverted ");
    terminal.until("reverted ");
    terminal.keys("/quit\r");
    assert_eq!(terminal.end().0, Some(0));
    let there = |path: &str| place.project().join(path).exists();
    assert!(there("there") && !there("there/new"));
    assert!(there("made/mine.txt") && !there("made/deep"));
}

#[test]
fn what_is_typed_while_the_agent_works_is_sent_when_its_turn_ends() {
    let place = Place::new();
    let mut terminal = typed(&place, "copilot", TWO);
    terminal.until("> ");
    terminal.keys("the first\r");
    terminal.until("> the first");
    terminal.keys("the second\r");
    terminal.until("One.");
    terminal.until("> the second");
    terminal.until("Two.");
    terminal.keys("/quit\r");
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn what_is_typed_reaches_the_running_turn_where_the_agent_takes_it() {
    let place = Place::new();
    let script = "[[prompt]]\nmatch = \"first\"\nstep = [{ say = \"Begun.\" }, { sleep = 1.5 }, \
                  { expect_seen_contains = \"blue, please\" }, { say = \"Blue.\" }]\n";
    let mut terminal = typed(&place, "claude", script);
    terminal.until("> ");
    terminal.keys("the first\r");
    terminal.until("Begun.");
    terminal.keys("blue, please\r");
    terminal.until("> blue, please");
    terminal.until("Blue.");
    terminal.keys("/quit\r");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(!shown.contains("EXPECTATION FAILED"), "{shown}");
}

#[test]
fn an_interrupt_cancels_the_turn_and_holds_back_what_waits_and_a_second_one_quits() {
    let place = Place::new();
    let script = "[[prompt]]\nmatch = \"first\"\nstep = [{ say = \"Begun.\" }, { sleep = 30.0 }]\n\
                  [[prompt]]\nmatch = \"second\"\nstep = [{ say = \"Two.\" }]\n";
    let mut terminal = typed(&place, "copilot", script);
    let interrupt = |terminal: &Terminal| {
        let pid = Pid::from_raw(terminal.id().cast_signed()).expect("an id");
        kill_process(pid, Signal::INT).expect("it can be signalled");
    };
    terminal.until("> ");
    terminal.keys("the first\r");
    terminal.until("Begun.");
    terminal.keys("the second\r/help\r");
    // Lines are read in turn: now the one before is read, too.
    terminal.until("Ctrl-C cancels a running turn");
    interrupt(&terminal);
    terminal.until("Enter sends the queued lines");
    terminal.keys("\r");
    terminal.until("Two.");
    terminal.until("> ");
    interrupt(&terminal);
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
}

const WRITES: &str = "[[prompt]]\nmatch = \"first\"\nstep = [\
    { call = \"intellij_write_file\", arguments = { path = \"a.txt\", content = \"two\\n\" } }, \
    { call = \"intellij_write_file\", arguments = { path = \"new.txt\", content = \"new\\n\" } }]\n";

#[test]
fn what_a_prompt_changed_is_listed_and_taken_back_unless_it_has_changed_since() {
    let place = Place::new();
    let file = |name: &str| place.project().join(name);
    std::fs::write(file("a.txt"), "one\n").expect("written");
    let words = words(&place, "copilot", WRITES, &["the first"]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut terminal = Terminal::start(&place, &words, &[]);
    terminal.until("changed: ");
    assert_eq!(
        std::fs::read_to_string(file("a.txt")).expect("it is there"),
        "two\n"
    );
    terminal.until("> ");
    terminal.keys("/changes\r");
    let shown = terminal.until("created new.txt");
    assert!(
        shown.contains("-one") && shown.contains("+two"),
        "{shown:?}"
    );
    terminal.keys("/revert new.txt\r");
    terminal.until("reverted new.txt");
    assert!(!file("new.txt").exists());
    terminal.keys("/changes\r");
    terminal.until("changed a.txt");
    let shown = terminal.until("+two");
    assert!(!shown.contains("new.txt"), "it is taken back: {shown:?}");
    std::fs::write(file("a.txt"), "three\n").expect("written");
    terminal.keys("/revert a.txt\r");
    terminal.until("it has changed since");
    std::fs::write(file("other.txt"), "two\n").expect("written");
    std::fs::remove_file(file("a.txt")).expect("it is there");
    std::os::unix::fs::symlink("other.txt", file("a.txt")).expect("a link can be made");
    terminal.keys("/revert a.txt\r");
    terminal.until("it has changed since");
    std::fs::remove_file(file("a.txt")).expect("it is there");
    std::fs::write(file("a.txt"), "three\n").expect("written");
    assert_eq!(
        std::fs::read_to_string(file("a.txt")).expect("it is there"),
        "three\n"
    );
    std::fs::write(file("a.txt"), "two\n").expect("written");
    terminal.keys("/revert a.txt\r");
    terminal.until("reverted a.txt");
    assert_eq!(
        std::fs::read_to_string(file("a.txt")).expect("it is there"),
        "one\n"
    );
    terminal.keys("/quit\r");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0));
    assert!(
        !shown.contains("written: "),
        "nothing is left of it: {shown}"
    );
}

/// Types as a person does, key by key.
fn type_slowly(terminal: &mut Terminal, text: &str) {
    for key in text.chars() {
        terminal.keys(&key.to_string());
        std::thread::sleep(Duration::from_millis(100));
    }
}

const ASKS: &str = "[[prompt]]\nmatch = \"first\"\nstep = [{ say = \"Begun.\" }, { sleep = 3.0 }, \
                    { shell = \"touch made\", description = \"Make it\" }]\n\
                    [[prompt]]\nmatch = \"please wait\"\nstep = [{ say = \"Two.\" }]\n";

#[test]
fn what_is_being_typed_when_a_question_appears_answers_nothing_and_is_not_lost() {
    let place = Place::new();
    let mut terminal = typed(&place, "copilot", ASKS);
    terminal.until("> ");
    terminal.keys("the first\r");
    terminal.until("Begun.");
    // Begun before the question appears, continued under it.
    terminal.keys("pl");
    terminal.until("[Enter denies] ");
    terminal.until("your line goes first");
    type_slowly(&mut terminal, "ease wait, y, p and d");
    terminal.keys("\r");
    terminal.until("the question is still open: ");
    terminal.until("[Enter denies] ");
    assert!(!place.project().join("made").exists());
    std::thread::sleep(Duration::from_millis(1_500));
    terminal.keys("y");
    terminal.until("allowed once");
    terminal.until("> please wait, y, p and d");
    terminal.until("Two.");
    assert!(place.project().join("made").exists());
    terminal.keys("/quit\r");
    assert_eq!(terminal.end().0, Some(0));
    let kept = place.run(&["policy", "list"]).out;
    assert_eq!(kept, "nothing is always allowed\n");
}

#[test]
fn what_is_pasted_behind_an_answer_is_the_next_line_and_not_lost() {
    let place = Place::new();
    let mut terminal = typed(&place, "copilot", ASKS);
    terminal.until("> ");
    terminal.keys("the first\r");
    terminal.until("[Enter denies] ");
    terminal.keys("y\rplease wait\r");
    terminal.until("allowed once");
    terminal.until("> please wait");
    terminal.until("Two.");
    assert!(place.project().join("made").exists());
    terminal.keys("/quit\r");
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn an_emptied_line_leaves_the_keys_to_the_question() {
    let place = Place::new();
    let mut terminal = typed(&place, "copilot", ASKS);
    terminal.until("> ");
    terminal.keys("the first\r");
    terminal.until("Begun.");
    terminal.keys("please");
    terminal.until("your line goes first");
    terminal.keys("\x15");
    terminal.until("the question is still open: ");
    std::thread::sleep(Duration::from_millis(1_500));
    terminal.keys("\r");
    terminal.until("denied");
    terminal.until("> ");
    terminal.keys("/quit\r");
    assert_eq!(terminal.end().0, Some(0));
    assert!(!place.project().join("made").exists());
}

#[test]
fn what_is_wrong_is_answered_as_often_as_it_is_typed() {
    let ended = piped(
        "claude",
        TWO,
        &[],
        "/mode zz\n/mode zz\n/set a=b\n/set a=b\n",
    );
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for answer in [
        "note: the agent has no mode `zz`",
        "note: the agent has no option `a`",
    ] {
        assert_eq!(ended.out.matches(answer).count(), 2, "{}", ended.out);
    }
}

/// What an agent does when a plan is asked for, and afterwards.
const PLANS: &str = "[[prompt]]\nstep = [{ shell = \"touch early\" }, { say = \"1. Make it\" }]\n\
                     [[prompt]]\nmatch = \"second\"\nstep = [{ say = \"Two.\" }]\n\
                     [[prompt]]\nstep = [{ call = \"intellij_write_file\", \
                     arguments = { path = \"made\", content = \"x\" }, expect = \"allowed\" }]\n";

#[test]
fn a_conversation_that_begins_with_a_plan_changes_nothing_whether_its_first_prompt_is_typed_piped_or_resumed()
 {
    let place = Place::new();
    let mut ways: Vec<(&[&str], &str)> = vec![
        (&["--answer", "deny"], "the first\nthe second\n"),
        (&[], "the first\nthe second\n"),
        (&["the first"], "the second\n"),
        (&["--resume", "--answer", "deny"], "the first\nthe second\n"),
    ];
    for (more, input) in ways.drain(..) {
        let mut words = words(&place, "copilot", PLANS, &["--plan", "--json"]);
        words.extend(more.iter().map(|word| (*word).to_owned()));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let ended = place.run_with(&words, input.as_bytes());
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let lines = ended.lines();
        let events: Vec<_> = lines.iter().map(|line| &line["event"]).collect();
        let planned = events.iter().filter(|event| **event == "PLANNING_STARTED");
        assert_eq!(
            planned.count(),
            1,
            "the first prompt alone: {more:?} {ended:?}"
        );
        let at = |name: &str| events.iter().position(|event| *event == name);
        assert!(
            at("PLANNING_STARTED") < at("PLAN_PROPOSED"),
            "{more:?} {ended:?}"
        );
        assert!(!place.project().join("early").exists(), "{more:?}");
        assert!(ended.out.contains("Two."), "{more:?} {ended:?}");
    }
}

#[test]
fn at_a_terminal_the_first_line_of_a_conversation_that_begins_with_a_plan_waits_for_the_approval() {
    let place = Place::new();
    // a person who was typing a moment ago has not read the plan yet
    let slowly = PLANS.replacen("step = [", "step = [{ sleep = 1.5 }, ", 1);
    let words = words(&place, "copilot", &slowly, &["--plan"]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut terminal = Terminal::start(&place, &words, &[]);
    terminal.until("> ");
    terminal.keys("the first\r");
    terminal.until("Nothing has changed so far.");
    terminal.until("[Enter rejects] ");
    assert!(!place.project().join("early").exists());
    terminal.keys("a");
    terminal.until("made");
    terminal.keys("/quit\r");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(place.project().join("made").exists(), "{shown}");
}
