//! Wrong usage ends with 2 and says what to do.

use crate::process::Place;

fn check(words: &[&str], expected: &[&str]) {
    let ended = Place::new().run(words);
    assert_eq!(ended.code, Some(2), "{words:?}: {ended:?}");
    assert_eq!(ended.out, "", "{words:?} prints nothing on standard output");
    for text in expected {
        assert!(
            ended.err.contains(text),
            "{words:?} should say {text:?}: {}",
            ended.err
        );
    }
}

#[test]
fn words_that_are_no_command_are_refused() {
    check(&[], &["Usage: siderail [COMMAND]"]);
    check(&["fly"], &["unrecognized subcommand 'fly'", "--help"]);
    check(
        &["run", "--agent", "claude", "--fast", "hi"],
        &["unexpected argument '--fast'"],
    );
    check(&["guard"], &["Usage: siderail guard <COMMAND>"]);
    check(&["demo", "now"], &["unexpected argument 'now'"]);
}

#[test]
fn a_run_without_agent_or_prompt_is_refused() {
    check(
        &["run", "--agent", "claude"],
        &["error: the prompt is empty"],
    );
    check(
        &["run", "--agent", "claude", "  "],
        &["error: the prompt is empty", "hint: "],
    );
}

#[test]
fn a_run_with_wrong_values_names_the_flag_and_the_way_out() {
    let unknown = [
        "error: there is no agent named `nobody`",
        "hint: known agents are claude, codex",
    ];
    check(&["run", "--agent", "nobody", "hi"], &unknown);
    check(
        &["run", "--agent", "claude", "--policy", "strict", "hi"],
        &["--policy", "redirect"],
    );
    check(
        &["run", "--agent", "claude", "--hide", "maybe", "hi"],
        &["--hide", "on, off"],
    );
    check(
        &["run", "--agent", "claude", "--timeout", "0", "hi"],
        &["error: --timeout `0`", "hint: "],
    );
    check(
        &["run", "--agent", "x", "--agent-command", "a 'b", "hi"],
        &[
            "error: --agent-command cannot be split into words: the quote ' is not closed",
            "hint: ",
        ],
    );
    check(
        &[
            "run",
            "--agent",
            "claude",
            "--project",
            "/no/such/place",
            "hi",
        ],
        &[
            "error: the project folder /no/such/place cannot be used",
            "hint: ",
        ],
    );
    check(
        &[
            "run",
            "--agent",
            "claude",
            "--agents-file",
            "missing.toml",
            "hi",
        ],
        &["missing.toml cannot be read", "hint: "],
    );
}

#[test]
fn a_broken_profile_is_named_with_its_place_and_costs_only_its_own_agent() {
    let place = Place::new();
    let file = place.path("bad.toml");
    let text =
        "[[agent]]\nname = \"good\"\nprogram = \"sh\"\n[[agent]]\nname = \"claude\"\nhide = 7\n";
    std::fs::write(&file, text).unwrap();
    let run =
        |words: &[&str]| place.run(&[words, &["--agents-file", file.to_str().unwrap()]].concat());
    let told = "bad.toml:6:8: the agent `claude` cannot be used: invalid type: integer `7`";
    let ended = run(&["agents"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.err.contains(told), "{}", ended.err);
    let line = |name: &str| {
        let found = ended.out.lines().find(|line| line.starts_with(name));
        found.unwrap_or_else(|| panic!("{name}: {}", ended.out))
    };
    assert!(line("good ").contains("found"));
    assert!(line("claude ").contains("unusable") && line("claude ").contains("bad.toml:6:8: "));
    let ended = run(&["run", "--agent", "claude", "hi"]);
    assert_eq!(ended.code, Some(3), "{ended:?}");
    assert!(
        ended.err.contains("the agent `claude` cannot be used: ") && ended.err.contains("hint: ")
    );
    let other = run(&["run", "--agent", "good", "--timeout", "5", "hi"]);
    assert!(
        !other.err.contains("hint: correct the file"),
        "{}",
        other.err
    );
}

#[test]
fn settings_from_the_environment_are_checked() {
    let place = Place::new();
    let mut command = place.siderail(&["agents"]);
    let output = command
        .env("SIDERAIL_DENY_THRESHOLD", "many")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stderr).unwrap();
    let told = "SIDERAIL_DENY_THRESHOLD: `deny_threshold` is `many`; `1` is in force";
    assert!(text.contains(told), "{text}");
}

#[test]
fn a_runtime_folder_of_somebody_else_is_not_used() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let open = place.path("run/siderail");
    std::fs::create_dir(&open).unwrap();
    std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o777)).unwrap();
    let ended = place.run(&["demo"]);
    assert_eq!(
        ended.code,
        Some(0),
        "another private folder serves: {ended:?}"
    );
    assert_eq!(
        place.left_behind().len(),
        0,
        "nothing was put into the open folder"
    );
}

#[test]
fn a_further_folder_that_is_missing_is_not_blamed_on_the_project() {
    let words = ["run", "--agent", "claude", "--add-dir", "/nope", "hi"];
    let ended = Place::new().run(&words);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.err.contains("--add-dir"), "{ended:?}");
    assert!(!ended.err.contains("project"), "{ended:?}");
}
