//! Recorded traffic through the real engine: the replaying agent is a process, the engine drives it, and
//! what came of it is written as text for a golden file.
//!
//! The session runs with the policy `ask` and nothing hidden, so that nearly all of the permission requests
//! come to the person, and the person answers as the recorded one did: allows, denies, cancels, or sends
//! another prompt meanwhile. Calls of our own tools are allowed without a question; as the recorded agent
//! called the recorder's server, they never arrive at ours, and the engine says so (`unguarded`), and asks
//! from then on. Prompts end when the recorded ones are used up; continuations count as prompts.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;
use siderail_engine::command::{Command, PermissionAnswer, SessionOptions};
use siderail_engine::guard::Policy;
use siderail_engine::settings::Settings;
use siderail_testkit::redact::Redactor;

use crate::place::Place;
use crate::stage::{LIMIT, SESSION, Stage, scripted_agent};

mod account;
mod recording;

use account::Account;
use recording::Plan;
pub use recording::{Recording, all};

/// How long the traffic log may take to be complete after the session's end.
const LOG: Duration = Duration::from_secs(10);

/// What a replay says when the agent had nothing more to say and the turn had not ended.
pub const GAVE_UP: &str = "nothing more came: given up";

/// Replays a recording; `quiet` is how long a silent agent is waited for.
///
/// # Panics
/// The replay cannot be set up, or ends without a summary.
pub async fn replay(recording: &Recording, siderail: &Path, quiet: Duration) -> String {
    let place = Place::new();
    place.write_program("project/gradlew", "echo \"FAKE_GRADLE_RAN $*\"");
    place.write("recording.acp.jsonl", &recording.text());
    let file = place.path("recording.acp.jsonl").display().to_string();
    let options = SessionOptions {
        agent: recording.agent.clone(),
        agent_command: Some(scripted_agent(siderail, &["--replay", &file])),
        settings: Settings {
            policy: Policy::Ask,
            hide: false,
            ..Settings::default()
        },
        trace: Some(place.path("traffic.jsonl")),
        ..SessionOptions::default()
    };
    let config = place.config(siderail);
    let project = place.project().display().to_string();
    let home = place.path("home").display().to_string();
    let stage = Stage::open(place, config, options).with_limit(quiet);
    let mut client = Client {
        plan: recording.plan(),
        stage,
        account: Account::default(),
        n_asked: 0,
        n_sent: 0,
        n_begun: 0,
        n_continued: 0,
        ending: false,
    };
    client.run().await;
    let traffic = finished_log(&client.stage.place).await;
    let text = client.account.finish(&account::answers(&traffic));
    Redactor::new()
        .replace(project, "project")
        .replace(home, "home")
        .text(&text)
}

/// Does what the recorded client did.
struct Client {
    plan: Plan,
    stage: Stage,
    account: Account,
    /// Permission requests so far.
    n_asked: usize,
    /// User prompts that were given, and those whose turn has begun.
    n_sent: usize,
    n_begun: usize,
    /// Prompts that the engine wrote.
    n_continued: usize,
    ending: bool,
}

impl Client {
    async fn run(&mut self) {
        loop {
            let Some(event) = self.stage.try_next().await else {
                assert!(!self.ending, "no summary:\n{}", self.stage.tail());
                self.account.note(GAVE_UP);
                self.end();
                continue;
            };
            self.account.event(&event);
            match event["event"].as_str().unwrap_or_default() {
                "SUMMARY" => return,
                "SESSION_STARTED" => self.next_prompt(),
                "TURN_STARTED" if event["origin"] == "user" => self.n_begun += 1,
                "TURN_STARTED" => self.n_continued += 1,
                "TURN_ENDED" if event["continues"] == false => self.next_prompt(),
                "PERMISSION_REQUEST" if event["channel"] == "acp" => self.asked(&event),
                "LOGIN_NEEDED" => self.end(),
                _ => {}
            }
        }
    }

    fn next_prompt(&mut self) {
        if self.n_sent > self.n_begun || self.ending {
            return;
        }
        if self.n_sent + self.n_continued < self.plan.prompts {
            self.prompt();
        } else {
            self.end();
        }
    }

    fn prompt(&mut self) {
        self.n_sent += 1;
        self.stage.prompt("go on");
    }

    fn end(&mut self) {
        self.ending = true;
        // From here on it is the agent's process that takes its time.
        self.stage.set_limit(LIMIT);
        self.stage.send(Command::EndSession {
            session: SESSION,
            why: None,
        });
    }

    fn asked(&mut self, request: &Value) {
        let number = self.n_asked;
        self.n_asked += 1;
        let Some(asked) = self.plan.asked.get(number) else {
            return;
        };
        let (allows, cancels, n_prompts) = (asked.allows, asked.cancels, asked.prompts);
        // What the recorded client answered too late, the engine has closed with the turn.
        let answers = !asked.late && request["asks"] == true;
        for _ in 0..n_prompts {
            self.prompt();
        }
        if cancels {
            return self.stage.send(Command::Cancel { session: SESSION });
        }
        let deny = PermissionAnswer::Deny {
            reason: String::new(),
            nobody: false,
        };
        let (Some(request_id), true) = (request["request_id"].as_u64(), answers) else {
            return;
        };
        self.stage.send(Command::AnswerPermission {
            session: SESSION,
            request_id,
            answer: if allows {
                PermissionAnswer::Allow
            } else {
                deny
            },
        });
    }
}

/// The traffic log once it says how the agent ended.
async fn finished_log(place: &Place) -> String {
    let started = Instant::now();
    loop {
        let text = place.read("traffic.jsonl");
        let is_end = |line: &str| line.contains("\"exit\"") && line.contains("note");
        let ended = text.lines().next_back().is_some_and(is_end);
        if ended || started.elapsed() > LOG {
            return text;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
