//! Why a run left something undone that no person has denied, as far as its events show.

use siderail_engine::event::{DeniedBy, EventBody, PermissionDenied, PlanRejected, PlanRejectedBy};

/// Why something was left undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unanswered {
    /// Nobody could be asked about an action or a plan.
    Nobody,
    /// The answer that was given beforehand rejects plans.
    Beforehand,
}

/// What is left undone after an event.
pub(super) fn after(before: Option<Unanswered>, event: &EventBody) -> Option<Unanswered> {
    match event {
        EventBody::PermissionDenied(PermissionDenied {
            by: DeniedBy::NoTerminal,
            ..
        }) => Some(Unanswered::Nobody),
        EventBody::PlanRejected(PlanRejected { by, .. }) => match by {
            PlanRejectedBy::User => before,
            PlanRejectedBy::Setting => Some(Unanswered::Beforehand),
            _ => Some(Unanswered::Nobody),
        },
        EventBody::PlanApproved(_) => None,
        _ => before,
    }
}
