//! `cargo xtask soak`: see `siderail_tests::soak`.

use std::cell::Cell;
use std::process::ExitCode;

use siderail_tests::soak::{self, Orders};
use siderail_tests::stage::program_beside;
use siderail_tests::words::Words;

const USAGE: &str = "\
usage: soak [--turns N] [--seed S] [--jobs J] [--keep FOLDER] [--program PATH]

  --turns    prompt turns (default 10000)
  --seed     chooses scripts, faults and answers (default: from the clock; it is printed)
  --jobs     sessions at the same time (default 4)
  --keep     where script, traffic and events of sessions with problems are kept (default: nowhere)
  --program  the siderail that is agent, relay and guardian (default: SIDERAIL_BIN, or the one beside
             this program)
";

fn main() -> ExitCode {
    let mut words = Words::of_process();
    let orders = words
        .program("--program", program_beside())
        .and_then(|program| {
            Ok(Orders {
                program,
                turns: words.number("--turns", 10_000)?,
                turns_of_session: 50,
                seed: words.seed()?,
                jobs: words.number("--jobs", 4)?,
                keep: words.value("--keep")?.map(Into::into),
            })
        });
    let orders = match orders.and_then(|orders| words.finish().map(|()| orders)) {
        Ok(orders) => orders,
        Err(why) => {
            eprintln!("{why}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    println!("{} turns, seed {}", orders.turns, orders.seed);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("no threads can be started: {error}");
            return ExitCode::FAILURE;
        }
    };
    let told = Cell::new(0);
    let report = runtime.block_on(soak::run(&orders, |so_far| {
        if so_far.turns / 1_000 > told.replace(so_far.turns / 1_000) {
            println!("{} turns, {} MB", so_far.turns, so_far.memory.1 >> 20);
        }
    }));
    println!("{report}");
    if report.problems.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
