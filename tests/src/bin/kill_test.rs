//! `cargo xtask kill-test`: see `siderail_tests::kill`.

use std::process::ExitCode;

use siderail_tests::kill::{self, Orders};
use siderail_tests::stage::program_beside;
use siderail_tests::words::Words;

const USAGE: &str = "\
usage: kill_test [--runs N] [--seed S] [--jobs J] [--program PATH]

  --runs     kills (default 200)
  --seed     chooses shapes and moments (default: from the clock; it is printed)
  --jobs     runs at the same time (default 4)
  --program  the siderail to test (default: SIDERAIL_BIN, or the one beside this program)
";

fn main() -> ExitCode {
    let mut words = Words::of_process();
    let orders = words
        .program("--program", program_beside())
        .and_then(|program| {
            Ok(Orders {
                program,
                runs: words.number("--runs", 200)?,
                seed: words.seed()?,
                jobs: words.number("--jobs", 4)?,
            })
        });
    let orders = match orders.and_then(|orders| words.finish().map(|()| orders)) {
        Ok(orders) => orders,
        Err(why) => {
            eprintln!("{why}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    println!("{} kills, seed {}", orders.runs, orders.seed);
    let report = kill::run(&orders, |number| {
        if number % 20 == 19 {
            println!("{} …", number + 1);
        }
    });
    println!("{report}");
    if report.problems.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
