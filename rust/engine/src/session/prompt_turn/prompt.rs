//! A prompt on its way to an agent, and when one that waits may go out. It knows no session and no agent.

use std::collections::VecDeque;

use serde_json::Value;

use crate::command::Attachment;
use crate::event::PromptOrigin;

/// A prompt on its way to the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Prompt {
    pub(in crate::session) text: String,
    pub(in crate::session) origin: PromptOrigin,
    /// What goes to the agent in place of the text.
    pub(in crate::session) sent: Sent,
    /// A plan is wanted first.
    pub(in crate::session) plan: bool,
}

/// What goes to the agent in place of a prompt's text, where that is not all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sent {
    /// Content blocks; none: the text, the files that it names, and the attachments.
    pub(crate) blocks: Vec<Value>,
    /// What the person attached.
    pub(crate) attachments: Vec<Attachment>,
    /// `_meta` of the request.
    pub(crate) meta: Value,
}

/// What a prompt that waits meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::session) struct QueueState {
    /// The session is open.
    pub(in crate::session) is_ready: bool,
    /// A turn runs.
    pub(in crate::session) is_prompting: bool,
    /// An earlier prompt waits for a setting.
    pub(in crate::session) awaits_setting: bool,
    /// A plan is before the person.
    pub(in crate::session) is_plan_proposed: bool,
    pub(in crate::session) lacks_login: bool,
}

impl Prompt {
    /// A prompt of the user's.
    pub(in crate::session) fn of_user(text: String, sent: Sent, plan: bool) -> Self {
        Self {
            text,
            origin: PromptOrigin::User,
            sent,
            plan,
        }
    }

    /// Whether a task of its own begins with it. Others only wait for a login, and continue where they were.
    pub(in crate::session) fn begins_task(&self) -> bool {
        self.origin == PromptOrigin::User
    }
}

impl QueueState {
    /// Takes out the prompt that goes out now, if one may.
    pub(in crate::session) fn next(self, queue: &mut VecDeque<Prompt>) -> Option<Prompt> {
        let Self {
            is_ready,
            is_prompting,
            awaits_setting,
            is_plan_proposed,
            lacks_login,
        } = self;
        let is_busy = is_prompting || awaits_setting || is_plan_proposed || lacks_login;
        if !is_ready || is_busy {
            return None;
        }
        queue.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE: QueueState = QueueState {
        is_ready: true,
        is_prompting: false,
        awaits_setting: false,
        is_plan_proposed: false,
        lacks_login: false,
    };

    fn prompt(text: &str) -> Prompt {
        Prompt::of_user(text.to_owned(), Sent::default(), false)
    }

    #[test]
    fn prompts_go_out_in_their_order_once_nothing_else_is_under_way() {
        let mut queue = VecDeque::from([prompt("one"), prompt("two")]);
        let busy: [fn(&mut QueueState); 5] = [
            |state| state.is_ready = false,
            |state| state.is_prompting = true,
            |state| state.awaits_setting = true,
            |state| state.is_plan_proposed = true,
            |state| state.lacks_login = true,
        ];
        for make in busy {
            let mut state = IDLE;
            make(&mut state);
            assert_eq!(state.next(&mut queue), None, "{state:?}");
        }
        let texts: Vec<_> = std::iter::from_fn(|| IDLE.next(&mut queue))
            .map(|prompt| prompt.text)
            .collect();
        assert_eq!(texts, ["one", "two"]);
    }

    #[test]
    fn a_task_begins_with_a_prompt_of_the_users_alone() {
        assert!(prompt("one").begins_task());
        let origin = PromptOrigin::Continuation;
        let continuation = Prompt {
            origin,
            ..prompt("one")
        };
        assert!(!continuation.begins_task());
    }
}
