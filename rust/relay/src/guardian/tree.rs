//! Which processes descend from this one.
//!
//! Linux: the parent of every process in `/proc`. The lists under `/proc/PID/task/*/children` would
//! be cheaper, but depend on how the kernel was built. The answer is a snapshot of a moving thing:
//! callers that need certainty ask again.

use super::sys::Pid;

/// Every descendant of this process, parents before children.
#[cfg(target_os = "linux")]
pub(super) fn descendants() -> Vec<Pid> {
    let parents = parents();
    let mut found = vec![std::process::id().cast_signed()];
    let mut n_looked_at = 0;
    while let Some(&parent) = found.get(n_looked_at) {
        n_looked_at += 1;
        found.extend(
            parents
                .iter()
                .filter(|(_, of)| *of == parent)
                .map(|(pid, _)| *pid),
        );
    }
    found.split_off(1)
}

/// Pairs of process and parent.
#[cfg(target_os = "linux")]
fn parents() -> Vec<(Pid, Pid)> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let stat = std::fs::read(entry.path().join("stat")).ok()?;
            Some((pid, parent_in_stat(&stat)?))
        })
        .collect()
}

/// The fourth field, proc_pid_stat(5). The second is the program's name in parentheses and may
/// itself hold blanks and parentheses, so fields are counted from its last one.
#[cfg(target_os = "linux")]
fn parent_in_stat(stat: &[u8]) -> Option<Pid> {
    let after_name = stat.iter().rposition(|byte| *byte == b')')? + 1;
    let mut fields = stat[after_name..]
        .split(|byte| *byte == b' ')
        .filter(|field| !field.is_empty());
    std::str::from_utf8(fields.nth(1)?).ok()?.parse().ok()
}

/// Every descendant whose ancestors are all alive, parents before children.
#[cfg(target_vendor = "apple")]
pub(super) fn descendants() -> Vec<Pid> {
    let mut found = vec![std::process::id().cast_signed()];
    let mut n_looked_at = 0;
    while let Some(&parent) = found.get(n_looked_at) {
        n_looked_at += 1;
        found.extend(super::sys::children(parent));
    }
    found.split_off(1)
}

/// Not known on this system; the program's process group is all there is to go by.
#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
pub(super) fn descendants() -> Vec<Pid> {
    Vec::new()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::parent_in_stat;

    #[test]
    fn a_program_named_like_the_file_format_hides_no_child() {
        let check = |stat: &str, parent| assert_eq!(parent_in_stat(stat.as_bytes()), parent);
        check("12 (sh) S 7 12 12 0 -1", Some(7));
        check("12 (a) S 99 (b) c) R 8 12 12 0", Some(8));
        check("12 (tail", None);
        check("12 (x) S", None);
    }
}
