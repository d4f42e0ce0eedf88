//! What a person may rely on: who wins, that a project only tightens, and that mistakes are named.

use super::*;

fn file(path: &str, text: &str) -> Option<File> {
    Some(File {
        path: path.to_owned(),
        text: Ok(text.to_owned()),
    })
}

fn sources(user: &str, project: &str) -> Sources {
    Sources {
        user: file("config.toml", user),
        project: file(".siderail.toml", project),
        ..Sources::default()
    }
}

fn with_project(user: &str, project: &str) -> Resolved {
    resolve(&sources(user, project)).unwrap()
}

fn policy(user: &str, project: &str) -> Policy {
    let policy = |word: &str| format!("policy = \"{word}\"");
    with_project(&policy(user), &policy(project))
        .settings
        .policy
}

#[test]
fn each_source_wins_over_the_weaker_ones_and_is_named() {
    let mut all = sources(
        "policy = \"ask\"\nhide = false\ndeny_threshold = 9",
        "hide = true",
    );
    all.env.insert("SIDERAIL_POLICY".into(), "observe".into());
    all.env.insert("SIDERAIL_DENY_THRESHOLD".into(), "5".into());
    all.flags.policy = Some(Policy::Yolo);
    let resolved = resolve(&all).unwrap();
    assert_eq!(resolved.settings.policy, Policy::Yolo);
    assert_eq!(resolved.settings.deny_threshold, 5);
    assert!(resolved.settings.hide);
    let origins = Key::ALL.map(|key| resolved.origin(key).to_string());
    assert_eq!(
        origins[..5],
        [
            "default",
            "flag",
            ".siderail.toml",
            "SIDERAIL_DENY_THRESHOLD",
            "default"
        ]
    );
}

#[test]
fn a_project_never_loosens_any_key() {
    let strict = with_project(
        "deny_threshold = 2\ninactivity_s = 60",
        "policy = \"ask\"\nhide = false\ndeny_threshold = 50\ninactivity_s = 900\n\
         session_message = true\nyolo_dangerous = true",
    );
    let defaults = Settings {
        inactivity: Duration::from_secs(60),
        ..Settings::default()
    };
    assert_eq!(strict.settings, defaults);
    assert_eq!(strict.not_followed.len(), 6, "{:?}", strict.not_followed);
    assert!(strict.project_broken.is_none());
    let said = &strict.not_followed[0];
    assert!(
        said.contains("policy = ask") && said.contains("redirect"),
        "{said}"
    );
}

#[test]
fn a_wish_of_the_project_below_what_was_typed_is_not_called_loosening() {
    let mut all = sources("", "policy = \"ask\"");
    all.flags.policy = Some(Policy::Yolo);
    let said = resolve(&all).unwrap().not_followed;
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(!said[0].contains("loosen"), "{said:?}");
    assert!(
        said[0].contains("`yolo` is in force, from flag"),
        "{said:?}"
    );
}

#[test]
fn a_project_tightens_what_the_user_has_loosened() {
    let tight = with_project(
        "policy = \"yolo\"\nhide = false\nyolo_dangerous = true\nsession_message = true\n\
         deny_threshold = 9",
        "policy = \"redirect\"\nhide = true\nyolo_dangerous = false\nsession_message = false\n\
         deny_threshold = 1\ninactivity_s = 30",
    );
    let expected = Settings {
        deny_threshold: 1,
        inactivity: Duration::from_secs(30),
        ..Settings::default()
    };
    assert_eq!(tight.settings, expected);
    assert!(tight.not_followed.is_empty());
    assert_eq!(tight.origin(Key::Policy).to_string(), ".siderail.toml");
}

#[test]
fn no_pair_of_policies_ends_looser_than_either() {
    let words = ["redirect", "ask", "observe", "yolo"];
    for user in words {
        for project in words {
            let both = policy(user, project);
            for one in [
                Policy::parse(user).unwrap(),
                Policy::parse(project).unwrap(),
            ] {
                assert!(both.redirects() || !one.redirects(), "{user} {project}");
                assert!(
                    both != Policy::Yolo || one == Policy::Yolo,
                    "{user} {project}"
                );
                assert!(
                    both != Policy::Observe || one == Policy::Observe,
                    "{user} {project}"
                );
            }
        }
    }
    assert_eq!(policy("yolo", "ask"), Policy::Redirect);
    assert_eq!(policy("observe", "ask"), Policy::Ask);
    assert_eq!(policy("redirect", "yolo"), Policy::Redirect);
}

#[test]
fn a_project_file_that_is_broken_in_any_way_counts_as_the_strictest() {
    let loose = "policy = \"yolo\"\nhide = false\nyolo_dangerous = true\nsession_message = true";
    for broken in [
        "policy = ",
        "policy = \"lax\"",
        "hide = \"perhaps\"",
        "polcy = \"redirect\"",
        "consent = [\"openhands\"]",
        "mode = { claude = \"acceptEdits\" }",
        "tools_off = [\"intellij_write_file\"]",
        "keep_consent = []",
        "always_allow = [\"rm -rf /\"]",
        "agents_files = [\"evil.toml\"]",
        "[agent]\nprogram = \"evil\"",
    ] {
        let resolved = with_project(loose, broken);
        let settings = &resolved.settings;
        assert_eq!(settings.policy, Policy::Redirect, "{broken}");
        assert!(settings.hide && !settings.yolo_dangerous && !settings.session_message);
        let error = resolved.project_broken.expect(broken);
        assert!(error.to_string().starts_with(".siderail.toml: "), "{error}");
        assert!(!error.allowed.is_empty());
    }
}

#[test]
fn a_project_file_that_cannot_be_read_counts_as_the_strictest() {
    let mut sources = sources("policy = \"observe\"", "");
    sources.project = Some(File {
        path: ".siderail.toml".to_owned(),
        text: Err("it is no file".to_owned()),
    });
    let resolved = resolve(&sources).unwrap();
    assert_eq!(resolved.settings.policy, Policy::Redirect);
    assert!(resolved.project_broken.is_some());
}

fn mistake(user: &str, expected: &[&str]) {
    let error = resolve(&sources(user, "")).unwrap_err();
    let text = format!("{error}; {}", error.allowed);
    for part in expected {
        assert!(text.contains(part), "{user}: {text} does not say {part}");
    }
}

#[test]
fn a_mistake_in_the_users_file_names_file_key_and_what_is_allowed() {
    mistake(
        "policy = \"strict\"",
        &["config.toml: `policy` is \"strict\"", "redirect", "yolo"],
    );
    mistake(
        "polcy = \"ask\"",
        &["no key `polcy`", "policy", "deny_threshold"],
    );
    mistake("hide = 1", &["`hide` is 1", "true or false"]);
    mistake("deny_threshold = 0", &["`deny_threshold` is 0", "from 1"]);
    mistake("deny_threshold = -3", &["is -3"]);
    mistake("inactivity_s = 1.5", &["is 1.5", "seconds"]);
    mistake("consent = \"openhands\"", &["`consent`", "list of agents"]);
    mistake("mode = \"plan\"", &["`mode`", "table of agents"]);
    mistake(
        "tools_off = [\"rocket\"]",
        &["names `rocket`", "intellij_write_file"],
    );
    mistake("\n\nhide = \n", &["config.toml: line 3 is no TOML"]);
}

#[test]
fn variables_are_read_as_people_write_them() {
    let mut sources = Sources::default();
    for (name, value) in [
        ("SIDERAIL_HIDE", "off"),
        ("SIDERAIL_SESSION_MESSAGE", "1"),
        ("SIDERAIL_CONSENT", "openhands, vibe"),
        ("SIDERAIL_MODE", "plan"),
        ("SIDERAIL_POLICY", ""),
    ] {
        sources.env.insert(name.to_owned(), value.to_owned());
    }
    let settings = resolve(&sources).unwrap().settings;
    assert!(!settings.hide && settings.session_message);
    assert_eq!(settings.consent, ["openhands", "vibe"]);
    assert_eq!(settings.mode_of("claude"), Some("plan"));
    sources.env.insert("SIDERAIL_HIDE".into(), "maybe".into());
    let error = resolve(&sources).unwrap_err();
    assert_eq!(error.to_string(), "SIDERAIL_HIDE is `maybe`");
}

#[test]
fn modes_are_by_agent_and_tools_can_be_switched_off() {
    let user = "tools_off = [\"run_command\"]\n[mode]\nclaude = \"plan\"\n";
    let settings = with_project(user, "").settings;
    assert_eq!(settings.mode_of("claude"), Some("plan"));
    assert_eq!(settings.mode_of("codex"), None);
    assert_eq!(settings.tools_off, ["run_command"]);
}
