//! Agents that are not installed: nothing is run out of a registry that nobody has agreed to.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::process::{Ended, Place};
use crate::terminal::Terminal;

const COMMAND: &str = "npx -y --package=@github/copilot@1.0.102 -- copilot --acp --stdio";

/// A place where the only program beside the system's is an npx that notes how it is called, and is Copilot.
fn place() -> Place {
    let place = Place::new();
    fs::create_dir(place.path("bin")).expect("a new folder");
    let npx = format!(
        "#!/bin/sh\necho \"npx $*\" >> '{}'\ncase \"$*\" in *--acp*) exec '{}' scripted-agent --shape copilot;; esac\n",
        place.path("ran").display(),
        env!("CARGO_BIN_EXE_siderail"),
    );
    let program = place.path("bin/npx");
    fs::write(&program, npx).expect("written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it may run");
    place
}

fn path(place: &Place) -> String {
    format!("{}:/bin", place.path("bin").display())
}

fn run(place: &Place, words: &[&str]) -> Ended {
    let mut command = place.siderail(words);
    Ended::of(
        command
            .env("PATH", path(place))
            .output()
            .expect("it starts"),
    )
}

/// Puts a `node` there.
fn node(place: &Place, script: &str) {
    let program = place.path("bin/node");
    fs::write(&program, script).expect("written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it may run");
}

fn ran(place: &Place) -> String {
    fs::read_to_string(place.path("ran")).unwrap_or_default()
}

#[test]
fn without_a_terminal_nothing_is_run_and_what_to_do_is_said() {
    let place = place();
    for answer in ["prompt", "allow"] {
        let words = [
            "run", "--agent", "copilot", "--answer", answer, "--json", "hi",
        ];
        let ended = run(&place, &words);
        assert_eq!(ended.code, Some(3), "{ended:?}");
        for text in [
            "npm install -g @github/copilot",
            COMMAND,
            "siderail agents fetch copilot",
        ] {
            assert!(ended.err.contains(text), "{text}: {}", ended.err);
        }
        assert!(
            ended
                .out
                .trim_end()
                .lines()
                .next_back()
                .is_some_and(|line| line.contains("SUMMARY"))
        );
    }
    assert_eq!(ran(&place), "");
}

#[test]
fn a_package_that_was_fetched_is_run_in_that_version_until_it_is_taken_back() {
    let place = place();
    let fetched = run(&place, &["agents", "fetch", "copilot"]);
    assert_eq!(fetched.code, Some(0), "{fetched:?}");
    assert!(fetched.out.contains(COMMAND), "{}", fetched.out);
    let words = ["run", "--agent", "copilot", "hi"];
    assert_eq!(run(&place, &words).code, Some(0));
    assert!(
        ran(&place).lines().any(|line| line.starts_with(COMMAND)),
        "{}",
        ran(&place)
    );
    let doctor = run(&place, &["doctor", "copilot"]);
    assert!(!doctor.out.contains("not found"), "{}", doctor.out);
    let untrusted = run(&place, &["agents", "untrust", "copilot"]);
    assert!(
        untrusted.out.contains("no longer runs from its package"),
        "{untrusted:?}"
    );
    assert_eq!(run(&place, &words).code, Some(3));
}

#[test]
fn a_package_that_cannot_be_downloaded_is_not_agreed_to() {
    let place = place();
    fs::write(place.path("bin/npx"), "#!/bin/sh\nexit 1\n").expect("written");
    let fetched = run(&place, &["agents", "fetch", "copilot"]);
    assert_eq!(fetched.code, Some(3), "{fetched:?}");
    assert_eq!(
        run(&place, &["run", "--agent", "copilot", "hi"]).code,
        Some(3)
    );
}

#[test]
fn a_terminal_is_asked_once_and_a_no_runs_nothing() {
    let place = place();
    let path = path(&place);
    let words = ["run", "--agent", "copilot", "hi"];
    let start = || Terminal::start(&place, &words, &[("PATH", &path)]);
    let mut terminal = start();
    terminal.until(COMMAND);
    terminal.until("[y/N]");
    terminal.keys("\r");
    terminal.until("npm install -g @github/copilot");
    assert_eq!(terminal.end().0, Some(3));
    assert_eq!(ran(&place), "");
    let mut terminal = start();
    terminal.until("[y/N]");
    terminal.keys("y\r");
    assert_eq!(terminal.end().0, Some(0));
    let (code, seen) = start().end();
    assert_eq!(code, Some(0), "{seen}");
    assert!(!seen.contains("[y/N]"), "{seen}");
    assert_eq!(ran(&place).lines().count(), 2);
}

#[test]
fn a_node_that_is_too_old_is_said_before_anything_is_asked_or_downloaded() {
    let place = place();
    for script in ["#!/bin/sh\necho v20.19.1\n", "#!/bin/sh\nexit 1\n"] {
        node(&place, script);
        for words in [
            &["agents", "fetch", "codex"][..],
            &["run", "--agent", "codex", "hi"],
        ] {
            let ended = run(&place, words);
            assert_eq!(ended.code, Some(3), "{ended:?}");
            assert!(
                ended.err.contains("codex needs Node 22 or later"),
                "{ended:?}"
            );
        }
    }
    assert_eq!(ran(&place), "");
    node(&place, "#!/bin/sh\necho v22.0.0\n");
    let fetched = run(&place, &["agents", "fetch", "codex"]);
    assert_eq!(fetched.code, Some(0), "{fetched:?}");
}

#[test]
fn an_acp_client_is_told_of_a_node_that_is_too_old() {
    let place = place();
    node(&place, "#!/bin/sh\necho v20.19.1\n");
    let mut command = place.siderail(&["acp", "--agent", "codex"]);
    command.env("PATH", path(&place)).stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut face = command.spawn().expect("it starts");
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}"#;
    let mut input = face.stdin.take().expect("a pipe");
    writeln!(input, "{hello}").expect("it reads");
    let mut answer = String::new();
    let mut output = BufReader::new(face.stdout.take().expect("a pipe"));
    output.read_line(&mut answer).expect("it answers");
    drop(input);
    let ended = Ended::of(face.wait_with_output().expect("it ends"));
    assert!(
        answer.contains("needs Node 22 or later"),
        "{answer}{ended:?}"
    );
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

#[test]
fn a_node_that_never_says_its_version_holds_nobody_up_for_long() {
    let place = place();
    node(&place, "#!/bin/sh\nsleep 100\n");
    let started = Instant::now();
    let fetched = run(&place, &["agents", "fetch", "codex"]);
    assert_eq!(fetched.code, Some(0), "{fetched:?}");
    assert!(
        fetched.err.contains("s for `node --version`"),
        "{fetched:?}"
    );
    assert!(started.elapsed() < Duration::from_secs(60));
}

#[test]
fn a_download_says_where_to_go_on_and_nothing_of_the_runner_itself() {
    let place = place();
    let npx = "#!/bin/sh\n[ \"$npm_config_loglevel\" = error ] || echo 'npm warn noise' >&2\n\
               case \"$*\" in *--version*) echo v22.0.0;; esac\n";
    fs::write(place.path("bin/npx"), npx).expect("written");
    let fetched = run(&place, &["agents", "fetch", "copilot"]);
    let said = "Downloading copilot; this may take a few minutes.\n";
    assert_eq!((fetched.code, fetched.err.as_str()), (Some(0), said));
    assert_eq!(fetched.out.lines().count(), 1, "{}", fetched.out);
}
