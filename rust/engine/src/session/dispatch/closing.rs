//! Ends a session, step by step: the agent goes, nothing is left open, and the summary is the last event.
//! [`lifecycle`](crate::session::lifecycle) knows how far a session is on that way, and words what is said of its end.

use std::time::Instant;

use siderail_acp::process::Exit;
use siderail_acp::requests;

use crate::event::{self, ErrorKind, EventBody, StopReason};
use crate::session::lifecycle::put_back::PutBack;
use crate::session::lifecycle::session_end::{self, LAST, LastWork};
use crate::session::lifecycle::{Ending, summary, waiting};
use crate::session::worker::once;
use crate::session::{Ask, Session, Tag};
use crate::shared::Shared;

impl Session {
    /// Ends the session, once what its turn has changed is looked at.
    pub(crate) fn end_in_order(&mut self, why: Option<StopReason>, shared: &mut Shared) {
        self.after_a_look(shared, move |session, shared| session.end(why, shared));
    }

    /// Ends the session. `why` replaces the last turn's stop reason in the summary.
    pub(in crate::session) fn end(&mut self, why: Option<StopReason>, shared: &mut Shared) {
        if self.lifecycle.give_up_restart(why.as_ref()) {
            // Its agent is on its way out already.
            let unsent = self.carried.drop_queue();
            self.apply(unsent, shared);
        }
        if self.is_closing() {
            return;
        }
        if why == Some(StopReason::Timeout) {
            self.report_timeout(shared);
        }
        let starting = self.lifecycle.is_starting();
        let has_had_turn = self.turn.stop_reason.is_some();
        let now = Instant::now();
        self.lifecycle.end(why.clone(), has_had_turn, now);
        let unsent = self.carried.drop_queue();
        self.apply(unsent, shared);
        self.drop_waiting(shared);
        if self.is_prompting() {
            let reason = why.unwrap_or(StopReason::Cancelled);
            self.end_turn(reason, None, shared);
        }
        self.close_questions(shared);
        self.stop_own_calls(shared);
        self.close_agent_requests(shared);
        // Nobody waits for the agent's answers any more, so it is notified.
        for line in self.wire.abandon_all() {
            self.send(line, shared);
        }
        self.close_agent_session(shared);
        if self.wire.agent.is_some() || starting {
            self.wire.stop_agent();
        } else {
            self.finish(shared);
        }
    }

    /// An agent that can frees what its session holds; its answer is not waited for, since the process goes, too.
    fn close_agent_session(&mut self, shared: &mut Shared) {
        let Some(id) = self.lifecycle.peers.session_to_close() else {
            return;
        };
        let params = requests::session(id);
        let connection = &mut self.wire.connection;
        let (_, line) = connection.request(requests::CLOSE_SESSION, &params, Tag::Close);
        self.send(line, shared);
    }

    /// The host's time is up: what it was spent on.
    fn report_timeout(&self, shared: &mut Shared) {
        let now = Instant::now();
        let spent = now.saturating_duration_since(self.carried.started);
        let (text, hint) = session_end::timed_out(spent, &self.waits_for(now));
        let body = EventBody::Error(event::Error {
            kind: ErrorKind::Timeout,
            text: self.with_last_words(text),
            hint: Some(hint),
        });
        self.emit(body, shared);
    }

    /// Who has not answered what, at this moment, and since when.
    pub(in crate::session) fn waits_for(&self, now: Instant) -> String {
        let mut asks = self.permissions.asks.values();
        let open = waiting::Open {
            lacks_program: self.lifecycle.is_starting() && self.wire.agent.is_none(),
            unanswered: &self.wire.unanswered,
            own_calls: self.own_calls.table.waits_for().collect(),
            asks_person: asks.any(|ask| matches!(ask, Ask::Acp { .. })),
            awaits_command: self.terminals.is_awaited(),
        };
        open.told(now)
    }

    /// A text with the end of what the agent said on stderr, where it said anything.
    pub(in crate::session) fn with_last_words(&self, text: String) -> String {
        let stderr = self.wire.agent.as_ref().map(|agent| agent.stderr.text());
        waiting::with_last_words(text, &stderr.unwrap_or_default())
    }

    pub(in crate::session) fn is_closing(&self) -> bool {
        self.lifecycle.is_closing()
    }

    /// Something went wrong for good: say so, end the turn and the session.
    pub(in crate::session) fn fail(
        &mut self,
        kind: ErrorKind,
        text: String,
        hint: Option<String>,
        shared: &mut Shared,
    ) {
        if self.is_closing() {
            return;
        }
        let text = match waiting::shows_last_words(&kind) {
            true => self.with_last_words(text),
            false => text,
        };
        self.emit(EventBody::Error(event::Error { kind, text, hint }), shared);
        self.end(Some(StopReason::Error), shared);
    }

    /// The agent closed its output.
    pub(in crate::session) fn output_closed(&mut self, shared: &mut Shared) {
        self.lifecycle.output_closed();
        self.after_a_look(shared, Self::gone_by_half);
    }

    /// The agent's process ended.
    pub(in crate::session) fn exited(&mut self, exit: Exit, shared: &mut Shared) {
        self.lifecycle.exited(exit);
        self.after_a_look(shared, Self::gone_by_half);
    }

    fn gone_by_half(&mut self, shared: &mut Shared) {
        if self.lifecycle.drain(Instant::now()) {
            self.gone(shared);
        }
    }

    pub(in crate::session) fn gone(&mut self, shared: &mut Shared) {
        self.is_no_agent(shared);
        if !self.is_closing() {
            let trace = self.carried.options.trace.as_deref();
            let is_starting = self.lifecycle.is_starting();
            let (how, hint) = session_end::left(self.lifecycle.exit(), trace, is_starting);
            self.fail(ErrorKind::Closed, how, Some(hint), shared);
        }
        self.wire.stop_agent();
        self.finish(shared);
    }

    /// The last word, once the host has said what became of the writes that it was to give up.
    pub(in crate::session) fn finish(&mut self, shared: &mut Shared) {
        let has_open_writes = self.has_open_writes();
        if self.lifecycle.agent_gone(has_open_writes, Instant::now()) {
            self.finish_now(shared);
        }
    }

    fn has_open_writes(&self) -> bool {
        self.client_files.writes() || self.own_calls.table.given_up().next().is_some()
    }

    /// A write that was to be given up has been answered: was it the last that is waited for?
    pub(in crate::session) fn write_settled(&mut self, shared: &mut Shared) {
        if self.lifecycle.is_finishing() && !self.has_open_writes() {
            self.finish_now(shared);
        }
    }

    pub(in crate::session) fn finish_now(&mut self, shared: &mut Shared) {
        if self.lifecycle.is_over() {
            return;
        }
        for call in self
            .client_files
            .calls()
            .chain(self.own_calls.table.given_up())
        {
            shared.forget_call(call);
        }
        // Nothing else ends it meanwhile.
        self.lifecycle.finishing(Instant::now());
        self.put_back(shared);
    }

    /// Has the worker restore what is to be restored, and reports what stays.
    fn put_back(&mut self, shared: &mut Shared) {
        let put_back = PutBack {
            state_dir: shared.config.state_dir.clone(),
            agent: self.agent_facts.profile.name.clone(),
            consented: self.folders.consented,
            overlay: self.folders.overlay.take(),
        };
        if put_back.is_empty() {
            return self.after_putting_back(shared);
        }
        self.look_up_within(
            LAST,
            shared,
            once(put_back, PutBack::looked_after),
            move |session, told, shared| {
                for text in told {
                    tracing::error!("{text}");
                    session.notice(&text, shared);
                }
                session.after_putting_back(shared);
            },
        );
    }

    /// Has the worker remove the session's folder and wait for the history. Then the session is over.
    fn after_putting_back(&mut self, shared: &mut Shared) {
        let folder = self.folders.folder.clone();
        if self.lifecycle.ending() == Some(&Ending::Restart) {
            let work = LastWork::of_process(folder);
            let over = |session: &mut Self, (), _: &mut Shared| session.lifecycle.over();
            return self.look_up_within(LAST, shared, move |sight| work.done(sight), over);
        }
        let ignored = self.carried.denials.ended();
        self.apply(ignored, shared);
        let written = shared.last_of_history(self.carried.number);
        let work = LastWork::of_session(folder, self.wire.record.trace.clone(), written);
        self.look_up_within(
            LAST,
            shared,
            move |sight| work.done(sight),
            |session, (), shared| {
                shared.tell_history();
                session.sum_up(shared);
            },
        );
    }

    fn sum_up(&mut self, shared: &mut Shared) {
        let stop_reason = summary::stop_reason(
            self.lifecycle.ended_for().cloned(),
            self.turn.stop_reason.clone(),
            self.lifecycle.peers.acp.is_some(),
        );
        let (agent, hidden) = (&self.agent_facts.profile.name, &self.agent_facts.hidden);
        let summary = summary::of(&self.carried, agent.clone(), hidden.clone(), stop_reason);
        self.emit(EventBody::Summary(summary), shared);
        self.lifecycle.over();
        self.tell_inspectors(shared);
    }
}
