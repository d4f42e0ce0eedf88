//! An engine in this process, over the files of a [`Place`], and what it reported, as a reader of `--json`
//! would see it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::Value;
use siderail_cli::host::{FsHost, FsSetup, NobodyToAsk};
use siderail_engine::command::{Command, SessionOptions};
use siderail_engine::event::Event;
use siderail_engine::guard::Tool;
use siderail_engine::host::{Host, HostCall, HostRequest};
use siderail_engine::{EngineConfig, EngineHandle};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::place::Place;

/// The one session of a stage.
pub const SESSION: u64 = 1;
/// Longer than anything that is waited for here takes, even on a busy machine.
pub const LIMIT: Duration = Duration::from_secs(90);

/// A host over the file system that hands every event to a function.
struct FilesHost {
    deliver: Box<dyn Fn(Event) + Send + Sync>,
    files: FsHost,
    tidy: Option<Tidy>,
}

/// What a host does with the project's files before a turn ends.
pub type Tidy = fn(&Path);

impl Host for FilesHost {
    fn deliver(&self, event: Event) {
        (self.deliver)(event);
    }

    fn start(&self, call: HostCall) {
        if let (HostRequest::FinishTurn, Some(tidy)) = (&call.request, self.tidy) {
            tidy(&call.project);
        }
        self.files.start(call);
    }

    fn cancel(&self, call: u64) {
        self.files.cancel(call);
    }

    fn tools(&self) -> Vec<Tool> {
        let mut tools = self.files.tools();
        tools.extend(self.tidy.map(|_| Tool::OptimizeImports));
        tools
    }
}

/// Starts an engine over the file system; `deliver` gets its events in order and must not block.
///
/// # Panics
/// The engine cannot be started.
pub fn start_engine(
    config: EngineConfig,
    deliver: impl Fn(Event) + Send + Sync + 'static,
) -> EngineHandle {
    start_tidying(config, None, deliver)
}

/// The same with a host that tidies files.
fn start_tidying(
    config: EngineConfig,
    tidy: Option<Tidy>,
    deliver: impl Fn(Event) + Send + Sync + 'static,
) -> EngineHandle {
    let setup = FsSetup::new(Arc::new(NobodyToAsk));
    let slot: Arc<OnceLock<EngineHandle>> = Arc::default();
    let engine = Arc::clone(&slot);
    let files = FsHost::new(setup, move |call, reply| {
        if let Some(engine) = engine.get() {
            // An engine that has ended needs no answer any more.
            let _ = engine.send(Command::Complete { call, reply });
        }
    });
    let deliver = Box::new(deliver);
    let host = Arc::new(FilesHost {
        deliver,
        files,
        tidy,
    });
    let handle = siderail_engine::start(config, host).expect("the engine starts");
    let _ = slot.set(handle.clone());
    handle
}

/// One session of an engine of its own.
pub struct Stage {
    /// Its folders.
    pub place: Place,
    /// Everything that was reported so far, in order.
    pub seen: Vec<Value>,
    engine: EngineHandle,
    events: UnboundedReceiver<Value>,
    limit: Duration,
}

impl Stage {
    /// Starts the engine and the session.
    ///
    /// # Panics
    /// The engine cannot be started.
    pub fn open(place: Place, config: EngineConfig, options: SessionOptions) -> Self {
        Self::open_tidying(place, config, options, None)
    }

    /// The same with a host that tidies files.
    ///
    /// # Panics
    /// The engine cannot be started.
    pub fn open_tidying(
        place: Place,
        config: EngineConfig,
        mut options: SessionOptions,
        tidy: Option<Tidy>,
    ) -> Self {
        options.project = place.project();
        let (sender, events) = unbounded_channel();
        let engine = start_tidying(config, tidy, move |event| {
            let event = serde_json::to_value(event).expect("an event is JSON");
            // The stage is gone when nobody is interested any more.
            let _ = sender.send(event);
        });
        let stage = Self {
            place,
            seen: Vec::new(),
            engine,
            events,
            limit: LIMIT,
        };
        stage.send(Command::StartSession {
            session: SESSION,
            options: Box::new(options),
        });
        stage
    }

    /// Waits for events at most this long from now on.
    pub fn with_limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// The same for a session that is waited for already.
    pub fn set_limit(&mut self, limit: Duration) {
        self.limit = limit;
    }

    /// Hands the engine a command.
    ///
    /// # Panics
    /// The engine is gone.
    pub fn send(&self, command: Command) {
        self.engine.send(command).expect("the engine is there");
    }

    /// Sends a user prompt.
    pub fn prompt(&self, text: &str) {
        let text = text.to_owned();
        self.send(Command::Prompt {
            session: SESSION,
            text,
            plan: false,
            blocks: Vec::new(),
            attachments: Vec::new(),
            meta: serde_json::Value::Null,
        });
    }

    /// Sends a user prompt that wants a plan first.
    pub fn prompt_for_plan(&self, text: &str) {
        let text = text.to_owned();
        self.send(Command::Prompt {
            session: SESSION,
            text,
            plan: true,
            blocks: Vec::new(),
            attachments: Vec::new(),
            meta: serde_json::Value::Null,
        });
    }

    /// The next event; none within the stage's limit.
    pub async fn try_next(&mut self) -> Option<Value> {
        let event = tokio::time::timeout(self.limit, self.events.recv()).await;
        let event = event.ok()??;
        self.seen.push(event.clone());
        Some(event)
    }

    /// The next event.
    ///
    /// # Panics
    /// There is none within the stage's limit; says what came before.
    pub async fn next(&mut self) -> Value {
        match self.try_next().await {
            Some(event) => event,
            None => panic!("nothing more came after:\n{}", self.tail()),
        }
    }

    /// Goes on to the next event of this name.
    ///
    /// # Panics
    /// It does not come.
    pub async fn until(&mut self, name: &str) -> Value {
        loop {
            let event = self.next().await;
            if event["event"] == name {
                return event;
            }
            assert!(
                event["event"] != "SUMMARY",
                "the session ended without {name}:\n{}",
                self.tail()
            );
        }
    }

    /// Sends a user prompt and continues to the end of its last turn; the `TURN_ENDED` of that.
    pub async fn play(&mut self, prompt: &str) -> Value {
        self.prompt(prompt);
        loop {
            let ended = self.until("TURN_ENDED").await;
            if ended["continues"] == false {
                return ended;
            }
        }
    }

    /// Ends the session and returns its summary.
    pub async fn end(&mut self) -> Value {
        self.send(Command::EndSession {
            session: SESSION,
            why: None,
        });
        self.summary().await
    }

    /// Goes on to the summary, which has to be the last event.
    ///
    /// # Panics
    /// It does not come, or something comes after it.
    pub async fn summary(&mut self) -> Value {
        loop {
            let event = self.next().await;
            if event["event"] == "SUMMARY" {
                self.engine
                    .send(Command::Shutdown)
                    .expect("the engine is there");
                self.engine.closed().await;
                let after = self.events.try_recv().ok();
                assert!(after.is_none(), "said after the summary: {after:?}");
                return event;
            }
        }
    }

    /// The events of this name so far.
    pub fn all(&self, name: &str) -> Vec<&Value> {
        self.seen.iter().filter(|e| e["event"] == name).collect()
    }

    /// The last events, a line each, for messages of failed tests.
    pub fn tail(&self) -> String {
        let from = self.seen.len().saturating_sub(60);
        let lines: Vec<String> = self.seen[from..].iter().map(Value::to_string).collect();
        lines.join("\n")
    }
}

/// The words that start `siderail scripted-agent`.
pub fn scripted_agent(siderail: &Path, words: &[&str]) -> Vec<String> {
    let program = siderail.display().to_string();
    let first = [program, "scripted-agent".to_owned()];
    first
        .into_iter()
        .chain(words.iter().map(|word| (*word).to_owned()))
        .collect()
}

/// The program to test when none is named: `siderail`, or the one that is built with the tests, beside the
/// running program.
pub fn program_beside() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let folder = own.parent()?;
    ["siderail", "siderail_under_test"]
        .iter()
        .map(|name| folder.join(name))
        .find(|path| path.is_file())
}
