//! Processes by a mark in their environment, which children inherit and nobody takes off.

use rustix::process::{Pid, Signal, kill_process};
use std::time::{Duration, Instant};

/// The variable. Not one of ours: those are kept from the programs that our tools start.
pub const MARK: &str = "TEST_RUN_MARK";

/// A living process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub pid: i32,
    /// Its command line.
    pub words: Vec<String>,
}

impl Process {
    /// True where a word of the command line is this one.
    pub fn has(&self, word: &str) -> bool {
        self.words.iter().any(|other| other == word)
    }
}

/// A mark that no other process has.
pub fn new_mark() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{}-{number}-{:?}", std::process::id(), Instant::now())
}

/// Living processes with this mark; those that ended and wait to be collected are not among them.
pub fn marked(mark: &str) -> Vec<Process> {
    let wanted = format!("{MARK}={mark}").into_bytes();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_marked = |pid: &i32| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment
            .split(|byte| *byte == 0)
            .any(|variable| variable == wanted)
    };
    let process = |pid: i32| {
        let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let words = words.split(|byte| *byte == 0).map(String::from_utf8_lossy);
        Process {
            pid,
            words: words.map(std::borrow::Cow::into_owned).collect(),
        }
    };
    pids.filter(is_marked).map(process).collect()
}

/// Waits until no process has the mark; those that are left when the time is up.
pub fn left_after(mark: &str, limit: Duration) -> Vec<Process> {
    let end = Instant::now() + limit;
    loop {
        let left = marked(mark);
        if left.is_empty() || Instant::now() > end {
            return left;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Ends a process without a word; one that is gone already is passed over.
pub fn kill_9(pid: i32) {
    if let Some(pid) = Pid::from_raw(pid) {
        let _ = kill_process(pid, Signal::KILL);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::Command;
    use std::time::Duration;

    use super::{MARK, kill_9, left_after, marked, new_mark};

    #[test]
    fn a_process_in_a_session_of_its_own_is_seen_until_it_is_gone() {
        let mark = new_mark();
        let mut child = Command::new("sh")
            .args(["-c", "setsid sleep 60 & wait"])
            .env(MARK, &mark)
            .spawn()
            .expect("a shell");
        let is_sleep = |process: &super::Process| process.has("sleep");
        while !marked(&mark).iter().any(is_sleep) {
            std::thread::sleep(Duration::from_millis(10));
        }
        kill_9(child.id().cast_signed());
        child.wait().expect("a child can be waited for");
        let left = left_after(&mark, Duration::from_millis(200));
        assert!(left.len() == 1 && left[0].has("60"), "{left:?}");
        kill_9(left[0].pid);
        assert!(left_after(&mark, Duration::from_secs(30)).is_empty());
    }
}
