//! What a person may rely on: who wins, that a project only tightens, and that mistakes are named.

use std::time::Duration;

use siderail_guard::Policy;

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
    resolve(&sources(user, project))
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
    let resolved = resolve(&all);
    assert_eq!(resolved.settings.policy, Policy::Yolo);
    assert_eq!(resolved.settings.deny_threshold, 5);
    assert!(resolved.settings.hide);
    let origins = Key::ALL.iter().map(|key| resolved.origin(*key).to_string());
    let origins: Vec<_> = origins.collect();
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
    assert!(strict.project_mistakes.is_empty());
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
    let said = resolve(&all).not_followed;
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
            // A project that wants `yolo` wants nothing stricter.
            let wish = if project == "yolo" { user } else { project };
            for one in [Policy::parse(user).unwrap(), Policy::parse(wish).unwrap()] {
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
    assert_eq!(policy("ask", "yolo"), Policy::Ask);
    assert_eq!(policy("observe", "yolo"), Policy::Observe);
    let said = with_project("policy = \"ask\"", "policy = \"yolo\"").not_followed;
    assert!(said[0].contains("`ask` is in force"), "{said:?}");
}

const LOOSE: &str =
    "policy = \"yolo\"\nhide = false\nyolo_dangerous = true\nsession_message = true";

#[test]
fn a_project_file_in_which_nobody_can_tell_what_was_meant_counts_as_the_strictest() {
    for broken in [
        "policy = ",
        "polcy = \"redirect\"",
        "hide = true\nhide true",
        "always_allow = [\"rm -rf /\"]",
        "[agents]\nprogram = \"evil\"",
    ] {
        let resolved = with_project(LOOSE, broken);
        let settings = &resolved.settings;
        assert_eq!(settings.policy, Policy::Redirect, "{broken}");
        assert!(settings.hide && !settings.yolo_dangerous && !settings.session_message);
        let error = resolved.project_mistakes.first().expect(broken);
        assert!(error.to_string().starts_with(".siderail.toml:"), "{error}");
        assert!(!error.allowed.is_empty());
    }
}

#[test]
fn a_projects_mistake_takes_its_own_setting_along_and_no_other() {
    for (broken, policy, hide) in [
        ("policy = \"lax\"", Policy::Redirect, false),
        ("hide = \"perhaps\"", Policy::Yolo, true),
        ("consent = [\"openhands\"]", Policy::Yolo, false),
        ("mode = { claude = \"acceptEdits\" }", Policy::Yolo, false),
        ("tools_off = [\"intellij_write_file\"]", Policy::Yolo, false),
        ("keep_consent = []", Policy::Yolo, false),
        ("[agent]\nprogram = \"evil\"", Policy::Yolo, false),
    ] {
        let resolved = with_project(LOOSE, &format!("session_message = false\n{broken}"));
        let settings = &resolved.settings;
        assert_eq!((settings.policy, settings.hide), (policy, hide), "{broken}");
        assert!(!settings.session_message, "{broken}");
        assert_eq!(settings.consent, [] as [&str; 0]);
        assert_eq!(resolved.project_mistakes.len(), 1, "{broken}");
        let error = &resolved.project_mistakes[0];
        assert!(
            error.to_string().starts_with(".siderail.toml:2:"),
            "{error}"
        );
    }
}

#[test]
fn a_project_file_that_cannot_be_read_counts_as_the_strictest() {
    let mut sources = sources("policy = \"observe\"", "");
    sources.project = Some(File {
        path: ".siderail.toml".to_owned(),
        text: Err("it is not a file".to_owned()),
    });
    let resolved = resolve(&sources);
    assert_eq!(resolved.settings.policy, Policy::Redirect);
    assert!(!resolved.project_mistakes.is_empty());
}

fn mistake(user: &str, expected: &[&str]) {
    let resolved = resolve(&sources(user, ""));
    let problems = resolved.problems();
    let [problem] = problems.as_slice() else {
        panic!("{user}: {problems:?}");
    };
    let text = format!("{}; {}", problem.what, problem.allowed);
    for part in expected {
        assert!(text.contains(part), "{user}: {text} does not say {part}");
    }
}

#[test]
fn a_mistake_in_the_users_file_names_the_place_the_key_and_what_is_allowed() {
    mistake(
        "policy = \"strict\"",
        &[
            "config.toml:1:10: `policy` is \"strict\"; `redirect` is in force",
            "yolo",
        ],
    );
    mistake(
        "hide = true\n  polcy = \"ask\"",
        &[
            "config.toml:2:11: there is no setting named `polcy`; it has no effect",
            "policy",
            "deny_threshold",
        ],
    );
    mistake(
        "hide = 1",
        &["`hide` is 1; `on` is in force", "true or false"],
    );
    mistake("deny_threshold = 0", &["`deny_threshold` is 0", "from 1"]);
    mistake("deny_threshold = -3", &["is -3"]);
    mistake(
        "inactivity_s = 1.5",
        &["is 1.5; `300` is in force, from default", "seconds"],
    );
    mistake("consent = \"openhands\"", &["`consent`", "list of agents"]);
    mistake("mode = \"plan\"", &["`mode`", "table of agents"]);
    mistake(
        "tools_off = [\"rocket\", \"run_command\"]",
        &[
            "names `rocket`",
            "`run_command` is in force",
            "intellij_write_file",
        ],
    );
    mistake(
        "\n\nhide = \n",
        &["config.toml:3:8: this is not valid TOML", "name = value"],
    );
}

#[test]
fn a_mistake_of_the_users_is_strict_where_it_stands_and_leaves_the_rest() {
    let broken =
        "policy = \"ask\"\nhistory = \"of\"\nconsent = [\"openhands\"]\ndeny_threshold = 7";
    let settings = resolve(&sources(broken, "")).settings;
    assert_eq!((settings.policy, settings.history), (Policy::Ask, false));
    assert_eq!(settings.consent, ["openhands"]);
    assert_eq!(settings.deny_threshold, 7);
    let lost = "policy = \"ask\"\nhistory false\nconsent = [\"openhands\"]";
    let settings = resolve(&sources(lost, "")).settings;
    assert_eq!((settings.policy, settings.history), (Policy::Ask, false));
    assert_eq!(settings.consent, ["openhands"]);
    let settings = resolve(&sources("histroy = false", "")).settings;
    assert_eq!(settings, Settings::default());
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
    let settings = resolve(&sources).settings;
    assert!(!settings.hide && settings.session_message);
    assert_eq!(settings.consent, ["openhands", "vibe"]);
    assert_eq!(settings.mode.of("claude"), Some("plan"));
    sources.env.insert("SIDERAIL_HIDE".into(), "maybe".into());
    let resolved = resolve(&sources);
    let problem = &resolved.problems()[0];
    assert!(
        problem
            .what
            .starts_with("SIDERAIL_HIDE: `hide` is `maybe`; `on` is")
    );
    assert_eq!(problem.allowed, "on or off");
    assert!(resolved.settings.session_message);
}

#[test]
fn modes_are_by_agent_and_tools_can_be_switched_off() {
    let user = "tools_off = [\"run_command\"]\n[mode]\nclaude = \"plan\"\n";
    let settings = with_project(user, "").settings;
    assert_eq!(settings.mode.of("claude"), Some("plan"));
    assert_eq!(settings.mode.of("codex"), None);
    assert_eq!(settings.tools_off, ["run_command"]);
}

#[test]
fn an_embedder_gives_what_is_a_sessions_by_the_settings_own_names() {
    let members = serde_json::json!({
        "policy": "ask", "mode": "plan", "inactivity_s": 60, "consent": null, "tools_off": [], "agent": "claude",
    });
    let mut members = members.as_object().cloned().unwrap();
    let layer = Layer::of_members(&mut members, Scope::Session).unwrap();
    let expected = Layer {
        policy: Some(Policy::Ask),
        mode: Some(Mode::ForAll("plan".to_owned())),
        inactivity: Some(Duration::from_secs(60)),
        ..Layer::default()
    };
    assert_eq!(layer, expected);
    let left: Vec<_> = members.keys().collect();
    assert_eq!(left, ["agent", "tools_off"], "no session's");
    let mut wrong = serde_json::json!({"policy": "lax"})
        .as_object()
        .cloned()
        .unwrap();
    let error = Layer::of_members(&mut wrong, Scope::Session).unwrap_err();
    assert!(error.to_string().contains("`policy` is \"lax\""), "{error}");
}
