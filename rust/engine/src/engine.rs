//! The task that owns everything: it takes commands, agents' lines, tool calls, hooks and deadlines in turn, and hands
//! each to the session that it is for.
//!
//! Other tasks only send [`Input`]s, and a host its answers; nothing else is shared. What a session does with an
//! input is in [`crate::session`] and its parts.

mod alarm;
mod disk_lookups;
mod handle;
mod kept_conversations;
mod sessions;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use siderail_mcp::{Limits, Listener, ListenerEvent};
use tokio::sync::{mpsc, watch};

use self::alarm::Alarm;
pub use self::handle::EngineHandle;
use self::handle::Order;
use self::sessions::Entry;
use crate::command::Command;
use crate::consent::Journal;
use crate::engine_config::EngineConfig;
use crate::error::EngineError;
use crate::event::{self, AgentLog, ErrorKind, EventBody, LogKind};
use crate::event_log::EventLog;
use crate::history::Recorder;
use crate::host::Host;
use crate::launch;
use crate::session::{Input, Preparing, Sent, Session, Then, Worked};
use crate::shared::{HostAnswer, OpenCalls, Shared};

/// Orders that may wait for the engine.
const ORDERS: usize = 256;
/// Inputs of other tasks that may wait; past it the readers stop reading.
const INPUTS: usize = 1024;

/// Starts an engine on the current tokio runtime.
///
/// # Errors
/// A socket that cannot be made.
pub fn start(config: EngineConfig, host: Arc<dyn Host>) -> Result<EngineHandle, EngineError> {
    let profiles = config.profiles();
    let mut untold = launch::sweep_overlays(&config.state_dir);
    untold.extend_from_slice(profiles.problems());
    if let Err(error) = Journal::new(&config.state_dir).sweep() {
        untold.push(format!(
            "a file of yours that an earlier run changed cannot be restored: {error}"
        ));
    }
    for text in &untold {
        tracing::error!("{text}");
    }
    let listener = Listener::bind(&config.runtime_dir, Limits::default()).map_err(|e| {
        EngineError::Runtime {
            what: "the socket for tools".to_owned(),
            path: config.runtime_dir.clone(),
            why: e.to_string(),
        }
    })?;
    let (order_sender, orders) = mpsc::channel(ORDERS);
    let (inputs_sender, inputs) = mpsc::channel(INPUTS);
    let handle_inputs: mpsc::Sender<Input> = inputs_sender.clone();
    let (open_calls, answers) = OpenCalls::new();
    let (worked_sender, worked) = mpsc::unbounded_channel();
    let (closed_sender, closed) = watch::channel(false);
    let guardian = config.guardian();
    let offered = config.offered(host.as_ref());
    let shared = Shared {
        tools: crate::tools::definitions(&offered, host.surroundings()).into(),
        offered,
        log: EventLog::new(Arc::clone(&host)),
        history: Recorder::default(),
        host,
        config,
        guardian,
        protected_places: Arc::new(profiles.protected_places()),
        profiles,
        inputs: inputs_sender,
        worked: worked_sender,
        open_calls: Arc::clone(&open_calls),
        last_call: 0,
        last_request: 0,
        untold,
    };
    let engine = Engine {
        shared,
        sessions: BTreeMap::new(),
        listener,
        ending: false,
    };
    tokio::spawn(async move {
        let ended = engine.run(orders, answers, inputs, worked).await;
        // The end of both waits for the disk: the socket is removed, the history written.
        let _ = tokio::task::spawn_blocking(move || drop(ended)).await;
        let _ = closed_sender.send(true);
    });
    Ok(EngineHandle {
        orders: order_sender,
        open_calls,
        inputs: handle_inputs,
        closed,
    })
}

struct Engine {
    shared: Shared,
    sessions: BTreeMap<u64, Entry>,
    listener: Listener,
    ending: bool,
}

impl Engine {
    async fn run(
        mut self,
        mut orders: mpsc::Receiver<Order>,
        mut answers: mpsc::UnboundedReceiver<HostAnswer>,
        mut inputs: mpsc::Receiver<Input>,
        mut worked: mpsc::UnboundedReceiver<Worked>,
    ) -> (Listener, Recorder) {
        let kept = self.shared.history.changed();
        let mut alarm = Alarm::new();
        loop {
            if self.ending && self.sessions.is_empty() {
                return (self.listener, self.shared.history);
            }
            let has_room = self.sessions.values().all(Entry::has_room);
            let deadlines = self.sessions.values().filter_map(Entry::deadline);
            let deadline = deadlines.chain(self.shared.history.deadline()).min();
            tokio::select! {
                order = orders.recv(), if !self.ending => {
                    // What the host answered before it gave the order comes first.
                    while let Ok(answer) = answers.try_recv() {
                        self.answered(answer);
                    }
                    self.order(order);
                }
                Some(answer) = answers.recv() => self.answered(answer),
                Some(worked) = worked.recv() => self.worked(worked),
                Some(input) = inputs.recv(), if has_room => {
                    // What came to our server before the agent spoke of it comes first.
                    while let Ok(event) = self.listener.events.try_recv() {
                        self.listened(event);
                    }
                    self.input(input);
                }
                Some(event) = self.listener.events.recv(), if has_room => self.listened(event),
                () = kept.notified() => self.shared.tell_history(),
                () = alarm.at(deadline) => self.deadlines(),
            }
            self.sweep();
        }
    }

    fn order(&mut self, order: Option<Order>) {
        match order {
            Some(Order::Command(command)) => self.command(command),
            Some(Order::Pass { session, passed }) => {
                self.with(session, move |s, shared| s.passed(passed, shared));
            }
            Some(Order::Inspect { session, reply }) => {
                self.with(session, move |s, shared| s.inspect(reply, shared));
            }
            Some(Order::Sessions {
                session,
                wish,
                reply,
            }) => {
                self.with(session, move |s, shared| {
                    s.agent_sessions(wish, reply, shared)
                });
            }
            // Nobody can send any more: end as if asked to.
            None => self.shutdown(),
        }
    }

    fn worked(&mut self, (number, work): Worked) {
        let then = match self.sessions.get_mut(&number) {
            Some(Entry::Preparing(preparing)) => preparing.worked(work),
            Some(Entry::Session(session)) => return session.worked(work, &mut self.shared),
            None => None,
        };
        self.prepared(number, then);
    }

    /// A session is prepared, or could not be.
    fn prepared(&mut self, number: u64, then: Option<Then>) {
        if let Some(then) = then
            && let Some(Entry::Preparing(preparing)) = self.sessions.remove(&number)
        {
            let session = preparing.into_session(then, &mut self.shared, &self.listener);
            let session = session.map(|session| (number, Entry::Session(Box::new(session))));
            self.sessions.extend(session);
        }
    }

    fn answered(&mut self, answer: HostAnswer) {
        let HostAnswer {
            session,
            call,
            reply,
        } = answer;
        self.with(session, move |s, shared| {
            s.host_replied(call, reply, shared)
        });
    }

    fn command(&mut self, command: Command) {
        match command {
            Command::StartSession { session, options } => {
                if self.sessions.contains_key(&session) {
                    return self.number_in_use(session);
                }
                for text in std::mem::take(&mut self.shared.untold) {
                    let kind = LogKind::Notice;
                    self.shared
                        .emit(session, 0, EventBody::AgentLog(AgentLog { kind, text }));
                }
                let begun = Preparing::begin(session, *options, &mut self.shared, &self.listener);
                self.prepares(session, begun);
            }
            Command::RestartSession { session, options } => {
                self.with(session, move |s, shared| s.restart(*options, shared));
            }
            Command::Shutdown => self.shutdown(),
            // Answers have a way of their own.
            Command::Complete { .. } => {}
            Command::Prompt {
                session,
                text,
                plan,
                blocks,
                attachments,
                meta,
            } => {
                let sent = Sent {
                    blocks,
                    attachments,
                    meta,
                };
                self.with(session, move |s, shared| s.prompt(text, sent, plan, shared));
            }
            Command::Steer { session, text } => {
                self.with(session, move |s, shared| s.steer_turn(text, shared));
            }
            Command::Revert { session, path } => {
                self.with(session, move |s, shared| s.revert(path, shared));
            }
            Command::SetMode { session, mode } => {
                self.with(session, move |s, shared| s.set_mode(&mode, shared));
            }
            Command::SetOption {
                session,
                option,
                value,
            } => {
                self.with(session, move |s, shared| {
                    s.set_option(&option, &value, shared)
                });
            }
            Command::SetContentRoots { session, roots } => {
                self.with(session, move |s, shared| s.set_content_roots(roots, shared));
            }
            Command::Cancel { session } => self.hurried(session, Session::cancel),
            Command::AnswerPermission {
                session,
                request_id,
                answer,
            } => {
                self.with(session, move |s, shared| {
                    s.answered(request_id, answer, shared)
                });
            }
            Command::ListHistory { session, query } => self.list_history(session, query),
            Command::ExportHistory { conversation } => self.export_history(conversation),
            Command::ListAgents => self.list_agents(),
            Command::Login {
                session,
                method,
                env,
            } => {
                self.with(session, move |s, shared| {
                    s.log_in(method.as_deref(), env, shared)
                });
            }
            Command::EndSession { session, why } => {
                self.hurried(session, move |s, shared| s.end_in_order(why, shared));
            }
        }
    }

    fn prepares(&mut self, number: u64, begun: Option<Preparing>) {
        let begun = begun.map(|begun| (number, Entry::Preparing(Box::new(begun))));
        self.sessions.extend(begun);
    }

    /// Reported outside of all sessions: nothing has happened to the one that has the number.
    fn number_in_use(&mut self, session: u64) {
        tracing::error!(session, "a session number was used twice");
        let body = EventBody::Error(event::Error {
            kind: ErrorKind::Internal,
            text: format!("no session was started: another session has the number {session}"),
            hint: Some("the host has to give each session a number of its own".to_owned()),
        });
        self.shared.emit(0, 0, body);
    }

    fn input(&mut self, input: Input) {
        let input = match input {
            Input::Plain { session, options } => {
                let begun = Preparing::begin_plain(session, *options, &mut self.shared);
                return self.prepares(session, begun);
            }
            Input::Listener(event) => return self.listened(event),
            Input::LookedUp { session, body } => return self.shared.emit(session, 0, *body),
            input => input,
        };
        let session = input.session();
        self.with(session, move |s, shared| s.input(input, shared));
    }

    fn listened(&mut self, event: ListenerEvent) {
        let session = session_of(&event);
        self.with(session, move |s, shared| s.listened(event, shared));
    }

    fn deadlines(&mut self) {
        let now = Instant::now();
        let mut hung = Vec::new();
        for (number, found) in &mut self.sessions {
            match found {
                Entry::Session(session) if session.deadline().is_some_and(|d| d <= now) => {
                    session.deadline_passed(now, &mut self.shared);
                }
                Entry::Session(_) => {}
                Entry::Preparing(preparing) => hung.push((*number, preparing.overdue(now))),
            }
        }
        for (number, then) in hung {
            self.prepared(number, then);
        }
        self.shared.keep_messages(now);
    }

    /// Does something in a session, once that waits for nothing.
    fn with(&mut self, session: u64, act: impl FnOnce(&mut Session, &mut Shared) + Send + 'static) {
        match self.sessions.get_mut(&session) {
            Some(found) => found.in_turn(act, &mut self.shared),
            None => tracing::debug!(session, "input for a session that is not there"),
        }
    }

    /// The same for what ends a turn or a session: then no file system is waited for any longer.
    fn hurried(
        &mut self,
        session: u64,
        act: impl FnOnce(&mut Session, &mut Shared) + Send + 'static,
    ) {
        if let Some(found) = self.sessions.get_mut(&session) {
            found.hurry();
        }
        self.with(session, act);
    }

    fn shutdown(&mut self) {
        self.ending = true;
        let sessions: Vec<u64> = self.sessions.keys().copied().collect();
        for session in sessions {
            self.hurried(session, |s, shared| s.end_in_order(None, shared));
        }
    }

    /// Takes sessions away that are over; their summary is out.
    fn sweep(&mut self) {
        let over = self.sessions.extract_if(.., |_, found| found.is_over());
        for (number, found) in over.collect::<Vec<_>>() {
            self.listener.revoke(number);
            if let Entry::Session(session) = found
                && let Some(again) = session.goes_on_by()
            {
                let begun = again.prepare(number, &mut self.shared, &self.listener);
                self.prepares(number, begun);
            }
        }
    }
}

fn session_of(event: &ListenerEvent) -> u64 {
    match event {
        ListenerEvent::Connected { session, .. }
        | ListenerEvent::Started { session, .. }
        | ListenerEvent::Call { session, .. }
        | ListenerEvent::Refused { session, .. }
        | ListenerEvent::Cancelled { session, .. }
        | ListenerEvent::Hook { session, .. }
        | ListenerEvent::Closed { session, .. } => *session,
    }
}
