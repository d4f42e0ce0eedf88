//! `cargo xtask soak`: see `siderail_tests::soak`.

use std::cell::Cell;
use std::process::ExitCode;

use siderail_tests::arguments::Arguments;
use siderail_tests::soak::{self, Orders};
use siderail_tests::stage::program_beside;

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
    let mut arguments = Arguments::of_process();
    let orders = arguments
        .program("--program", program_beside())
        .and_then(|program| {
            Ok(Orders {
                program,
                turns: arguments.number("--turns", 10_000)?,
                turns_of_session: 50,
                seed: arguments.seed()?,
                jobs: arguments.number("--jobs", 4)?,
                keep: arguments.value("--keep")?.map(Into::into),
            })
        });
    let orders = match orders.and_then(|orders| arguments.finish().map(|()| orders)) {
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
