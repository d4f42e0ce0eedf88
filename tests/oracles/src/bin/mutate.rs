//! `mutate --inputs N [--seed S] [--from I] [--memory MIB]`: the guard under damaged input.
//!
//! A process of its own with bounded memory judges the inputs, and this one watches it: a panic, a crash, or a
//! thousand inputs that take too long end the run with the numbers of the inputs it happened in, which
//! `--from` brings back. It ends with figures, and with 1 where something went wrong.

use rustix::process::{Resource, Rlimit, setrlimit};
use siderail_oracles::clock;
use siderail_oracles::mutations::Mutations;
use siderail_oracles::random;
use siderail_shell::{Analysis, FindingKind, ShellVerdict};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Inputs between two signs of life.
const BATCH: u64 = 1_000;
/// For a batch; it takes well under a second, and more only where the machine is overloaded.
const PATIENCE: Duration = Duration::from_secs(60);
/// What the judging process may map, in MiB.
const DEFAULT_MEMORY: u64 = 512;

#[derive(Clone, Copy, Debug)]
struct Options {
    inputs: u64,
    seed: u64,
    from: u64,
    memory: u64,
    /// This is the process that judges.
    judges: bool,
}

fn main() -> ExitCode {
    let options = match options(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("{error}\nusage: mutate --inputs N [--seed S] [--from I] [--memory MIB]");
            return ExitCode::from(2);
        }
    };
    let outcome = if options.judges {
        judge(options)
    } else {
        watch(options)
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn options(mut args: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options {
        inputs: 20_000,
        seed: random::fresh_seed(),
        from: 0,
        memory: DEFAULT_MEMORY,
        judges: false,
    };
    while let Some(name) = args.next() {
        if name == "--judge" {
            options.judges = true;
            continue;
        }
        let value = args.next().and_then(|value| value.parse().ok());
        let value = value.ok_or(format!("{name} needs a number"))?;
        match name.as_str() {
            "--inputs" => options.inputs = value,
            "--seed" => options.seed = value,
            "--from" => options.from = value,
            "--memory" => options.memory = value,
            _ => return Err(format!("unknown option {name}")),
        }
    }
    Ok(options)
}

/// Starts the process that judges, and waits for its signs of life.
fn watch(options: Options) -> Result<(), String> {
    let Options {
        inputs,
        seed,
        from,
        memory,
        ..
    } = options;
    println!(
        "seed {seed}, inputs {from} to {}, {memory} MiB",
        from + inputs
    );
    let program = std::env::current_exe().map_err(|error| format!("no path to myself: {error}"))?;
    let mut child = Command::new(program)
        .arg("--judge")
        .args(["--inputs", &inputs.to_string(), "--seed", &seed.to_string()])
        .args(["--from", &from.to_string(), "--memory", &memory.to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("the judging process does not start: {error}"))?;
    let stdout = child.stdout.take().ok_or("stdout is piped")?;
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        let lines = BufReader::new(stdout).lines().map_while(Result::ok);
        lines.into_iter().all(|line| sender.send(line).is_ok())
    });
    let mut done = from;
    let mut last = String::new();
    let stopped = loop {
        match lines.recv_timeout(PATIENCE) {
            Ok(line) => match line
                .strip_prefix("done ")
                .and_then(|number| number.parse().ok())
            {
                Some(number) => done = number,
                None => last = line,
            },
            Err(RecvTimeoutError::Timeout) => break Some("takes too long"),
            Err(RecvTimeoutError::Disconnected) => break None,
        }
    };
    if stopped.is_some() {
        child
            .kill()
            .map_err(|error| format!("the judging process cannot be ended: {error}"))?;
    }
    let status = child
        .wait()
        .map_err(|error| format!("no end of the judging process: {error}"))?;
    println!("{last}");
    match stopped {
        None if status.success() => Ok(()),
        what => Err(format!(
            "{} ({status}) between the inputs {done} and {} of seed {seed}; again: mutate --seed {seed} --from {done} --inputs {BATCH}",
            what.unwrap_or("failed"),
            done + BATCH
        )),
    }
}

/// Judges all inputs and says how far it is after each batch.
fn judge(options: Options) -> Result<(), String> {
    let bytes = Some(options.memory << 20);
    let limit = Rlimit {
        current: bytes,
        maximum: bytes,
    };
    setrlimit(Resource::As, limit).map_err(|error| format!("memory cannot be bounded: {error}"))?;
    let mutations = Mutations::new(options.seed);
    let mut figures = Figures::default();
    let mut out = std::io::stdout();
    for index in options.from..options.from + options.inputs {
        let (text, setting) = mutations.input(index);
        let (answer, took) =
            clock::computed(|| std::panic::catch_unwind(|| setting.analyse(&text)));
        let analysis = answer.map_err(|_| {
            format!(
                "panic at input {index} of seed {}: {:?}",
                options.seed,
                String::from_utf8_lossy(&text)
            )
        })?;
        figures.add(&text, &analysis, (took, text.len(), index));
        if (index + 1 - options.from).is_multiple_of(BATCH) {
            writeln!(out, "done {}", index + 1)
                .map_err(|error| format!("nobody listens: {error}"))?;
        }
    }
    println!("{}", figures.text());
    Ok(())
}

#[derive(Debug, Default)]
struct Figures {
    n_inputs: u64,
    n_bytes: u64,
    n_invalid: u64,
    n_redirect: u64,
    n_ask: u64,
    n_unread: u64,
    times: Vec<u32>,
    /// How long, how large, and which.
    slowest: (Duration, usize, u64),
}

impl Figures {
    fn add(&mut self, text: &[u8], analysis: &Analysis, took: (Duration, usize, u64)) {
        self.n_inputs += 1;
        self.n_bytes += text.len() as u64;
        self.n_invalid += u64::from(std::str::from_utf8(text).is_err());
        match analysis.verdict {
            ShellVerdict::Redirect => self.n_redirect += 1,
            ShellVerdict::Ask => self.n_ask += 1,
            ShellVerdict::Allow => {}
        }
        let opaque = |finding: &siderail_shell::Finding| finding.kind == FindingKind::Opaque;
        self.n_unread += u64::from(analysis.findings.iter().any(opaque));
        self.times
            .push(u32::try_from(took.0.as_nanos() / 100).unwrap_or(u32::MAX));
        self.slowest = self.slowest.max(took);
    }

    fn text(mut self) -> String {
        self.times.sort_unstable();
        let at = |share: usize| {
            let index = self.times.len().saturating_sub(1) * share / 1_000;
            f64::from(self.times.get(index).copied().unwrap_or(0)) / 10.0
        };
        format!(
            "{} inputs, {} bytes, {} not UTF-8; {} redirect, {} ask, {} with opaque; \
             median {:.1} us, p99 {:.1} us, p99.9 {:.1} us, slowest {:.1?} ({} bytes, input {}); {}",
            self.n_inputs,
            self.n_bytes,
            self.n_invalid,
            self.n_redirect,
            self.n_ask,
            self.n_unread,
            at(500),
            at(990),
            at(999),
            self.slowest.0,
            self.slowest.1,
            self.slowest.2,
            peak_memory()
        )
    }
}

/// The most memory that this process has held, where the system says so.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or("peak memory unknown".to_owned(), |line| {
        format!("peak memory {}", line.trim())
    })
}
