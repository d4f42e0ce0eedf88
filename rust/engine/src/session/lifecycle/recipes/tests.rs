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
