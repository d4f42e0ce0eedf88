//! Time that a thread has computed. What other programs take from the machine meanwhile does not count, so figures of
//! a busy machine can be compared.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// How long this thread has computed for something.
pub fn computed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let begun = now();
    let outcome = work();
    (outcome, now().saturating_sub(begun))
}

fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::from_secs(seconds)
        + Duration::from_nanos(u64::try_from(time.tv_nsec).unwrap_or_default())
}
