//! Kills agent, relay, client, guardian, git or a hook with no warning while something is going on, and looks for what
//! is left: processes, half-written files, locks, lost lines, sockets, folders. Then the next run has to work.
//!
//! What is going on, and what must hold then, is a [`Scene`]'s; [`run`](self::run()) carries out many.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::chance::Chance;

mod client;
mod run;
mod scene;
mod task;
mod work;

use run::{Ended, Run};
pub use scene::{Scene, Victim};

/// What to do.
#[derive(Clone, Debug)]
pub struct Orders {
    /// The program `siderail`.
    pub program: PathBuf,
    /// How many times.
    pub runs: u32,
    /// What is going on then: these in turn.
    pub scenes: Vec<Scene>,
    /// Chooses victims and moments.
    pub seed: u64,
    /// Runs at the same time.
    pub jobs: usize,
}

/// What came of all runs.
#[derive(Debug, Default)]
pub struct Report {
    /// How many of each were killed.
    pub killed: BTreeMap<(Scene, Victim), u32>,
    /// Runs that had ended before their victim could be killed.
    pub too_late: u32,
    /// What was left behind or went wrong, with the run's number.
    pub problems: Vec<String>,
    /// What else was seen, and how often.
    pub noted: BTreeMap<&'static str, u32>,
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
        for scene in Scene::ALL {
            let of_scene = self.killed.iter().filter(|((of, _), _)| *of == scene);
            let killed: Vec<String> = of_scene
                .map(|((_, victim), n)| format!("{victim:?} {n}"))
                .collect();
            if !killed.is_empty() {
                writeln!(f, "{scene:?}: killed {}", killed.join(", "))?;
            }
        }
        for (what, n) in &self.noted {
            write!(f, "{what}: {n}; ")?;
        }
        write!(
            f,
            "too late: {}; everything gone after {:.1} s at most; {} problems; {:.0} s",
            self.too_late,
            self.slowest.as_secs_f64(),
            self.problems.len(),
            self.took.as_secs_f64()
        )
    }
}

impl Orders {
    /// Every scene gets its turn, and in it every victim, also in few runs.
    fn who(&self, number: u32) -> Option<(Scene, Victim)> {
        let n_scenes = self.scenes.len().max(1);
        let scene = *self.scenes.get(number as usize % n_scenes)?;
        let victims = scene.victims();
        Some((scene, victims[number as usize / n_scenes % victims.len()]))
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
                    let Some((scene, victim)) = orders.who(number) else {
                        return;
                    };
                    let mut run = Run::new(&orders.program, scene, victim, &mut chance);
                    let outcome = run.perform();
                    lock(&report).add(number, (scene, victim), outcome);
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
    fn add(&mut self, number: u32, who: (Scene, Victim), outcome: Result<Ended, String>) {
        match outcome {
            Ok(ended) => {
                self.slowest = self.slowest.max(ended.gone_after);
                if let Some(what) = ended.noted {
                    *self.noted.entry(what).or_default() += 1;
                }
                if ended.hit {
                    *self.killed.entry(who).or_default() += 1;
                } else {
                    self.too_late += 1;
                }
            }
            Err(why) => {
                let (scene, victim) = who;
                self.problems
                    .push(format!("run {number}, {scene:?}, {victim:?} killed: {why}"));
            }
        }
    }
}
