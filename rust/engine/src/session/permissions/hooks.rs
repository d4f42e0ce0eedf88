//! The agent's own pre-tool hook: asked here before a tool runs, answered at once.
//!
//! A hook never waits for a person: what is not denied goes the agent's ordinary way.

use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use siderail_guard::decision::Verdict;
use siderail_guard::{Action, normalize};
use siderail_mcp::HookReply;

use crate::event::RequestChannel;
use crate::hook::{self, HookCall};
use crate::profile::HookShape;
use crate::session::guidance::Named;
use crate::session::guidance::denied_calls::{SAME_CALL, Seen};
use crate::session::guidance::ways::Way;
use crate::session::permissions::judge::Judged;
use crate::session::{Input, Session};
use crate::shared::Shared;

impl Session {
    /// What a hook said of the call that this request is about, where the request itself names no tool.
    pub(in crate::session) fn named_by_hook(&self, action: &Action) -> Option<Action> {
        let arguments = bare_arguments(action.arguments());
        let fits = |named: &&Named| named.at.elapsed() < SAME_CALL && named.arguments == arguments;
        self.guidance
            .named
            .iter()
            .rev()
            .find(fits)
            .map(|named| named.action.clone())
    }

    /// The agent's pre-tool hook asks; the answer goes out at once.
    pub(in crate::session) fn hook_called(
        &mut self,
        payload: &[u8],
        reply: HookReply,
        shared: &mut Shared,
    ) {
        let Some(shape) = self.facts.profile.hook.as_ref().map(|h| h.shape) else {
            return self.hook_reply(reply, "{}".to_owned(), None, shared);
        };
        let Some(call) = hook::parse(payload) else {
            return self.hook_reply(reply, hook::no_decision(shape), None, shared);
        };
        self.carried.canary.hook_called();
        let cwd = self.root_text();
        let names = self.facts.agent_names(&shared.offered);
        let action = normalize::hook(&call.tool, &call.input, &cwd, &names);
        let action = Arc::new(self.facts.by_own_name(action, &shared.offered));
        if self.guidance.hook_after_allow {
            self.guidance
                .named
                .retain(|named| named.at.elapsed() < SAME_CALL);
            let arguments = bare_arguments(&call.input);
            self.guidance.named.push(Named {
                arguments,
                action: Action::clone(&action),
                at: Instant::now(),
            });
        }
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
        let Judged {
            decision,
            mut requested,
        } = judged;
        if decision.verdict != Verdict::Deny {
            match &call.call_id {
                Some(id) => self.carried.canary.hook_saw(id),
                None => self.carried.canary.hook_saw_without_id(),
            }
            return (hook::no_decision(shape), None);
        }
        if let Some(before) = self
            .turn
            .denials
            .before(call.call_id.as_deref(), action, Seen::Hook)
        {
            let text = match before.text.as_str() {
                "" => decision.guidance.unwrap_or_default(),
                _ => before.text,
            };
            return (hook::deny(shape, call, &text), None);
        }
        requested.request_id = shared.request_number();
        self.announce_request(&requested, &[], false, shared);
        // The receipt follows when the relay has read the answer.
        let text = self.deny_with_guidance(&requested, &decision, Way::Hook, shared);
        self.turn.denials.remember(&requested, Seen::Hook, &text);
        (hook::deny(shape, call, &text), Some(requested.request_id))
    }

    fn hook_reply(&self, reply: HookReply, stdout: String, of: Option<u64>, shared: &Shared) {
        let inputs = shared.inputs.clone();
        let session = self.number;
        tokio::spawn(async move {
            let delivered = reply.answer(0, stdout).await;
            if let Some(request_id) = of {
                // The engine outlives its sessions' tasks; without it nobody counts.
                let _ = inputs
                    .send(Input::HookAnswered {
                        session,
                        request_id,
                        delivered,
                    })
                    .await;
            }
        });
    }
}

/// A call's own arguments, without what OpenHands puts around and among them.
pub(in crate::session) fn bare_arguments(arguments: &Value) -> Value {
    let mut bare = arguments
        .get("data")
        .filter(|data| data.is_object())
        .unwrap_or(arguments)
        .clone();
    if let Value::Object(members) = &mut bare {
        for added in ["kind", "security_risk", "summary"] {
            members.remove(added);
        }
    }
    bare
}
