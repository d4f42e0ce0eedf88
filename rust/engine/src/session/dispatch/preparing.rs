//! A session that is being prepared by its worker, so that the engine's loop waits for no disk.
//!
//! What comes to it meanwhile waits, and is handled before its agent starts: a session that is ended meanwhile starts
//! none. Where the disk gives no answer the start fails; the thread that hangs undoes what it makes after that.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use siderail_mcp::Listener;

use crate::command::SessionOptions;
use crate::error::EngineError;
use crate::session::Session;
use crate::session::carried::Carried;
use crate::session::dispatch::lookups::{MOST_HELD, Then};
use crate::session::lifecycle::opening::plan::{Prepared, Start};
use crate::session::lifecycle::{STARTUP, summary};
use crate::session::worker::{Report, Sight, Worker, once};
use crate::shared::Shared;

/// How long a preparation may still take once a person wants the session to end.
const HURRY: Duration = Duration::from_secs(10);

/// A session that is being prepared.
pub(crate) struct Preparing {
    number: u64,
    /// Profile name of the agent.
    agent: String,
    /// The project's folder as it was given.
    pub(crate) project: PathBuf,
    /// What it continues of an earlier process.
    carried: Option<Carried>,
    worker: Worker<Then>,
    outcome: Arc<Mutex<Outcome>>,
}

/// The outcome of a preparation.
enum Outcome {
    Pending,
    Done(Box<Result<Prepared, EngineError>>),
    /// Nobody waits for it any more.
    GivenUp,
}

impl Preparing {
    /// Begins to prepare a session; `None` when that failed at once, with `ERROR` and `SUMMARY` already out.
    pub(crate) fn begin(
        number: u64,
        options: SessionOptions,
        shared: &mut Shared,
        listener: &Listener,
    ) -> Option<Self> {
        let begun = (options.agent.clone(), options.project.clone());
        let start = Start::new(number, options, false, shared, listener);
        Self::begin_with(number, begun, start, Worker::default(), None, shared)
    }

    /// The same for a plain MCP client, without an agent.
    pub(crate) fn begin_plain(
        number: u64,
        options: SessionOptions,
        shared: &mut Shared,
    ) -> Option<Self> {
        let begun = (options.agent.clone(), options.project.clone());
        let start = Start::plain(number, options, shared);
        Self::begin_with(number, begun, start, Worker::default(), None, shared)
    }

    /// The same after another process of the same session, whose worker and counts continue.
    pub(super) fn begin_again(
        number: u64,
        mut carried: Carried,
        worker: Worker<Then>,
        shared: &mut Shared,
        listener: &Listener,
    ) -> Option<Self> {
        let options = std::mem::take(&mut carried.options);
        let begun = (options.agent.clone(), options.project.clone());
        let start = Start::new(number, options, true, shared, listener);
        Self::begin_with(number, begun, start, worker, Some(carried), shared)
    }

    fn begin_with(
        number: u64,
        (agent, project): (String, PathBuf),
        start: Result<Start, EngineError>,
        mut worker: Worker<Then>,
        carried: Option<Carried>,
        shared: &mut Shared,
    ) -> Option<Self> {
        let start = match start {
            Ok(start) => start,
            Err(error) => {
                not_started(number, agent, carried.as_ref(), &error, shared);
                return None;
            }
        };
        let outcome = Arc::new(Mutex::new(Outcome::Pending));
        let (slot, state_dir) = (Arc::clone(&outcome), shared.config.state_dir.clone());
        let work = once(start, move |start, sight| {
            let start = start.filter(|_| sight == Sight::Clear);
            let Some(prepared) = start.map(Start::prepare) else {
                return;
            };
            let mut outcome = slot.lock();
            if matches!(*outcome, Outcome::Pending) {
                *outcome = Outcome::Done(Box::new(prepared));
                return;
            }
            drop(outcome);
            if let Ok(prepared) = prepared {
                prepared.undo(state_dir.clone());
            }
        });
        let then = |session: &mut Session, _: &mut Shared| {
            let held = &mut session.worker.held;
            held.push_back(Box::new(Session::start_agent));
        };
        let report = Report {
            session: number,
            done: shared.worked.clone(),
        };
        worker.begin(Arc::new(work), Box::new(then), STARTUP, &report);
        Some(Self {
            number,
            agent,
            project,
            carried,
            worker,
            outcome,
        })
    }

    /// Does something once the session is there.
    pub(crate) fn hold(&mut self, act: Then) {
        self.worker.held.push_back(act);
    }

    /// Whether more may come meanwhile.
    pub(crate) fn has_room(&self) -> bool {
        self.worker.held.len() < MOST_HELD
    }

    /// The session is to end, or its turn.
    pub(crate) fn hurry(&mut self) {
        self.worker.give_until(Instant::now() + HURRY);
    }

    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.worker.deadline()
    }

    /// The worker has done something: what is next, where that was the preparation.
    pub(crate) fn worked(&mut self, number: u64) -> Option<Then> {
        self.worker.done(number)
    }

    /// The same where the worker has hung for too long.
    pub(crate) fn overdue(&mut self, now: Instant) -> Option<Then> {
        let (_, then) = self.worker.overdue(now)?;
        tracing::warn!(session = self.number, "the file system gives no answer");
        Some(then)
    }

    /// The session, which does what has come meanwhile; `None` when its start has failed, with `ERROR` and `SUMMARY`
    /// already out.
    pub(crate) fn into_session(
        self,
        then: Then,
        shared: &mut Shared,
        listener: &Listener,
    ) -> Option<Session> {
        let outcome = std::mem::replace(&mut *self.outcome.lock(), Outcome::GivenUp);
        let prepared = match outcome {
            Outcome::Done(prepared) => *prepared,
            Outcome::Pending | Outcome::GivenUp => Err(EngineError::Hangs),
        };
        match prepared {
            Ok(prepared) => {
                let mut session = Session::prepared(prepared, self.worker, shared);
                if let Some(carried) = self.carried {
                    session.carried = carried.into_new_process(session.carried);
                }
                session.go_on(then, shared);
                Some(session)
            }
            Err(error) => {
                listener.revoke(self.number);
                let carried = self.carried.as_ref();
                not_started(self.number, self.agent, carried, &error, shared);
                None
            }
        }
    }
}

/// A start that failed has its error and its summary, as every session has; of an earlier process it has the counts.
fn not_started(
    number: u64,
    agent: String,
    carried: Option<&Carried>,
    error: &EngineError,
    shared: &mut Shared,
) {
    tracing::warn!(session = number, %error, "the session was not started");
    for body in summary::not_started(agent, carried, error) {
        shared.emit(number, 0, body);
    }
}
