//! `cargo xtask kill-test`: see `siderail_tests::kill`.

use std::process::ExitCode;

use siderail_tests::arguments::Arguments;
use siderail_tests::kill::{self, Orders, Scene};
use siderail_tests::stage::program_beside;

const USAGE: &str = "\
usage: kill_test [--runs N] [--scene NAME] [--seed S] [--jobs J] [--program PATH]

  --runs     kills (default 200)
  --scene    turn, load, flood, commit or history (default: all, in turn)
  --seed     chooses shapes and moments (default: from the clock; it is printed)
  --jobs     runs at the same time (default 4)
  --program  the siderail to test (default: SIDERAIL_BIN, or the one beside this program)
";

fn scenes(arguments: &mut Arguments) -> Result<Vec<Scene>, String> {
    let Some(name) = arguments.value("--scene")? else {
        return Ok(Scene::ALL.to_vec());
    };
    let scene = Scene::named(&name).ok_or_else(|| format!("there is no scene {name}"))?;
    Ok(vec![scene])
}

fn main() -> ExitCode {
    let mut arguments = Arguments::of_process();
    let orders = arguments
        .program("--program", program_beside())
        .and_then(|program| {
            Ok(Orders {
                program,
                runs: arguments.number("--runs", 200)?,
                scenes: scenes(&mut arguments)?,
                seed: arguments.seed()?,
                jobs: arguments.number("--jobs", 4)?,
            })
        });
    let orders = match orders.and_then(|orders| arguments.finish().map(|()| orders)) {
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
