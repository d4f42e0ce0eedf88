//! Looks things up on disk for a host, outside of all sessions. That may take long, so it happens on a thread of its
//! own; the answer comes back to the engine like any other input.

use super::Engine;
use crate::event::{AgentProgram, Agents, EventBody};
use crate::session::Input;
use siderail_agents::ProfileInfo;

impl Engine {
    /// Answers with the event of a session, once it is known.
    pub(super) fn look_up(&mut self, find: impl FnOnce() -> (u64, EventBody) + Send + 'static) {
        let inputs = self.shared.inputs.clone();
        tokio::task::spawn_blocking(move || {
            let (session, body) = find();
            let body = Box::new(body);
            // Without an engine nobody asks any more.
            let _ = inputs.blocking_send(Input::LookedUp { session, body });
        });
    }

    /// The known agents; programs are looked for anew each time, since people install them meanwhile.
    pub(super) fn list_agents(&mut self) {
        let profiles = self.shared.profiles.clone();
        let env = self.shared.config.env.clone();
        let folder = self.shared.config.runtime_dir.clone();
        self.look_up(move || {
            let known = siderail_agents::listed(&profiles, &env, &folder);
            let agents = known.profiles.into_iter().map(program).collect();
            (0, EventBody::Agents(Agents { agents }))
        });
    }
}

fn program(info: ProfileInfo) -> AgentProgram {
    AgentProgram {
        agent: info.name,
        title: info.title,
        program: info.found.map(|path| path.display().to_string()),
        problem: info.problem,
        install: info.install,
    }
}
