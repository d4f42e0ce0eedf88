//! The end of calls of our own tools: answered by the host, withdrawn, stopped with their turn, or overdue.
//!
//! What comes of a call is in [`outcome`], how far it is in [`table`].
//!
//! [table]: crate::session::own_calls::table

use std::time::Instant;

use siderail_mcp::{CallKey, PendingCall};

use crate::event::{DeniedBy, Receipt};
use crate::host::{HostReply, ToolErrorCode, ToolFailure, ToolOutcome};
use crate::session::Session;
use crate::session::own_calls::call::{Answer, fail};
use crate::session::own_calls::outcome;
use crate::session::own_calls::table::{GivenUp, Overdue};
use crate::shared::Shared;

impl Session {
    /// The host, or a tool that runs here, answered a call, which may have been given up meanwhile.
    pub(in crate::session) fn own_call_replied(
        &mut self,
        call: u64,
        mut reply: HostReply,
        shared: &mut Shared,
    ) {
        let before = match &mut reply {
            HostReply::Tool(outcome) => std::mem::take(&mut outcome.before),
            _ => Vec::new(),
        };
        self.watch_told(before, shared, move |session, shared| {
            match session.own.table.given_up_replied(call) {
                Some(tool) => {
                    session.apply(outcome::given_up(call, &tool, &reply), shared);
                    session.write_settled(shared);
                }
                None => session.call_done(call, outcome::of(reply), shared),
            }
        });
    }

    /// Answers a call and lets the next one at its file go.
    pub(in crate::session) fn call_done(
        &mut self,
        number: u64,
        outcome: Result<ToolOutcome, ToolFailure>,
        shared: &mut Shared,
    ) {
        self.wire.heard = Instant::now();
        let Some(own) = self.own.table.take(number) else {
            return;
        };
        let (denials, turn) = (&mut self.carried.denials, self.carried.n_turns);
        let counted = denials.own_call_ended(turn, &own.tool, &own.arguments, &outcome);
        self.apply(counted, shared);
        let (told, result) = outcome::ended(number, &own.tool, outcome, &self.facts.names);
        self.apply(told, shared);
        let answer = Answer {
            result,
            tells_of: own.denied,
        };
        let (waiting, next) = self.own.table.end(number, own, answer, Instant::now());
        if let Some((pending, answer)) = waiting {
            self.hand_over(pending, answer, shared);
        }
        for next in next {
            self.run_call(next, shared);
        }
    }

    /// Answers a call. Ladder step 6: guidance that had no other way goes ahead of the result.
    pub(in crate::session) fn hand_over(
        &mut self,
        call: PendingCall,
        answer: Answer,
        shared: &mut Shared,
    ) {
        let (notices, receipts) = self.carried.denials.ahead_of_result();
        call.complete(outcome::behind(&notices, answer.result));
        self.apply(receipts, shared);
        if let Some(request_id) = answer.tells_of {
            self.receipt(request_id, Receipt::Delivered, shared);
        }
    }

    /// The MCP client takes a call back.
    pub(in crate::session) fn own_call_cancelled(
        &mut self,
        conn: u64,
        key: CallKey,
        shared: &mut Shared,
    ) {
        if let Some(number) = self.own.table.withdrawn(conn, key) {
            self.abort_call(number, "the agent withdrew the call", shared);
        }
    }

    /// Ends every call of the session: the turn was cancelled, or the session ends.
    pub(in crate::session) fn stop_own_calls(&mut self, shared: &mut Shared) {
        for number in self.own.table.stop() {
            self.abort_call(number, "the turn was cancelled", shared);
        }
        // Commands that no call waits for any more end as well.
        self.own.runner.kill_all();
    }

    fn abort_call(&mut self, number: u64, why: &str, shared: &mut Shared) {
        if let Some(effects) = self.own.table.give_up(number, DeniedBy::Cancel, why) {
            let failed = fail(ToolErrorCode::Cancelled, why.to_owned());
            self.call_given_up(number, GivenUp { effects, failed }, shared);
        }
    }

    /// Who is at a call that is given up is told, and the agent is answered; nobody comes back for it.
    fn call_given_up(&mut self, number: u64, given_up: GivenUp, shared: &mut Shared) {
        self.apply(given_up.effects, shared);
        self.call_done(number, Err(given_up.failed), shared);
        self.own.table.forget(number);
    }

    /// Calls whose time is up.
    pub(in crate::session) fn own_deadlines(&mut self, now: Instant, shared: &mut Shared) {
        for number in self.own.table.due(now) {
            match self.own.table.overdue(number, now) {
                None => {}
                Some(Overdue::ComesBack(pending, result)) => pending.complete(result),
                Some(Overdue::GivenUp(given_up)) => self.call_given_up(number, given_up, shared),
            }
        }
    }
}
