//! What is remembered, for whom, and what a damaged or foreign file does.

use serde_json::json;

use super::*;

fn command(text: &str) -> Allowed {
    Allowed::Command {
        command: text.to_owned(),
        folder: "/p".to_owned(),
    }
}

fn memory(state: &Path) -> Memory {
    Memory::of_project(state, Path::new("/p"))
}

#[test]
fn only_the_very_same_action_in_the_same_project_is_allowed() {
    let state = tempfile::tempdir().unwrap();
    let mut allowed = memory(state.path());
    allowed.remember(command("make lint")).unwrap();
    allowed
        .remember(Allowed::files("Edit", vec!["/b".into(), "/a".into()]))
        .unwrap();
    let reopened = memory(state.path());
    assert!(reopened.allows(&command("make lint")));
    assert!(reopened.allows(&Allowed::files("Edit", vec!["/a".into(), "/b".into()])));
    assert!(!reopened.allows(&command("make lint ")));
    assert!(!reopened.allows(&Allowed::files("Edit", vec!["/a".into()])));
    let elsewhere = Allowed::Command {
        command: "make lint".to_owned(),
        folder: "/p/sub".to_owned(),
    };
    assert!(!reopened.allows(&elsewhere));
    let other = Memory::of_project(state.path(), Path::new("/q"));
    assert!(!other.allows(&command("make lint")));
}

#[test]
fn the_order_of_arguments_says_nothing_and_their_values_everything() {
    let one = Allowed::call("fetch", &json!({"url": "u", "n": [1, {"b": 1, "a": 2}]}));
    let other = Allowed::call("fetch", &json!({"n": [1, {"a": 2, "b": 1}], "url": "u"}));
    assert_eq!((&one, one.key()), (&other, other.key()));
    assert_ne!(one, Allowed::call("fetch", &json!({"url": "v"})));
}

#[test]
fn what_is_revoked_counts_no_more_in_a_session_that_runs() {
    let state = tempfile::tempdir().unwrap();
    let mut running = memory(state.path());
    running.remember(command("a")).unwrap();
    running.remember(command("b")).unwrap();
    let key = command("a").key();
    let revoked = memory(state.path()).revoke(|entry| entry.allowed.key() == key);
    assert_eq!(revoked.unwrap().len(), 1);
    assert!(!running.allows(&command("a")));
    assert!(running.allows(&command("b")));
    memory(state.path()).revoke(|_| true).unwrap();
    assert!(running.entries().is_empty() && Memory::all(state.path()).0.is_empty());
}

#[cfg(unix)]
#[test]
fn the_file_is_for_the_user_only_and_one_that_others_can_write_is_not_believed() {
    use std::os::unix::fs::PermissionsExt as _;
    let state = tempfile::tempdir().unwrap();
    let mut allowed = memory(state.path());
    allowed.remember(command("a")).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&allowed.file), 0o600);
    assert_eq!(mode(allowed.file.parent().unwrap()), 0o700);
    fs::set_permissions(&allowed.file, fs::Permissions::from_mode(0o666)).unwrap();
    assert!(!allowed.allows(&command("a")));
    assert!(allowed.check().unwrap().contains("others can write"));
    assert!(!allowed.file.exists());
}

#[test]
fn a_damaged_file_is_set_aside_with_a_message_and_allows_nothing() {
    let state = tempfile::tempdir().unwrap();
    let mut allowed = memory(state.path());
    allowed.remember(command("a")).unwrap();
    let good = fs::read_to_string(&allowed.file).unwrap();
    let newer = good.replace("\"version\": 1", "\"version\": 2");
    let other = good.replace("\"/p\"", "\"/other\"");
    let odd = good.replace("\"command\"", "\"anything\"");
    for bad in [&good[..good.len() / 2], "", "[]", &newer, &other, &odd] {
        siderail_state::private::write_file(&allowed.file, bad).unwrap();
        assert!(!allowed.allows(&command("a")), "{bad}");
        let message = allowed.check().expect(bad);
        assert!(message.contains("damaged"), "{message}");
        assert!(!allowed.file.exists(), "{bad}");
        assert_eq!(
            fs::read_to_string(allowed.file.with_extension("json.damaged")).unwrap(),
            *bad
        );
        allowed.remember(command("a")).unwrap();
        assert!(allowed.allows(&command("a")) && allowed.check().is_none());
    }
}

#[test]
fn what_cannot_be_written_down_counts_for_the_session_only() {
    let state = tempfile::tempdir().unwrap();
    fs::write(state.path().join("always"), "in the way").unwrap();
    let mut allowed = memory(state.path());
    assert!(allowed.remember(command("a")).is_err());
    assert!(allowed.allows(&command("a")));
    assert!(!memory(state.path()).allows(&command("a")));
}

#[test]
fn two_writers_lose_nothing() {
    let state = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let state = state.path();
            scope.spawn(move || {
                for n in 0..10 {
                    let action = command(&format!("{writer} {n}"));
                    memory(state).remember(action).unwrap();
                }
            });
        }
    });
    assert_eq!(memory(state.path()).entries().len(), 40);
}
