//! The event loop of a run: shows events, asks the person, listens to signals and limits, and sends
//! commands. What to do next is decided in `run_state`, what to print in `render`, what a key means in
//! `interview`; this file only joins them to clocks and streams, and `questions` them to the person.

mod chat;
mod end_of_run;
mod login;
mod questions;

use std::time::{Duration, Instant};

use siderail_engine::EngineHandle;
use siderail_engine::command::Command;
use siderail_engine::event::backlog::Backlog;
use siderail_engine::event::{
    self, AgentLog, DeniedBy, ErrorKind, Event, EventBody, PermissionApproved, PermissionDenied,
    PlanApproved, PlanRejected, PlanRejectedBy, Summary,
};
use siderail_engine::login::BY_HAND;
use siderail_engine::settings::Key;
use tokio::sync::mpsc;

use super::attention::Attention;
use super::chat_input::ChatInput;
use super::error_answer::ErrorAnswer;
use super::events::Events;
use super::fallback_summary::FallbackSummary;
use super::input_history::InputHistory;
use super::interview::{Asking, Interview};
use super::last_answer::LastAnswer;
use super::options::{Answers, RunOptions};
use super::run_state::{Happening, RunState};
use super::step::{SESSION, Step};
use super::typing::{Rhythm, Typing};
use crate::exit::{Exit, Failure};
use crate::keys::KeyReader;
use crate::output::{MEMORY, Output, Text};
use crate::render::Renderer;
use crate::signals::Signals;
use crate::terminal::{self, KeyMode, Manners, Spinner, print_error, print_failure};

/// How often the spinner turns and withdrawn questions are looked for.
const TICK: Duration = Duration::from_millis(120);
/// Time in which the settings are reported after a session has opened.
const SETTLES: Duration = Duration::from_millis(250);
/// Silence before the spinner shows.
const QUIET: Duration = Duration::from_millis(400);
/// Time for a reader of standard output that takes nothing, at the end; for a slow one ahead of a question.
const FLUSH: Duration = Duration::from_secs(3);

/// What the loop listens to beside the engine.
pub(crate) struct Inlets {
    /// Events of the engine; ends with it.
    pub(crate) events: Events,
    /// Questions of tools.
    pub(crate) askings: mpsc::Receiver<Asking>,
    /// What commands print, as it comes.
    pub(crate) output: mpsc::Receiver<String>,
    /// Signals of the process.
    pub(crate) signals: Signals,
}

/// The state of what the person sees.
pub(crate) struct EventLoop {
    json: bool,
    /// The answer, where it alone goes to standard output.
    quiet: Option<LastAnswer>,
    /// Whether the answer was an error.
    error_answer: ErrorAnswer,
    /// The agent's name, for questions, and the command that logs in to it, for hints.
    agent: String,
    login_command: String,
    answers: Answers,
    answer: Option<bool>,
    manners: Manners,
    renderer: Renderer,
    spinner: Spinner,
    output: Output,
    state: RunState,
    fallback: FallbackSummary,
    interview: Interview,
    login: login::Login,
    /// Text that waits for the end of a question.
    held: Backlog<Text>,
    keys: KeyReader,
    key_mode: Option<KeyMode>,
    input: Option<mpsc::Receiver<Vec<u8>>>,
    /// The line that is being typed, in a conversation.
    typing: Option<Typing>,
    /// Where what is typed is kept.
    typed_lines: InputHistory,
    attention: Attention,
    /// A person can resume the conversation later.
    saves: bool,
    /// The command line of the user's editor.
    editor: String,
    /// The last row of the output is not finished.
    row_is_open: bool,
    /// When the session was opened.
    opened: Option<Instant>,
    /// Whom keys are meant for while a question is on show.
    rhythm: Rhythm,
    /// When a key was pressed for it.
    keyed: Option<Instant>,
    engine: Option<EngineHandle>,
    started: Instant,
    printed: Instant,
    timeout: Option<Instant>,
    limit: Option<Instant>,
    summary: Option<Summary>,
    /// Notices of the engine that were printed ahead of its start.
    told: Vec<String>,
    /// It was said that the output cannot be written.
    told_broken: bool,
    /// The person has cancelled by Ctrl-C.
    interrupted: bool,
    over: bool,
}

impl EventLoop {
    /// A loop for a run; the clock of its time limit starts here.
    pub(crate) fn new(options: &RunOptions, manners: Manners) -> Self {
        let renderer = Renderer::new(if options.quiet {
            manners.err
        } else {
            manners.out
        })
        .in_project(&options.session.project);
        let renderer = match manners.shares || options.quiet && manners.edits {
            true => renderer.within(|| terminal::size().0),
            false => renderer,
        };
        let renderer = match options.verbose {
            true => renderer.narrating(),
            false => renderer,
        };
        let renderer = match options.talks {
            true => renderer.talking().with_commands(),
            false => renderer,
        };
        let started = Instant::now();
        Self {
            json: options.json,
            quiet: options.quiet.then(LastAnswer::default),
            error_answer: ErrorAnswer::new(options.error_messages.clone()),
            agent: options.session.agent.clone(),
            login_command: options.login.clone(),
            answers: options.answers,
            answer: options.session.answer,
            manners,
            renderer,
            spinner: Spinner::new(manners),
            output: Output::stdout(),
            state: starting_state(options, manners),
            fallback: FallbackSummary::of(&options.session.agent, SESSION),
            interview: Interview::default(),
            login: login::Login::default(),
            held: Backlog::new(std::env::temp_dir(), MEMORY),
            keys: KeyReader::default(),
            key_mode: None,
            input: None,
            typing: options
                .talks
                .then(|| Typing::new(manners.asks, manners.err, manners.edits, terminal::size)),
            typed_lines: InputHistory::new(None),
            attention: Attention::default(),
            saves: false,
            editor: String::new(),
            row_is_open: false,
            opened: None,
            rhythm: Rhythm::default(),
            keyed: None,
            engine: None,
            started,
            printed: started,
            timeout: options.timeout.and_then(|limit| started.checked_add(limit)),
            limit: None,
            summary: None,
            told: options.told.clone(),
            told_broken: false,
            interrupted: false,
            over: false,
        }
    }

    /// The same front, which rings in this terminal; `program` is what shows it.
    pub(crate) fn ringing(mut self, program: Option<&str>) -> Self {
        if self.manners.motion && self.manners.asks && !self.json {
            self.attention = Attention::wanted(program);
        }
        self
    }

    /// Sees the run through until its session is over or given up.
    pub(crate) async fn attend(&mut self, engine: EngineHandle, mut inlets: Inlets) {
        self.engine = Some(engine);
        let mut tick = tokio::time::interval(TICK);
        let mut closed = Some(Box::pin(self.output.closed()));
        self.listen();
        while !self.over {
            tokio::select! {
                event = inlets.events.recv() => match event {
                    Some(event) => {
                        self.minds_clock();
                        self.event(&event);
                    }
                    None => self.happens(Happening::EngineGone),
                },
                Some(asking) = inlets.askings.recv() => self.asked(asking),
                Some(text) = inlets.output.recv() => self.command_prints(&text),
                signal = inlets.signals.next() => self.happens(signal.into()),
                bytes = next_bytes(&mut self.input) => self.typed(bytes.as_deref()),
                () = sleep_until(self.timeout) => self.minds_clock(),
                () = sleep_until(self.limit) => {
                    self.limit = None;
                    self.happens(Happening::Overdue);
                }
                () = resolved(&mut closed) => {
                    closed = None;
                    let broken = self.report_broken_output();
                    self.happens(match broken {
                        true => Happening::OutputBroken,
                        false => Happening::OutputClosed,
                    });
                }
                _ = tick.tick() => self.tick(),
            }
            self.show_question();
            self.show_line();
        }
    }

    /// Prints what is still to be printed, the summary last, and says how it ended.
    pub(crate) fn finish(mut self) -> Exit {
        self.key_mode = None;
        self.clear();
        while let Some(Text(held)) = self.held.pop() {
            match self.quiet {
                Some(_) => print_error(&held),
                None => self.output.write(held),
            }
        }
        let summary = match self.summary.take() {
            Some(summary) => summary,
            None => {
                let fallback = std::mem::take(&mut self.fallback);
                let event = fallback.summary(self.state.stop_reason(), self.started.elapsed());
                self.print(&event);
                match event.body {
                    EventBody::Summary(summary) => summary,
                    _ => Summary::default(),
                }
            }
        };
        self.print_answer();
        self.output.end(FLUSH);
        if self.saves && summary.turns > 0 {
            print_error("\n`siderail chat --continue` resumes this conversation.\n");
        }
        self.exit(&summary)
    }

    /// Shows a failure ahead of whatever comes next.
    pub(crate) fn report(&mut self, failure: &Failure) {
        let open_line = self.renderer.close_line();
        if !self.json {
            self.show(open_line);
            self.output.finish(FLUSH);
        }
        self.clear();
        print_failure(failure);
    }

    fn event(&mut self, event: &Event) {
        self.fallback.event(event);
        match &event.body {
            EventBody::PermissionDenied(PermissionDenied { request_id, .. })
            | EventBody::PermissionApproved(PermissionApproved { request_id, .. })
            | EventBody::PlanApproved(PlanApproved { request_id, .. })
            | EventBody::PlanRejected(PlanRejected { request_id, .. })
                if self.interview.settled(*request_id) =>
            {
                self.clear();
                let is_ours = self.interrupted || self.state.is_ending();
                print_error(match (is_called_off(&event.body), is_ours) {
                    // it was the person's own doing, and was said
                    (true, true) => "\n",
                    (true, false) => "\nthe agent no longer waits for this answer\n",
                    _ => "\nthis question has been answered elsewhere\n",
                });
            }
            EventBody::Error(event::Error { kind, text, hint }) => {
                let mut failure = Failure::new(Exit::Failed, text);
                failure.hint.clone_from(hint);
                if *kind == ErrorKind::Login && hint.as_deref() != Some(BY_HAND) {
                    let does_it = format!("{} does it", self.login_command);
                    let more = failure.hint.iter().cloned().chain([does_it]);
                    failure.hint = Some(more.collect::<Vec<_>>().join("\n      "));
                }
                self.report(&failure);
            }
            EventBody::AgentLog(AgentLog { text, .. }) => {
                tracing::debug!(text, "said by the agent")
            }
            EventBody::Summary(summary) => self.summary = Some(summary.clone()),
            _ => {}
        }
        print_error(&self.attention.event(&event.body));
        self.error_answer.event(&event.body);
        self.print(event);
        match &event.body {
            EventBody::PermissionRequest(request) if request.asks => self.permission(request),
            EventBody::PlanProposed(plan) if plan.asks => self.plan(plan),
            _ => {}
        }
        self.state.remember(&event.body);
        if let Some(typing) = &mut self.typing {
            typing.offers().event(&event.body);
        }
        if let EventBody::SessionStarted(_) = &event.body {
            self.opened = Some(Instant::now());
        }
        if self.offers_login(&event.body) {
            return;
        }
        let steps = self.state.event(&event.body);
        self.follow(steps);
    }

    fn happens(&mut self, happening: Happening) {
        if happening == Happening::Interrupt && self.login.has_terminal() {
            // It is meant for the command that has the terminal, and reaches it as well.
            return;
        }
        if happening == Happening::Interrupt && self.forgets_line() {
            return;
        }
        self.interrupted |= happening == Happening::Interrupt;
        let steps = self.state.happens(happening);
        let cancels = matches!(steps.first(), Some(Step::Send(Command::Cancel { .. })));
        if cancels {
            self.gives_up_login();
        }
        if happening == Happening::Interrupt && !self.json {
            self.clear();
            print_error(match cancels {
                true => "\ncancelling the turn; Ctrl-C again quits now\n",
                false => "\nquitting\n",
            });
        }
        self.follow(steps);
    }

    /// An event that took long to show may have eaten up the time: what comes after it does not end the run in time.
    fn minds_clock(&mut self) {
        if self.timeout.is_some_and(|at| at <= Instant::now()) {
            self.timeout = None;
            self.happens(Happening::Timeout);
        }
    }

    fn follow(&mut self, steps: Vec<Step>) {
        for step in steps {
            match step {
                Step::Send(command) => self.send(command),
                Step::Limit(limit) => self.limit = Instant::now().checked_add(limit),
                Step::NoLimit => self.limit = None,
                Step::Say(text) => self.say(&text),
                Step::ClearScreen => self.clear_screen(),
                Step::Quit => self.over = true,
            }
        }
    }

    fn send(&mut self, command: Command) {
        if let Command::SetMode { .. } | Command::SetOption { .. } | Command::Revert { .. } =
            &command
        {
            self.renderer.answers_anew();
        }
        let sent = self.engine.as_ref().map(|engine| engine.send(command));
        if let Some(Err(_)) = sent {
            // its end, or the limit that goes with the command, is seen by `attend`
            tracing::debug!("the engine takes no command any more");
        }
    }

    fn print(&mut self, event: &Event) {
        if let EventBody::AgentLog(AgentLog { text, .. }) = &event.body
            && !self.json
            && self.told.contains(text)
        {
            return;
        }
        if let Some(answer) = &mut self.quiet {
            let beside = answer.takes(&event.body).into_iter();
            let text = beside.map(|body| self.renderer.event(&body)).collect();
            return self.show(text);
        }
        if !self.json {
            let text = self.renderer.event(&event.body);
            return self.show(text);
        }
        match serde_json::to_string(event) {
            Ok(line) => self.output.write(line + "\n"),
            Err(error) => tracing::error!(%error, "an event has no JSON form"),
        }
    }

    fn show(&mut self, text: String) {
        if text.is_empty() {
            return;
        }
        let above_line = self.is_typing() && self.shows_above_line();
        if !self.interview.is_empty() || self.is_typing() && !above_line {
            self.held.push(Text(text));
            return;
        }
        if above_line {
            self.held.push(Text(text));
            return self.show_finished_rows();
        }
        self.clear();
        self.row_is_open = !text.ends_with('\n');
        match self.quiet {
            Some(_) => print_error(&text),
            None => self.output.write(text),
        }
        self.printed = Instant::now();
    }

    fn tick(&mut self) {
        self.pauses();
        self.login_goes_on();
        if self.state.settles() && self.opened.is_some_and(|at| at.elapsed() > SETTLES) {
            self.happens(Happening::Settled);
        }
        if self.interview.withdraw_cancelled() {
            self.clear();
            print_error("\nthe model no longer waits for this answer\n");
        }
        if !self.json && self.printed.elapsed() > QUIET {
            let text = self.renderer.catch_up();
            self.show(text);
        }
        let quiet = self.printed.elapsed() > QUIET && self.renderer.at_line_start();
        let free = self.interview.is_empty() && !self.is_typing() && !self.state.waits_for_line();
        let free = free && !self.login.has_terminal();
        if !self.json && quiet && free {
            let activity = self.renderer.activity();
            match self.attention.seconds().filter(|seconds| *seconds > 1) {
                Some(seconds) => self.spinner.draw(&format!("{seconds} s  {activity}")),
                None => self.spinner.draw(activity),
            }
        }
    }
}

/// The state in which a run, or a conversation, starts.
fn starting_state(options: &RunOptions, manners: Manners) -> RunState {
    let state = RunState::new(options.prompt.clone(), options.plan);
    if !options.talks {
        return state;
    }
    let chat_input = ChatInput::new(&options.prompt, options.plan, manners.asks);
    let settings = Key::ALL.iter().map(|key| key.name());
    state.with_chat_input(chat_input.knowing_settings(settings.collect()))
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}

async fn next_bytes(input: &mut Option<mpsc::Receiver<Vec<u8>>>) -> Option<Vec<u8>> {
    match input {
        Some(input) => input.recv().await,
        None => std::future::pending().await,
    }
}

async fn resolved(future: &mut Option<impl Future<Output = ()> + Unpin>) {
    match future {
        Some(future) => future.await,
        None => std::future::pending().await,
    }
}

/// Nobody answered: the turn was cancelled, or the agent waits no more.
fn is_called_off(body: &EventBody) -> bool {
    match body {
        EventBody::PermissionDenied(PermissionDenied { by, .. }) => *by == DeniedBy::Cancel,
        EventBody::PlanRejected(PlanRejected { by, .. }) => *by == PlanRejectedBy::Cancel,
        _ => false,
    }
}
