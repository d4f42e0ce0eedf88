//! A session that goes on in a new process of its agent, because a person has logged in where only a new process sees
//! it, or wants other settings. For whoever looks on it is the same session: its number, its turns and its counts go
//! on, and nothing is told twice.

use std::time::Instant;

use siderail_mcp::Listener;

use crate::command::SessionOptions;
use crate::session::carried::Carried;
use crate::session::lifecycle::Ending;
use crate::session::lifecycle::opening::Preparing;
use crate::session::dispatch::looks::Then;
use crate::session::prompt_turn::prompt::Prompt;
use crate::session::worker::Worker;
use crate::session::{STOP, Session};
use crate::shared::Shared;

/// A session that goes on in another process.
pub(crate) struct Again {
    carried: Carried,
    /// With what has come and was not taken yet.
    worker: Worker<Then>,
}

impl Session {
    /// Goes on in a new process of its agent, with other settings, unless the agent has something to do.
    pub(crate) fn restart(&mut self, options: SessionOptions, shared: &mut Shared) {
        let is_idle = self.lifecycle.is_ready()
            && !self.is_prompting()
            && self.carried.queue.is_empty()
            && !self.lifecycle.lacks_login();
        if !is_idle || options.agent != self.carried.options.agent {
            let text = match is_idle {
                true => "a session keeps its agent; start another session for another agent",
                false => "the agent is not waiting for a prompt, so its settings stay as they are",
            };
            return self.notice(text, shared);
        }
        // What was entered for a login is needed again.
        let mut agent_env = std::mem::take(&mut self.carried.options.agent_env);
        agent_env.extend(options.agent_env);
        self.carried.options = SessionOptions {
            agent_env,
            resume: self.carried.options.resume.take(),
            login: self.carried.options.login.take(),
            client: self.carried.options.client.take(),
            ..options
        };
        // An earlier conversation was shown when the session became ready.
        self.carried.seen = true;
        self.restore.seen();
        self.start_anew(None, shared);
    }

    /// Ends the agent's process; the session goes on in another one, with this prompt first.
    pub(in crate::session) fn start_anew(&mut self, prompt: Option<Prompt>, shared: &mut Shared) {
        let exit_by = Instant::now() + STOP;
        if !self.lifecycle.close(Ending::Restart, exit_by) {
            return;
        }
        if let Some(prompt) = prompt {
            self.carried.queue.push_front(prompt);
            self.carried.sends_again = true;
        }
        shared.tell_history();
        if let Some(kept) = shared.history.conversation(self.number) {
            self.carried.options.resume = Some(kept);
        } else if let Some(acp) = &self.handshake.acp
            && self.carried.n_turns > 0
        {
            // Only the agent knows this conversation.
            self.carried.earlier = Some(acp.id().to_owned());
        }
        self.drop_waiting(shared);
        self.stop_own_calls(shared);
        self.close_agent_requests(shared);
        match self.wire.agent.is_some() {
            true => self.wire.stop_agent(),
            false => self.finish(shared),
        }
    }

    /// What a session that is over goes on by; none when it has ended for good.
    pub(crate) fn goes_on_by(self) -> Option<Again> {
        self.lifecycle.goes_on().then_some(Again {
            carried: self.carried,
            worker: self.worker.anew(),
        })
    }
}

impl Again {
    /// Prepares the agent's next process; none when that failed at once, with `ERROR` and `SUMMARY` already out.
    pub(crate) fn prepare(
        self,
        number: u64,
        shared: &mut Shared,
        listener: &Listener,
    ) -> Option<Preparing> {
        Preparing::begin_again(number, self.carried, self.worker, shared, listener)
    }
}
