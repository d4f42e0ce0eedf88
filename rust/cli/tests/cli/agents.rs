//! `siderail agents`: what is known without starting anything.

use std::path::Path;

use serde_json::Value;

use crate::process::Place;

#[test]
fn every_agent_with_a_profile_is_listed_with_what_to_install() {
    let place = Place::new();
    let mut command = place.siderail(&["agents", "--json"]);
    let output = command.env("PATH", place.path("home")).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let agents: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let names: Vec<&str> = agents
        .iter()
        .filter_map(|agent| agent["name"].as_str())
        .collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../agents/profiles");
    let mut profiles: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    profiles.sort();
    let mut files: Vec<String> = names.iter().map(|name| format!("{name}.toml")).collect();
    files.sort();
    assert_eq!(files, profiles);
    for agent in &agents {
        assert!(agent["found"].is_null(), "{agent}");
        assert!(
            agent["problem"]
                .as_str()
                .is_some_and(|text| text.contains("install")),
            "{agent}"
        );
        assert!(!agent["tested"].as_array().unwrap().is_empty(), "{agent}");
    }
}

#[test]
fn an_agent_of_ones_own_is_found_with_its_path() {
    let place = Place::new();
    let file = place.path("mine.toml");
    std::fs::write(
        &file,
        "name = \"mine\"\ntitle = \"Mine\"\nprogram = \"sh\"\ntested = [\"1\"]\n",
    )
    .unwrap();
    let ended = place.run(&["agents", "--agents-file", file.to_str().unwrap()]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let line = ended
        .out
        .lines()
        .find(|line| line.starts_with("mine "))
        .unwrap();
    assert!(line.contains("found") && line.contains("/sh"), "{line}");
    assert!(!ended.out.contains('\x1b'), "no colour without a terminal");
}

#[test]
fn profiles_in_the_users_settings_count_too() {
    let place = Place::new();
    let folder = place.path("home/.config/siderail/agents");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(
        folder.join("x.toml"),
        "name = \"settled\"\nprogram = \"sh\"\n",
    )
    .unwrap();
    let ended = place.run(&["agents"]);
    let is_listed = ended.out.lines().any(|line| line.starts_with("settled "));
    assert!(is_listed, "{}", ended.out);
}

#[test]
fn untrust_puts_a_consented_file_back_byte_for_byte() {
    let place = Place::new();
    let settings = place.path("home/.config/siderail");
    std::fs::create_dir_all(&settings).unwrap();
    std::fs::write(
        settings.join("config.toml"),
        "consent = [\"openhands\"]\nkeep_consent = [\"openhands\"]\n",
    )
    .unwrap();
    let file = place.path("home/.openhands/hooks.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let before = "{ \"hooks\":\t{\"PostToolUse\" : [ ] } }\n\n";
    std::fs::write(&file, before).unwrap();
    let agent = format!(
        "'{}' scripted-agent --shape openhands --script-text '[[prompt]]\nstep = [{{ say = \"Hi.\" }}]\n'",
        env!("CARGO_BIN_EXE_siderail")
    );
    let words = [
        "run",
        "--agent",
        "openhands",
        "--agent-command",
        &agent,
        "hi",
    ];
    let ended = place.run(&words);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let kept = std::fs::read_to_string(&file).unwrap();
    assert!(
        kept.contains("hook openhands"),
        "the hook was to be kept: {kept}"
    );
    let ended = place.run(&["agents", "untrust", "openhands"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(
        ended.out.starts_with("restored: ") && ended.out.contains("hooks.json"),
        "{}",
        ended.out
    );
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
    let again = place.run(&["agents", "untrust", "openhands"]);
    assert!(
        again
            .out
            .starts_with("no file of yours is changed for openhands\n")
            && again
                .out
                .contains("the setting `consent` still names openhands"),
        "{again:?}"
    );
}

/// A place with this as JetBrains' list of agents.
fn with_acp_json(text: &str) -> Place {
    let place = Place::new();
    let folder = place.path("home/.jetbrains");
    std::fs::create_dir_all(&folder).expect("a new folder");
    std::fs::write(folder.join("acp.json"), text).expect("written");
    place
}

#[test]
fn agents_that_were_added_in_an_ide_are_listed_and_run_with_their_words_and_variables() {
    let program = env!("CARGO_BIN_EXE_siderail");
    // the shell shows whether the variable came through; its value must not be shown
    let script = "really = true\n[[prompt]]\nstep = [{ shell = \"test -n $MY_API_KEY && touch came; echo $MY_API_KEY\", description = \"Mark\" }, { say = \"done\" }]\n";
    let place = with_acp_json(
        &serde_json::json!({"agent_servers": {
            "My Agent": {
                "command": program,
                "args": ["scripted-agent", "--shape", "opencode", "--script-text", script],
                "env": {"MY_API_KEY": "sk-very-secret"},
            },
            "claude": {"command": "not-ours"},
        }})
        .to_string(),
    );
    let listed = place.run(&["agents"]);
    assert!(listed.out.contains("My Agent"), "{listed:?}");
    assert!(listed.out.contains(".jetbrains/acp.json"), "{listed:?}");
    assert!(
        !listed.out.contains("not-ours"),
        "our names win: {listed:?}"
    );
    let json = place.run(&["agents", "--json"]);
    for text in [&listed.out, &listed.err, &json.out, &json.err] {
        assert!(!text.contains("very-secret"), "{text}");
    }
    let words = [
        "run", "--agent", "My Agent", "--answer", "allow", "--json", "hi",
    ];
    let ended = place.run(&words);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(place.project().join("came").exists(), "{}", ended.out);
    assert!(ended.out.contains("done"), "{}", ended.out);
    assert!(!ended.out.contains("very-secret"), "{}", ended.out);
}

#[test]
fn a_broken_list_of_an_ide_is_said_and_keeps_no_other_agent_from_running() {
    let place = with_acp_json("{\"agent_servers\": {");
    let listed = place.run(&["agents"]);
    assert_eq!(listed.code, Some(0), "{listed:?}");
    let said = |text: &str| text.contains("note: the agents of ") && text.contains("acp.json");
    assert!(said(&listed.err), "{}", listed.err);
    let unknown = place.run(&["run", "--agent", "My Agent", "hi"]);
    assert_eq!(unknown.code, Some(2), "{unknown:?}");
    assert!(said(&unknown.err), "{}", unknown.err);
    let command = format!(
        "{} scripted-agent --shape copilot",
        env!("CARGO_BIN_EXE_siderail")
    );
    let words = [
        "run",
        "--agent",
        "copilot",
        "--agent-command",
        &command,
        "hi",
    ];
    let ended = place.run(&words);
    assert!(ended.code == Some(0) && !said(&ended.err), "{ended:?}");
}

#[test]
fn a_mistake_in_an_agents_file_is_said_once_at_a_start() {
    let place = Place::new();
    let file = place.path("broken.toml");
    std::fs::write(&file, "name = \"mine\"\nprogram = 5\n").unwrap();
    let file = file.to_str().unwrap();
    let script = place.path("script.toml");
    let steps = "shape = \"copilot\"\n[[prompt]]\nstep = [{ say = \"Hello.\" }]\n";
    std::fs::write(&script, steps).unwrap();
    let program = env!("CARGO_BIN_EXE_siderail");
    let agent = format!("'{program}' scripted-agent --script '{}'", script.display());
    let words = [
        "--agent",
        "copilot",
        "--agent-command",
        &agent,
        "--agents-file",
        file,
        "hi",
    ];
    for command in [&["run"][..], &["run", "-q"]] {
        let ended = place.run(&[command, &words[..]].concat());
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let said = format!("{}{}", ended.out, ended.err);
        assert_eq!(said.matches("broken.toml").count(), 1, "{said}");
    }
    // a program reads events, not messages
    let ended = place.run(&[&["run", "--json"], &words[..]].concat());
    assert_eq!(ended.out.matches("broken.toml").count(), 1, "{ended:?}");
}
