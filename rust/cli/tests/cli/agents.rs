//! `siderail agents`: what is known without starting anything.

use serde_json::Value;

use crate::process::Place;

#[test]
fn the_ten_agents_are_listed_with_what_to_install() {
    let place = Place::new();
    let mut command = place.siderail(&["agents", "--json"]);
    let output = command.env("PATH", place.path("home")).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let agents: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let names: Vec<&str> = agents
        .iter()
        .filter_map(|agent| agent["name"].as_str())
        .collect();
    assert_eq!(
        names,
        [
            "claude",
            "codex",
            "codex-zed",
            "copilot",
            "fast-agent",
            "gemini",
            "opencode",
            "openhands",
            "qwen",
            "vibe"
        ]
    );
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
        ended.out.starts_with("put back: ") && ended.out.contains("hooks.json"),
        "{}",
        ended.out
    );
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
    let again = place.run(&["agents", "untrust", "openhands"]);
    assert_eq!(again.out, "nothing of yours is changed for openhands\n");
}
