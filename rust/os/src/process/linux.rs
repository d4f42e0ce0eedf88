//! Linux: procfs.

/// When a running process was started, as a number that no later process of its number has: the 22nd field of its
/// line, counted behind its name, which may hold anything (proc_pid_stat(5)).
pub fn started(pid: u32) -> Option<u64> {
    let line = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, behind) = line.rsplit_once(')')?;
    behind.split_whitespace().nth(19)?.parse().ok()
}
