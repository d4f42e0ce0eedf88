//! Flags as they are typed, and what they come to.

use super::*;
use crate::args::{Command, Typed};
use clap::Parser;

fn run(cwd: &Path, asks: bool, words: &[&str]) -> Result<RunOptions, Failure> {
    let line = ["siderail", "run"].iter().chain(words);
    let Some(Command::Run(args)) = Typed::try_parse_from(line).unwrap().command else {
        panic!("not a run");
    };
    let agents = ["claude".to_owned(), "gemini".to_owned()];
    let sources = siderail_engine::settings::Sources {
        flags: flags(&args),
        ..Default::default()
    };
    let resolved = siderail_engine::settings::resolve(&sources);
    understand(
        *args,
        &Surroundings {
            cwd,
            asks,
            talks: false,
            agents: &agents,
            settings: &resolved.settings,
        },
    )
}

fn refused(words: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), false, words).unwrap_err().to_string()
}

#[test]
fn flags_become_what_the_engine_needs() {
    let folder = tempfile::tempdir().unwrap();
    let cwd = folder.path().canonicalize().unwrap();
    std::fs::create_dir(cwd.join("p")).unwrap();
    let words = [
        "--agent",
        "mine",
        "--agent-command",
        "sh -c 'x y'",
        "--agent-env",
        "A=b=c",
        "--agent-env",
        "E=",
        "--project",
        "p",
        "--policy",
        "yolo",
        "--hide",
        "off",
        "--consent",
        "claude",
        "--mode",
        "ask",
        "--answer",
        "allow",
        "--json",
        "--trace",
        "t.jsonl",
        "--timeout",
        "1.5",
        "fix",
        "it",
    ];
    let options = run(&cwd, true, &words).unwrap();
    let session = &options.session;
    assert_eq!(
        session.agent_command.as_deref().unwrap(),
        ["sh", "-c", "x y"]
    );
    assert_eq!(session.agent_env["A"], "b=c");
    assert_eq!(session.agent_env["E"], "");
    assert_eq!(session.project, cwd.join("p"));
    assert_eq!(
        (session.settings.policy.as_str(), session.settings.hide),
        ("yolo", false)
    );
    assert_eq!(session.settings.consent, ["claude"]);
    assert_eq!(session.settings.mode.of("copilot"), Some("ask"));
    assert_eq!(session.answer, Some(true));
    assert_eq!(session.trace, Some(cwd.join("t.jsonl")));
    assert_eq!(options.prompt, "fix it");
    assert_eq!(options.timeout, Some(Duration::from_millis(1500)));
}

#[test]
fn prompt_without_a_terminal_means_that_nobody_answers() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["--agent", "claude", "hi"];
    let with = run(folder.path(), true, &words).unwrap();
    assert_eq!((with.answers, with.session.answer), (Answers::Person, None));
    let without = run(folder.path(), false, &words).unwrap();
    assert_eq!(
        (without.answers, without.session.answer),
        (Answers::Nobody, None)
    );
    let deny = run(
        folder.path(),
        true,
        &["--agent", "claude", "--answer", "deny", "hi"],
    );
    let deny = deny.unwrap();
    assert_eq!(
        (deny.answers, deny.session.answer),
        (Answers::Engine, Some(false))
    );
}

#[test]
fn wrong_flags_are_named_with_what_to_do() {
    let unknown = refused(&["--agent", "nobody", "hi"]);
    assert!(
        unknown.contains("`nobody`") && unknown.contains("claude, gemini"),
        "{unknown}"
    );
    let consent = refused(&["--agent", "claude", "--consent", "clode", "hi"]);
    assert!(consent.contains("`clode`"), "{consent}");
    assert!(refused(&["--agent", "claude", " "]).contains("the prompt is empty"));
    let env = refused(&["--agent", "claude", "--agent-env", "=x", "hi"]);
    assert!(env.contains("--agent-env `=x`"), "{env}");
    let command = refused(&["--agent", "x", "--agent-command", "a 'b", "hi"]);
    assert!(command.contains("quote ' is not closed"), "{command}");
    for timeout in ["0", "-1", "soon", "NaN", "inf", "1e300"] {
        let timeout = format!("--timeout={timeout}");
        let text = refused(&["--agent", "claude", &timeout, "hi"]);
        assert!(text.contains("--timeout `"), "{text}");
    }
    let project = refused(&["--agent", "claude", "--project", "nowhere", "hi"]);
    assert!(project.contains("nowhere cannot be used"), "{project}");
    let trace = refused(&["--agent", "claude", "--trace", "nowhere/t", "hi"]);
    assert!(trace.contains("nowhere/t"), "{trace}");
}
