//! Kills agent, relay, client or guardian with no warning at a random moment of a turn, and looks for what is
//! left: processes, half-written files, sockets, folders. Then the next run has to work.
//!
//! The killed run is as busy as a run can be: the agent has stray children (one in a session of its own), our
//! tools rewrite a large file again and again, and commands of ours leave children too.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::chance::Chance;
use crate::processes::Process;

mod run;

use run::{Ended, Run};

/// From the end of the client to the end of everything that it started.
pub const LIMIT: Duration = Duration::from_secs(5);

/// What to do.
#[derive(Clone, Debug)]
pub struct Orders {
    /// The program `siderail`.
    pub program: PathBuf,
    /// How many times.
    pub runs: u32,
    /// Chooses victims and moments.
    pub seed: u64,
    /// Runs at the same time.
    pub jobs: usize,
}

/// Who is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Victim {
    /// The agent itself.
    Agent,
    /// Our MCP relay.
    Relay,
    /// `siderail run`.
    Client,
    /// What ends the agent's tree when the client is gone.
    Guardian,
}

impl Victim {
    const ALL: [Self; 4] = [Self::Agent, Self::Relay, Self::Client, Self::Guardian];

    /// Among the processes of a run; the client is known without that.
    fn among(self, processes: &[Process]) -> Option<i32> {
        let role = |process: &&Process| {
            let word = |at: usize| process.words.get(at).map_or("", String::as_str);
            match self {
                Self::Agent => word(1) == "scripted-agent",
                Self::Relay => word(1) == "relay" && word(2).is_empty(),
                Self::Guardian => word(1) == "relay" && word(2) == "guardian",
                Self::Client => word(1) == "run",
            }
        };
        processes.iter().find(role).map(|process| process.pid)
    }
}

/// What came of all runs.
#[derive(Debug, Default)]
pub struct Report {
    /// How many of each were killed.
    pub killed: BTreeMap<Victim, u32>,
    /// Runs that had ended before their victim could be killed.
    pub too_late: u32,
    /// What was left behind or went wrong, with the run's number.
    pub problems: Vec<String>,
    /// Kills that left an unfinished file, which the next run then took away.
    pub torn_writes: u32,
    /// The slowest end of everything, counted from the client's end.
    pub slowest: Duration,
    /// All of it.
    pub took: Duration,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for problem in &self.problems {
            writeln!(f, "{problem}")?;
        }
        let killed: Vec<String> = self
            .killed
            .iter()
            .map(|(victim, n)| format!("{victim:?} {n}"))
            .collect();
        write!(
            f,
            "killed: {}; too late: {}; writes torn: {}; everything gone after {:.1} s at most; \
             {} problems; {:.0} s",
            killed.join(", "),
            self.too_late,
            self.torn_writes,
            self.slowest.as_secs_f64(),
            self.problems.len(),
            self.took.as_secs_f64()
        )
    }
}

/// Carries the orders out; `told` is called after each run with its number.
pub fn run(orders: &Orders, told: impl Fn(u32) + Sync) -> Report {
    let started = Instant::now();
    let report = Mutex::new(Report::default());
    let next = AtomicU32::new(0);
    let chances = Mutex::new(Chance::new(orders.seed));
    std::thread::scope(|scope| {
        for _ in 0..orders.jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let mut chance = lock(&chances).fork();
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= orders.runs {
                        return;
                    }
                    // Every victim gets its turn, also in few runs.
                    let victim = Victim::ALL[number as usize % Victim::ALL.len()];
                    let outcome = Run::new(&orders.program, victim, &mut chance).perform();
                    lock(&report).add(number, victim, outcome);
                    told(number);
                }
            });
        }
    });
    let mut report = report.into_inner().unwrap_or_default();
    report.took = started.elapsed();
    report
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Report {
    fn add(&mut self, number: u32, victim: Victim, outcome: Result<Ended, String>) {
        match outcome {
            Ok(Ended {
                hit,
                torn_write,
                gone_after,
            }) => {
                self.slowest = self.slowest.max(gone_after);
                self.torn_writes += u32::from(torn_write);
                if hit {
                    *self.killed.entry(victim).or_default() += 1;
                } else {
                    self.too_late += 1;
                }
            }
            Err(why) => self
                .problems
                .push(format!("run {number}, {victim:?} killed: {why}")),
        }
    }
}
