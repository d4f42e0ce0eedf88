//! The flag by which a running tool call learns that nobody wants its result any more.
//!
//! One flag serves both worlds: blocking work looks at it between steps, async work waits for it.

use std::sync::Arc;

use tokio::sync::watch;

/// Set once, never taken back; clones are the same flag.
#[derive(Clone, Debug)]
pub struct CancelFlag(Arc<watch::Sender<bool>>);

impl CancelFlag {
    /// A flag that is not set.
    pub fn new() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }

    /// Sets the flag and wakes everybody who waits for it.
    pub fn cancel(&self) {
        self.0.send_replace(true);
    }

    /// Whether the flag is set.
    pub fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until the flag is set.
    pub async fn cancelled(&self) {
        let mut receiver = self.0.subscribe();
        // The sender lives as long as `self`, so that waiting cannot fail before the flag is set.
        let _ = receiver.wait_for(|set| *set).await;
    }
}

impl Default for CancelFlag {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_waiter_of_any_clone_is_woken_and_late_waiters_return_at_once() {
        let flag = CancelFlag::new();
        let waiter = tokio::spawn({
            let flag = flag.clone();
            async move { flag.cancelled().await }
        });
        assert!(!flag.is_cancelled());
        flag.clone().cancel();
        waiter.await.expect("the waiter ends");
        flag.cancelled().await;
        assert!(flag.is_cancelled());
    }
}
