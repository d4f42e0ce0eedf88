//! A denied permission request of the agent: announced, counted and answered, with its reason sent the best way.

use siderail_acp::permission::{Choice, Outcome, PermissionRequest, choose};
use siderail_guard::Action;
use siderail_guard::decision::Decision;

use super::channels::{OpenWays, Way, carry_out};
use super::decline::Decline;
use super::denials::{Denials, Moment};
use crate::session::effect::Effect;
use crate::session::prompt_turn::denied_calls::Seen;
use crate::session::prompt_turn::turn_denials::TurnDenials;
use crate::session::question::RequestedAction;

impl Denials {
    /// The ways that are open now.
    fn open_ways<'a>(&self, moment: &'a Moment) -> OpenWays<'a> {
        OpenWays {
            profile: &moment.facts.profile,
            api: moment.has_api,
            steers: moment.steers,
            refuses: !self.refusal_failed,
        }
    }

    /// The policy denies it.
    pub(in crate::session) fn deny_request(
        &mut self,
        turn: &mut TurnDenials,
        moment: &Moment,
        request: &PermissionRequest,
        (action, decision): (&Action, &Decision),
        requested: &RequestedAction,
    ) -> Vec<Effect> {
        let way = self.open_ways(moment).of(action);
        let (text, mut effects) = self.by_policy(turn, moment, requested, decision, way);
        turn.remember(requested, Seen::Request, &text);
        let is_command = action.kind.is_command();
        let message = moment.sends_messages;
        effects.extend(carry_out(
            request, is_command, way, requested, text, message, turn,
        ));
        effects
    }

    /// The person said no, or nobody could be asked. `option`: the agent's own that they chose for it, which says all.
    pub(in crate::session) fn deny_for_person(
        &mut self,
        turn: &mut TurnDenials,
        moment: &Moment,
        request: &PermissionRequest,
        requested: &RequestedAction,
        (no, option): (&Decline, Option<String>),
    ) -> Vec<Effect> {
        let way = match option {
            Some(_) => Way::Waits,
            None => self.open_ways(moment).of_rejection(),
        };
        // A no without a reason is what the agent reports to its model by itself.
        let text = (!no.is_bare()).then(|| no.for_model(&requested.tool));
        let (text, mut effects) = self.by_person(turn, moment, requested, (no, text), way);
        let (id, message) = (request.id.clone(), moment.sends_messages);
        match (option, text) {
            (Some(option), _) => {
                effects.push(Effect::Permission(id, Outcome::Selected(option)));
            }
            (None, Some(text)) => {
                effects.extend(carry_out(
                    request, false, way, requested, text, message, turn,
                ));
            }
            (None, None) => {
                let reject = choose(&request.options, Choice::RejectOnce);
                effects.push(Effect::Permission(id, reject));
            }
        }
        effects
    }
}
