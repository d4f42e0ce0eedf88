//! Logging in, against scripted agents in the shapes of those that want a login: each kind of way that agents offer.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::acp::Client;
use crate::process::Place;
use crate::terminal::Terminal;

/// An agent of this shape that is logged in to as soon as `login` exists in its place; a program of its name that makes
/// the file is on PATH, as a vendor's own command is.
struct Agent {
    place: Place,
}

impl Agent {
    fn new(shape: &'static str) -> Self {
        let place = Place::new();
        fs::create_dir(place.path("bin")).expect("a new folder");
        let agent = Self { place };
        let starts = format!(
            "#!/bin/sh\ncase \"$*\" in *acp*) exec '{}' scripted-agent --shape {shape} --logged-in '{}' \"$@\";; esac\n\
             echo \"$0\" \"$@\" >> '{}'\ntouch '{}'\n",
            env!("CARGO_BIN_EXE_siderail"),
            agent.file().display(),
            agent.place.path("ran").display(),
            agent.file().display(),
        );
        let program = agent.place.path("bin").join(shape);
        fs::write(&program, starts).expect("written");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it may run");
        agent
    }

    fn file(&self) -> PathBuf {
        self.place.path("login")
    }

    fn path(&self) -> String {
        let bin = self.place.path("bin");
        format!("{}:/usr/bin:/bin", bin.display())
    }

    fn run(&self, words: &[&str]) -> crate::process::Ended {
        let mut command = self.place.siderail(words);
        command.env("PATH", self.path());
        crate::process::Ended::of(command.output().expect("the binary starts"))
    }

    fn ran(&self) -> String {
        fs::read_to_string(self.place.path("ran")).unwrap_or_default()
    }
}

#[test]
fn a_run_without_a_login_says_the_exact_command_and_ends_with_seven() {
    for (shape, expected) in [
        ("copilot", "Log in with Copilot CLI: `copilot login`"),
        ("qwen", "Use OpenAI API key: `qwen --auth-type=openai`"),
        ("openhands", "OAuth with OpenHands Cloud (method `oauth`)"),
    ] {
        let agent = Agent::new(shape);
        let ended = agent.run(&["run", "--agent", shape, "hi"]);
        assert_eq!(ended.code, Some(7), "{ended:?}");
        assert!(ended.err.contains(expected), "{}", ended.err);
        let does_it = format!("siderail agents login {shape}");
        assert!(ended.err.contains(&does_it), "{}", ended.err);
    }
}

#[test]
fn a_login_that_the_agent_carries_out_needs_no_terminal_and_is_tried_afterwards() {
    let agent = Agent::new("openhands");
    let ended = agent.run(&["agents", "login", "openhands"]);
    assert_eq!(
        (ended.code, ended.out.as_str()),
        (Some(0), "openhands: logged in\n"),
        "{ended:?}"
    );
    assert!(agent.file().exists() && agent.ran().is_empty());
    let again = agent.run(&["agents", "login", "openhands"]);
    assert_eq!(again.out, "openhands: already logged in\n", "{again:?}");
    assert_eq!(
        agent.run(&["run", "--agent", "openhands", "hi"]).code,
        Some(0)
    );
}

#[test]
fn without_a_terminal_a_login_command_is_said_and_not_run() {
    for (shape, command) in [
        ("copilot", "copilot login"),
        ("qwen", "qwen --auth-type=openai"),
    ] {
        let agent = Agent::new(shape);
        let ended = agent.run(&["agents", "login", shape]);
        assert_eq!(ended.code, Some(7), "{ended:?}");
        let hint = format!("in a terminal run: {command}\n");
        assert!(ended.err.contains(&hint), "{}", ended.err);
        assert_eq!(agent.ran(), "", "{shape}");
    }
}

#[test]
fn at_a_terminal_the_login_command_runs_there_and_the_agent_is_started_anew() {
    for (shape, word) in [("copilot", "login"), ("qwen", "--auth-type=openai")] {
        let agent = Agent::new(shape);
        let path = agent.path();
        let words = ["agents", "login", shape];
        let mut terminal = Terminal::start(&agent.place, &words, &[("PATH", &path)]);
        terminal.until(&format!("running: {shape} {word}"));
        terminal.until("logged in");
        assert_eq!(terminal.end().0, Some(0));
        assert!(
            agent.ran().ends_with(&format!("/{shape} {word}\n")),
            "{}",
            agent.ran()
        );
    }
}

#[test]
fn a_login_by_variables_names_them() {
    let agent = Agent::new("codex-zed");
    let words = ["agents", "login", "codex-zed", "--method", "openai-api-key"];
    // its program has another name
    let command = format!("{} --acp", agent.place.path("bin/codex-zed").display());
    let ended = agent.run(&[&words[..], &["--agent-command", &command]].concat());
    assert_eq!(ended.code, Some(7), "{ended:?}");
    assert!(
        ended.err.contains("set OPENAI_API_KEY in the environment"),
        "{}",
        ended.err
    );
    let with = [
        "--agent-command",
        &command,
        "--agent-env",
        "OPENAI_API_KEY=x",
    ];
    let ended = agent.run(&[&words[..], &with].concat());
    assert_eq!(ended.code, Some(7), "{ended:?}");
    assert!(
        ended
            .err
            .contains("OPENAI_API_KEY is set, but the agent rejects"),
        "{}",
        ended.err
    );
    let ended = agent.run(&[&["run", "--agent", "codex-zed", "hi"], &with[..]].concat());
    assert!(
        ended
            .err
            .contains("OPENAI_API_KEY is set, but the agent rejects"),
        "{}",
        ended.err
    );
}

#[test]
fn of_several_logins_one_has_to_be_named() {
    let agent = Agent::new("gemini");
    let ended = agent.run(&["agents", "login", "gemini"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(
        ended.err.contains("--method oauth-personal"),
        "{}",
        ended.err
    );
    let ended = agent.run(&["agents", "login", "gemini", "--method", "oauth-personal"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let ended = agent.run(&["agents", "login", "gemini", "--method", "nothing"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(
        ended.err.contains("no login method `nothing`"),
        "{}",
        ended.err
    );
}

#[test]
fn a_login_that_is_told_with_the_refusal_is_found_there() {
    let place = Place::new();
    let initialized = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}"#;
    let refused = r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"Authentication required","data":{"authMethods":[{"id":"login","name":"Account","type":"terminal","args":["login"]}]}}}"#;
    let script = format!(
        "read a; printf \"%s\\n\" '{initialized}'; read b; printf \"%s\\n\" '{refused}'; sleep 20"
    );
    fs::write(place.path("agent.sh"), script).expect("written");
    let command = format!("sh {} --acp", place.path("agent.sh").display());
    let ended = place.run(&["run", "--agent", "mine", "--agent-command", &command, "hi"]);
    assert_eq!(ended.code, Some(7), "{ended:?}");
    let expected = format!("Account: `sh {} login`", place.path("agent.sh").display());
    assert!(ended.err.contains(&expected), "{}", ended.err);
}

#[test]
fn a_run_at_a_terminal_runs_the_login_command_only_when_told_and_then_goes_on() {
    let agent = Agent::new("copilot");
    let path = agent.path();
    let words = ["run", "--agent", "copilot", "hi"];
    let mut terminal = Terminal::start(&agent.place, &words, &[("PATH", &path)]);
    terminal.until("copilot needs you to log in.");
    terminal.until("(runs here: copilot login)");
    terminal.until("] ");
    assert_eq!(agent.ran(), "", "nothing has run before the yes");
    terminal.keys("1");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(agent.ran().ends_with("/copilot login\n"), "{}", agent.ran());
    assert!(shown.contains("copilot: done"), "{shown}");
}

#[test]
fn a_person_who_does_not_log_in_ends_the_run_with_seven_and_nothing_has_run() {
    let agent = Agent::new("copilot");
    let path = agent.path();
    for mode in [
        &["run", "--agent", "copilot", "hi"][..],
        &["chat", "--agent", "copilot"],
    ] {
        let mut terminal = Terminal::start(&agent.place, mode, &[("PATH", &path)]);
        terminal.until("Enter to skip] ");
        terminal.keys("\r");
        assert_eq!(terminal.end().0, Some(7));
    }
    assert_eq!(agent.ran(), "");
}

#[test]
fn a_login_that_the_agent_carries_out_needs_a_key_and_the_run_goes_on() {
    let agent = Agent::new("openhands");
    let path = agent.path();
    let words = ["run", "--agent", "openhands", "hi"];
    let mut terminal = Terminal::start(&agent.place, &words, &[("PATH", &path)]);
    terminal.until("by the agent; may open a browser");
    terminal.until("] ");
    terminal.keys("1");
    assert_eq!(terminal.end().0, Some(0));
    assert!(agent.file().exists());
}

/// A session that runs out while it is used.
const RUN_OUT: &str = "'[[prompt]]\nstep = [{ fail = \"expired\", code = -32000 }]'";

fn runs_out() -> String {
    let siderail = env!("CARGO_BIN_EXE_siderail");
    format!("'{siderail}' scripted-agent --shape openhands --script-text {RUN_OUT}")
}

#[test]
fn where_nobody_can_log_in_no_turn_is_told_to_go_on() {
    let agent = runs_out();
    let words = ["--agent", "openhands", "--agent-command", &agent, "--json"];
    let ended = Place::new().run(&[&["run"], &words[..], &["hi"]].concat());
    assert_eq!(ended.code, Some(7), "{ended:?}");
    let quoted = agent.replace('\'', r"'\''");
    let exact = format!("`siderail agents login openhands --agent-command '{quoted}'` does it");
    assert!(ended.err.contains(&exact), "{}", ended.err);
    let lines = ended.lines();
    let turns = lines.iter().filter(|line| line["event"] == "TURN_ENDED");
    let turns: Vec<_> = turns.map(|line| line["continues"].clone()).collect();
    assert_eq!(turns, [false]);
}

#[test]
fn a_login_that_is_given_up_in_a_conversation_takes_its_question_along_and_ends_with_seven() {
    let (place, agent) = (Place::new(), runs_out());
    let words = ["chat", "--agent", "openhands", "--agent-command", &agent];
    let mut terminal = Terminal::start(&place, &words, &[]);
    terminal.until("> ");
    terminal.keys("hi\r");
    terminal.until("Enter to skip] ");
    let id = Pid::from_raw(terminal.id().cast_signed()).expect("a process");
    kill_process(id, Signal::INT).expect("it takes signals");
    terminal.until("cancelling the turn");
    terminal.until("> ");
    terminal.keys("/quit\r");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(7), "{shown}");
}

#[test]
fn no_login_command_is_promised_for_an_agent_that_offers_no_login() {
    let siderail = env!("CARGO_BIN_EXE_siderail");
    let agent = format!("'{siderail}' scripted-agent --shape claude --faults auth_required");
    let words = ["run", "--agent", "mine", "--agent-command", &agent, "hi"];
    let ended = Place::new().run(&words);
    assert_eq!(ended.code, Some(7), "{ended:?}");
    assert!(
        ended.err.contains("start the agent itself"),
        "{}",
        ended.err
    );
    assert!(!ended.err.contains("agents login"), "{}", ended.err);
}

#[test]
fn a_client_of_siderail_acp_logs_in_by_the_program_that_it_knows() {
    let agent = Agent::new("qwen");
    let command = format!("'{}' --acp", agent.place.path("bin/qwen").display());
    let words = ["acp", "--agent", "qwen", "--agent-command", &command];
    let mut client = Client::start(&agent.place, &words);
    let mut params = crate::acp::hello();
    params["clientCapabilities"] = json!({"auth": {"terminal": true}});
    let answer = client.call("initialize", params);
    let method = &answer["result"]["authMethods"][0];
    let id = method["id"].as_str().expect("an id");
    assert_eq!(method["_meta"]["args"], json!(["--login", id]), "{answer}");
    let folder = agent.place.project();
    let opens = json!({"cwd": folder, "mcpServers": []});
    let refused = client.call("session/new", opens.clone());
    assert_eq!(refused["error"]["code"], -32000, "{refused}");
    // As clients do it: their own command, with these words behind it, at a terminal.
    let login = [&words[..], &["--login", id]].concat();
    let path = agent.path();
    let mut terminal = Terminal::start(&agent.place, &login, &[("PATH", &path)]);
    terminal.until("logged in");
    assert_eq!(terminal.end().0, Some(0));
    assert!(agent.ran().ends_with("/qwen --auth-type=openai\n"));
    let mut client = Client::start(&agent.place, &words);
    client.call("initialize", crate::acp::hello());
    let opened = client.call("session/new", opens);
    assert!(opened["result"]["sessionId"].is_string(), "{opened}");
}
