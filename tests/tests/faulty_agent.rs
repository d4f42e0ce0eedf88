//! The soak test in short: `cargo xtask soak` runs it at length. Alone in its program, because it measures the memory
//! of that.

#![cfg(target_os = "linux")]

use std::path::PathBuf;

use siderail_tests::soak;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_faulty_agent_loses_no_update_wedges_no_question_and_ends_every_turn() {
    let orders = soak::Orders {
        program: PathBuf::from(env!("CARGO_BIN_EXE_siderail_under_test")),
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
