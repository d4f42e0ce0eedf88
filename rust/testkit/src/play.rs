//! Plays a prompt's steps as the scripted model would take them.

mod extras;

use std::collections::VecDeque;

use serde_json::json;
use siderail_wire::{RequestId, codes};

use crate::outcome::{End, Outcome};
use crate::script::{Action, Prompt, Purpose, Step};
use crate::template::{Vars, fill, fill_text};
use crate::tool_call::ToolCall;
use crate::turn::Turn;

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
        // The outcome of the last call outlives a turn: a resumed script asks for it.
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
            Action::WaitFor(path) => self.wait_for(&self.session.absolute(path))?,
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

    fn expect_seen(&self, step: &Step) {
        let Some(part) = &step.expect_seen_contains else {
            return;
        };
        let seen = self.session.state().seen.clone();
        if !seen.contains(part) {
            self.expectation_failed(&format!("the model was never shown {part:?}"));
        }
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
