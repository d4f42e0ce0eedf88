//! What a command does with few arguments: the agent that is meant, the prompt of a pipe, the answer alone.

use std::os::unix::fs::PermissionsExt;

use crate::process::Place;
use crate::terminal::Terminal;

/// A command that plays an agent by a script of steps.
fn agent(place: &Place, shape: &str, steps: &str) -> String {
    let file = place.path(&format!("{shape}.toml"));
    let script = format!("shape = \"{shape}\"\nreally = true\n[[prompt]]\nstep = [{steps}]\n");
    std::fs::write(&file, script).expect("written");
    let program = env!("CARGO_BIN_EXE_siderail");
    format!("'{program}' scripted-agent --script '{}'", file.display())
}

#[test]
fn quiet_prints_the_answer_alone_for_every_agent() {
    // what has no shape of its own is played by that of its nearest kin
    let of_kin = [("kilo", "opencode"), ("kimi", "claude")];
    let own = siderail_testkit::shape::NAMES.map(|shape| (shape, shape));
    for (profile, shape) in own.into_iter().chain(of_kin) {
        let place = Place::new();
        let steps = "{ say = \"I look.\" }, { call = \"intellij_write_file\", arguments = { path = \"a\", content = \"x\" } }, \
                     { say = \"It is four.\" }";
        let agent = agent(&place, shape, steps);
        let words = [
            "run",
            "-q",
            "--agent",
            profile,
            "--agent-command",
            &agent,
            "--hide",
            "off",
            "--agent-env",
            "GEMINI_API_KEY=x",
            "go",
        ];
        let ended = place.run(&words);
        assert_eq!(ended.out, "It is four.\n", "{profile}: {ended:?}");
        let at = |text: &str| ended.err.find(text);
        assert!(at("I look.").is_some(), "{profile}: {ended:?}");
        assert!(
            at("I look.") < at("intellij_write_file"),
            "{profile}: {ended:?}"
        );
        assert_eq!(ended.code, Some(0), "{profile}: {ended:?}");
    }
}

#[test]
fn an_error_that_comes_as_the_answer_fails_the_run() {
    const UNAUTHORIZED: &str =
        "Error: Authentication failed with provider at http://x/v1 (HTTP 401).";
    const DOWN: &str = "Error: Failed to get response from the AI model; retried 5 times";
    let note = "{ say = \"Info: Request failed. Retrying...\" }";
    let say = |text: &str| format!("{note}, {{ say = \"{text}\" }}");
    let write = "{ call = \"intellij_write_file\", arguments = { path = \"a\", content = \"x\" } }";
    for (steps, code) in [
        (say(UNAUTHORIZED), 7),
        (say(DOWN), 4),
        (say(&format!("It says: {UNAUTHORIZED}")), 0),
        (format!("{write}, {}", say(UNAUTHORIZED)), 0),
    ] {
        let place = Place::new();
        let agent = agent(&place, "copilot", &steps);
        let words = [
            "run",
            "--agent",
            "copilot",
            "--agent-command",
            &agent,
            "--hide",
            "off",
            "go",
        ];
        let ended = place.run(&words);
        assert_eq!(ended.code, Some(code), "{steps}: {ended:?}");
        let quiet = place.run(&[&["run", "-q"], &words[1..]].concat());
        assert_eq!(quiet.code, Some(code), "{steps}: {quiet:?}");
        assert_eq!(quiet.out.is_empty(), code != 0, "{steps}: {quiet:?}");
        assert_eq!(
            quiet.err.contains("siderail agents login copilot"),
            code == 7,
            "{quiet:?}"
        );
    }
}

#[test]
fn options_without_a_command_are_those_of_a_chat() {
    let place = Place::new();
    let agent = agent(&place, "copilot", "{ say = \"It is four.\" }");
    let words = [
        "--agent",
        "copilot",
        "--agent-command",
        &agent,
        "--hide=off",
    ];
    let ended = place.run_with(&words, b"go\n");
    assert!(ended.out.contains("It is four."), "{ended:?}");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let ended = place.run(&["--unknown"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(
        ended.err.contains("unexpected argument '--unknown'"),
        "{ended:?}"
    );
}

#[test]
fn a_prompt_comes_from_a_pipe_or_from_where_a_hyphen_stands() {
    for (words, input, prompt) in [
        (&[][..], "first\n", "first"),
        (&["-"], "first\n", "first"),
        (&["Review:", "-"], "a\nb\n", "Review: a\nb"),
    ] {
        let place = Place::new();
        let agent = agent(&place, "copilot", "{ say = \"Done.\" }");
        let all = [
            "run",
            "--json",
            "--agent",
            "copilot",
            "--agent-command",
            &agent,
        ];
        let all: Vec<&str> = all.into_iter().chain(words.iter().copied()).collect();
        let ended = place.run_with(&all, input.as_bytes());
        let lines = ended.lines();
        let turn = lines.iter().find(|line| line["event"] == "TURN_STARTED");
        assert_eq!(turn.expect("a turn")["text"], prompt, "{ended:?}");
    }
}

#[test]
fn what_was_denied_because_nobody_could_be_asked_ends_with_8() {
    let place = Place::new();
    let agent = agent(
        &place,
        "copilot",
        "{ shell = \"touch made\", description = \"Make it\" }, { say = \"Done.\" }",
    );
    let words = |more: &[&'static str]| {
        let words = [
            "run",
            "--agent",
            "copilot",
            "--agent-command",
            &agent,
            "--hide",
            "off",
        ];
        let words: Vec<String> = words
            .iter()
            .chain(more)
            .map(|word| (*word).to_owned())
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        place.run(&words)
    };
    let unanswered = words(&["go"]);
    assert!(
        unanswered.err.contains("hint: ") && unanswered.err.contains("--answer allow"),
        "{unanswered:?}"
    );
    let rejected = words(&["--plan", "--answer", "deny", "go"]);
    assert_eq!(rejected.code, Some(8), "{rejected:?}");
    assert!(
        rejected.err.contains("`--answer deny` rejects every plan")
            && !rejected.err.contains("nobody could be asked"),
        "{rejected:?}"
    );
    let words = |more: &[&'static str]| words(more).code;
    assert_eq!(unanswered.code, Some(8));
    assert_eq!(
        words(&["--answer", "deny", "go"]),
        Some(0),
        "somebody has decided"
    );
    assert_eq!(words(&["--json", "go"]), Some(0));
    assert_eq!(
        words(&["--plan", "go"]),
        Some(8),
        "nobody approved the plan"
    );
}

/// Puts a program of this name on a path of its own.
pub(crate) fn install(place: &Place, names: &[&str]) -> String {
    let folder = place.path("bin");
    std::fs::create_dir_all(&folder).expect("made");
    for name in names {
        let file = folder.join(name);
        std::fs::write(&file, "#!/bin/sh\nexit 1\n").expect("written");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("set");
    }
    folder.to_str().expect("text").to_owned()
}

#[test]
fn the_agent_is_the_one_that_is_set_or_the_only_one_that_is_installed() {
    let place = Place::new();
    let run = |path: &str, variable: &str| {
        let mut command = place.siderail(&["run", "go"]);
        command.env("PATH", path).env("SIDERAIL_AGENT", variable);
        if variable.is_empty() {
            command.env_remove("SIDERAIL_AGENT");
        }
        let output = command.output().expect("it runs");
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let (code, said) = run(&install(&place, &[]), "");
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("no agent was named, and none is installed"),
        "{said}"
    );
    let path = install(&place, &["gemini"]);
    let (_, said) = run(&path, "");
    assert!(
        said.contains("using gemini, the only agent installed"),
        "{said}"
    );
    let path = install(&place, &["copilot"]);
    let (code, said) = run(&path, "");
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("installed: copilot, gemini"), "{said}");
    let (_, said) = run(&path, "gemni");
    assert!(said.contains("did you mean `gemini`?"), "{said}");
    let (code, said) = run(&path, "nobody");
    assert_eq!(code, Some(2));
    assert!(said.contains("there is no agent named `nobody`"), "{said}");
    place.config("agent = \"somebody\"\n");
    assert!(
        run(&path, "")
            .1
            .contains("there is no agent named `somebody`")
    );
}

#[test]
fn siderail_alone_opens_a_chat_at_a_terminal() {
    let place = Place::new();
    let piped = place.run(&[]);
    assert_eq!(piped.code, Some(2), "{piped:?}");
    assert!(piped.err.contains("Usage: siderail"), "{piped:?}");
    let path = install(&place, &["gemini", "copilot"]);
    let mut terminal = Terminal::start(&place, &[], &[("PATH", &path)]);
    terminal.until("  2  gemini");
    terminal.until("[1 to 2; Enter to cancel]");
    terminal.keys("\n");
    terminal.until("no agent was chosen");
    assert_eq!(terminal.end_cooked(), Some(6));
}

#[test]
fn a_shell_gets_its_completions() {
    for shell in ["bash", "zsh", "fish"] {
        let ended = Place::new().run(&["completions", shell]);
        assert_eq!(ended.code, Some(0));
        assert!(
            ended.out.contains("siderail") && ended.out.contains("continue"),
            "{shell}"
        );
    }
}
