//! Answers the agent's own pre-tool hook: it asks here before a tool runs, and is answered at once.
//!
//! A hook never waits for a person: what is not denied takes the agent's ordinary way.

use std::sync::Arc;

use siderail_guard::decision::Verdict;
use siderail_guard::{Action, normalize};
use siderail_mcp::HookReply;

use crate::event::RequestChannel;
use crate::hook::{self, HookCall};
use crate::profile::HookShape;
use crate::session::permissions::hooks::DeniedInHook;
use crate::session::permissions::judge::Judged;
use crate::session::{Input, Session};
use crate::shared::Shared;

impl Session {
    /// The agent's pre-tool hook asks; the answer goes out at once.
    pub(super) fn hook_called(&mut self, payload: &[u8], reply: HookReply, shared: &mut Shared) {
        let Some(shape) = self.agent_facts.profile.hook.as_ref().map(|h| h.shape) else {
            return self.hook_reply(reply, "{}".to_owned(), None, shared);
        };
        let Some(call) = hook::parse(payload) else {
            return self.hook_reply(reply, hook::no_decision(shape), None, shared);
        };
        self.carried.canary.hook_called();
        let cwd = self.root_text();
        let names = self.agent_facts.agent_names(&shared.offered);
        let action = normalize::hook(&call.tool, &call.input, &cwd, &names);
        let action = Arc::new(self.agent_facts.by_own_name(action, &shared.offered));
        self.permissions.hook.add(action.own_arguments(), &action);
        let judge = self.judge(shared);
        let (judged, id) = (Arc::clone(&action), call.call_id.clone());
        self.look_up(
            shared,
            move |sight| {
                let (judge, channel) = (judge.with(sight), RequestChannel::Hook);
                judge.action(&judged, id.clone(), channel)
            },
            move |session, judged, shared| {
                let answer = session.hook_judged(shape, &call, &action, judged, shared);
                session.hook_reply(reply, answer.0, answer.1, shared);
            },
        );
    }

    /// What the hook is answered, and the denial whose reason that carries.
    fn hook_judged(
        &mut self,
        shape: HookShape,
        call: &HookCall,
        action: &Action,
        judged: Judged,
        shared: &mut Shared,
    ) -> (String, Option<u64>) {
        let call_id = call.call_id.as_deref();
        if judged.decision.verdict != Verdict::Deny {
            match call_id {
                Some(id) => self.carried.canary.hook_saw(id),
                None => self.carried.canary.hook_saw_without_id(),
            }
            return (hook::no_decision(shape), None);
        }
        let moment = self.moment();
        let (denied, effects) = DeniedInHook::new(
            (call_id, action, judged),
            || shared.request_number(),
            &mut self.turn,
            &mut self.carried.denials,
            &moment,
        );
        self.apply(effects, shared);
        (hook::deny(shape, call, &denied.text), denied.request_id)
    }

    fn hook_reply(&self, reply: HookReply, stdout: String, of: Option<u64>, shared: &Shared) {
        let session = self.carried.number;
        shared.spawn(async move {
            let delivered = reply.answer(0, stdout).await;
            of.map(|request_id| Input::HookAnswered {
                session,
                request_id,
                delivered,
            })
        });
    }
}
