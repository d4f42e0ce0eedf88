//! The end of a session, wanted or not: the agent goes, nothing is left open, the summary is the last word.

use std::path::Path;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use siderail_acp::process::Exit;
use siderail_acp::requests;

use crate::event::{ErrorKind, EventBody, StopReason, Summary};
use crate::session::lifecycle::opening::remove_folder;
use crate::session::lifecycle::put_back::PutBack;
use crate::session::lifecycle::summary;
use crate::session::lifecycle::{Ending, STOP};
use crate::session::worker::Sight;
use crate::session::{Session, Tag};
use crate::shared::Shared;

/// A host that was told to give a write up answers at once, or has hung.
const GIVEN_UP: Duration = Duration::from_secs(2);

/// What the end waits for files to be put back, and for the history to be written.
const LAST: Duration = Duration::from_secs(10);
/// What is said where that takes longer.
const NOT_PUT_BACK: &str = "files outside the project are not restored yet: the disk gives no answer; the next start tries again";

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
        let no_turn =
            (starting && self.turn.stop_reason.is_none()).then_some(StopReason::NotStarted);
        let ending = Ending::ForGood(why.clone().or(no_turn));
        self.lifecycle.close(ending, Instant::now() + STOP);
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
        // Nobody waits for the agent's answers any more, and it is told so.
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
        let can = self
            .handshake
            .initialized
            .as_ref()
            .is_some_and(|i| i.capabilities.close);
        let Some(acp) = self.handshake.acp.as_ref().filter(|_| can) else {
            return;
        };
        let params = requests::session(acp.id());
        let (_, line) = self
            .wire
            .connection
            .request(requests::CLOSE_SESSION, &params, Tag::Close);
        self.send(line, shared);
    }

    /// The host's time is up: what it was spent on.
    fn report_timeout(&self, shared: &mut Shared) {
        let now = Instant::now();
        let text = format!(
            "the time limit of {} s passed: {}",
            // the limit is the host's, and began a little earlier
            now.saturating_duration_since(self.carried.started)
                .as_secs_f64()
                .ceil()
                .max(1.0),
            self.waits_for(now)
        );
        let body = EventBody::Error {
            kind: ErrorKind::Timeout,
            text: self.with_last_words(text),
            hint: Some("raise the limit, or give it a smaller task".to_owned()),
        };
        self.emit(body, shared);
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
        // An agent that wants a login has said what it wants, and one that is set wrongly has done nothing.
        let text = match kind {
            ErrorKind::Login | ErrorKind::Setting => text,
            _ => self.with_last_words(text),
        };
        self.emit(EventBody::Error { kind, text, hint }, shared);
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

    pub(in crate::session) fn exit_overdue(&mut self, shared: &mut Shared) {
        self.after_a_look(shared, Self::gone);
    }

    fn gone(&mut self, shared: &mut Shared) {
        self.is_no_agent(shared);
        if !self.is_closing() {
            let trace = self.carried.options.trace.as_deref();
            let (how, hint) = left(self.lifecycle.exit(), trace, self.lifecycle.is_starting());
            self.fail(ErrorKind::Closed, how, Some(hint), shared);
        }
        self.wire.stop_agent();
        self.finish(shared);
    }

    /// The last word, once the host has said what became of the writes that it was to give up.
    pub(in crate::session) fn finish(&mut self, shared: &mut Shared) {
        if self.lifecycle.is_over() || self.lifecycle.is_finishing() {
            return;
        }
        if self.has_open_writes() {
            self.lifecycle.finishing(Instant::now() + GIVEN_UP);
        } else {
            self.finish_now(shared);
        }
    }

    fn has_open_writes(&self) -> bool {
        self.files.writes() || self.own.table.given_up().next().is_some()
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
        for call in self.files.calls().chain(self.own.table.given_up()) {
            shared.forget_call(call);
        }
        // Nothing else ends it meanwhile.
        self.lifecycle.finishing(Instant::now() + GIVEN_UP);
        self.put_back(shared, Self::after_putting_back);
    }

    /// Has the worker put back what is to be put back, and tells what stays.
    fn put_back(
        &mut self,
        shared: &mut Shared,
        then: impl FnOnce(&mut Self, &mut Shared) + Send + 'static,
    ) {
        let put_back = PutBack {
            state_dir: shared.config.state_dir.clone(),
            agent: self.facts.profile.name.clone(),
            consented: self.place.consented,
            overlay: self.place.overlay.take(),
        };
        if put_back.is_empty() {
            return then(self, shared);
        }
        let once = Mutex::new(Some(put_back));
        self.look_up_within(
            LAST,
            shared,
            move |sight| {
                let put_back = once.lock().take();
                match put_back {
                    Some(put_back) if sight == Sight::Clear => put_back.done(),
                    // It would be brought home where it is dropped, by who must not wait.
                    left => {
                        std::mem::forget(left);
                        vec![NOT_PUT_BACK.to_owned()]
                    }
                }
            },
            move |session, told, shared| {
                for text in told {
                    tracing::error!("{text}");
                    session.notice(&text, shared);
                }
                then(session, shared);
            },
        );
    }

    /// Has the worker remove the session's folder, which a new process of the session makes anew, and wait for the history.
    fn after_putting_back(&mut self, shared: &mut Shared) {
        let folder = self.place.folder.clone();
        if self.lifecycle.ending() == Some(&Ending::Restart) {
            return self.look_up_within(
                LAST,
                shared,
                move |sight| match sight {
                    Sight::Clear => remove_folder(&folder),
                    Sight::Blind => {}
                },
                |session, (), _| session.lifecycle.over(),
            );
        }
        let ignored = self.carried.denials.ended();
        self.apply(ignored, shared);
        let written = shared.last_of_history(self.number).map(Mutex::new);
        // Whole already, unless there was no process.
        let trace = self.wire.record.trace.clone();
        self.look_up_within(
            LAST,
            shared,
            move |sight| {
                if sight == Sight::Clear {
                    remove_folder(&folder);
                    if let Some(trace) = &trace {
                        trace.finish();
                    }
                    if let Some(written) = &written {
                        written.lock().wait(LAST);
                    }
                }
            },
            |session, (), shared| {
                shared.tell_history();
                session.sum_up(shared);
            },
        );
    }

    fn sum_up(&mut self, shared: &mut Shared) {
        let ended_for = match self.lifecycle.ending() {
            Some(Ending::ForGood(why)) => why.clone(),
            Some(Ending::Restart) | None => None,
        };
        let last_turn = self.turn.stop_reason.clone();
        let has_begun = self.handshake.acp.is_some();
        let stop_reason = summary::stop_reason(ended_for, last_turn, has_begun);
        let summary = Summary {
            hidden: self.facts.hidden.clone(),
            ..summary::of(&self.carried, self.facts.profile.name.clone(), stop_reason)
        };
        self.emit(EventBody::Summary(summary), shared);
        self.lifecycle.over();
        self.tell_inspectors(shared);
    }
}

/// What is said of an agent that has gone by itself, and what can be done. `trace`: where its messages are recorded.
fn left(exit: Option<Exit>, trace: Option<&Path>, is_starting: bool) -> (String, String) {
    let how = match exit {
        Some(exit) => format!("the agent ended by itself ({exit})"),
        None => "the agent closed its output".to_owned(),
    };
    let hint = match trace {
        Some(file) => format!("{} holds its last messages", file.display()),
        None if is_starting => "run its command yourself to see what it says".to_owned(),
        None => "try again; with --trace, the recording has its last messages".to_owned(),
    };
    (how, hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_that_has_gone_is_told_with_what_helps_at_that_moment() {
        let exit = Exit {
            code: Some(7),
            signal: None,
        };
        let (how, hint) = left(Some(exit), Some(Path::new("/t.jsonl")), true);
        assert!(
            how.contains('7') && hint.starts_with("/t.jsonl holds"),
            "{how}: {hint}"
        );
        let (how, hint) = left(None, None, true);
        assert_eq!(how, "the agent closed its output");
        assert!(hint.contains("run its command yourself"));
        assert!(left(None, None, false).1.contains("--trace"));
    }
}
