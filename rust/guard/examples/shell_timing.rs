//! Measures the shell analysis: percentiles over the labelled lines, and growth up to a megabyte.
//!
//! `cargo run --release -p siderail-guard --example shell_timing`

use siderail_guard::shell::{Dialect, ShellInput, analyse};
use std::time::{Duration, Instant};

const ROUNDS: usize = 25;

fn time(line: &str, dialect: Dialect) -> Duration {
    let windows = matches!(dialect, Dialect::PowerShell | Dialect::Cmd);
    let root = if windows { "C:\\proj" } else { "/proj" };
    let start = Instant::now();
    let analysis = analyse(&ShellInput {
        command: line.as_bytes(),
        dialect,
        root,
        cwd: root,
        home: None,
        tools: None,
    });
    let elapsed = start.elapsed();
    std::hint::black_box(analysis);
    elapsed
}

/// The lines of the corpus with their dialects; those of several lines are left out.
fn lines() -> Vec<(Dialect, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus");
    let files = std::fs::read_dir(folder).expect("the corpus folder");
    let mut lines = Vec::new();
    for file in files.map(|file| file.expect("a folder entry").path()) {
        if file.extension().is_none_or(|extension| extension != "txt") {
            continue;
        }
        let stem = file
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let dialect = Dialect::from_name(&stem).unwrap_or(Dialect::Bash);
        let text = std::fs::read_to_string(&file).expect("a readable corpus file");
        let commands = text
            .lines()
            .filter(|line| !line.starts_with(['#', '%', ' ']));
        let commands = commands.filter_map(|line| line.split_once('|'));
        lines.extend(
            commands
                .filter(|(_, c)| !c.trim().is_empty())
                .map(|(_, c)| (dialect, c.trim().to_owned())),
        );
    }
    lines
}

fn report(name: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "{name}: {} lines, p50 {:?}, p90 {:?}, p99 {:?}, p99.9 {:?}, longest {:?}",
        times.len(),
        at(0.5),
        at(0.9),
        at(0.99),
        at(0.999),
        at(1.0)
    );
}

fn main() {
    let lines = lines();
    for (name, count) in [("as they are", 1), ("joined to about 1 KB", 0)] {
        let joined: Vec<(Dialect, String)> = lines
            .iter()
            .map(|(dialect, line)| {
                let n_copies = if count == 0 {
                    (1_000 / (line.len() + 1)).max(1)
                } else {
                    1
                };
                (*dialect, vec![line.as_str(); n_copies].join("\n"))
            })
            .collect();
        let fastest = |(dialect, line): &(Dialect, String)| {
            (0..ROUNDS)
                .map(|_| time(line, *dialect))
                .min()
                .unwrap_or_default()
        };
        report(name, joined.iter().map(fastest).collect());
        report(
            &format!("{name}, first run"),
            joined
                .iter()
                .map(|(dialect, line)| time(line, *dialect))
                .collect(),
        );
    }
    for piece in [
        "cargo build && ",
        "cat src/main.rs | grep foo; ",
        "echo \"$(cat a)\"; ",
        "a ",
        "(",
    ] {
        let times: Vec<String> = [1 << 10, 1 << 14, 1 << 17, 1 << 20]
            .into_iter()
            .map(|size: usize| {
                format!(
                    "{:?}",
                    time(&piece.repeat(size / piece.len()), Dialect::Bash)
                )
            })
            .collect();
        println!(
            "{piece:?} repeated to 1 KB, 16 KB, 128 KB, 1 MB: {}",
            times.join(", ")
        );
    }
}
