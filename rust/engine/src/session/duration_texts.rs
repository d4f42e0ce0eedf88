//! Durations in words, for texts that people read.

use std::time::Duration;

/// A duration in whole seconds.
pub(in crate::session) fn seconds(time: Duration) -> String {
    match time.as_secs() {
        0 => "less than 1 s".to_owned(),
        n => format!("{n} s"),
    }
}
