//! Kills agent, relay, client or guardian with no warning at a random moment of a turn, and looks for what is
//! left: processes, half-written files, sockets, folders. Then the next run has to work.
//!
//! The killed run is as busy as a run can be: the agent has stray children (one in a session of its own), our
//! tools rewrite a large file again and again, and commands of ours leave children too.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::chance::Chance;
use crate::client;
use crate::place::{Place, paths_below};
use crate::processes::{MARK, Process, kill_9, left_after, marked, new_mark};

/// From the end of the client to the end of everything that it started.
pub const LIMIT: Duration = Duration::from_secs(5);
/// A run that takes longer than this is wedged.
const PATIENCE: Duration = Duration::from_secs(180);
/// The moments at which is killed, counted from the start.
const MOMENTS_MS: u64 = 2_000;
/// A victim that is not there yet is waited for at most this long.
const APPEARS: Duration = Duration::from_secs(3);
/// Lines of each version of the file that is rewritten.
const LINES: usize = 4_000;
/// Versions that a run writes.
const VERSIONS: usize = 4;
/// Unfinished files are swept once they are this old.
const SETTLED: Duration = Duration::from_millis(2_200);

const SHAPES: [&str; 10] = [
    "copilot",
    "claude",
    "codex",
    "codex-zed",
    "gemini",
    "qwen",
    "opencode",
    "vibe",
    "openhands",
    "fast-agent",
];

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

    /// Among the processes of a run, whose client is known.
    fn among(self, processes: &[Process], client: i32) -> Option<i32> {
        let role = |process: &&Process| {
            let word = |at: usize| process.words.get(at).map_or("", String::as_str);
            match self {
                Self::Agent => word(1) == "scripted-agent",
                Self::Relay => word(1) == "relay" && word(2).is_empty(),
                Self::Guardian => word(1) == "relay" && word(2) == "guardian",
                Self::Client => process.pid == client,
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
            "killed: {}; too late: {}; everything gone after {:.1} s at most; {} problems; {:.0} s",
            killed.join(", "),
            self.too_late,
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
            Ok(Ended { hit, gone_after }) => {
                self.slowest = self.slowest.max(gone_after);
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

/// A run that left nothing.
struct Ended {
    /// The victim was still there.
    hit: bool,
    /// From the client's end to the end of everything.
    gone_after: Duration,
}

/// One run, its kill, and the run after it.
struct Run<'p> {
    program: &'p Path,
    place: Place,
    shape: &'static str,
    victim: Victim,
    moment: Duration,
}

impl<'p> Run<'p> {
    fn new(program: &'p Path, victim: Victim, chance: &mut Chance) -> Self {
        let place = Place::new();
        place.write("project/src/App.java", &version(0));
        place.write("script.toml", &busy_script());
        place.write("next.toml", NEXT_SCRIPT);
        Self {
            program,
            place,
            shape: chance.one_of(&SHAPES),
            victim,
            moment: Duration::from_millis(chance.below(MOMENTS_MS)),
        }
    }

    fn perform(&self) -> Result<Ended, String> {
        self.checked()
            .map_err(|why| format!("{} at {:?}: {why}", self.shape, self.moment))
    }

    fn checked(&self) -> Result<Ended, String> {
        let mark = new_mark();
        let mut client = self.start("script.toml", &mark, "killed.jsonl")?;
        std::thread::sleep(self.moment);
        let hit = self.kill(&mark, &mut client);
        if client::wait(&mut client, PATIENCE).is_none() {
            kill_9(client.id().cast_signed());
            return Err(format!("the client did not end; {:?}", marked(&mark)));
        }
        let ended = Instant::now();
        let left = left_after(&mark, LIMIT);
        let gone_after = ended.elapsed();
        if !left.is_empty() {
            left.iter().for_each(|process| kill_9(process.pid));
            return Err(format!("left after {LIMIT:?}: {left:?}"));
        }
        if self.victim != Victim::Client {
            self.summary_is_last("killed.jsonl")?;
        }
        self.file_is_whole()?;
        self.next_run()?;
        Ok(Ended { hit, gone_after })
    }

    fn start(&self, script: &str, mark: &str, output: &str) -> Result<Child, String> {
        let agent = client::agent_command(self.program, self.shape, &self.place.path(script));
        let words = [
            "run",
            "--agent",
            self.shape,
            "--agent-command",
            &agent,
            "--agent-env",
            "GEMINI_API_KEY=none",
            "--consent",
            "openhands",
            "--policy",
            "ask",
            "--answer",
            "allow",
            "--json",
            "go",
        ];
        let output = std::fs::File::create(self.place.path(output)).map_err(|e| e.to_string())?;
        let mut command = client::siderail(self.program, &self.place, &words);
        command.env(MARK, mark).stdout(output).stderr(Stdio::null());
        command
            .spawn()
            .map_err(|error| format!("not started: {error}"))
    }

    /// Kills the victim once it is there; false when the run ended before.
    fn kill(&self, mark: &str, client: &mut Child) -> bool {
        let pid = client.id().cast_signed();
        let end = Instant::now() + APPEARS;
        while Instant::now() < end && matches!(client.try_wait(), Ok(None)) {
            if let Some(victim) = self.victim.among(&marked(mark), pid) {
                kill_9(victim);
                return true;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        false
    }

    fn summary_is_last(&self, output: &str) -> Result<(), String> {
        let text = self.place.read(output);
        match text.lines().next_back() {
            Some(last) if last.contains("\"event\":\"SUMMARY\"") => Ok(()),
            last => Err(format!("the last line is no summary: {last:?}")),
        }
    }

    fn file_is_whole(&self) -> Result<(), String> {
        let text = self.place.read("project/src/App.java");
        match (0..=VERSIONS).any(|number| text == version(number)) {
            true => Ok(()),
            false => Err(format!(
                "the file is no whole version: {} bytes",
                text.len()
            )),
        }
    }

    /// The next run works, and nothing of the killed one is there after it.
    fn next_run(&self) -> Result<(), String> {
        if self.unfinished().next().is_some() {
            std::thread::sleep(SETTLED);
        }
        let mark = new_mark();
        let mut client = self.start("next.toml", &mark, "next.jsonl")?;
        match client::wait(&mut client, PATIENCE) {
            Some(0) => self.summary_is_last("next.jsonl")?,
            code => {
                return Err(format!(
                    "the next run: {code:?}, {}",
                    self.place.read("next.jsonl")
                ));
            }
        }
        let left = left_after(&mark, LIMIT);
        if !left.is_empty() {
            return Err(format!("left of the next run: {left:?}"));
        }
        if let Some(path) = self.unfinished().next() {
            return Err(format!("an unfinished file stays: {}", path.display()));
        }
        let home = self.place.path("home/.openhands");
        let folders = paths_below(&self.place.path("run/siderail"));
        match folders.first().or(home.exists().then_some(&home)) {
            Some(path) => Err(format!("after the next run: {}", path.display())),
            None => Ok(()),
        }
    }

    fn unfinished(&self) -> impl Iterator<Item = PathBuf> + use<> {
        let is_unfinished = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.contains(".siderail-")
        };
        paths_below(&self.place.path("project"))
            .into_iter()
            .filter(is_unfinished)
    }
}

/// A whole text of the file that is rewritten.
fn version(number: usize) -> String {
    format!("// version {number}\n").repeat(LINES)
}

fn busy_script() -> String {
    let step = |number: usize| {
        let text = version(number).replace('\n', "\\n");
        format!(
            "{{ call = 'intellij_write_file', arguments = {{ path = 'src/App.java', content = \"{text}\" }} }},\n\
             {{ call = 'run_command', arguments = {{ command = 'sleep 60 & (setsid sleep 60 &) ; sleep 0.1' }} }},\n"
        )
    };
    let steps: String = (1..=VERSIONS).map(step).collect();
    format!("[[prompt]]\nstep = [{{ spawn_grandchild = true }},\n{steps}{{ sleep = 1 }}]\n")
}

/// A call of ours, so that the host looks for what was left, and time for that.
const NEXT_SCRIPT: &str = "\
[[prompt]]
step = [
  { call = 'intellij_read_file', arguments = { path = 'src/App.java', line = 1, limit = 3 } },
  { sleep = 0.5 },
]
";
