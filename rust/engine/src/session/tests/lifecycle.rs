//! A session's way from its preparation to its end, and back into a new process. Its agent is what a test says: nothing
//! that the session starts ever runs.

use siderail_acp::process::{Exit, Grace, StderrTail};
use siderail_acp::transport::{self, TransportConfig};
use siderail_acp::wire::codes;
use siderail_mcp::Listener;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use super::super::input::Started;
use super::super::{Preparing, Then};
use super::*;

/// What sessions need of an engine, without its loop.
struct Engine {
    shared: Shared,
    host: Arc<Notes>,
    worked: mpsc::UnboundedReceiver<Worked>,
    listener: Listener,
    folder: TempDir,
    /// Nobody drives it.
    threads: Runtime,
}

impl Engine {
    fn new() -> Self {
        let mut threads = tokio::runtime::Builder::new_current_thread();
        let threads = threads.enable_all().build().expect("a runtime");
        let folder = tempfile::tempdir().expect("a folder can be made");
        std::fs::create_dir(folder.path().join("project")).expect("a folder can be made");
        let host = Arc::new(Notes::default());
        let (shared, worked) = shared(&folder, Arc::clone(&host));
        let listener = {
            let _entered = threads.enter();
            let bound = Listener::bind(&shared.config.runtime_dir, Limits::default());
            bound.expect("a socket can be made")
        };
        Self {
            shared,
            host,
            worked,
            listener,
            folder,
            threads,
        }
    }

    /// An agent that nobody knows, and no history.
    fn options(&self) -> SessionOptions {
        let mut options = SessionOptions {
            agent: "agent".to_owned(),
            agent_command: Some(vec!["agent".to_owned()]),
            project: self.folder.path().join("project"),
            ..SessionOptions::default()
        };
        options.settings.history = false;
        options
    }

    fn begin(&mut self, options: SessionOptions) -> Preparing {
        let begun = Preparing::begin(NUMBER, options, &mut self.shared, &self.listener);
        begun.expect("the agent is known")
    }

    /// What the worker's preparation comes to.
    fn prepared(&mut self, mut preparing: Preparing) -> Option<Session> {
        let until = Instant::now() + LIMIT;
        loop {
            let worked = self.worked.try_recv();
            if let Some(then) = worked.ok().and_then(|(_, work)| preparing.worked(work)) {
                return self.goes_on(preparing, then);
            }
            assert!(Instant::now() < until, "the worker hangs");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn goes_on(&mut self, preparing: Preparing, then: Then) -> Option<Session> {
        let _entered = self.threads.enter();
        preparing.into_session(then, &mut self.shared, &self.listener)
    }

    /// The folder of the session.
    fn session_folder(&self) -> PathBuf {
        let folder = self.shared.config.runtime_dir.clone();
        folder.join(format!("session-{NUMBER}"))
    }

    /// A session whose agent was started.
    fn play(mut self) -> Play {
        let preparing = self.begin(self.options());
        let session = self.prepared(preparing).expect("it is prepared");
        Play::of(self, session)
    }
}

/// A session, and an agent that a test speaks for.
struct Play {
    engine: Engine,
    session: Session,
    /// Hears when the agent is to go.
    stopped: oneshot::Receiver<Grace>,
}

impl Play {
    fn of(mut engine: Engine, mut session: Session) -> Self {
        let (stop, stopped) = oneshot::channel();
        let started = {
            let _entered = engine.threads.enter();
            let (input, output) = (tokio::io::sink(), tokio::io::empty());
            Started {
                outbound: transport::over(output, input, TransportConfig::default()).outbound,
                stop,
                stderr: StderrTail::follow(tokio::io::empty(), None),
            }
        };
        session.process_started(Ok(started), &mut engine.shared);
        Self {
            engine,
            session,
            stopped,
        }
    }

    /// One that takes prompts.
    fn ready() -> Self {
        let mut play = Engine::new().play();
        let hello = json!({"protocolVersion": 1, "agentCapabilities": {}, "authMethods": [{"id": "oauth", "name": "OAuth"}]});
        play.answers("initialize", hello);
        play.answers("session/new", json!({"sessionId": "s"}));
        play.one("SESSION_STARTED");
        play
    }

    fn settle(&mut self) {
        let Engine { shared, worked, .. } = &mut self.engine;
        settle(&mut self.session, worked, shared);
    }

    /// Does something to the session.
    fn act(&mut self, act: impl FnOnce(&mut Session, &mut Shared)) {
        act(&mut self.session, &mut self.engine.shared);
        self.settle();
    }

    fn prompt(&mut self, text: &str) {
        self.act(|session, shared| {
            session.prompt(text.to_owned(), Default::default(), false, shared)
        });
    }

    /// How often the agent is asked this and has not answered.
    fn asked(&self, method: &str) -> usize {
        let open = self.session.wire.unanswered.values();
        open.filter(|open| open.method == method).count()
    }

    fn says(&mut self, method: &str, member: &str, value: Value) {
        let mut open = self.session.wire.unanswered.iter();
        let found = open.find(|(_, open)| open.method == method);
        let (id, _) = found.unwrap_or_else(|| panic!("{method} is not asked"));
        let mut answer = json!({"jsonrpc": "2.0", "id": id});
        answer[member] = value;
        let answer = parse(answer.to_string().as_bytes()).expect("a message");
        self.act(|session, shared| session.message(answer, shared));
    }

    fn answers(&mut self, method: &str, result: Value) {
        self.says(method, "result", result);
    }

    fn wants_login(&mut self, method: &str) {
        let error = json!({"code": codes::AUTH_REQUIRED, "message": "no"});
        self.says(method, "error", error);
    }

    /// The agent's process is gone.
    fn gone(&mut self) {
        let exit = Exit {
            code: Some(3),
            signal: None,
        };
        self.act(|session, shared| session.exited(exit, shared));
        self.act(Session::output_closed);
    }

    fn all(&self, name: &str) -> Vec<Value> {
        self.engine.host.all(name)
    }

    fn one(&self, name: &str) -> Value {
        self.engine.host.one(name)
    }
}

#[test]
fn a_session_without_an_agent_is_prepared_beside_the_loop_and_starts_none() {
    let mut engine = Engine::new();
    let begun = Preparing::begin_plain(NUMBER, engine.options(), &mut engine.shared);
    let preparing = begun.expect("nothing is looked up yet");
    let mut session = engine.prepared(preparing).expect("it is prepared");
    assert!(engine.session_folder().is_dir());
    assert!(session.lifecycle.is_ready() && session.deadline().is_none());
    assert_eq!(session.lifecycle.take_command(), None, "there is no agent");
    let answer = session.carried.options.answer;
    assert_eq!(
        answer,
        Some(false),
        "what a person would be asked about is denied"
    );
}

#[test]
fn a_session_that_is_ended_or_cancelled_while_it_is_prepared_starts_no_agent() {
    let ways: [(Then, &str); 3] = [
        (
            Box::new(|session, shared| session.end_in_order(None, shared)),
            "not_started",
        ),
        (
            Box::new(|session, shared| session.end_in_order(Some(StopReason::Timeout), shared)),
            "timeout",
        ),
        (Box::new(Session::cancel), "cancelled"),
    ];
    for (act, stop_reason) in ways {
        let mut engine = Engine::new();
        let mut preparing = engine.begin(engine.options());
        preparing.hurry();
        preparing.hold(Box::new(|session, shared| {
            session.prompt("go".to_owned(), Default::default(), false, shared);
        }));
        preparing.hold(act);
        let mut session = engine.prepared(preparing).expect("it is prepared");
        settle(&mut session, &mut engine.worked, &mut engine.shared);
        assert!(session.is_over(), "it waits for no process");
        assert_eq!(engine.host.one("SUMMARY")["stop_reason"], stop_reason);
        assert!(session.wire.agent.is_none() && !engine.session_folder().exists());
    }
}

#[test]
fn a_start_that_fails_beside_the_loop_is_told_and_leaves_nothing() {
    let mut engine = Engine::new();
    let missing = engine.folder.path().join("missing");
    let no_project = SessionOptions {
        project: missing.clone(),
        ..engine.options()
    };
    let no_trace = SessionOptions {
        trace: Some(missing.join("trace")),
        ..engine.options()
    };
    for (options, text) in [
        (no_project, "the project folder"),
        (no_trace, "the trace file"),
    ] {
        engine.host.events.lock().clear();
        let preparing = engine.begin(options);
        assert!(engine.prepared(preparing).is_none());
        let error = engine.host.one("ERROR");
        assert_eq!(error["kind"], "spawn");
        let said = error["text"].as_str().expect("a text");
        assert!(said.starts_with(text), "{said}");
        assert_eq!(engine.host.one("SUMMARY")["stop_reason"], "not_started");
        assert!(!engine.session_folder().exists());
    }
}

/// Opening a pipe for writing waits until somebody reads.
#[cfg(unix)]
#[test]
fn a_start_whose_disk_hangs_is_given_up_and_its_thread_undoes_what_it_has_made() {
    let mut engine = Engine::new();
    let pipe = engine.folder.path().join("trace");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    let options = SessionOptions {
        trace: Some(pipe.clone()),
        ..engine.options()
    };
    let mut preparing = engine.begin(options);
    let folder = engine.session_folder();
    let wait_until = |exists: bool| {
        let until = Instant::now() + LIMIT;
        while folder.exists() != exists {
            assert!(Instant::now() < until, "exists: {}", !exists);
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    wait_until(true);
    preparing.hurry();
    let due = preparing.deadline().expect("it is not done");
    assert!(
        due < Instant::now() + Duration::from_secs(11),
        "it is hurried"
    );
    let then = preparing.overdue(due).expect("its time is over");
    assert!(engine.goes_on(preparing, then).is_none());
    let error = engine.host.one("ERROR");
    let said = error["text"].as_str().expect("a text");
    assert!(said.contains("gives no answer"), "{said}");
    engine.host.one("SUMMARY");
    // The pipe is read: the thread comes back.
    let read = std::thread::spawn(move || std::fs::read(pipe));
    wait_until(false);
    read.join().expect("it reads").expect("the pipe is there");
}

#[test]
fn an_agent_that_ends_during_the_handshake_ends_the_session_with_an_error() {
    for opened in [false, true] {
        let mut play = Engine::new().play();
        if opened {
            let hello = json!({"protocolVersion": 1, "agentCapabilities": {}});
            play.answers("initialize", hello);
        }
        play.prompt("go");
        play.gone();
        let error = play.one("ERROR");
        assert_eq!(error["kind"], "closed");
        let said = error["text"].as_str().expect("a text");
        assert!(said.starts_with("the agent ended unexpectedly"), "{said}");
        assert_eq!(play.one("SUMMARY")["stop_reason"], "error");
        let told = play.one("AGENT_LOG")["text"].to_string();
        assert!(told.contains("a queued prompt was not sent"), "{told}");
        assert!(play.session.is_over() && !play.engine.session_folder().exists());
        assert!(play.all("TURN_STARTED").is_empty());
    }
}

#[test]
fn a_prompt_that_lacks_a_login_is_sent_again_after_it_and_ahead_of_all_others() {
    let mut play = Play::ready();
    play.prompt("first");
    play.wants_login("session/prompt");
    play.one("LOGIN_NEEDED");
    assert_eq!(play.one("TURN_ENDED")["continues"], true);
    play.prompt("second");
    assert_eq!(play.asked("session/prompt"), 0, "it waits, too");
    let log_in = |session: &mut Session, shared: &mut Shared| {
        session.log_in(Some("oauth"), BTreeMap::new(), shared)
    };
    play.act(log_in);
    play.act(log_in);
    assert_eq!(play.asked("authenticate"), 1, "it is under way");
    play.answers("authenticate", json!({}));
    let turns = play.all("TURN_STARTED");
    let texts: Vec<_> = turns.iter().map(|turn| turn["text"].clone()).collect();
    assert_eq!(texts, ["first", "first"]);
    play.answers("session/prompt", json!({"stopReason": "end_turn"}));
    assert_eq!(play.all("TURN_STARTED")[2]["text"], "second");
    play.act(log_in);
    let told = play.all("AGENT_LOG").pop().expect("a notice");
    assert_eq!(told["text"], "no login is in progress");
}

#[test]
fn a_session_that_lacks_a_login_is_opened_after_it() {
    let mut play = Engine::new().play();
    let hello = json!({"protocolVersion": 1, "agentCapabilities": {}, "authMethods": [{"id": "oauth", "name": "OAuth"}]});
    play.answers("initialize", hello);
    play.wants_login("session/new");
    play.one("LOGIN_NEEDED");
    assert_eq!(
        play.session.deadline(),
        None,
        "a person may take their time"
    );
    play.act(|session, shared| session.log_in(Some("oauth"), BTreeMap::new(), shared));
    play.answers("authenticate", json!({}));
    play.answers("session/new", json!({"sessionId": "s"}));
    play.one("SESSION_STARTED");
}

#[test]
fn a_restart_waits_for_no_turn_that_is_being_cancelled_and_is_refused() {
    let mut play = Play::ready();
    play.prompt("go");
    play.act(Session::cancel);
    let options = play.engine.options();
    play.act(|session, shared| session.restart(options, shared));
    let told = play.one("AGENT_LOG")["text"].to_string();
    assert!(told.contains("not waiting for a prompt"), "{told}");
    assert!(play.session.lifecycle.is_ready() && play.stopped.try_recv().is_err());
    play.answers("session/prompt", json!({"stopReason": "cancelled"}));
    assert_eq!(play.one("TURN_ENDED")["stop_reason"], "cancelled");
    assert!(
        play.session.lifecycle.is_ready(),
        "the turn alone has ended"
    );
}

#[test]
fn a_session_whose_next_process_cannot_be_prepared_tells_what_it_came_to() {
    let mut play = Play::ready();
    play.prompt("first");
    play.answers("session/prompt", json!({"stopReason": "end_turn"}));
    let mut options = play.engine.options();
    options.project = play.engine.folder.path().join("missing");
    play.act(|session, shared| session.restart(options, shared));
    play.gone();
    let Play {
        mut engine,
        session,
        ..
    } = play;
    let again = session.goes_on_by().expect("it goes on");
    let preparing = again.prepare(NUMBER, &mut engine.shared, &engine.listener);
    let preparing = preparing.expect("the agent is known");
    assert!(engine.prepared(preparing).is_none());
    let summary = engine.host.one("SUMMARY");
    assert_eq!(summary["stop_reason"], "not_started");
    assert_eq!(summary["turns"], 1, "{summary}");
}

#[test]
fn a_session_goes_on_in_a_new_process_with_what_came_meanwhile() {
    let mut play = Play::ready();
    play.prompt("first");
    play.answers("session/prompt", json!({"stopReason": "end_turn"}));
    let options = play.engine.options();
    play.act(|session, shared| session.restart(options, shared));
    play.stopped.try_recv().expect("the agent is to go");
    // The folder is removed meanwhile, and the new process is prepared.
    let Play {
        mut engine,
        mut session,
        ..
    } = play;
    session.exited(Exit::default(), &mut engine.shared);
    session.output_closed(&mut engine.shared);
    assert!(session.worker.is_busy() && !session.is_over());
    session.in_turn(
        |session, shared| session.prompt("second".to_owned(), Default::default(), false, shared),
        &mut engine.shared,
    );
    settle(&mut session, &mut engine.worked, &mut engine.shared);
    assert!(session.is_over() && engine.host.all("SUMMARY").is_empty());
    let again = session.goes_on_by().expect("it goes on");
    let preparing = again.prepare(NUMBER, &mut engine.shared, &engine.listener);
    let preparing = preparing.expect("the agent is known");
    let session = engine.prepared(preparing).expect("it is prepared");
    assert!(engine.session_folder().exists());
    let mut play = Play::of(engine, session);
    let hello = json!({"protocolVersion": 1, "agentCapabilities": {}});
    play.answers("initialize", hello);
    play.answers("session/new", json!({"sessionId": "t"}));
    let turns = play.all("TURN_STARTED");
    assert_eq!(turns[1]["text"], "second");
    assert_eq!(turns[1]["turn"], 2, "the count goes on: {turns:?}");
}

#[tokio::test]
async fn the_folder_is_removed_beside_the_loop_ahead_of_the_summary() {
    let mut stage = Stage::new().await;
    let folder = stage.session.folders.folder.clone();
    std::fs::write(folder.join("launch.json"), "{}").expect("the folder is there");
    stage.session.end_in_order(None, &mut stage.shared);
    assert!(stage.session.worker.is_busy() && stage.all("SUMMARY").is_empty());
    stage.settle();
    stage.one("SUMMARY");
    assert!(stage.session.is_over() && !folder.exists());
}
