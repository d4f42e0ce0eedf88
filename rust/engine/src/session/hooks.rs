//! The agent's own pre-tool hook: asked here before a tool runs, answered at once.
//!
//! A hook never waits for a person: what is not denied goes the agent's ordinary way.

use std::time::Instant;

use serde_json::Value;
use siderail_guard::decision::Verdict;
use siderail_guard::{Action, normalize};
use siderail_mcp::HookReply;

use super::denied_calls::{SAME_CALL, Seen};
use super::ladder::Way;
use super::{Input, Session};
use crate::delivery::Guidance;
use crate::event::{EventBody, Receipt, RequestChannel};
use crate::hook;
use crate::shelf::Shelf;

/// A call as a hook named it, for requests that name no tool.
pub(crate) struct Named {
    arguments: Value,
    action: Action,
    at: Instant,
}

impl Session {
    /// What a hook said of the call that this request is about, where the request itself names no tool.
    pub(super) fn named_by_hook(&self, action: &Action) -> Option<Action> {
        let arguments = bare_arguments(action.arguments());
        let fits = |named: &&Named| named.at.elapsed() < SAME_CALL && named.arguments == arguments;
        self.named
            .iter()
            .rev()
            .find(fits)
            .map(|named| named.action.clone())
    }

    /// The agent's pre-tool hook asks; the answer goes out at once.
    pub(super) fn hook_called(&mut self, payload: &[u8], reply: HookReply, shelf: &mut Shelf) {
        let Some(shape) = self.profile.hook.as_ref().map(|h| h.shape) else {
            return self.hook_reply(reply, "{}".to_owned(), None, shelf);
        };
        let Some(call) = hook::parse(payload) else {
            return self.hook_reply(reply, hook::no_decision(shape), None, shelf);
        };
        self.carried.canary.hook_called();
        let cwd = self.root_text();
        let names = self.agent_names(&shelf.offered);
        let action = normalize::hook(&call.tool, &call.input, &cwd, &names);
        let action = self.by_own_name(action, shelf);
        if self.hook_after_allow {
            self.named.retain(|named| named.at.elapsed() < SAME_CALL);
            let arguments = bare_arguments(&call.input);
            self.named.push(Named {
                arguments,
                action: action.clone(),
                at: Instant::now(),
            });
        }
        let decision = self.decide(&action, shelf);
        if decision.verdict != Verdict::Deny {
            match &call.call_id {
                Some(id) => self.carried.canary.hook_saw(id),
                None => self.carried.canary.hook_saw_without_id(),
            }
            return self.hook_reply(reply, hook::no_decision(shape), None, shelf);
        }
        if let Some(before) = self.denied_before(call.call_id.as_deref(), &action, Seen::Hook) {
            let text = match before.text.as_str() {
                "" => decision.guidance.unwrap_or_default(),
                _ => before.text,
            };
            return self.hook_reply(reply, hook::deny(shape, &call, &text), None, shelf);
        }
        let subject = self.subject(
            &action,
            &decision,
            call.call_id.clone(),
            RequestChannel::Hook,
            shelf,
        );
        self.requested(&subject, &[], false, shelf);
        // The receipt follows when the relay has read the answer.
        let text = self.deny_with_guidance(&subject, &decision, Way::Hook, shelf);
        self.remember_denied(&subject, Seen::Hook, &text);
        self.hook_reply(
            reply,
            hook::deny(shape, &call, &text),
            Some(subject.request_id),
            shelf,
        );
    }

    fn hook_reply(&self, reply: HookReply, stdout: String, of: Option<u64>, shelf: &Shelf) {
        let inputs = shelf.inputs.clone();
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

    pub(super) fn hook_answered(&mut self, request_id: u64, delivered: bool, shelf: &mut Shelf) {
        self.way_ended(request_id, delivered, shelf);
    }

    /// A channel's receipt for guidance that went out by it; the guidance, if it was awaited.
    pub(super) fn receipt(
        &mut self,
        request_id: u64,
        receipt: Receipt,
        shelf: &mut Shelf,
    ) -> Option<Guidance> {
        let guidance = self.carried.delivery.receipt(request_id, receipt)?;
        let body = EventBody::GuidanceReceipt {
            request_id,
            tool: guidance.tool.clone(),
            channel: guidance.channel,
            receipt,
            text: String::new(),
        };
        self.emit(body, shelf);
        Some(guidance)
    }
}

/// A call's own arguments, without what OpenHands puts around and among them.
pub(super) fn bare_arguments(arguments: &Value) -> Value {
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
