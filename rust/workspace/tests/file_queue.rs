//! The order in which parallel edits may start.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use proptest::prelude::{any, prop, prop_assert, prop_assert_eq, proptest};
use siderail_workspace::FileQueue;

#[test]
fn edits_of_one_file_wait_for_each_other_and_for_nobody_else() {
    let mut queue = FileQueue::default();
    assert!(queue.enter(paths(&["a"]), 1));
    assert!(!queue.enter(paths(&["a"]), 2));
    assert!(queue.enter(paths(&["b"]), 3));
    assert!(!queue.enter(paths(&["a"]), 4));
    assert!(queue.remove(&3).is_empty());
    assert_eq!(queue.remove(&1), [2]);
    assert_eq!(queue.remove(&2), [4]);
    assert!(queue.remove(&4).is_empty());
    assert!(queue.is_empty());
    assert!(
        queue.enter(paths(&["a"]), 5),
        "a file that was done with starts afresh"
    );
}

#[test]
fn a_move_waits_for_both_its_files_and_what_comes_later_waits_for_the_move() {
    let mut queue = FileQueue::default();
    assert!(queue.enter(paths(&["a"]), 1));
    assert!(queue.enter(paths(&["b"]), 2));
    assert!(!queue.enter(paths(&["a", "b"]), 3));
    assert!(
        !queue.enter(paths(&["b", "a"]), 4),
        "the other way round as well"
    );
    assert!(!queue.enter(paths(&["b"]), 5));
    assert!(queue.remove(&1).is_empty(), "b is still written");
    assert_eq!(queue.remove(&2), [3]);
    assert_eq!(queue.remove(&3), [4]);
    assert_eq!(queue.remove(&4), [5]);
}

#[test]
fn a_job_that_touches_less_than_it_came_with_keeps_its_place_and_lets_others_pass() {
    let mut queue = FileQueue::default();
    assert!(queue.enter(paths(&["p"]), 1));
    assert!(!queue.enter(paths(&["p/a"]), 2));
    assert!(!queue.enter(paths(&["p"]), 3));
    assert!(!queue.enter(paths(&["p/b"]), 4));
    assert_eq!(queue.narrow(&1, paths(&["p/a"])), [1]);
    assert_eq!(queue.narrow(&3, paths(&["p/c"])), [3, 4]);
    assert_eq!(queue.remove(&1), [2]);
    assert!(
        queue.narrow(&9, paths(&["p"])).is_empty(),
        "it is not there"
    );
}

#[test]
fn an_end_that_nobody_waits_for_starts_nothing() {
    let mut queue: FileQueue<u8> = FileQueue::default();
    assert!(queue.remove(&1).is_empty());
    assert!(queue.is_empty());
}

#[test]
fn a_cancelled_edit_leaves_the_queue_and_lets_those_pass_that_only_it_held_up() {
    let mut queue = FileQueue::default();
    queue.enter(paths(&["a"]), 1);
    queue.enter(paths(&["a", "b"]), 2);
    queue.enter(paths(&["b"]), 3);
    queue.enter(paths(&["a"]), 4);
    assert_eq!(queue.remove(&2), [3]);
    assert_eq!(queue.remove(&1), [4]);
}

#[test]
fn what_waits_can_be_given_up_all_at_once() {
    let mut queue = FileQueue::default();
    queue.enter(paths(&["a"]), 1);
    queue.enter(paths(&["a"]), 2);
    queue.clear_waiting();
    assert!(queue.remove(&1).is_empty());
    assert!(queue.is_empty());
}

#[test]
fn a_folder_waits_for_what_is_below_it_and_what_is_below_for_the_folder() {
    let mut queue = FileQueue::default();
    assert!(queue.enter(paths(&["src/a.rs"]), 1));
    assert!(!queue.enter(paths(&["src"]), 2), "its folder is removed");
    assert!(!queue.enter(paths(&["src/b/c.rs"]), 3), "below the folder");
    assert!(
        queue.enter(paths(&["src2"]), 4),
        "only the name begins alike"
    );
    assert_eq!(queue.remove(&1), [2]);
    assert!(queue.runs(&2) && !queue.runs(&3));
    assert_eq!(queue.remove(&2), [3]);
}

fn paths(names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(PathBuf::from).collect()
}

proptest! {
    #[test]
    fn no_two_edits_of_a_file_overlap_none_is_lost_and_none_is_overtaken(
        steps in prop::collection::vec((prop::collection::btree_set(0_u8..4, 1..3), any::<bool>()), 0..120),
    ) {
        let mut queue = FileQueue::default();
        let mut keys_of: BTreeMap<usize, BTreeSet<u8>> = BTreeMap::new();
        let mut running: Vec<usize> = Vec::new();
        let mut started: BTreeMap<u8, Vec<usize>> = BTreeMap::new();
        let mut entered: BTreeMap<u8, Vec<usize>> = BTreeMap::new();
        let ends = steps.len() + 1;
        let steps = steps.into_iter().map(Some).chain((0..ends).map(|_| None));
        for (job, step) in steps.enumerate() {
            let begun = match step {
                Some((keys, false)) => {
                    for key in &keys {
                        entered.entry(*key).or_default().push(job);
                    }
                    let starts = queue.enter(keys.iter().map(|key| key.to_string().into()).collect(), job);
                    keys_of.insert(job, keys);
                    if starts { vec![job] } else { Vec::new() }
                }
                Some((_, true)) | None if running.is_empty() => continue,
                Some((_, true)) | None => queue.remove(&running.remove(0)),
            };
            for job in begun {
                let keys = &keys_of[&job];
                prop_assert!(running.iter().all(|other| keys_of[other].is_disjoint(keys)));
                for key in keys {
                    started.entry(*key).or_default().push(job);
                }
                running.push(job);
            }
        }
        prop_assert_eq!(started, entered);
        prop_assert!(queue.is_empty());
    }
}
