//! Reading what agents list.

use super::*;

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
