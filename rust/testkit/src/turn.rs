//! One prompt turn: runs the script's steps as the scripted model would take them.

mod extras;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use siderail_wire::{RequestId, codes};

use crate::agent::Agent;
use crate::model_log::Shown;
use crate::script::{Action, Prompt, Purpose, Step};
use crate::session::Session;
use crate::template::{Vars, fill, fill_text};
use crate::tool_call::{Outcome, ToolCall};

/// Why a turn ends ahead of its steps.
#[derive(Clone, Debug)]
pub(crate) enum End {
    /// By the script or by the shape's habit, with this stop reason.
    Stop(String),
    /// By a reject, with this stop reason: the rest may be resumed.
    Rejected(String),
    /// By `session/cancel`.
    Cancelled,
    /// With an error as answer.
    Error(i64, String),
    /// Never: the prompt stays without an answer.
    Wedged,
}

/// A turn.
pub(crate) struct Turn {
    /// The agent.
    pub(crate) agent: Arc<Agent>,
    /// The session.
    pub(crate) session: Arc<Session>,
    /// Its number in the session, from 1.
    pub(crate) number: u64,
}

impl Turn {
    /// Runs one prompt to its answer; true where the session has another one waiting.
    pub(crate) fn run(&self, id: &RequestId, text: &str) -> bool {
        let prompt = {
            let mut state = self.session.state();
            state.seen.clear();
            state.take_prompt(&self.agent.script, text)
        };
        let unread = std::mem::take(&mut self.session.state().unread);
        for (source, tool, text) in unread {
            self.shown(source, tool.as_deref(), &text);
        }
        self.shown("prompt", None, text);
        let mut vars = Vars::default();
        vars.set("prompt", text);
        self.updates(&self.agent.shape.turn_started, &vars);
        let end = self.steps(&prompt);
        self.answer(id, &prompt, end)
    }

    /// Answers a prompt that the model reads only with the next one.
    pub(crate) fn answer_without_model(&self, id: &RequestId) -> bool {
        self.answer(id, &Prompt::default(), Ok(()))
    }

    fn answer(&self, id: &RequestId, prompt: &Prompt, end: Result<(), End>) -> bool {
        let stop = match end {
            Ok(()) => prompt.stop.clone().unwrap_or_else(|| "end_turn".to_owned()),
            Err(End::Stop(reason) | End::Rejected(reason)) => reason,
            Err(End::Cancelled) => self.agent.shape.cancel.stop.clone(),
            Err(End::Error(code, message)) => {
                let error = json!({"code": code, "message": message});
                let more = self.session.state().finish();
                self.agent.peer.respond(id, Err(&error));
                return more;
            }
            // The session stays taken: nothing is answered any more.
            Err(End::Wedged) => return false,
        };
        let mut vars = self.vars();
        vars.set("stop", stop);
        let result = fill(&self.agent.shape.prompt_result, &vars).unwrap_or_default();
        let more = self.session.state().finish();
        self.agent.peer.respond(id, Ok(&result));
        self.messages(&self.agent.shape.turn_ended, &vars);
        more
    }

    fn steps(&self, prompt: &Prompt) -> Result<(), End> {
        let mut steps: VecDeque<Step> = prompt.steps.iter().cloned().collect();
        // What came of the last call outlives a turn: a resumed script asks for it.
        let mut last = self.session.state().last;
        while let Some(step) = steps.pop_front() {
            self.check_cancel()?;
            self.read_steering(false);
            if !applies(&step, last) {
                continue;
            }
            if let Action::Group(inner) = step.action() {
                for _ in 0..step.repeat.unwrap_or(1) {
                    inner
                        .iter()
                        .rev()
                        .for_each(|step| steps.push_front(step.clone()));
                }
                continue;
            }
            let next = steps.front().map(Step::action);
            let has_call = matches!(next, Some(Action::Tool(..)));
            let end = self.step(&step, has_call, &mut last);
            if let Err(End::Rejected(_)) = end {
                last = Some(Outcome::Denied);
            }
            self.session.state().last = last;
            self.expect_seen(&step);
            match end {
                Err(End::Cancelled) if self.agent.shape.cancel.goes_on => {
                    self.session.set_cancelled(false);
                }
                Err(End::Rejected(stop)) => {
                    if prompt.resume && !steps.is_empty() {
                        let rest = steps.into_iter().collect();
                        self.session.state().keep_rest(rest, prompt.stop.clone());
                    }
                    return Err(End::Rejected(stop));
                }
                end => end?,
            }
        }
        self.read_steering(true);
        self.check_cancel()
    }

    /// One step; `has_call`: a tool call is the next.
    fn step(&self, step: &Step, has_call: bool, last: &mut Option<Outcome>) -> Result<(), End> {
        let shape = &self.agent.shape;
        match step.action() {
            Action::Say(text) => {
                let other = shape.message_with_call.as_ref().filter(|_| has_call);
                self.text(other.unwrap_or(&shape.message), text, step.chunks);
            }
            Action::Think(text) => self.text(&self.agent.shape.thought, text, step.chunks),
            Action::Plan(entries) => self.plan(entries),
            // An agent without a tool for it says its plan.
            Action::Tool(Purpose::Present, plan)
                if !self.agent.shape.tools.contains_key(&Purpose::Present) =>
            {
                self.text(&self.agent.shape.message, plan, step.chunks);
            }
            Action::Tool(purpose, target) => {
                *last = Some(ToolCall::new(self, purpose, target, step).run()?);
            }
            Action::Parallel(calls) => *last = self.parallel(calls)?,
            Action::Sleep(seconds) => self.sleep(seconds)?,
            Action::Flood(count) => self.flood(count)?,
            Action::SpawnGrandchild => extras::spawn_grandchildren(),
            Action::Send(text) => {
                let line = format!("{}\n", fill_text(text, &self.vars()));
                self.agent.peer.send_raw(line.as_bytes());
            }
            Action::Request(method) => self.request(method, step.params.as_ref())?,
            Action::Fault(spec) => self.fault(spec)?,
            Action::Stop(reason) => return Err(End::Stop(reason.to_owned())),
            Action::Fail(message) => {
                let code = step.code.unwrap_or(codes::INTERNAL_ERROR);
                return Err(End::Error(code, message.to_owned()));
            }
            Action::Group(_) | Action::Nothing => {}
        }
        Ok(())
    }

    fn parallel(&self, calls: &[Step]) -> Result<Option<Outcome>, End> {
        let results: Vec<Result<Outcome, End>> = std::thread::scope(|scope| {
            let threads: Vec<_> = calls
                .iter()
                .filter_map(|step| match step.action() {
                    Action::Tool(purpose, target) => {
                        // Ids are given out in the script's order, whichever thread is faster.
                        let call = ToolCall::new(self, purpose, target, step);
                        Some(scope.spawn(move || call.run()))
                    }
                    _ => None,
                })
                .collect();
            let ended = |thread: std::thread::ScopedJoinHandle<'_, _>| {
                thread
                    .join()
                    .unwrap_or_else(|_| Err(End::Error(codes::INTERNAL_ERROR, "panic".into())))
            };
            threads.into_iter().map(ended).collect()
        });
        let mut last = None;
        for result in results {
            last = Some(result?);
        }
        Ok(last)
    }

    /// Notes that the model was shown a text.
    pub(crate) fn shown(&self, source: &'static str, tool: Option<&str>, text: &str) {
        let mut state = self.session.state();
        state.seen.push_str(text);
        state.seen.push('\n');
        self.agent.log.note(&Shown {
            session: &self.session.id,
            turn: self.number,
            source,
            tool,
            text,
        });
    }

    /// Notes a text that the model is shown only with the next prompt.
    pub(crate) fn shown_later(&self, source: &'static str, tool: Option<&str>, text: &str) {
        let tool = tool.map(str::to_owned);
        self.session
            .state()
            .unread
            .push((source, tool, text.to_owned()));
    }

    fn read_steering(&self, at_end: bool) {
        let steering = std::mem::take(&mut self.session.state().steering);
        for (late, text) in steering {
            if late && !at_end {
                self.session.state().steering.push((late, text));
            } else {
                self.shown("steering", None, &text);
            }
        }
    }

    /// Variables that every template may use.
    #[must_use]
    pub(crate) fn vars(&self) -> Vars {
        let mut vars = Vars::default();
        vars.set("session", self.session.id.as_str());
        vars.set("cwd", self.session.cwd.to_string_lossy());
        vars.set("turn", self.number);
        vars.set("uuid", self.agent.peer.uuid());
        vars.set("message_id", format!("msg_{}", self.agent.peer.uuid()));
        vars
    }

    /// Sends updates from templates.
    pub(crate) fn updates(&self, templates: &[Value], vars: &Vars) {
        self.messages(templates, vars);
    }

    /// Sends updates, and whole messages where a template has a method.
    fn messages(&self, templates: &[Value], vars: &Vars) {
        self.agent.messages(&self.session.id, templates, vars);
    }

    fn text(&self, template: &Value, text: &str, chunks: Option<usize>) {
        let mut vars = self.vars();
        for chunk in split(text, chunks.unwrap_or(1)) {
            vars.set("text", chunk);
            self.updates(std::slice::from_ref(template), &vars);
        }
    }

    /// Waits; a cancel ends it.
    pub(crate) fn sleep(&self, seconds: f64) -> Result<(), End> {
        let deadline = Instant::now() + Duration::from_secs_f64(seconds.max(0.0));
        while let Some(left) = deadline.checked_duration_since(Instant::now()) {
            self.check_cancel()?;
            std::thread::sleep(left.min(Duration::from_millis(20)));
        }
        Ok(())
    }

    fn check_cancel(&self) -> Result<(), End> {
        if self.session.is_cancelled() {
            Err(End::Cancelled)
        } else {
            Ok(())
        }
    }

    fn expect_seen(&self, step: &Step) {
        let Some(part) = &step.expect_seen_contains else {
            return;
        };
        let seen = self.session.state().seen.clone();
        if !seen.contains(part) {
            self.expectation_failed(&format!("the model was never shown {part:?}"));
        }
    }

    /// Reports a failed expectation everywhere that it can be seen.
    pub(crate) fn expectation_failed(&self, what: &str) {
        self.agent.expectation_failed(what);
        self.text(
            &self.agent.shape.message,
            &format!("EXPECTATION FAILED: {what}"),
            None,
        );
    }
}

/// True where the step has no condition, or one that the last call's outcome meets.
fn applies(step: &Step, last: Option<Outcome>) -> bool {
    let conditions = [
        (step.if_denied, Outcome::Denied),
        (step.if_hidden, Outcome::Hidden),
        (step.if_allowed, Outcome::Allowed),
    ];
    let mut asked = conditions.iter().filter(|(asked, _)| *asked).peekable();
    asked.peek().is_none() || asked.any(|(_, outcome)| last == Some(*outcome))
}

/// `text` in `count` pieces of about the same number of characters.
fn split(text: &str, count: usize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let size = characters.len().div_ceil(count.max(1)).max(1);
    let pieces: Vec<String> = characters
        .chunks(size)
        .map(|piece| piece.iter().collect())
        .collect();
    if pieces.is_empty() {
        vec![String::new()]
    } else {
        pieces
    }
}
