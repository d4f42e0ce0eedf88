//! Text into a running turn, where the agent advertises it; and the agent's own slash commands.
//!
//! A user's text is never kept here: what the agent did not take is told, and its sender has it still.

use serde_json::value::RawValue;
use serde_json::{Value, json};
use siderail_acp::options::CommandInfo;
use siderail_acp::wire::RpcError;

use crate::event::{AgentCommand, EventBody};
use crate::session::views::capped;
use crate::session::{Session, Tag};
use crate::shared::Shared;

/// Commands that an event carries at most; one agent announces half a megabyte of them.
const MOST_COMMANDS: usize = 500;
/// Characters of a command's description.
const DESCRIPTION: usize = 300;

impl Session {
    /// The user's text for the running turn.
    pub(crate) fn steer_turn(&mut self, text: String, shared: &mut Shared) {
        let steers = self
            .handshake
            .initialized
            .as_ref()
            .is_some_and(|i| i.steering);
        if !steers || !self.is_prompting() || self.turn.cancelling.is_some() {
            let taken = false;
            return self.emit(EventBody::Steered { text, taken }, shared);
        }
        self.send_steering(&text.clone(), Tag::Steer(text), shared);
    }

    pub(in crate::session) fn turn_steered(
        &mut self,
        text: String,
        outcome: &Result<Box<RawValue>, RpcError>,
        shared: &mut Shared,
    ) {
        let taken = is_injected(outcome);
        self.emit(EventBody::Steered { text, taken }, shared);
    }

    pub(in crate::session) fn send_steering(&mut self, text: &str, tag: Tag, shared: &mut Shared) {
        let Some(acp) = &self.handshake.acp else {
            return;
        };
        let params = json!({
            "sessionId": acp.id(),
            "prompt": [{"type": "text", "text": text}],
            "_meta": {"steering": {"idleBehavior": "promptRequired"}},
        });
        self.request("_session/steering", &params, tag, shared);
    }

    /// Says which slash commands there are; those of a session's start are told with it.
    pub(in crate::session) fn tell_commands(&mut self, shared: &mut Shared) {
        let commands = self
            .handshake
            .acp
            .as_ref()
            .map(siderail_acp::Session::commands);
        let commands = commands.filter(|all| self.lifecycle.is_ready() && !all.is_empty());
        let Some(commands) = commands else { return };
        let command = |info: &CommandInfo| AgentCommand {
            name: info.name.clone(),
            description: capped(&info.description, DESCRIPTION),
            hint: info.hint.clone(),
        };
        let commands = commands.iter().take(MOST_COMMANDS).map(command).collect();
        self.emit(EventBody::AgentCommands { commands }, shared);
    }
}

/// Whether the agent says that the model reads the text in the running turn.
pub(in crate::session) fn is_injected(outcome: &Result<Box<RawValue>, RpcError>) -> bool {
    outcome.as_ref().is_ok_and(|result| {
        let result: Value = serde_json::from_str(result.get()).unwrap_or(Value::Null);
        matches!(
            result["outcome"].as_str(),
            Some("injected" | "startedNewTurn")
        )
    })
}
