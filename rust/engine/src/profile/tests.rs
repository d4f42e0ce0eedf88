//! Built-in profiles and the user's own.

use std::path::Path;

use super::*;

#[test]
fn the_built_in_profiles_load_and_say_how_to_install() {
    let profiles = Profiles::load(&[] as &[&Path]).unwrap();
    let names: Vec<_> = profiles.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "claude",
            "codex",
            "codex-zed",
            "copilot",
            "fast-agent",
            "gemini",
            "kilo",
            "kimi",
            "opencode",
            "openhands",
            "qwen",
            "vibe"
        ]
    );
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
    let profiles = Profiles::load(&[&file]).unwrap();
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
    std::fs::write(&file, "name = \"x\"\ntypo = 1\n").unwrap();
    assert!(
        Profiles::load(&[&file])
            .unwrap_err()
            .to_string()
            .contains("typo")
    );
}

#[test]
fn a_users_profile_has_a_name_that_can_be_typed_and_shown() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("mine.toml");
    for (name, why) in [
        ("n".repeat(65), "more than 64 characters"),
        ("turned\u{202e}name".to_owned(), "not seen"),
        ("two\\nlines".to_owned(), "not seen"),
    ] {
        std::fs::write(&file, format!("name = \"{name}\"\nprogram = \"x\"\n")).expect("written");
        let told = Profiles::load(&[&file]).map(|_| ()).expect_err("no name");
        let told = told.to_string();
        assert!(told.contains(why) && !told.contains('\u{202e}'), "{told}");
    }
}
