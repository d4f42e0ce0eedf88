//! The ways by which the reason for a denial reaches the model (ladder steps 3 to 7), and which of them an agent has.
//!
//! Plain data: what goes out by a way is an [`Effect`], which the session carries out.

use siderail_acp::permission::{Choice, Outcome, PermissionRequest, choose};
use siderail_guard::{Action, ActionKind};

use crate::event::GuidanceChannel;
use crate::profile::Profile;
use crate::session::effect::Effect;
use crate::session::prompt_turn::refused_calls::Refused;
use crate::session::prompt_turn::turn_denials::TurnDenials;
use crate::session::question::RequestedAction;

/// How a denial's reason gets to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::session) enum Way {
    /// The answer of the agent's own hook.
    Hook,
    /// The result of the denied call of one of our tools.
    Result,
    /// The error of the file or terminal request that follows an allowed permission request.
    Refusal,
    /// The agent's own API.
    Api,
    /// `_session/steering` after the rejection.
    Steering,
    /// The next own result, or the next prompt.
    Waits,
}

impl Way {
    /// Its name in events.
    pub(in crate::session) fn channel(self, profile: &Profile) -> GuidanceChannel {
        match self {
            Self::Hook => GuidanceChannel::Hook,
            Self::Result => GuidanceChannel::Result,
            Self::Refusal => GuidanceChannel::Refusal,
            Self::Api => GuidanceChannel::Api,
            Self::Steering => GuidanceChannel::Steering,
            Self::Waits if profile.guard.reject_ends_turn => GuidanceChannel::Continuation,
            Self::Waits => GuidanceChannel::Notice,
        }
    }
}

/// Which ways are open with this agent now.
#[derive(Clone, Copy)]
pub(in crate::session) struct OpenWays<'a> {
    pub(in crate::session) profile: &'a Profile,
    /// The agent's own API is at hand.
    pub(in crate::session) api: bool,
    /// The agent advertises `_session/steering`.
    pub(in crate::session) steers: bool,
    /// What is allowed in ACP only to be refused here comes to us.
    pub(in crate::session) refuses: bool,
}

impl OpenWays<'_> {
    /// The best way for a denied action.
    pub(in crate::session) fn of(&self, action: &Action) -> Way {
        match self.comes_to_us(action) {
            true => Way::Refusal,
            false => self.of_rejection(),
        }
    }

    /// The best way beside a rejected permission request.
    pub(in crate::session) fn of_rejection(&self) -> Way {
        if self.api {
            Way::Api
        } else if self.steers && !self.profile.guard.reject_ends_turn {
            Way::Steering
        } else {
            Way::Waits
        }
    }

    /// True if such an action uses our files or terminals after it was allowed.
    fn comes_to_us(&self, action: &Action) -> bool {
        let Some(refusal) = self.profile.refusal.as_ref().filter(|_| self.refuses) else {
            return false;
        };
        if action.identity.is_own() {
            // What is truly ours goes to our server, not to our files and terminals.
            return false;
        }
        match action.kind {
            ActionKind::Edit => refusal.edits && !action.paths.is_empty(),
            ActionKind::Execute | ActionKind::Input => refusal.commands && action.command.is_some(),
            _ => false,
        }
    }
}

/// Answers a denied permission request and sends the reason on its way. `message`: it goes as a notification, too,
/// where it waits (ladder step 7).
pub(in crate::session) fn carry_out(
    request: &PermissionRequest,
    is_command: bool,
    way: Way,
    requested: &RequestedAction,
    text: String,
    message: bool,
    turn: &mut TurnDenials,
) -> Vec<Effect> {
    let id = request.id.clone();
    let reject = choose(&request.options, Choice::RejectOnce);
    let rejected = |outcome: Outcome| Effect::Permission(id.clone(), outcome);
    match way {
        Way::Refusal => {
            turn.refused.add(Refused {
                request_id: requested.request_id,
                call_id: requested.tool_call_id.clone(),
                paths: requested.inside.clone(),
                command: requested.command.clone().filter(|_| is_command),
                text,
            });
            vec![rejected(choose(&request.options, Choice::AllowOnce))]
        }
        Way::Api => {
            let call_id = request.tool_call_id().unwrap_or_default().to_owned();
            vec![Effect::TellApi {
                request_id: requested.request_id,
                call_id,
                text,
                id,
                outcome: reject,
            }]
        }
        Way::Steering => vec![
            rejected(reject),
            Effect::Steer(
                requested.request_id,
                siderail_guard::guidance::steering(&text),
            ),
        ],
        Way::Hook | Way::Result | Way::Waits => {
            let mut effects = vec![rejected(reject)];
            if message {
                effects.push(Effect::SessionMessage {
                    request_id: requested.request_id,
                    tool: requested.tool.clone(),
                    text,
                });
            }
            effects
        }
    }
}
