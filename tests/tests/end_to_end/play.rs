//! What a test says to get a session: a shape, a script, a policy. And what the model was shown in it.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use siderail_engine::command::{Command, PermissionAnswer, SessionOptions};
use siderail_engine::guard::Policy;
use siderail_engine::settings::Settings;
use siderail_tests::place::Place;
use siderail_tests::stage::{SESSION, Stage, Tidy, scripted_agent};
use tokio::task::JoinSet;

/// The program under test.
pub(crate) fn siderail() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_siderail_under_test"))
}

/// The ten agents, and a tool of ours as their models see it.
pub(crate) const SHAPES: [(&str, &str); 10] = [
    ("copilot", "intellij-code-tools-intellij_write_file"),
    ("claude", "mcp__intellij-code-tools__intellij_write_file"),
    ("codex", "mcp__intellij_code_tools.intellij_write_file"),
    ("codex-zed", "mcp__intellij_code_tools.intellij_write_file"),
    ("gemini", "mcp_intellij-code-tools_intellij_write_file"),
    ("qwen", "mcp__intellij-code-tools__intellij_write_file"),
    ("opencode", "intellij-code-tools_intellij_write_file"),
    ("vibe", "tools.mcp_intellij_code_tools.intellij_write_file"),
    ("openhands", "intellij_write_file"),
    ("fast-agent", "intellij-code-tools__intellij_write_file"),
];

/// Plays several cases at once: each mostly waits for processes.
pub(crate) async fn at_once<C, F>(cases: impl IntoIterator<Item = C>, play: impl Fn(C) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let mut plays = JoinSet::new();
    for case in cases {
        plays.spawn(play(case));
    }
    plays.join_all().await;
}

/// A session to be.
pub(crate) struct Play {
    place: Place,
    shape: String,
    script: String,
    faults: String,
    options: SessionOptions,
    has_guardian: bool,
    logged_out: bool,
    env: Vec<(String, String)>,
    relay: Option<Vec<String>>,
    tidy: Option<Tidy>,
}

impl Play {
    /// The scripted agent in this shape. Redirects, hides nothing, and waits for a person's answers.
    pub(crate) fn of(shape: &str, script: &str) -> Self {
        let mut options = SessionOptions {
            agent: shape.to_owned(),
            settings: Settings {
                hide: false,
                ..Settings::default()
            },
            ..SessionOptions::default()
        };
        // The login by which Gemini's shape opens a session.
        let key = ("GEMINI_API_KEY".to_owned(), "none".to_owned());
        options.agent_env.extend([key]);
        Self {
            place: Place::new(),
            shape: shape.to_owned(),
            script: script.to_owned(),
            faults: String::new(),
            options,
            has_guardian: true,
            logged_out: false,
            env: Vec::new(),
            relay: None,
            tidy: None,
        }
    }

    pub(crate) fn policy(mut self, policy: &str) -> Self {
        self.options.settings.policy = Policy::parse(policy).expect("a policy");
        self
    }

    pub(crate) fn answer(mut self, allow: bool) -> Self {
        self.options.answer = Some(allow);
        self
    }

    pub(crate) fn faults(mut self, faults: &str) -> Self {
        faults.clone_into(&mut self.faults);
        self
    }

    pub(crate) fn inactivity(mut self, limit: Duration) -> Self {
        self.options.settings.inactivity = limit;
        self
    }

    /// OpenHands' hook is in the user's own file.
    pub(crate) fn consents(mut self) -> Self {
        self.options.settings.consent.push("openhands".to_owned());
        self
    }

    /// OpenHands reads the project's hooks, so that ours is off.
    pub(crate) fn without_hook(self) -> Self {
        self.place.write("project/.openhands/hooks.json", "{}");
        self
    }

    /// Nobody ends what programs leave behind when they end.
    pub(crate) fn without_guardian(mut self) -> Self {
        self.has_guardian = false;
        self
    }

    /// What agents start in place of our relay.
    pub(crate) fn with_relay(mut self, relay: &[String]) -> Self {
        self.relay = Some(relay.to_vec());
        self
    }

    /// The host tidies files before a turn ends.
    pub(crate) fn tidied_by(mut self, tidy: Tidy) -> Self {
        self.tidy = Some(tidy);
        self
    }

    pub(crate) fn with(mut self, change: impl FnOnce(&mut SessionOptions, &Place)) -> Self {
        change(&mut self.options, &self.place);
        self
    }

    /// A variable of the user's own environment.
    pub(crate) fn environment(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The agent wants a login for as long as its place has no file `login`.
    pub(crate) fn logged_out(mut self) -> Self {
        self.logged_out = true;
        self
    }

    /// Starts it; the prompt is the test's.
    pub(crate) fn start(self) -> Stage {
        self.start_keeping(&mut SessionOptions::default())
    }

    /// The same, for a test that needs the session's options again.
    pub(crate) fn start_keeping(mut self, options: &mut SessionOptions) -> Stage {
        let place = &self.place;
        place.write("script.toml", &self.script);
        let path = |name: &str| place.path(name).display().to_string();
        let (script, log, login) = (path("script.toml"), path("model.jsonl"), path("login"));
        let words = [
            "--shape",
            &self.shape,
            "--script",
            &script,
            "--model-log",
            &log,
            "--seed",
            "1",
            "--faults",
            &self.faults,
        ];
        let mut words = words.to_vec();
        if self.logged_out {
            words.extend(["--logged-in", &login]);
        }
        self.options.agent_command = Some(scripted_agent(siderail(), &words));
        self.options.trace = Some(self.place.path("traffic.jsonl"));
        self.options.project = self.place.project();
        *options = self.options.clone();
        self.start_as_it_is()
    }

    /// Starts the command that its options name.
    pub(crate) fn start_as_it_is(mut self) -> Stage {
        let place = self.place;
        self.options.trace = Some(place.path("traffic.jsonl"));
        let mut config = place.config(siderail());
        config.env.extend(self.env);
        if !self.has_guardian {
            config.guardian.clear();
        }
        if let Some(relay) = self.relay {
            config.relay = relay;
        }
        Stage::open_tidying(place, config, self.options, self.tidy)
    }

    /// Runs one prompt to its end and ends the session; the summary is the last event seen.
    pub(crate) async fn run(self) -> Stage {
        let mut stage = self.start();
        stage.play("go").await;
        stage.end().await;
        kept_its_script(&stage);
        stage
    }
}

/// A script whose expectations failed says so as a message.
pub(crate) fn kept_its_script(stage: &Stage) {
    let failed = stage
        .seen
        .iter()
        .find(|event| event.to_string().contains("EXPECTATION FAILED"));
    assert!(failed.is_none(), "{failed:?}\n{}", stage.tail());
}

/// The summary of an ended session.
pub(crate) fn summary(stage: &Stage) -> &Value {
    let last = stage.seen.last().expect("a session says something");
    assert_eq!(last["event"], "SUMMARY", "the summary comes last");
    last
}

/// Answers an open request.
pub(crate) fn answer(stage: &Stage, request: &Value, answer: PermissionAnswer) {
    stage.send(Command::AnswerPermission {
        session: SESSION,
        request_id: request["request_id"].as_u64().expect("a number"),
        answer,
    });
}

/// A person's no, with a reason.
pub(crate) fn no(reason: &str) -> PermissionAnswer {
    PermissionAnswer::Deny {
        reason: reason.to_owned(),
        nobody: false,
    }
}

/// A text that the model was shown.
#[derive(Debug)]
pub(crate) struct Shown {
    /// Number of the prompt, from 1.
    pub(crate) turn: u64,
    /// `prompt`, `result`, `hook`, `refused` …
    pub(crate) source: String,
    pub(crate) text: String,
}

/// Everything that the model was shown, in order.
pub(crate) fn model(stage: &Stage) -> Vec<Shown> {
    let log = stage.place.read("model.jsonl");
    let shown = |line: &str| {
        let line: Value = serde_json::from_str(line).expect("the model's log is JSON");
        Shown {
            turn: line["turn"].as_u64().expect("a number"),
            source: line["source"].as_str().expect("a word").to_owned(),
            text: line["text"].as_str().expect("a text").to_owned(),
        }
    };
    log.lines().map(shown).collect()
}

/// The first text with this in it that the model was shown in a turn.
pub(crate) fn shown_with(stage: &Stage, part: &str) -> Shown {
    let mut all = model(stage);
    all.retain(|shown| shown.turn > 0);
    let found = all.iter().position(|shown| shown.text.contains(part));
    match found {
        Some(at) => all.into_iter().nth(at).expect("it was just found"),
        None => panic!(
            "the model was never shown {part:?}: {all:#?}\n{}",
            stage.tail()
        ),
    }
}

/// The traffic, as it was logged: every message with its direction.
pub(crate) fn traffic(stage: &Stage) -> Vec<Value> {
    let log = stage.place.read("traffic.jsonl");
    log.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}
