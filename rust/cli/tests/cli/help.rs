//! `--help` of each command is what is checked in under `tests/help`.
//!
//! After a wanted change run the tests with `SIDERAIL_BLESS=1` and read the difference.

use crate::process::Place;

fn check(name: &str, words: &[&str]) {
    let ended = Place::new().run(&[words, &["--help"]].concat());
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{name}");
    // the help pads some empty lines, which no file should
    let text: String = ended
        .out
        .lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect();
    let file = format!("{}/tests/help/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("SIDERAIL_BLESS").is_some() {
        std::fs::write(&file, &text).expect("the file can be written");
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(
        text, expected,
        "{file} is not what `{words:?} --help` prints"
    );
}

#[test]
fn the_help_of_every_command_is_as_checked_in() {
    check("siderail", &[]);
    check("run", &["run"]);
    check("chat", &["chat"]);
    check("history", &["history"]);
    for command in ["list", "show", "search", "export", "remove"] {
        check(&format!("history-{command}"), &["history", command]);
    }
    check("demo", &["demo"]);
    check("agents", &["agents"]);
    check("agents-fetch", &["agents", "fetch"]);
    check("agents-login", &["agents", "login"]);
    check("agents-untrust", &["agents", "untrust"]);
    check("doctor", &["doctor"]);
    check("init", &["init"]);
    check("config", &["config"]);
    for command in ["path", "edit", "get", "set"] {
        check(&format!("config-{command}"), &["config", command]);
    }
    check("policy", &["policy"]);
    check("policy-show", &["policy", "show"]);
    check("policy-list", &["policy", "list"]);
    check("policy-revoke", &["policy", "revoke"]);
    check("acp", &["acp"]);
    check("acp-config", &["acp", "config"]);
    check("mcp", &["mcp"]);
    check("guard", &["guard"]);
    check("guard-explain", &["guard", "explain"]);
    check("trace", &["trace"]);
    check("trace-show", &["trace", "show"]);
    check("trace-replay", &["trace", "replay"]);
    check("completions", &["completions"]);
    check("man", &["man"]);
}

#[test]
fn each_command_has_a_manual_page_and_a_folder_that_cannot_be_made_is_named() {
    let place = crate::process::Place::new();
    let ended = place.run(&["man", "pages"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let page = |name: &str| std::fs::read_to_string(place.project().join("pages").join(name));
    let run = page("siderail-run.1").expect("the page of `run`");
    assert!(run.contains("Send one prompt"), "{run}");
    assert!(page("siderail-acp-config.1").is_ok() && page("siderail.1").is_ok());
    std::fs::write(place.project().join("file"), "").expect("written");
    let ended = place.run(&["man", "file/pages"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.err.contains("file/pages"), "{ended:?}");
}

#[test]
fn every_command_that_is_listed_shows_an_example() {
    let place = Place::new();
    let list = place.run(&["--help"]).out;
    let listed = list
        .split("Commands:\n")
        .nth(1)
        .unwrap()
        .split("\n\n")
        .next()
        .unwrap();
    let names = listed
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names: Vec<&str> = names
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(
        names,
        [
            "run",
            "chat",
            "history",
            "demo",
            "agents",
            "doctor",
            "init",
            "config",
            "policy",
            "acp",
            "mcp",
            "guard",
            "trace",
            "completions",
            "man"
        ]
    );
    for name in names {
        let text = place.run(&[name, "--help"]).out;
        assert!(text.contains("Example"), "{name} has no example: {text}");
    }
}

#[test]
fn the_version_is_printed() {
    let ended = Place::new().run(&["--version"]);
    assert_eq!(
        ended.out,
        format!("siderail {}\n", env!("CARGO_PKG_VERSION"))
    );
}
