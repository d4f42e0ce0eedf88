//! What is found out of recipes at the start, without an agent.

use serde_json::json;

use super::*;
use crate::launch::LaunchedHook;
use crate::session::guidance::tests::facts;

fn hook() -> Option<LaunchedHook> {
    Some(LaunchedHook {
        command: "relay hook".to_owned(),
        hash: Some("1".to_owned()),
    })
}

fn guidance() -> Guidance {
    Guidance::new(Recipes::new(hook(), None))
}

/// A hook that has the last word.
fn last_word() -> AgentHook {
    let mut hook = AgentHook::default();
    hook.is_after_allow = true;
    hook
}

fn listed(status: &str) -> Result<Box<RawValue>, RpcError> {
    let answer = json!({"hooks": [{"currentHash": "1", "trustStatus": status}]});
    Ok(serde_json::value::to_raw_value(&answer).expect("JSON"))
}

#[test]
fn what_allows_in_order_to_deny_later_is_not_tried_on_an_unknown_version() {
    let profile = facts("claude").profile;
    assert!(profile.refusal.is_none(), "this is about the hook");
    let cases = [
        (Standing::Tested, true, 0),
        (Standing::Near, true, 1),
        (Standing::Untested, false, 2),
        (Standing::Unknown, false, 1),
    ];
    for (standing, stays, n_told) in cases {
        let (mut guidance, mut hook) = (guidance(), last_word());
        let off = guidance.check(&profile, standing, Some("X 9".to_owned()), &mut hook);
        assert_eq!(off, None);
        assert_eq!(hook.is_after_allow, stays, "{standing:?}");
        assert_eq!(guidance.recipes.untold.len(), n_told, "{standing:?}");
    }
}

#[test]
fn refusing_takes_a_tested_agent_that_is_offered_our_files_and_terminals() {
    let mut profile = facts("gemini").profile;
    let off =
        |profile: &Profile, standing| guidance().check(profile, standing, None, &mut last_word());
    let why = off(&profile, Standing::Unknown);
    assert!(why.is_some_and(|why| why.contains("no version was not tested")));
    let refusal = profile.refusal.as_mut().expect("it has this recipe");
    refusal.edits = true;
    profile.advertise_fs = false;
    assert!(off(&profile, Standing::Tested).is_some_and(|why| why.contains("does not offer")));
    profile.advertise_fs = true;
    profile.advertise_terminal = true;
    assert_eq!(off(&profile, Standing::Tested), None);
}

#[test]
fn a_hook_that_is_off_is_told_and_what_it_would_have_denied_is_rejected() {
    let profile = facts("claude").profile;
    let mut off = guidance();
    let mut canary = Canary::new(&[], true);
    let mut names = last_word();
    off.hooks_listed(&listed("untrusted"), &profile, (&mut canary, &mut names));
    assert!(!names.is_after_allow);
    assert_eq!(off.recipes.untold.len(), 1);
    assert!(matches!(
        off.recipes.hook_state,
        Some((RecipeState::Off, _))
    ));
    let mut on = guidance();
    let mut names = last_word();
    on.hooks_listed(&listed("trusted"), &profile, (&mut canary, &mut names));
    assert!(names.is_after_allow && on.recipes.untold.is_empty());
    assert!(matches!(
        on.recipes.hook_state,
        Some((RecipeState::Verified, _))
    ));
    let mut late = guidance();
    late.recipes.listing_overdue();
    assert!(matches!(
        late.recipes.hook_state,
        Some((RecipeState::Assumed, _))
    ));
}

#[test]
fn a_mode_that_is_wanted_is_missed_unless_the_agent_is_in_it() {
    let off = |wanted, current| {
        let mut recipes = Recipes::default();
        recipes.mode_not_offered(wanted, current);
        recipes.mode_off.is_some()
    };
    assert!(off(Some("ask"), Some("code")) && off(Some("ask"), None));
    assert!(!off(Some("ask"), Some("ask")) && !off(None, Some("code")));
}

#[test]
fn an_inspector_is_told_of_a_session_that_is_not_there_yet() {
    let facts = facts("claude");
    let peers = Peers::default();
    let mut guidance = guidance();
    guidance.recipes.relay_env = vec![("A".to_owned(), "relay".to_owned())];
    let ours =
        [("A", "ours"), ("B", "ours")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    let inspected = Inspected {
        is_ready: false,
        peers: &peers,
        guidance: &guidance,
        facts: &facts,
        logins: Vec::new(),
        root: Path::new("/p"),
        env: (&ours.into(), &[("B".to_owned(), "agent".to_owned())].into()),
        offered: &[Tool::WriteFile],
        n_tools: 1,
    };
    let told = inspected.told();
    assert!(!told.is_ready && told.version.is_none() && told.modes.is_empty());
    assert_eq!(told.standing, Standing::Unknown);
    let hook = told.hook.expect("it can be tried");
    assert_eq!(
        (hook.env["A"].as_str(), hook.env["B"].as_str()),
        ("relay", "agent")
    );
    assert!(hook.denies());
}

#[test]
fn a_hook_is_found_by_its_hash_wherever_the_agent_lists_it() {
    let entry =
        |status: &str| json!({"key": "k", "currentHash": "sha256:1", "trustStatus": status});
    for listed in [
        json!({"hooks": [{"currentHash": "sha256:0", "trustStatus": "untrusted"}, entry("trusted")]}),
        json!({"data": [{"cwd": "/p", "hooks": [entry("trusted")]}]}),
    ] {
        assert_eq!(trust_of(&listed, "sha256:1"), Some("trusted"), "{listed}");
        assert_eq!(trust_of(&listed, "sha256:2"), None);
    }
    assert_eq!(trust_of(&entry("modified"), "sha256:1"), Some("modified"));
}

#[test]
fn an_empty_list_says_something_and_another_answer_does_not() {
    assert!(lists_hooks(&json!({"hooks": []})));
    assert!(lists_hooks(&json!({"data": [{"hooks": []}]})));
    assert!(!lists_hooks(&json!({})) && !lists_hooks(&json!(null)));
}

#[test]
fn a_hook_is_off_only_where_the_agent_has_a_list_that_does_not_trust_it() {
    let read = |answer: Value| {
        let answer = serde_json::value::to_raw_value(&answer).expect("JSON");
        Listed::read(&Ok(answer), "1")
    };
    let listed = |status: &str| json!({"hooks": [{"currentHash": "1", "trustStatus": status}]});
    assert_eq!(read(listed("trusted")), Listed::Trusted);
    assert!(matches!(read(listed("modified")), Listed::Off(why) if why.contains("modified")));
    assert!(matches!(read(json!({"hooks": []})), Listed::Off(_)));
    assert!(matches!(read(json!({})), Listed::Unknown(_)));
    let error = RpcError::method_not_found("hooks/list");
    assert!(matches!(Listed::read(&Err(error), "1"), Listed::Unknown(_)));
}
