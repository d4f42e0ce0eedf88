//! An answer finds its request once, whatever order answers come in.

use siderail_wire::{Incoming, Outgoing, RequestId};

fn id(text: &str) -> RequestId {
    RequestId::from_raw(serde_json::from_str(text).expect("JSON")).expect("a scalar")
}

#[test]
fn answers_out_of_order_late_or_twice_find_only_their_own_request() {
    let mut calls = Outgoing::default();
    assert_eq!(
        (
            calls.register("a"),
            calls.register("b"),
            calls.register("c")
        ),
        (1, 2, 3)
    );
    assert_eq!(calls.complete(&id("3")), Some("c"));
    assert_eq!(calls.complete(&id("3")), None);
    assert_eq!(calls.complete(&id("99")), None);
    assert_eq!(calls.complete(&id("null")), None);
    assert_eq!(calls.complete(&id("\"1\"")), None);
    assert_eq!(calls.cancel(1), Some("a"));
    assert_eq!(calls.complete(&id("1")), None);
    assert_eq!(calls.register("d"), 4, "ids are never used twice");
    assert_eq!(calls.drain(), [(2, "b"), (4, "d")]);
    assert!(calls.is_empty());
}

#[test]
fn requests_of_the_other_side_are_answered_once_and_kept_in_order() {
    let mut calls = Incoming::default();
    for (place, name) in ["0", "\"x\"", "null", "1.0"].into_iter().enumerate() {
        assert_eq!(calls.register(id(name), place), Ok(()));
    }
    assert_eq!(calls.register(id("0"), 9), Err(9), "the same id while open");
    assert_eq!(calls.complete(&id("\"x\"")), Some(1));
    assert_eq!(calls.complete(&id("\"x\"")), None);
    assert_eq!(
        calls.register(id("\"x\""), 5),
        Ok(()),
        "free again once answered"
    );
    *calls.get_mut(&id("null")).unwrap() = 7;
    assert_eq!(calls.get(&id("null")), Some(&7));
    let order = calls
        .iter()
        .map(|(id, place)| (id.to_string(), *place))
        .collect::<Vec<_>>();
    assert_eq!(
        order,
        [
            ("0".into(), 0),
            ("null".into(), 7),
            ("1.0".into(), 3),
            ("\"x\"".into(), 5)
        ]
    );
    assert_eq!(calls.drain().len(), 4);
    assert_eq!(calls.len(), 0);
    assert_eq!(calls.register(id("0"), 1), Ok(()));
}
