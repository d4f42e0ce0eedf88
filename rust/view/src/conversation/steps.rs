//! The steps of a plan, and what happens to them when nobody works on them any more.

use siderail_event::{PlanEntry, PlanEntryStatus};

/// The steps at the end of the work: nobody is at one any more, and it is not done either. None where nobody was.
pub(super) fn stopped(steps: &[PlanEntry]) -> Option<Vec<PlanEntry>> {
    let is_at_work = |step: &PlanEntry| step.status == PlanEntryStatus::InProgress;
    steps.iter().any(is_at_work).then(|| {
        let mut stopped = steps.to_vec();
        for step in stopped.iter_mut().filter(|step| is_at_work(step)) {
            step.status = PlanEntryStatus::Pending;
        }
        stopped
    })
}
