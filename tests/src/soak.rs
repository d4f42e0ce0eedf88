//! Many turns with a faulty agent, in one engine: no update is lost or comes out of order, every question is
//! settled once, every turn ends, and the engine's memory does not grow.
//!
//! A session is one agent process with many turns; where the agent dies, the next session starts. What the
//! engine reports is held against the traffic log: the agent numbers its updates, so that a gap shows.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use siderail_engine::EngineHandle;
use siderail_engine::command::{Command, SessionOptions};
use siderail_engine::guard::Policy;
use siderail_engine::settings::Settings;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

use crate::chance::Chance;
use crate::place::Place;
use crate::stage::{scripted_agent, start_engine};

mod ledger;
mod person;
mod script;

use ledger::Ledger;
use person::Person;
use script::Part;

/// Growth of resident memory from the first tenth of the turns to the end that is no growth: caches of the
/// allocator, and sessions that happen to be large.
pub const GROWTH_LIMIT: u64 = 32 << 20;
/// A session from which nothing is heard for this long is wedged.
const WEDGED: Duration = Duration::from_secs(120);
/// Silence after which a turn is cancelled: some faults are that the agent never answers.
const INACTIVITY: Duration = Duration::from_secs(3);
/// A handshake whose answer a fault has swallowed is given up after this.
const HANDSHAKE: Duration = Duration::from_secs(8);
/// How long a traffic log may take to be complete after its session.
const LOG: Duration = Duration::from_secs(10);

/// What to do.
#[derive(Clone, Debug)]
pub struct Orders {
    /// The program `siderail`.
    pub program: PathBuf,
    /// Turns in all.
    pub turns: usize,
    /// Turns of a session whose agent survives them.
    pub turns_of_session: usize,
    /// Chooses everything that is chosen.
    pub seed: u64,
    /// Sessions at the same time.
    pub jobs: usize,
    /// Where script, traffic and events of sessions with problems are kept.
    pub keep: Option<PathBuf>,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Report {
    /// Turns that began and ended.
    pub turns: usize,
    /// Sessions.
    pub sessions: usize,
    /// Stop reasons of sessions.
    pub ends: BTreeMap<String, usize>,
    /// What went wrong, with the session's number and its faults.
    pub problems: Vec<String>,
    /// Resident memory in bytes: its highest value in the first tenth of the turns, and in all.
    pub memory: (u64, u64),
    /// All of it.
    pub took: Duration,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for problem in &self.problems {
            writeln!(f, "{problem}")?;
        }
        let (warm, highest) = (self.memory.0 >> 20, self.memory.1 >> 20);
        write!(
            f,
            "{} turns in {} sessions ({:?}); memory {warm} MB when warm, {highest} MB at most; \
             {} problems; {:.0} s",
            self.turns,
            self.sessions,
            self.ends,
            self.problems.len(),
            self.took.as_secs_f64()
        )
    }
}

/// Events of sessions, on their way to those who play them.
type Inboxes = Arc<Mutex<HashMap<u64, UnboundedSender<Value>>>>;

/// Carries the orders out; `told` is called after each session.
pub async fn run(orders: &Orders, told: impl Fn(&Report)) -> Report {
    let started = Instant::now();
    let home = Place::new();
    let config = home.config(&orders.program);
    let inboxes = Inboxes::default();
    let outbox = Arc::clone(&inboxes);
    let engine = start_engine(config, move |event| {
        let inboxes = outbox.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(inbox) = inboxes.get(&event.session) {
            let event = serde_json::to_value(event).expect("an event is JSON");
            // Whoever played the session has given it up.
            let _ = inbox.send(event);
        }
    });
    let mut report = Report::default();
    let mut chance = Chance::new(orders.seed);
    let mut playing = JoinSet::new();
    let mut number = 0;
    while report.turns < orders.turns || !playing.is_empty() {
        while playing.len() < orders.jobs && report.turns < orders.turns {
            number += 1;
            let (inbox, events) = unbounded_channel();
            inboxes
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(number, inbox);
            let part = script::part(orders.turns_of_session, &mut chance);
            let person = Person::new(number, chance.fork());
            let session = Session::new(number, orders, part, engine.clone(), events, person);
            playing.spawn(session.play());
        }
        let Some(Ok(played)) = playing.join_next().await else {
            continue;
        };
        inboxes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&played.number);
        report.add(played, orders.turns);
        told(&report);
    }
    report.took = started.elapsed();
    report.check_memory();
    report
}

impl Report {
    fn add(&mut self, played: Played, turns_in_all: usize) {
        self.turns += played.turns;
        self.sessions += 1;
        *self.ends.entry(played.stop_reason).or_default() += 1;
        let of = |why: String| format!("session {} ({}): {why}", played.number, played.what);
        self.problems.extend(played.wrong.into_iter().map(of));
        let memory = resident().unwrap_or_default();
        if self.turns * 10 < turns_in_all {
            self.memory.0 = self.memory.0.max(memory);
        }
        self.memory.1 = self.memory.1.max(memory);
    }

    fn check_memory(&mut self) {
        let (warm, highest) = self.memory;
        if warm > 0 && highest > warm + GROWTH_LIMIT {
            self.problems.push(format!(
                "memory grew from {} MB to {} MB",
                warm >> 20,
                highest >> 20
            ));
        }
    }
}

/// Resident memory of this process, where the system tells.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes << 10)
}

/// A session that is over.
struct Played {
    number: u64,
    turns: usize,
    stop_reason: String,
    wrong: Vec<String>,
    /// Shape and faults, to play it again.
    what: String,
}

/// A session as it is played.
struct Session {
    number: u64,
    part: Part,
    place: Place,
    engine: EngineHandle,
    events: UnboundedReceiver<Value>,
    person: Person,
    ledger: Ledger,
    options: SessionOptions,
    turns_left: usize,
    /// Prompts that were sent, and those that are turns, or were dropped by a cancel.
    n_sent: usize,
    n_begun: usize,
    ending: bool,
    keep: Option<PathBuf>,
    /// Its events, where they may be kept.
    seen: String,
}

impl Session {
    fn new(
        number: u64,
        orders: &Orders,
        part: Part,
        engine: EngineHandle,
        events: UnboundedReceiver<Value>,
        mut person: Person,
    ) -> Self {
        let place = Place::new();
        place.write("script.toml", &part.script);
        let script = place.path("script.toml").display().to_string();
        let seed = person.chance.number().to_string();
        let words = [
            "--shape",
            part.shape,
            "--script",
            &script,
            "--faults",
            &part.faults,
            "--seed",
            &seed,
            "--numbered-updates",
        ];
        let mut options = SessionOptions {
            agent: part.shape.to_owned(),
            agent_command: Some(scripted_agent(&orders.program, &words)),
            project: place.project(),
            settings: Settings {
                policy: person.chance.one_of(&[Policy::Ask, Policy::Redirect]),
                hide: person.chance.happens(300),
                inactivity: INACTIVITY,
                ..Settings::default()
            },
            trace: Some(place.path("traffic.jsonl")),
            ..SessionOptions::default()
        };
        let login = ("GEMINI_API_KEY".to_owned(), "no real login".to_owned());
        options.agent_env.extend([login]);
        Self {
            number,
            turns_left: part.script.matches("[[prompt]]").count(),
            part,
            place,
            engine,
            events,
            person,
            ledger: Ledger::default(),
            options,
            n_sent: 0,
            n_begun: 0,
            ending: false,
            keep: orders.keep.clone(),
            seen: String::new(),
        }
    }

    async fn play(mut self) -> Played {
        let mut wrong = Vec::new();
        self.send(Command::StartSession {
            session: self.number,
            options: Box::new(self.options.clone()),
        });
        let mut patience = HANDSHAKE;
        while self.ledger.summary.is_none() {
            let event = tokio::time::timeout(patience, self.events.recv()).await;
            match event {
                Ok(Some(event)) => {
                    patience = WEDGED;
                    self.ledger.event(&event);
                    if self.keep.is_some() {
                        self.seen.push_str(&format!("{event}\n"));
                    }
                    self.react(&event);
                }
                Err(_) if patience == HANDSHAKE => {
                    patience = WEDGED;
                    self.end();
                }
                _ => {
                    wrong.push(format!("nothing was heard for {} s", patience.as_secs()));
                    break;
                }
            }
        }
        let traffic = self.traffic().await;
        let turns = self.ledger.n_ended;
        let word = |summary: &Value| summary["stop_reason"].as_str().map(str::to_owned);
        let stop_reason = self.ledger.summary.as_ref().and_then(word);
        wrong.extend(std::mem::take(&mut self.ledger).close(&traffic, &self.part));
        if !wrong.is_empty() {
            self.keep(&traffic);
        }
        let what = format!("{} {}", self.part.shape, self.part.faults);
        Played {
            number: self.number,
            turns,
            stop_reason: stop_reason.unwrap_or_else(|| "none".to_owned()),
            wrong,
            what,
        }
    }

    fn react(&mut self, event: &Value) {
        match event["event"].as_str().unwrap_or_default() {
            "SESSION_STARTED" => self.next_turn(),
            "TURN_STARTED" if event["origin"] == "user" => self.n_begun += 1,
            "TURN_ENDED" if event["continues"] == false => {
                if event["stop_reason"] == "cancelled" {
                    self.n_begun = self.n_sent;
                }
                self.next_turn();
            }
            "PERMISSION_REQUEST" if event["asks"] == true => {
                for command in self.person.asked(event) {
                    self.send(command);
                }
            }
            "TOOL_CALL" => {
                if let Some(command) = self.person.tires() {
                    self.send(command);
                }
            }
            _ => {}
        }
    }

    fn next_turn(&mut self) {
        if self.ending || self.n_sent > self.n_begun {
            return;
        }
        if self.turns_left == 0 {
            return self.end();
        }
        for command in self.person.prompts() {
            self.turns_left = self.turns_left.saturating_sub(1);
            self.n_sent += 1;
            self.send(command);
        }
    }

    fn end(&mut self) {
        self.ending = true;
        self.send(Command::EndSession {
            session: self.number,
            why: None,
        });
    }

    fn keep(&self, traffic: &str) {
        let Some(folder) = &self.keep else { return };
        let files = [
            ("toml", &*self.part.script),
            ("traffic.jsonl", traffic),
            ("events.jsonl", &self.seen),
        ];
        for (ending, text) in files {
            let path = folder.join(format!("session-{}.{ending}", self.number));
            if let Err(error) = std::fs::write(&path, text) {
                eprintln!("{}: {error}", path.display());
            }
        }
    }

    /// A full queue of the engine is no loss here: the session then shows as wedged.
    fn send(&self, command: Command) {
        let _ = self.engine.send(command);
    }

    /// The traffic log once it says how the agent ended.
    async fn traffic(&self) -> String {
        let started = Instant::now();
        loop {
            let text = self.place.read("traffic.jsonl");
            let is_end = |line: &str| line.contains("\"exit\"") && line.contains("note");
            if text.lines().rev().take(3).any(is_end) || started.elapsed() > LOG {
                return text;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}
