//! One run, its kill, what is left of it, and the run after it.

use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

use super::client::spawn;
use super::scene::{Scene, Victim};
use super::task::{Left, Start, Work};
use super::work;
use crate::chance::Chance;
use crate::client;
use crate::place::{Place, paths_below};
use crate::processes::{kill_9, left_after, marked, new_mark};

/// From the end of the client to the end of everything that it started.
const LIMIT: Duration = Duration::from_secs(5);
/// A run that takes longer than this is wedged.
const PATIENCE: Duration = Duration::from_secs(180);
/// The moments at which is killed, counted from the start.
const MOMENTS_MS: u64 = 2_000;
/// A victim that is not there yet is waited for at most this long.
const APPEARS: Duration = Duration::from_secs(3);
/// Bytes of a line in a message.
const LINE: usize = 400;

/// A run that left nothing.
pub(super) struct Ended {
    /// The victim was still there.
    pub(super) hit: bool,
    /// What is worth counting.
    pub(super) noted: Option<&'static str>,
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
    work: Box<dyn Work>,
}

/// When is killed.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// So long after the start.
    After(Duration),
    /// As soon as the work says so.
    AtWork,
}

impl<'p> Run<'p> {
    pub(super) fn new(
        program: &'p Path,
        scene: Scene,
        victim: Victim,
        chance: &mut Chance,
    ) -> Self {
        let work = work::of_scene(scene, chance);
        let at_work = victim.is_short_lived() || chance.happens(scene.at_work(victim));
        Self {
            program,
            place: Place::new(),
            shape: chance.one_of(work.shapes()),
            victim,
            moment: match at_work {
                true => Moment::AtWork,
                false => Moment::After(Duration::from_millis(chance.below(MOMENTS_MS))),
            },
            work,
        }
    }

    /// Kills, looks, and runs again.
    pub(super) fn perform(&mut self) -> Result<Ended, String> {
        self.checked()
            .map_err(|why| format!("{} at {:?}: {why}", self.shape, self.moment))
    }

    fn checked(&mut self) -> Result<Ended, String> {
        self.work.prepare(&self.place, self.program, self.shape)?;
        let mark = new_mark();
        let mut client = self.start(&self.work.busy(), &mark, "killed.jsonl")?;
        self.wait_for_the_moment(&mut client);
        let hit = self.kill(&mark, &mut client);
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
        let left = Left {
            place: &self.place,
            program: self.program,
            victim: self.victim,
            hit,
        };
        let noted = self.work.killed(&left)?;
        self.next_run()?;
        self.work.mended(&left)?;
        Ok(Ended {
            hit,
            noted,
            gone_after,
        })
    }

    /// The end of what a client printed, to see what it waited for.
    fn last_events(&self, output: &str) -> String {
        let text = self.place.read(output);
        let lines: Vec<&str> = text.lines().collect();
        let last = lines[lines.len().saturating_sub(8)..].iter();
        let short = last.map(|line| &line[..line.floor_char_boundary(LINE)]);
        short.collect::<Vec<_>>().join("\n")
    }

    fn start(&self, start: &Start, mark: &str, output: &str) -> Result<Child, String> {
        spawn(&self.place, self.program, self.shape, start, mark, output)
    }

    fn wait_for_the_moment(&self, client: &mut Child) {
        match self.moment {
            Moment::After(time) => std::thread::sleep(time),
            Moment::AtWork => {
                let end = Instant::now() + PATIENCE;
                let is_running = |client: &mut Child| matches!(client.try_wait(), Ok(None));
                while !self.work.has_come(&self.place) && is_running(client) && Instant::now() < end
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
            if !self.victim.is_short_lived() {
                std::thread::sleep(Duration::from_millis(20));
            }
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

    /// The next run works, and nothing of the killed one is there after it.
    fn next_run(&self) -> Result<(), String> {
        let mark = new_mark();
        let mut client = self.start(&self.work.next(), &mark, "next.jsonl")?;
        match client::wait(&mut client, PATIENCE) {
            Some(0) => self.summary_is_last("next.jsonl")?,
            code => {
                let told = self.last_events("next.jsonl");
                return Err(format!("the next run: {code:?}, {told}"));
            }
        }
        let left = left_after(&mark, LIMIT);
        if !left.is_empty() {
            return Err(format!("left of the next run: {left:?}"));
        }
        let home = self.place.path("home/.openhands");
        let folders = paths_below(&self.place.path("run/siderail"));
        match folders.first().or(home.exists().then_some(&home)) {
            Some(path) => Err(format!("after the next run: {}", path.display())),
            None => Ok(()),
        }
    }
}
