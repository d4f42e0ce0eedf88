//! Continues a session in a new process of its agent: the old one goes, and what is carried goes to the next.
//! [`lifecycle::new_process`](new_process) says what the new one begins with.

use std::time::Instant;

use siderail_mcp::Listener;

use crate::command::SessionOptions;
use crate::session::Session;
use crate::session::carried::Carried;
use crate::session::dispatch::lookups::Then;
use crate::session::dispatch::preparing::Preparing;
use crate::session::lifecycle::{Ending, STOP, new_process};
use crate::session::prompt_turn::prompt::Prompt;
use crate::session::worker::Worker;
use crate::shared::Shared;

/// A session that continues in another process.
pub(crate) struct Again {
    carried: Carried,
    /// With what has come and was not taken yet.
    worker: Worker<Then>,
}

impl Session {
    /// Continues in a new process of its agent, with other settings, unless the agent has something to do.
    pub(crate) fn restart(&mut self, options: SessionOptions, shared: &mut Shared) {
        let is_idle = self.lifecycle.is_ready()
            && !self.is_prompting()
            && self.carried.queue.is_empty()
            && !self.lifecycle.lacks_login();
        if let Some(why) = new_process::refusal(is_idle, &self.carried.options, &options) {
            return self.notice(why, shared);
        }
        self.carried.take_settings(options);
        self.restore.seen();
        self.start_anew(None, shared);
    }

    /// Ends the agent's process; the session continues in another one, with this prompt first.
    pub(super) fn start_anew(&mut self, prompt: Option<Prompt>, shared: &mut Shared) {
        let exit_by = Instant::now() + STOP;
        if !self.lifecycle.close(Ending::Restart, exit_by) {
            return;
        }
        self.carried.send_again(prompt);
        shared.tell_history();
        let kept = shared.history.conversation(self.carried.number);
        let agents = self.lifecycle.peers.acp.as_ref().map(|acp| acp.id());
        self.carried.resume_by(kept, agents);
        self.drop_waiting(shared);
        self.stop_own_calls(shared);
        self.close_agent_requests(shared);
        match self.wire.agent.is_some() {
            true => self.wire.stop_agent(),
            false => self.finish(shared),
        }
    }

    /// What a session that is over continues with; `None` when it has ended for good.
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
