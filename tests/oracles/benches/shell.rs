//! How fast the guard judges: labelled lines by percentiles, hard shapes by growth, short bombs by their worst.
//!
//! `cargo bench -p siderail-oracles --bench shell`, or `cargo xtask bench`. Each figure is time that
//! the processor worked for it, the best of several tries. It ends with 1 where something grows faster than its size.

use siderail_oracles::clock;
use siderail_oracles::labelled::{self, Labelled, Setting};
use siderail_oracles::shapes;
use siderail_shell::{Analysis, Dialect, FindingKind};
use std::process::ExitCode;
use std::time::Duration;

const TRIES: usize = 25;
/// What a command line of an agent never exceeds in practice.
const ORDINARY: usize = 1 << 10;
const SIZES: [usize; 3] = [16 << 10, 128 << 10, 1 << 20];
/// How much slower a byte may get from the smallest size to the largest.
const GROWTH: f64 = 6.0;

fn main() -> ExitCode {
    lines();
    bombs();
    if growth() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// The best of some tries, each of which judges a text several times: asking for the time costs time, too.
fn best(tries: usize, times: u32, setting: &Setting, text: &[u8]) -> Duration {
    let one_try = || {
        let all = || {
            for _ in 0..times {
                std::hint::black_box(setting.analyse(std::hint::black_box(text)));
            }
        };
        clock::computed(all).1 / times
    };
    (0..tries).map(|_| one_try()).min().unwrap_or_default()
}

/// The best of three tries of one judgement, and what was said.
fn best_of_three(setting: &Setting, text: &str) -> (Duration, &'static str) {
    let one_try = || clock::computed(|| setting.analyse(std::hint::black_box(text.as_bytes())));
    let (analysis, first) = one_try();
    let best = first.min(one_try().1).min(one_try().1);
    (best, answer(&analysis))
}

fn lines() {
    let mut all = labelled::read(&labelled::corpus());
    all.extend(labelled::read(&labelled::fresh()));
    all.retain(|line| line.command.len() <= ORDINARY);
    println!(
        "{} labelled lines of at most {ORDINARY} bytes, best of {TRIES}, in microseconds",
        all.len()
    );
    println!(
        "{:20} {:>6} {:>8} {:>8} {:>8} {:>8}",
        "shell", "lines", "median", "p90", "p99", "most"
    );
    let shells = [
        ("bash", Dialect::Bash),
        ("PowerShell", Dialect::PowerShell),
        ("cmd", Dialect::Cmd),
        ("fish", Dialect::Fish),
    ];
    for (name, dialect) in shells {
        let of_shell = all.iter().filter(|line| line.setting.dialect == dialect);
        let of_shell: Vec<&Labelled> = of_shell.collect();
        row(name, &of_shell);
        let scripts = scripts(&of_shell);
        row(
            &format!("{name}, scripts"),
            &scripts.iter().collect::<Vec<_>>(),
        );
    }
    row("all", &all.iter().collect::<Vec<_>>());
}

/// Lines put together until they are as long as an ordinary text gets: the worst that is ordinary.
fn scripts(lines: &[&Labelled]) -> Vec<Labelled> {
    let mut scripts: Vec<Labelled> = Vec::new();
    for line in lines
        .iter()
        .filter(|line| line.kinds.iter().all(|kind| *kind != FindingKind::Opaque))
    {
        match scripts.last_mut() {
            Some(last) if last.command.len() + 1 + line.command.len() <= ORDINARY => {
                last.command.push('\n');
                last.command.push_str(&line.command);
            }
            _ => scripts.push((*line).clone()),
        }
    }
    scripts
}

fn row(name: &str, lines: &[&Labelled]) {
    let time = |line: &&Labelled| {
        best(TRIES, 10, &line.setting, line.command.as_bytes()).as_secs_f64() * 1e6
    };
    let mut times: Vec<f64> = lines.iter().map(time).collect();
    times.sort_by(f64::total_cmp);
    let at = |percent: usize| {
        times
            .get(times.len().saturating_sub(1) * percent / 100)
            .copied()
            .unwrap_or(0.0)
    };
    println!(
        "{name:20} {:6} {:8.1} {:8.1} {:8.1} {:8.1}",
        times.len(),
        at(50),
        at(90),
        at(99),
        at(100)
    );
}

fn bombs() {
    println!("\nshort texts that unfold, best of 3");
    let setting = Setting::of(Dialect::Bash);
    for (name, text) in shapes::bombs() {
        let (took, answer) = best_of_three(&setting, &text);
        println!(
            "{name:36} {:6} bytes {:10.3} ms  {answer}",
            text.len(),
            took.as_secs_f64() * 1e3,
        );
    }
}

/// What is said of a text: all of it was followed, or it was given up.
fn answer(analysis: &Analysis) -> &'static str {
    let opaque = analysis
        .findings
        .iter()
        .find(|finding| finding.kind == FindingKind::Opaque);
    match opaque {
        None => "followed",
        Some(finding) if finding.why.contains("cannot be parsed") => "not valid",
        Some(finding) if finding.why.contains("too ") => "given up",
        Some(_) => "opaque",
    }
}

/// Prints what each shape costs at each size; whether all of them grow no faster than their size.
fn growth() -> bool {
    let [small, middle, large] = SIZES;
    println!(
        "\nhard shapes, best of 3, in milliseconds; growth is the cost of a byte at {large} bytes over that at {small}"
    );
    println!(
        "{:40} {:>9} {:>9} {:>9} {:>7}",
        "shape", "16 KiB", "128 KiB", "1 MiB", "growth"
    );
    let mut linear = true;
    let mut slowest = (0.0_f64, "");
    for shape in shapes::all() {
        let setting = Setting::of(shape.dialect);
        let time = |size: usize| {
            let (took, answer) = best_of_three(&setting, &shape.text(size));
            (took.as_secs_f64() * 1e3, answer)
        };
        let [(at_small, _), (at_middle, _), (at_large, answer)] = [small, middle, large].map(time);
        // Below a tenth of a millisecond the clock and the caches decide.
        let growth = at_large / at_small.max(0.1) / (large as f64 / small as f64);
        linear &= growth < GROWTH;
        slowest = if at_large > slowest.0 {
            (at_large, shape.name)
        } else {
            slowest
        };
        println!(
            "{:40} {at_small:9.3} {at_middle:9.3} {at_large:9.3} {growth:7.2}  {answer}",
            shape.name.escape_debug().to_string()
        );
    }
    println!(
        "slowest at {large} bytes: {} with {:.1} ms",
        slowest.1.escape_debug(),
        slowest.0
    );
    linear
}
