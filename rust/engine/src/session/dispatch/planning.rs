//! What a planning sets going in the session.

use siderail_guard::Action;

use crate::session::Session;
use crate::session::planning::mode::is_echo;
use crate::session::planning::{Planner, prompt};
use crate::shared::Shared;

impl Session {
    /// The planning, with what its steps depend on.
    pub(in crate::session) fn planner(&mut self) -> Planner<'_> {
        Planner {
            of: &mut self.carried.planning,
            own: self.agent_facts.profile.plan.as_ref(),
            answer: self.carried.options.answer,
        }
    }

    /// A call of the agent's has ended well: whether it has written its plan.
    pub(super) fn plan_file_written(&mut self, id: &str, action: &Action) -> bool {
        let root = self.root_text();
        let own = self.agent_facts.profile.plan.as_ref();
        let own = self.carried.planning.mode.on(own);
        let part = own.and_then(|own| own.files.as_deref());
        let acp = self.lifecycle.peers.acp.as_ref();
        let call = acp.and_then(|acp| acp.tool_call(id));
        let place = (root.as_str(), self.folders.home.as_deref());
        let planning = &mut self.carried.planning.state;
        planning.files_written(part, action, call, place)
    }

    /// True for a message that only repeats a change of the agent's mode.
    pub(super) fn is_mode_echo(&mut self, text: &str, shared: &mut Shared) -> bool {
        let own = self.agent_facts.profile.plan.as_ref();
        let is_echo = is_echo(text, own, self.lifecycle.peers.acp.as_mut());
        if is_echo {
            self.tell_options(shared);
        }
        is_echo
    }

    /// Sends a prompt that a plan has set going.
    pub(super) fn prompt_for_plan(&mut self, text: String, shared: &mut Shared) {
        self.prepare_prompt(prompt(text), shared);
    }
}
