//! A mark that a program passes to all that it starts, and that survives a new session, a new group and an empty
//! environment: a resource limit with a number that nobody else has.
//!
//! The limit is the time that a real-time process may compute without a rest, in microseconds: some hundred thousand
//! years, so it limits nothing. If there is no such limit, or a smaller one is set, nothing is marked.

use super::sys::{self, Pid};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// What every mark is at least.
const LEAST: u64 = 1 << 62;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark(u64);

impl Mark {
    /// One that no other guardian on this machine has: its process, and the moment.
    pub(super) fn fresh() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let moment = now.map_or(0, |now| u64::from(now.subsec_nanos()) ^ now.as_secs());
        let own = u64::from(std::process::id() & 0x3f_ffff) << 32;
        Self(LEAST | own | (moment & 0xffff_ffff))
    }

    pub(super) fn put_on(self, command: &mut Command) {
        sys::limit_realtime(command, self.0);
    }

    /// Who bears it now.
    pub(super) fn bearers(self) -> Vec<Pid> {
        let Ok(entries) = std::fs::read_dir("/proc") else {
            return Vec::new();
        };
        let bears = |pid: &Pid| {
            let limits = std::fs::read_to_string(format!("/proc/{pid}/limits"));
            limits.is_ok_and(|limits| in_limits(&limits) == Some(self))
        };
        entries
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .filter(bears)
            .collect()
    }
}

/// The mark in a table of limits, proc_pid_limits(5).
fn in_limits(limits: &str) -> Option<Mark> {
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max realtime timeout"))?;
    let soft = line.split_ascii_whitespace().next()?.parse().ok()?;
    (soft >= LEAST).then_some(Mark(soft))
}

#[cfg(test)]
mod tests {
    use crate::guardian::mark::{Mark, in_limits};

    #[test]
    fn a_mark_is_read_and_nobodys_limit_is_one() {
        let mark = Mark::fresh();
        let table = |soft: &str| {
            format!("Max nice priority  0  0\nMax realtime timeout      {soft}   unlimited   us\n")
        };
        assert_eq!(in_limits(&table(&mark.0.to_string())), Some(mark));
        assert_eq!(in_limits(&table("unlimited")), None);
        assert_eq!(in_limits(&table("200000")), None);
        assert_eq!(in_limits(""), None);
    }
}
