//! Text into a running turn, where the agent advertises it; and the agent's own slash commands.
//!
//! A user's text is never kept here: what the agent did not take is told, and its sender has it still.

use serde_json::value::RawValue;
use serde_json::{Value, json};
use siderail_acp::options::CommandInfo;
use siderail_acp::wire::RpcError;

use super::views::capped;
use super::{Phase, Session, Tag};
use crate::event::{AgentCommand, EventBody};
use crate::shelf::Shelf;

/// Commands that an event carries at most; one agent announces half a megabyte of them.
const MOST_COMMANDS: usize = 500;
/// Characters of a command's description.
const DESCRIPTION: usize = 300;

impl Session {
    /// The user's text for the running turn.
    pub(crate) fn steer_turn(&mut self, text: String, shelf: &mut Shelf) {
        let steers = self.initialized.as_ref().is_some_and(|i| i.steering);
        if !steers || !self.is_prompting() || self.turn.cancelling.is_some() {
            let taken = false;
            return self.emit(EventBody::Steered { text, taken }, shelf);
        }
        self.send_steering(&text.clone(), Tag::Steer(text), shelf);
    }

    pub(super) fn turn_steered(
        &mut self,
        text: String,
        outcome: &Result<Box<RawValue>, RpcError>,
        shelf: &mut Shelf,
    ) {
        let taken = is_injected(outcome);
        self.emit(EventBody::Steered { text, taken }, shelf);
    }

    pub(super) fn send_steering(&mut self, text: &str, tag: Tag, shelf: &mut Shelf) {
        let Some(acp) = &self.acp else { return };
        let params = json!({
            "sessionId": acp.id(),
            "prompt": [{"type": "text", "text": text}],
            "_meta": {"steering": {"idleBehavior": "promptRequired"}},
        });
        self.request("_session/steering", &params, tag, shelf);
    }

    /// Says which slash commands there are; those of a session's start are told with it.
    pub(super) fn tell_commands(&mut self, shelf: &mut Shelf) {
        let commands = self.acp.as_ref().map(siderail_acp::Session::commands);
        let commands = commands.filter(|all| self.phase == Phase::Ready && !all.is_empty());
        let Some(commands) = commands else { return };
        let command = |info: &CommandInfo| AgentCommand {
            name: info.name.clone(),
            description: capped(&info.description, DESCRIPTION),
            hint: info.hint.clone(),
        };
        let commands = commands.iter().take(MOST_COMMANDS).map(command).collect();
        self.emit(EventBody::AgentCommands { commands }, shelf);
    }
}

/// Whether the agent says that the model reads the text in the running turn.
pub(super) fn is_injected(outcome: &Result<Box<RawValue>, RpcError>) -> bool {
    outcome.as_ref().is_ok_and(|result| {
        let result: Value = serde_json::from_str(result.get()).unwrap_or(Value::Null);
        matches!(
            result["outcome"].as_str(),
            Some("injected" | "startedNewTurn")
        )
    })
}
