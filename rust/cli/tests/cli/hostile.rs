//! What a newcomer can get wrong, and programs that are not what they were taken for: each ends soon, with an
//! exit code of the contract and a word on what to do.

use serde_json::Value;

use crate::process::{Ended, Place, entries};

/// An agent in this shape that does what the script says.
fn agent(shape: &str, script: &str) -> String {
    format!(
        "'{}' scripted-agent --shape {shape} --script-text '{script}'",
        env!("CARGO_BIN_EXE_siderail")
    )
}

fn run(place: &Place, command: &str, more: &[&str]) -> Ended {
    let words = ["run", "--agent", "mine", "--agent-command", command];
    place.run(&[&words[..], more, &["hi"]].concat())
}

fn event(ended: &Ended, name: &str) -> Value {
    let found = ended.lines().into_iter().find(|line| line["event"] == name);
    found.unwrap_or_else(|| panic!("no {name}: {ended:?}"))
}

#[test]
fn a_program_that_floods_its_output_is_told_from_an_agent_at_once() {
    for flood in ["yes", "sh -c 'seq 1 1000000000'", "echo no agent"] {
        let ended = run(&Place::new(), flood, &["--json"]);
        assert_eq!(ended.code, Some(4), "{flood}: {}", ended.err);
        let lines = ended.lines();
        assert!(lines.len() < 40, "{flood}: {} events", lines.len());
        assert_eq!(event(&ended, "ERROR")["kind"], "protocol");
        assert!(
            ended.err.contains("does not speak ACP") && ended.err.contains("hint: "),
            "{}",
            ended.err
        );
        assert_eq!(lines.last().expect("a line")["event"], "SUMMARY");
    }
}

#[test]
fn an_agent_with_a_name_of_ones_own_is_called_by_it() {
    let ended = run(&Place::new(), &agent("claude", "[[prompt]]"), &["--json"]);
    assert_eq!(event(&ended, "SESSION_STARTED")["agent"], "mine");
    assert_eq!(event(&ended, "SUMMARY")["agent"], "mine");
}

#[test]
fn a_mode_that_the_agent_has_not_is_answered_with_those_that_it_has() {
    let ended = run(&Place::new(), &agent("claude", ""), &["--mode", "zz"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    let hint = "hint: its modes are: default, acceptEdits, plan, auto\n";
    assert!(ended.err.contains(hint), "{}", ended.err);
    for set in ["zz=1", "model=zz"] {
        let ended = run(&Place::new(), &agent("claude", ""), &["--set", set]);
        assert_eq!(ended.code, Some(2), "{ended:?}");
    }
}

#[test]
fn a_mode_that_the_agent_refuses_is_not_told_as_set() {
    let agent = agent("claude", "refuse_mode = true\n[[prompt]]");
    let ended = run(&Place::new(), &agent, &["--mode", "plan", "--json"]);
    assert_eq!(event(&ended, "SESSION_STARTED")["mode"], "default");
    let log = event(&ended, "AGENT_LOG");
    assert_eq!(log["kind"], "notice", "{log}");
    let ended = run(&Place::new(), &agent, &["--mode", "plan"]);
    let told = ended
        .out
        .matches("note: the agent rejected the mode `plan`");
    assert_eq!(told.count(), 1, "a person sees it once: {}", ended.out);
}

#[test]
fn no_trace_is_spoken_of_where_none_is_written() {
    let place = Place::new();
    let dies = agent("claude", "[[prompt]]\nstep = [{ fault = \"exit=3\" }]");
    for ended in [run(&place, "false", &[]), run(&place, &dies, &[])] {
        assert!(!ended.err.contains("trace file"), "{}", ended.err);
        assert!(!ended.err.contains(".jsonl"), "{}", ended.err);
    }
    let trace = place.path("t.jsonl");
    let ended = run(&place, &dies, &["--trace", trace.to_str().expect("text")]);
    assert!(
        ended.err.contains("t.jsonl holds its last messages"),
        "{}",
        ended.err
    );
}

#[test]
fn an_agent_that_is_missing_is_told_with_the_folders_searched_and_how_to_get_it() {
    let place = Place::new();
    let mut command = place.siderail(&["run", "--agent", "claude", "hi"]);
    let path = place.path("home");
    let ended = Ended::of(command.env("PATH", &path).output().expect("it starts"));
    assert_eq!(ended.code, Some(3), "{ended:?}");
    for part in [path.to_str().expect("text"), "to install it: npm install"] {
        assert!(ended.err.contains(part), "{part}: {}", ended.err);
    }
    let mut command = place.siderail(&["agents"]);
    let ended = Ended::of(command.env("PATH", &path).output().expect("it starts"));
    assert!(ended.out.contains(&format!("searched: {}", path.display())));
}

/// The last words say why an agent died, and they come when everything ends at once.
#[cfg(unix)]
#[test]
fn the_trace_of_an_agent_that_dies_with_much_to_say_holds_all_of_it_and_its_end() {
    const N_LINES: usize = 6_000;
    let dies = format!(
        "sh -c 'seq -f \"what went wrong, in words without end: line %06g\" 1 {N_LINES} >&2; exit 3'"
    );
    for _ in 0..5 {
        let place = Place::new();
        let trace = place.path("t.jsonl");
        let ended = run(&place, &dies, &["--trace", trace.to_str().expect("text")]);
        assert_eq!(ended.code, Some(3), "{ended:?}");
        let written = std::fs::read_to_string(&trace).expect("a trace");
        let lines = written.lines().map(serde_json::from_str);
        let lines: Vec<Value> = lines.collect::<Result<_, _>>().expect("whole lines");
        let said = lines.iter().filter(|line| line["dir"] == "agent-stderr");
        assert!(written.len() > 300_000, "{} bytes", written.len());
        assert_eq!(said.count(), N_LINES);
        let end = lines.last().expect("a line");
        assert_eq!(
            (&end["dir"], &end["msg"]["exit"]),
            (&"note".into(), &3.into())
        );
    }
}

#[test]
fn a_trace_that_another_run_is_writing_is_left_to_it() {
    let place = Place::new();
    let trace = place.path("t.jsonl");
    let recorded = "{\"t\":0,\"dir\":\"note\",\"msg\":\"the other\"}\n";
    std::fs::write(&trace, recorded).expect("written");
    let other = std::fs::File::open(&trace).expect("it is there");
    other.lock().expect("it can be locked");
    let agent = agent("claude", "[[prompt]]");
    let words = ["--trace", trace.to_str().expect("text")];
    let ended = run(&place, &agent, &words);
    assert_eq!(ended.code, Some(3), "{ended:?}");
    assert!(
        ended.err.contains("another run is writing to it"),
        "{}",
        ended.err
    );
    let kept = std::fs::read_to_string(&trace).expect("it is there");
    assert_eq!(kept, recorded);
    drop(other);
    let ended = run(&place, &agent, &words);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(
        ended.err.contains("replaces the earlier recording in"),
        "{}",
        ended.err
    );
    let mine = std::fs::read_to_string(&trace).expect("it is there");
    assert!(!mine.contains("the other"), "an old trace is replaced");
}

#[test]
fn a_file_that_is_no_recording_is_not_replaced_by_one() {
    let place = Place::new();
    let file = place.project().join("notes.txt");
    std::fs::write(&file, "mine\n").expect("written");
    let ended = run(
        &place,
        &agent("claude", "[[prompt]]"),
        &["--trace", "notes.txt"],
    );
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.err.contains("is not a recording"), "{}", ended.err);
    assert_eq!(
        std::fs::read_to_string(&file).expect("it is there"),
        "mine\n"
    );
}

/// A trace that can be named and not be made, and one that cannot be filled.
#[cfg(target_os = "linux")]
#[test]
fn a_trace_that_cannot_be_written_is_told_and_leaves_nothing_behind() {
    let place = Place::new();
    let trace = place.path("t.jsonl");
    std::os::unix::fs::symlink("/nowhere/at/all", &trace).expect("a link");
    let agent = agent("openhands", "[[prompt]]");
    let words = ["run", "--agent", "openhands", "--agent-command", &agent];
    let more = [
        "--consent",
        "openhands",
        "--trace",
        trace.to_str().expect("text"),
        "hi",
    ];
    let ended = place.run(&[&words[..], &more].concat());
    assert_eq!(ended.code, Some(3), "{ended:?}");
    assert!(ended.err.contains("t.jsonl"), "{}", ended.err);
    assert!(
        !place.path("home/.openhands").exists(),
        "no consent was used"
    );
    assert_eq!(place.left_behind().len(), 0);
    let full = place.run(&[&words[..], &["--trace", "/dev/full", "hi"]].concat());
    assert_eq!(full.code, Some(0), "{full:?}");
    assert!(
        full.out
            .contains("note: the trace file /dev/full is not complete"),
        "{}",
        full.out
    );
}

#[test]
fn settings_of_the_users_that_cannot_be_read_stop_the_start_and_stay() {
    let place = Place::new();
    let folder = place.path("home/.openhands");
    std::fs::create_dir(&folder).expect("a new folder");
    let file = folder.join("hooks.json");
    std::fs::write(&file, "{ // mine\n}").expect("written");
    let agent = agent("openhands", "[[prompt]]");
    let words = ["run", "--agent", "openhands", "--agent-command", &agent];
    let ended = place.run(&[&words[..], &["--consent", "openhands", "hi"]].concat());
    assert_eq!(ended.code, Some(3), "{ended:?}");
    assert!(
        ended.err.contains("hooks.json cannot be added to"),
        "{}",
        ended.err
    );
    assert_eq!(
        std::fs::read_to_string(&file).expect("it is there"),
        "{ // mine\n}"
    );
    assert_eq!(place.left_behind().len(), 0);
}

#[test]
fn a_state_folder_that_cannot_be_written_is_named_and_not_the_users_file() {
    let place = Place::new();
    let state = place.path("state");
    std::fs::write(&state, "no folder").expect("written");
    let agent = agent("openhands", "[[prompt]]");
    let words = ["run", "--agent", "openhands", "--agent-command", &agent];
    let mut command = place.siderail(&[&words[..], &["--consent", "openhands", "hi"]].concat());
    let ended = command.env("XDG_STATE_HOME", &state).output();
    let ended = Ended::of(ended.expect("the binary starts"));
    assert_eq!(ended.code, Some(3), "{ended:?}");
    let told = format!("nothing can be saved in {}", state.display());
    assert!(ended.err.contains(&told), "{}", ended.err);
    assert!(ended.err.contains("set XDG_STATE_HOME"), "{}", ended.err);
    assert!(!place.path("home/.openhands").exists());
    assert_eq!(place.left_behind().len(), 0);
}

#[cfg(unix)]
#[test]
fn without_a_home_nothing_is_believed_that_others_could_have_written() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    let temp = place.path("temp");
    std::fs::create_dir(&temp).expect("a new folder");
    let agent = agent("claude", "[[prompt]]");
    let words = ["run", "--agent", "claude", "--agent-command", &agent, "hi"];
    let homeless = || {
        let mut command = place.siderail(&words);
        let output = command.env_remove("HOME").env("TMPDIR", &temp).output();
        Ended::of(output.expect("the binary starts"))
    };
    let ended = homeless();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let own = entries(&temp).pop().expect("a folder stands in");
    let mode = |mode| std::fs::set_permissions(&own, std::fs::Permissions::from_mode(mode));
    let found = std::fs::metadata(&own).expect("it is there");
    assert_eq!(found.permissions().mode() & 0o777, 0o700);
    mode(0o777).expect("a mode");
    let ended = homeless();
    assert_eq!(ended.code, Some(3), "{ended:?}");
    assert!(
        ended.err.contains("there is no home folder"),
        "{}",
        ended.err
    );
    assert!(ended.err.contains("set HOME"), "{}", ended.err);
}

#[test]
fn a_command_that_is_no_program_is_told_with_what_to_do() {
    let place = Place::new();
    let script = place.path("agent");
    std::fs::write(&script, "#!/no/such/interpreter\n").expect("written");
    let plain = run(&place, &script.display().to_string(), &[]);
    assert_eq!(plain.code, Some(3), "{plain:?}");
    assert!(plain.err.contains("chmod +x"), "{}", plain.err);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&script, mode).expect("a mode");
        let broken = run(&place, &script.display().to_string(), &[]);
        assert_eq!(broken.code, Some(3), "{broken:?}");
        assert!(broken.err.contains("interpreter"), "{}", broken.err);
    }
    let folder = run(&place, &place.project().display().to_string(), &[]);
    assert_eq!(folder.code, Some(3), "{folder:?}");
    assert!(folder.err.contains("is a folder"), "{}", folder.err);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_of_its_own_for_every_command() {
    let place = Place::new();
    let agent = agent("claude", "[[prompt]]\nstep = [{ say = \"Hello.\" }]");
    let run = ["run", "--agent", "mine", "--agent-command", &agent, "hi"];
    let commands: [&[&str]; 11] = [
        &["--help"],
        &["run", "--help"],
        &["--version"],
        &["demo"],
        &["demo", "--json"],
        &run,
        &["agents"],
        &["agents", "untrust", "claude"],
        &["policy", "show"],
        &["policy", "list"],
        &["guard", "explain", "ls"],
    ];
    for words in commands {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
        let mut command = place.siderail(words);
        command.stdout(full.expect("Linux has it"));
        let ended = Ended::of(command.output().expect("it starts"));
        assert_eq!(ended.code, Some(4), "{words:?}: {}", ended.err);
        let said = ended
            .err
            .matches("standard output cannot be written")
            .count();
        assert_eq!(said, 1, "{words:?}: {}", ended.err);
        assert!(!ended.err.contains("panicked"), "{words:?}: {}", ended.err);
    }
}

#[test]
fn an_unknown_agent_cannot_be_untrusted_and_the_known_ones_are_named() {
    let ended = Place::new().run(&["agents", "untrust", "nope"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.err.contains("`nope`") && ended.err.contains("openhands"));
    assert!(
        !ended.err.contains("--agent-command"),
        "it has no such flag"
    );
}

#[test]
fn an_empty_recording_is_said_to_be_empty() {
    let place = Place::new();
    let file = place.path("empty.jsonl");
    std::fs::write(&file, "\n\n").expect("written");
    let ended = place.run(&["trace", "show", file.to_str().expect("text")]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.err.contains("is empty: nothing was recorded"));
}

#[test]
fn the_terminal_shows_a_stray_programs_last_words_without_being_steered() {
    let command = "sh -c 'printf \"\\033[2Jbye\" >&2; exit 1'";
    let ended = run(&Place::new(), command, &[]);
    assert!(
        ended.err.contains("bye") && !ended.err.contains('\x1b'),
        "{:?}",
        ended.err
    );
}

#[test]
fn the_time_limit_holds_while_one_huge_message_is_read() {
    let script = "[[prompt]]\nstep = [{ say = \"a\" }, { say = \"b\" }]";
    let agent = format!("{} --faults huge=40000000@4", agent("claude", script));
    let ended = run(&Place::new(), &agent, &["--timeout", "0.5", "--json"]);
    let summary = event(&ended, "SUMMARY");
    let took = summary["duration_s"].as_f64().expect("a duration");
    let is_in_time = took < 0.5 && ended.code == Some(0);
    assert!(
        is_in_time || (ended.code == Some(5) && summary["stop_reason"] == "timeout"),
        "{:?} after {took} s: {}",
        ended.code,
        ended.err
    );
}
