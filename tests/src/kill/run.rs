//! One run, its kill, what is left of it, and the run after it.

use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::{LIMIT, Victim};
use crate::chance::Chance;
use crate::client;
use crate::place::{Place, paths_below};
use crate::processes::{MARK, kill_9, left_after, marked, new_mark};

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

/// A run that left nothing.
pub(super) struct Ended {
    /// The victim was still there.
    pub(super) hit: bool,
    /// A file was being written.
    pub(super) torn_write: bool,
    /// From the client's end to the end of everything.
    pub(super) gone_after: Duration,
}

/// One run, its kill, and the run after it.
pub(super) struct Run<'p> {
    program: &'p Path,
    place: Place,
    shape: &'static str,
    victim: Victim,
    moment: Moment,
}

/// When is killed.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// So long after the start.
    After(Duration),
    /// As soon as a file is being written.
    InAWrite,
}

impl<'p> Run<'p> {
    pub(super) fn new(program: &'p Path, victim: Victim, chance: &mut Chance) -> Self {
        let place = Place::new();
        place.write("project/src/App.java", &version(0));
        place.write("script.toml", &busy_script());
        place.write("next.toml", NEXT_SCRIPT);
        Self {
            program,
            place,
            shape: chance.one_of(&SHAPES),
            victim,
            moment: if victim == Victim::Client && chance.happens(500) {
                Moment::InAWrite
            } else {
                Moment::After(Duration::from_millis(chance.below(MOMENTS_MS)))
            },
        }
    }

    /// Kills, looks, and runs again.
    pub(super) fn perform(&self) -> Result<Ended, String> {
        self.checked()
            .map_err(|why| format!("{} at {:?}: {why}", self.shape, self.moment))
    }

    fn checked(&self) -> Result<Ended, String> {
        let mark = new_mark();
        let mut client = self.start("script.toml", &mark, "killed.jsonl")?;
        self.wait_for_the_moment(&mut client);
        let hit = self.kill(&mark, &mut client);
        let torn_write = self.unfinished().next().is_some();
        if client::wait(&mut client, PATIENCE).is_none() {
            kill_9(client.id().cast_signed());
            let told = self.last_events("killed.jsonl");
            return Err(format!(
                "the client did not end; {:?}; its last events:\n{told}",
                marked(&mark)
            ));
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
        Ok(Ended {
            hit,
            torn_write,
            gone_after,
        })
    }

    /// The end of what a client printed, to see what it waited for.
    fn last_events(&self, output: &str) -> String {
        let text = std::fs::read_to_string(self.place.path(output)).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(8)..].join("\n")
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

    fn wait_for_the_moment(&self, client: &mut Child) {
        match self.moment {
            Moment::After(time) => std::thread::sleep(time),
            Moment::InAWrite => {
                let end = Instant::now() + PATIENCE;
                let is_running = |client: &mut Child| matches!(client.try_wait(), Ok(None));
                while self.unfinished().next().is_none()
                    && is_running(client)
                    && Instant::now() < end
                {
                    std::hint::spin_loop();
                }
            }
        }
    }

    /// Kills the victim once it is there; false when the run ended before.
    fn kill(&self, mark: &str, client: &mut Child) -> bool {
        let pid = client.id().cast_signed();
        if self.victim == Victim::Client && matches!(client.try_wait(), Ok(None)) {
            kill_9(pid);
            return true;
        }
        let end = Instant::now() + APPEARS;
        while Instant::now() < end && matches!(client.try_wait(), Ok(None)) {
            if let Some(victim) = self.victim.among(&marked(mark)) {
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
