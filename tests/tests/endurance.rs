//! The endurance tests in short: `cargo xtask kill-test` and `cargo xtask soak` run them at length.

#![cfg(target_os = "linux")]

use std::path::PathBuf;

use siderail_tests::{kill, soak};

fn siderail() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_siderail_under_test"))
}

#[test]
fn a_kill_at_any_moment_leaves_nothing_and_the_next_run_works() {
    let orders = kill::Orders {
        program: siderail(),
        runs: 6,
        seed: 1,
        jobs: 3,
    };
    let report = kill::run(&orders, |_| {});
    println!("{report}");
    assert!(report.problems.is_empty(), "{report}");
    assert!(
        report.killed.len() >= 3,
        "nobody was there to be killed: {report}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_faulty_agent_loses_no_update_wedges_no_question_and_ends_every_turn() {
    let orders = soak::Orders {
        program: siderail(),
        turns: 120,
        turns_of_session: 10,
        seed: 1,
        jobs: 4,
        keep: None,
    };
    let report = soak::run(&orders, |_| {}).await;
    println!("{report}");
    assert!(report.problems.is_empty(), "{report}");
    assert!(report.turns >= orders.turns);
}
