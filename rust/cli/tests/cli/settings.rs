//! Settings as people meet them: files, variables and flags, and what a project's file cannot do.

use serde_json::Value;

use crate::process::{Ended, Place};

fn project_settings(place: &Place, text: &str) {
    std::fs::write(place.project().join(".siderail.toml"), text).expect("it can be written");
}

fn shown(place: &Place) -> Value {
    let ended = place.run(&["policy", "show", "--json"]);
    let shown = ended.lines().remove(0);
    let is_right = shown["problems"].as_array().is_some_and(Vec::is_empty);
    let expected = if is_right { 0 } else { 2 };
    assert_eq!(ended.code, Some(expected), "{ended:?}");
    shown
}

/// A run of the scripted agent with these settings files; its first event.
fn started(place: &Place, more: &[&str]) -> (Ended, Value) {
    let script = "shape = \"copilot\"\n[[prompt]]\nstep = [{ say = \"Hello.\" }]\n";
    std::fs::write(place.path("script.toml"), script).expect("it can be written");
    let agent = format!(
        "'{}' scripted-agent --script '{}'",
        env!("CARGO_BIN_EXE_siderail"),
        place.path("script.toml").display()
    );
    let words = ["run", "--agent", "copilot", "--agent-command", &agent];
    let ended = place.run(&[&words[..], &["--json"], more, &["hi"]].concat());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let first = ended.lines().remove(0);
    assert_eq!(first["event"], "SESSION_STARTED");
    (ended, first)
}

#[test]
fn every_setting_is_shown_with_where_it_comes_from() {
    let place = Place::new();
    place.config("policy = \"ask\"\nconsent = [\"openhands\"]\nhide = false\n");
    project_settings(&place, "hide = true\n");
    let mut command = place.siderail(&["policy", "show"]);
    let ended = Ended::of(
        command
            .env("SIDERAIL_INACTIVITY_S", "60")
            .output()
            .expect("it runs"),
    );
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
    let line = |name: &str| {
        let found = ended.out.lines().find(|line| line.starts_with(name));
        found.unwrap_or_else(|| panic!("{name}: {}", ended.out))
    };
    assert!(line("policy ").contains("ask") && line("policy ").ends_with("config.toml"));
    assert!(line("hide ").contains("on") && line("hide ").ends_with(".siderail.toml"));
    assert!(line("inactivity_s ").ends_with("SIDERAIL_INACTIVITY_S"));
    assert!(line("deny_threshold ").ends_with("default"));
    assert!(line("consent ").contains("openhands"));
    assert!(line("settings file ").ends_with("home/.config/siderail/config.toml"));
    assert!(line("state folder ").ends_with("home/.local/state/siderail"));
}

#[test]
fn a_run_follows_settings_and_a_flag_wins() {
    let place = Place::new();
    place.config("policy = \"observe\"\n");
    assert_eq!(started(&place, &[]).1["policy"], "observe");
    assert_eq!(started(&place, &["--policy", "ask"]).1["policy"], "ask");
}

#[test]
fn a_project_cannot_loosen_a_run_and_the_person_is_told() {
    let place = Place::new();
    project_settings(&place, "policy = \"yolo\"\nhide = false\n");
    let (ended, first) = started(&place, &[]);
    assert_eq!(first["policy"], "redirect");
    assert!(
        ended.lines().iter().any(|line| line["event"] == "HIDDEN"),
        "{ended:?}"
    );
    for word in ["policy = yolo", "hide = off", "stays in force"] {
        assert!(ended.err.contains(word), "{word}: {}", ended.err);
    }
}

#[test]
fn a_project_tightens_a_run() {
    let place = Place::new();
    place.config("policy = \"yolo\"\nhide = false\n");
    project_settings(&place, "policy = \"ask\"\nhide = true\n");
    let (ended, first) = started(&place, &[]);
    assert_eq!(
        first["policy"], "redirect",
        "denies like yolo, asks like ask"
    );
    assert!(ended.lines().iter().any(|line| line["event"] == "HIDDEN"));
}

#[test]
fn a_project_file_that_nobody_understands_is_named_and_counts_as_the_strictest() {
    for broken in ["agent_command = \"evil\"", "hide = ["] {
        let place = Place::new();
        place.config("policy = \"yolo\"\nhide = false\n");
        project_settings(&place, broken);
        let (ended, first) = started(&place, &[]);
        assert_eq!(first["policy"], "redirect", "{broken}");
        for word in [
            "error: ",
            ".siderail.toml:1:",
            "strictest",
            "hint: expected ",
        ] {
            assert!(ended.err.contains(word), "{broken}: {}", ended.err);
        }
        let shown = shown(&place);
        assert_eq!(shown["settings"]["hide"]["value"], true);
        assert!(shown["project_broken"].is_string(), "{shown}");
    }
}

#[test]
fn a_broken_setting_of_a_project_is_named_and_takes_no_other_along() {
    for (broken, policy) in [
        ("policy = \"lax\"", "redirect"),
        ("consent = [\"openhands\"]", "yolo"),
    ] {
        let place = Place::new();
        place.config("policy = \"yolo\"\nhide = false\n");
        project_settings(&place, broken);
        let (ended, first) = started(&place, &[]);
        assert_eq!(first["policy"], policy, "{broken}");
        for word in ["error: ", ".siderail.toml:1:", "hint: expected "] {
            assert!(ended.err.contains(word), "{broken}: {}", ended.err);
        }
        assert_eq!(shown(&place)["settings"]["hide"]["value"], false);
    }
}

#[test]
fn a_project_file_that_is_a_pipe_or_endless_stops_nothing() {
    let place = Place::new();
    let file = place.project().join(".siderail.toml");
    std::process::Command::new("mkfifo")
        .arg(&file)
        .status()
        .expect("mkfifo");
    assert_eq!(shown(&place)["settings"]["policy"]["value"], "redirect");
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
    assert!(shown(&place)["project_broken"].is_string());
    std::fs::remove_file(&file).unwrap();
    std::fs::write(&file, "#".repeat(100_000)).unwrap();
    assert!(shown(&place)["project_broken"].is_string());
}

#[test]
fn a_mistake_in_ones_own_settings_is_named_and_ends_no_command() {
    let place = Place::new();
    place.config("polcy = \"ask\"\nhide = 3\ndeny_threshold = 7\n");
    let expected = [
        "config.toml:1:9: there is no setting named `polcy`; it has no effect",
        "config.toml:2:8: `hide` is 3; `on` is in force",
        "hint: expected true or false",
    ];
    for (words, code) in [
        (&["policy", "show"][..], 2),
        (&["agents"], 0),
        (&["mcp"], 0),
    ] {
        let ended = place.run(words);
        assert_eq!(ended.code, Some(code), "{words:?}: {ended:?}");
        for text in expected {
            assert!(ended.err.contains(text), "{words:?}: {}", ended.err);
        }
    }
    let (ended, _) = started(&place, &[]);
    assert!(ended.err.contains(expected[1]), "{}", ended.err);
    assert_eq!(shown(&place)["settings"]["deny_threshold"]["value"], 7);
}

#[test]
fn a_name_that_means_nothing_is_told_and_costs_nothing() {
    let place = Place::new();
    let show = |name: &str| {
        let mut command = place.siderail(&["policy", "show"]);
        let output = command.env(name, "ask").output().expect("it starts");
        Ended::of(output)
    };
    let ended = show("SIDERAIL_POLCY");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for word in ["note: ", "SIDERAIL_POLCY", "SIDERAIL_POLICY"] {
        assert!(ended.err.contains(word), "{word}: {}", ended.err);
    }
    assert_eq!(show("SIDERAIL_POLICY").err, "");
    place.config("consent = [\"clode\"]\nmode = { codx = \"x\"}\n");
    let (ended, _) = started(&place, &[]);
    for name in ["agent `clode`", "agent `codx`"] {
        assert!(ended.err.contains(name), "{name}: {}", ended.err);
    }
    let known = "consent = [\"codex\"]\nmode = { codex = \"x\" }\n";
    place.config(known);
    let (ended, _) = started(&place, &[]);
    assert!(!ended.err.contains("not known"), "{}", ended.err);
}

#[test]
fn a_tool_that_is_switched_off_is_not_offered() {
    let place = Place::new();
    place.config("tools_off = [\"git_diff\"]\n");
    let input = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\
                 \"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}\n\
                 {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n\
                 {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}\n";
    let ended = place.run_with(&["mcp"], input.as_bytes());
    let listed = &ended.lines()[1]["result"]["tools"];
    let names: Vec<&str> = listed
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert!(names.contains(&"intellij_read_file"), "{names:?}");
    assert!(!names.contains(&"git_diff"), "{names:?}");
}

/// Who allowed the agent's shell to run this under `yolo`, if anybody.
fn yolo(place: &Place, command: &str) -> Vec<Value> {
    let script = format!(
        "shape = \"copilot\"\n[[prompt]]\nstep = [{{ shell = \"{command}\", description = \"Do it\" }}]\n"
    );
    std::fs::write(place.path("script.toml"), script).expect("written");
    let agent = format!(
        "'{}' scripted-agent --script '{}'",
        env!("CARGO_BIN_EXE_siderail"),
        place.path("script.toml").display()
    );
    let words = ["run", "--agent", "copilot", "--agent-command", &agent];
    let more = ["--hide", "off", "--policy", "yolo", "--json", "go"];
    let ended = place.run(&[&words[..], &more].concat());
    let lines = ended.lines().into_iter();
    let approved = lines.filter(|line| line["event"] == "PERMISSION_APPROVED");
    approved.map(|line| line["by"].clone()).collect()
}

#[test]
fn yolo_allows_what_is_dangerous_only_where_the_user_says_so_and_no_protected_file() {
    const DANGEROUS: &str = "git push --force";
    let place = Place::new();
    assert!(yolo(&place, DANGEROUS).is_empty());
    place.config("yolo_dangerous = true\n");
    assert_eq!(yolo(&place, DANGEROUS), ["policy"]);
    assert!(yolo(&place, "rm -rf .git").is_empty());
    project_settings(&place, "yolo_dangerous = false\n");
    assert!(yolo(&place, DANGEROUS).is_empty(), "the project tightens");
}

#[test]
fn the_settings_that_the_usage_page_shows_are_all_there_are_and_can_be_used() {
    let usage = include_str!("../../../../docs/usage.md");
    let block = usage
        .lines()
        .skip_while(|line| !line.starts_with("    policy = "))
        .take_while(|line| line.starts_with("    "));
    let text: Vec<&str> = block.map(str::trim).collect();
    let place = Place::new();
    place.config(&text.join("\n"));
    let shown = shown(&place);
    for (name, setting) in shown["settings"].as_object().unwrap() {
        let origin = setting["origin"].as_str().unwrap();
        assert!(
            origin.ends_with("config.toml"),
            "the page on usage lacks {name}"
        );
    }
}

#[test]
fn the_note_about_a_project_that_loosens_says_what_is_really_in_force() {
    let place = Place::new();
    project_settings(&place, "policy = \"yolo\"\n");
    let mut command = place.siderail(&["policy", "show"]);
    command.env("SIDERAIL_POLICY", "ask");
    let ended = crate::process::Ended::of(command.output().unwrap());
    let note = "can only make your settings stricter; `ask` is in force, from SIDERAIL_POLICY";
    assert!(ended.err.contains(note), "{}", ended.err);
}
