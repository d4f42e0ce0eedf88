//! `cargo xtask kill-test`: see `siderail_tests::kill`.

use std::process::ExitCode;

use siderail_tests::kill::{self, Orders, Scene};
use siderail_tests::stage::program_beside;
use siderail_tests::words::Words;

const USAGE: &str = "\
usage: kill_test [--runs N] [--scene NAME] [--seed S] [--jobs J] [--program PATH]

  --runs     kills (default 200)
  --scene    turn, load, flood, commit or history (default: all, in turn)
  --seed     chooses shapes and moments (default: from the clock; it is printed)
  --jobs     runs at the same time (default 4)
  --program  the siderail to test (default: SIDERAIL_BIN, or the one beside this program)
";

fn scenes(words: &mut Words) -> Result<Vec<Scene>, String> {
    let Some(name) = words.value("--scene")? else {
        return Ok(Scene::ALL.to_vec());
    };
    let scene = Scene::named(&name).ok_or_else(|| format!("there is no scene {name}"))?;
    Ok(vec![scene])
}

fn main() -> ExitCode {
    let mut words = Words::of_process();
    let orders = words
        .program("--program", program_beside())
        .and_then(|program| {
            Ok(Orders {
                program,
                runs: words.number("--runs", 200)?,
                scenes: scenes(&mut words)?,
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
