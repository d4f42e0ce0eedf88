//! `siderail run` against scripted and broken agents: events, exit codes, and what is left behind.

use std::io::{BufRead, BufReader, Read};
use std::process::Child;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::Value;

use crate::process::{Ended, Place, wait};

/// Words of a run of the scripted agent in the shape of Copilot.
fn scripted(place: &Place, script: &str, more: &[&str]) -> Vec<String> {
    let file = place.path("script.toml");
    std::fs::write(
        &file,
        format!("shape = \"copilot\"\nreally = true\n{script}"),
    )
    .expect("written");
    let agent = format!(
        "'{}' scripted-agent --script '{}'",
        env!("CARGO_BIN_EXE_siderail"),
        file.display()
    );
    let words = [
        "run",
        "--agent",
        "copilot",
        "--agent-command",
        &agent,
        "--hide",
        "off",
    ];
    words
        .iter()
        .chain(more)
        .map(|word| (*word).to_owned())
        .collect()
}

fn run(script: &str, more: &[&str]) -> (Place, Ended) {
    let place = Place::new();
    let words = scripted(&place, script, more);
    let ended = place.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
    (place, ended)
}

fn with_agent(command: &str, more: &[&str]) -> Ended {
    let words = [
        "run",
        "--agent",
        "mine",
        "--agent-command",
        command,
        "--json",
    ];
    Place::new().run(&[&words, more, &["hi"]].concat())
}

/// The summary, which has to be the last line.
fn summary(ended: &Ended) -> Value {
    let lines = ended.lines();
    let last = lines
        .last()
        .unwrap_or_else(|| panic!("no line at all: {ended:?}"))
        .clone();
    assert_eq!(
        last["event"], "SUMMARY",
        "the summary is the last line: {ended:?}"
    );
    let summaries = lines
        .iter()
        .filter(|line| line["event"] == "SUMMARY")
        .count();
    assert_eq!(summaries, 1, "there is one summary");
    last
}

fn events(ended: &Ended, name: &str) -> Vec<Value> {
    ended
        .lines()
        .into_iter()
        .filter(|line| line["event"] == name)
        .collect()
}

/// A run that is going on: its child and its output so far.
struct Running {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
    seen: Vec<Value>,
}

impl Running {
    fn start(place: &Place, words: &[String]) -> Self {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut child = place.siderail(&words).spawn().expect("it starts");
        let output = child.stdout.take().expect("a piped output");
        Self {
            child,
            lines: BufReader::new(output).lines(),
            seen: Vec::new(),
        }
    }

    fn until(&mut self, event: &str) -> Value {
        loop {
            let line = self.lines.next().expect("the run goes on").expect("a line");
            let line: Value = serde_json::from_str(&line).expect("a JSON line");
            self.seen.push(line.clone());
            if line["event"] == event {
                return line;
            }
        }
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(self.child.id().cast_signed()).expect("a process id");
        kill_process(pid, signal).expect("the run can be signalled");
    }

    /// The exit code and the summary.
    fn end(mut self) -> (Option<i32>, Value) {
        let summary = self.until("SUMMARY");
        assert!(self.lines.next().is_none(), "nothing follows the summary");
        (wait(&mut self.child), summary)
    }
}

/// The processes that have this text in their command line.
fn processes(text: &str) -> Vec<i32> {
    let pids = crate::process::entries("/proc".as_ref());
    let pids = pids
        .iter()
        .filter_map(|path| path.file_name()?.to_str()?.parse().ok());
    pids.filter(|pid: &i32| {
        let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&command).contains(text)
    })
    .collect()
}

pub(crate) fn assert_none_left(text: &str) {
    let end = Instant::now() + Duration::from_secs(20);
    while !processes(text).is_empty() {
        assert!(
            Instant::now() < end,
            "{:?} are left of the agent",
            processes(text)
        );
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// An agent that never answers: its command line, and the same as the system shows it.
fn sleeper(number: u8) -> (String, String) {
    let seconds = format!("600.{number}{}", std::process::id());
    (format!("sleep {seconds}"), format!("sleep\u{0}{seconds}"))
}

const SAYS: &str = "[[prompt]]\nstep = [{ say = \"Hello.\" }]\n";
const SLEEPS: &str = "[[prompt]]\nstep = [{ say = \"Wait.\" }, { sleep = 600.0 }]\n";
const EDITS: &str = "[[prompt]]\nstep = [{ edit = \"a.txt\", old = \"1\", new = \"2\" }]\n";
const RUNS: &str = "[[prompt]]\nstep = [{ shell = \"date\", description = \"Time\" }]\n";

#[test]
fn every_event_is_a_line_in_rising_order_and_the_summary_is_the_last() {
    let (place, ended) = run(SAYS, &["--json", "say", "hello"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let lines = ended.lines();
    for (n, line) in lines.iter().enumerate() {
        assert_eq!(
            (&line["v"], line["seq"].as_u64()),
            (&1.into(), Some(n as u64 + 1)),
            "{line}"
        );
        assert!(line["t"].is_number() && line["session"].is_u64() && line["turn"].is_u64());
    }
    assert_eq!(events(&ended, "TURN_STARTED")[0]["text"], "say hello");
    assert_eq!(events(&ended, "AGENT_MESSAGE")[0]["text"], "Hello.");
    assert_eq!(summary(&ended)["stop_reason"], "end_turn");
    assert_eq!(place.left_behind().len(), 0);
}

#[test]
fn people_see_the_text_and_the_summary_without_escape_sequences() {
    let (_place, ended) = run(SAYS, &["hi"]);
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
    assert!(ended.out.contains("\nHello.\n"), "{}", ended.out);
    assert!(
        ended.out.contains("copilot: done after 1 turn"),
        "{}",
        ended.out
    );
    assert!(!ended.out.contains('\x1b'));
}

#[test]
fn a_denied_edit_tells_people_what_the_model_was_told() {
    let (place, ended) = run(EDITS, &["--answer", "allow", "edit"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let row = ended
        .out
        .lines()
        .find(|line| line.starts_with("✗ denied"))
        .unwrap();
    assert!(
        row.contains("→ use ") && row.contains("intellij_write_file"),
        "{row}"
    );
    assert!(!place.project().join("a.txt").exists());
}

#[test]
fn without_a_terminal_nobody_is_asked_and_the_answer_is_no() {
    let (_place, ended) = run(RUNS, &["--json", "run"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(events(&ended, "PERMISSION_REQUEST")[0]["asks"], true);
    assert_eq!(events(&ended, "PERMISSION_DENIED")[0]["by"], "no_terminal");
}

#[test]
fn answers_given_beforehand_are_followed() {
    let (_place, denied) = run(RUNS, &["--json", "--answer", "deny", "run"]);
    assert_eq!(events(&denied, "PERMISSION_APPROVED").len(), 0);
    assert_eq!(events(&denied, "PERMISSION_DENIED").len(), 1);
    assert_eq!(events(&denied, "PERMISSION_DENIED")[0]["by"], "setting");
    let (_place, allowed) = run(RUNS, &["--json", "--answer", "allow", "run"]);
    assert_eq!(events(&allowed, "PERMISSION_APPROVED").len(), 1);
    assert_eq!(events(&allowed, "PERMISSION_DENIED").len(), 0);
}

#[test]
fn an_interrupt_cancels_the_turn_and_ends_with_six() {
    let place = Place::new();
    let words = scripted(&place, SLEEPS, &["--json", "wait"]);
    let mut running = Running::start(&place, &words);
    running.until("AGENT_MESSAGE");
    running.signal(Signal::INT);
    let ended = running.until("TURN_ENDED");
    assert_eq!(ended["stop_reason"], "cancelled");
    let (code, summary) = running.end();
    assert_eq!(
        (code, &summary["stop_reason"]),
        (Some(6), &"cancelled".into())
    );
    assert_eq!(place.left_behind().len(), 0);
    assert_none_left(place.path("script.toml").to_str().unwrap());
}

#[test]
fn an_interrupt_before_the_session_is_there_ends_the_run() {
    let place = Place::new();
    let (agent, arguments) = sleeper(1);
    let words = [
        "run",
        "--agent",
        "mine",
        "--agent-command",
        &agent,
        "--json",
        "hi",
    ];
    let running = Running::start(&place, &words.map(str::to_owned));
    let end = Instant::now() + Duration::from_secs(20);
    while processes(&arguments).is_empty() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    running.signal(Signal::INT);
    let (code, summary) = running.end();
    assert_eq!(
        (code, &summary["stop_reason"]),
        (Some(6), &"cancelled".into())
    );
    assert_none_left(&arguments);
}

#[test]
fn a_second_interrupt_ends_the_run_at_once_and_still_sums_up() {
    let place = Place::new();
    let words = scripted(&place, SLEEPS, &["--json", "wait"]);
    let mut running = Running::start(&place, &words);
    running.until("AGENT_MESSAGE");
    running.signal(Signal::INT);
    std::thread::sleep(Duration::from_millis(20));
    running.signal(Signal::INT);
    assert_eq!(running.end().0, Some(6));
    assert_none_left(place.path("script.toml").to_str().unwrap());
}

#[test]
fn a_termination_ends_the_session_properly() {
    for signal in [Signal::TERM, Signal::HUP] {
        let place = Place::new();
        let words = scripted(&place, SLEEPS, &["--json", "wait"]);
        let mut running = Running::start(&place, &words);
        running.until("AGENT_MESSAGE");
        running.signal(signal);
        assert_eq!(running.end().0, Some(6));
        assert_none_left(place.path("script.toml").to_str().unwrap());
        assert_eq!(place.left_behind().len(), 0);
    }
}

#[test]
fn the_time_limit_ends_with_five_and_a_summary() {
    let started = Instant::now();
    let (place, ended) = run(SLEEPS, &["--json", "--timeout", "1", "wait"]);
    assert_eq!(ended.code, Some(5), "{ended:?}");
    assert_eq!(summary(&ended)["stop_reason"], "timeout");
    assert!(ended.err.contains("`session/prompt`"), "{}", ended.err);
    assert!(started.elapsed() < Duration::from_secs(20));
    assert_none_left(place.path("script.toml").to_str().unwrap());
}

#[test]
fn an_agent_that_never_answers_runs_into_the_time_limit_too() {
    let (agent, arguments) = sleeper(2);
    let ended = with_agent(&agent, &["--timeout", "0.5"]);
    assert_eq!(ended.code, Some(5), "{ended:?}");
    assert_eq!(summary(&ended)["stop_reason"], "timeout");
    assert!(ended.err.contains("`initialize`"), "{}", ended.err);
    assert_none_left(&arguments);
}

#[test]
fn an_agent_that_cannot_be_started_ends_with_three_and_what_to_do() {
    let ended = with_agent("no-such-agent-anywhere --acp", &[]);
    assert_eq!(ended.code, Some(3), "{ended:?}");
    assert!(ended.err.contains("error: ") && ended.err.contains("no-such-agent-anywhere"));
    assert!(ended.err.contains("install it"), "{}", ended.err);
    assert_eq!(events(&ended, "ERROR")[0]["kind"], "spawn");
    summary(&ended);
}

#[test]
fn an_agent_that_ends_at_once_has_not_started() {
    let ended = with_agent("sh -c 'echo out of memory >&2; exit 9'", &[]);
    assert_eq!(ended.code, Some(3), "{ended:?}");
    assert!(
        ended.err.contains("out of memory"),
        "its last words help: {}",
        ended.err
    );
    summary(&ended);
}

#[test]
fn an_agent_that_wants_a_login_ends_with_seven() {
    let initialized = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}"#;
    let refused =
        r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"Authentication required"}}"#;
    let script = format!(
        "read a; printf \"%s\\n\" '{initialized}'; read b; printf \"%s\\n\" '{refused}'; sleep 20"
    );
    let place = Place::new();
    std::fs::write(place.path("agent.sh"), script).unwrap();
    let ended = with_agent(&format!("sh '{}'", place.path("agent.sh").display()), &[]);
    assert_eq!(ended.code, Some(7), "{ended:?}");
    summary(&ended);
}

#[test]
fn an_agent_that_fails_the_prompt_ends_with_four() {
    let fails = "[[prompt]]\nstep = [{ fail = \"no quota left\", code = -32603 }]\n";
    let (_place, ended) = run(fails, &["--json", "hi"]);
    assert_eq!(ended.code, Some(4), "{ended:?}");
    summary(&ended);
    assert!(ended.out.contains("no quota left"));
}

#[test]
fn a_reader_that_goes_away_stops_the_agent_quietly() {
    let place = Place::new();
    let script = "[[prompt]]\nstep = [{ say = \"x\" }, { sleep = 1.0 }, { say = \"y\" }, { sleep = 600.0 }]\n";
    let words = scripted(&place, script, &["--json", "wait"]);
    let mut running = Running::start(&place, &words);
    running.until("AGENT_MESSAGE");
    let Running {
        mut child, lines, ..
    } = running;
    drop(lines);
    assert_eq!(wait(&mut child), Some(4));
    let mut said = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    assert_eq!(said, "");
    assert_none_left(place.path("script.toml").to_str().unwrap());
    assert_eq!(place.left_behind().len(), 0);
}

#[test]
fn a_reader_that_never_reads_fails_a_short_run_too() {
    let place = Place::new();
    let words = scripted(&place, "[[prompt]]\nstep = [{ say = \"x\" }]\n", &["hi"]);
    for quiet in [&[][..], &["-q"]] {
        let words: Vec<&str> = words
            .iter()
            .map(String::as_str)
            .chain(quiet.iter().copied())
            .collect();
        let mut child = place.siderail(&words).spawn().expect("it starts");
        drop(child.stdout.take());
        assert_eq!(wait(&mut child), Some(4), "{quiet:?}");
    }
}

#[test]
fn what_a_killed_run_left_behind_is_swept_by_the_next() {
    let place = Place::new();
    let words = scripted(&place, SLEEPS, &["--json", "wait"]);
    let mut running = Running::start(&place, &words);
    running.until("AGENT_MESSAGE");
    let pid = Pid::from_raw(running.child.id().cast_signed()).unwrap();
    running.signal(Signal::KILL);
    running.child.wait().unwrap();
    assert!(test_kill_process(pid).is_err());
    assert_eq!(place.left_behind().len(), 1, "a killed run cannot clean up");
    assert_none_left(place.path("script.toml").to_str().unwrap());
    let words: Vec<String> = scripted(&place, SAYS, &["hi"]);
    place.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(place.left_behind().len(), 0);
}

#[test]
fn a_written_trace_can_be_shown() {
    let (place, ended) = run(SAYS, &["--trace", "t.jsonl", "hi"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let shown = place.run(&["trace", "show", "t.jsonl"]);
    assert_eq!((shown.code, shown.err.as_str()), (Some(0), ""));
    for said in [
        "→ initialize #",
        "session/prompt",
        "agent_message_chunk  Hello.",
        "end_turn",
    ] {
        assert!(shown.out.contains(said), "{said} is missing: {}", shown.out);
    }
}

#[test]
fn logs_go_to_standard_error_and_only_when_asked_for() {
    let place = Place::new();
    let words = scripted(&place, SAYS, &["--json", "hi"]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let output = place
        .siderail(&words)
        .env("SIDERAIL_LOG", "trace")
        .output()
        .unwrap();
    let ended = Ended::of(output);
    assert!(!ended.err.is_empty());
    summary(&ended);
}

#[test]
fn a_further_folder_is_told_to_the_agent_whole_and_one_that_is_not_there_is_refused() {
    let place = Place::new();
    std::fs::create_dir(place.project().join("more")).expect("made");
    std::fs::write(place.path("script.toml"), "[[prompt]]\nstep = []\n").expect("written");
    let command = format!(
        "'{}' scripted-agent --shape claude --script '{}'",
        env!("CARGO_BIN_EXE_siderail"),
        place.path("script.toml").display()
    );
    let trace = place.path("t.jsonl").display().to_string();
    let words = ["run", "--agent", "claude", "--agent-command", &command];
    let with = |folder: &str| {
        let more = ["--json", "--trace", &trace, "--add-dir", folder, "hi"];
        place.run(&[&words[..], &more].concat())
    };
    let ended = with("more");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let trace = std::fs::read_to_string(&trace).expect("a trace");
    let folder = place.project().join("more").canonicalize().expect("there");
    let told = format!(r#""additionalDirectories":["{}"]"#, folder.display());
    assert!(trace.contains(&told), "{trace}");
    let ended = with("nowhere");
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.err.contains("nowhere"), "{ended:?}");
}
