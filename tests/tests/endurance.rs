//! The kill test in short: `cargo xtask kill-test` runs it at length.

#![cfg(target_os = "linux")]

use std::path::PathBuf;

use siderail_tests::kill::{self, Scene};

fn siderail() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_siderail_under_test"))
}

fn kills(scene: Scene, runs: u32) {
    let orders = kill::Orders {
        program: siderail(),
        runs,
        scenes: vec![scene],
        seed: 1,
        jobs: 3,
    };
    let report = kill::run(&orders, |_| {});
    println!("{report}");
    assert!(report.problems.is_empty(), "{report}");
    assert!(
        report.killed.len() >= 2,
        "nobody was there to be killed: {report}"
    );
}

#[test]
fn a_kill_at_any_moment_leaves_nothing_and_the_next_run_works() {
    kills(Scene::Turn, 6);
}

#[test]
fn a_kill_while_ten_thousand_updates_are_loaded_leaves_the_history_as_it_was() {
    kills(Scene::Load, 3);
}

#[test]
fn a_kill_among_ten_thousand_updates_loses_at_most_the_line_that_was_not_written_yet() {
    kills(Scene::Flood, 3);
}

#[test]
fn a_kill_during_a_commit_leaves_a_whole_repository_and_no_lock_that_is_not_explained() {
    kills(Scene::Commit, 6);
}

#[test]
fn a_kill_while_history_is_written_and_a_torn_line_lose_nothing_else_and_are_told() {
    kills(Scene::History, 4);
}
