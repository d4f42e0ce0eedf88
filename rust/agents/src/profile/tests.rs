//! Built-in profiles and the user's own.

use std::path::Path;

use super::*;

#[test]
fn the_built_in_profiles_load_and_say_how_to_install() {
    let profiles = Profiles::load(&[] as &[&Path]);
    assert_eq!(profiles.problems(), [] as [&str; 0]);
    let names: Vec<_> = profiles.iter().map(|p| p.name.clone()).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("profiles");
    let files = std::fs::read_dir(folder).expect("the profiles");
    let stem = |file: std::fs::DirEntry| file.path().file_stem()?.to_str().map(str::to_owned);
    let mut files: Vec<_> = files.filter_map(|file| stem(file.ok()?)).collect();
    files.sort();
    assert_eq!(names, files);
    for p in profiles.iter() {
        assert!(!p.install.is_empty() && !p.tested.is_empty(), "{}", p.name);
        assert!(p.mcp.as_seen.contains("{tool}"), "{}", p.name);
    }
}

#[test]
fn an_unknown_name_needs_a_command_and_a_users_file_wins() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("mine.toml");
    std::fs::write(&file, "name = \"claude\"\nprogram = \"my-claude\"\n").unwrap();
    let profiles = Profiles::load(&[&file]);
    assert_eq!(profiles.get("claude", false).unwrap().program, "my-claude");
    let generic = profiles.get("nobody", true).unwrap();
    assert_eq!(
        (generic.name.as_str(), generic.hook.is_none()),
        ("nobody", true)
    );
    assert!(
        profiles
            .get("nobody", false)
            .unwrap_err()
            .to_string()
            .contains("copilot")
    );
}

#[test]
fn what_is_broken_in_a_profile_is_named_with_its_place_and_costs_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("mine.toml");
    let load = |text: &str| {
        std::fs::write(&file, text).unwrap();
        Profiles::load(&[&file])
    };
    let n_built_in = Profiles::load(&[] as &[&Path]).iter().count();
    for (text, place, what) in [
        (
            "name = \"x\"\n  typo = 1\n",
            ":2:3:",
            "unknown field `typo`, expected one of `name`",
        ),
        (
            "name = \"x\"\n[mcp]\ndelivery = \"post\"\n",
            ":3:12:",
            "expected `session` or `launch`",
        ),
        (
            "name = \"x\"\n[guard]\nquirks = [\"odd\"]\n",
            ":3:10:",
            "unknown quirk `odd`, expected one of `call_id_names_tool`",
        ),
        (
            "name = \"x\"\nargs = \"a b\"\n",
            ":2:8:",
            "expected a sequence",
        ),
        ("name = \"x\"\nargs = [\n", ":2:9:", "not valid TOML"),
        (
            "name = \"x\"\n[plan]\nmode = \"plan\"\n",
            ":2:1:",
            "missing field `work`",
        ),
    ] {
        let profiles = load(text);
        let [problem] = profiles.problems() else {
            panic!("{text}: {:?}", profiles.problems());
        };
        let expected = format!("mine.toml{place} the agent `x` cannot be used: ");
        assert!(
            problem.contains(&expected) && problem.contains(what),
            "{text}: {problem}"
        );
        let error = profiles.get("x", true).unwrap_err().to_string();
        assert!(error.contains(place) && error.contains(what), "{error}");
        assert_eq!(profiles.iter().count(), n_built_in, "{text}");
    }
    let profiles = load(
        "[[agent]]\nname = \"a\"\n[[agent]]\nname = \"claude\"\nhide = 1\n[[agent]]\nname = \"b\"\n",
    );
    assert!(profiles.get("a", false).is_ok() && profiles.get("b", false).is_ok());
    assert!(
        profiles.get("claude", false).is_err(),
        "not the built-in one in its place"
    );
    assert!(
        profiles.problems()[0].contains(":5:8:"),
        "{:?}",
        profiles.problems()
    );
    let profiles = load("program = \"x\"\n");
    assert!(
        profiles.problems()[0].contains("mine.toml:1:1: an agent cannot be used: a profile has no")
    );
    let missing = Profiles::load(&[dir.path().join("none.toml")]);
    assert!(
        missing.problems()[0].contains("none.toml"),
        "{:?}",
        missing.problems()
    );
}

#[test]
fn a_file_that_is_not_toml_lets_no_built_in_agent_start_in_place_of_one_of_its_own() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("mine.toml");
    let first = "[[agent]]\nname = \"claude\"\n";
    for (broken, names) in [
        ("[[agent]]\nname = \"gemini\"\nhide\n", "claude gemini"),
        (
            "args = [\"a\",\n\n[[agent]]\nname = 'gemini' # mine\n",
            "claude gemini",
        ),
        ("[[agent]\nname = \"gemini\"\n", "claude gemini"),
        ("[[agent]]\n\"name\" = gemini\n", "claude gemini"),
        ("[[agent]]\nname = \"gemini\n", "claude gemini"),
        (
            "[[agent]]\nmatrix = [\n  [\"a\"],\n]\nname = \"gemini\"\nhide\n",
            "claude gemini",
        ),
        ("[agent.package]\nname = \"gemini\"\nnode\n", "claude"),
        ("title = \"\"\"\n[[agent]]\nname = \"x\"\n", "claude x"),
    ] {
        std::fs::write(&file, format!("{first}{broken}")).expect("written");
        let profiles = Profiles::load(&[&file]);
        let unusable: Vec<&str> = profiles.unusable().keys().map(String::as_str).collect();
        assert_eq!(unusable.join(" "), names, "{broken}");
        assert_eq!(profiles.problems().len(), unusable.len(), "{broken}");
        for name in unusable {
            let why = profiles.get(name, true).expect_err(name).to_string();
            assert!(why.contains("mine.toml:"), "{why}");
        }
        assert!(profiles.get("codex", false).is_ok(), "{broken}");
    }
    std::fs::write(
        &file,
        "agent = [\n  { name = \"gemini\" }\n  { program = \"x\", name = 'claude' },\n]\n",
    )
    .expect("written");
    let unusable = Profiles::load(&[&file]).unusable().clone();
    assert_eq!(
        unusable.into_keys().collect::<Vec<_>>(),
        ["claude", "gemini"]
    );
    std::fs::write(&file, "[agent]\nname = \"gemini\"\n").expect("written");
    let profiles = Profiles::load(&[&file]);
    assert!(
        profiles.get("gemini", false).is_err(),
        "a table, not a list"
    );
}

#[test]
fn a_users_profile_has_a_name_that_can_be_typed_and_shown() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("mine.toml");
    for (name, why) in [
        ("n".repeat(65), "more than 64 characters"),
        ("turned\u{202e}name".to_owned(), "invisible"),
        ("two\\nlines".to_owned(), "invisible"),
    ] {
        std::fs::write(&file, format!("name = \"{name}\"\nprogram = \"x\"\n")).expect("written");
        let told = Profiles::load(&[&file]).problems().join("\n");
        assert!(told.contains(why) && !told.contains('\u{202e}'), "{told}");
    }
}

/// Each has some, and what an agent reads is protected in the sessions of all others.
#[test]
fn every_built_in_profile_says_what_configures_its_agent_and_all_of_it_is_protected() {
    let profiles = Profiles::load(&[] as &[&Path]);
    for profile in profiles.iter() {
        assert!(!profile.config_places.is_empty(), "{}", profile.name);
    }
    let places = profiles.protected_places();
    for path in [
        ".git/config",
        ".claude/settings.json",
        ".claude.json",
        "sub/.codex/config.toml",
        ".gemini/settings.json",
        ".qwen/settings.json",
        ".copilot/x",
        ".github/hooks/pre.json",
        ".opencode/agent/x.md",
        "opencode.jsonc",
        ".kilo/agent/x.md",
        ".kilocode/mcp.json",
        ".kilocodemodes",
        "kilo.json",
        "Kilo.jsonc",
        ".kimi-code/mcp.json",
        ".vibe/config.toml",
        ".openhands/hooks.json",
        ".fast-agent/x",
        "fastagent.config.yaml",
        "fast-agent.yaml",
        ".agents/agents/x.md",
        // of agents without a profile
        ".junie/x",
        ".kiro/x",
        ".goose/x",
        ".cursor/mcp.json",
    ] {
        assert!(places.has(path), "{path}");
    }
    for path in [".github/workflows/ci.yml", "kilo/x", "src/agents/x.rs"] {
        assert!(!places.has(path), "{path}");
    }
}

#[test]
fn a_users_file_adds_protected_places_and_takes_none_away() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("mine.toml");
    let load = |text: &str| {
        std::fs::write(&file, text).expect("written");
        Profiles::load(&[&file])
    };
    for text in [
        "name = \"claude\"\nprogram = \"mine\"\n",
        "name = \"claude\"\nconfig_places = []\n",
        "name = \"claude\"\nhide = 1\n",
        "name = \"claude\"\n[[",
        "[[agent]]\nname = \"claude\"\nconfig_places = [\".mine\"]\n[[agent]]\nname = \"claude\"\n",
    ] {
        let places = load(text).protected_places();
        assert!(places.has(".claude/settings.json"), "{text}");
        assert_eq!(places.has(".mine/x"), text.contains(".mine"), "{text}");
    }
    let many = format!("[{}]", "\".x\",".repeat(33));
    for (list, why) in [
        ("[\"../.x\"]", "the place `../.x` is not a relative path"),
        (
            "[\"/etc/.x\"]",
            "the place `/etc/.x` is not a relative path",
        ),
        (
            "[\"src\"]",
            "the place `src` begins with a name without a dot",
        ),
        (many.as_str(), "33 `config_places`, expected at most 32"),
    ] {
        let profiles = load(&format!("name = \"x\"\nconfig_places = {list}\n"));
        let told = profiles.problems().join("\n");
        assert!(told.contains(":2:17:") && told.contains(why), "{told}");
        assert!(profiles.get("x", false).is_err(), "{list}");
    }
}

#[test]
fn where_a_known_agent_names_its_tools_is_known_under_every_name() {
    let profiles = Profiles::load(&[] as &[&Path]);
    for agent in ["claude", "codex", "nobody"] {
        let guard = profiles.get(agent, true).expect("known").guard;
        let places = ["claudeCode/toolName", "goose/toolCall/toolName"];
        assert_eq!(guard.tool_name_in_meta, places, "{agent}");
    }
}
