//! The event loop's questions: who answers a permission request, a plan or a question of the model, when one is shown,
//! and what the person's keys result in. `interview` decides what a key means.

use std::time::{Duration, Instant};

use siderail_engine::command::{Command, PermissionAnswer};
use siderail_engine::event::{PermissionRequest, PlanChannel, PlanProposed};
use tokio::sync::mpsc;

use super::{EventLoop, FLUSH, SESSION};
use crate::keys::Key;
use crate::output::Text;
use crate::question::PermissionQuestion;
use crate::run::interview::{Asking, nobody};
use crate::run::options::Answers;
use crate::run::plan_question::PlanQuestion;
use crate::terminal::{KeyMode, print_error, read_input};

/// So long after a key nothing more belongs to it, even from slow hands.
const PAUSE: Duration = Duration::from_millis(600);

impl EventLoop {
    pub(super) fn permission(&mut self, request: &PermissionRequest) {
        let question = PermissionQuestion::of(request);
        if self.answers == Answers::Person {
            return self.interview.permission(question);
        }
        self.answer_for_person(question.request_id);
    }

    pub(super) fn plan(&mut self, plan: &PlanProposed) {
        if self.answers == Answers::Person {
            // what ended the turn was its last message
            let is_new = self.json || plan.channel != PlanChannel::Turn;
            let question = PlanQuestion::new(plan.request_id, &plan.text, &plan.entries, is_new);
            let question = question.after(self.fallback.changed());
            return self.interview.plan(question);
        }
        self.answer_for_person(plan.request_id);
    }

    /// Answers what nobody is asked about.
    fn answer_for_person(&mut self, request_id: u64) {
        let answer = match (self.answers, self.answer) {
            (Answers::Engine, Some(true)) => PermissionAnswer::Allow,
            (Answers::Engine | Answers::Person | Answers::Nobody, _) => nobody(),
        };
        self.answer_permission(request_id, answer);
    }

    pub(super) fn answer_permission(&mut self, request_id: u64, answer: PermissionAnswer) {
        self.send(Command::AnswerPermission {
            session: SESSION,
            request_id,
            answer,
        });
    }

    pub(super) fn asked(&mut self, asking: Asking) {
        // without a person the asking is dropped, which the asker understands
        if self.manners.asks {
            self.interview.asked(asking, self.typing.is_some());
        }
    }

    /// Shows the next question, or continues with what was held back if there is none.
    pub(super) fn show_question(&mut self) {
        if self.interview.is_empty() {
            if self.typing.is_none() {
                self.key_mode = None;
            }
            if self.is_typing() {
                return;
            }
            while let Some(Text(held)) = self.held.pop() {
                self.show(held);
            }
            return;
        }
        if self.interview.is_on_show() {
            return;
        }
        if !self.json {
            let open_line = self.renderer.complete() + &self.renderer.close_line();
            match self.quiet {
                Some(_) => print_error(&open_line),
                None => self.output.write(open_line),
            }
            self.output.finish(FLUSH);
        }
        self.clear();
        if self.typing.is_some() {
            // what was typed before the question could be read belongs to the line
            while let Some(Ok(bytes)) = self.input.as_mut().map(mpsc::Receiver::try_recv) {
                self.typed_line(&bytes);
            }
            self.clear();
            self.rhythm.asked(Instant::now());
            return self.put_on_show();
        }
        let input = self.input.get_or_insert_with(read_input);
        // what was typed before the question could be read answers nothing
        self.key_mode = None;
        match KeyMode::enter() {
            Ok(mode) => self.key_mode = Some(mode),
            Err(error) => tracing::debug!(%error, "the terminal gives no single keys"),
        }
        while input.try_recv().is_ok() {}
        self.put_on_show();
    }

    fn put_on_show(&mut self) {
        if let Some(text) = self.interview.next_to_show(self.manners.err) {
            print_error(&self.in_rows(&text));
            print_error(&self.attention.question());
        }
    }

    /// Takes what was typed; none when the input has ended.
    pub(super) fn typed(&mut self, bytes: Option<&[u8]>) {
        let Some(bytes) = bytes else {
            self.manners.asks = false;
            self.answers = Answers::Nobody;
            for decided in self.interview.nobody_left() {
                self.answer_permission(decided.request_id, decided.answer);
            }
            self.input = None;
            return self.line_ended();
        };
        let is_pasted = self
            .typing
            .as_ref()
            .is_some_and(|typing| typing.is_pasted(bytes));
        let is_command = bytes.starts_with(b"/") && self.interview.awaits_key();
        let is_of_line =
            self.interview.is_empty() || self.line_takes_keys() || is_pasted || is_command;
        if self.typing.is_some() && is_of_line {
            self.typed_line(bytes);
            return self.ask_again();
        }
        self.keyed = Some(Instant::now());
        let mut keys = self.keys.keys(bytes).into_iter();
        while !self.interview.is_empty()
            && let Some(key) = keys.next()
        {
            if self.key(key) {
                // the next question has not been read yet
                return self.typed_behind(keys.collect());
            }
        }
    }

    /// Informs the question on show that nothing more was typed for a while.
    pub(super) fn pauses(&mut self) {
        let is_pause = self.keyed.is_some_and(|at| at.elapsed() >= PAUSE);
        if is_pause {
            self.keyed = None;
            if self.interview.is_on_show() {
                self.key(Key::Pause);
            }
        }
    }

    /// True while keys belong to the line, whatever is asked: it was begun before the question could be read.
    fn line_takes_keys(&self) -> bool {
        self.is_typing() || self.rhythm.is_of_line(Instant::now())
    }

    /// Asks anew where the line below the question was sent or emptied.
    fn ask_again(&mut self) {
        if self.is_typing() || !self.interview.is_on_show() || self.state.is_ending() {
            return;
        }
        self.clear();
        let start = if self.manners.edits { "\r\x1b[K" } else { "\n" };
        let prompt = self.interview.prompt(self.manners.err);
        let open = self.in_rows(&format!("the question is still open: {prompt}"));
        print_error(&format!("{start}{open}"));
    }

    /// Hands a key to the question on show; true when that answered it.
    fn key(&mut self, key: Key) -> bool {
        let before = self.interview.len();
        let (text, decided) = self.interview.key(key, self.manners.err);
        print_error(&self.in_rows(&text));
        if let Some(decided) = decided {
            self.answer_permission(decided.request_id, decided.answer);
        }
        if self.interview.takes_quit() {
            self.line("/quit");
        }
        self.interview.len() < before
    }
}
