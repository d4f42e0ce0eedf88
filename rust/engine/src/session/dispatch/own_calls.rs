//! Carries out a call at our server: its gate before the handler, the handler on the host or here, its answer.
//! `own_calls` decides, and its table knows what is open.

use std::time::Instant;

use siderail_guard::Tool;
use siderail_mcp::{CallKey, PendingCall};
use siderail_workspace::Project;

use crate::host::{HostReply, ToolFailure, ToolOutcome};
use crate::session::effect::Effect;
use crate::session::host_calls::Waiting;
use crate::session::own_calls::call::{ArrivedCall, EngineCall};
use crate::session::own_calls::gate::{LetIn, denied, denied_by_person};
use crate::session::own_calls::host_work::HostWork;
use crate::session::own_calls::outcome::{not_ours, session_ends};
use crate::session::own_calls::steps::{
    CallContext, Replied, TURN_CANCELLED, WITHDRAWN, Work, answered, changed_before,
};
use crate::session::own_calls::table::{GivenUp, Joined, Overdue};
use crate::session::permissions::answers::Meant;
use crate::session::permissions::judge::{Judged, JudgedCall};
use crate::session::question::{Ask, RequestedAction, Settled};
use crate::session::{Input, Session};
use crate::shared::Shared;
use crate::tools::touch;
use crate::views::text_of;

impl Session {
    /// A tool call arrived at our server.
    pub(super) fn own_call(&mut self, conn: u64, call: PendingCall, shared: &mut Shared) {
        let Some(tool) = self.agent_facts.names.own_tool(&call.name) else {
            let answer = not_ours(&call.name);
            return call.complete(answer);
        };
        let arguments = call.arguments.clone();
        if self.is_stopping() {
            return call.complete(session_ends());
        }
        self.turn.expected.arrived(tool, Some(&arguments));
        self.went_on();
        let call = ArrivedCall {
            tool,
            conn,
            pending: call,
        };
        let call = match self.own_calls.table.join(call, Instant::now()) {
            Joined::New(call) => call,
            Joined::Waits => return,
            Joined::Answered(call, answer) => {
                let effects = answered(call, answer, &mut self.carried.denials);
                return self.apply(effects, shared);
            }
        };
        let denials = &mut self.carried.denials;
        let followed = denials.own_call(tool, text_of(&arguments, "path"));
        self.apply(followed, shared);
        let judge = self.judge(shared);
        if let Some(judged) = judge.call_at_once(tool, &arguments) {
            return self.own_call_gated(call, judged, shared);
        }
        self.look_up(
            shared,
            move |sight| judge.with(sight).call(tool, &arguments),
            move |session, judged, shared| session.own_call_gated(call, judged, shared),
        );
    }

    /// The gate has spoken.
    fn own_call_gated(&mut self, call: ArrivedCall, judged: JudgedCall, shared: &mut Shared) {
        let JudgedCall {
            judged,
            cannot_work,
            files,
        } = judged;
        let Judged {
            decision,
            mut requested,
        } = judged;
        requested.request_id = shared.request_number();
        let expected = &mut self.turn.expected;
        let Some(let_in) = LetIn::new(&call, decision.verdict, cannot_work, expected) else {
            self.announce_request(&requested, &[], false, shared);
            let moment = self.moment();
            let (denials, turn) = (&mut self.carried.denials, &mut self.turn.denials);
            let effects = denied(call, (&requested, &decision), denials, turn, &moment);
            return self.apply(effects, shared);
        };
        let (number, state) = (shared.call_number(), let_in.state(requested.request_id));
        let table = &mut self.own_calls.table;
        table.admit(number, call, state, files, Instant::now());
        match let_in {
            LetIn::Runs => self.start_call(number, shared),
            LetIn::Fails(failed) => self.call_done(number, Err(failed), shared),
            LetIn::Asks => self.ask_about_own_call(number, requested, shared),
        }
    }

    fn ask_about_own_call(&mut self, call: u64, requested: RequestedAction, shared: &mut Shared) {
        let asks = self.carried.options.answer.is_none();
        self.announce_request(&requested, &[], asks, shared);
        match self.settled_beforehand() {
            Some(settled) => self.own_call_resolved(call, &requested, settled, shared),
            None => self.permissions.ask(Ask::Own { call, requested }),
        }
    }

    /// The person, or the answer given beforehand, settled a question of the gate. No options are offered on it.
    pub(super) fn own_call_resolved(
        &mut self,
        number: u64,
        requested: &RequestedAction,
        settled: Settled,
        shared: &mut Shared,
    ) {
        match settled.meant(&[], requested.remember.is_some()) {
            Meant::Yes { by, for_good, .. } => {
                if for_good {
                    self.allow_always(requested.remember.as_ref(), shared);
                }
                self.approved(requested, by, shared);
                self.start_call(number, shared);
            }
            Meant::No { decline, .. } => {
                let moment = self.moment();
                let (denials, turn) = (&mut self.carried.denials, &mut self.turn.denials);
                let (failed, effects) =
                    denied_by_person(&decline, requested, denials, turn, &moment);
                self.apply(effects, shared);
                self.own_calls.table.denied(number, requested.request_id);
                self.call_done(number, Err(failed), shared);
            }
        }
    }

    /// Starts the handler, or queues the call behind others that write one of its files.
    fn start_call(&mut self, number: u64, shared: &mut Shared) {
        if self.own_calls.table.start(number) {
            self.run_call(number, shared);
        }
    }

    fn run_call(&mut self, number: u64, shared: &mut Shared) {
        let Some(files) = self.own_calls.table.run(number) else {
            return;
        };
        self.watch(files, shared, move |session, shared| {
            session.run_watched(number, shared);
        });
    }

    /// What its files were is kept by now.
    fn run_watched(&mut self, number: u64, shared: &mut Shared) {
        let Some((told, work)) = self.own_calls.table.begin(number) else {
            return;
        };
        // The handler is started first: it wakes while its start is reported.
        match work {
            Work::Engine(call) => self.run_in_engine(call, shared),
            Work::Host(request) => {
                self.apply([Effect::Call(number, request, Waiting::OwnCall)], shared);
            }
        }
        self.apply([told], shared);
    }

    /// Starts a tool of the engine's own; it ends with [`Input::CommandDone`].
    fn run_in_engine(&mut self, engine_call: EngineCall, shared: &mut Shared) {
        let EngineCall {
            number: call,
            tool,
            arguments,
            cancel,
        } = engine_call;
        let session = self.carried.number;
        let tools = self.own_calls.engine_tools.clone();
        let (root, roots) = (self.root().to_owned(), self.folders.further_roots());
        self.wire.host_calls.wait(call, Waiting::OwnCall);
        let judge = self.judge(shared);
        let host_work = HostWork::new(session, shared.inputs.clone());
        shared.spawn(async move {
            // Reading a long command line takes a while, which the session need not wait.
            let written = judge.seen_written(tool, &arguments);
            let project = Project {
                folder: &root,
                roots: &roots,
            };
            let touch = touch(tool, &arguments);
            let work = tools.run(project, tool, &arguments, cancel);
            let reply = host_work.around(touch, written, work).await;
            Input::CommandDone {
                session,
                call,
                reply,
            }
        });
    }

    /// The host, or a tool that runs here, answered a call, which may have been given up meanwhile.
    pub(super) fn own_call_replied(
        &mut self,
        call: u64,
        mut reply: HostReply,
        shared: &mut Shared,
    ) {
        let before = changed_before(&mut reply);
        self.watch_told(before, shared, move |session, shared| {
            match session.own_calls.table.replied(call, reply) {
                Replied::Ended(outcome) => session.call_done(call, outcome, shared),
                Replied::TooLate(effects) => {
                    session.apply(effects, shared);
                    session.write_settled(shared);
                }
            }
        });
    }

    /// Answers a call and lets the next one at its file go.
    fn call_done(
        &mut self,
        number: u64,
        outcome: Result<ToolOutcome, ToolFailure>,
        shared: &mut Shared,
    ) {
        self.wire.heard = Instant::now();
        let context = CallContext {
            denials: &mut self.carried.denials,
            turn: self.carried.n_turns,
            names: &self.agent_facts.names,
            now: Instant::now(),
        };
        let Some(ended) = self.own_calls.table.done(number, outcome, context) else {
            return;
        };
        self.apply(ended.effects, shared);
        for next in ended.next {
            self.run_call(next, shared);
        }
    }

    /// The MCP client takes a call back.
    pub(super) fn own_call_cancelled(&mut self, conn: u64, key: CallKey, shared: &mut Shared) {
        if let Some(number) = self.own_calls.table.withdrawn(conn, key) {
            self.abort_call(number, WITHDRAWN, shared);
        }
    }

    /// Ends every call of the session: the turn was cancelled, or the session ends.
    pub(in crate::session) fn stop_own_calls(&mut self, shared: &mut Shared) {
        for number in self.own_calls.table.stop() {
            self.abort_call(number, TURN_CANCELLED, shared);
        }
        // Commands that no call waits for any more end as well.
        self.own_calls.runner.kill_all();
    }

    fn abort_call(&mut self, number: u64, why: &str, shared: &mut Shared) {
        if let Some(given_up) = self.own_calls.table.abort(number, why) {
            self.call_given_up(number, given_up, shared);
        }
    }

    /// The party that works on a call is notified when it is given up, and the agent is answered; nobody comes back for
    /// it.
    fn call_given_up(&mut self, number: u64, given_up: GivenUp, shared: &mut Shared) {
        self.apply(given_up.effects, shared);
        self.call_done(number, Err(given_up.failed), shared);
        self.own_calls.table.forget(number);
    }

    /// Calls whose time is up.
    pub(in crate::session) fn own_deadlines(&mut self, now: Instant, shared: &mut Shared) {
        for number in self.own_calls.table.due(now) {
            match self.own_calls.table.overdue(number, now) {
                None => {}
                Some(Overdue::ComesBack(pending, result)) => pending.complete(result),
                Some(Overdue::GivenUp(given_up)) => self.call_given_up(number, given_up, shared),
            }
        }
    }

    /// True while a name of ours is trusted.
    pub(super) fn trusts_names(&self) -> bool {
        self.carried.canary.trusts_names() && !self.turn.expected.is_full()
    }

    /// A call that was allowed as ours has ended without having arrived.
    pub(super) fn own_tool_ended(&mut self, id: &str, shared: &mut Shared) {
        let missing = self.turn.expected.take(id);
        self.own_calls_missing(missing, shared);
    }

    /// Calls that were allowed as ours and never came.
    pub(super) fn own_calls_missing(
        &mut self,
        tools: impl IntoIterator<Item = Tool>,
        shared: &mut Shared,
    ) {
        for tool in tools {
            let found = self.carried.canary.own_call_never_came(tool);
            self.apply(found.map(Effect::unguarded), shared);
        }
    }
}
