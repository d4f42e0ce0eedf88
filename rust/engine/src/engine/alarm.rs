//! Wakes the engine at a deadline that may be another one after every input.
//!
//! A timer that is set to an earlier time wakes the thread that watches the clock, and that costs more than most inputs
//! do. So the timer is left as it is where it rings no later than wanted; where it rings too early it is set again. Knows
//! no session.

use std::future::pending;
use std::pin::Pin;
use std::time::Instant;

use tokio::time::{self, Sleep};

pub(super) struct Alarm {
    timer: Pin<Box<Sleep>>,
}

impl Alarm {
    /// Needs a running tokio runtime.
    pub(super) fn new() -> Self {
        Self {
            timer: Box::pin(time::sleep_until(time::Instant::now())),
        }
    }

    /// Returns at the deadline; never if there is none. It may be dropped at any time, and asked for another deadline.
    pub(super) async fn at(&mut self, deadline: Option<Instant>) {
        let Some(deadline) = deadline.map(time::Instant::from) else {
            return pending().await;
        };
        if deadline < self.timer.deadline() {
            self.timer.as_mut().reset(deadline);
        }
        loop {
            self.timer.as_mut().await;
            if time::Instant::now() >= deadline {
                return;
            }
            self.timer.as_mut().reset(deadline);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_rings_at_the_deadline_that_was_asked_for_last() {
        let mut alarm = Alarm::new();
        let start = time::Instant::now();
        let at = |seconds| Some((start + Duration::from_secs(seconds)).into_std());
        let elapsed = || start.elapsed().as_secs();
        // Each of these is dropped before it rings.
        for seconds in [50, 2, 90, 20] {
            let waited = time::timeout(Duration::from_secs(1), alarm.at(at(seconds)));
            let is_early = elapsed() + 1 < seconds;
            assert_eq!(waited.await.is_err(), is_early, "{seconds}");
        }
        alarm.at(at(20)).await;
        assert_eq!(elapsed(), 20);
        alarm.at(at(10)).await;
        assert_eq!(elapsed(), 20, "what is past rings at once");
        alarm.at(at(30)).await;
        assert_eq!(elapsed(), 30);
        let never = time::timeout(Duration::from_secs(1000), alarm.at(None));
        assert!(never.await.is_err());
    }
}
