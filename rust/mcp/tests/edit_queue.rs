//! The order in which parallel edits may start.

use std::collections::HashMap;

use proptest::prelude::{any, prop, prop_assert, prop_assert_eq, proptest};
use siderail_mcp::EditQueue;

#[test]
fn edits_of_one_file_wait_for_each_other_and_for_nobody_else() {
    let mut queue = EditQueue::new();
    assert_eq!(queue.enter("a", 1), Some(1));
    assert_eq!(queue.enter("a", 2), None);
    assert_eq!(queue.enter("b", 3), Some(3));
    assert_eq!(queue.enter("a", 4), None);
    assert_eq!(queue.finish(&"b"), None);
    assert_eq!(queue.finish(&"a"), Some(2));
    assert_eq!(queue.finish(&"a"), Some(4));
    assert_eq!(queue.finish(&"a"), None);
    assert!(queue.is_empty());
    assert_eq!(
        queue.enter("a", 5),
        Some(5),
        "a file that was done with starts afresh"
    );
}

#[test]
fn an_end_that_nobody_waits_for_starts_nothing() {
    let mut queue: EditQueue<&str, u8> = EditQueue::new();
    assert_eq!(queue.finish(&"a"), None);
    assert!(queue.is_empty());
}

#[test]
fn a_cancelled_edit_leaves_the_queue_and_keeps_the_order_of_the_others() {
    let mut queue = EditQueue::new();
    for job in 1..=5 {
        queue.enter("a", job);
    }
    assert_eq!(queue.withdraw(|job| job % 2 == 0), [2, 4]);
    assert_eq!(
        queue.withdraw(|job| *job == 1),
        [] as [i32; 0],
        "a running job is not withdrawn"
    );
    assert_eq!(queue.finish(&"a"), Some(3));
    assert_eq!(queue.finish(&"a"), Some(5));
    assert_eq!(queue.finish(&"a"), None);
}

proptest! {
    #[test]
    fn no_two_edits_of_a_file_overlap_and_none_is_lost(
        steps in prop::collection::vec((0_u8..4, any::<bool>()), 0..200),
    ) {
        let mut queue = EditQueue::new();
        let mut running: HashMap<u8, usize> = HashMap::new();
        let mut started: HashMap<u8, Vec<usize>> = HashMap::new();
        let mut entered: HashMap<u8, Vec<usize>> = HashMap::new();
        let mut start = |key: u8, job: Option<usize>, running: &mut HashMap<u8, usize>| {
            let Some(job) = job else { return true };
            started.entry(key).or_default().push(job);
            running.insert(key, job).is_none()
        };
        let ends = (0..4).flat_map(|key| vec![(key, true); steps.len() + 1]);
        for (job, (key, ends)) in steps.iter().copied().chain(ends).enumerate() {
            let next = if ends {
                if running.remove(&key).is_none() {
                    continue;
                }
                queue.finish(&key)
            } else {
                entered.entry(key).or_default().push(job);
                queue.enter(key, job)
            };
            prop_assert!(start(key, next, &mut running));
        }
        prop_assert_eq!(started, entered);
        prop_assert!(queue.is_empty());
    }
}
