//! Closes what is open between an agent, a person and us: every question gets an answer, wanted or not. When this
//! happens, and why, is up to the callers.

use crate::session::Session;
use crate::shared::Shared;

impl Session {
    /// Answers all that the agent still waits for, and ends the work behind it.
    pub(in crate::session) fn close_agent_requests(&mut self, shared: &mut Shared) {
        self.apply(self.client_files.withdraw(None), shared);
        let unasked = self.elicitation.withdraw(None);
        self.apply(unasked, shared);
        self.terminals.stop_all();
        self.close_client_requests(shared);
        for line in self.wire.connection.drain_open() {
            self.send(line, shared);
        }
    }

    /// Closes every question that a person has not answered.
    pub(in crate::session) fn close_questions(&mut self, shared: &mut Shared) {
        let effects = self.permissions.close_all();
        self.apply(effects, shared);
    }

    /// Closes those of the agent's permission requests.
    pub(in crate::session) fn close_requests(&mut self, shared: &mut Shared) {
        let effects = self.permissions.close_requests();
        self.apply(effects, shared);
    }
}
