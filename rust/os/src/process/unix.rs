//! A signal that is never sent shows whether the process exists.

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

/// Whether a process has this number. Also true of one of another user, and of one that has ended and that nobody has
/// waited for.
pub fn is_alive(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    !matches!(pid.map(test_kill_process), None | Some(Err(Errno::SRCH)))
}
