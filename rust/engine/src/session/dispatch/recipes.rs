//! Finds out at the start which of the profile's recipes work, and reports it.
//! [`lifecycle::recipes`](crate::session::lifecycle::recipes) interprets the agent's answers.

use std::time::Instant;

use serde_json::{json, value::RawValue};
use siderail_acp::wire::RpcError;
use tokio::sync::oneshot;

use crate::inspect::SessionFacts;
use crate::session::lifecycle::recipes::{Inspected, LISTING};
use crate::session::{Session, Tag};
use crate::shared::Shared;

impl Session {
    /// All of the handshake is done; what the agent can say about the recipes is asked before prompts are.
    pub(super) fn check_recipes(&mut self, shared: &mut Shared) {
        let profile = &self.agent_facts.profile;
        let standing = self.lifecycle.peers.standing(profile);
        let says = self.lifecycle.peers.agent_version();
        let hook = &mut self.permissions.hook;
        let off = self.guidance.check(profile, standing, says, hook);
        self.refusal_is_off(off);
        match self.guidance.recipes.listing(&self.agent_facts.profile) {
            Some(listing) => {
                self.lifecycle.await_hook_listing(Instant::now() + LISTING);
                let params = json!({"cwd": self.root_text()});
                self.request(&listing.method, &params, Tag::HookListing, shared);
            }
            None => self.ready(shared),
        }
    }

    /// Why nothing is refused at the client's files and terminals, if it is not. That is reported once.
    fn refusal_is_off(&mut self, why: Option<String>) {
        let denials = &mut self.carried.denials;
        if let Some(why) = why.filter(|_| !denials.refusal_failed) {
            denials.refusal_failed = true;
            self.guidance.recipes.refusal_is_off(why);
        }
    }

    /// The agent's list of its hooks, or why it is missing.
    pub(super) fn hooks_listed(
        &mut self,
        outcome: &Result<Box<RawValue>, RpcError>,
        shared: &mut Shared,
    ) {
        let known = (&mut self.carried.canary, &mut self.permissions.hook);
        let profile = &self.agent_facts.profile;
        self.guidance.hooks_listed(outcome, profile, known);
        match self.lifecycle.is_starting() {
            true => self.ready(shared),
            false => self.tell_recipes(shared),
        }
    }

    pub(in crate::session) fn hook_listing_overdue(&mut self, shared: &mut Shared) {
        self.guidance.recipes.listing_overdue();
        self.ready(shared);
    }

    /// Reports what was found out, and gives the facts to those who wait for them.
    pub(super) fn tell_recipes(&mut self, shared: &mut Shared) {
        for body in std::mem::take(&mut self.guidance.recipes.untold) {
            self.emit(body, shared);
        }
        self.tell_inspectors(shared);
    }

    pub(in crate::session) fn tell_inspectors(&mut self, shared: &Shared) {
        for inspector in std::mem::take(&mut self.guidance.recipes.inspectors) {
            // The caller may have given up.
            let _ = inspector.send(self.inspected(shared));
        }
    }

    /// Somebody wants to know how the session is set up.
    pub(crate) fn inspect(&mut self, reply: oneshot::Sender<SessionFacts>, shared: &Shared) {
        self.guidance.recipes.inspectors.push(reply);
        if !self.lifecycle.is_starting() || self.lifecycle.lacks_login() {
            self.tell_inspectors(shared);
        }
    }

    fn inspected(&self, shared: &Shared) -> SessionFacts {
        let inspected = Inspected {
            is_ready: self.lifecycle.is_ready(),
            peers: &self.lifecycle.peers,
            guidance: &self.guidance,
            facts: &self.agent_facts,
            logins: self.login_ways(shared),
            root: self.root(),
            env: (&shared.config.env, &self.carried.options.agent_env),
            offered: &shared.offered,
            n_tools: shared.tools.len(),
        };
        inspected.told()
    }
}
