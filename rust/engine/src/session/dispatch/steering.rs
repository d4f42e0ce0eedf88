//! Sends a text into the running turn, the user's or guidance. `prompt_turn::steering` says what is sent, and what the
//! answer means.

use crate::session::prompt_turn::steering::{METHOD, not_sent, params};
use crate::session::{Session, Tag};
use crate::shared::Shared;

impl Session {
    /// The user's text for the running turn.
    pub(crate) fn steer_turn(&mut self, text: String, shared: &mut Shared) {
        let agent = self.lifecycle.peers.initialized.as_ref();
        let steers = agent.is_some_and(|agent| agent.steering);
        if !self.turn.takes_steering(steers, self.is_prompting()) {
            return self.apply([not_sent(text)], shared);
        }
        self.send_steering(&text.clone(), Tag::Steer(text), shared);
    }

    pub(super) fn send_steering(&mut self, text: &str, tag: Tag, shared: &mut Shared) {
        if let Some(acp) = &self.lifecycle.peers.acp {
            let params = params(acp.id(), text);
            self.request(METHOD, &params, tag, shared);
        }
    }
}
