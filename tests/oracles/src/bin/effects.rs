//! `effects`: a long run of the effect oracle. `--lines` says how many lines, `SIDERAIL_SEED` brings a run back.
//!
//! It is also the program that runs inside of the sandbox, by itself: `--inside` fails anywhere else.

#[cfg(unix)]
fn main() -> std::io::Result<()> {
    use siderail_oracles::effects;
    use siderail_oracles::effort::Effort;

    let arguments: Vec<_> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--inside") {
        return effects::inside::serve();
    }
    let asked = arguments
        .iter()
        .skip_while(|argument| *argument != "--lines")
        .nth(1);
    let n_lines = asked
        .and_then(|number| number.parse().ok())
        .unwrap_or(20_000);
    let effort = Effort::asked();
    let report = effects::run(
        &std::env::current_exe()?,
        effort.seed,
        effort.programs(n_lines),
    )?;
    print!("{report}");
    for (count, part) in report.classes().into_iter() {
        println!("{count:6} {part:?}");
    }
    std::process::exit(i32::from(
        !report.misses.is_empty() || !report.opacity_is_bearable(),
    ));
}

#[cfg(not(unix))]
fn main() {
    println!("the sandbox of the effect oracle needs Linux");
}
